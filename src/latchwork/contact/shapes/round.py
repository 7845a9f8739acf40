"""Round shapes: circle, sphere, arc and ring, capsule, cylinder, cone, rim."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latchwork.contact.shapes.base import (
    Measure,
    Part,
    Shape,
    across,
    fixed_in,
    frame_of,
    numbers,
    numeric,
    point_of,
    positive,
    turning_frame,
    vector_of,
    way,
)
from latchwork.errors import ModelError
from latchwork.mechanics.joints import unit
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.program import sincos
from latchwork.symbolic.expr import Expr, cos, sin

if TYPE_CHECKING:
    from latchwork.contact.shapes.solid import Hull

MOST_SIDES = 200  # of a prism in the place of a cylinder


@dataclass(frozen=True, eq=False, repr=False)
class Circle(Shape):
    """A disk in the plane of a planar model; it turns with ``body``."""

    center: Point
    radius: Measure
    body: Part | None = None

    def __post_init__(self) -> None:
        center = point_of(self.what, "the centre", self.center)
        positive(self.what, "the radius", center.tree, self.radius)
        self._keep(frame=turning_frame(self.what, self.body, center))


@dataclass(frozen=True, eq=False, repr=False)
class Sphere(Circle):
    """A ball; it turns with ``body``."""


@dataclass(frozen=True, eq=False, repr=False)
class Arc(Shape):
    """Part of a circle, or a ring: from the direction ``start`` by ``angle`` about ``axis`` (default: N.z).

    Touched from outside, or from ``inside``, where the material is beyond the radius. A fence of length L that bends
    up from the end P of a ramp along A.x is ``lw.Arc(P.at("C", R*A.y), R, start=-A.y, angle=L/R, inside=True)``.
    ``belt`` is a speed of its surface in the sense of a positive turn about the axis.
    """

    center: Point
    radius: Measure
    start: Vector | None = None
    angle: Measure | None = None
    axis: Vector | None = None
    inside: bool = False
    body: Part | None = None
    belt: Measure | None = None
    about: Vector = field(init=False, repr=False)
    ends: tuple[tuple[Vector, Vector], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        center = point_of(self.what, "the centre", self.center)
        positive(self.what, "the radius", center.tree, self.radius)
        axis = center.tree.newtonian.z if self.axis is None else vector_of(self.what, "the axis", self.axis)
        if (self.start is None) != (self.angle is None):
            raise ModelError(
                f"{self.what} at '{center.name}' has start {self.start} and angle {self.angle}. Give both for an arc, "
                "or neither for a ring."
            )
        if self.start is None or self.angle is None:
            frame = frame_of(self.what, self.body, center, (axis,))
            self._keep(frame=frame, about=unit(fixed_in(frame, self.what, "the axis", axis)), ends=())
            return
        start = vector_of(self.what, "the start", self.start)
        frame = frame_of(self.what, self.body, center, (axis, start))
        k = unit(fixed_in(frame, self.what, "the axis", axis))
        first = unit(fixed_in(frame, self.what, "the start", start))
        across(self.what, k, first, "the axis and the start")
        self._keep(frame=frame, about=k, ends=self._ends(k, first, self.angle))

    def _ends(self, k: Vector, first: Vector, angle: Measure) -> tuple[tuple[Vector, Vector], ...]:
        """At both ends: the direction from the centre, and the tangent in the sense of travel."""
        size = numeric(angle) if isinstance(angle, (Expr, Real)) else None
        if size is None or size == 0.0 or abs(size) > 2.0 * math.pi:
            raise ModelError(
                f"the angle of {self.what} at '{self.center.name}' is {angle!r}. Give one between −2π and 2π that is "
                "not zero, in radians, of parameters with values."
            )
        side = k.cross(first)
        last = first * cos(angle) + side * sin(angle)
        sense = math.copysign(1.0, size)
        return (first, side * sense), (last, k.cross(last) * sense)

    @property
    def beyond_half(self) -> bool:
        """More than half of the circle."""
        size = numeric(self.angle) if self.angle is not None else None
        return size is not None and abs(size) > math.pi


@dataclass(frozen=True, eq=False, repr=False)
class AxialShape(Shape):
    """What is round about the line from p to q, with a radius about it."""

    p: Point
    q: Point
    radius: Measure
    body: Part | None = None
    direction: Vector = field(init=False, repr=False)
    length: Expr = field(init=False, repr=False)

    def __post_init__(self) -> None:
        p, q = (point_of(self.what, f"an end ({role})", point) for role, point in (("p", self.p), ("q", self.q)))
        positive(self.what, "the radius", p.tree, self.radius)
        along = way(self.what, p, q)
        frame = frame_of(self.what, self.body, p, (along,))
        along = fixed_in(frame, self.what, f"the way from '{p.name}' to '{q.name}'", along)
        self._keep(frame=frame, direction=unit(along), length=along.magnitude())


class Capsule(AxialShape):
    """All within ``radius`` of the segment from p to q: a rod with round ends (in the plane, a stadium)."""


class Cylinder(AxialShape):
    """All within ``radius`` of the line through p and q, between the planes across it there: a rod with flat ends.

    It meets planes, balls, points, capsules, boxes, hulls, segments and cylinders. For everything else `sided` gives
    the convex hull of a prism.
    """

    def sided(self, sides: int) -> Hull:
        """The prism of so many sides whose edges lie on the cylinder: a convex hull, with the numbers it has now."""
        from latchwork.contact.shapes.solid import Hull

        ring, tip = _ring(self, sides)
        return Hull(np.vstack([ring, ring + tip]), body=self.body or self.frame, center=self.p)


class Cone(AxialShape):
    """A cone with a flat base about p, of a radius, and its tip at q.

    It meets planes, balls, points, capsules, boxes, hulls and segments. For everything else `sided` gives the convex
    hull of a pyramid.
    """

    def sided(self, sides: int) -> Hull:
        """The pyramid of so many sides whose edges lie on the cone: a convex hull, with the numbers it has now."""
        from latchwork.contact.shapes.solid import Hull

        ring, tip = _ring(self, sides)
        return Hull(np.vstack([ring, tip]), body=self.body or self.frame, center=self.p)


def must_be_sides(sides: Any) -> None:
    """Refuse what is no number of sides of a prism."""
    if not isinstance(sides, int) or not 3 <= sides <= MOST_SIDES:
        raise ModelError(f"a solid of {sides!r} sides cannot be had. Give a whole number from 3 to {MOST_SIDES}.")


def _ring(shape: Cylinder | Cone, sides: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Places evenly around the rim about p, from there, and the way to q."""
    axis, span, radius = numbers(shape.frame, shape.direction), numeric(shape.length), numeric(shape.radius)
    must_be_sides(sides)
    if axis is None or span is None or radius is None:
        raise ModelError(f"{shape.what} at '{shape.p.name}' has no numbers. Give its parameters values first.")
    first = np.cross(np.eye(3)[int(np.argmin(np.abs(axis)))], axis)
    first = first / math.sqrt(float((first * first).sum()))
    angles = [2.0 * math.pi * i / sides for i in range(sides)]
    ring = np.array([radius * (sincos.cos(a) * first + sincos.sin(a) * np.cross(axis, first)) for a in angles])
    return ring, np.asarray(span * axis)


@dataclass(frozen=True, eq=False, repr=False)
class Rim(Shape):
    """The edge of a coin or wheel: a circle about ``axis``, with a tyre of radius ``tube`` about it (0: thin)."""

    center: Point
    axis: Vector
    radius: Measure
    body: Part | None = None
    tube: Any = 0.0

    def __post_init__(self) -> None:
        center = point_of(self.what, "the centre", self.center)
        positive(self.what, "the radius", center.tree, self.radius)
        if not (isinstance(self.tube, Real) and self.tube == 0.0):
            positive(self.what, "the tube", center.tree, self.tube)
        axis = vector_of(self.what, "the axis", self.axis)
        frame = turning_frame(self.what, self.body, center)
        self._keep(frame=frame, axis=unit(fixed_in(frame, self.what, "the axis", axis)))
