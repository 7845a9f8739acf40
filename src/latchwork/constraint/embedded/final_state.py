"""Where a mode ends or begins, as kernels: one state settled and judged, with all speeds (`embedded_mode`)."""

from __future__ import annotations

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.projection import departs, settle
from latchwork.constraint.embedded.rows_at import read_rows
from latchwork.program.kernel import executor, f64, f64p, i32p, i64, kernel, offset
from latchwork.program.native import together
from latchwork.program.records.view import record_at


@kernel
def ended(expand: executor, code: i32p, z: f64p, out: f64p) -> None:
    """At (t, x): x settled, as after a step, with its two notes; 1 where some row does not hold; then (u, u̇)."""
    mode = record_at(EmbeddedMode, z, code[0])
    states = mode.n_q + mode.k + 1
    for i in range(states):
        out[i] = mode.x[i]
    settle(code, z, out)
    out[states + 2] = float(departs(mode))
    expand(code, z, offset(out, states + 3))


@kernel
def placed(size: i64, fresh: f64p, z: f64p, t: f64, n: i64, x: f64p, n_rest: i64, rest: f64p) -> None:
    """Slots of a mode as they are fresh, at (t, x)."""
    for i in range(size):
        z[i] = fresh[i]
    z[0] = t
    for i in range(n):
        z[1 + i] = x[i]
    for i in range(n_rest):
        z[1 + n + i] = rest[i]


@kernel
def whole(
    expand: executor, code: i32p, z: f64p, fresh: f64p, size: i64, out: f64p, n: i64, n_q: i64, n_u: i64, t: f64,
    x: f64p, n_rest: i64, rest: f64p, full: f64p,
) -> i64:  # fmt: skip
    """(q, u) at the end of a mode from its n states; 0 where they may not belong to it. See `ended`."""
    placed(size, fresh, z, t, n, x, n_rest, rest)
    ended(expand, code, z, out)
    for i in range(n_q):
        full[i] = out[i]
    for i in range(n_u):
        full[n_q + i] = out[n + 3 + i]
    return 1 if out[n + 2] == 0.0 else 0


@kernel
def pivot(code: i32p, z: f64p, out: f64p) -> None:
    """The least pivot of B1 at (t, q)."""
    mode = record_at(EmbeddedMode, z, code[0])
    read_rows(mode)
    out[0] = mode.notes.pivot


together(whole, pivot)
