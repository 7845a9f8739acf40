"""Dense elimination as kernels: LU with row pivots, Cholesky. Matrices are row by row; n may be zero."""

from __future__ import annotations

from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import minimum


@kernel
def lu(n: i64, A: f64p, order: f64p) -> f64:
    """A becomes its factors, P A = L U; ``order`` are the rows taken. Returns the least |u_ii|."""
    least = 1.0e300
    for i in range(n):
        order[i] = float(i)
    for j in range(n):
        best = j
        for i in range(j + 1, n):
            if fabs(A[i * n + j]) > fabs(A[best * n + j]):
                best = i
        if best != j:
            swap(n, offset(A, best * n), offset(A, j * n))
            swap(1, offset(order, best), offset(order, j))
        pivot = A[j * n + j]
        least = minimum(least, fabs(pivot))
        for i in range(j + 1, n):
            if A[i * n + j] != 0.0:
                factor = divide(A[i * n + j], pivot)
                A[i * n + j] = factor
                for c in range(j + 1, n):
                    A[i * n + c] -= factor * A[j * n + c]
    return least


@kernel
def swap(n: i64, a: f64p, b: f64p) -> None:
    """Exchange n numbers."""
    for i in range(n):
        a[i], b[i] = b[i], a[i]


@kernel
def lu_solve(n: i64, A: f64p, order: f64p, b: f64p, x: f64p) -> None:
    """x of A x = b, from the factors; b and x are apart."""
    for i in range(n):
        total = b[int(order[i])]
        for j in range(i):
            total -= A[i * n + j] * x[j]
        x[i] = total
    for step in range(n):
        i = n - 1 - step
        total = x[i]
        for j in range(i + 1, n):
            total -= A[i * n + j] * x[j]
        x[i] = divide(total, A[i * n + i])


@kernel
def lu_solve_transposed(n: i64, A: f64p, order: f64p, b: f64p, x: f64p) -> None:
    """x of Aᵀ x = b, from the factors of A; b is used up."""
    for i in range(n):
        total = b[i]
        for j in range(i):
            total -= A[j * n + i] * b[j]
        b[i] = divide(total, A[i * n + i])
    for step in range(n):
        i = n - 1 - step
        total = b[i]
        for j in range(i + 1, n):
            total -= A[j * n + i] * b[j]
        b[i] = total
    for i in range(n):
        x[int(order[i])] = b[i]


@kernel
def cholesky(n: i64, A: f64p) -> None:
    """The lower triangle of A becomes L, A = L Lᵀ; nan where A is not positive."""
    for j in range(n):
        total = A[j * n + j]
        for c in range(j):
            total -= A[j * n + c] * A[j * n + c]
        root = sqrt(total)
        A[j * n + j] = root
        for i in range(j + 1, n):
            total = A[i * n + j]
            for c in range(j):
                total -= A[i * n + c] * A[j * n + c]
            A[i * n + j] = divide(total, root)


@kernel
def cholesky_solve(n: i64, A: f64p, x: f64p) -> None:
    """x becomes A⁻¹ x, from the factor."""
    for i in range(n):
        total = x[i]
        for j in range(i):
            total -= A[i * n + j] * x[j]
        x[i] = divide(total, A[i * n + i])
    for step in range(n):
        i = n - 1 - step
        total = x[i]
        for j in range(i + 1, n):
            total -= A[j * n + i] * x[j]
        x[i] = divide(total, A[i * n + i])
