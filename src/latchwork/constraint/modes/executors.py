"""What steppers and readers of a mode call: ẋ, all speeds, guards and multipliers (memory: `layout`)."""

from __future__ import annotations

from latchwork.constraint.modes.layout import (
    GUARD_CODE,
    GUARD_RUN,
    GUARD_Z,
    IND,
    INPUTS,
    LAMBDA,
    NOTES,
    NQ,
    RESULT,
    ROWS,
    UDOT,
    K,
    N,
)
from latchwork.constraint.modes.near_singular import forces_near_singular, near_singular
from latchwork.constraint.modes.place import fill
from latchwork.program.kernel import bits, executor, executor_at, f64p, i32p, i64, kernel, offset
from latchwork.program.native import together


@kernel
def embedded(code: i32p, z: f64p, out: f64p) -> None:
    """ẋ = (q̇, u̇_ind, power) at (t, x): the right-hand side of an embedded mode."""
    near_singular(code, z)
    reduced_rates(code, z, out)


@kernel
def reduced_rates(code: i32p, z: f64p, out: f64p) -> None:
    """(q̇, u̇_ind, power) of the (q̇, u, u̇, power) in RESULT."""
    n_q, n, k = code[NQ], code[N], code[K]
    result = offset(z, code[RESULT])
    for i in range(n_q):
        out[i] = result[i]
    for a in range(k):
        out[n_q + a] = result[n_q + n + code[code[IND] + a]]
    out[n_q + k] = result[n_q + 2 * n]


@kernel
def expand(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇) of all speeds at (t, x)."""
    near_singular(code, z)
    for j in range(2 * code[N]):
        out[j] = z[code[RESULT] + code[NQ] + j]


@kernel
def look(code: i32p, z: f64p, out: f64p) -> None:
    """Guards and their rates at (t, x): a program of (t, q, u, rest, u̇, λ)."""
    forces_near_singular(code, z)
    guarded(code, z, out)


@kernel
def guarded(code: i32p, z: f64p, out: f64p) -> None:
    """Guards and their rates once u̇ and λ are known."""
    n_q, n, k, rows = code[NQ], code[N], code[K], code[ROWS]
    held = code[INPUTS] - 2 - n_q - k
    fill(code, z, code[GUARD_Z])
    inputs = offset(z, code[GUARD_Z] + 1 + n_q + n + held)
    for j in range(n):
        inputs[j] = z[code[UDOT] + j]
    for i in range(rows):
        inputs[n + i] = z[code[LAMBDA] + i]
    run = executor_at(bits(z[code[NOTES] + GUARD_RUN]))
    run(offset(code, code[GUARD_CODE]), offset(z, code[GUARD_Z]), out)


@kernel
def forces(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇, λ) at (t, x)."""
    n, rows = code[N], code[ROWS]
    forces_near_singular(code, z)
    for j in range(2 * n):
        out[j] = z[code[RESULT] + code[NQ] + j]
    for i in range(rows):
        out[2 * n + i] = z[code[LAMBDA] + i]


@kernel
def at_each(run: executor, rows: i64, n: i64, width: i64, code: i32p, x: f64p, z: f64p, out: f64p) -> None:
    """Run an executor on rows of n inputs; rows of so many outputs."""
    for row in range(rows):
        for i in range(n):
            z[i] = x[row * n + i]
        run(code, z, offset(out, row * width))


together(embedded, expand, look, forces, at_each)
