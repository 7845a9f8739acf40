"""Design I: multipliers at the level of accelerations, the augmented Lagrangian, and penalty forces.

In the weighed form of `metric`, where a = c + 2α ψ + β² Φ holds Baumgarte's terms (1972):

    [M −Bᵀ; B 0] [u̇; λ] = [f; −a]                                            [Patoglu Eqs. 8, 9]
    (M + κ BᵀB) u̇ = f + Bᵀ(λ − κ a),   then  λ ← λ − κ (B u̇ + a),   and again  [Bayo and García de Jalón 1988]
    M u̇ = f − Bᵀ (ω² Φ + 2ζω ψ)                                              penalty forces
"""

from __future__ import annotations

from latchwork.algebra.elimination import largest_pivot, lu, lu_solve
from latchwork.algebra.factors import least_squares
from latchwork.constraint.designs.metric import FIRST, SECOND, room, unweigh, weighed
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset
from latchwork.program.scalar import maximum

SINGULAR = 1e-14  # pivots below this part of the largest: rows are redundant
SETTLED = 1e-15  # a correction of this part of u̇ ends the iteration


@kernel
def bordered(n: i64, m: i64, work: f64p, S: f64p, b: f64p) -> None:
    """``S = [M −Bᵀ; B 0]`` and ``b = [f; −a]``."""
    A, a, K, g = work, offset(work, m * n), offset(work, m * n + m), offset(work, m * n + m + n * n)
    size = n + m
    for i in range(size * size):
        S[i] = 0.0
    for i in range(n):
        b[i] = g[i]
        for j in range(n):
            S[i * size + j] = K[i * n + j]
    for i in range(m):
        b[n + i] = -a[i]
        for j in range(n):
            S[j * size + n + i] = -A[i * n + j]
            S[(n + i) * size + j] = A[i * n + j]


@kernel
def rows_off(n: i64, m: i64, A: f64p, a: f64p, x: f64p, y: f64p) -> None:
    """``y = A x + a``."""
    for i in range(m):
        y[i] = a[i]
        for j in range(n):
            y[i] += A[i * n + j] * x[j]


@kernel
def forces_off(n: i64, m: i64, A: f64p, K: f64p, g: f64p, x: f64p, lam: f64p, y: f64p) -> None:
    """``y = g + Aᵀλ − K x``."""
    for i in range(n):
        y[i] = g[i]
        for j in range(n):
            y[i] -= K[i * n + j] * x[j]
        for l in range(m):
            y[i] += A[l * n + i] * lam[l]


@kernel
def solve_bordered(
    n: i64, m: i64, M: f64p, f: f64p, B: f64p, c: f64p, psi: f64p, phi: f64p, settings: f64p, udot: f64p, work: f64p,
) -> None:  # fmt: skip
    """u̇ and λ at once: LU with pivoting and one correction; least squares where rows turn out to be redundant."""
    weighed(n, m, M, f, B, c, psi, phi, settings, work)
    size, A, K = n + m, work, offset(work, m * n + m)
    S = offset(work, room(n, m))
    b = offset(S, size * size)
    x, p = offset(b, size), offset(b, 2 * size)
    bordered(n, m, work, S, b)
    if lu(size, S, p) > SINGULAR * largest_pivot(size, S):
        lu_solve(size, S, p, b)
        forces_off(n, m, A, K, offset(K, n * n), b, offset(b, n), x)
        rows_off(n, m, A, offset(work, m * n), b, offset(x, n))
        for i in range(m):
            x[n + i] = -x[n + i]
        lu_solve(size, S, p, x)
        for i in range(n):
            x[i] += b[i]
    else:
        bordered(n, m, work, S, b)
        least_squares(size, size, SINGULAR, S, offset(p, size), p, b, x)
    unweigh(n, offset(work, room(n, m) - n), x, udot)


@kernel
def stiffened(n: i64, m: i64, kappa: f64, A: f64p, K: f64p, S: f64p) -> None:
    """``S = K + κ AᵀA``."""
    for i in range(n):
        for j in range(n):
            total = 0.0
            for l in range(m):
                total += A[l * n + i] * A[l * n + j]
            S[i * n + j] = K[i * n + j] + kappa * total


@kernel
def solve_augmented(
    n: i64, m: i64, M: f64p, f: f64p, B: f64p, c: f64p, psi: f64p, phi: f64p, settings: f64p, udot: f64p, work: f64p,
) -> None:  # fmt: skip
    """u̇ by the augmented Lagrangian: a penalty, and multipliers that take over from it; redundant rows do no harm."""
    weighed(n, m, M, f, B, c, psi, phi, settings, work)
    A, a, K, g = work, offset(work, m * n), offset(work, m * n + m), offset(work, m * n + m + n * n)
    S, p = offset(work, room(n, m)), offset(work, room(n, m) + n * n)
    x, y, lam = offset(p, n), offset(p, 2 * n), offset(p, 3 * n)
    off, pull = offset(lam, m), offset(lam, 2 * m)
    stiffened(n, m, settings[FIRST], A, K, S)
    lu(n, S, p)
    for j in range(n):
        x[j] = 0.0
    for i in range(m):
        lam[i], off[i] = 0.0, a[i]
    for _ in range(int(settings[SECOND])):
        for i in range(m):
            pull[i] = lam[i] - settings[FIRST] * off[i]
        forces_off(n, m, A, K, g, x, pull, y)  # as a correction of x, which mends the rounding of a large κ
        lu_solve(n, S, p, y)
        largest, scale = 0.0, 0.0
        for j in range(n):
            x[j] += y[j]
            largest, scale = maximum(largest, fabs(y[j])), maximum(scale, fabs(x[j]))
        rows_off(n, m, A, a, x, off)
        for i in range(m):
            lam[i] -= settings[FIRST] * off[i]
        if not largest > SETTLED * scale:
            break
    unweigh(n, offset(work, room(n, m) - n), x, udot)


@kernel
def solve_penalty(
    n: i64, m: i64, M: f64p, f: f64p, B: f64p, c: f64p, psi: f64p, phi: f64p, settings: f64p, udot: f64p, work: f64p,
) -> None:  # fmt: skip
    """u̇ under springs and dampers in the place of rows: each has the frequency ω and the damping ratio ζ by itself."""
    weighed(n, m, M, f, B, c, psi, phi, settings, work)
    A, lam, K = work, offset(work, m * n), offset(work, m * n + m)
    x, w = offset(K, n * n), offset(K, n * n + n)
    S, p = offset(work, room(n, m)), offset(work, room(n, m) + n * n)
    omega, zeta = settings[FIRST], settings[SECOND]
    for i in range(m):
        length = 0.0  # A_i is B_i w / length
        for j in range(n):
            length += A[i * n + j] * B[i * n + j] * w[j]
        force = omega * omega * phi[i] + 2.0 * zeta * omega * psi[i]
        lam[i] = -divide(force, length) if length > 0.0 else 0.0
        for j in range(n):
            x[j] += A[i * n + j] * lam[i]
    for i in range(n * n):
        S[i] = K[i]
    lu(n, S, p)
    lu_solve(n, S, p, x)
    unweigh(n, w, x, udot)


def bordered_size(n: int, m: int) -> int:
    """Workspace of `solve_bordered`: the weighed problem, the bordered matrix, and four columns."""
    return room(n, m) + (n + m) * (n + m + 4)


def work_size(n: int, m: int) -> int:
    """Workspace of `solve_augmented` and `solve_penalty`."""
    return room(n, m) + n * n + 3 * n + 3 * m
