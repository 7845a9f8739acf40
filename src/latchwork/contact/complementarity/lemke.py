"""Lemke's method: w = M z + q, w ≥ 0, z ≥ 0, wᵀz = 0, by pivots along a path that cannot cycle.

[Cottle, Pang, Stone 1992, 4.4].  Where M is copositive the path ends at a solution or shows that there is none; else
it may end on a ray although there is one.

The table holds x_B = table x_N + value + ε spread, a row for each basic variable and the columns (M, cover, q, spread);
w_i is i, z_i is n + i, z_0 is 2 n. ``spread`` breaks ties as a perturbation of q would, and adds nothing to the
solution.
"""

from __future__ import annotations

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.program.kernel import divide, f64, f64p, floor, i64, i64p, kernel
from latchwork.program.native import briefly
from latchwork.program.scalar import maximum

PIVOT = 1e-10  # entries below this are rounding
TIE = 1e-11
GOLDEN = 0.6180339887498949  # multiples of it leave even gaps


@kernel
def scattered(i: i64, turn: i64) -> f64:
    """A number in [0, 1) for each index, spread evenly."""
    x = float((i + 1) * (2 * turn + 1)) * GOLDEN
    return x - floor(x)


@kernel
def exchange(rows: i64, columns: i64, row: i64, column: i64, table: f64p) -> None:
    """x_row = Σ table x_N, solved for the variable of ``column`` and put into the other rows."""
    scale = table[row * columns + column]
    for j in range(columns):
        table[row * columns + j] = divide(table[row * columns + j], -scale)
    table[row * columns + column] = divide(1.0, scale)
    for i in range(rows):
        if i != row:
            ahead = table[i * columns + column]
            table[i * columns + column] = 0.0
            for j in range(columns):
                table[i * columns + j] += ahead * table[row * columns + j]


@kernel
def blocking_row(n: i64, table: f64p, basic: i64p, column: i64) -> i64:
    """The row that first reaches zero as the variable of ``column`` grows; of equal ones z_0, then the least spread;
    −1 for none."""
    wide, least, row, best = n + 3, -1.0, -1, 0.0
    for i in range(n):
        rate = -table[i * wide + column]
        if rate > PIVOT:
            ratio = divide(maximum(table[i * wide + n + 1], 0.0), rate)
            least = ratio if least < 0.0 or ratio < least else least
    for i in range(n):
        rate = -table[i * wide + column]
        if rate > PIVOT and divide(maximum(table[i * wide + n + 1], 0.0), rate) <= least * (1.0 + TIE) + TIE:
            if basic[i] == 2 * n:
                return i
            slope = divide(table[i * wide + n + 2], rate)
            if row < 0 or slope < best:
                row, best = i, slope
    return row


@kernel
def complementary_path(n: i64, most: i64, table: f64p, basic: i64p, outside: i64p) -> i64:
    """The path from a table whose columns M, cover and q are filled; gives how many pivots led to a solution, or −1 for
    none: z_i is the value in the row whose basic variable is n + i."""
    wide, row, column = n + 3, -1, n
    lowest = 0.0
    for i in range(n):
        basic[i], outside[i] = i, n + i
        table[i * wide + n + 2] = 1.0 + scattered(i, 0)
        ratio = divide(table[i * wide + n + 1], table[i * wide + n])
        if ratio < lowest:
            row, lowest = i, ratio
    outside[n] = 2 * n
    if row < 0:
        return 0
    for count in range(most):
        exchange(n, wide, row, column, table)
        left = basic[row]
        basic[row], outside[column] = outside[column], left
        if left == 2 * n:
            return count + 1
        for j in range(n + 1):
            if outside[j] == (left + n if left < n else left - n):
                column = j
        row = blocking_row(n, table, basic, column)
        if row < 0:
            return -1
    return -1


def lemke(M: Array, q: Array, most: int | None = None) -> tuple[Array | None, int]:
    """z, or None where the path ends on a ray, and how many pivots it took (−1 where it ends on a ray)."""
    n = len(q)
    table = np.column_stack((M, np.ones(n), q, np.zeros(n)))
    basic, outside = np.empty(n, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    count = briefly(complementary_path, n, most or 50 * n + 50, table, basic, outside)
    z = np.zeros(2 * n + 1)
    z[basic] = table[:, n + 1]
    return (None if count < 0 else np.maximum(z[n : 2 * n], 0.0)), count
