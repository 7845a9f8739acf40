"""A basis N of the null space of A (m × n), and γ with A γ = −a, as kernels: four ways.  [Patoglu §3, refs. 23-25]

N is n × k in an array of n × n, its columns the first k; each function gives k = n − rank. A and a are overwritten.
"""

from __future__ import annotations

from latchwork.algebra.elimination import swap
from latchwork.algebra.factors import eigen, qr, reflect, svd
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset
from latchwork.program.scalar import maximum

SQUARED = 1e-14  # eigenvalues of AᵀA below this part of the largest cannot be told from zero


@kernel
def by_svd(n: i64, m: i64, cut: f64, A: f64p, a: f64p, N: f64p, gamma: f64p, work: f64p) -> i64:
    """``A = U Σ Vᵀ``: N the columns of V with σ = 0, ``γ = −V₁ Σ⁻¹ U₁ᵀ a``; work of n² + n. Gives k."""
    V, s = work, offset(work, n * n)
    svd(m, n, A, V, s)
    largest = 0.0
    for j in range(n):
        largest = maximum(largest, s[j])
        gamma[j] = 0.0
    k = 0
    for j in range(n):
        if s[j] > cut * cut * largest:
            total = 0.0
            for i in range(m):
                total += A[i * n + j] * a[i]
            part = divide(total, s[j])
            for i in range(n):
                gamma[i] -= part * V[i * n + j]
        else:
            for i in range(n):
                N[i * n + k] = V[i * n + j]
            k += 1
    return k


@kernel
def by_qr(n: i64, m: i64, cut: f64, A: f64p, a: f64p, N: f64p, gamma: f64p, work: f64p) -> i64:
    """``Aᵀ Π = Q R``: N the last columns of Q, ``γ = −Q₁ R₁₁⁻ᵀ a`` of the rows kept; work of n m + 2 m + n. Gives k."""
    Q, tau, p, x = work, offset(work, n * m), offset(work, n * m + m), offset(work, n * m + 2 * m)
    for i in range(m):
        for j in range(n):
            Q[j * m + i] = A[i * n + j]
    rank = qr(n, m, cut, Q, tau, p, N)
    for i in range(n):
        gamma[i] = 0.0
    for i in range(rank):
        total = -a[int(p[i])]
        for j in range(i):
            total -= Q[j * m + i] * gamma[j]
        gamma[i] = divide(total, Q[i * m + i])
    for l in range(rank - 1, -1, -1):
        reflect(n, m, l, Q, tau, gamma)
    for j in range(n - rank):
        for i in range(n):
            x[i] = 1.0 if i == rank + j else 0.0
        for l in range(rank - 1, -1, -1):
            reflect(n, m, l, Q, tau, x)
        for i in range(n):
            N[i * n + j] = x[i]
    return n - rank


@kernel
def by_gauss(n: i64, m: i64, cut: f64, A: f64p, a: f64p, N: f64p, gamma: f64p, work: f64p) -> i64:
    """``A → [I, −D]`` by complete pivoting: N stacks I and D, ``γ_dep = −B₁⁻¹ a``; work of n. Gives k."""
    first, rank = 0.0, 0
    for j in range(n):
        work[j] = -1.0  # the row in which a speed is solved for
    while rank < m and rank < n:
        row, column, size = rank, 0, 0.0
        for i in range(rank, m):
            for j in range(n):
                if work[j] < 0.0 and fabs(A[i * n + j]) > size:
                    row, column, size = i, j, fabs(A[i * n + j])
        first = size if rank == 0 else first
        if not (size > cut * first and size > 0.0):
            break
        pivot = A[row * n + column]
        swap(a, row, rank)
        a[rank] = divide(a[rank], pivot)
        for j in range(n):
            swap(A, row * n + j, rank * n + j)
            A[rank * n + j] = divide(A[rank * n + j], pivot)
        for i in range(m):
            part = A[i * n + column]
            if i != rank and part != 0.0:
                a[i] -= part * a[rank]
                for j in range(n):
                    A[i * n + j] -= part * A[rank * n + j]
        work[column] = float(rank)
        rank += 1
    k = 0
    for j in range(n):
        if work[j] < 0.0:
            for i in range(n):
                N[i * n + k] = 1.0 if i == j else (-A[int(work[i]) * n + j] if work[i] >= 0.0 else 0.0)
            k += 1
        gamma[j] = -a[int(work[j])] if work[j] >= 0.0 else 0.0
    return k


@kernel
def by_eigenvalues(n: i64, m: i64, cut: f64, A: f64p, a: f64p, N: f64p, gamma: f64p, work: f64p) -> i64:
    """``AᵀA V = V Λ``: N the columns of V with λ = 0, ``γ = −V₁ Λ₁⁻¹ V₁ᵀ Aᵀ a``; work of 2 n². Gives k.

    Squares are formed: what is smaller than 10⁻⁷ of the largest singular value cannot be told from zero.
    """
    S, V = work, offset(work, n * n)
    for i in range(n):
        for j in range(n):
            total = 0.0
            for l in range(m):
                total += A[l * n + i] * A[l * n + j]
            S[i * n + j] = total
    eigen(n, S, V)
    largest = 0.0
    for j in range(n):
        largest = maximum(largest, S[j * n + j])
        gamma[j] = 0.0
    k = 0
    for j in range(n):
        if S[j * n + j] > maximum(cut * cut, SQUARED) * largest:
            total = 0.0
            for l in range(m):
                row = 0.0
                for i in range(n):
                    row += A[l * n + i] * V[i * n + j]
                total += row * a[l]
            part = divide(total, S[j * n + j])
            for i in range(n):
                gamma[i] -= part * V[i * n + j]
        else:
            for i in range(n):
                N[i * n + k] = V[i * n + j]
            k += 1
    return k
