"""Across singular positions: there rows are 0/0, yet their limit along the branch of motion is smooth.

It is taken from points beside, on the branch, where u_ind is the same: an even polynomial through six of them.
"""

from __future__ import annotations

from latchwork.constraint.modes.layout import COURSE, NOTES, NQ, PIVOT, RESULT, SAVED, STEP, TOTAL, USUAL_PIVOT, N
from latchwork.constraint.modes.place import NEWTON, correct, dependent_columns, read_rows, spread_step
from latchwork.constraint.modes.recombine import CLOSE, evaluate
from latchwork.program.kernel import divide, f64, f64p, fabs, i32p, kernel, offset
from latchwork.program.scalar import maximum

NEAR = 0.0025  # of the usual pivot: below it the equations are taken from beside, a few times as far
BLIND = 1e-6  # of the usual pivot: below it rows do not tell the course any more
ASIDE = 0.01  # how far beside, in units of the coordinates
POINTS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0)
SHARES = (0.75, 0.75, -0.3, -0.3, 0.05, 0.05)


@kernel
def aside(code: i32p, z: f64p, by: f64) -> None:
    """q a way along the course, from where it was saved, and back onto Φ = 0."""
    n_q, n = code[NQ], code[N]
    course, step, saved = offset(z, code[COURSE]), offset(z, code[STEP]), offset(z, code[SAVED])
    largest = 0.0
    for j in range(n):
        largest = maximum(largest, fabs(course[j]))
    for i in range(n_q):
        z[1 + i] = saved[i]
    for j in range(n):
        step[j] = divide(by * course[j], largest) if largest > 0.0 else 0.0
    spread_step(code, z, n_q, n)
    for _ in range(NEWTON):
        read_rows(code, z)
        dependent_columns(code, z)
        if correct(code, z) < CLOSE:
            break


@kernel
def smooth(code: i32p, z: f64p) -> None:
    """(q̇, u, u̇, power) at (t, q, u_ind) into RESULT.

    Too close to a singular position rows are 0/0, yet their limit along the branch is smooth: it is taken from six
    points beside it, where u_ind is the same, ``g(0) = Σ w_i (g(iη) + g(−iη))`` with ``w = (15, −6, 1) / 20``.
    """
    n_q, n = code[NQ], code[N]
    notes, result, total = offset(z, code[NOTES]), offset(z, code[RESULT]), offset(z, code[TOTAL])
    saved, course, size = offset(z, code[SAVED]), offset(z, code[COURSE]), n_q + 2 * n + 1
    for i in range(n_q):
        saved[i] = z[1 + i]
    evaluate(code, z, result)
    if notes[PIVOT] > BLIND * notes[USUAL_PIVOT]:
        for j in range(n):
            course[j] = result[n_q + j]
    if notes[PIVOT] < NEAR * notes[USUAL_PIVOT]:
        for i in range(size):
            total[i] = 0.0
        for point in range(6):
            aside(code, z, POINTS[point] * ASIDE)
            evaluate(code, z, result)
            for i in range(size):
                total[i] += SHARES[point] * result[i]
        for i in range(size):
            result[i] = total[i]
        for i in range(n_q):
            z[1 + i] = saved[i]
