"""What holds in a running mechanism, and with which forces, as numbers in a fixed order for each mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from latchwork.algebra.products import dot
from latchwork.contact.complementarity.solution import State as ContactState
from latchwork.hybrid.contacts.friction import forces_in
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.realtime.board import Array
from latchwork.realtime.stepped import Stepped

COMMANDED = " (command)"  # behind the name of an input that a controller commands


def commanded(sim: Stepped) -> list[str]:
    """The inputs that controllers command, and do not merely remember by."""
    plan = sim.world.shared.plan
    return [name for name in plan.owners if name not in plan.memory_inputs]


def rows_of(sim: Stepped) -> list[tuple[str, int]]:
    """What holds, by name, with how many numbers: a constraint its rows; a contact normal force and tangents. Then the
    inputs that controllers command."""
    holds = [(name, len(hold.constraint.zero)) for name, hold in sim.state.holds.items()]
    return holds + [
        (contact_point.name, 1 + len(contact_point.tangents)) for contact_point in sim.state.contacts.closed
    ] + [(f"{name}{COMMANDED}", 1) for name in commanded(sim)]


def forces_of(sim: Stepped) -> Array:
    """The forces of `rows_of`, one after the other; none where equations of this mode, or of others, are being made."""
    if sim.world.ahead.is_busy:
        return np.empty(0)
    state, dynamics = sim.state, sim.dynamics
    if dynamics is None:
        return np.empty(0)
    row, x, rest = state.row, state.x, state.rest_now
    lam = forces_in(dynamics, state.t, x, rest)
    found = [np.asarray(lam.get(name, np.zeros(len(hold.constraint.zero)))) for name, hold in state.holds.items()]
    udot: Array | None = None
    for contact_point, contact_state in state.contacts.closed.items():
        if contact_point.without_normal and not contact_point.is_bounded and udot is None:
            udot = dynamics.accelerations(np.array([sim.t]), _states(dynamics, x)[None], rest[None])[0]
        found.append(
            _of_contact(
                contact_point,
                contact_state,
                lam.get(contact_point.name, np.empty(0)),
                _pressing(contact_point, lam),
                udot,
                row,
                state.contacts.zones,
            )
        )
    return np.concatenate([np.empty(0), *found, _commands(sim, dynamics)])


def _commands(sim: Stepped, dynamics: Any) -> Array:
    """What controllers command now."""
    names, state = [symbol.name for symbol in sim.equations.r], sim.state
    held = dynamics.commanded(state.t, state.x, state.rest_now) if hasattr(dynamics, "commanded") else state.rest_now
    return np.array([held[names.index(name)] for name in commanded(sim)])


def _states(dynamics: Any, x: Array) -> Array:
    return np.asarray(dynamics.reduced(x)) if isinstance(dynamics, Recombined) else x


def _pressing(contact_point: Any, lam: Any) -> float:
    """The normal force that limits what resists turns; 1 where nothing does."""
    presser = contact_point.feature.closed_with if contact_point.is_pressed else None
    return 1.0 if presser is None else float(lam[presser.name][0]) if len(lam.get(presser.name, ())) else 0.0


def _of_contact(
    contact_point: Any, contact_state: Any, lam: Array, pressing: float, udot: Array | None, state: Array, zones: Any
) -> Array:
    """Normal force, then along each tangent: what a stick exerts, or −μ d N; friction of a joint has no normal one."""
    if contact_point.is_bounded:
        normal, across = pressing, lam
    elif contact_point.without_normal:
        assert udot is not None, "found where some contact is held"
        slope = contact_point.force_function(state)
        normal, across = float(dot(slope[:-1], udot) + slope[-1]), lam
    else:
        normal, across = float(lam[0]) if len(lam) else 0.0, lam[1:]
    if contact_state.state is not ContactState.STICK:
        slip = contact_state.slip or (0.0,) * len(contact_point.tangents)
        across = -contact_point.laws.at(state, zones)[2] * normal * np.asarray(slip[: len(contact_point.tangents)])
    shown, missing = 0.0 if contact_point.is_bounded else normal, len(contact_point.tangents) - len(across)
    return np.concatenate([[shown], across[: len(contact_point.tangents)], np.zeros(missing)])
