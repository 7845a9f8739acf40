"""Near singular positions: there rows are 0/0, yet the limit along the branch of motion is smooth.

The limit is taken from points beside, on the branch, where u_ind is the same: an even polynomial through six of them.
"""

from __future__ import annotations

from latchwork.constraint.modes.circuit import ASIDE, NEAR, POINTS, RESOLVED, SHARES, aside, determinant, near_gap
from latchwork.constraint.modes.layout import (
    B1,
    BESIDE,
    COURSE,
    DEP,
    IND,
    LAMBDA,
    NOTES,
    NQ,
    ORDER,
    PIVOT,
    RESULT,
    ROWS,
    SAVED,
    TOTAL,
    UDOT,
    USUAL_PIVOT,
    D,
    K,
    M,
    N,
    U,
)
from latchwork.constraint.modes.recombine import consistent_place, evaluate, multipliers
from latchwork.program.kernel import copysign, divide, f64, f64p, fabs, i32p, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.scalar import maximum

POLE = 1e-8  # of d λ beside: less than this is what rounding leaves of it
LEAST = 1e-14  # of d beside: less is rounding
BLIND = 1e-6  # of the usual pivot: below it rows do not tell the course any more


@kernel
def set_course(code: i32p, z: f64p) -> None:
    """The course is that of the motion; at rest, that of all independent speeds."""
    n, m, k = code[N], code[M], code[K]
    course, u, d, largest = offset(z, code[COURSE]), offset(z, code[U]), offset(z, code[D]), 0.0
    for j in range(n):
        course[j] = u[j]
        largest = maximum(largest, fabs(u[j]))
    if largest == 0.0:
        for a in range(k):
            course[code[code[IND] + a]] = 1.0
            for i in range(m):
                course[code[code[DEP] + i]] += d[i * k + a]


@kernel
def evaluate_near(code: i32p, z: f64p) -> i64:
    """(q̇, u, u̇, power) at (t, q, u_ind) into RESULT; 1 where that is too close to a crossing of branches to be so."""
    n_q = code[NQ]
    notes, result = offset(z, code[NOTES]), offset(z, code[RESULT])
    saved = offset(z, code[SAVED])
    for i in range(n_q):
        saved[i] = z[1 + i]
    evaluate(code, z, result)
    if notes[PIVOT] > BLIND * notes[USUAL_PIVOT]:
        set_course(code, z)
    if not notes[PIVOT] >= NEAR * notes[USUAL_PIVOT]:
        for i in range(n_q):
            z[1 + i] = saved[i]
        if near_gap(code, z) <= RESOLVED:
            return 1
        evaluate(code, z, result)
    return 0


@kernel
def near_singular(code: i32p, z: f64p) -> i64:
    """(q̇, u, u̇, power) at (t, q, u_ind) into RESULT; 1 where they are the limit from beside.

    Too close to a singular position rows are 0/0, yet their limit along the branch is smooth: it is taken from six
    points beside it, where u_ind is the same, ``g(0) = Σ w_i (g(iη) + g(−iη))`` with ``w = (15, −6, 1) / 20``. Where
    branches do not cross, but circuits pass each other closely, rows are regular, and the limit is not taken: `gap`.
    """
    if evaluate_near(code, z) == 0:
        return 0
    from_beside(code, z)
    return 1


@kernel
def beside(code: i32p, z: f64p, out: f64p) -> None:
    """1 where the limit from beside is needed at (t, q, u_ind), else 0; then (q, u) at the six points beside."""
    n_q, n = code[NQ], code[N]
    out[0] = float(evaluate_near(code, z))
    for point in range(6):
        state = offset(out, 1 + point * (n_q + n))
        aside(code, z, POINTS[point] * ASIDE)
        consistent_place(code, z)
        for i in range(n_q):
            state[i] = z[1 + i]
        for j in range(n):
            state[n_q + j] = z[code[U] + j]


@kernel
def from_beside(code: i32p, z: f64p) -> None:
    """The limit of (q̇, u, u̇, power) along the course, at the place saved, into RESULT; of u and u̇ also into U, UDOT."""
    n_q, n = code[NQ], code[N]
    result, total = offset(z, code[RESULT]), offset(z, code[TOTAL])
    size = n_q + 2 * n + 1
    for i in range(size):
        total[i] = 0.0
    for point in range(6):
        aside(code, z, POINTS[point] * ASIDE)
        evaluate(code, z, result)
        for i in range(size):
            total[i] += SHARES[point] * result[i]
    for i in range(size):
        result[i] = total[i]
    back(code, z)


@kernel
def back(code: i32p, z: f64p) -> None:
    """q where it was saved, u and u̇ as in RESULT."""
    n_q, n = code[NQ], code[N]
    for i in range(n_q):
        z[1 + i] = z[code[SAVED] + i]
    for j in range(n):
        z[code[U] + j] = z[code[RESULT] + n_q + j]
        z[code[UDOT] + j] = z[code[RESULT] + n_q + n + j]


@kernel
def forces_near_singular(code: i32p, z: f64p) -> None:
    """`near_singular`, and λ of the rows kept into LAMBDA.

    Where the others are a limit, λ is taken from the same points. Forces that hold a mechanism at a dead point grow
    without bound on the way there: with d = det B1, ``λ = a / d + b``, and b is smooth.
    """
    if near_singular(code, z) == 0:
        multipliers(code, z)
        return
    rows, m, scratch = code[ROWS], code[M], offset(z, code[TOTAL])
    lam, d = offset(z, code[BESIDE]), offset(z, code[BESIDE] + 6 * rows)
    for point in range(6):
        aside(code, z, POINTS[point] * ASIDE)
        evaluate(code, z, scratch)
        multipliers(code, z)
        d[point] = determinant(m, offset(z, code[B1]), offset(z, code[ORDER]))
        for i in range(rows):
            lam[point * rows + i] = z[code[LAMBDA] + i]
    for i in range(code[NQ]):
        z[1 + i] = z[code[SAVED] + i]
    consistent_place(code, z)
    limit_of_forces(rows, lam, d, determinant(m, offset(z, code[B1]), offset(z, code[ORDER])), offset(z, code[LAMBDA]))
    back(code, z)


@kernel
def limit_of_forces(rows: i64, lam: f64p, d: f64p, here: f64, out: f64p) -> None:
    """λ = a / d + b where d is ``here``, through six points; a is that of d = 0, and 0 where that is rounding.

    Where d does not pass through zero once, rows depend on each other in several ways, and λ is taken to be smooth.
    """
    once = 1 if d[0] * d[1] < 0.0 and d[0] * d[2] > 0.0 and d[0] * d[4] > 0.0 else 0
    for i in range(rows):
        a, b, size = 0.0, 0.0, 0.0
        if once != 0:
            for point in range(6):
                a += share(d, point, 0.0) * d[point] * lam[point * rows + i]
                size = maximum(size, fabs(d[point] * lam[point * rows + i]))
            a = a if fabs(a) > POLE * size else 0.0
        for point in range(6):
            b += SHARES[point] * (lam[point * rows + i] - (divide(a, d[point]) if a != 0.0 else 0.0))
        out[i] = b + divide(a, copysign(maximum(fabs(here), LEAST * fabs(d[0])), here)) if a != 0.0 else b


@kernel
def share(d: f64p, point: i64, here: f64) -> f64:
    """Lagrange's polynomial of one of six points."""
    product = 1.0
    for other in range(6):
        if other != point:
            product = divide(product * (here - d[other]), d[point] - d[other])
    return product


together(beside)
