"""Patoglu, Example 1: a disk sent up a ramp whose friction ends at q1 = L. Four events, in closed form.

    sliding      u̇1 = −g sin φ − σ μ g cos φ,   u̇2 = −σ (m r²/J) μ g cos φ,    σ = sign(u1 + u2)
    rolling      u̇1 = −g sin φ / (1 + J / (m r²)),   u2 = −u1
    no friction  u̇1 = −g sin φ,   u̇2 = 0

g = 9.8: the published times 0.37, 1.72 and 6.13 s are rounded correctly for no g below 9.7905 or above 9.8004.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, pi, sin, sqrt


@dataclass(frozen=True)
class DiskOnRamp:
    """Table I of the paper; u2 = r q̇2."""

    phi: float = pi / 12
    mu: float = 0.2
    m: float = 1.0
    J: float = 0.5
    L: float = 22.0
    r: float = 1.0
    g: float = 9.8
    q1: float = 14.0
    u1: float = 7.0
    u2: float = -4.0

    @property
    def along(self) -> float:
        return self.g * sin(self.phi)

    @property
    def friction(self) -> float:
        """μ N / m."""
        return self.mu * self.g * cos(self.phi)

    @property
    def ratio(self) -> float:
        return self.m * self.r**2 / self.J

    def states(self) -> list[tuple[float, float, float, float]]:
        """(t, q1, u1, u2) at the events: it rolls, leaves the friction, comes back to it, rolls again."""
        slowing = self.along + self.friction
        t1 = (self.u1 + self.u2) / (slowing + self.ratio * self.friction)
        v1 = self.u1 - slowing * t1
        x1 = self.q1 + self.u1 * t1 - slowing * t1**2 / 2
        rolling = self.along / (1 + 1 / self.ratio)
        v2 = sqrt(v1**2 - 2 * rolling * (self.L - x1))
        t2 = t1 + (v1 - v2) / rolling
        t3 = t2 + 2 * v2 / self.along
        speeding = self.along - self.friction
        wait = 2 * v2 / (self.ratio * self.friction - speeding)
        x4, v4 = self.L - v2 * wait - speeding * wait**2 / 2, -v2 - speeding * wait
        return [(t1, x1, v1, -v1), (t2, self.L, v2, -v2), (t3, self.L, -v2, -v2), (t3 + wait, x4, v4, -v4)]

    def end(self, t: float) -> tuple[float, float]:
        """q1 and u1 some time after the last event, rolling down."""
        t4, x4, v4, _ = self.states()[-1]
        rolling, dt = self.along / (1 + 1 / self.ratio), t - t4
        return x4 + v4 * dt - rolling * dt**2 / 2, v4 - rolling * dt
