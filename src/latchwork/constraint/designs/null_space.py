"""Design II: a basis N of the null space of B, found anew at every state.  [Patoglu §3, Eq. 10; Kelly Eq. 24]

    B N = 0,   u̇ = N (Nᵀ M N)⁻¹ Nᵀ (f − M γ) + γ,   B γ = −c

Four ways to N, in the weighed form of `metric`: singular values, Householder QR of Bᵀ, Gauss triangularization, and the
zero eigenvalues of BᵀB (Kamman and Huston 1984). γ = −B⁺ c is of least norm, but for Gauss, whose independent speeds
have none. Redundant rows leave more columns in N; where none are left, u̇ = γ.
"""

from __future__ import annotations

from latchwork.algebra.elimination import lu, lu_solve
from latchwork.constraint.designs.metric import CUT, room, times, unweigh, weighed
from latchwork.constraint.designs.null_space_bases import by_eigenvalues, by_gauss, by_qr, by_svd
from latchwork.program.kernel import f64p, i64, kernel, offset, specialised


@kernel
def reduced(n: i64, k: i64, K: f64p, g: f64p, N: f64p, gamma: f64p, x: f64p, work: f64p) -> None:
    """``x = N (NᵀKN)⁻¹ Nᵀ(g − Kγ) + γ``; work of n k + k² + 2k + n."""
    KN, small, y, p = work, offset(work, n * k), offset(work, n * k + k * k), offset(work, n * k + k * k + k)
    rest = offset(work, n * k + k * k + 2 * k)
    times(n, n, K, gamma, rest)
    for i in range(n):
        rest[i] = g[i] - rest[i]
        for j in range(k):
            total = 0.0
            for l in range(n):
                total += K[i * n + l] * N[l * n + j]
            KN[i * k + j] = total
    for i in range(k):
        y[i] = 0.0
        for l in range(n):
            y[i] += N[l * n + i] * rest[l]
        for j in range(k):
            total = 0.0
            for l in range(n):
                total += N[l * n + i] * KN[l * k + j]
            small[i * k + j] = total
    lu(k, small, p)
    lu_solve(k, small, p, y)
    for i in range(n):
        x[i] = gamma[i]
        for j in range(k):
            x[i] += N[i * n + j] * y[j]


@kernel
def finish(n: i64, m: i64, k: i64, work: f64p, udot: f64p) -> None:
    """u̇ from N and γ."""
    K, g, w = offset(work, m * n + m), offset(work, m * n + m + n * n), offset(work, m * n + m + n * n + n)
    N, gamma = offset(work, room(n, m)), offset(work, room(n, m) + n * n)
    x, rest = offset(work, room(n, m) + n * n + n), offset(work, room(n, m) + n * n + 2 * n)
    reduced(n, k, K, g, N, gamma, x, rest)
    unweigh(n, w, x, udot)


def work_size(n: int, m: int) -> int:
    """Workspace of the four designs: the weighed problem, N, γ, x, and the largest need of their parts."""
    return room(n, m) + n * n + 2 * n + max(2 * n * n + 3 * n, n * m + 2 * m + n)


@kernel
def solve_svd(
    n: i64, m: i64, M: f64p, f: f64p, B: f64p, c: f64p, psi: f64p, phi: f64p, settings: f64p, udot: f64p, work: f64p,
) -> None:  # fmt: skip
    """u̇ with N by singular values."""
    weighed(n, m, M, f, B, c, psi, phi, settings, work)
    N, gamma = offset(work, room(n, m)), offset(work, room(n, m) + n * n)
    rest = offset(work, room(n, m) + n * n + 2 * n)
    k = by_svd(n, m, settings[CUT], work, offset(work, m * n), N, gamma, rest)
    finish(n, m, k, work, udot)


solve_qr = specialised(solve_svd, __name__, "solve_qr", by_svd=by_qr)  # N by Householder QR of Bᵀ with pivoting,
solve_gauss = specialised(solve_svd, __name__, "solve_gauss", by_svd=by_gauss)  # by Gauss with complete pivoting,
solve_eigenvalues = specialised(solve_svd, __name__, "solve_eigenvalues", by_svd=by_eigenvalues)  # by those that are 0
