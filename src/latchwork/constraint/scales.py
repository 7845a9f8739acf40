"""Scales of a mechanism: its own length, time and mass, by which every tolerance of a run is measured.

    L    the largest part: the longest side of a box about all points, bodies brought together (coordinates that are
         lengths set to 0), or the largest shape; no less than 2⁻¹⁰ of where things are: rounding is measured by that
    1/T  the largest of |u_j| / ū_j, of √(|f_j| / (M_jj ū_j)) / π and of √(g / L) / π
    m    the largest of M_jj ū_j² / L²

with the unit of a speed ū_j, which moves no coordinate by more than a radian or L in a unit of time (`units`). T is the
half period of a pendulum of length L under the accelerations at work: a second for a metre under gravity. Where parts
have no size, L is how far apart things are, or π² v² / a. Each is homogeneous: in any units it is the same quantity. L,
T and m are rounded to powers of four, so that few programs differ by them alone, and so that lengths, times and masses
scaled by powers of four scale every tolerance without rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scales:
    """Length, time and mass of a mechanism."""

    length: float = 1.0
    time: float = 1.0
    mass: float = 1.0

    @property
    def speed(self) -> float:
        return self.length / self.time

    @property
    def energy(self) -> float:
        return self.mass * self.speed * self.speed

    @property
    def force(self) -> float:
        return self.energy / self.length


def power_of_four(value: float) -> float:
    """The power of four nearest to a positive number, by ratio: 1 for all from 1/2 on and below 2."""
    _, e = math.frexp(value)
    return math.ldexp(1.0, e - e % 2)


def largest(values: Iterable[float]) -> float:
    """The largest that is finite; 0 where none is positive."""
    return max((value for value in values if math.isfinite(value)), default=0.0)
