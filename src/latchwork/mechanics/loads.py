"""Loads: forces at points, torques on frames, and the elements that are made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from latchwork.errors import ModelError
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr, sqrt, where


@dataclass(frozen=True, eq=False)
class Force:
    """A force at a point; with ``reaction``, the opposite force at another point.

    ``potential`` is an energy whose rate is the power of the force's conservative part, reversed, where it has one.
    """

    point: Point
    vector: Vector
    reaction: Point | None = None
    name: str = ""
    potential: Expr | None = None

    @property
    def forces(self) -> list[tuple[Point, Vector]]:
        pair = [(self.point, self.vector)]
        return pair if self.reaction is None else [*pair, (self.reaction, -self.vector)]

    @property
    def torques(self) -> list[tuple[Frame, Vector]]:
        return []


@dataclass(frozen=True, eq=False)
class Torque:
    """A torque on a frame; with ``reaction``, the opposite torque on another frame."""

    frame: Frame
    vector: Vector
    reaction: Frame | None = None
    name: str = ""
    potential: Expr | None = None

    @property
    def torques(self) -> list[tuple[Frame, Vector]]:
        pair = [(self.frame, self.vector)]
        return pair if self.reaction is None else [*pair, (self.reaction, -self.vector)]

    @property
    def forces(self) -> list[tuple[Point, Vector]]:
        return []


@dataclass(frozen=True, eq=False)
class Spring:
    """A linear spring and damper along the line PQ: force k (d - d0) + c ḋ towards each other, V = ½ k (d - d0)².

    Where P and Q coincide, d = 0, the line has the direction of their relative velocity, its limit along the motion:
    the damper pulls with c v; the force of a spring of free length d0, which turns about there, is taken as 0.
    """

    p: Point
    q: Point
    stiffness: Any
    length: Any = 0.0
    damping: Any = 0.0
    name: str = ""

    @property
    def forces(self) -> list[tuple[Point, Vector]]:
        pull = self._direction * self._spring + self._damper()
        return [(self.p, pull), (self.q, -pull)]

    @property
    def torques(self) -> list[tuple[Frame, Vector]]:
        return []

    @property
    def potential(self) -> Expr | None:
        """½ k (d - d0)²; its rate is 0, as the force is, where P and Q coincide."""
        square = self._line.dot(self._line)
        if _is_zero(self.length):
            return 0.5 * self.stiffness * square
        distance = where(square > 0.0, sqrt(where(square > 0.0, square, 1.0)), 0.0)
        return 0.5 * self.stiffness * (distance - self.length) ** 2

    @property
    def _line(self) -> Vector:
        return self.q.position(self.p)

    @property
    def _distance(self) -> Expr:
        return self._line.magnitude()

    @property
    def _direction(self) -> Vector:
        """The unit vector from P to Q, 0 where they coincide; with d0 = 0 the vector itself."""
        d = self._distance
        return self._line if _is_zero(self.length) else self._line * where(d > 0.0, 1.0 / d, 0.0)

    @property
    def _spring(self) -> Expr:
        """k (d - d0) along the unit vector; with d0 = 0 simply k along the vector itself, without a square root."""
        return self.stiffness if _is_zero(self.length) else self.stiffness * (self._distance - self.length)

    def _damper(self) -> Vector:
        """c (n · v) n with the unit vector n from P to Q; where P and Q coincide, n along v: c v."""
        line = self._line
        if _is_zero(self.damping):
            return Vector(line.tree, {})
        v, square = line.dt_in(line.tree.newtonian), line.dot(line)
        apart = square > 0.0
        return line * (self.damping * line.dot(v) / where(apart, square, 1.0)) + v * where(apart, 0.0, self.damping)


@dataclass(frozen=True, eq=False)
class Torsion:
    """A torsional spring and damper: torque -k (θ - θ0) - c θ̇ along an axis on a frame, the opposite on another."""

    frame: Frame
    reaction: Frame | None
    axis: Vector
    angle: Expr
    stiffness: Any = 0.0
    rest: Any = 0.0
    damping: Any = 0.0
    name: str = ""

    @property
    def forces(self) -> list[tuple[Point, Vector]]:
        return []

    @property
    def torques(self) -> list[tuple[Frame, Vector]]:
        moment = self.axis * (-1.0 * self.stiffness * (self.angle - self.rest)) + self._damper()
        return self._pair(moment)

    @property
    def potential(self) -> Expr | None:
        turn = self.angle - self.rest
        return 0.5 * self.stiffness * turn * turn

    def _damper(self) -> Vector:
        return self.axis * (-1.0 * self.damping * dt(self.angle))

    def _pair(self, moment: Vector) -> list[tuple[Frame, Vector]]:
        pair = [(self.frame, moment)]
        return pair if self.reaction is None else [*pair, (self.reaction, -moment)]


@dataclass(frozen=True, eq=False)
class Wrench:
    """Forces at points, torques on frames and efforts on coordinates that act together: what a constraint exerts,
    where one pair is too few. Efforts are what forces on a body that bends do to its elastic coordinates."""

    forces: tuple[tuple[Point, Vector], ...] = ()
    torques: tuple[tuple[Frame, Vector], ...] = ()
    name: str = ""
    potential: Expr | None = None
    efforts: tuple[tuple[Expr, Expr], ...] = ()


@dataclass(frozen=True, eq=False)
class GeneralizedForce:
    """Forces Q_j on coordinates, whose power is Σ Q_j q̇_j: the elastic forces of a body that bends.

    They act inside a body, so that no joint feels them: they have no resultant.
    """

    efforts: tuple[tuple[Expr, Expr], ...]
    name: str = ""
    potential: Expr | None = None

    @property
    def forces(self) -> list[tuple[Point, Vector]]:
        return []

    @property
    def torques(self) -> list[tuple[Frame, Vector]]:
        return []


Load = Force | Torque | Spring | Torsion | Wrench | GeneralizedForce


def require_vector(value: object, what: str) -> Vector:
    """A vector, or an error that says what it is for."""
    if not isinstance(value, Vector):
        example = "N.z" if "axis" in what else "F*N.x"
        raise ModelError(f"{what} is a vector; got {value!r}. For example {example}.")
    return value


def _is_zero(value: Any) -> bool:
    return (not isinstance(value, Expr) and float(value) == 0.0) or (isinstance(value, Expr) and value == 0.0)
