"""Slip that turns: two tangents. In its angle and the logarithm of its size the equations are smooth to the end.

    v_t = r s(θ),  dp = r dτ:    dθ/dτ = s⊥·c,   d(ln r)/dτ = s·c,   c = W_tn − μ_d W_tt s,
    dp/dτ = r,   dv_n/dτ = r (W_nn − μ_d W_nt·s),   d(work)/dτ = r v_n,   dΛ_t/dτ = −μ_d r s

Slip that ends does so for τ → ∞, at an angle that no longer turns: the rest of the way is straight.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from latchwork.contact.impact.coulomb import Array
from latchwork.contact.impact.extrapolation import extrapolated
from latchwork.contact.impact.impulse_path import GONE, Goal, Rub, Spot, straight_slip
from latchwork.program.elementary.scalars import atan2, cos, exp, log, pow, sin

EXACT = 1e-13  # error of one step, of quantities of order one
STEPS = 20000


@dataclass(frozen=True, eq=False)
class Curve:
    """A phase of turning slip, from ``start`` until it is straight or has ended."""

    rub: Rub
    start: Spot

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The upper half of W, and μ_d."""
        W = self.rub.W
        return (*map(float, (W[0, 0], W[0, 1], W[0, 2], W[1, 1], W[1, 2], W[2, 2])), self.rub.mu_d)

    def rate(self, y: Array) -> Array:
        """d(θ, ln r, p, v_n, work, Λ_t)/dτ."""
        nn, n1, n2, w11, w12, w22, mu = self.numbers
        angle, log_r, _, v_n, _, _, _ = y.tolist()
        x, z, r = cos(angle), sin(angle), exp(log_r)
        c1 = n1 - mu * (w11 * x + w12 * z)
        c2 = n2 - mu * (w12 * x + w22 * z)
        lift = nn - mu * (n1 * x + n2 * z)
        return np.array([x * c2 - z * c1, x * c1 + z * c2, r, r * lift, r * v_n, -mu * r * x, -mu * r * z])

    def pack(self) -> Array:
        """The start as (θ, ln r, p, v_n, work, Λ_t)."""
        v, impulse = self.start.v, self.start.impulse
        angle, log_r = atan2(v[2], v[1]), log(math.hypot(v[1], v[2]))
        return np.array([angle, log_r, impulse[0], v[0], self.start.work, impulse[1], impulse[2]])

    def spot(self, y: Array) -> Spot:
        """Where (θ, ln r, p, ...) is on the path; slip below notice is none."""
        r = exp(y[1])
        r = r if r > GONE else 0.0
        v = np.array([y[3], r * cos(y[0]), r * sin(y[0])])
        return Spot(np.array([y[2], y[5], y[6]]), v, float(y[4]))

    def advance(self, goals: Sequence[Goal]) -> tuple[Spot, int | None] | None:
        """The first goal on the way and where; else where the slip becomes straight or ends, and None."""
        longest = 2.0 / self.rub.turning
        y, step = self.pack(), 0.25 * longest
        for i, goal in enumerate(goals):
            if goal.at(self.start) >= 0.0 and self.slope(goal, y) > 0.0:
                return self.start, i
        for _ in range(STEPS):
            ahead, error = extrapolated(self.rate, y, step)
            if not error <= EXACT:
                step *= 0.5
                continue
            found = [(self.crossing(goal, y, step), i) for i, goal in enumerate(goals) if self.passes(goal, y, ahead)]
            if found:
                part, i = min(found)
                return self.spot(extrapolated(self.rate, y, part)[0]), i
            y = ahead
            here = self.spot(y)
            if straight_slip(self.rub, here) is not None:
                return here, None
            step = min(longest, step * min(2.0, 0.9 * pow(EXACT / max(error, 1e-30), 1.0 / 12.0)))
        return None

    def slope(self, goal: Goal, y: Array) -> float:
        """d(goal)/dτ."""
        rate = self.rate(y)
        return float(goal.p * rate[2] + goal.v_n * rate[3] + goal.work * rate[4])

    def passes(self, goal: Goal, y: Array, ahead: Array) -> bool:
        """Whether the goal is met between two places."""
        return goal.at(self.spot(y)) < 0.0 <= goal.at(self.spot(ahead))

    def crossing(self, goal: Goal, y: Array, step: float) -> float:
        """The part of a step after which the goal is met: Newton's method, bisecting where it leaves its bracket."""
        low, high, part = 0.0, step, 0.5 * step
        for _ in range(60):
            there = extrapolated(self.rate, y, part)[0]
            value, slope = goal.at(self.spot(there)), self.slope(goal, there)
            low, high = (low, part) if value > 0.0 else (part, high)
            closer = part - value / slope if slope > 0.0 else high
            if abs(closer - part) <= 1e-15 * step:
                break
            part = closer if low < closer < high else 0.5 * (low + high)
        return part
