"""What steppers and readers of a mode call: ẋ, all speeds, guards and multipliers (`embedded_mode`)."""

from __future__ import annotations

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.near_singular import forces_near_singular, near_singular
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
    """Guards and their rates at (t, x), by u, u̇ and λ."""
    mode = record_at(EmbeddedMode, z, code[0])
    forces_near_singular(mode)
    mode.notes.guard_run(code, z, out)


@kernel
def look_freely(code: i32p, z: f64p, out: f64p) -> None:
    """Guards and their rates at (t, x) where there are no rows: u is all of x; u̇ is left to those that need it."""
    mode = record_at(EmbeddedMode, z, code[0])
    for j in range(mode.n):
        mode.u[j] = mode.x[mode.n_q + j]
    mode.notes.guard_run(code, z, out)


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


together(embedded, expand, look, look_freely, forces, at_each)
