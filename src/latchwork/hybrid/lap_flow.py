"""Flow in laps: stages that are run again in place; machine code goes on from mode to mode (`flow`) where the next one
is laid out, and what happened on the way is put down afterwards."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from latchwork.hybrid.constraint_impulses import constraint_impulses
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings
from latchwork.hybrid.flow import NOT_YET
from latchwork.hybrid.flow_memory import CHANGES, Change
from latchwork.hybrid.interference.passing import first_passing
from latchwork.hybrid.interference.watch import Passed
from latchwork.hybrid.laps import Lap, can_lap, lap_end
from latchwork.hybrid.mode_table import ModeTable, least_pivot
from latchwork.hybrid.path import Segment, Stage
from latchwork.hybrid.piece_flow import longest_step, plan_of
from latchwork.hybrid.plan import Broken, Departed, Ran, end_of
from latchwork.hybrid.prefetch import prepare_successors
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.integrate.again import Again
from latchwork.integrate.methods import RK4, DormandPrince, Method
from latchwork.integrate.status import END, EVENT, FULL
from latchwork.program.interrupt import interrupted
from latchwork.program.native import address

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


def run_laps(sim: Simulation, call: Call, lap: Lap, until: float, x: Array) -> tuple[Ran | None, Lap]:
    """Run from mode to mode, until a time, or an event that has to be passed here; the last lap, and what it gave.

    None where the last mode that was entered takes more care to begin. A stage goes on in other speeds where it asks
    for them.
    """
    segments: list[Segment] = []
    world, table, rest = sim.world, sim.mode_table, sim.state.rest
    flows = world.watch_set.is_idle(sim.state.contacts, table.base) and not sim.state.limited
    memory, ended = table.flow_of(sim.state.holds, sim.state.contacts.contact_points, len(rest)), False
    memory.know_only(sim.state.stages)
    try:
        while True:
            allowed = int(min(CHANGES, sim.state.event_rate.left)) if flows else 0
            status = memory(lap, sim.state.contacts, least_pivot(lap.stage), ended, until, rest, allowed, world.at_once,
                            world.brief)  # fmt: skip
            if world.progress is not None:
                world.progress(memory.reached)
            sim.record.end_switch(lap.began)
            lap.stage.get_ready()
            if changes := memory.changes():
                passed = _first_passed(sim, lap, segments, changes)
                changes = changes if passed is None else changes[: passed[0]]
                sim.record.segments += segments
                lap, segments = _changed(sim, lap, changes, memory.begun == FULL, call.crossings), []
                if passed is not None:
                    raise passed[1]
                if memory.begun != FULL and not _begun_late(lap, memory.begun, sim.state, rest):
                    return None, lap
                sim.record.end_switch()
                prepare_successors(sim, lap.guards, {}, lap.again.now)
                if memory.begun != FULL:
                    continue
            stops = interrupted()
            ended = status == EVENT and memory.is_full and not stops
            if status == FULL and not stops:
                table.laps.make_room(lap.again)
            if ended or (status == FULL and not stops):
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


def _changed(sim: Simulation, lap: Lap, changes: Sequence[Change], begun: bool, crossings: Crossings) -> Lap:
    """Account for changes that machine code has made; the last lap, which has begun or not."""
    record, table = sim.record, sim.mode_table
    for change in changes:
        before, state = sim.state, sim.state
        record.segments.append(Segment(change.solution, lap.stage))
        record.worked("integrate", lap.stage.names, lap.t, lap.began, change.ended)
        closed, points = before.contacts.closed, before.contacts.contact_points
        state = counted(state.but(t=change.t, x=change.x, begun=True), change.hits, crossings)
        sim.state = state = state.but(contacts=change.contacts.after(state.contacts))
        names = lap.stage.names, change.after.stage.names
        taken_up = partial(_taken_up, table, before, record.segments[-1], state) if state.holds else _nothing
        record.tell_later(change.t, closed, state.contacts.closed, points, change.impacts, change.hits, names, taken_up)
        record.begin_switch(change.t, *names, change.ended)
        if begun or change is not changes[-1]:
            record.end_switch(change.ready)
        entered = change.after
        lap = Lap(entered.again, entered.stage, entered.guards, change.longest, change.ready, change.t)
    return lap


def _nothing(impulses: Mapping[str, Array]) -> Mapping[str, Array]:
    """No constraint takes up anything of an impact."""
    return {}


def _taken_up(table: ModeTable, state: SimState, segment: Segment, after: SimState,
              impulses: Mapping[str, Array]) -> Mapping[str, Array]:  # fmt: skip
    """What constraints took up of an impact that ended a segment."""
    t, rest = after.t, after.driven.rest_at(after.rest, after.t)
    before = np.concatenate([[t], end_of(segment, rest)[1][:-1], rest])
    return constraint_impulses(table.held(state.holds), before, after.row, state.contacts.contact_points, impulses)


def _begun_late(lap: Lap, begun: int, state: SimState, rest: Array) -> bool:
    """Begin the mode after the last change, where machine code could not; whether it can be begun as always."""
    if begun != NOT_YET or not lap.again.is_current:
        return False
    return lap.again.begin_at(state.t, address(state.x), address(rest), least_pivot(lap.stage)) > 0


def _first_passed(sim: Simulation, lap: Lap, segments: Sequence[Segment],
                  changes: Sequence[Change]) -> tuple[int, Passed] | None:  # fmt: skip
    """Where shapes pass into each other in what was run from mode to mode: so many changes come before."""
    solutions = [*(s.solution for s in segments), *(change.solution for change in changes)]
    found = first_passing(sim, solutions)
    if found is None:
        return None
    i, passing = max(found[0] - len(segments), 0), found[1]
    stage = lap.stage if i == 0 else changes[i - 1].after.stage
    ended = Segment(changes[i].solution, stage)
    if i == 0:
        raise Passed(passing, [*segments, ended])
    return i, Passed(passing, [ended])
