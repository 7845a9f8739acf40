"""Places where constraints act: points, and points of a body that are somewhere now and elsewhere the next moment."""

from __future__ import annotations

from dataclasses import dataclass

from latchwork.mechanics.frame import Frame
from latchwork.mechanics.loads import Wrench
from latchwork.mechanics.point import Point, anchor
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ZERO

Bends = tuple[tuple[Expr, Vector], ...]


@dataclass(frozen=True, eq=False)
class Spot:
    """The material point that is at ``arm`` from ``point``, a point fixed in the frame: v = v_P + ω × arm + Σ p_j q̇_j.

    A wheel touches the road with one spot after the other; none of them is a point of the model. What bends in the
    frame has coordinates q_j with which the material point moves there, p_j = ∂p/∂q_j, as ``bends``.
    """

    point: Point
    frame: Frame
    arm: Vector
    bends: Bends = ()

    @property
    def name(self) -> str:
        return f"{self.frame.name} at {self.point.name} + {self.arm}"

    def __repr__(self) -> str:
        return self.name


def spot(point: Point, frame: Frame, arm: Vector, bends: Bends = ()) -> Point | Spot:
    """The spot, or simply the point where nothing moves or the arm is zero."""
    return Spot(point, frame, arm, bends) if bends or not (frame.parent is None or arm.is_zero) else point


def velocity(place: Point | Spot) -> Vector:
    """v in N, in terms of q̇; where a point is not located, as declared."""
    if isinstance(place, Spot):
        turning = velocity(place.point) + at_home(place.frame.angular_velocity()).cross(place.arm)
        return sum((partial * dt(q) for q, partial in place.bends), start=turning)
    start = anchor(place)
    if start is None:
        return place.velocity()
    assert start.moved is not None, "a point that is not located has a declared velocity"
    return start.moved + place.position(start).dt_in(place.tree.newtonian)


def at_home(v: Vector) -> Vector:
    """The same vector with each axis written in the topmost frame that has it: a wheel's axle does not turn with it."""
    g = v.tree.graph
    parts: dict[Frame, list[int]] = {}
    for frame, part in v.parts.items():
        for k in range(3):
            if part[k] != ZERO:
                row = parts.setdefault(frame.axis_homes[k], [ZERO, ZERO, ZERO])
                row[k] = g.add(row[k], part[k])
    return Vector(v.tree, {frame: (row[0], row[1], row[2]) for frame, row in parts.items()})


def exerted(on: Point | Frame | Spot, vector: Vector) -> Wrench:
    """A force R at a point, a torque on a frame; on a spot, R at its point, the torque arm × R on its frame, and the
    efforts p_j · R on coordinates with which it bends."""
    if isinstance(on, Frame):
        return Wrench((), ((on, vector),))
    if isinstance(on, Point):
        return Wrench(((on, vector),))
    efforts = tuple((q, partial.dot(vector)) for q, partial in on.bends)
    return Wrench(((on.point, vector),), ((on.frame, on.arm.cross(vector)),), efforts=efforts)
