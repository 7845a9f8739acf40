"""Aghili's projector P = I − A⁺A and Ṗu = −A⁺a as kernels, by singular values and by a pseudoinverse.

On the constraint (A u + C = 0) u̇ has the normal part (I − P) u̇ = Ṗu.  [Aghili Eqs. 4, 13-16] A is overwritten.
"""

from __future__ import annotations

from latchwork.algebra.factors import least_squares, qr, reflect, svd
from latchwork.program.kernel import divide, f64, f64p, i64, kernel, offset
from latchwork.program.scalar import maximum


@kernel
def project_svd(n: i64, m: i64, cut: f64, A: f64p, a: f64p, P: f64p, rate: f64p, work: f64p) -> None:
    """``P = V₂V₂ᵀ`` and ``Ṗu = −V₁ Σ⁻¹ U₁ᵀ a``; work of n² + n."""
    V, s = work, offset(work, n * n)
    svd(m, n, A, V, s)
    largest = 0.0
    for j in range(n):
        largest = maximum(largest, s[j])
        rate[j] = 0.0
    for i in range(n * n):
        P[i] = 0.0
    for l in range(n):
        if s[l] > cut * cut * largest:
            total = 0.0
            for i in range(m):
                total += A[i * n + l] * a[i]
            part = divide(total, s[l])
            for i in range(n):
                rate[i] -= part * V[i * n + l]
        else:
            for i in range(n):
                for j in range(n):
                    P[i * n + j] += V[i * n + l] * V[j * n + l]


@kernel
def project_pseudoinverse(n: i64, m: i64, cut: f64, A: f64p, a: f64p, P: f64p, rate: f64p, work: f64p) -> None:
    """``P = I − A⁺A`` and ``Ṗu = −A⁺a`` with ``A⁺ = Q₁ (R₁ᵀ)⁺ Πᵀ`` of ``AᵀΠ = Q₁R₁``; work of 2 n m + 5 m + 2 n."""
    Q, tau, p = work, offset(work, n * m), offset(work, n * m + m)
    R, b, tail = offset(work, n * m + 2 * m), offset(work, 2 * n * m + 2 * m), offset(work, 2 * n * m + 3 * m)
    for i in range(m):
        for j in range(n):
            Q[j * m + i] = A[i * n + j]
    rank = qr(n, m, cut, Q, tau, p, R)
    for i in range(m):
        b[i] = -a[int(p[i])]
        for j in range(rank):
            R[i * rank + j] = Q[j * m + i] if i >= j else 0.0
    for j in range(n):
        rate[j] = 0.0
    least_squares(m, rank, 0.0, R, tail, offset(tail, m), b, rate)
    for l in range(rank - 1, -1, -1):
        reflect(n, m, l, Q, tau, rate)
    column = offset(tail, 2 * m)
    for j in range(n):
        for i in range(n):
            column[i] = 1.0 if i == j else 0.0
        for l in range(rank):
            reflect(n, m, l, Q, tau, column)
        for i in range(rank):
            column[i] = 0.0
        for l in range(rank - 1, -1, -1):
            reflect(n, m, l, Q, tau, column)
        for i in range(n):
            P[i * n + j] = column[i]
