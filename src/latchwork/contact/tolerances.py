"""Tolerances of contacts: one table of small numbers, each a part of the model's own length, speed or time, or of 1.

`tolerances_in` makes what a run decides by of it, once: lengths times L, speeds times L/T, times times T (`Scales`).
Event-driven runs, time stepping and kernels read the same record.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from latchwork.constraint.scales import Scales
from latchwork.program.kernel import f64
from latchwork.program.records.memory import lay_out, write
from latchwork.program.records.record import record

Dimension = tuple[int, int]  # exponents of length and time
NUMBER, LENGTH, TIME, SPEED = (0, 0), (1, 0), (0, 1), (1, -1)


class Tolerance(NamedTuple):
    """A number, its dimension, and why it has this value."""

    value: float
    dimension: Dimension
    why: str


TABLE: Mapping[str, Tolerance] = {
    "closed": Tolerance(1e-10, LENGTH, "a gap this small is closed: far above rounding, far below what is seen"),
    "reach": Tolerance(4e-10, LENGTH, "4 closed: what is within takes part in an event; two gaps differ by less"),
    "clear": Tolerance(8e-10, LENGTH, "8 closed: beyond it a contact that opened is watched as all others"),
    "bound": Tolerance(1e-12, LENGTH, "rounding across the end of a domain: what moves along it is in both domains"),
    "rise": Tolerance(1e-16, LENGTH, "a hop lower than rounding is none"),
    "sight": Tolerance(0.5, LENGTH, "how far ahead another least distance of curves may come up"),
    "stepped": Tolerance(1e-9, LENGTH, "time steps: a gap that is closed, as steps and corrections leave it"),
    "deep": Tolerance(1e-12, LENGTH, "time steps: penetration that corrections leave, rounding of a few positions"),
    "slop": Tolerance(1e-6, LENGTH, "a gap deeper belongs to a feature met from behind; in time steps, at both ends"),
    "narrow": Tolerance(1e-6, LENGTH, "faces that overlap by less meet at one place: rows of two differ by rounding"),
    "brief": Tolerance(1e-6, SPEED, "a hop that is low and begins slower than this is none"),
    "still": Tolerance(1e-13, SPEED, "slip in the plane that is backwards by rounding may be about to begin"),
    "nothing": Tolerance(1e-30, SPEED, "no motion at all: what underflow leaves of zero approaches nothing"),
    "slowest": Tolerance(1e-6, SPEED, "motion by which the trace of slip in space is measured, however slow it is"),
    "stirs": Tolerance(1e-3, TIME, "slip is measured by no less than what accelerations at work give in this time"),
    "chatter": Tolerance(1e-2, TIME, "a contact that slips and sticks again within is at the very edge of its cone"),
    "blink": Tolerance(1e-9, TIME, "no part of a run is run again in less"),
    "sudden": Tolerance(4e-4, TIME, "all parts of solids are awake that come as near as they are in this time"),
    "imminent": Tolerance(4e-3, TIME, "what can be met within is tracked, or awake"),
    "awake": Tolerance(0.02, TIME, "what can touch within is awake: some steps of a run"),
    "shortest_look": Tolerance(1e-4, TIME, "another least distance of curves is looked for no sooner than this"),
    "longest_look": Tolerance(0.1, TIME, "and no later; what cannot touch within may sleep"),
    "at_rest": Tolerance(1e-10, NUMBER, "of the fastest approach so far: slower normal velocities are none"),
    "rounding": Tolerance(1e-12, NUMBER, "of the fastest motion of the same energy: rounding of a normal velocity"),
    "capture": Tolerance(1e-6, NUMBER, "of the fastest approach so far: slower rebounds end in contact"),
    "fastest": Tolerance(1e-3, NUMBER, "of the fastest motion: no rebound faster is captured, however it is pressed"),
    "lively": Tolerance(0.99, NUMBER, "a restitution with which rebounds hardly become slower"),
    "tensile": Tolerance(1e-9, NUMBER, "of the forces at work: less of a pull is rounding"),
    "cone": Tolerance(1e-11, NUMBER, "beyond the friction cone by half of this part, a contact slips for sure"),
    "cone_in_space": Tolerance(1e-9, NUMBER, "the same where cones are met by planes about them"),
    "wider": Tolerance(100.0, NUMBER, "so many times wider is the cone of a contact that chatters"),
    "no_slip": Tolerance(1e-9, NUMBER, "of the fastest motion: slower slip is none"),
    "left": Tolerance(1e-3, NUMBER, "of the fastest motion so far: some rounding is left of it, slip is not less"),
}


@record
class Tolerances:
    """The table in the units of one run; see there."""

    closed: f64
    reach: f64
    clear: f64
    bound: f64
    rise: f64
    sight: f64
    stepped: f64
    deep: f64
    slop: f64
    narrow: f64
    brief: f64
    still: f64
    nothing: f64
    slowest: f64
    stirs: f64
    chatter: f64
    blink: f64
    sudden: f64
    imminent: f64
    awake: f64
    shortest_look: f64
    longest_look: f64
    at_rest: f64
    rounding: f64
    capture: f64
    fastest: f64
    lively: f64
    tensile: f64
    cone: f64
    cone_in_space: f64
    wider: f64
    no_slip: f64
    left: f64


@cache
def tolerances_in(scales: Scales) -> Tolerances:
    """All of the table in the units of a run; nobody writes into it."""
    made = lay_out(Tolerances)
    write(made, *(absolute(row, scales) for row in TABLE.values()))
    return made


def absolute(tolerance: Tolerance, scales: Scales) -> float:
    """A tolerance in the units of a run."""
    length, time = tolerance.dimension
    return tolerance.value * scales.length**length * scales.time**time
