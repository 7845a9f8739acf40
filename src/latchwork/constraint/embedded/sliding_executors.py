"""What steppers and readers of a mode that slides call (`executors`, with friction; memory: `embedded_mode`)."""

from __future__ import annotations

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.executors import reduced_rates
from latchwork.constraint.embedded.friction_recombination import shared_multipliers, slide
from latchwork.constraint.embedded.recombination import consistent_place, report
from latchwork.program.kernel import f64p, i32p, kernel
from latchwork.program.native import together
from latchwork.program.records.view import record_at


@kernel
def evaluate(mode: EmbeddedMode) -> None:
    """(q̇, u, u̇, power) at (t, q, u_ind) into ``result``; friction does work, whatever moves."""
    consistent_place(mode)
    slide(mode)
    report(mode, 1, mode.result)


@kernel
def embedded(code: i32p, z: f64p, out: f64p) -> None:
    """ẋ = (q̇, u̇_ind, power) at (t, x)."""
    mode = record_at(EmbeddedMode, z, code[0])
    evaluate(mode)
    reduced_rates(mode, out)


@kernel
def expand(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇) of all speeds at (t, x)."""
    mode = record_at(EmbeddedMode, z, code[0])
    evaluate(mode)
    for j in range(2 * mode.n):
        out[j] = mode.result[mode.n_q + j]


@kernel
def look(code: i32p, z: f64p, out: f64p) -> None:
    """Guards and their rates at (t, x), by u, u̇ and λ."""
    mode = record_at(EmbeddedMode, z, code[0])
    consistent_place(mode)
    slide(mode)
    shared_multipliers(mode)
    mode.notes.guard_run(code, z, out)


@kernel
def forces(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇, λ) at (t, x)."""
    mode = record_at(EmbeddedMode, z, code[0])
    n, rows = mode.n, mode.rows
    expand(code, z, out)
    shared_multipliers(mode)
    for i in range(rows):
        out[2 * n + i] = mode.multiplier[i]


together(embedded, expand, look, forces)
