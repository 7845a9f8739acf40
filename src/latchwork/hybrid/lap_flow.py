"""Flow in laps: stages that are run again in place, from one change of mode to the next."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings
from latchwork.hybrid.laps import Lap, can_lap, lap_end
from latchwork.hybrid.mode_table import ModeTable
from latchwork.hybrid.path import Segment, Stage
from latchwork.hybrid.piece_flow import longest_step, plan_of
from latchwork.hybrid.plan import Broken, Departed, Ran
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.integrate.again import Again
from latchwork.integrate.methods import RK4, DormandPrince, Method
from latchwork.integrate.status import END, FULL
from latchwork.integrate.stepper import steps
from latchwork.program.interrupt import interrupted
from latchwork.program.native import native

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation


@dataclass(eq=False)
class Call:
    """One call of ``advance``: its method and samples, and how often contacts changed at one instant."""

    method: Method
    samples: Array | None
    crossings: Crossings


def counted(state: SimState, hits: Sequence[Guard], crossings: Crossings) -> SimState:
    """With one more change, by what was hit: too many may be stepped through, or given up."""
    if state.event_rate.allowed:
        return state.but(event_rate=state.event_rate.count(state.t))
    crossings.count(state.t, hits)
    return state


def lap_of(sim: Simulation, call: Call, stage: Stage, guards: Guards, x: Array, until: float) -> Lap | None:
    """A stage that is begun where the run stands, ready to go on to the next event; none where it takes more."""
    state, world = sim.state, sim.world
    if (call.samples is not None or state.rules or state.driven.columns or stage.guards is None
            or world.watch_set.sleeps):  # fmt: skip
        return None
    for contact_point in state.contacts.contact_points:
        if contact_point.feature.tracked is not None:
            return None
    table = world.table(state.driven)
    again = _begun(table, call.method, stage, guards, state.t, state.x, state.rest, until)
    if again is None:
        return None
    return Lap(again, stage, guards, longest_step(table, state, x), time.perf_counter(), state.t)


def _begun(table: ModeTable, method: Method, stage: Stage, guards: Guards, t: float, x: Array, rest: Array,
           until: float) -> Again | None:  # fmt: skip
    if isinstance(method, (DormandPrince, RK4)) and can_lap(method, until - t):
        return table.laps.begun(stage, guards, method, t, x, rest)
    return None


def run_laps(sim: Simulation, call: Call, lap: Lap, until: float, x: Array) -> tuple[Ran, Lap]:
    """Run a lap until a time or an event; the last lap, and what it gave. A stage goes on in other speeds where it asks
    for them."""
    segments: list[Segment] = []
    table, rest = sim.mode_table, sim.state.rest
    try:
        while True:
            status = _steps(sim, lap, until)
            stops = interrupted()
            if status == FULL and not stops:
                table.laps.make_room(lap.again)
                continue
            ran = lap_end(lap.again, lap.stage, END if status == FULL else status, until, rest)
            segments += ran.segments
            if ran.stage is lap.stage or stops:
                return (ran if len(segments) == 1 else ran._replace(segments=segments)), lap
            t = float(segments[-1].solution.t[-1])
            again = _begun(table, call.method, ran.stage, lap.guards, t, ran.x, rest, until)
            if again is None:
                plan = plan_of(sim, call.method, lap.guards, None, x)
                ran = plan.run(ran.stage, ran.x, np.array([t, until]), rest)
                return ran._replace(segments=segments + ran.segments), lap
            lap = lap._replace(again=again, stage=ran.stage)
    except Departed as error:
        raise Departed(str(error), segments + error.segments, error.t, error.x) from None
    except Broken as error:
        raise Broken(str(error), segments + error.segments, error.reason) from None


def _steps(sim: Simulation, lap: Lap, until: float) -> int:
    """Steps of a lap: their status. What its end needs is made afterwards: the first step does not wait for that."""
    again, made = lap.again, native(steps)
    again.integration.control.longest = lap.longest
    status: int = (made.brief if again.is_brief else made.function)(again.at, until, again.lap.most)
    if sim.world.progress is not None:
        sim.world.progress(again.integration.control.t)
    sim.record.end_switch(lap.began)
    lap.stage.get_ready()
    return status
