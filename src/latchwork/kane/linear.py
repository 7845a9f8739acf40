"""Linear equations on the graph: small blocks solved literally, symmetric positive ones by elimination."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ZERO

PIVOT = 1e-9  # relative to the largest value: smaller constants are no pivots
ORTHOGONAL = 1e-12  # products of rows, relative to their squares, at a random state

Rows = list[list[int]]
Simplify = Callable[[list[int]], list[int]]


class Massless(ArithmeticError):
    """The pivot of unknown ``k`` vanishes identically."""

    def __init__(self, k: int) -> None:
        super().__init__(k)
        self.k = k


def solve_ltdl(g: Graph, M: Sequence[Sequence[int]], f: Sequence[int]) -> list[int]:
    """x of M x = f by M = Lᵀ D L, unknowns eliminated from the last to the first.

    For a tree whose speeds are numbered outward no zero of M is filled in. M must be symmetric and positive; nothing is
    pivoted, so a vanishing pivot shows up as a division by zero in the numbers, never as a wrong formula.
    """
    return solve_factored(g, *factor_ltdl(g, M), f)


def factor_ltdl(g: Graph, M: Sequence[Sequence[int]]) -> tuple[Rows, list[int]]:
    """L (the unit diagonal left out) and D of M = Lᵀ D L."""
    n = len(M)
    sub, mul, div = g.sub, g.mul, g.div
    H = [list(row) for row in M]
    L: Rows = [[ZERO] * n for _ in range(n)]
    for k in range(n - 1, -1, -1):
        row = H[k]
        if row[k] == ZERO:
            raise Massless(k)
        active = [i for i in range(k) if row[i] != ZERO]
        for i in active:
            a = L[k][i] = div(row[i], row[k])
            for j in active:
                if j <= i:
                    H[i][j] = sub(H[i][j], mul(a, row[j]))
    return L, [H[k][k] for k in range(n)]


def solve_factored(g: Graph, L: Rows, D: Sequence[int], f: Sequence[int]) -> list[int]:
    """x of Lᵀ D L x = f."""
    n, x = len(f), list(f)
    sub, mul = g.sub, g.mul
    active = [[i for i in range(k) if L[k][i] != ZERO] for k in range(n)]
    for k in range(n - 1, -1, -1):
        if x[k] != ZERO:
            for i in active[k]:
                x[i] = sub(x[i], mul(L[k][i], x[k]))
    y = [g.div(x[k], D[k]) for k in range(n)]
    for k in range(n):
        for i in active[k]:
            y[k] = sub(y[k], mul(L[k][i], y[i]))
    return y


def solve_small(g: Graph, A: Rows, b: list[int], numbers: np.ndarray, simplify: Simplify) -> list[int]:
    """x of A x = b, literally: unknowns that stand alone first, then blocks.

    Blocks of two and three are solved by cofactors, larger ones by transposing where their rows are orthogonal (judged
    on ``numbers``, the values of A at a random state), else by elimination with constant pivots and least squares:
    nothing is divided by that vanishes where A is regular.
    """
    n = len(b)
    x = [ZERO] * n
    rows, columns = set(range(n)), set(range(n))
    A, b = [list(row) for row in A], list(b)
    order: list[tuple[int, int, list[int]]] = []
    while rows:  # a column with one entry left is solved for last, from its row
        found = _column_with_one_entry(A, rows, columns)
        if found is None:
            break
        i, j = found
        order.append((i, j, sorted(columns - {j})))
        rows.discard(i)
        columns.discard(j)
    while rows:
        found = _row_with_one_entry(A, rows, columns)
        if found is None:
            break
        i, j = found
        x[j] = g.div(b[i], A[i][j])
        rows.discard(i)
        columns.discard(j)
        for k in rows:
            b[k] = g.sub(b[k], g.mul(A[k][j], x[j]))
    for block_rows, block_columns in _blocks(A, sorted(rows), sorted(columns)):
        part = _solve_block(g, A, b, block_rows, block_columns, numbers, simplify)
        for j, value in zip(block_columns, part, strict=True):
            x[j] = value
    for i, j, others in reversed(order):
        total = b[i]
        for k in others:
            total = g.sub(total, g.mul(A[i][k], x[k]))
        x[j] = g.div(total, A[i][j])
    return x


def _column_with_one_entry(A: Rows, rows: set[int], columns: set[int]) -> tuple[int, int] | None:
    for j in sorted(columns):
        entries = [i for i in rows if A[i][j] != ZERO]
        if len(entries) == 1:
            return entries[0], j
    return None


def _row_with_one_entry(A: Rows, rows: set[int], columns: set[int]) -> tuple[int, int] | None:
    for i in sorted(rows):
        entries = [j for j in columns if A[i][j] != ZERO]
        if len(entries) == 1:
            return i, entries[0]
    return None


def _blocks(A: Rows, rows: list[int], columns: list[int]) -> list[tuple[list[int], list[int]]]:
    """Connected components of the bipartite graph of rows and columns."""
    blocks, left = [], set(rows)
    while left:
        block, frontier = set[int](), {min(left)}
        touched: set[int] = set()
        while frontier:
            i = frontier.pop()
            block.add(i)
            fresh = {j for j in columns if A[i][j] != ZERO} - touched
            touched |= fresh
            frontier |= {k for k in left - block if any(A[k][j] != ZERO for j in fresh)}
        blocks.append((sorted(block), sorted(touched)))
        left -= block
    return blocks


def _solve_block(g: Graph, A: Rows, b: list[int], rows: list[int], columns: list[int], numbers: np.ndarray,
                 simplify: Simplify) -> list[int]:  # fmt: skip
    block = [[A[i][j] for j in columns] for i in rows]
    rhs = [b[i] for i in rows]
    if len(rows) <= 3:
        return _by_cofactors(g, block, rhs, simplify)
    values = numbers[np.ix_(rows, columns)]
    products = values @ values.T
    if np.abs(products - np.diag(np.diag(products))).max() < ORTHOGONAL * np.abs(products).max():
        return _by_transposing(g, block, rhs, simplify)
    return _by_elimination(g, block, rhs, values, simplify)


def determinant(g: Graph, A: Rows) -> int:
    """Laplace's expansion; for blocks of at most three."""
    if len(A) == 1:
        return A[0][0]
    total = ZERO
    for j in range(len(A)):
        minor = [row[:j] + row[j + 1 :] for row in A[1:]]
        term = g.mul(A[0][j], determinant(g, minor)) if A[0][j] != ZERO else ZERO
        total = g.add(total, term) if j % 2 == 0 else g.sub(total, term)
    return total


def _by_cofactors(g: Graph, A: Rows, b: list[int], simplify: Simplify) -> list[int]:
    """Cramer's rule."""
    n = len(b)
    replaced = [[[b[i] if k == j else A[i][k] for k in range(n)] for i in range(n)] for j in range(n)]
    values = simplify([determinant(g, A), *(determinant(g, matrix) for matrix in replaced)])
    return simplify([g.div(value, values[0]) for value in values[1:]])


def _by_transposing(g: Graph, A: Rows, b: list[int], simplify: Simplify) -> list[int]:
    """x = Aᵀ D⁻¹ b where A Aᵀ = D is diagonal, as it is for Euler parameters; nothing is divided by but lengths."""
    n = len(b)
    squares = [ZERO] * n
    for i, row in enumerate(A):
        for entry in row:
            squares[i] = g.add(squares[i], g.mul(entry, entry))
    shares = [g.div(value, square) for value, square in zip(b, simplify(squares), strict=True)]
    x = [ZERO] * n
    for i, row in enumerate(A):
        for j, entry in enumerate(row):
            x[j] = g.add(x[j], g.mul(entry, shares[i]))
    return simplify(x)


def _by_elimination(g: Graph, A: Rows, b: list[int], numbers: np.ndarray, simplify: Simplify) -> list[int]:
    """Constants as pivots while there are any, for they never vanish; then what is left of the block."""
    n = len(b)
    A, b, x = [list(row) for row in A], list(b), [ZERO] * n
    rows, columns = set(range(n)), set(range(n))
    least = PIVOT * float(np.abs(numbers).max())
    solved: list[tuple[int, int, list[int]]] = []
    while True:
        sizes = {(i, j): abs(g.value(A[i][j])) for i in sorted(rows) for j in sorted(columns) if A[i][j] < 0}
        i, j = max(sizes, key=lambda ij: sizes[ij], default=(-1, -1))
        if sizes.get((i, j), 0.0) <= least:
            break
        rows.discard(i)
        columns.discard(j)
        solved.append((i, j, sorted(columns)))
        for k in rows:
            if A[k][j] != ZERO:
                factor = g.div(A[k][j], A[i][j])
                b[k] = g.sub(b[k], g.mul(factor, b[i]))
                for m in columns:
                    A[k][m] = g.sub(A[k][m], g.mul(factor, A[i][m]))
    left, open_columns = sorted(rows), sorted(columns)
    remaining = [[A[i][j] for j in open_columns] for i in left]
    write = _by_cofactors if len(left) <= 3 else _by_least_squares
    for j, value in zip(open_columns, write(g, remaining, [b[i] for i in left], simplify) if left else [], strict=True):
        x[j] = value
    for i, j, others in reversed(solved):
        total = b[i]
        for m in others:
            total = g.sub(total, g.mul(A[i][m], x[m]))
        x[j] = g.div(total, A[i][j])
    return x


def _by_least_squares(g: Graph, A: Rows, b: list[int], simplify: Simplify) -> list[int]:
    """Aᵀ A x = Aᵀ b: its pivots are positive wherever A is regular, so that none is chosen and none vanishes."""
    n = len(b)
    squares = [[ZERO] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            for row in A:
                squares[i][j] = g.add(squares[i][j], g.mul(row[i], row[j]))
            squares[j][i] = squares[i][j]
    right = [ZERO] * n
    for j in range(n):
        for row, value in zip(A, b, strict=True):
            right[j] = g.add(right[j], g.mul(row[j], value))
    return solve_ltdl(g, squares, right)
