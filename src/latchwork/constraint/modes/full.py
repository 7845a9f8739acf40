"""Designs that integrate all speeds, as kernels: the state is x = (q, u, work), any solver gives u̇ (memory: `layout`).

    M, f, B, c, ψ = B u + C and Φ at (t, q, u)  →  solver  →  u̇
"""

from __future__ import annotations

from latchwork.constraint.modes.layout import (
    BIAS,
    BIAS_CODE,
    BIAS_RUN,
    BIAS_Z,
    IND,
    LAMBDA,
    MASS,
    MOTION,
    MOTION_CODE,
    MOTION_RUN,
    MOTION_Z,
    MOVING,
    NOTES,
    NQ,
    PLACE,
    PLACE_CODE,
    PLACE_RUN,
    PLACE_Z,
    RESULT,
    ROWS,
    SETTINGS,
    SOLVE_RUN,
    UDOT,
    WORK,
    K,
    N,
    U,
)
from latchwork.constraint.modes.place import fill, unit_quaternions
from latchwork.constraint.modes.recombine import entry
from latchwork.constraint.modes.settle import ELSEWHERE, settle
from latchwork.program.kernel import bits, executor_at, f64p, i32p, kernel, offset, solver_at
from latchwork.program.native import together


@kernel
def read_all(code: i32p, z: f64p) -> None:
    """Φ, B, C, c, M and f at (t, q, u); then ψ = B u + C."""
    n_q, n, rows = code[NQ], code[N], code[ROWS]
    notes, u, psi = offset(z, code[NOTES]), offset(z, code[U]), offset(z, code[LAMBDA])
    for j in range(n):
        u[j] = z[1 + n_q + j]
    fill(code, z, code[PLACE_Z])
    fill(code, z, code[MOTION_Z])
    fill(code, z, code[BIAS_Z])
    place = executor_at(bits(notes[PLACE_RUN]))
    motion = executor_at(bits(notes[MOTION_RUN]))
    bias = executor_at(bits(notes[BIAS_RUN]))
    place(offset(code, code[PLACE_CODE]), offset(z, code[PLACE_Z]), offset(z, code[PLACE]))
    motion(offset(code, code[MOTION_CODE]), offset(z, code[MOTION_Z]), offset(z, code[MOTION]))
    bias(offset(code, code[BIAS_CODE]), offset(z, code[BIAS_Z]), offset(z, code[BIAS]))
    B, C = offset(z, code[PLACE] + rows), offset(z, code[PLACE] + rows + rows * n)
    for i in range(rows):
        total = C[i]
        for j in range(n):
            total += B[i * n + j] * u[j]
        psi[i] = total


@kernel
def all_of(code: i32p, z: f64p, out: f64p) -> None:
    """ẋ = (q̇, u̇, power) at (t, x)."""
    n_q, n, rows = code[NQ], code[N], code[ROWS]
    read_all(code, z)
    packed, M = offset(z, code[MOTION] + n_q), offset(z, code[MASS])
    f, udot, u = offset(packed, n * (n + 1) // 2), offset(z, code[UDOT]), offset(z, code[U])
    for i in range(n):
        for j in range(n):
            M[i * n + j] = entry(packed, i, j)
    solve = solver_at(bits(z[code[NOTES] + SOLVE_RUN]))
    phi, B = offset(z, code[PLACE]), offset(z, code[PLACE] + rows)
    solve(n, rows, M, f, B, offset(z, code[BIAS]), offset(z, code[LAMBDA]), phi, offset(z, code[SETTINGS]), udot,
          offset(z, code[WORK]))  # fmt: skip
    share = offset(f, n)
    power = share[n]
    for i in range(n_q):
        out[i] = z[code[MOTION] + i]
    for i in range(n):
        out[n_q + i] = udot[i]
        power += share[i] * udot[i]
        if code[MOVING] != 0:
            force = -f[i]
            for j in range(n):
                force += entry(packed, i, j) * udot[j]
            power += force * u[i]
    out[n_q + n] = power


@kernel
def settle_units(code: i32p, z: f64p, x: f64p) -> None:
    """After a step: quaternions of unit length; positions and speeds as they are."""
    n_q, states = code[NQ], code[NQ] + code[N] + 1
    for i in range(n_q):
        z[1 + i] = x[i]
    changed = unit_quaternions(code, z)
    for i in range(n_q):
        x[i] = z[1 + i]
    x[states] = float(changed)
    x[states + 1] = 0.0


@kernel
def settle_all(code: i32p, z: f64p, x: f64p) -> None:
    """After a step: coordinates onto Φ = 0, dependent speeds onto B u + C = 0; memory of an embedded mode."""
    n_q, n, k = code[NQ], code[N], code[K]
    reduced, u = offset(z, code[RESULT]), offset(z, code[U])
    for a in range(k):
        reduced[n_q + a] = x[n_q + code[code[IND] + a]]
    for i in range(n_q):
        reduced[i] = x[i]
    reduced[n_q + k] = x[n_q + n]
    settle(code, z, reduced)
    for i in range(n_q):
        x[i] = z[1 + i]
    for j in range(n):
        x[n_q + j] = u[j]
    x[n_q + n + 1] = 1.0
    x[n_q + n + 2] = ELSEWHERE if reduced[n_q + k + 2] == ELSEWHERE else 0.0


together(all_of, settle_units, settle_all)
