"""Lemke's method: w = M z + q, w ≥ 0, z ≥ 0, wᵀz = 0, by pivots along a path that cannot cycle.

[Cottle, Pang, Stone 1992, 4.4].  Where M is copositive the path ends at a solution or shows that there is none; else
it may end on a ray although there is one.
"""

from __future__ import annotations

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.program.kernel import divide, f64p, i64, kernel
from latchwork.program.native import briefly

PIVOT = 1e-10  # entries below this are rounding
TIE = 1e-11


@kernel
def pivoted(rows: i64, columns: i64, row: i64, column: i64, table: f64p) -> None:
    """x_row = Σ table x_N, solved for the variable of ``column`` and put into the other rows."""
    pivot = table[row * columns + column]
    for j in range(columns):
        table[row * columns + j] = divide(table[row * columns + j], -pivot)
    table[row * columns + column] = divide(1.0, pivot)
    for i in range(rows):
        if i != row:
            ahead = table[i * columns + column]
            table[i * columns + column] = 0.0
            for j in range(columns):
                table[i * columns + j] += ahead * table[row * columns + j]


def lemke(M: Array, q: Array, cover: Array | None = None, most: int | None = None) -> tuple[Array | None, int]:
    """z, or None where the path ends on a ray, and how many pivots it took.

    The table holds x_B = table x_N + value + ε spread, with ``spread`` drawn once: it breaks ties as a perturbation of
    q would, and adds nothing to the solution.
    """
    n = len(q)
    if not n or q.min() >= 0.0:
        return np.zeros(n), 0
    spread = np.random.default_rng(n).uniform(1.0, 2.0, n)
    cover = np.ones(n) if cover is None else cover
    table = np.column_stack((M, cover, q, spread))
    basic = np.arange(n)  # w_i is i, z_i is n + i, z_0 is 2 n
    outside = np.append(np.arange(n, 2 * n), 2 * n)
    row = int(np.argmin(q / cover))
    column = n
    for count in range(1, (most or 50 * n + 50) + 1):
        left = _exchange(table, basic, outside, row, column)
        if left == 2 * n:
            return _read(table, basic, n), count
        column = int(np.flatnonzero(outside == (left + n if left < n else left - n))[0])
        found = _leaving(table, basic, column, 2 * n)
        if found is None:
            return None, count
        row = found
    return None, count


def _exchange(table: Array, basic: np.ndarray, outside: np.ndarray, row: int, column: int) -> int:
    """The variable of ``row`` leaves, that of ``column`` enters; says which left."""
    briefly(pivoted, *table.shape, row, column, table)
    left = int(basic[row])
    basic[row], outside[column] = outside[column], left
    return left


def _leaving(table: Array, basic: np.ndarray, column: int, last: int) -> int | None:
    """The row that first reaches zero as the variable of ``column`` grows; of equal ones z_0, then the least spread."""
    rate = -table[:, column]
    rows = np.flatnonzero(rate > PIVOT)
    if not len(rows):
        return None
    ratios = np.maximum(table[rows, -2], 0.0) / rate[rows]
    tied = rows[ratios <= ratios.min() * (1.0 + TIE) + TIE]
    if len(tied) == 1:
        return int(tied[0])
    ends = tied[basic[tied] == last]
    return int(ends[0]) if len(ends) else int(tied[np.argmin(table[tied, -1] / rate[tied])])


def _read(table: Array, basic: np.ndarray, n: int) -> Array:
    z = np.zeros(2 * n + 1)
    z[basic] = table[:, -2]
    return np.asarray(np.maximum(z[n : 2 * n], 0.0))
