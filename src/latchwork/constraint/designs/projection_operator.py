"""Design II: Aghili's projection operator and his three constraint inertia matrices.

    P = I − B⁺B,   Ṗu = −B⁺c  on the constraint (B u + C = 0, c = Ḃu + Ċ),   f and u in the metric of `metric`

    M_c  = M + PM − (PM)ᵀ            M_c  u̇ = P f + M Ṗu               [Aghili Eqs. 22-24]    positive
    M_c' = PMP + (I−P)M(I−P)         M_c' u̇ = P f + (I − 2P) M Ṗu      [Aghili Eqs. 27, 28]   positive and symmetric
    M_c''= PM + γ(I−P)               M_c''u̇ = P f + γ Ṗu               [Aghili Eq. 29]        invertible

P and Ṗu come from singular values (Eqs. 4, 14) or from a pseudoinverse by two orthogonal factorizations (Eqs. 15, 16).
In an orthonormal basis of the tangent and normal spaces the three are [M∥ 2M∥⊥; 0 M⊥], diag(M∥, M⊥) and
[M∥ M∥⊥; 0 γI]: γ is best among the eigenvalues of M∥, and their mean, tr(PM)/tr P, is taken unless one is given.
"""

from __future__ import annotations

from latchwork.algebra.elimination import lu, lu_solve
from latchwork.constraint.designs.metric import CUT, FIRST, room, times, unweigh, weighed
from latchwork.constraint.designs.projector import project_pseudoinverse, project_svd
from latchwork.program.kernel import Kernel, divide, f64, f64p, i64, kernel, offset, specialised


@kernel
def products(n: i64, K: f64p, g: f64p, P: f64p, rate: f64p, PM: f64p, forced: f64p, carried: f64p) -> None:
    """``P M``, ``P f`` and ``M Ṗu``."""
    for i in range(n):
        for j in range(n):
            total = 0.0
            for l in range(n):
                total += P[i * n + l] * K[l * n + j]
            PM[i * n + j] = total
    times(n, n, P, g, forced)
    times(n, n, K, rate, carried)


@kernel
def skew(n: i64, gamma: f64, K: f64p, P: f64p, PM: f64p, rate: f64p, carried: f64p, Mc: f64p, x: f64p) -> None:
    """``M_c = M + PM − (PM)ᵀ``; adds ``M Ṗu`` to x.  [Aghili Eqs. 22-24]"""
    for i in range(n):
        x[i] += carried[i]
        for j in range(n):
            Mc[i * n + j] = K[i * n + j] + PM[i * n + j] - PM[j * n + i]


@kernel
def symmetric(n: i64, gamma: f64, K: f64p, P: f64p, PM: f64p, rate: f64p, carried: f64p, Mc: f64p, x: f64p) -> None:
    """``M_c' = PMP + (I−P)M(I−P) = M − PM − (PM)ᵀ + 2 PMP``; adds ``(I − 2P) M Ṗu`` to x.  [Aghili Eqs. 27, 28]"""
    for i in range(n):
        x[i] += carried[i]
        for j in range(n):
            x[i] -= 2.0 * P[i * n + j] * carried[j]
            total = 0.0
            for l in range(n):
                total += PM[i * n + l] * P[l * n + j]
            Mc[i * n + j] = K[i * n + j] - PM[i * n + j] - PM[j * n + i] + 2.0 * total


@kernel
def mean(n: i64, gamma: f64, P: f64p, PM: f64p) -> f64:
    """γ as given where it is positive, else tr(PM)/tr P; 1 where nothing can move."""
    top, bottom = 0.0, 0.0
    for i in range(n):
        top += PM[i * n + i]
        bottom += P[i * n + i]
    if gamma > 0.0:
        return gamma
    return divide(top, bottom) if bottom > 0.5 else 1.0


@kernel
def scalar(n: i64, gamma: f64, K: f64p, P: f64p, PM: f64p, rate: f64p, carried: f64p, Mc: f64p, x: f64p) -> None:
    """``M_c'' = PM + γ(I−P)``; adds ``γ Ṗu`` to x.  [Aghili Eq. 29]"""
    factor = mean(n, gamma, P, PM)
    for i in range(n):
        x[i] += factor * rate[i]
        for j in range(n):
            Mc[i * n + j] = PM[i * n + j] + factor * ((1.0 if i == j else 0.0) - P[i * n + j])


def work_size(n: int, m: int) -> int:
    """Workspace of the six designs: the weighed problem, P, PM, M_c, four columns, and what P itself needs."""
    return room(n, m) + 3 * n * n + 4 * n + max(n * n + n, 2 * n * m + 5 * m + 2 * n)


@kernel
def multiplied(n: i64, m: i64, work: f64p) -> None:
    """P M, P f and M Ṗu in their places."""
    K, P = offset(work, m * n + m), offset(work, room(n, m))
    columns = offset(P, 3 * n * n)  # Ṗu, P f, M Ṗu
    products(n, K, offset(K, n * n), P, columns, offset(P, n * n), offset(columns, n), offset(columns, 2 * n))


@kernel
def finish(n: i64, m: i64, work: f64p, udot: f64p) -> None:
    """``u̇ = M_c⁻¹ x``."""
    Mc, x = offset(work, room(n, m) + 2 * n * n), offset(work, room(n, m) + 3 * n * n + n)
    p = offset(x, 2 * n)
    lu(n, Mc, p)
    lu_solve(n, Mc, p, x)
    unweigh(n, offset(work, m * n + m + n * n + n), x, udot)


@kernel
def solve_skew_svd(
    n: i64, m: i64, M: f64p, f: f64p, B: f64p, c: f64p, psi: f64p, phi: f64p, settings: f64p, udot: f64p, work: f64p,
) -> None:  # fmt: skip
    """u̇ by M_c, P by singular values."""
    weighed(n, m, M, f, B, c, psi, phi, settings, work)
    P, rest = offset(work, room(n, m)), offset(work, room(n, m) + 3 * n * n + 4 * n)
    project_svd(n, m, settings[CUT], work, offset(work, m * n), P, offset(P, 3 * n * n), rest)
    multiplied(n, m, work)
    skew(n, settings[FIRST], offset(work, m * n + m), P, offset(P, n * n), offset(P, 3 * n * n),
        offset(P, 3 * n * n + 2 * n), offset(P, 2 * n * n), offset(P, 3 * n * n + n))  # fmt: skip
    finish(n, m, work, udot)


def _solve(name: str, **others: Kernel[..., None]) -> Kernel[..., None]:
    """The same with another P, or another constraint inertia matrix."""
    return specialised(solve_skew_svd, __name__, name, **others)


# M_c' and M_c'' for M_c, and P by a pseudoinverse for P by singular values
solve_skew_pseudoinverse = _solve("solve_skew_pseudoinverse", project_svd=project_pseudoinverse)
solve_symmetric_svd = _solve("solve_symmetric_svd", skew=symmetric)
solve_symmetric_pseudoinverse = _solve(
    "solve_symmetric_pseudoinverse", skew=symmetric, project_svd=project_pseudoinverse
)
solve_scalar_svd = _solve("solve_scalar_svd", skew=scalar)
solve_scalar_pseudoinverse = _solve("solve_scalar_pseudoinverse", skew=scalar, project_svd=project_pseudoinverse)
