"""Response of a mode to a generalized force, beside what acts already: one more right-hand side for its factors.

    M Δu̇ = g + Bᵀ Δλ,   B Δu̇ = 0:   Δu̇ = T (Tᵀ M T)⁻¹ Tᵀ g,   B1ᵀ Δλ = (M Δu̇ − g)_dep

and with friction, where forces of the rows lie along G, by the factors of [−Gᵀ  M' T] (`friction_recombination`). The
mode has been evaluated; its rows may be redundant, or too many, for they are those that were kept.
"""

from __future__ import annotations

from latchwork.algebra.elimination import cholesky_solve, lu_solve, lu_solve_transposed
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.friction_recombination import shared_multipliers, slide
from latchwork.constraint.embedded.recombination import consistent_place, entry, evaluate, multipliers
from latchwork.program.kernel import divide, f64p, i64, kernel, offset, sqrt


@kernel
def evaluate_open(mode: EmbeddedMode, slides: i64) -> None:
    """u̇ and λ at (t, x) with the inputs that are held, and the factors that `respond` needs."""
    if slides != 0:
        consistent_place(mode)
        slide(mode)
        shared_multipliers(mode)
    else:
        evaluate(mode, mode.result)
        multipliers(mode)


@kernel
def respond(mode: EmbeddedMode, slides: i64, forces: i64, g: f64p, udot: f64p, lam: f64p) -> None:
    """Δu̇ of a generalized force g and, where ``forces`` are wanted, Δλ."""
    if slides != 0:
        respond_sliding(mode, g, udot, lam)
    else:
        respond_plainly(mode, forces, g, udot, lam)


@kernel
def respond_plainly(mode: EmbeddedMode, forces: i64, g: f64p, udot: f64p, lam: f64p) -> None:
    """The same where forces lie along the rows kept."""
    n, m, k, d = mode.n, mode.m, mode.k, mode.D
    right, part, packed = mode.temp, offset(mode.temp, k), offset(mode.motion, mode.n_q)
    for a in range(k):
        total = g[mode.ind[a]]
        for s in range(m):
            total += d[s * k + a] * g[mode.dep[s]]
        right[a] = total
    cholesky_solve(k, mode.mass, right)
    expand_independent(mode, right, udot)
    if forces == 0:
        return
    for i in range(mode.rows):
        lam[i] = 0.0
    for s in range(m):
        i = mode.dep[s]
        force = -g[i]
        for j in range(n):
            force += entry(packed, i, j) * udot[j]
        part[s] = force
    lu_solve_transposed(m, mode.B1, mode.order, part)
    for s in range(m):
        lam[mode.kept[s]] = part[s]


@kernel
def respond_sliding(mode: EmbeddedMode, g: f64p, udot: f64p, lam: f64p) -> None:
    """The same with friction, or where redundant rows share."""
    n, m = mode.n, mode.m
    answer = mode.answer
    for i in range(n):
        answer[i] = divide(g[i], sqrt(mode.weight[i]))
    lu_solve(n, mode.system, mode.exchanged, answer)
    expand_independent(mode, offset(answer, m), udot)
    for i in range(mode.rows):
        lam[i] = 0.0
    for s in range(m):
        lam[mode.kept[s]] = answer[s]
    for r in range(mode.shared):
        total = 0.0
        for s in range(m):
            total += mode.share[r * (m + 1) + s] * answer[s]
        lam[mode.lost[r]] = total


@kernel
def expand_independent(mode: EmbeddedMode, independent: f64p, udot: f64p) -> None:
    """``u̇ = T u̇_ind``."""
    k = mode.k
    for a in range(k):
        udot[mode.ind[a]] = independent[a]
    for s in range(mode.m):
        total = 0.0
        for a in range(k):
            total += mode.D[s * k + a] * independent[a]
        udot[mode.dep[s]] = total
