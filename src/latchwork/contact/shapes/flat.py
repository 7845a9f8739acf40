"""Straight shapes: line, plane, segment, polyline. Each has its material on the side that its normal leaves."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from latchwork.contact.shapes.base import (
    Measure,
    Part,
    Shape,
    across,
    drift_of,
    fixed_in,
    frame_of,
    names_of,
    point_of,
    positive,
    several,
    vector_of,
    way,
)
from latchwork.errors import ModelError
from latchwork.mechanics.joints import unit
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr


@dataclass(frozen=True, eq=False, repr=False)
class Line(Shape):
    """A line in the plane of a planar model, without end; material lies on the side opposite to the normal.

    ``belt`` is the velocity of its surface on its body: a speed along ``direction``, or a vector.
    """

    point: Point
    direction: Vector
    normal: Vector
    body: Part | None = None
    belt: Any = None
    drift: Vector | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        point_of(self.what, "the point", self.point)
        t = vector_of(self.what, "the direction", self.direction)
        n = vector_of(self.what, "the normal", self.normal)
        frame = frame_of(self.what, self.body, self.point, (t, n))
        t, n = (unit(fixed_in(frame, self.what, role, v)) for role, v in (("the direction", t), ("the normal", n)))
        across(self.what, t, n, "the direction and the normal")
        self._keep(frame=frame, direction=t, normal=n, drift=drift_of(self.what, frame, self.belt, t))


@dataclass(frozen=True, eq=False, repr=False)
class Plane(Shape):
    """A plane without end; material lies on the side opposite to the normal. ``belt`` is a vector."""

    point: Point
    normal: Vector
    body: Part | None = None
    belt: Vector | None = None
    drift: Vector | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        point_of(self.what, "the point", self.point)
        n = vector_of(self.what, "the normal", self.normal)
        frame = frame_of(self.what, self.body, self.point, (n,))
        n = unit(fixed_in(frame, self.what, "the normal", n))
        self._keep(frame=frame, normal=n, drift=drift_of(self.what, frame, self.belt, None))


@dataclass(frozen=True, eq=False, repr=False)
class Segment(Shape):
    """From p to q. With a normal it has material behind it, ``depth`` deep (default: its length).

    Without a normal it is a thin wall with two sides in the plane, a thin wire in space: touched from all sides.
    """

    p: Point
    q: Point
    normal: Vector | None = None
    body: Part | None = None
    belt: Any = None
    depth: Measure | None = None
    direction: Vector = field(init=False, repr=False)
    length: Expr = field(init=False, repr=False)
    drift: Vector | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        p, q = (point_of(self.what, f"an end ({role})", point) for role, point in (("p", self.p), ("q", self.q)))
        along = way(self.what, p, q)
        vectors = (along,) if self.normal is None else (along, vector_of(self.what, "the normal", self.normal))
        frame = frame_of(self.what, self.body, p, vectors)
        along = fixed_in(frame, self.what, f"the way from '{p.name}' to '{q.name}'", along)
        t, n = unit(along), None
        if self.normal is not None:
            n = unit(fixed_in(frame, self.what, "the normal", self.normal))
            across(self.what, t, n, "the way and the normal")
        length = along.magnitude()
        depth = length if self.depth is None else positive(self.what, "the depth", p.tree, self.depth)
        drift = drift_of(self.what, frame, self.belt, t)
        self._keep(frame=frame, direction=t, length=length, normal=n, depth=depth, drift=drift)


@dataclass(frozen=True, eq=False, repr=False)
class Polyline(Shape):
    """Points joined by straight edges. The outward normal is on the left of travel, about ``axis`` (default: N.z).

    Ground is drawn from left to right then, and the outline of something solid runs clockwise. ``belt`` is a speed in
    the direction of travel.
    """

    points: Sequence[Point]
    closed: bool = False
    axis: Vector | None = None
    body: Part | None = None
    belt: Measure | None = None
    along: tuple[Vector, ...] = field(init=False, repr=False)
    normals: tuple[Vector, ...] = field(init=False, repr=False)
    lengths: tuple[Expr, ...] = field(init=False, repr=False)
    drifts: tuple[Vector | None, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        points = tuple(point_of(self.what, "a corner", point)
                       for point in several(self.what, "corners", self.points))  # fmt: skip
        if len(points) < (3 if self.closed else 2):
            raise ModelError(f"{self.what} has the corners {names_of(points)}. Give two, or three where it is closed.")
        ring = (*points, points[0]) if self.closed else points
        ways = [way(self.what, p, q) for p, q in itertools.pairwise(ring)]
        axis = points[0].tree.newtonian.z if self.axis is None else vector_of(self.what, "the axis", self.axis)
        frame = frame_of(self.what, self.body, points[0], (*ways, axis))
        k = unit(fixed_in(frame, self.what, "the axis", axis))
        sides = [fixed_in(frame, self.what, f"edge {i + 1}", side) for i, side in enumerate(ways)]
        along = tuple(map(unit, sides))
        for i, t in enumerate(along):
            across(self.what, t, k, f"edge {i + 1} and the axis")
        lengths = tuple(side.magnitude() for side in sides)
        drifts = tuple(drift_of(self.what, frame, self.belt, t) for t in along)
        self._keep(frame=frame, points=points, axis=k, along=along, lengths=lengths, drifts=drifts,
                   normals=tuple(k.cross(t) for t in along))  # fmt: skip
