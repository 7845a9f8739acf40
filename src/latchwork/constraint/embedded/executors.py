"""What steppers and readers of a mode call: ẋ, all speeds, guards and multipliers (`embedded_mode`)."""

from __future__ import annotations

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.layout import GUARDS
from latchwork.constraint.embedded.near_singular import forces_near_singular, near_singular
from latchwork.constraint.embedded.rows_at import fill
from latchwork.program.kernel import executor, f64p, i32p, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.records.view import record_at


@kernel
def embedded(code: i32p, z: f64p, out: f64p) -> None:
    """ẋ = (q̇, u̇_ind, power) at (t, x): the right-hand side of an embedded mode."""
    mode = record_at(EmbeddedMode, z, code[0])
    near_singular(mode)
    reduced_rates(mode, out)


@kernel
def reduced_rates(mode: EmbeddedMode, out: f64p) -> None:
    """(q̇, u̇_ind, power) of the (q̇, u, u̇, power) in ``result``."""
    n_q, n, k = mode.n_q, mode.n, mode.k
    result = mode.result
    for i in range(n_q):
        out[i] = result[i]
    for a in range(k):
        out[n_q + a] = result[n_q + n + mode.ind[a]]
    out[n_q + k] = result[n_q + 2 * n]


@kernel
def expand(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇) of all speeds at (t, x)."""
    mode = record_at(EmbeddedMode, z, code[0])
    near_singular(mode)
    for j in range(2 * mode.n):
        out[j] = mode.result[mode.n_q + j]


@kernel
def look(code: i32p, z: f64p, out: f64p) -> None:
    """Guards and their rates at (t, x): a program of (t, q, u, rest, u̇, λ)."""
    mode = record_at(EmbeddedMode, z, code[0])
    forces_near_singular(mode)
    guarded(mode, offset(code, GUARDS), out)


@kernel
def guarded(mode: EmbeddedMode, guards: i32p, out: f64p) -> None:
    """Guards and their rates once u̇ and λ are known, by their bytecode."""
    n = mode.n
    fill(mode, mode.guard_z)
    inputs = offset(mode.guard_z, 1 + mode.n_q + n + mode.n_held)
    for j in range(n):
        inputs[j] = mode.udot[j]
    for i in range(mode.rows):
        inputs[n + i] = mode.multiplier[i]
    mode.notes.guard_run(guards, mode.guard_z, out)


@kernel
def forces(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇, λ) at (t, x)."""
    mode = record_at(EmbeddedMode, z, code[0])
    n, rows = mode.n, mode.rows
    forces_near_singular(mode)
    for j in range(2 * n):
        out[j] = mode.result[mode.n_q + j]
    for i in range(rows):
        out[2 * n + i] = mode.multiplier[i]


@kernel
def at_each(run: executor, rows: i64, n: i64, width: i64, code: i32p, x: f64p, z: f64p, out: f64p) -> None:
    """Run an executor on rows of n inputs; rows of so many outputs."""
    for row in range(rows):
        for i in range(n):
            z[i] = x[row * n + i]
        run(code, z, offset(out, row * width))


together(embedded, expand, look, forces, at_each)
