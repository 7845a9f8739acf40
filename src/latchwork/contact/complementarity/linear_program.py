"""Widest: a small linear program, the largest least margin of planes, as a kernel.

    max m   with   g + H z ≥ m,   w + V z ≥ 0,   m ≤ 1

Its dual has a row for each of (z, m) and a column for each plane, and the last plane, m ≤ 1, is a point to begin from:

    min b · p   with   [−Hᵀ −Vᵀ 0; 1 0 1] p = (0, 1),   p ≥ 0,   b = (g, w, 1)

Simplex on that, by the steepest column; z and m are what its rows are worth. Where it falls without end, no z is on the
right side of V. The right sides of the rows of z are zero, so that many steps lead nowhere, and may go round: after
`DARING` of them right sides are made a little larger, each by another amount [Charnes 1952], and every step falls; what
rows are worth knows nothing of right sides. Where that does not end, `UNENDED` says so, and nothing is taken.
"""

from __future__ import annotations

from latchwork.contact.complementarity.lemke import scattered
from latchwork.program.kernel import divide, f64p, fabs, i64, i64p, kernel, offset

TINY = 1e-11  # of costs that are 1 or so: smaller ones are rounding
PIVOT = 1e-9  # of entries: a smaller one may be rounding, and a step by it makes numbers of nothing
DARING = 200  # steps before right sides are made different
APART = 1e-7  # by so much, up to twice
MAX_PIVOTS = 20_000  # steps
NO_POINT, POINT, UNENDED = 0, 1, -1  # what became of a linear program


@kernel
def unit_column(rows: i64, wide: i64, T: f64p, row: i64, column: i64) -> None:
    """Make a column of T that of a unit vector."""
    own = offset(T, row * wide)
    scale = own[column]
    for j in range(wide):
        own[j] = divide(own[j], scale)
    own[column] = 1.0
    for i in range(rows):
        if i != row:
            other = offset(T, i * wide)
            part = other[column]
            if part != 0.0:
                for j in range(wide):
                    other[j] -= part * own[j]
                other[column] = 0.0


@kernel
def entering(count: i64, cost: f64p) -> i64:
    """The column along which the cost falls most steeply; −1 for none."""
    best, least = -1, -TINY
    for j in range(count):
        if cost[j] < least:
            best, least = j, cost[j]
    return best


@kernel
def set_apart(n: i64, wide: i64, T: f64p) -> None:
    """Right sides a little larger, each by another amount, so that no two rows come to zero at once."""
    for i in range(n):
        T[i * wide + wide - 1] += APART * (1.0 + scattered(i, 0))


@kernel
def leaving(n: i64, wide: i64, T: f64p, basis: i64p, column: i64) -> i64:
    """The row that comes to zero first, of those at once the one of the first column; −1 for none."""
    best, least = -1, 0.0
    for i in range(n):
        entry = T[i * wide + column]
        if basis[i] >= 0 and entry > PIVOT:
            ratio = divide(T[i * wide + wide - 1], entry)
            if best < 0 or ratio < least or (ratio == least and basis[i] < basis[best]):
                best, least = i, ratio
    return best


@kernel
def widest(
    r: i64, planes: i64, sides: i64, g: f64p, H: f64p, w: f64p, V: f64p, T: f64p, basis: i64p, y: f64p,
) -> i64:  # fmt: skip
    """(z, m) into y: `POINT`; `NO_POINT` where there is none. T has room for r + 2 rows of planes + sides + r + 3."""
    n, count = r + 1, planes + sides + 1
    wide = count + n + 1
    cost = offset(T, n * wide)
    for i in range((n + 1) * wide):
        T[i] = 0.0
    for j in range(planes):
        for i in range(r):
            T[i * wide + j] = -H[j * r + i]
        T[r * wide + j], cost[j] = 1.0, g[j]
    for j in range(sides):
        for i in range(r):
            T[i * wide + planes + j] = -V[j * r + i]
        cost[planes + j] = w[j]
    for i in range(n):
        T[i * wide + count + i] = 1.0
    T[r * wide + count - 1], cost[count - 1], T[r * wide + wide - 1] = 1.0, 1.0, 1.0
    unit_column(n + 1, wide, T, r, count - 1)
    basis[r] = count - 1
    for i in range(r):  # rows of z begin at zero, with any column
        column, largest = -1, PIVOT
        for j in range(count):
            if fabs(T[i * wide + j]) > largest:
                column, largest = j, fabs(T[i * wide + j])
        basis[i] = column
        if column >= 0:
            unit_column(n + 1, wide, T, i, column)
    for step in range(MAX_PIVOTS):
        if step == DARING:
            set_apart(n, wide, T)
        column = entering(count, cost)
        if column < 0:
            for i in range(n):
                y[i] = -cost[count + i]
            return POINT
        row = leaving(n, wide, T, basis, column)
        if row < 0:
            return NO_POINT
        unit_column(n + 1, wide, T, row, column)
        basis[row] = column
    return UNENDED
