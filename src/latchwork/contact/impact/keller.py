"""The two laws that follow the impulse: Poisson's, a ratio of impulses, and Stronge's, a ratio of works.

    compression: until v_n = 0, at p_c;  restitution: until     p = (1 + e) p_c                       (Poisson)
                                                      ∫ v_n dp over restitution = −e² that over compression   (Stronge)

Where v_n falls to zero again before the end, what came before is all compression.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from latchwork.contact.impact.coulomb import Array
from latchwork.contact.impact.impulse_path import FALLS, RISES, Goal, Rub, Spot, is_wedged, straight_slip
from latchwork.contact.impact.turning_slip import Curve

End = Callable[[Spot, float], Goal]


def poisson(turn: Spot, e: float) -> Goal:
    """p − (1 + e) p_c."""
    return Goal(p=1.0, constant=-(1.0 + e) * float(turn.impulse[0]))


def stronge(turn: Spot, e: float) -> Goal:
    """work − (1 − e²) work_c."""
    return Goal(work=1.0, constant=-(1.0 - e * e) * turn.work)


def reach(rub: Rub, spot: Spot, goals: list[Goal]) -> tuple[Spot, int] | None:
    """From phase to phase until a goal is met; where all has stopped for good, that is the end."""
    for _ in range(10000):
        if is_wedged(rub, spot):
            return spot, 0
        phase = straight_slip(rub, spot) or Curve(rub, spot)
        found = phase.advance(goals)
        if found is None:
            return None
        spot, met = found
        if met is not None:
            return spot, met
    return None


def follow(W: Array, v: Array, e: float, mu_s: float, mu_d: float, end: End) -> Array | None:
    """Λ of one impact, or of a jam (v_n⁻ = 0 where slip makes it fall); None where nothing ends compression."""
    size, weight = float(np.abs(v).max()), float(W[0, 0])
    if size == 0.0:
        return np.zeros_like(v)
    rub = Rub(W / weight, mu_s, mu_d)
    spot = Spot(np.zeros_like(v), v / size, 0.0)
    for _ in range(100):
        found = reach(rub, spot, [RISES])
        if found is None:
            return None
        turn = found[0]
        turn = Spot(turn.impulse, np.concatenate(([0.0], turn.v[1:])), turn.work)
        if e == 0.0 or turn.impulse[0] == 0.0:
            return turn.impulse * (size / weight)
        found = reach(rub, turn, [end(turn, e), FALLS])
        if found is None:
            return None
        spot, met = found
        if met == 0:
            return spot.impulse * (size / weight)
    return None
