"""From events to time stepping and back: the scene of a run, and a stretch through what is too thick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.constraint.terms import Array, Base, Terms
from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.interference.passing import first_passing, interference_in, keep_watch
from latchwork.hybrid.interference.watch import STEPPED
from latchwork.hybrid.stops import expressions_of
from latchwork.hybrid.time_stepping.scene import Scene
from latchwork.hybrid.time_stepping.settings import EventRate
from latchwork.hybrid.time_stepping.steps import Stretch, stretch
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.traverse import rebuild

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

STEPPING = "time stepping"


def scene_of(driven: Driven, base: Base, held: Terms, contact_states: ContactStates, rest: Array) -> Scene:
    """What time stepping works with; contacts that the coordinates hold are refused."""
    within = [contact_point.name for contact_point in contact_states.contact_points if contact_point.held]
    if within:
        raise IntegrationError(
            f"'{within[0]}' of '{base.equations.name}' is held by the coordinates themselves and cannot be time-"
            "stepped. Give the body coordinates that let it leave, or leave lw.TimeStepping out."
        )
    return Scene(driven, base, held, tuple(contact_states.contact_points), contact_states.zones, rest)


def through(scene: Scene, x: Array, work: float, until: float, event_rate: EventRate, stops: Mapping[str, Any],
            progress: Callable[[float], Any] | None) -> Stretch:  # fmt: skip
    """The stretch that follows, at the step and with the calm that the settings ask for."""
    settings = event_rate.settings
    assert settings is not None, "only a run that may be stepped is"
    calm = np.inf if settings.always else event_rate.least
    return stretch(scene, x, work, until, settings.step, calm, _watched(scene, stops), progress)


def step_through(sim: Simulation, t_end: float, stops: Mapping[str, Any]) -> bool:
    """Time stepping until things are calm; whether a stop ended it."""
    world, record, before = sim.world, sim.record, sim.state.active
    table, contacts = sim.mode_table, sim.state.contacts.copied()
    world.watch_set.wake(contacts, table.base, sim.state.row)
    sim.state = state = sim.state.but(contacts=contacts)
    keep_watch(sim, state.row)
    scene = scene_of(state.driven, table.base, table.held(state.holds), contacts, state.rest)
    made = through(scene, state.row, float(state.x[-1]), t_end, state.event_rate, stops, world.progress)
    segment = made.segment()
    found = first_passing(sim, [segment.solution], STEPPED, between=False)
    if found is not None:
        raise interference_in(sim, [segment], found[1])
    record.tell(RunEvent(state.t, STEPPING, before, (STEPPING,), kind=STEPPING))
    sim.went([segment], made.states[-1], float(made.x[0]))
    contacts = contacts.copied()
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


def _watched(scene: Scene, stops: Mapping[str, Any]) -> Callable[[Array], dict[str, float]]:
    """The values of stops at a state, by name."""
    if not stops:
        return lambda x: {}
    g = scene.base.equations.system.graph
    nodes = rebuild(g, expressions_of(scene.base.equations, stops), scene.base.laws)
    function = Function(lower(g, nodes, scene.base.arguments))
    return lambda x: dict(zip(stops, function(x).tolist(), strict=True))
