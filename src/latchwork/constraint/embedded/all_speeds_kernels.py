"""Designs that integrate all speeds, as kernels: the state is x = (q, u, work), any solver gives u̇ (`embedded_mode`).

    M, f, B, c, ψ = B u + C and Φ at (t, q, u)  →  solver  →  u̇
"""

from __future__ import annotations

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.projection import ELSEWHERE, settle
from latchwork.constraint.embedded.recombination import entry, read_motion
from latchwork.constraint.embedded.rows_at import read_places, unit_quaternions
from latchwork.program.kernel import f64p, i32p, kernel, offset
from latchwork.program.native import together
from latchwork.program.records.view import record_at


@kernel
def read_all(mode: EmbeddedMode) -> None:
    """Φ, B, C, c, M and f at (t, q, u); then ψ = B u + C."""
    n_q, n, rows = mode.n_q, mode.n, mode.rows
    u, psi = mode.u, mode.multiplier
    for j in range(n):
        u[j] = mode.x[n_q + j]
    read_places(mode)
    read_motion(mode)
    B, C = offset(mode.place, rows), offset(mode.place, rows + rows * n)
    for i in range(rows):
        total = C[i]
        for j in range(n):
            total += B[i * n + j] * u[j]
        psi[i] = total


@kernel
def all_of(code: i32p, z: f64p, out: f64p) -> None:
    """ẋ = (q̇, u̇, power) at (t, x)."""
    mode = record_at(EmbeddedMode, z, code[0])
    n_q, n, rows = mode.n_q, mode.n, mode.rows
    read_all(mode)
    packed, M = offset(mode.motion, n_q), mode.mass
    f, udot, u = offset(packed, n * (n + 1) // 2), mode.udot, mode.u
    for i in range(n):
        for j in range(n):
            M[i * n + j] = entry(packed, i, j)
    phi, B, psi = mode.place, offset(mode.place, rows), mode.multiplier
    mode.notes.solve_run(n, rows, M, f, B, mode.bias, psi, phi, mode.settings, udot, mode.scratch)
    share = offset(f, n)
    power = share[n]
    for i in range(n_q):
        out[i] = mode.motion[i]
    for i in range(n):
        out[n_q + i] = udot[i]
        power += share[i] * udot[i]
        if mode.moving != 0:
            force = -f[i]
            for j in range(n):
                force += entry(packed, i, j) * udot[j]
            power += force * u[i]
    out[n_q + n] = power


@kernel
def settle_units(code: i32p, z: f64p, x: f64p) -> None:
    """After a step: quaternions of unit length; positions and speeds as they are."""
    mode = record_at(EmbeddedMode, z, code[0])
    n_q, states = mode.n_q, mode.n_q + mode.n + 1
    for i in range(n_q):
        mode.x[i] = x[i]
    changed = unit_quaternions(mode)
    for i in range(n_q):
        x[i] = mode.x[i]
    x[states] = float(changed)
    x[states + 1] = 0.0


@kernel
def settle_all(code: i32p, z: f64p, x: f64p) -> None:
    """After a step: coordinates onto Φ = 0, dependent speeds onto B u + C = 0; memory of an embedded mode."""
    mode = record_at(EmbeddedMode, z, code[0])
    n_q, n, k = mode.n_q, mode.n, mode.k
    reduced, u = mode.result, mode.u
    for a in range(k):
        reduced[n_q + a] = x[n_q + mode.ind[a]]
    for i in range(n_q):
        reduced[i] = x[i]
    reduced[n_q + k] = x[n_q + n]
    settle(code, z, reduced)
    for i in range(n_q):
        x[i] = mode.x[i]
    for j in range(n):
        x[n_q + j] = u[j]
    x[n_q + n + 1] = 1.0
    x[n_q + n + 2] = ELSEWHERE if reduced[n_q + k + 2] == ELSEWHERE else 0.0


together(all_of, settle_units, settle_all)
