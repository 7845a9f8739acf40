"""Small square matrices of expressions: solved, and told whether they are positive."""

from __future__ import annotations

from latchwork.symbolic.expr import Expr, minimum

Square = list[list[Expr]]
Column = list[Expr]


def determinant(A: Square) -> Expr:
    """det A, of one row or two."""
    return A[0][0] if len(A) == 1 else A[0][0] * A[1][1] - A[0][1] * A[1][0]


def adjugated(A: Square) -> Square:
    """det A · A⁻¹, of one row or two."""
    if len(A) == 1:
        return [[A[0][0] * 0.0 + 1.0]]
    return [[A[1][1], -A[0][1]], [-A[1][0], A[0][0]]]


def positive(A: Square, metric: Square) -> Expr:
    """A number that is positive where a symmetric A is, and falls to zero with it: the lesser of det and half the trace
    of metric⁻¹ A."""
    area = determinant(metric)
    if len(A) == 1:
        return A[0][0] / area
    back = adjugated(metric)
    trace = sum((back[i][j] * A[j][i] for i in range(2) for j in range(2)), start=area * 0.0)
    return minimum(determinant(A) / area, 0.5 * trace / area)


def solved(J: Square, b: Column) -> Column:
    """x of J x = b: by Cramer's rule up to two rows, beyond with the first two eliminated together."""
    if len(b) <= 2:
        det = determinant(J)
        return [e / det for e in _times(adjugated(J), b)]
    P, Q = [row[:2] for row in J[:2]], [row[2:] for row in J[:2]]
    R, S = [row[:2] for row in J[2:]], [row[2:] for row in J[2:]]
    aside = [solved(P, [row[k] for row in Q]) for k in range(len(S))]  # columns of P⁻¹ Q
    first = solved(P, b[:2])
    rest = range(len(S))
    left = [[S[i][k] - _dot(R[i], aside[k]) for k in rest] for i in rest]
    y = solved(left, [b[2 + i] - _dot(R[i], first) for i in rest])
    x = [first[i] - _dot([column[i] for column in aside], y) for i in range(2)]
    return [*x, *y]


def _dot(a: Column, b: Column) -> Expr:
    return sum((x * y for x, y in zip(a[1:], b[1:], strict=True)), start=a[0] * b[0])


def _times(A: Square, b: Column) -> Column:
    return [_dot(row, b) for row in A]
