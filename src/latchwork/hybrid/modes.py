"""The mode that a run is in, laid out at its state; and all modes that may come, where they are to be known before."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.errors import ConstraintError
from latchwork.hybrid.contacts.guards import Guards
from latchwork.hybrid.designs import Automaton
from latchwork.hybrid.mode_layout.laid_out_mode import LaidOutMode
from latchwork.hybrid.mode_table import with_mode
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.successors import prepare_all
from latchwork.hybrid.table import Array

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation


def enter_mode(sim: Simulation, stops: Mapping[str, Any], x: Array) -> tuple[ModeDynamics, Guards] | None:
    """Find or lay out the mode of what holds; none where contacts contradict each other by now: what holds is
    decided anew then.

    Contacts that hold a singular position, as feet under straight legs may, are stepped through where that is allowed.
    """
    try:
        return find_or_lay_out(sim, stops, x)
    except ConstraintError:
        state = sim.state
        stuck = state.parted == state.t
        if not state.contacts.closed or (stuck and state.event_rate.settings is None):
            raise
    rate = state.event_rate.without_events() if stuck else state.event_rate
    sim.state = state.but(parted=state.t, settled=stuck, event_rate=rate)
    return None


def find_or_lay_out(sim: Simulation, stops: Mapping[str, Any], x: Array) -> tuple[ModeDynamics, Guards]:
    """The equations of what holds, from x on, and what watches them; the state keeps them as well."""
    table, state = sim.mode_table, sim.state
    key = table.key(state.holds, state.contacts, state.rules, stops)
    known = state.modes.get(key)
    if known is not None and state.stands_in(known.dynamics):
        return known.dynamics, known.guards
    modes = table.with_mode(key, state.holds, state.contacts, stops, x, state.modes)
    if modes is not state.modes:
        sim.state = state.but(modes=modes)
    return modes[key].dynamics, modes[key].guards


def keep_speeds(sim: Simulation, stops: Mapping[str, Any], dynamics: ModeDynamics, guards: Guards, t: float, x: Array,
                rest: Array) -> None:  # fmt: skip
    """A mode is written in other speeds from (t, x) on: they are part of the state, as are those chosen first."""
    state, table = sim.state, sim.mode_table
    key = table.key(state.holds, state.contacts, state.rules, stops)
    row = np.concatenate([[t], x[:-1], rest])
    sim.state = state.but(modes=with_mode(state.modes, key, LaidOutMode(dynamics, guards, row)))


def enumerate_modes(sim: Simulation, stops: Mapping[str, Any]) -> None:
    """Where all modes are to be known before: make them ready, once for what can change."""
    design, state, listed = sim.world.design, sim.state, sim.record.listed
    if not isinstance(design, Automaton) or not state.contacts.members:
        return
    key = tuple(state.holds.items()), tuple(state.contacts.contact_points), tuple(stops.items())
    if key not in listed:
        began = time.perf_counter()
        listed[key] = prepare_all(sim.mode_table, state, stops, design.most)
        sim.record.worked("embed", (f"{len(listed[key])} modes",), state.t, began)
