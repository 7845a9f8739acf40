"""Flow in laps: stages that are run again in place, from one change of mode to the next, by machine code where the
change was made before (`relay`); what happened on the way is put down afterwards."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from latchwork.hybrid.constraint_impulses import constraint_impulses
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.foresight import Around
from latchwork.hybrid.handover import Change, Entered
from latchwork.hybrid.interference.passing import first_passing
from latchwork.hybrid.interference.watch import Passed
from latchwork.hybrid.laps import Lap, can_lap, lap_end
from latchwork.hybrid.mode_table import ModeTable, least_pivot
from latchwork.hybrid.path import Segment, Stage
from latchwork.hybrid.piece_flow import longest_step, plan_of
from latchwork.hybrid.plan import Broken, Departed, Ran, end_of
from latchwork.hybrid.prefetch import prepare_successors
from latchwork.hybrid.relay import MOST, NOT_YET, Note
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.integrate.again import Again
from latchwork.integrate.methods import RK4, DormandPrince, Method
from latchwork.integrate.status import END, EVENT, FULL
from latchwork.program.interrupt import interrupted

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation


@dataclass(eq=False)
class Call:
    """One call of ``advance``: its method and samples, how often contacts changed at one instant, and the last change
    that may be made again from lap to lap."""

    method: Method
    samples: Array | None
    crossings: Crossings
    change: Change | None = None


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
    """Run from lap to lap, until a time, or an event that is new here; the last lap, and what it gave.

    None where it was handed over to a lap that takes more care to begin. A stage goes on in other speeds where it
    asks for them.
    """
    segments: list[Segment] = []
    world, table, rest = sim.world, sim.mode_table, sim.state.rest
    hands = world.watch_set.is_idle(sim.state.contacts, table.base) and not sim.state.limited
    relay, ended = table.relay, False
    try:
        while True:
            most = min(MOST, sim.state.event_rate.left) if hands else 0
            status = _relay(sim, lap, ended, until, int(most))
            _learn(sim, call, lap, bool(segments), status != EVENT and not lap.again.is_brief)
            if notes := relay.notes(lap):
                passed = _first_passed(sim, lap, segments, notes)
                notes = notes if passed is None else notes[: passed[0]]
                sim.record.segments += segments
                lap, segments = handed(sim, lap, notes, relay.begun == 1, call.crossings), []
                if passed is not None:
                    raise passed[1]
                if relay.begun != 1 and not _begun_late(notes[-1], relay.begun, rest):
                    return None, lap
                sim.record.end_switch()
                prepare_successors(sim, lap.guards, {}, lap.again.now)
                if relay.begun != 1:
                    continue
            stops = interrupted()
            ended = status == EVENT and (relay.is_full or relay.stale >= 0) and not stops
            if relay.stale >= 0:
                lap.again.following[relay.stale].ready()
            if status == FULL and stops:
                status = END
            if status == FULL:
                table.laps.make_room(lap.again)
            if ended or status == FULL:
                continue
            ran = lap_end(lap.again, lap.stage, status, until, rest)
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


def _relay(sim: Simulation, lap: Lap, ended: bool, until: float, most: int) -> int:
    """Run on from a lap, which an event has ended already or not; the status of the stepper.

    What its end needs is made afterwards: the first step does not wait for that.
    """
    relay, contacts, world = sim.mode_table.relay, sim.state.contacts, sim.world
    relay.scales[:] = contacts.speed, contacts.pace, world.brief
    status = relay(lap, ended, until, sim.state.rest, most)
    if world.progress is not None:
        world.progress(relay.reached)
    sim.record.end_switch(lap.began)
    lap.stage.get_ready()
    return status


def handed(sim: Simulation, lap: Lap, notes: Sequence[Note], begun: bool, crossings: Crossings) -> Lap:
    """Account for changes that were made from lap to lap; the last lap, which has begun or not."""
    state, record, table = sim.state, sim.record, sim.mode_table
    for note in notes:
        handover, after, t = note.handover, note.after, note.t
        mode = after.mode
        record.segments.append(Segment(note.solution, lap.stage))
        record.worked("integrate", lap.stage.names, lap.t, lap.began, note.ended)
        was = _struck_from(state, record.segments[-1], t) if state.holds else None
        contacts = state.contacts.but(closed=mode.closed, leaving_depths=mode.leaving_depths, zones=mode.zones,
                                      speed=note.speed, pace=note.pace, lam=handover.forces(note.found))  # fmt: skip
        sim.state = state.but(t=t, x=note.state[:-1].copy(), begun=True, contacts=contacts)
        sim.state = state = counted(sim.state, handover.hits, crossings)
        events = handover.events(t, after, note.found)
        if was is not None:
            events = [_with_constraints(table, state, event, was) for event in events]
        record.events.extend(events)
        record.begin_switch(t, handover.names, mode.names, note.ended)
        if begun or note is not notes[-1]:
            record.end_switch(note.ready)
        lap = Lap(mode.again, mode.stage, mode.guards, float(note.state[-1]), note.ready, t)
    return lap


def _struck_from(state: SimState, segment: Segment, t: float) -> Array:
    """(t, q, u, rest) where a segment ends, before what happens there."""
    rest = state.driven.rest_at(state.rest, t)
    return np.concatenate([[t], end_of(segment, rest)[1][:-1], rest])


def _with_constraints(table: ModeTable, state: SimState, event: RunEvent, before: Array) -> RunEvent:
    """An impact with what constraints took up of it."""
    if event.kind != "impact":
        return event
    found = constraint_impulses(table.held(state.holds), before, state.row, state.contacts.contact_points,
                                event.impulses)  # fmt: skip
    return replace(event, impulses={**event.impulses, **found})


def _begun_late(note: Note, begun: int, rest: Array) -> bool:
    """Begin the lap after the last change, where machine code could not; whether it can be begun as always."""
    if begun == NOT_YET:
        begun = note.handover.begin(note.after, note.t, rest)
    if begun < 0:
        note.handover.forget(note.after)
    return begun > 0


def _learn(sim: Simulation, call: Call, lap: Lap, rewritten: bool, spare: bool) -> None:
    """Remember a change of mode that was made before a lap, and the mode; where there is time, others to come.

    ``rewritten``: the lap is in other speeds than those in which the mode is entered.
    """
    change, foresight = call.change, sim.mode_table.foresight
    is_new = change is not None or not foresight.knows(lap.again)
    if is_new or spare:
        sim.world.ahead.wait()  # what is learned makes symbols
    if is_new:
        s, call.change = sim.state.contacts, None
        mode = Entered(lap.again, lap.stage, lap.guards, sim.state.active, s.closed, s.leaving_depths, s.zones,
                       least_pivot(lap.stage))  # fmt: skip
        around = Around(tuple(s.contact_points), frozenset(s.behind), sim.mode_table.held(sim.state.holds))
        if change is not None:
            foresight.learn(change, mode, around)
        if not foresight.knows(lap.again):
            foresight.enter(mode, around, rewritten)
    if spare:
        foresight.foresee()


def _first_passed(sim: Simulation, lap: Lap, segments: Sequence[Segment],
                  notes: Sequence[Note]) -> tuple[int, Passed] | None:  # fmt: skip
    """Where shapes pass into each other in what was run from lap to lap: so many changes come before."""
    solutions = [*(s.solution for s in segments), *(note.solution for note in notes)]
    found = first_passing(sim, solutions)
    if found is None:
        return None
    i, passing = max(found[0] - len(segments), 0), found[1]
    stage = lap.stage if i == 0 else notes[i - 1].after.mode.stage
    ended = Segment(notes[i].solution, stage)
    if i == 0:
        raise Passed(passing, [*segments, ended])
    return i, Passed(passing, [ended])
