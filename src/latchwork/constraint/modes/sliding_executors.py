"""What steppers and readers of a mode that slides call (`executors`, with friction; memory: `layout`, `drag`)."""

from __future__ import annotations

from latchwork.constraint.modes.executors import guarded, reduced_rates
from latchwork.constraint.modes.layout import LAMBDA, NQ, RESULT, ROWS, N
from latchwork.constraint.modes.recombine import consistent_place, report
from latchwork.constraint.modes.sliding import shared_multipliers, slide
from latchwork.program.kernel import f64p, i32p, kernel, offset
from latchwork.program.native import together


@kernel
def evaluate(code: i32p, z: f64p) -> None:
    """(q̇, u, u̇, power) at (t, q, u_ind) into RESULT; friction does work, whatever moves."""
    consistent_place(code, z)
    slide(code, z)
    report(code, z, 1, offset(z, code[RESULT]))


@kernel
def embedded(code: i32p, z: f64p, out: f64p) -> None:
    """ẋ = (q̇, u̇_ind, power) at (t, x)."""
    evaluate(code, z)
    reduced_rates(code, z, out)


@kernel
def expand(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇) of all speeds at (t, x)."""
    evaluate(code, z)
    for j in range(2 * code[N]):
        out[j] = z[code[RESULT] + code[NQ] + j]


@kernel
def look(code: i32p, z: f64p, out: f64p) -> None:
    """Guards and their rates at (t, x): a program of (t, q, u, rest, u̇, λ)."""
    consistent_place(code, z)
    slide(code, z)
    shared_multipliers(code, z)
    guarded(code, z, out)


@kernel
def forces(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇, λ) at (t, x)."""
    n, rows = code[N], code[ROWS]
    expand(code, z, out)
    shared_multipliers(code, z)
    for i in range(rows):
        out[2 * n + i] = z[code[LAMBDA] + i]


together(embedded, expand, look, forces)
