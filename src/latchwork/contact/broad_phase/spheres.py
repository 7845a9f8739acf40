"""Broad phase: spheres around shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from latchwork.algebra.products import norm
from latchwork.contact.shapes.base import Shape, between, numbers, numeric
from latchwork.contact.shapes.boundary import Boundary, ends_of
from latchwork.contact.shapes.flat import Polyline, Segment
from latchwork.contact.shapes.round import Arc, Capsule, Circle, Cone, Cylinder, Rim, Sphere
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector

Bound = tuple[Point, float | None]


def _rod(shape: Segment | Capsule | Cylinder | Cone) -> Bound:
    return shape.p, _sum(shape.length, getattr(shape, "radius", 0.0))


def _polyline(shape: Polyline) -> Bound:
    return shape.points[0], _furthest(shape, [between(shape.points[0], point) for point in shape.points])


def _boundary(shape: Boundary) -> Bound:
    """Around its first end; an arc of an angle φ is no further from its own ends than its diameter."""
    first = ends_of(shape.pieces[0])[0]
    ends = [between(first.point, end.point) + end.arm for piece in shape.pieces for end in ends_of(piece)]
    wide = [2.0 * piece.radius for piece in shape.pieces if isinstance(piece, Arc)]
    return first.point, _sum(_furthest(shape, [first.arm, *ends]), *wide)


def _box(shape: Box) -> Bound:
    sizes = [numeric(size) for size in shape.sizes]
    return shape.center, None if None in sizes else 0.5 * float(norm(np.array(sizes, dtype=float)))


def _hull(shape: Hull) -> Bound:
    assert shape.center is not None
    return shape.center, float(norm(shape.vertices, axis=1).max())


def _sum(*lengths: Any) -> float | None:
    found = [None if length is None else numeric(length) for length in lengths]
    return None if None in found else float(sum(size for size in found if size is not None))


def _furthest(shape: Shape, ways: list[Vector]) -> float | None:
    found = [numbers(shape.frame, way) for way in ways]
    sizes = [float(norm(x)) for x in found if x is not None]
    return max(sizes) if len(sizes) == len(found) else None


BOUNDS: dict[type, Callable[[Any], Bound]] = {
    Point: lambda point: (point, 0.0),
    Circle: lambda shape: (shape.center, numeric(shape.radius)),
    Sphere: lambda shape: (shape.center, numeric(shape.radius)),
    Arc: lambda shape: (shape.center, numeric(shape.radius)),
    Rim: lambda shape: (shape.center, _sum(shape.radius, shape.tube)),
    Segment: _rod,
    Capsule: _rod,
    Cylinder: _rod,
    Cone: _rod,
    Polyline: _polyline,
    Boundary: _boundary,
    Box: _box,
    Hull: _hull,
}


def bounding(shape: Shape | Point) -> tuple[Point, float] | None:
    """A point fixed in the shape and the radius around it that holds all of it; None where it has no end.

    Parameters count with the values they have; where one has none, there is no bound. What is touched from inside (a
    ring) is held by its bound as well: its hollow is a part of it.
    """
    row = BOUNDS.get(type(shape))
    point, radius = row(shape) if row is not None else (None, None)
    return None if point is None or radius is None else (point, radius)


def radius_of(shape: Any) -> float:
    """The radius of the sphere that holds a shape, 0 where it has no end, or none is known."""
    found = bounding(shape)
    return 0.0 if found is None else found[1]
