"""The circuit that a linkage is on, as kernels: where branches cross, and where circuits pass each other closely.

At a singular position branches of motion cross, and B1 turns over: det B1 changes its sign along each of them. Lengths
that are a little off take the crossing apart into two circuits, Φ ≈ x y − ε. A step that turns B1 over then leads from
one to the other, where the linkage cannot go. (Memory: `embedded_mode`.)
"""

from __future__ import annotations

from latchwork.constraint.embedded.embedded_mode import UNKNOWN, EmbeddedMode
from latchwork.constraint.embedded.rows_at import (
    NEWTON,
    correct,
    dependent_columns,
    largest_residual,
    read_rows,
    spread_step,
)
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel
from latchwork.program.scalar import maximum

ASIDE = 0.01  # how far beside, in units of the coordinates
LAST_CORRECTION = 1e-11  # a correction this short is the last
POINTS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0)
SHARES = (0.75, 0.75, -0.3, -0.3, 0.05, 0.05)
SHARES_OF_FOUR = (2.0 / 3.0, 2.0 / 3.0, -1.0 / 6.0, -1.0 / 6.0, 0.0, 0.0)
NEAR_PIVOT = 0.0025  # of the usual pivot: below it the equations are taken from beside, a few times as far
RESOLVED = 2e-12  # circuits that miss each other by less than this in Φ, in coordinates, are taken to cross
ROUNDING_OF_PHI = 4e-16  # a residual of Φ that is rounding
ROUNDING = 1e-14  # what is less than this is no gap
CONVERGED = 2.0  # a curve through six points must be better by this factor than one through four
HALVINGS = 10  # of a step, to the place where B1 turns over


@kernel
def onto(mode: EmbeddedMode) -> None:
    """q onto Φ = 0, as far as Φ is not rounding: over a small pivot, that would lead away again."""
    for _ in range(NEWTON):
        read_rows(mode)
        if largest_residual(mode) <= ROUNDING_OF_PHI:
            break
        dependent_columns(mode)
        if correct(mode) < LAST_CORRECTION:
            break


@kernel
def aside(mode: EmbeddedMode, by: f64) -> None:
    """q a way along the course, from where it was saved, and back onto Φ = 0."""
    n_q, n = mode.n_q, mode.n
    course, step, saved = mode.course, mode.step, mode.saved
    largest = 0.0
    for j in range(n):
        largest = maximum(largest, divide(fabs(course[j]), mode.unit_u[j]))
    for i in range(n_q):
        mode.x[i] = saved[i]
    for j in range(n):
        step[j] = divide(by * course[j], largest) if largest > 0.0 else 0.0
    spread_step(mode, n_q, n)
    onto(mode)


@kernel
def gap(mode: EmbeddedMode) -> f64:
    """By how much Φ = 0 is missed at the place saved, on the curve through points beside it: 0 where branches cross.

    Where lengths are a little off, Φ ≈ x y − ε: two circuits pass each other at √ε and do not meet. Points on either
    side of the place then lie on different ones, and the curve through them misses both, by ε. Less than what the
    curve itself is uncertain by (the difference between six points and four) is nothing.
    """
    n_q = mode.n_q
    six, four = mode.total, mode.four
    for i in range(n_q):
        six[i] = 0.0
        four[i] = 0.0
    for point in range(6):
        aside(mode, POINTS[point] * ASIDE)
        for i in range(n_q):
            six[i] += SHARES[point] * mode.x[i]
            four[i] += SHARES_OF_FOUR[point] * mode.x[i]
    for i in range(n_q):
        mode.x[i] = four[i]
    read_rows(mode)
    rough = largest_residual(mode)
    for i in range(n_q):
        mode.x[i] = six[i]
    read_rows(mode)
    missed = largest_residual(mode)
    for i in range(n_q):
        mode.x[i] = mode.saved[i]
    return missed if rough < CONVERGED * missed else 0.0


@kernel
def near_gap(mode: EmbeddedMode) -> f64:
    """The gap at q along the course where B1 is close to singular, as it was found on coming there; else UNKNOWN.

    q is as before; rows may be those of another place.
    """
    notes = mode.notes
    if notes.pivot >= NEAR_PIVOT * notes.usual_pivot:
        notes.gap = UNKNOWN
    elif notes.gap == UNKNOWN:
        for i in range(mode.n_q):
            mode.saved[i] = mode.x[i]
        notes.gap = gap(mode)
    return notes.gap


@kernel
def determinant(m: i64, A: f64p, order: f64p) -> f64:
    """det B1, from its factors."""
    product = 1.0
    for k in range(m):
        product = product * A[k * m + k] if order[k] == float(k) else -product * A[k * m + k]
    return product


@kernel
def side(mode: EmbeddedMode) -> f64:
    """The sign of det B1."""
    m, A, order, sign = mode.m, mode.B1, mode.order, 1.0
    for k in range(m):
        sign = -sign if A[k * m + k] < 0.0 else sign
        sign = -sign if order[k] != float(k) else sign
    return sign


@kernel
def turned_over(mode: EmbeddedMode) -> f64:
    """The gap at the place between the last q and this one where B1 turns over."""
    n_q, n = mode.n_q, mode.n
    low, high, course, u = mode.saved, mode.high, mode.course, mode.u
    largest = 0.0
    for j in range(n):
        largest = maximum(largest, fabs(u[j]))
    for j in range(n):
        course[j] = u[j] if largest > 0.0 else course[j]
    for i in range(n_q):
        low[i] = mode.last[i]
        high[i] = mode.x[i]
    for _ in range(HALVINGS):
        for i in range(n_q):
            mode.x[i] = 0.5 * (low[i] + high[i])
        onto(mode)
        read_rows(mode)
        here = side(mode)
        for i in range(n_q):
            if here == mode.notes.side:
                low[i] = mode.x[i]
            else:
                high[i] = mode.x[i]
    return gap(mode)


@kernel
def leaves_circuit(mode: EmbeddedMode) -> i64:
    """1 where the step from the last q to this one leads to another circuit; else this one is the last q from now on.

    Rows, D and all speeds are known at q, before and after.
    """
    n_q, notes, last, now = mode.n_q, mode.notes, mode.last, mode.now
    here = side(mode)
    if notes.side * here < 0.0:
        for i in range(n_q):
            now[i] = mode.x[i]
        missed = turned_over(mode)
        for i in range(n_q):
            mode.x[i] = now[i]
        read_rows(mode)
        dependent_columns(mode)
        if missed > RESOLVED:
            return 1
        if missed > ROUNDING:
            notes.unresolved = maximum(notes.unresolved, missed)
    notes.side = here
    for i in range(n_q):
        last[i] = mode.x[i]
    return 0
