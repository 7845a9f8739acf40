"""What holds in a running mechanism, and with which forces, as numbers in a fixed order for each mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from latchwork.algebra.products import dot
from latchwork.contact.complementarity import State as Standing
from latchwork.hybrid.stages import Held
from latchwork.hybrid.touching.friction import forces_in
from latchwork.realtime.board import Array
from latchwork.realtime.stepped import Stepped


def rows_of(sim: Stepped) -> list[tuple[str, int]]:
    """What holds, by name, with how many numbers: a constraint its rows; a contact normal force and tangents."""
    holds = [(name, len(hold.constraint.zero)) for name, hold in sim._holds.items()]
    return holds + [(touch.name, 1 + len(touch.tangents)) for touch in sim._standings.closed]


def forces_of(sim: Stepped) -> Array:
    """The forces of `rows_of`, one after the other; none where equations of this mode, or of others, are being made."""
    if sim._ahead.is_busy:
        return np.empty(0)
    known = sim._workshop.stages.get(sim._workshop.key(sim._holds, sim._standings, {}))
    if known is None:
        return np.empty(0)
    state = sim._state()
    stage, x, rest = known[0], sim._x, state[len(sim._x) :]
    lam = forces_in(stage, sim.t, x, rest)
    found = [np.asarray(lam.get(name, np.zeros(len(hold.constraint.zero)))) for name, hold in sim._holds.items()]
    udot: Array | None = None
    for touch, standing in sim._standings.closed.items():
        if touch.held and udot is None:
            udot = stage.accelerations(np.array([sim.t]), _states(stage, x)[None], rest[None])[0]
        found.append(_of_contact(touch, standing, lam.get(touch.name, np.empty(0)), udot, state, sim._standings.zones))
    return np.concatenate([np.empty(0), *found])


def _states(stage: Any, x: Array) -> Array:
    return np.asarray(stage.reduced(x)) if isinstance(stage, Held) else x


def _of_contact(touch: Any, standing: Any, lam: Array, udot: Array | None, state: Array, zones: Any) -> Array:
    """Normal force, then along each tangent: what a stick exerts, or −μ d N."""
    if touch.held:
        assert udot is not None, "found where some contact is held"
        slope = touch.force_function(state)
        normal, across = float(dot(slope[:-1], udot) + slope[-1]), lam
    else:
        normal, across = float(lam[0]) if len(lam) else 0.0, lam[1:]
    if standing.state is not Standing.STICK:
        way = standing.way or (0.0,) * len(touch.tangents)
        across = -touch.laws(state, zones)[2] * normal * np.asarray(way[: len(touch.tangents)])
    return np.concatenate([[normal], across[: len(touch.tangents)], np.zeros(len(touch.tangents) - len(across))])
