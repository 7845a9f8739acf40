"""Patoglu, Example 2: a frictionless disk runs down a ramp and onto an arc that turns it up; it leaves at the arc's
end.

On the ramp  q4 = u0 t − ½ g sin φ t².  On the fence the centre of the disk moves on a circle of radius ρ = R − r about
C:

    v² = v1² − 2 g ρ (cos φ − cos(φ + θ)),    t − t1 = ∫ ρ dθ / v,    θ = (q4 − L) / R

The numbers reproduce the time line of Figs 10 and 11: met at 7.7 s, left at 9.0 s.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import mpmath  # type: ignore[import-untyped]


@dataclass(frozen=True)
class Fence:
    """The ramp starts at O and falls by −φ; P = O + L a_x, C = P + R a_y. q1, q2: the disk's centre from O, along N."""

    phi: float = -pi / 36
    r: float = 1.0
    m: float = 1.0
    J: float = 0.5
    R: float = 20.0
    L: float = 33.0205735387924
    length: float = 9.640325928098154
    u0: float = 1.0
    g: float = 9.8

    def met(self) -> tuple[Any, Any]:
        """Time and speed at the start of the fence."""
        pull = -self.g * mpmath.sin(self.phi)
        speed = mpmath.sqrt(mpmath.mpf(self.u0) ** 2 + 2 * pull * self.L)
        return (speed - self.u0) / pull, speed

    def left(self) -> tuple[Any, Any]:
        """Time and speed at its end."""
        t1, v1 = self.met()
        rho, end = self.R - self.r, self.length / self.R
        t2 = t1 + mpmath.quad(lambda theta: rho / self._speed(v1, theta), [0, end / 2, end])
        return t2, self._speed(v1, end)

    def _speed(self, v1: Any, theta: Any) -> Any:
        drop = mpmath.cos(self.phi) - mpmath.cos(self.phi + theta)
        return mpmath.sqrt(v1**2 - 2 * self.g * (self.R - self.r) * drop)

    def center(self, t: float) -> tuple[float, float]:
        """(q1, q2) of the disk at a time on the ramp or in flight after the fence."""
        c, s = mpmath.cos(self.phi), mpmath.sin(self.phi)
        t1, _ = self.met()
        if t <= t1:
            x = self.u0 * t - self.g * s * t**2 / 2
            return float(x * c - self.r * s), float(x * s + self.r * c)
        t2, v = self.left()
        up, dt, rho = self.phi + self.length / self.R, t - t2, self.R - self.r
        x, y = self.L * c - self.R * s + rho * mpmath.sin(up), self.L * s + self.R * c - rho * mpmath.cos(up)
        return float(x + v * mpmath.cos(up) * dt), float(y + v * mpmath.sin(up) * dt - self.g * dt**2 / 2)

    def energy(self, x: float, y: float, vx: float, vy: float, spin: float = 0.0) -> float:
        return self.m * (vx**2 + vy**2) / 2 + self.J * spin**2 / 2 + self.m * self.g * y
