"""From events to time stepping and back: a time-stepped interval where events come too thick."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from latchwork.constraint.terms import Array, Base
from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.rooms import Sleeping
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.interference.rollback import interference_in, keep_watch, look_for_passing
from latchwork.hybrid.interference.watch import STEPPED
from latchwork.hybrid.time_stepping.clearances import ClearanceMemory
from latchwork.hybrid.time_stepping.near_pairs import NearPairs
from latchwork.hybrid.time_stepping.settings import EventRate
from latchwork.hybrid.time_stepping.step_memory import StepMemory
from latchwork.hybrid.time_stepping.stepped_interval import stepped

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

STEPPING = "time stepping"
AHEAD = 3.0  # rooms of shapes: pairs within become contacts along with those that are near


def must_leave(s: ContactStates, base: Base, asked: bool) -> bool:
    """Whether all contacts can leave. Those that the coordinates hold have no rows to step with: refused where time
    stepping was asked for."""
    within = [contact_point.name for contact_point in s.contact_points
              if contact_point.without_normal and not contact_point.is_bounded]  # fmt: skip
    if within and asked:
        raise IntegrationError(
            f"'{within[0]}' of '{base.equations.name}' is held by the coordinates themselves and cannot be time-"
            "stepped. Give the body coordinates that let it leave, or leave lw.TimeStepping out."
        )
    return not within


class ComingPairs:
    """Pairs of shapes that come near while a run is stepped: contacts from then on, which the steps go on with."""

    def __init__(self, sim: Simulation, memory_at: Callable[[ContactStates, Array, float], StepMemory]) -> None:
        self._sim, self._memory_at = sim, memory_at

    def looked(self, memory: StepMemory) -> StepMemory:
        """The memory to step on with where a clearance was used up: with contacts of pairs that are near, if any."""
        sim, x = self._sim, memory.x
        world, table = sim.world, sim.mode_table
        near, rooms = world.broad_phase.see(table.base, x, sim.state.presence, AHEAD)
        sim.state = sim.state.but(sleeping=Sleeping(rooms))
        if not near:
            memory.look_with(ClearanceMemory(*world.broad_phase.clearances(rooms)))
            return memory
        contacts, places = memory.contacts.copied(), dict(memory.scene.places)
        contacts.zones = memory.zones()
        sim.state = world.joined(sim.state.but(contacts=contacts), near)
        contacts = sim.state.contacts.copied()
        world.watch_set.bound(contacts, table.base, x, world.may_sleep)
        sim.state = sim.state.but(contacts=contacts)
        made = self._memory_at(contacts, x, float(memory.record.work))
        made.go_on_from(memory, places)
        return made


def step_through(sim: Simulation, t_end: float, stops: Mapping[str, Any]) -> bool:
    """Time stepping until things are calm; whether a stop ended it."""
    world, record, before = sim.world, sim.record, sim.state.active
    table, contacts = sim.mode_table, sim.state.contacts.copied()
    sim.state = state = sim.state.but(contacts=contacts)
    keep_watch(sim, state.row)
    rate, settings = state.event_rate, state.event_rate.settings
    assert settings is not None, "only a run that may be stepped is"
    calm = math.inf if settings.always else rate.least

    def memory_at(contacts: ContactStates, x: Array, work: float) -> StepMemory:
        pairs = NearPairs(contacts, table.base, world.watch_set)
        terms, rooms = table.constraint_terms(state.holds), sim.state.sleeping.pairs
        clearances = ClearanceMemory(*world.broad_phase.clearances(rooms))
        return StepMemory(table.resets.memory, terms, pairs, x, work, settings.step, calm, stops, clearances,
                          world.step_programs)  # fmt: skip

    memory = memory_at(contacts, state.row, float(state.x[-1]))
    if not must_leave(contacts, table.base, not rate.by_itself):
        sim.state = state.but(event_rate=EventRate(None))
        return False
    pairs = ComingPairs(sim, memory_at)
    made = stepped(memory, state.driven, state.rest, t_end, stops, world.progress, pairs, rate.stays,
                   rate.by_itself)  # fmt: skip
    memory, contacts = made.memory, made.memory.contacts
    sim.state = state = sim.state.but(contacts=contacts, sleeping=Sleeping())
    keep_watch(sim, state.row)
    segment = made.segment()
    found = look_for_passing(sim, [segment.solution], STEPPED, between=False)
    if found is not None:
        raise interference_in(sim, [segment], found[1])
    record.tell(RunEvent(state.t, STEPPING, before, (STEPPING,), kind=STEPPING))
    sim.went([segment], made.states[-1], float(made.x[0]))
    contacts = contacts.copied()
    contacts.zones = memory.zones()
    contacts.forget_closed(made.x)
    rests = made.rests
    if rests is not None:
        contacts.set_at_rest(made.x, rests)
    rate = sim.state.event_rate.leave(rests is not None)
    if made.rests_from is not None:
        rate = replace(rate, stuck=True, rests=False)
    sim.state = state = sim.state.but(contacts=contacts, settled=rests is not None, event_rate=rate)
    after = state.active if rests is not None else (*state.holds, *made.labels())
    record.tell(RunEvent(state.t, STEPPING, (STEPPING,), after, kind=STEPPING, notes=made.told()))
    record.events.extend(RunEvent(state.t, name, after, after) for name in made.stopped)
    if made.stopped:
        sim.state = state.but(stopped=(state.t, frozenset(made.stopped)))
    return bool(made.stopped)
