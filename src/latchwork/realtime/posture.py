"""Posture: a body brought to a place by hand while time stands still, as far as constraints and contacts let it.

A step of the run from rest, with a force at the place that is held, moves that place by ½ F h²/m and the rest with it;
then all speeds are taken away and the clock is put back. With

    F = m (to − at) / h²,   m the least effective mass there

each step goes half of the way in the direction that gives way most, and less in others. Constraints are kept by the
steps as in any run, contacts close and open, and what cannot be reached is not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.realtime.devices.device import NULL, Triple
from latchwork.realtime.stepped import Stepped

if TYPE_CHECKING:
    from latchwork.realtime.live import Live

MAX_STEPS = 60  # steps
REACHED = 1e-3  # of the way that was asked for: as good as there
SLOWER = 0.97  # a step that leaves more of the gap than this is the last but a few
PATIENCE = 4


def pose(live: Live, body: str, at: Triple, to: Triple) -> Triple:
    """Bring the place of a body that is at ``at`` to ``to``; gives where it is then. Nothing moves afterwards."""
    if not live.paused:
        raise EvaluationError("it runs: pause it to pose it, or pull it as it goes.")
    sim, grip = live.sim, live.grip
    arm = grip.arm_to(body, at, live.x)
    asked, slow = math.dist(at, to), 0
    place = grip.pose(body, arm, live.x)
    before = math.dist(place.place, to)
    for _ in range(MAX_STEPS):
        if before <= REACHED * asked or slow >= PATIENCE:
            break
        mass = grip.mass_at(body, arm, live.x)
        pull = mass / (live.step * live.step)
        a, b, c = (pull * (there - here) for there, here in zip(to, place.place, strict=True))
        force, torque = place.about_center((a, b, c), NULL)
        grip.hands.put(sim, body, force, torque)
        _step(sim, live.step)
        place = grip.pose(body, arm, live.x)
        left = math.dist(place.place, to)
        slow, before = (slow + 1 if left > SLOWER * before else 0), left
    grip.hands.put(sim, None, NULL, NULL)
    return place.place


def _step(sim: Stepped, step: float) -> None:
    """One step from rest, and rest again, at the time it was."""
    t, work = sim.state.t, sim.state.x[-1]
    _rest(sim, t, work)
    sim.on(step)
    _rest(sim, t, work)


def _rest(sim: Stepped, t: float, work: float) -> None:
    x = sim.state.x.copy()
    x[len(sim.equations.q) : -1] = 0.0
    x[-1] = work
    sim.state = sim.state.but(x=np.ascontiguousarray(x), t=t)
    sim.interrupt(unsettled=True)
