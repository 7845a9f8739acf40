"""What is done at the guards that have fallen where a run stands: rules fire, limits let go, contacts are reset.

Each function takes the simulation to its next state, and notes in the record what there is to tell.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latchwork.hybrid.contacts.friction import forces_in
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.online import fire, release
from latchwork.hybrid.online_contacts import fetched
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.reset import reset
from latchwork.hybrid.rules import Watched
from latchwork.hybrid.stepper_flow import counted
from latchwork.hybrid.table import Array

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

NEAR = "near "  # a guard of this name, and that of the contact, falls where a bound is entered


def pass_guards_and_rules(sim: Simulation, crossings: Crossings, dynamics: ModeDynamics, hits: Sequence[Guard],
                          asked: Mapping[str, Any]) -> bool:  # fmt: skip
    """Go through guards among which are conditions and rules; whether the run ends there."""
    sim.state = sim.state.but(rules=sim.state.rules.hit(hits))
    named = [guard.about for guard in hits if guard.kind == "stop"]
    stopped = [name for name in named if name in asked]
    tell_of_stops(sim, stopped)
    changes = [guard for guard in hits if guard.kind not in ("stop", "rule")]
    pass_guards(sim, crossings, dynamics, changes)
    fetch(sim, (name.removeprefix(NEAR) for name in named if name not in asked))
    rule = None if changes else sim.state.rules.first
    return (rule is not None and fire_rule(sim, rule)) or bool(stopped)


def pass_at_once(sim: Simulation, crossings: Crossings, dynamics: ModeDynamics, guards: Guards, values: Array) -> bool:
    """Pass the guards on forces that are below zero to begin with; whether there were any."""
    hits = [guards[i] for i in guards.on_forces if values[i] < 0.0]
    if hits:
        pass_guards(sim, crossings, dynamics, hits)
    return bool(hits)


def pass_guards(sim: Simulation, crossings: Crossings, dynamics: ModeDynamics, hits: Sequence[Guard]) -> Array | None:
    """Go through what was hit: constraints let go at their limits, contacts change. The state after, if known."""
    touched, slips = [], False
    for guard in hits:
        if guard.kind == "limit":
            changed = release(sim.mode_table, sim.state, guard.about)
            sim.state = changed.state
            changed.noted(sim.record)
        else:
            touched.append(guard)
            slips = slips or guard.kind == "slip"
    if not touched:
        return None
    sim.state = state = counted(sim.state, touched, crossings)
    lam = forces_in(dynamics, state.t, state.x, state.rest_now) if slips else {}
    return reset_contacts(sim, touched, lam)


def reset_contacts(sim: Simulation, hits: Sequence[Guard], lam: Mapping[str, Array],
                   tell: bool = False) -> Array | None:  # fmt: skip
    """From one mode to the next; the row (t, q, u, rest) after it, none where it may only be stepped through."""
    sim.state, notes = reset(sim.world, sim.state, hits, lam, tell)
    notes.noted(sim.state.t, sim.record)
    return notes.row


def look_at_rules(sim: Simulation, guards: Guards, values: Array) -> Watched | None:
    """Enter in the state what the conditions of rules are now; the first rule that is due."""
    state = sim.state
    if not state.rules:
        return None
    begins = not (state.begun or sim.record.events)
    looked = state.rules.look(state.row, sim.mode_table.base, state.held_names, guards, values, begins)
    sim.state = state.but(rules=looked)
    return sim.state.rules.first


def fire_rule(sim: Simulation, rule: Watched) -> bool:
    """A rule fires; whether the run stops there."""
    began, before = time.perf_counter(), sim.state.active
    sim.state, event = fire(sim.mode_table, sim.state, rule)
    sim.record.tell(event)
    if sim.record.pending is None:
        sim.record.begin_switch(event.t, before, event.after, began)
    return rule.rule.stop


def tell_of_stops(sim: Simulation, names: Sequence[str]) -> None:
    """Tell of conditions that ended the run."""
    if names:
        t, state = sim.state.t, sim.state
        sim.record.tell(*(RunEvent(t, name, state.active, state.active) for name in names))
        before = state.stopped[1] if state.stopped[0] == t else frozenset()
        sim.state = state.but(stopped=(t, before | {*names}))


def fetch(sim: Simulation, names: Iterable[str]) -> None:
    """Ask for shapes that were only bounded so far."""
    for name in names:
        before = sim.state.active
        sim.state = fetched(sim.world, sim.state, name)
        sim.record.tell(RunEvent(sim.state.t, name, before, before, kind="near"))
