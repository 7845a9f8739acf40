"""Flow piece by piece: what inputs from tables, rules, samples, sleeping contacts and tracked curves ask for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from latchwork.hybrid.contacts.guards import Guards
from latchwork.hybrid.legs import leg_end, run_leg
from latchwork.hybrid.mode_table import ModeTable
from latchwork.hybrid.online_contacts import with_place
from latchwork.hybrid.path import Stage
from latchwork.hybrid.plan import Plan, Ran
from latchwork.hybrid.rules import eager, waiting
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.integrate.methods import Method

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation


def plan_of(sim: Simulation, method: Method, guards: Guards, samples: Array | None, x: Array) -> Plan:
    """How to run a stage from where the run stands."""
    state = sim.state
    ended = state.stopped[1] if state.stopped[0] == state.t else ()  # these must rise before they end it again
    spent = waiting(guards, state.rules) if guards.of_rules or ended else None
    if spent is not None and ended:
        spent |= np.array([guard.kind == "stop" and guard.about in ended for guard in guards], dtype=bool)
    return Plan(state.driven, method, samples, sim.world.progress, eager(guards, state.rules),
                longest_step(sim.mode_table, state, x), spent, guards.heights,
                sim.mode_table.laps.scales._replace(guards=guards.units))  # fmt: skip


def longest_step(table: ModeTable, state: SimState, x: Array) -> float:
    """A step that is short enough for gaps to be followed."""
    return table.pacing(x) if state.contacts.members else math.inf


def looked(sim: Simulation, method: Method, t_end: float) -> float | None:
    """Whether another place of a curve is nearer now; gives the time until which that can be relied on.

    None where a curve is about to be met at one more place, which is tracked from here on.
    """
    s, until, watch_set = sim.state.contacts, t_end, sim.world.watch_set
    if watch_set.sleeps:
        until = min(until, leg_end(watch_set, sim.state.t, getattr(method, "step", None)))
    for contact_point in s.contact_points:
        if contact_point.feature.tracked is not None:
            x, seconds, is_crowded = contact_point.looked(
                sim.state.row, contact_point in s.closed, s.places_of(contact_point.contact)
            )
            sim.state = sim.state.at(x)
            until = min(until, sim.state.t + seconds)
            if is_crowded:
                sim.state = with_place(sim.world, sim.state, contact_point.contact)
                return None
    return until


def run_pieces(sim: Simulation, plan: Plan, stage: Stage, until: float, values: Array | None) -> Ran | None:
    """Run a stage until a time or an event; again, half as far, where a curve was met elsewhere meanwhile.

    None where it is met at one more place now, which is tracked from here on.
    """
    state, s = sim.state, sim.state.contacts
    tracked = [
        contact_point
        for contact_point in s.contact_points
        if contact_point.feature.tracked is not None and contact_point not in s.behind
    ]
    while True:
        ran = run_leg(sim.world.watch_set, plan, stage, state.x, state.t, until, state.rest, values)
        t = float(ran.segments[-1].solution.t[-1])
        x = np.concatenate([[t], ran.x[:-1], state.driven.rest_at(state.rest, t)]) if tracked else ran.x
        met = [
            contact_point
            for contact_point in tracked
            if contact_point.is_met_elsewhere(x, contact_point.tolerances.reach, s.places_of(contact_point.contact))
        ]
        if not met:
            return ran
        if t - state.t < sim.mode_table.tolerances.blink:
            held = [contact_point for contact_point in met if contact_point in s.closed]
            if not held:
                return ran
            sim.state = with_place(sim.world, state, held[0].contact)
            return None
        until = 0.5 * (state.t + t)
