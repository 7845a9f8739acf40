"""Near singular positions: there rows are 0/0, yet the limit along the branch of motion is smooth.

The limit is taken from points beside, on the branch, where u_ind is the same: an even polynomial through six of them.
"""

from __future__ import annotations

from latchwork.constraint.embedded.circuit import (
    ASIDE,
    NEAR_PIVOT,
    POINTS,
    RESOLVED,
    SHARES,
    aside,
    determinant,
    near_gap,
)
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.recombination import consistent_place, evaluate, multipliers
from latchwork.program.kernel import copysign, divide, f64, f64p, fabs, i32p, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.records.view import record_at
from latchwork.program.scalar import maximum

POLE = 1e-8  # of d λ beside: less than this is what rounding leaves of it
LEAST = 1e-14  # of d beside: less is rounding
BLIND = 1e-6  # of the usual pivot: below it rows do not tell the course any more


@kernel
def set_course(mode: EmbeddedMode) -> None:
    """The course is that of the motion; at rest, that of all independent speeds."""
    n, m, k = mode.n, mode.m, mode.k
    course, u, d, largest = mode.course, mode.u, mode.D, 0.0
    for j in range(n):
        course[j] = u[j]
        largest = maximum(largest, fabs(u[j]))
    if largest == 0.0:
        for a in range(k):
            one = mode.unit_u[mode.ind[a]]
            course[mode.ind[a]] = one
            for i in range(m):
                course[mode.dep[i]] += d[i * k + a] * one


@kernel
def evaluate_near(mode: EmbeddedMode) -> i64:
    """(q̇, u, u̇, power) at (t, q, u_ind) into ``result``; 1 where that is too close to a crossing of branches."""
    n_q = mode.n_q
    notes, result = mode.notes, mode.result
    saved = mode.saved
    for i in range(n_q):
        saved[i] = mode.x[i]
    evaluate(mode, result)
    if notes.pivot > BLIND * notes.usual_pivot:
        set_course(mode)
    if not notes.pivot >= NEAR_PIVOT * notes.usual_pivot:
        for i in range(n_q):
            mode.x[i] = saved[i]
        if near_gap(mode) <= RESOLVED:
            return 1
        evaluate(mode, result)
    return 0


@kernel
def near_singular(mode: EmbeddedMode) -> i64:
    """(q̇, u, u̇, power) at (t, q, u_ind) into ``result``; 1 where they are the limit from beside.

    Too close to a singular position rows are 0/0, yet their limit along the branch is smooth: it is taken from six
    points beside it, where u_ind is the same, ``g(0) = Σ w_i (g(iη) + g(−iη))`` with ``w = (15, −6, 1) / 20``. Where
    branches do not cross, but circuits pass each other closely, rows are regular, and the limit is not taken: `gap`.
    """
    if evaluate_near(mode) == 0:
        return 0
    from_beside(mode)
    return 1


@kernel
def beside(code: i32p, z: f64p, out: f64p) -> None:
    """1 where the limit from beside is needed at (t, q, u_ind), else 0; then (q, u) at the six points beside."""
    mode = record_at(EmbeddedMode, z, code[0])
    n_q, n = mode.n_q, mode.n
    out[0] = float(evaluate_near(mode))
    for point in range(6):
        state = offset(out, 1 + point * (n_q + n))
        aside(mode, POINTS[point] * ASIDE)
        consistent_place(mode)
        for i in range(n_q):
            state[i] = mode.x[i]
        for j in range(n):
            state[n_q + j] = mode.u[j]


@kernel
def from_beside(mode: EmbeddedMode) -> None:
    """The limit of (q̇, u, u̇, power) along the course, at the place saved, into ``result``, ``u`` and ``udot``."""
    n_q, n = mode.n_q, mode.n
    result, total = mode.result, mode.total
    size = n_q + 2 * n + 1
    for i in range(size):
        total[i] = 0.0
    for point in range(6):
        aside(mode, POINTS[point] * ASIDE)
        evaluate(mode, result)
        for i in range(size):
            total[i] += SHARES[point] * result[i]
    for i in range(size):
        result[i] = total[i]
    back(mode)


@kernel
def back(mode: EmbeddedMode) -> None:
    """q where it was saved, u and u̇ as in ``result``."""
    n_q, n = mode.n_q, mode.n
    for i in range(n_q):
        mode.x[i] = mode.saved[i]
    for j in range(n):
        mode.u[j] = mode.result[n_q + j]
        mode.udot[j] = mode.result[n_q + n + j]


@kernel
def forces_near_singular(mode: EmbeddedMode) -> None:
    """`near_singular`, and λ of the rows kept into ``multiplier``.

    Where the others are a limit, λ is taken from the same points. Forces that hold a mechanism at a dead point grow
    without bound on the way there: with d = det B1, ``λ = a / d + b``, and b is smooth.
    """
    if near_singular(mode) == 0:
        multipliers(mode)
        return
    rows, m, scratch = mode.rows, mode.m, mode.total
    lam, d = mode.beside, offset(mode.beside, 6 * rows)
    for point in range(6):
        aside(mode, POINTS[point] * ASIDE)
        evaluate(mode, scratch)
        multipliers(mode)
        d[point] = determinant(m, mode.B1, mode.order)
        for i in range(rows):
            lam[point * rows + i] = mode.multiplier[i]
    for i in range(mode.n_q):
        mode.x[i] = mode.saved[i]
    consistent_place(mode)
    limit_of_forces(rows, lam, d, determinant(m, mode.B1, mode.order), mode.multiplier)
    back(mode)


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
