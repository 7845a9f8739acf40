"""What steppers and readers of a mode call: ẋ, all speeds, guards and multipliers (memory: `layout`)."""

from __future__ import annotations

from latchwork.algebra.elimination import lu_solve_transposed
from latchwork.constraint.modes.across import smooth
from latchwork.constraint.modes.layout import (
    B1,
    DEP,
    GAMMA,
    GUARD_CODE,
    GUARD_RUN,
    GUARD_Z,
    IND,
    INPUTS,
    KEPT,
    LAMBDA,
    MOTION,
    NOTES,
    NQ,
    ORDER,
    RESULT,
    ROWS,
    UDOT,
    K,
    M,
    N,
)
from latchwork.constraint.modes.place import fill
from latchwork.constraint.modes.recombine import accelerate, consistent_place, entry
from latchwork.program.kernel import bits, executor, executor_at, f64p, i32p, i64, kernel, offset
from latchwork.program.native import together


@kernel
def embedded(code: i32p, z: f64p, out: f64p) -> None:
    """ẋ = (q̇, u̇_ind, power) at (t, x): the right-hand side of an embedded mode."""
    smooth(code, z)
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
    smooth(code, z)
    for j in range(2 * code[N]):
        out[j] = z[code[RESULT] + code[NQ] + j]


@kernel
def multipliers(code: i32p, z: f64p) -> None:
    """λ of the rows kept, B1ᵀ λ = (M u̇ − f)_dep; 0 for the others."""
    n_q, n, m, rows = code[NQ], code[N], code[M], code[ROWS]
    packed = offset(z, code[MOTION] + n_q)
    f, udot = offset(packed, n * (n + 1) // 2), offset(z, code[UDOT])
    part, lam = offset(z, code[GAMMA]), offset(z, code[LAMBDA])
    for i in range(rows):
        lam[i] = 0.0
    for s in range(m):
        i = code[code[DEP] + s]
        force = -f[i]
        for j in range(n):
            force += entry(packed, i, j) * udot[j]
        part[s] = force
    lu_solve_transposed(m, offset(z, code[B1]), offset(z, code[ORDER]), part)
    for s in range(m):
        lam[code[code[KEPT] + s]] = part[s]


@kernel
def look(code: i32p, z: f64p, out: f64p) -> None:
    """Guards and their rates at (t, x): a program of (t, q, u, rest, u̇, λ)."""
    consistent_place(code, z)
    accelerate(code, z)
    multipliers(code, z)
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
    expand(code, z, out)
    multipliers(code, z)
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
