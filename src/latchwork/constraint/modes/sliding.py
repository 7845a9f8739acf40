"""Recombination with friction, as kernels: forces of the rows lie along G, not along B (memory: `layout`, `drag`).

    M' u̇ = f' + Gᵀ λ,   M' = M − Σ g N1ᵀ,   f' = f + Σ g N0,   u̇ = T u̇_ind + γ
    [−Gᵀ  M' T] [λ; u̇_ind] = f' − M' γ

Its first m steps of elimination, with row pivots, are Kane's recombination F̃_r = F_r + Σ D_sr F_s with the D of G,
not of B: what is left are n − m equations for u̇_ind, Lᵀ M' T u̇_ind = Lᵀ (f' − M' γ) with Lᵀ Gᵀ = 0. The speeds s are
found by the pivots: dependent speeds suit B, but may leave G singular (μ = 1 on a slope of 45°).
"""

from __future__ import annotations

from latchwork.algebra.elimination import lu, lu_solve
from latchwork.constraint.modes.drag import (
    ANSWER,
    DRAG,
    DRAG_CODE,
    DRAG_Z,
    DRAGGED,
    DRAGGING,
    EXCHANGED,
    FORCE_ROWS,
    FULL,
    HOLDING,
    LOST,
    PUSH,
    SHARE,
    SHARED,
    SYSTEM,
)
from latchwork.constraint.modes.layout import (
    B1,
    BIAS,
    DEP,
    DRAG_RUN,
    GAMMA,
    IND,
    KEPT,
    LAMBDA,
    MOTION,
    NOTES,
    NQ,
    ORDER,
    PLACE,
    QUATERNION,
    ROWS,
    TURNING,
    UDOT,
    WEIGHT,
    D,
    K,
    M,
    N,
)
from latchwork.constraint.modes.place import fill
from latchwork.constraint.modes.recombine import entry, read_motion
from latchwork.program.kernel import bits, divide, executor_at, f64p, i32p, i64, kernel, offset, sqrt


@kernel
def behind(code: i32p) -> i64:
    """Where the second header begins."""
    return code[QUATERNION] + 4 * code[TURNING]


@kernel
def read_drag(code: i32p, z: f64p) -> None:
    """E, g, N1 and N0 at (t, q, u)."""
    more = offset(code, behind(code))
    if more[DRAGGING] + more[HOLDING] > 0:
        fill(code, z, more[DRAG_Z])
        run = executor_at(bits(z[code[NOTES] + DRAG_RUN]))
        run(offset(code, more[DRAG_CODE]), offset(z, more[DRAG_Z]), offset(z, more[DRAG]))


@kernel
def force_rows(code: i32p, z: f64p) -> None:
    """G_k = B_k + E_k + Σ_r R_rk (B_r + E_r): the force of λ_k and of rows that share it is along G_k.

    The rows r themselves keep B_r + E_r, along which their constant parts act.
    """
    n, m, rows = code[N], code[M], code[ROWS]
    more = offset(code, behind(code))
    B, E, G = offset(z, code[PLACE] + rows), offset(z, more[DRAG]), offset(z, more[FORCE_ROWS])
    for i in range(rows * n):
        G[i] = B[i]
    for i in range(more[DRAGGING]):
        row = code[more[DRAGGED] + i]
        for j in range(n):
            G[row * n + j] += E[i * n + j]
    for r in range(more[SHARED]):
        lost = code[more[LOST] + r]
        for s in range(m):
            part, row = z[more[SHARE] + r * (m + 1) + s], code[code[KEPT] + s]
            for j in range(n):
                G[row * n + j] += part * G[lost * n + j]


@kernel
def held_forces(code: i32p, z: f64p) -> None:
    """M' = M − Σ g N1ᵀ, whole; f' = f + Σ g N0 + Σ_r c_r G_r."""
    n, m = code[N], code[M]
    more = offset(code, behind(code))
    packed, A, push = offset(z, code[MOTION] + code[NQ]), offset(z, more[FULL]), offset(z, more[PUSH])
    f = offset(packed, n * (n + 1) // 2)
    for i in range(n):
        push[i] = f[i]
        for j in range(n):
            A[i * n + j] = entry(packed, i, j)
    for h in range(more[HOLDING]):
        g = offset(z, more[DRAG] + more[DRAGGING] * n + h * (2 * n + 1))
        for i in range(n):
            push[i] += g[i] * g[2 * n]
            for j in range(n):
                A[i * n + j] -= g[i] * g[n + j]
    for r in range(more[SHARED]):
        G = offset(z, more[FORCE_ROWS] + code[more[LOST] + r] * n)
        part = z[more[SHARE] + r * (m + 1) + m]
        for i in range(n):
            push[i] += part * G[i]


@kernel
def balance(code: i32p, z: f64p) -> None:
    """[−Gᵀ  M' T] and f' − M' γ, each row in units of the kinetic energy of its speed; γ_dep has been solved for."""
    n, m, k = code[N], code[M], code[K]
    more = offset(code, behind(code))
    G, A, system = offset(z, more[FORCE_ROWS]), offset(z, more[FULL]), offset(z, more[SYSTEM])
    gamma, d = offset(z, code[GAMMA]), offset(z, code[D])
    for i in range(n):
        unit = divide(1.0, sqrt(z[code[WEIGHT] + i]))
        right = z[more[PUSH] + i]
        for s in range(m):
            system[i * n + s] = -(unit * G[code[code[KEPT] + s] * n + i])
            right -= A[i * n + code[code[DEP] + s]] * gamma[s]
        for a in range(k):
            total = A[i * n + code[code[IND] + a]]
            for s in range(m):
                total += A[i * n + code[code[DEP] + s]] * d[s * k + a]
            system[i * n + m + a] = unit * total
        z[more[ANSWER] + i] = unit * right


@kernel
def slide(code: i32p, z: f64p) -> None:
    """u̇ of all speeds, with friction; λ of the rows kept stands in front of u̇_ind in the answer."""
    n, m, k = code[N], code[M], code[K]
    more = offset(code, behind(code))
    read_motion(code, z)
    read_drag(code, z)
    force_rows(code, z)
    held_forces(code, z)
    gamma, answer, udot = offset(z, code[GAMMA]), offset(z, more[ANSWER]), offset(z, code[UDOT])
    for s in range(m):
        gamma[s] = -z[code[BIAS] + code[code[KEPT] + s]]
    lu_solve(m, offset(z, code[B1]), offset(z, code[ORDER]), gamma)
    balance(code, z)
    lu(n, offset(z, more[SYSTEM]), offset(z, more[EXCHANGED]))
    lu_solve(n, offset(z, more[SYSTEM]), offset(z, more[EXCHANGED]), answer)
    for s in range(m):
        total = gamma[s]
        for a in range(k):
            total += z[code[D] + s * k + a] * answer[m + a]
        udot[code[code[DEP] + s]] = total
    for a in range(k):
        udot[code[code[IND] + a]] = answer[m + a]


@kernel
def shared_multipliers(code: i32p, z: f64p) -> None:
    """λ of the rows kept, R λ_kept + c of those that share, 0 for the others."""
    m, rows = code[M], code[ROWS]
    more = offset(code, behind(code))
    lam, answer = offset(z, code[LAMBDA]), offset(z, more[ANSWER])
    for i in range(rows):
        lam[i] = 0.0
    for s in range(m):
        lam[code[code[KEPT] + s]] = answer[s]
    for r in range(more[SHARED]):
        total = z[more[SHARE] + r * (m + 1) + m]
        for s in range(m):
            total += z[more[SHARE] + r * (m + 1) + s] * answer[s]
        lam[code[more[LOST] + r]] = total
