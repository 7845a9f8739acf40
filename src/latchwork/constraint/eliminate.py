"""B1 X = R on the graph by elimination, pivots chosen on numbers: for rows too many for cofactors."""

from __future__ import annotations

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ZERO

SPARSE = 0.1  # of the largest number left: a pivot this large is good, and the one that fills in least is taken


def eliminate(g: Graph, A: list[list[int]], R: list[list[int]], numbers: Array) -> list[list[int]]:
    """X of A X = R; A is square and regular where its numbers are these. Zeros stay zeros while they can."""
    n, width = len(A), len(R[0]) if R else 0
    A, R, values = [list(row) for row in A], [list(row) for row in R], np.array(numbers, dtype=float)
    rows, columns = list(range(n)), list(range(n))
    order: list[tuple[int, int]] = []
    while rows:
        i, j = _pivot(A, values, rows, columns)
        order.append((i, j))
        rows.remove(i)
        columns.remove(j)
        for k in rows:
            if A[k][j] == ZERO:
                continue
            factor = g.div(A[k][j], A[i][j])
            values[k] -= values[k, j] / values[i, j] * values[i]
            for c in columns:
                if A[i][c] != ZERO:
                    A[k][c] = g.sub(A[k][c], g.mul(factor, A[i][c]))
            for c in range(width):
                if R[i][c] != ZERO:
                    R[k][c] = g.sub(R[k][c], g.mul(factor, R[i][c]))
    X = [[ZERO] * width for _ in range(n)]
    for position in range(n - 1, -1, -1):
        i, j = order[position]
        for c in range(width):
            total = R[i][c]
            for _, later in order[position + 1 :]:
                if A[i][later] != ZERO and X[later][c] != ZERO:
                    total = g.sub(total, g.mul(A[i][later], X[later][c]))
            X[j][c] = g.div(total, A[i][j]) if total != ZERO else ZERO
    return X


def _pivot(A: list[list[int]], values: Array, rows: list[int], columns: list[int]) -> tuple[int, int]:
    """Among the large entries the one whose row and column have the fewest others (Markowitz)."""
    part = np.abs(values[np.ix_(rows, columns)])
    large = part >= SPARSE * part.max()
    filled = np.array([[A[i][j] != ZERO for j in columns] for i in rows])
    cost = (filled.sum(axis=1)[:, None] - 1) * (filled.sum(axis=0)[None, :] - 1)
    cost = np.where(large & filled, cost, np.iinfo(np.int64).max)
    best = np.argwhere(cost == cost.min())
    a, b = max(best.tolist(), key=lambda ab: part[ab[0], ab[1]])
    return rows[a], columns[b]
