"""Autonomous runs: a simulation made ready to go on by `advance_alone`, with every program that its contacts may need.

Nothing can be derived later, so what only Python can answer is refused before: rules, sampled laws, limits of force,
tracked curves, shapes that come and go.
"""

from __future__ import annotations

import math
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.errors import ModelError
from latchwork.hybrid.autonomous_flow import advance_alone
from latchwork.hybrid.contacts.guards import Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings
from latchwork.hybrid.designs import Embedded
from latchwork.hybrid.fallen_guards import pass_at_once
from latchwork.hybrid.flow_memory import CHANGES, FlowMemory
from latchwork.hybrid.loop import decide_contacts
from latchwork.hybrid.mode_integration import ModeIntegration, is_ours
from latchwork.hybrid.mode_table import least_pivot
from latchwork.hybrid.modes import enter_mode
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.simulation import Simulation
from latchwork.hybrid.state import SimState
from latchwork.hybrid.stepper_flow import grid_of
from latchwork.hybrid.table import Array
from latchwork.integrate.methods import RK4
from latchwork.integrate.status import Status
from latchwork.program.native import native
from latchwork.program.records.view import address_of


class Awake(Simulation):
    """A simulation in which nothing sleeps, and nothing is prepared beside it."""

    looks_ahead, keeps_awake = False, True


@dataclass(frozen=True, eq=False)
class AutonomousRun:
    """The record of a flow that goes on by itself, and all that keeps its memory alive."""

    memory: FlowMemory
    state: SimState
    rest: Array  # inputs and parameters, which may be changed between calls
    owners: tuple[Any, ...]

    def advance(self, until: float) -> int:
        """Go on until a time, as exported code does: 0, or the number of a `Status` or `Halt`."""
        status: int = native(advance_alone).function(address_of(self.memory.run), until)
        return status

    @property
    def x(self) -> Array:
        """(t, q, u, inputs, parameters) now."""
        return np.array(self.memory.run.x)


def autonomous_run(sim: Simulation) -> AutonomousRun:
    """A copy of a simulation, from where it stands, that needs no Python to go on."""
    must_be_autonomous(sim)
    parameters = dict(zip([p.name for p in sim.equations.p], sim.state.parameters.tolist(), strict=True))
    own = {name: sim.q[name] for name in sim.world.shared.equations.q_names}  # without azimuths of support triangles
    alone = Awake(sim.world.shared.beside(), own, sim.u, parameters=parameters, start=sim.t, method=sim.method,
                  at_once=sim.world.at_once)  # fmt: skip
    alone.state = pickle.loads(pickle.dumps(sim.state))
    dynamics, guards = standing_mode(alone)
    must_be_autonomous(alone)
    state, table, method = alone.state, alone.mode_table, alone.method
    assert is_ours(method), "other methods are refused"
    contacts, free = state.contacts, not state.holds
    table.get_ready(free)
    for point in contacts.contact_points:
        table.know(point, free, state.holds)
    table.resets.get_ready(contacts.contact_points)
    n, rest = len(state.x), state.rest_now.copy()
    for states in range(1 + len(alone.equations.q), n + 1):
        table.integrations.workspace(method, states, len(guards) + 8 * len(contacts.contact_points))
    memory = FlowMemory(table, state.holds, contacts.contact_points, {}, (), len(rest))
    memory.know_only(state.modes, dynamics)
    grid = grid_of(state, method.step) if isinstance(method, RK4) else state.t
    integration, status = table.integrations.begun(dynamics, guards, method, state.t, state.x, rest, grid, None)
    if status != Status.FULL:
        raise ModelError(f"'{alone.equations.name}' changes at the very instant t = {state.t:.6g} at which it would be "
                         "exported. Advance the simulation a little first.")  # fmt: skip
    longest = table.pacing(state.row) if contacts.members else math.inf
    current = ModeIntegration(integration, dynamics, guards, longest, 0.0, state.t)
    memory.prepare(current, contacts, state.rules, least_pivot(dynamics), False, rest, CHANGES, alone.world.at_once,
                   alone.world.brief)  # fmt: skip
    memory.run.reached, memory.run.alone = state.t, 1
    np.asarray(memory.run.x)[:] = state.row
    return AutonomousRun(memory, state, rest, (memory, table, integration, rest, alone))


def standing_mode(sim: Simulation) -> tuple[ModeDynamics, Guards]:
    """The mode that a simulation begins in: contacts decided where it stands, with no guard on forces below zero."""
    crossings = Crossings(sim.equations.name, sim.mode_table.base.scales.time)
    while True:
        decide_contacts(sim)
        mode = enter_mode(sim, {}, sim.state.row)
        if mode is not None:
            values = mode[0].look(sim.state.t, sim.state.x, sim.state.rest_now)
            if not pass_at_once(sim, crossings, *mode, values):
                return mode


def _tables(state: SimState) -> list[str]:
    """The inputs that come from tables."""
    inputs = state.driven.equations.r
    return [inputs[i].name for column in state.driven.columns for i in column.places if i < len(inputs)]


def must_be_autonomous(sim: Simulation) -> None:
    """Refuse what only Python can answer in a run, by name."""
    state, world, name = sim.state, sim.world, sim.equations.name
    tracked = [point.name for point in state.contacts.contact_points if point.feature.tracked is not None]
    plan = world.shared.plan
    continuous = [plan.law_name] if plan.law is not None else []
    sleeping = [point.name for point in state.contacts.asleep]
    reasons = {
        "rules": [rule.rule.name for rule in state.rules.watched],
        "constraints with a limit of force": sorted(state.limited),
        "curves and surfaces, whose nearest places are tracked": tracked,
        "shapes that are only bounded yet": [*state.waiting],
        "contacts that are not watched yet": sleeping,
        "controllers": [*[law.name for law in plan.sampled], *continuous],
        "inputs from tables": _tables(state),
        "a collision without a list": ["model.collide"] if not world.broad_phase.is_idle else [],
        "the method": [] if is_ours(sim.method) else [str(sim.method)],
        "the design": [] if continuous or type(world.design) is Embedded else [str(world.design)],
        "time steps": ["thick"] if state.event_rate.is_thick else [],
    }
    found = [f"{what} ({', '.join(names)})" for what, names in reasons.items() if names]
    if found:
        raise ModelError(f"'{name}' cannot run without Python: it has {'; '.join(found)}. Leave these out, or export "
                         "equations alone, with model.equations().")  # fmt: skip
