"""From events to time stepping and back: a time-stepped interval where events come too thick."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from latchwork.constraint.terms import Base
from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.interference.passing import first_passing, interference_in, keep_watch
from latchwork.hybrid.interference.watch import STEPPED
from latchwork.hybrid.time_stepping.step_memory import StepMemory
from latchwork.hybrid.time_stepping.stepped_interval import stepped

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

STEPPING = "time stepping"


def must_leave(s: ContactStates, base: Base) -> None:
    """Refuse contacts that the coordinates hold: they have no rows to step with."""
    within = [contact_point.name for contact_point in s.contact_points if contact_point.held]
    if within:
        raise IntegrationError(
            f"'{within[0]}' of '{base.equations.name}' is held by the coordinates themselves and cannot be time-"
            "stepped. Give the body coordinates that let it leave, or leave lw.TimeStepping out."
        )


def step_through(sim: Simulation, t_end: float, stops: Mapping[str, Any]) -> bool:
    """Time stepping until things are calm; whether a stop ended it."""
    world, record, before = sim.world, sim.record, sim.state.active
    table, contacts = sim.mode_table, sim.state.contacts.copied()
    world.watch_set.wake(contacts, table.base, sim.state.row)
    sim.state = state = sim.state.but(contacts=contacts)
    keep_watch(sim, state.row)
    must_leave(contacts, table.base)
    rate, settings = state.event_rate, state.event_rate.settings
    assert settings is not None, "only a run that may be stepped is"
    calm = math.inf if settings.always else rate.least
    memory = StepMemory(table.resets.memory, table.held(state.holds), contacts, state.row, float(state.x[-1]),
                        settings.step, calm, stops)  # fmt: skip
    made = stepped(memory, state.driven, state.rest, t_end, stops, world.progress)
    segment = made.segment()
    found = first_passing(sim, [segment.solution], STEPPED, between=False)
    if found is not None:
        raise interference_in(sim, [segment], found[1])
    record.tell(RunEvent(state.t, STEPPING, before, (STEPPING,), kind=STEPPING))
    sim.went([segment], made.states[-1], float(made.x[0]))
    contacts = contacts.copied()
    contacts.zones = memory.zones()
    contacts.left(made.x)
    rests = made.rests
    if rests is not None:
        contacts.rest(made.x, rests)
    rate = sim.state.event_rate.leave(rests is not None)
    sim.state = state = sim.state.but(contacts=contacts, settled=rests is not None, event_rate=rate)
    after = state.active if rests is not None else (*state.holds, *made.labels())
    record.tell(RunEvent(state.t, STEPPING, (STEPPING,), after, kind=STEPPING, notes=made.told()))
    record.events.extend(RunEvent(state.t, name, after, after) for name in made.stopped)
    if made.stopped:
        sim.state = state.but(stopped=(state.t, frozenset(made.stopped)))
    return bool(made.stopped)
