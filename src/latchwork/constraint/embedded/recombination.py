"""Recombination as kernels: the terms of the unconstrained equations and the rows, any mode as data (`embedded_mode`).

    u_dep = −B1⁻¹ (B2 u_ind + C);   D = −B1⁻¹ B2;   γ_dep = −B1⁻¹ c
    Tᵀ M T u̇_ind = Tᵀ (f − M γ);   u̇ = T u̇_ind + γ          [Patoglu Eqs. 11-16]

Where B1 comes near a singular position, coordinates are first brought back onto Φ = 0: the rows then point where the
motion goes, and the equations stay smooth across.
"""

from __future__ import annotations

from latchwork.algebra.elimination import add_row, cholesky, cholesky_solve, lu_solve, lu_solve_transposed
from latchwork.constraint.embedded.circuit import LAST_CORRECTION
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.projection import all_speeds
from latchwork.constraint.embedded.rows_at import NEWTON, correct, dependent_columns, fill, read_biases, read_rows
from latchwork.program.kernel import f64, f64p, i64, kernel, offset

CAREFUL = 0.02  # of the usual pivot: below it coordinates are corrected before rows are read


@kernel
def consistent_place(mode: EmbeddedMode) -> None:
    """Rows and D at (t, q), corrected where B1 is close to singular, then all speeds: u_dep = −B1⁻¹ (B2 u_ind + C)."""
    notes = mode.notes
    read_rows(mode)
    dependent_columns(mode)
    if notes.pivot < CAREFUL * notes.usual_pivot:
        for _ in range(NEWTON):
            length = correct(mode)
            read_rows(mode)
            dependent_columns(mode)
            if length < LAST_CORRECTION:
                break
    all_speeds(mode)


@kernel
def read_motion(mode: EmbeddedMode) -> None:
    """M, f and c at (t, q, u)."""
    fill(mode, mode.motion_z)
    mode.notes.motion_run(mode.motion_code, mode.motion_z, mode.motion)
    read_biases(mode)


@kernel
def accelerate(mode: EmbeddedMode) -> None:
    """M, f and c at (t, q, u), then u̇."""
    n_q, n, m, k = mode.n_q, mode.n, mode.m, mode.k
    read_motion(mode)
    packed, bias = offset(mode.motion, n_q), mode.bias
    f = offset(packed, n * (n + 1) // 2)
    gamma, right, udot = mode.gamma, mode.temp, mode.udot
    for i in range(m):
        gamma[i] = -bias[mode.kept[i]]
    lu_solve(m, mode.B1, mode.order, gamma)
    for i in range(n):
        total = f[i]
        for s in range(m):
            total -= entry(packed, i, mode.dep[s]) * gamma[s]
        udot[i] = total
    recombine(mode, packed)
    solve_independent(mode)
    for s in range(m):
        total = gamma[s]
        for a in range(k):
            total += mode.D[s * k + a] * right[a]
        udot[mode.dep[s]] = total
    for a in range(k):
        udot[mode.ind[a]] = right[a]


@kernel
def entry(packed: f64p, i: i64, j: i64) -> f64:
    """M_ij of a lower triangle, row by row."""
    return packed[i * (i + 1) // 2 + j] if i >= j else packed[j * (j + 1) // 2 + i]


@kernel
def recombine(mode: EmbeddedMode, packed: f64p) -> None:
    """M T, then the lower triangle of M̃ = Tᵀ M T."""
    n, m, k = mode.n, mode.m, mode.k
    d, MTs, Mt = mode.D, mode.MT, mode.mass
    for i in range(n):
        row = offset(MTs, i * k)
        for a in range(k):
            row[a] = entry(packed, i, mode.ind[a])
        for s in range(m):
            add_row(k, entry(packed, i, mode.dep[s]), offset(d, s * k), row)
    for a in range(k):
        row, first = offset(Mt, a * k), offset(MTs, mode.ind[a] * k)
        for b in range(a + 1):
            row[b] = first[b]
        for s in range(m):
            add_row(a + 1, d[s * k + a], offset(MTs, mode.dep[s] * k), row)


@kernel
def solve_independent(mode: EmbeddedMode) -> None:
    """u̇_ind of M̃ u̇_ind = Tᵀ (f − M γ); the difference is in the place of u̇, the result in ``temp``."""
    m, k = mode.m, mode.k
    rest, right, d = mode.udot, mode.temp, mode.D
    for a in range(k):
        total = rest[mode.ind[a]]
        for s in range(m):
            total += d[s * k + a] * rest[mode.dep[s]]
        right[a] = total
    cholesky(k, mode.mass)
    cholesky_solve(k, mode.mass, right)


@kernel
def multipliers(mode: EmbeddedMode) -> None:
    """λ of the rows kept, B1ᵀ λ = (M u̇ − f)_dep; 0 for the others."""
    n_q, n, m, rows = mode.n_q, mode.n, mode.m, mode.rows
    packed = offset(mode.motion, n_q)
    f, udot = offset(packed, n * (n + 1) // 2), mode.udot
    part, lam = mode.gamma, mode.multiplier
    for i in range(rows):
        lam[i] = 0.0
    for s in range(m):
        i = mode.dep[s]
        force = -f[i]
        for j in range(n):
            force += entry(packed, i, j) * udot[j]
        part[s] = force
    lu_solve_transposed(m, mode.B1, mode.order, part)
    for s in range(m):
        lam[mode.kept[s]] = part[s]


@kernel
def evaluate(mode: EmbeddedMode, out: f64p) -> None:
    """(q̇, u, u̇, power) at (t, q, u_ind)."""
    consistent_place(mode)
    accelerate(mode)
    report(mode, mode.moving, out)


@kernel
def report(mode: EmbeddedMode, moves: i64, out: f64p) -> None:
    """(q̇, u, u̇, P) once u̇ is known, with the power P that changes the energy, whose integral is the work in audits:

        P = aᵀ u̇ + b  [+ (M u̇ − f)ᵀ u]       of loads (`terms`); where constraints move, of their forces as well
    """
    n_q, n = mode.n_q, mode.n
    motion, udot, u = mode.motion, mode.udot, mode.u
    packed = offset(motion, n_q)
    f = offset(packed, n * (n + 1) // 2)
    a = offset(f, n)
    for i in range(n_q):
        out[i] = motion[i]
    power = a[n]
    for j in range(n):
        out[n_q + j] = u[j]
        out[n_q + n + j] = udot[j]
        power += a[j] * udot[j]
    if moves != 0:
        for i in range(n):
            force = -f[i]
            for j in range(n):
                force += entry(packed, i, j) * udot[j]
            power += force * u[i]
    out[n_q + 2 * n] = power
