"""How a handle of a running mechanism answers to a wrench, in the mode that it is in."""

from __future__ import annotations

import numpy as np

from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.realtime.board import Array
from latchwork.realtime.devices.device import Triple
from latchwork.realtime.hand import Hands
from latchwork.realtime.handle import Handle
from latchwork.realtime.response import WRENCHES, Response
from latchwork.realtime.stepped import Stepped

NOTHING = Response(np.zeros(6), np.zeros((6, 6)))


def answer_of(sim: Stepped, hands: Hands, handle: Handle, arm: Triple, x: Array) -> Response:
    """The response of a point of a body, from u̇ of the mode under no wrench and six of one unit, in one call.

    Before the first step of a mode its equations may not be there yet: then nothing answers.
    """
    state, dynamics = sim.state, sim.dynamics
    if dynamics is None:
        return NOTHING
    p = state.parameters
    pose = handle.at(sim.t, x, arm, p)
    rest = state.rest_now
    rests = np.array([hands.on(rest, handle.body.name, *pose.about_center(*wrench)) for wrench in WRENCHES])
    states = np.asarray(dynamics.reduced(state.x)) if isinstance(dynamics, Recombined) else state.x
    udots = dynamics.accelerations(np.full(len(rests), sim.t), np.tile(states, (len(rests), 1)), rests)
    return handle.answer(udots, sim.t, x, arm, p)
