"""Closed forms with dry friction: a block on an incline, a block on a belt held by a spring, a sphere that starts to
roll.

Incline of angle β: the block stays where μ ≥ tan β; else a = g (sin β − μ cos β).

Belt at speed v, spring k from x = 0: it sticks until k x = μ_s m g and then slips about x_d = μ_d m g / k, with
X = (μ_s − μ_d) m g / k and ω² = k / m, until its speed is v again at x_d − X:

    slip lasts  (2/ω) (π − atan(ω X / v)),     stick lasts  2 X / v

Sphere, sliding at v0 without spin: rolls from t = 2 v0 / (7 μ g) on, at 5 v0 / 7, after 12 v0² / (49 μ g).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, cos, pi, sin, sqrt, tan


def incline(beta: float, fraction: float, t: float, g: float = 9.81) -> float:
    """How far a block has slid from rest when its friction is this fraction of tan β."""
    return max(0.0, g * (sin(beta) - fraction * tan(beta) * cos(beta))) * t**2 / 2


@dataclass(frozen=True)
class StickSlip:
    """It starts as it sticks: x = x_d − X, going with the belt."""

    m: float = 1.0
    k: float = 100.0
    v: float = 0.2
    mu_s: float = 0.5
    mu_d: float = 0.3
    g: float = 9.81

    @property
    def omega(self) -> float:
        return sqrt(self.k / self.m)

    @property
    def middle(self) -> float:
        return self.mu_d * self.m * self.g / self.k

    @property
    def reach(self) -> float:
        return (self.mu_s - self.mu_d) * self.m * self.g / self.k

    @property
    def stick(self) -> float:
        return 2 * self.reach / self.v

    @property
    def slip(self) -> float:
        return 2 / self.omega * (pi - atan(self.omega * self.reach / self.v))

    @property
    def period(self) -> float:
        return self.stick + self.slip

    def start(self) -> tuple[float, float]:
        return self.middle - self.reach, self.v

    def x(self, t: float) -> float:
        """At any time."""
        t %= self.period
        if t <= self.stick:
            return self.middle - self.reach + self.v * t
        w = self.omega * (t - self.stick)
        return self.middle + self.reach * cos(w) + self.v / self.omega * sin(w)

    def events(self, periods: int) -> list[float]:
        """Times of slip, stick, slip, stick ..."""
        return [k * self.period + at for k in range(periods) for at in (self.stick, self.period)]


@dataclass(frozen=True)
class Sphere:
    """Uniform, of radius r, thrown along a plane at v0 without spin."""

    v0: float = 3.0
    mu: float = 0.2
    r: float = 0.1
    g: float = 9.81

    def rolls(self) -> tuple[float, float, float]:
        """Time, way and speed at which it begins to roll."""
        return (2 * self.v0 / (7 * self.mu * self.g), 12 * self.v0**2 / (49 * self.mu * self.g), 5 * self.v0 / 7)

    def x(self, t: float) -> float:
        start, way, speed = self.rolls()
        return way + speed * (t - start) if t > start else self.v0 * t - self.mu * self.g * t**2 / 2
