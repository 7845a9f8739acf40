"""The circuit that a linkage is on, as kernels: where branches cross, and where circuits pass each other closely.

At a singular position branches of motion cross, and B1 turns over: det B1 changes its sign along each of them. Lengths
that are a little off take the crossing apart into two circuits, Φ ≈ x y − ε. A step that turns B1 over then leads from
one to the other, where the linkage cannot go. (Memory: `layout`.)
"""

from __future__ import annotations

from latchwork.constraint.modes.layout import (
    B1,
    COURSE,
    FOUR,
    GAP,
    HIGH,
    LAST,
    NOTES,
    NOW,
    NQ,
    ORDER,
    PIVOT,
    SAVED,
    SIDE,
    STEP,
    TOTAL,
    UNKNOWN,
    UNRESOLVED,
    USUAL_PIVOT,
    M,
    N,
    U,
)
from latchwork.constraint.modes.place import (
    NEWTON,
    correct,
    dependent_columns,
    largest_residual,
    read_rows,
    spread_step,
)
from latchwork.program.kernel import divide, f64, f64p, fabs, i32p, i64, kernel, offset
from latchwork.program.scalar import maximum

ASIDE = 0.01  # how far beside, in units of the coordinates
CLOSE = 1e-11  # a correction this short is the last
POINTS = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0)
SHARES = (0.75, 0.75, -0.3, -0.3, 0.05, 0.05)
SHARES_OF_FOUR = (2.0 / 3.0, 2.0 / 3.0, -1.0 / 6.0, -1.0 / 6.0, 0.0, 0.0)
NEAR = 0.0025  # of the usual pivot: below it the equations are taken from beside, a few times as far
RESOLVED = 2e-12  # circuits that miss each other by less than this in Φ, in coordinates, are taken to cross
FLOOR = 4e-16  # a residual of Φ that is rounding
ROUNDING = 1e-14  # what is less than this is no gap
CONVERGED = 2.0  # a curve through six points must be better by this factor than one through four
HALVINGS = 10  # of a step, to the place where B1 turns over


@kernel
def onto(code: i32p, z: f64p) -> None:
    """q onto Φ = 0, as far as Φ is not rounding: over a small pivot, that would lead away again."""
    for _ in range(NEWTON):
        read_rows(code, z)
        if largest_residual(code, z) <= FLOOR:
            break
        dependent_columns(code, z)
        if correct(code, z) < CLOSE:
            break


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
    onto(code, z)


@kernel
def gap(code: i32p, z: f64p) -> f64:
    """By how much Φ = 0 is missed at the place saved, on the curve through points beside it: 0 where branches cross.

    Where lengths are a little off, Φ ≈ x y − ε: two circuits pass each other at √ε and do not meet. Points on either
    side of the place then lie on different ones, and the curve through them misses both, by ε. Less than what the
    curve itself is uncertain by (the difference between six points and four) is nothing.
    """
    n_q = code[NQ]
    six, four = offset(z, code[TOTAL]), offset(z, code[FOUR])
    for i in range(n_q):
        six[i] = 0.0
        four[i] = 0.0
    for point in range(6):
        aside(code, z, POINTS[point] * ASIDE)
        for i in range(n_q):
            six[i] += SHARES[point] * z[1 + i]
            four[i] += SHARES_OF_FOUR[point] * z[1 + i]
    for i in range(n_q):
        z[1 + i] = four[i]
    read_rows(code, z)
    rough = largest_residual(code, z)
    for i in range(n_q):
        z[1 + i] = six[i]
    read_rows(code, z)
    missed = largest_residual(code, z)
    for i in range(n_q):
        z[1 + i] = z[code[SAVED] + i]
    return missed if rough < CONVERGED * missed else 0.0


@kernel
def near_gap(code: i32p, z: f64p) -> f64:
    """The gap at q along the course where B1 is close to singular, as it was found on coming there; else UNKNOWN.

    q is as before; rows may be those of another place.
    """
    notes = offset(z, code[NOTES])
    if notes[PIVOT] >= NEAR * notes[USUAL_PIVOT]:
        notes[GAP] = UNKNOWN
    elif notes[GAP] == UNKNOWN:
        for i in range(code[NQ]):
            z[code[SAVED] + i] = z[1 + i]
        notes[GAP] = gap(code, z)
    return notes[GAP]


@kernel
def determinant(m: i64, A: f64p, order: f64p) -> f64:
    """det B1, from its factors."""
    product = 1.0
    for k in range(m):
        product = product * A[k * m + k] if order[k] == float(k) else -product * A[k * m + k]
    return product


@kernel
def side(code: i32p, z: f64p) -> f64:
    """The sign of det B1."""
    m, A, order, sign = code[M], offset(z, code[B1]), offset(z, code[ORDER]), 1.0
    for k in range(m):
        sign = -sign if A[k * m + k] < 0.0 else sign
        sign = -sign if order[k] != float(k) else sign
    return sign


@kernel
def turned_over(code: i32p, z: f64p) -> f64:
    """The gap at the place between the last q and this one where B1 turns over."""
    n_q, n = code[NQ], code[N]
    low, high, course, u = offset(z, code[SAVED]), offset(z, code[HIGH]), offset(z, code[COURSE]), offset(z, code[U])
    largest = 0.0
    for j in range(n):
        largest = maximum(largest, fabs(u[j]))
    for j in range(n):
        course[j] = u[j] if largest > 0.0 else course[j]
    for i in range(n_q):
        low[i] = z[code[LAST] + i]
        high[i] = z[1 + i]
    for _ in range(HALVINGS):
        for i in range(n_q):
            z[1 + i] = 0.5 * (low[i] + high[i])
        onto(code, z)
        read_rows(code, z)
        here = side(code, z)
        for i in range(n_q):
            if here == z[code[NOTES] + SIDE]:
                low[i] = z[1 + i]
            else:
                high[i] = z[1 + i]
    return gap(code, z)


@kernel
def leaves_circuit(code: i32p, z: f64p) -> i64:
    """1 where the step from the last q to this one leads to another circuit; else this one is the last q from now on.

    Rows, D and all speeds are known at q, before and after.
    """
    n_q, notes, last, now = code[NQ], offset(z, code[NOTES]), offset(z, code[LAST]), offset(z, code[NOW])
    here = side(code, z)
    if notes[SIDE] * here < 0.0:
        for i in range(n_q):
            now[i] = z[1 + i]
        missed = turned_over(code, z)
        for i in range(n_q):
            z[1 + i] = now[i]
        read_rows(code, z)
        dependent_columns(code, z)
        if missed > RESOLVED:
            return 1
        if missed > ROUNDING:
            notes[UNRESOLVED] = maximum(notes[UNRESOLVED], missed)
    notes[SIDE] = here
    for i in range(n_q):
        last[i] = z[1 + i]
    return 0
