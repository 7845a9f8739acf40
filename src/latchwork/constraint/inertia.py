"""Inertia at one state, as kernels: M from its packed half, M⁻¹, and uᵀ M u."""

from __future__ import annotations

from latchwork.algebra.elimination import lu_in_units, lu_solve
from latchwork.program.kernel import divide, f64, f64p, i64, kernel, offset, sqrt
from latchwork.program.scalar import minimum

REGULAR = 1e-12  # pivots of M, whose diagonal is made 1: below it M is close to singular


@kernel
def is_regular(pivot: f64, diagonal: f64) -> i64:
    """1 where a pivot of M is not small beside its diagonal entry."""
    return 1 if pivot > REGULAR * diagonal else 0


@kernel
def unpack(n: i64, packed: f64p, M: f64p) -> None:
    """A symmetric matrix from its lower triangle, row by row."""
    for i in range(n):
        for j in range(i + 1):
            M[i * n + j] = packed[i * (i + 1) // 2 + j]
            M[j * n + i] = packed[i * (i + 1) // 2 + j]


@kernel
def invert(n: i64, M: f64p, inverse: f64p, work: f64p) -> i64:
    """M⁻¹ in the place of the inertias of the speeds, whose roots measure these; 0 where M is close to singular."""
    factors, order, column, row = work, offset(work, n * n), offset(work, n * n + n), inverse
    for i in range(n):
        if not row[i] > 0.0:
            return 0
        row[i] = sqrt(row[i])
        column[i] = row[i]
    for i in range(n * n):
        factors[i] = M[i]
    if n > 0 and not lu_in_units(n, factors, order, row, column) > REGULAR:
        return 0
    for j in range(n):
        for i in range(n):
            column[i] = 1.0 if i == j else 0.0
        lu_solve(n, factors, order, column)
        for i in range(n):
            inverse[i * n + j] = column[i]
    return 1


@kernel
def least_inertia(n: i64, packed: f64p, L: f64p) -> f64:
    """What is left of the inertia of some speed where those before it move freely, as a part of its own: the least
    L_ii²/M_ii of M = L Lᵀ. 0 where M is singular, but for rounding."""
    least = 1.0
    for i in range(n):
        own = packed[i * (i + 3) // 2]
        for j in range(i):
            total = packed[i * (i + 1) // 2 + j]
            for k in range(j):
                total -= L[i * n + k] * L[j * n + k]
            L[i * n + j] = divide(total, L[j * n + j])
        pivot = own
        for k in range(i):
            pivot -= L[i * n + k] * L[i * n + k]
        if not pivot > 0.0:
            return 0.0
        least = minimum(least, divide(pivot, own))
        L[i * n + i] = sqrt(pivot)
    return least


@kernel
def times(n: i64, a: f64p, b: f64p) -> f64:
    """a · b."""
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@kernel
def square(n: i64, M: f64p, u: f64p) -> f64:
    """uᵀ M u."""
    total = 0.0
    for i in range(n):
        total += u[i] * times(n, offset(M, i * n), u)
    return total
