"""Near singular positions: there rows are 0/0, yet the limit along the branch of motion is smooth.

The limit is taken from points beside, on the branch, where u_ind is the same: an even polynomial through six of them.
"""

from __future__ import annotations

from latchwork.constraint.modes.circuit import ASIDE, NEAR, POINTS, RESOLVED, SHARES, aside, near_gap
from latchwork.constraint.modes.layout import (
    COURSE,
    LAMBDA,
    NOTES,
    NQ,
    PIVOT,
    RESULT,
    ROWS,
    SAVED,
    TOTAL,
    UDOT,
    USUAL_PIVOT,
    N,
    U,
)
from latchwork.constraint.modes.recombine import consistent_place, evaluate, multipliers
from latchwork.program.kernel import f64p, i32p, i64, kernel, offset

BLIND = 1e-6  # of the usual pivot: below it rows do not tell the course any more


@kernel
def evaluate_near(code: i32p, z: f64p) -> i64:
    """(q̇, u, u̇, power) at (t, q, u_ind) into RESULT; 1 where that is too close to a crossing of branches to be so."""
    n_q, n = code[NQ], code[N]
    notes, result = offset(z, code[NOTES]), offset(z, code[RESULT])
    saved, course = offset(z, code[SAVED]), offset(z, code[COURSE])
    for i in range(n_q):
        saved[i] = z[1 + i]
    evaluate(code, z, result)
    if notes[PIVOT] > BLIND * notes[USUAL_PIVOT]:
        for j in range(n):
            course[j] = result[n_q + j]
    if notes[PIVOT] < NEAR * notes[USUAL_PIVOT]:
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
    """`near_singular`, and λ of the rows kept into LAMBDA: where the others are a limit, it is the limit, too."""
    if near_singular(code, z) == 0:
        multipliers(code, z)
        return
    rows, size = code[ROWS], code[NQ] + 2 * code[N] + 1
    scratch, lam = offset(z, code[TOTAL]), offset(z, code[LAMBDA])
    total = offset(scratch, size)
    for i in range(rows):
        total[i] = 0.0
    for point in range(6):
        aside(code, z, POINTS[point] * ASIDE)
        evaluate(code, z, scratch)
        multipliers(code, z)
        for i in range(rows):
            total[i] += SHARES[point] * lam[i]
    for i in range(rows):
        lam[i] = total[i]
    back(code, z)
