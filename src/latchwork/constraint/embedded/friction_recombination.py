"""Recombination with friction, as kernels: forces of the rows lie along G, not along B (`embedded_mode`).

    M' u̇ = f' + Gᵀ λ,   M' = M − Σ g N1ᵀ,   f' = f + Σ g N0,   u̇ = T u̇_ind + γ
    [−Gᵀ  M' T] [λ; u̇_ind] = f' − M' γ

Its first m steps of elimination, with row pivots, are Kane's recombination F̃_r = F_r + Σ D_sr F_s with the D of G,
not of B: what is left are n − m equations for u̇_ind, Lᵀ M' T u̇_ind = Lᵀ (f' − M' γ) with Lᵀ Gᵀ = 0. The speeds s are
found by the pivots: dependent speeds suit B, but may leave G singular (μ = 1 on a slope of 45°).
"""

from __future__ import annotations

from latchwork.algebra.elimination import add_row, lu, lu_solve
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.recombination import entry, read_motion
from latchwork.constraint.embedded.rows_at import fill
from latchwork.constraint.embedded.slider import ENFORCED, SliderRecord, slip_direction
from latchwork.program.kernel import divide, f64, fabs, i64, kernel, local_f64, offset, sqrt
from latchwork.program.scalar import maximum

OPEN_ENDED, INFINITE = 1e-15, 1e300  # of a column: a pivot that is rounding; what takes its place


@kernel
def slip_speed(mode: EmbeddedMode, slider: SliderRecord, i: i64) -> f64:
    """v_i = B_t u + C_t along a tangent."""
    source = mode.source[slider.source]
    n, given, row = mode.n, source.given, slider.first + i
    place = offset(mode.found, source.found_at)
    total = place[given + given * n + row]
    for j in range(n):
        total += place[given + row * n + j] * mode.u[j]
    return total


@kernel
def slip_rate(mode: EmbeddedMode, slider: SliderRecord, i: i64) -> f64:
    """v̇_i = B_t u̇ + c_t along a tangent, once u̇ is known."""
    source = mode.source[slider.source]
    n, given, row = mode.n, source.given, slider.first + i
    place = offset(mode.found, source.found_at)
    total = place[given * (n + 2) + row]
    for j in range(n):
        total += place[given + row * n + j] * mode.udot[j]
    return total


@kernel
def read_friction(mode: EmbeddedMode) -> None:
    """E, or g, N1 and N0, of all that slides, at (t, q, u)."""
    n = mode.n
    v, d = local_f64(2), local_f64(2)
    for s in range(mode.sliders):
        slider, E = mode.slider[s], offset(mode.friction, s * (2 * n + 1))
        source = mode.source[slider.source]
        if slider.moving != 0:
            z = offset(mode.slider_z, slider.law_at)
            fill(mode, z)
            slider.law.run(slider.law.code, z, slider.coefficients)
        if slider.row == ENFORCED:
            z = offset(mode.slider_z, slider.force_at)
            fill(mode, z)
            slider.force.run(slider.force.code, z, offset(E, n))
        for i in range(slider.tangents):
            v[i] = slip_speed(mode, slider, i)
        slip_direction(slider.tangents, slider.slip, v, d)
        rows = offset(mode.found, source.found_at + source.given + slider.first * n)
        for j in range(n):
            E[j] = 0.0
        for i in range(slider.tangents):
            factor = -(slider.coefficients[2] * d[i])
            for j in range(n):
                E[j] += factor * rows[i * n + j]


@kernel
def force_rows(mode: EmbeddedMode) -> None:
    """G_k = B_k + E_k + Σ_r R_rk (B_r + E_r): the force of λ_k and of rows that share it is along G_k.

    The rows r themselves keep B_r + E_r, along which their constant parts act.
    """
    n, m, rows = mode.n, mode.m, mode.rows
    B, G = offset(mode.place, rows), mode.force_rows
    for i in range(rows * n):
        G[i] = B[i]
    for s in range(mode.sliders):
        row, E = mode.slider[s].row, offset(mode.friction, s * (2 * n + 1))
        if row != ENFORCED:
            for j in range(n):
                G[row * n + j] += E[j]
    for r in range(mode.shared):
        lost = mode.lost[r]
        for s in range(m):
            part, row = mode.share[r * (m + 1) + s], mode.kept[s]
            for j in range(n):
                G[row * n + j] += part * G[lost * n + j]


@kernel
def held_forces(mode: EmbeddedMode) -> None:
    """M' = M − Σ g N1ᵀ, whole; f' = f + Σ g N0 + Σ_r c_r G_r."""
    n, m = mode.n, mode.m
    packed, A, push = offset(mode.motion, mode.n_q), mode.full, mode.push
    f = offset(packed, n * (n + 1) // 2)
    for i in range(n):
        push[i] = f[i]
        for j in range(n):
            A[i * n + j] = entry(packed, i, j)
    for s in range(mode.sliders):
        if mode.slider[s].row == ENFORCED:
            g = offset(mode.friction, s * (2 * n + 1))
            for i in range(n):
                push[i] += g[i] * g[2 * n]
                for j in range(n):
                    A[i * n + j] -= g[i] * g[n + j]
    for r in range(mode.shared):
        G = offset(mode.force_rows, mode.lost[r] * n)
        part = mode.share[r * (m + 1) + m]
        for i in range(n):
            push[i] += part * G[i]


@kernel
def balance(mode: EmbeddedMode) -> None:
    """[−Gᵀ  M' T] and f' − M' γ, each row in units of the kinetic energy of its speed; γ_dep has been solved for."""
    n, m, k = mode.n, mode.m, mode.k
    G, A, system = mode.force_rows, mode.full, mode.system
    gamma, d = mode.gamma, mode.D
    for i in range(n):
        unit = divide(1.0, sqrt(mode.weight[i]))
        right = mode.push[i]
        for s in range(m):
            system[i * n + s] = -(unit * G[mode.kept[s] * n + i])
            right -= A[i * n + mode.dep[s]] * gamma[s]
        row = offset(system, i * n + m)
        for a in range(k):
            row[a] = A[i * n + mode.ind[a]]
        for s in range(m):
            add_row(k, A[i * n + mode.dep[s]], offset(d, s * k), row)
        for a in range(k):
            row[a] *= unit
        mode.answer[i] = unit * right


@kernel
def solve_balance(mode: EmbeddedMode) -> None:
    """(λ, u̇_ind) into ``answer``. What the equations leave open is zero: balls that friction of μ = 1 presses to each
    other could pass any load on, and pass none."""
    n, system, largest = mode.n, mode.system, mode.push
    for j in range(n):
        largest[j] = 0.0
    for i in range(n):
        for j in range(n):
            if system[i * n + j] != 0.0:
                largest[j] = maximum(largest[j], fabs(system[i * n + j]))
    lu(n, system, mode.exchanged)
    for j in range(n):
        if fabs(system[j * n + j]) <= OPEN_ENDED * largest[j]:
            system[j * n + j] = INFINITE
    lu_solve(n, system, mode.exchanged, mode.answer)


@kernel
def slide(mode: EmbeddedMode) -> None:
    """u̇ of all speeds, with friction; λ of the rows kept stands in front of u̇_ind in the answer."""
    m, k = mode.m, mode.k
    read_motion(mode)
    read_friction(mode)
    force_rows(mode)
    held_forces(mode)
    gamma, answer, udot = mode.gamma, mode.answer, mode.udot
    for s in range(m):
        gamma[s] = -mode.bias[mode.kept[s]]
    lu_solve(m, mode.B1, mode.order, gamma)
    balance(mode)
    solve_balance(mode)
    for s in range(m):
        total = gamma[s]
        for a in range(k):
            total += mode.D[s * k + a] * answer[m + a]
        udot[mode.dep[s]] = total
    for a in range(k):
        udot[mode.ind[a]] = answer[m + a]


@kernel
def shared_multipliers(mode: EmbeddedMode) -> None:
    """λ of the rows kept, R λ_kept + c of those that share, 0 for the others."""
    m, rows = mode.m, mode.rows
    lam, answer = mode.multiplier, mode.answer
    for i in range(rows):
        lam[i] = 0.0
    for s in range(m):
        lam[mode.kept[s]] = answer[s]
    for r in range(mode.shared):
        total = mode.share[r * (m + 1) + m]
        for s in range(m):
            total += mode.share[r * (m + 1) + s] * answer[s]
        lam[mode.lost[r]] = total
