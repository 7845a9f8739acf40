"""Whether everything comes to rest within a step, and stays there: then nothing is left to be stepped.

    0 = u + h u̇₀ + T M̃⁻¹ Tᵀ Jᵀ P       the contacts that are closed can stop what moves,
    0 = h u̇₀ + T M̃⁻¹ Tᵀ Jᵀ P₀          and hold it, both within their cones.

What rolls on a plane is not stopped by this, however slow it is.
"""

from __future__ import annotations

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.contact.stepping import Cones, impulses
from latchwork.hybrid.stepping.gaps import Flags
from latchwork.hybrid.stepping.scene import Scene
from latchwork.hybrid.stepping.struck import TOUCHES

STILL = 1e-9  # of what a step without contacts would change: velocities that are none
SLOW = 4.0  # times that: what is faster is not tried


def at_rest(scene: Scene, x: Array, h: float, gap: Array, real: Flags) -> bool:
    """Whether the contacts that are closed at x stop all speeds, and hold them at zero."""
    if not scene.is_still:
        return False
    touches, u = scene.chosen(real & (gap <= TOUCHES)), scene.u(x)
    rows = scene.rows(touches, x)
    still = scene.with_speeds(x, np.zeros(len(u)))
    moving = scene.inertia.at(still)
    fall = h * moving.udot
    size = max(rows.pace(fall), STILL * h)
    if not touches or (np.abs(rows.J).max(axis=0) == 0.0)[np.abs(u) + np.abs(fall) > 0.0].any():
        return False
    if rows.pace(u) > SLOW * size:
        return False
    A = rows.J @ moving.inverse @ rows.J.T
    _, mu = scene.laws(touches, still, rows, np.zeros(len(rows.J)))
    for speeds in (u + fall, fall):
        P, _ = impulses(Cones(A, rows.J @ speeds, rows.tangents, mu, np.zeros(len(touches))))
        if rows.pace(speeds + moving.inverse @ (rows.J.T @ P)) > STILL * size:
            return False
    return True
