"""How a handle of a running mechanism answers to a wrench, in the mode that it is in."""

from __future__ import annotations

import numpy as np

from latchwork.hybrid.stages import Held
from latchwork.realtime.board import Array
from latchwork.realtime.devices.device import NULL, Triple
from latchwork.realtime.hand import Hands
from latchwork.realtime.handle import Handle
from latchwork.realtime.response import Response
from latchwork.realtime.stepped import Stepped

NOTHING = Response(np.zeros(6), np.zeros((6, 6)))
WRENCHES: tuple[tuple[Triple, Triple], ...] = (
    (NULL, NULL),
    ((1.0, 0.0, 0.0), NULL), ((0.0, 1.0, 0.0), NULL), ((0.0, 0.0, 1.0), NULL),
    (NULL, (1.0, 0.0, 0.0)), (NULL, (0.0, 1.0, 0.0)), (NULL, (0.0, 0.0, 1.0)),
)  # fmt: skip


def answer_of(sim: Stepped, hands: Hands, handle: Handle, arm: Triple, x: Array) -> Response:
    """The response of a point of a body, from u̇ of the mode under no wrench and six of one unit, in one call.

    Before the first step of a mode its equations may not be there yet: then nothing answers.
    """
    known = sim._workshop._stages.get(sim._workshop.key(sim._holds, sim._standings, {}))
    if known is None:
        return NOTHING
    stage, p = known[0], sim._parameters()
    pose = handle.at(sim.t, x, arm, p)
    rest = sim._state()[len(sim._x) :]
    rests = np.array([hands.on(rest, handle.body.name, *pose.about_center(*wrench)) for wrench in WRENCHES])
    states = np.asarray(stage.reduced(sim._x)) if isinstance(stage, Held) else sim._x
    udots = stage.accelerations(np.full(7, sim.t), np.tile(states, (7, 1)), rests)
    found = np.array([np.concatenate(handle.acceleration(sim.t, x, udot, arm, p)) for udot in udots])
    return Response(found[0], (found[1:] - found[0]).T)
