"""Where a stage ends or begins, as kernels: one state settled and judged, with all speeds (memory: `layout`)."""

from __future__ import annotations

from latchwork.constraint.modes.layout import NOTES, NQ, PIVOT, K
from latchwork.constraint.modes.place import read_rows
from latchwork.constraint.modes.settle import departs, settle
from latchwork.program.kernel import executor, f64p, i32p, kernel, offset
from latchwork.program.native import together


@kernel
def ended(expand: executor, code: i32p, z: f64p, out: f64p) -> None:
    """At (t, x): x settled, as after a step, with its two notes; 1 where some row does not hold; then (u, u̇)."""
    states = code[NQ] + code[K] + 1
    for i in range(states):
        out[i] = z[1 + i]
    settle(code, z, out)
    out[states + 2] = float(departs(code, z))
    expand(code, z, offset(out, states + 3))


@kernel
def pivot(code: i32p, z: f64p, out: f64p) -> None:
    """The least pivot of B1 at (t, q)."""
    read_rows(code, z)
    out[0] = z[code[NOTES] + PIVOT]


together(ended, pivot)
