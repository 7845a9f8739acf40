"""Shapes that pass into each other in a run: it goes back to the instant before, or ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from latchwork.errors import Interference
from latchwork.hybrid.interference.interference_error import explained, up_to
from latchwork.hybrid.interference.watch import TOLERANCE, Passed, Passing
from latchwork.hybrid.mode_integration import Broken
from latchwork.hybrid.partial_run import explained_error
from latchwork.hybrid.path import Segment
from latchwork.hybrid.table import Array
from latchwork.integrate.dense_output import Solution

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation


def keep_watch(sim: Simulation, x: Array) -> None:
    """Decide at a state (t, q, u, rest) which contacts the watch looks at from here on."""
    world, state = sim.world, sim.state
    awake = None
    if world.watch_set.bounds is not None:
        awake = [contact_point.contact for contact_point in state.contacts.contact_points]
    world.watch.see(state.driven, state.contacts.members, x, awake, state.overlaps)
    if world.watch.overlaps != state.overlaps:
        sim.state = state.but(overlaps=world.watch.overlaps)


def look_for_passing(sim: Simulation, solutions: Sequence[Solution], tolerance: float = TOLERANCE,
                     between: bool = True) -> tuple[int, Passing] | None:  # fmt: skip
    """The first passing in some solutions, from where the run stands on, and in which; what was met from behind is left
    alone until it is apart, which the state keeps."""
    watch = sim.world.watch
    found = watch.first(solutions, sim.state.rest_now, tolerance, between)
    if watch.overlaps != sim.state.overlaps:
        sim.state = sim.state.but(overlaps=watch.overlaps)
    return found


def must_not_pass(sim: Simulation, segments: Sequence[Segment], between: bool) -> None:
    """Refuse segments, from where the run stands on, in which shapes pass into each other."""
    found = look_for_passing(sim, [s.solution for s in segments], between=between)
    if found is not None:
        raise Passed(found[1], segments)


def go_back(sim: Simulation, found: Passed) -> float:
    """Shapes have passed into each other: run again to the instant before it, then in short steps, in which guards are
    found that a long one leaps over. Gives the time until which to run next; ends the run where that was tried."""
    passing, t, short = found.passing, sim.state.t, sim.state.short
    if short is not None and t >= short[0]:
        raise interference_in(sim, found.segments, passing)
    blink = sim.mode_table.tolerances.blink
    begin = passing.before if passing.before - t > blink else t
    short = begin, max(2.0 * passing.after - passing.before, begin + blink)
    sim.state = sim.state.but(short=short)
    return begin if begin > t else short[1]


def interference_in(sim: Simulation, segments: Sequence[Segment], passing: Passing) -> Interference:
    """The error that ends a run in which shapes pass into each other, with the run up to there."""
    error = explained_error(sim, sim.method, Broken("", up_to(segments, passing.t)))
    return explained(error, sim.equations.name, passing)
