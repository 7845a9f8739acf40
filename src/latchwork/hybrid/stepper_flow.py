"""Flow by steps of our own: a mode is begun where the run stands, and machine code goes on from mode to mode (`flow`)
where the next one is laid out; what happened on the way is put down afterwards."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from latchwork.errors import IntegrationError
from latchwork.hybrid.closed_loop import Controlled
from latchwork.hybrid.constraint_impulses import constraint_impulses
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.friction import forces_in
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings
from latchwork.hybrid.contacts.rooms import Sleeping
from latchwork.hybrid.flow import NOT_YET
from latchwork.hybrid.flow_changes import Change
from latchwork.hybrid.flow_memory import CHANGES, FlowMemory
from latchwork.hybrid.horizon import Leg, relied, thinned
from latchwork.hybrid.interference.rollback import look_for_passing
from latchwork.hybrid.interference.watch import Passed
from latchwork.hybrid.mode_integration import (
    Broken,
    Departed,
    FlowResult,
    ModeIntegration,
    broken,
    end_of,
    ended,
    integration_end,
)
from latchwork.hybrid.mode_table import ModeTable, least_pivot, with_mode
from latchwork.hybrid.modes import keep_speeds
from latchwork.hybrid.path import ModeDynamics, Segment
from latchwork.hybrid.prefetch import prepare_successors
from latchwork.hybrid.reset import Began, KeptReset
from latchwork.hybrid.rules import Rules, guard_kind
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.integrate.methods import RK4, Adaptive, Method
from latchwork.integrate.reusable_integration import ReusableIntegration, Samples
from latchwork.integrate.status import Status
from latchwork.program.interrupt import interrupted
from latchwork.program.native import address

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation


@dataclass(eq=False)
class Call:
    """One call of ``advance``: its method and samples, and how often contacts changed at one instant.

    Steps that are fixed are counted from ``grid``, whatever happens between them.
    """

    method: Method
    samples: Array | None
    crossings: Crossings
    grid: float


def counted(state: SimState, hits: Sequence[Guard], crossings: Crossings) -> SimState:
    """With one more change, by what was hit: too many are stepped through where that is allowed, or refused."""
    rate = state.event_rate
    if rate.allowed:
        return state.but(event_rate=rate.count(state.t, _coupling(state)))
    try:
        crossings.count(state.t, hits)
    except IntegrationError:
        if not rate.follows:
            raise
        return state.but(event_rate=rate.without_events())
    return state


def _coupling(state: SimState) -> int:
    """Closed contacts that couple bodies; friction of a joint couples nothing."""
    return sum([not point.is_bounded for point in state.contacts.closed])


def grid_of(state: SimState, step: float) -> float:
    """Where fixed steps of a length are counted from: as those before; else from where the run began, if it stands at
    such a step now; else from here.

    So times are the same to the last bit, whether steps are made in one go, in pieces or by ticks.
    """
    if state.grid is not None and state.grid[1] == step:
        return state.grid[0]
    return state.began if is_on_grid(state.t, state.began, step) else state.t


def is_on_grid(t: float, origin: float, step: float) -> bool:
    """Whether fixed steps from an origin come to a time exactly."""
    return origin + float(round((t - origin) / step)) * step == t


class Standing(NamedTuple):
    """A mode that a run stands in, and when it began, by the clock and t."""

    dynamics: ModeDynamics
    began: float
    t: float


class FlowSetup(NamedTuple):
    """What a flow needs that may have to be made of symbols: a step that is short enough for gaps to be followed, and
    the memory of machine code that goes from mode to mode, where it may."""

    longest: float
    memory: FlowMemory | None


def flow_setup(sim: Simulation, dynamics: ModeDynamics, stops: Mapping[str, Any], x: Array) -> FlowSetup:
    """See to what a flow of a mode from x = (t, q, u, rest) needs, before symbols are worked on beside it."""
    state, table = sim.state, sim.mode_table
    longest = table.pacing(x) if state.contacts.members else math.inf
    if not goes_by_itself(sim):
        return FlowSetup(longest, None)
    armed = state.rules.armed(state.held_names) if state.rules else ()
    memory = table.flow_of(state.holds, state.contacts.contact_points, stops, armed, len(state.rest))
    memory.look_at(x)
    memory.know_only(state.modes, dynamics)
    return FlowSetup(longest, memory)


def kinds_at(guards: Guards, state: SimState) -> list[int]:
    """Where guards are armed as a run begins: those that ended it here must rise before they end it again."""
    over = state.stopped[1] if state.stopped[0] == state.t else frozenset()
    return [guard_kind(guard, state.rules, over) for guard in guards]


def flow_by_steps(sim: Simulation, call: Call, method: Adaptive | RK4, dynamics: ModeDynamics, guards: Guards,
                  stops: Mapping[str, Any], ready: FlowSetup, until: float,
                  whole: bool) -> FlowResult | None:  # fmt: skip
    """Run from mode to mode, until a time, or an event that has to be passed here.

    A mode goes on in other speeds where it asks for them. Every change is passed here where something is tracked, or
    contacts decide which rules are armed. All steps are kept where they are wanted ``whole``, until it is checked that
    what sleeps cannot have touched; what was run since is run again where it may. None where the last mode that was
    entered takes more care to begin, or it has to be looked at what sleeps.
    """
    state, table, rest = sim.state, sim.mode_table, sim.state.rest_now
    wanted = None if call.samples is None else Samples(call.samples, rest)
    samples = None if whole else wanted
    kinds = kinds_at(guards, state) if dynamics.guards is not None and (state.rules or stops) else None
    (longest, memory), segments, over, t, now = ready, list[Segment](), False, state.t, state.x
    current: ModeIntegration | None = None
    try:
        while True:
            integration, status = _begun(table, method, dynamics, guards, t, now, rest, until, call.grid, kinds,
                                         segments)  # fmt: skip
            if current is None:
                current = ModeIntegration(integration, dynamics, guards, longest, time.perf_counter(), t)
            else:
                current = current._replace(integration=integration, dynamics=dynamics)
            if status == Status.EVENT:
                result = ended(Segment(integration.at_once(rest), dynamics), guards, current.began, current.t, rest)
                sim.record.end_switch(current.began)
                return result._replace(segments=segments + result.segments)
            while True:
                status, reached = _called(sim, memory, current, over, until, rest)
                sim.record.end_switch(current.began)
                current.dynamics.get_ready()
                if memory is not None and (changes := memory.changes(samples, rest)):
                    spent, again = relied(sim, legs_of(sim.state.contacts, segments, changes))
                    changes = changes[: len(spent)]
                    passed = _first_passed(sim, current, segments, changes, samples is None) if changes else None
                    changes = changes if passed is None else changes[: passed[0]]
                    if changes:
                        thin = wanted if whole else None
                        sim.record.segments += segments if thin is None else [thinned(s, thin) for s in segments]
                        begun = memory.begun == Status.FULL
                        current = _changed(sim, current, changes, begun, call.crossings, spent, thin)
                        segments = []
                    if passed is not None:
                        raise passed[1]
                    if again is not None:
                        sim.state = again(sim.state)
                        return None
                    _tell_progress(sim, reached)
                    if changes[-1].after is None:
                        memory.memory.current = sim.state.contacts  # the scene is left as it is after the reset
                        return None
                    if memory.begun != Status.FULL and not _begun_late(current, memory.begun, sim.state, rest):
                        return None
                    sim.record.end_switch()
                    prepare_successors(sim, current.guards, stops, current.integration.now)
                    if memory.begun != Status.FULL:
                        continue
                else:
                    _tell_progress(sim, reached)
                halts = interrupted()
                over = status == Status.EVENT and memory is not None and memory.is_full and not halts
                if status == Status.FULL and not halts:
                    table.integrations.make_room(current.integration, samples)
                    current.integration.fuse(until, rest)
                if not (over or (status == Status.FULL and not halts)):
                    break
            result = integration_end(current, Status.END if status == Status.FULL else status, until, rest, samples)
            segments += result.segments
            if result.dynamics is current.dynamics or result.hit or halts:
                return result._replace(segments=segments)
            t, now, dynamics, guards = result.end, result.x, result.dynamics, current.guards
            keep_speeds(sim, stops, dynamics, guards, t, now, rest)
            kinds = None if kinds is None else kinds_at(guards, sim.state)
            if memory is not None:
                memory.know_only(sim.state.modes, dynamics)
            if t >= until:
                return result._replace(segments=segments)
    except Departed as error:
        raise Departed(str(error), segments + error.segments, error.t, error.x) from None
    except Broken as error:
        raise Broken(str(error), segments + error.segments, error.reason) from None


def goes_by_itself(sim: Simulation) -> bool:
    """Whether machine code may go from mode to mode: nothing has to be looked at where contacts change."""
    state, points = sim.state, sim.state.contacts.contact_points
    if isinstance(sim.world.design, Controlled):  # laws are put into modes that Python lays out
        return False
    if not points:
        return False
    return not (state.rules and state.rules.follows([point.contact.whole.name for point in points]))


def _begun(table: ModeTable, method: Adaptive | RK4, dynamics: ModeDynamics, guards: Guards, t: float, x: Array,
           rest: Array,
           until: float, grid: float, kinds: Sequence[int] | None,
           segments: Sequence[Segment]) -> tuple[ReusableIntegration, int]:  # fmt: skip
    """A mode begun at (t, x): FULL where it can be run, EVENT where guards fall at once. Else it is refused."""
    try:
        if isinstance(method, RK4):
            method.count(until - t)
        integration, status = table.integrations.begun(dynamics, guards, method, t, x, rest, grid, kinds)
        if status not in (Status.FULL, Status.EVENT):
            integration.fail(status, until, False)
    except IntegrationError as error:
        raise broken(error, dynamics, t, rest, x) from None
    integration.record.control.tried = sum([s.solution.stats.steps + s.solution.stats.rejected for s in segments])
    integration.fuse(until, rest)
    return integration, status


def _called(sim: Simulation, memory: FlowMemory | None, current: ModeIntegration, over: bool, until: float,
            rest: Array) -> tuple[int, float]:  # fmt: skip
    """Run from where an integration stands; the status of the stepper, and the time reached."""
    world, state = sim.world, sim.state
    if memory is None:
        return current.integration.steps(until, current.longest), current.integration.record.control.t
    allowed = int(min(CHANGES, state.event_rate.left))
    status = memory(current, state.contacts, state.rules, least_pivot(current.dynamics), over, until, rest, allowed,
                    world.at_once, world.brief)  # fmt: skip
    return status, memory.reached


def _tell_progress(sim: Simulation, reached: float) -> None:
    """Tell how far the run is, where somebody wants to know: what happened on the way is known by then."""
    if sim.world.progress is not None:
        sim.world.progress(reached)


def legs_of(s: ContactStates, segments: Sequence[Segment], changes: Sequence[Change]) -> list[Leg]:
    """What was run before each change, from some segments and contact states on."""
    ran = [[] if change.solution is None else [Segment(change.solution, change.before.dynamics)] for change in changes]
    first = Leg([*segments, *ran[0]], lambda: s)
    return [first, *[Leg(leg, partial(change.contacts.after, s))
                     for leg, change in zip(ran[1:], changes, strict=False)]]  # fmt: skip


def _changed(sim: Simulation, current: ModeIntegration, changes: Sequence[Change], begun: bool,
             crossings: Crossings, spent: Sequence[Sleeping], thin: Samples | None) -> ModeIntegration:  # fmt: skip
    """Account for changes that machine code has made from a mode: the integration of the last, which has begun or
    not."""
    began, entered = put_down(sim, current, changes, begun, crossings, spent, thin), changes[-1].after
    if entered is None:
        return current
    return ModeIntegration(entered.integration, entered.dynamics, entered.guards, changes[-1].longest, began,
                           changes[-1].t)  # fmt: skip


def put_down(sim: Simulation, current: ModeIntegration | Standing, changes: Sequence[Change], begun: bool,
             crossings: Crossings, spent: Sequence[Sleeping], thin: Samples | None = None) -> float:  # fmt: skip
    """Account for changes that machine code has made from a mode, with so much ``spent`` of the rooms of what sleeps:
    when the last mode began by the clock, if it has. Samples are kept where steps are to be thinned."""
    record, table, dynamics, entered = sim.record, sim.mode_table, current.dynamics, None
    began, t = current.began, current.t
    for change, following, sleeping in zip_longest(changes, changes[1:], spent[: len(changes)]):
        before, state = sim.state, sim.state
        ended = partial(_stood, before)
        if change.solution is not None:
            segment = Segment(change.solution, dynamics)
            segment = segment if thin is None else thinned(segment, thin)
            record.segments.append(segment)
            record.worked("integrate", dynamics.names, t, began, change.ended)
            ended = partial(_ended, before, segment)
        closed, points = before.contacts.closed, before.contacts.contact_points
        state = state.but(t=change.t, x=change.x, begun=True)
        state = counted(state.having_slept(sleeping), change.hits, crossings)
        modes = state.modes if change.laid is None else with_mode(state.modes, *change.laid)
        state = state.but(contacts=change.contacts.after(state.contacts), modes=modes)
        entered = change.after
        if entered is not None and entered.guards.of_rules and (begun or change is not changes[-1]):
            state = state.but(rules=_looked(table, state, entered.guards, change.conditions))
        sim.state = state
        record.note_backs(state)
        names = dynamics.names, state.active if entered is None else entered.dynamics.names
        taken_up = partial(_taken_up, table, ended, state) if state.holds else _nothing
        kept = record.keep(KeptReset(sim.world, partial(_before_reset, ended, dynamics, change.hits), change.hits,
                                     state))  # fmt: skip
        record.tell_later(change.t, closed, state.contacts.closed, points, change.impacts, change.hits, names, taken_up,
                          kept)  # fmt: skip
        if names[0] != names[1] or record.pending is None:
            record.begin_switch(change.t, *names, change.ended)
        if begun if following is None else following.solution is not None:
            record.end_switch(change.ready)
        if entered is not None:
            dynamics, began, t = entered.dynamics, change.ready, change.t
    return began


def _looked(table: ModeTable, state: SimState, guards: Guards, conditions: Array) -> Rules:
    """The rules where a mode has begun, with these conditions and rates."""
    watched = [guard for guard in guards if guard.kind == "rule"]
    return state.rules.look(state.row, table.base, state.held_names, watched, conditions.T.ravel(), False)


def _nothing(impulses: Mapping[str, Array]) -> Mapping[str, Array]:
    """No constraint takes up anything of an impact."""
    return {}


def _stood(state: SimState) -> SimState:
    """The state where forces were below zero as a mode began."""
    return state


def _ended(state: SimState, segment: Segment) -> SimState:
    """The state where guards ended a segment that began in a state."""
    t = float(segment.solution.t[-1])
    return state.but(t=t, x=end_of(segment, state.driven.rest_at(state.rest, t))[1])


def _taken_up(table: ModeTable, ended: Callable[[], SimState], after: SimState,
              impulses: Mapping[str, Array]) -> Mapping[str, Array]:  # fmt: skip
    """What constraints took up of an impact where a mode ended."""
    state = ended()
    terms, points = table.constraint_terms(state.holds), state.contacts.contact_points
    return constraint_impulses(terms, state.row, after.row, points, impulses)


def _before_reset(ended: Callable[[], SimState], dynamics: ModeDynamics, hits: Sequence[Guard]) -> Began:
    """The state where guards ended a mode, and forces if a contact slips there."""
    state = ended()
    slips = any([guard.kind == "slip" for guard in hits])
    return state, forces_in(dynamics, state.t, state.x, state.rest_now) if slips else {}


def _begun_late(current: ModeIntegration, begun: int, state: SimState, rest: Array) -> bool:
    """Begin the mode after the last change, where machine code could not; whether it can be begun as always."""
    if begun != NOT_YET or state.rules or not current.integration.is_current:
        return False
    least = least_pivot(current.dynamics)
    return current.integration.begin_at(state.t, address(state.x), address(rest), least) == Status.FULL


def _first_passed(sim: Simulation, current: ModeIntegration, segments: Sequence[Segment], changes: Sequence[Change],
                  between: bool) -> tuple[int, Passed] | None:  # fmt: skip
    """Where shapes pass into each other in what was run from mode to mode: so many changes come before."""
    ran = [(i, change.solution) for i, change in enumerate(changes) if change.solution is not None]
    solutions = [*(s.solution for s in segments), *(solution for _, solution in ran)]
    found = look_for_passing(sim, solutions, between=between)
    if found is None:
        return None
    (i, solution), passing = ran[max(found[0] - len(segments), 0)], found[1]
    last = Segment(solution, changes[i].before.dynamics)
    if i == 0:
        raise Passed(passing, [*segments, last])
    return i, Passed(passing, [last])
