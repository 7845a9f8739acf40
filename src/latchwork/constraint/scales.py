"""Scales of a mechanism: its own length, time and mass, by which every tolerance of a run is measured.

    L    the largest part that moves: the longest way from one point of a body to the next, or the largest shape; no
         less than 2⁻¹⁰ of where things are, for rounding is a part of that
    T    π over the largest of √(|f_j| / (M_jj ū_j)) at rest and of √(g / L); where no load acts, π q̄_i / |q̇_i|; no more
         than 2¹⁰ times that
    m    the largest of M_jj ū_j² / L²

with the units of coordinates and speeds q̄_i, ū_j (`units`): radians or L, and what moves no coordinate by more in a
unit of time. T is the half period of a pendulum of length L under the loads of the start, or of a turn at its speeds: a
second for a metre under gravity. Where nothing has a size, L is how far apart things are, or π² v² / g.

Each is homogeneous: in any units it is the same quantity. They are rounded to powers of four: then few programs differ
by them alone, and lengths, times and masses that are scaled by powers of four scale every tolerance without rounding.
L is 1 for parts from a third to four thirds of a unit, T and m for those from a half to two.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.products import norm
from latchwork.constraint.units import units_of

if TYPE_CHECKING:
    from latchwork.constraint.terms import Base

Array = NDArray[np.float64]
PART = 2.0**-10  # of where things are, and of how fast: lengths and rates are not less, for rounding
OFF = 0.25  # of a unit of each coordinate: where forces are looked for that there are none of at the start


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


UNSCALED = Scales()


class Measure(NamedTuple):
    """What the programs of a run are measured by: its scales, and units of coordinates and speeds (`Units`)."""

    scales: Scales
    q: tuple[float, ...]
    u: tuple[float, ...]


def power_of_four(value: float) -> float:
    """The power of four nearest to a positive number, by ratio: 1 for all from 1/2 on and below 2."""
    _, e = math.frexp(value)
    return math.ldexp(1.0, e - e % 2)


def rounded_length(value: float) -> float:
    """A power of four for the length of a part: 1 for all from 1/3 on and below 4/3."""
    return power_of_four(1.5 * value)


def largest(values: Iterable[float]) -> float:
    """The largest that is finite; 0 where none is positive."""
    return max([value for value in values if math.isfinite(value)], default=0.0)


def measure_at(base: Base, x: Array, sizes: Iterable[float] = ()) -> Measure:
    """Scales and units at the state x = (t, q, u, rest) of a start; ``sizes`` are of shapes."""
    lengths = base.lengths
    W, (qdot, M, _), g = base.spread(x).reshape(len(lengths), -1), _parts(base, x), _gravity(base, x)
    length = _length(base, x, qdot, g, sizes)
    q, u = units_of(np.where(lengths, length, 1.0), W)
    inertia = largest((M * u * u).tolist()) or 1.0
    time = power_of_four(_time(base, x, qdot, math.sqrt(g / length), q, u))
    scales = Scales(length, time, power_of_four(inertia) / length / length)
    return Measure(scales, tuple(q.tolist()), tuple(u.tolist()))


def measured(base: Base, x: Array, sizes: Iterable[float] = ()) -> Base:
    """The same programs with scales and units at the state of a start."""
    return base.measured_by(measure_at(base, x, sizes))


def _length(base: Base, x: Array, qdot: Array, g: float, sizes: Iterable[float]) -> float:
    """L: see above."""
    offsets, places = base.offsets, 1 + np.flatnonzero(base.lengths)
    here = apart = offsets.sizes(x)
    if len(places):
        together = x.copy()
        together[places] = 0.0
        here = offsets.sizes(together)
    part = largest((*here[offsets.moving].tolist(), *sizes))
    where = largest((*apart.tolist(), *np.abs(x[places]).tolist()))
    v = largest(np.abs(qdot[base.lengths]).tolist())
    found = max(part, PART * where) if part > 0.0 else where or (math.pi * math.pi * v * v / g if g > 0.0 else 0.0)
    return rounded_length(found) if found > 0.0 else 1.0


def _time(base: Base, x: Array, qdot: Array, falls: float, q: Array, u: Array) -> float:
    """T, not rounded; 1 where nothing moves, and nothing would some way off. ``falls`` is √(g / L)."""
    rest, n_q = x.copy(), len(q)
    rest[1 + n_q : 1 + n_q + len(u)] = 0.0
    aside = rest.copy()
    aside[1 : 1 + n_q] += OFF * q
    turns = largest(np.abs(qdot / q).tolist())
    loads = max(_swing(base, rest, u), falls)
    found = max(loads, PART * turns) if loads > 0.0 else turns or _swing(base, aside, u)
    return math.pi / found if found > 0.0 else 1.0


def _swing(base: Base, x: Array, u: Array) -> float:
    """The largest √(|f_j| / (M_jj ū_j)): how fast loads let something swing."""
    _, M, f = _parts(base, x)
    with np.errstate(divide="ignore", invalid="ignore"):
        return largest(np.sqrt(np.abs(f) / (M * u)).tolist())


def _parts(base: Base, x: Array) -> tuple[Array, Array, Array]:
    """q̇, the diagonal of M, and f at a state."""
    n_q, n = len(base.equations.q), len(base.equations.u)
    out, first = base.motion(x), n_q + n * (n + 1) // 2
    return out[:n_q], out[_diagonal(n_q, n)], out[first : first + n]


@lru_cache(maxsize=64)
def _diagonal(n_q: int, n: int) -> NDArray[np.intp]:
    """Where the diagonal of M stands behind q̇."""
    return np.array([n_q + j * (j + 3) // 2 for j in range(n)], dtype=np.intp)


def _gravity(base: Base, x: Array) -> float:
    """The size of gravity, 0 where there is none."""
    return 0.0 if base.gravity is None else largest([float(norm(base.gravity(x)))])
