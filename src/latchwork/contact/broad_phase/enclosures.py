"""What holds a shape and all that can be touched of it: a segment with a radius, a half-space, or both.

A feature may be met as long as something is within its domain, and the domain of a wall reaches behind it. The
enclosure holds that too, so that nothing about two shapes has to be watched while their enclosures are apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from latchwork.algebra.products import norm
from latchwork.contact.broad_phase.spheres import bounding
from latchwork.contact.narrow_phase.outline_depths import depths
from latchwork.contact.shapes.base import between, numbers, numeric
from latchwork.contact.shapes.flat import Line, Plane, Polyline, Segment
from latchwork.contact.shapes.round import Arc, Capsule, Circle, Cone, Cylinder, Rim, Sphere
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.mechanics.body import Body
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector

Array = np.ndarray


class Enclosure(NamedTuple):
    """All within ``radius`` of the segment from p to q, and below the plane through p with the normal, if any.

    What belongs to a planar model has no end along its ``axis``.
    """

    p: Point
    q: Point
    radius: float
    normal: Array | None = None
    axis: Vector | None = None

    @property
    def is_finite(self) -> bool:
        return math.isfinite(self.radius)


def enclosed(shape: Any) -> Enclosure | None:
    """The enclosure of a shape, with the values that parameters have; none where there is none, or none is known."""
    shape = shape.center if isinstance(shape, Body) and shape.is_particle else shape
    row = ENCLOSED.get(type(shape))
    return None if row is None else row(shape)


def can_be_parted(a: Enclosure, b: Enclosure) -> bool:
    """Whether two enclosures tell when shapes are apart: one ends, and a planar one is met in its plane only."""
    ways = [between(x, y) for x in dict.fromkeys((a.p, a.q)) for y in dict.fromkeys((b.p, b.q))]
    axes = [one.axis for one in (a, b) if one.axis is not None]
    return (a.is_finite or b.is_finite) and all(way.dot(axis) == 0.0 for way in ways for axis in axes)


def apart(p: Array, q: Array, r: Array, s: Array) -> Array:
    """The least distances of segments from p to q and from r to s, (k,) for (k, 3) each.

    Least |p + a (q − p) − r − b (s − r)| with a, b in [0, 1]: b for the best a, then a for that b.  [Ericson §5.1.9]
    """
    d, e, w = q - p, s - r, p - r
    dd, ee, de, dw, ew = _dot(d, d), _dot(e, e), _dot(d, e), _dot(d, w), _dot(e, w)
    across = dd * ee - de * de
    a = np.clip(_over(de * ew - dw * ee, across), 0.0, 1.0)
    b = np.clip(_over(de * a + ew, ee), 0.0, 1.0)
    a = np.clip(_over(de * b - dw, dd), 0.0, 1.0)
    gaps: Array = norm(w + a[..., None] * d - b[..., None] * e, axis=-1)
    return gaps


def _dot(a: Array, b: Array) -> Array:
    result: Array = np.einsum("...i,...i->...", a, b)
    return result


def _over(a: Array, b: Array) -> Array:
    """a / b, 0 where b vanishes."""
    some = b > 1e-300
    return np.where(some, a / np.where(some, b, 1.0), 0.0)


def _sphere(shape: Any) -> Enclosure | None:
    found = bounding(shape)
    return None if found is None else Enclosure(found[0], found[0], found[1])


def _capsule(shape: Capsule | Cylinder | Cone) -> Enclosure | None:
    radius = numeric(shape.radius)
    return None if radius is None else Enclosure(shape.p, shape.q, radius)


def _plane(shape: Line | Plane) -> Enclosure | None:
    n = _fixed(shape, shape.normal)
    return None if n is None else Enclosure(shape.point, shape.point, math.inf, n)


def _segment(shape: Segment) -> Enclosure | None:
    """A wire; or a wall, below its line and as deep as it is."""
    if shape.normal is None:
        return Enclosure(shape.p, shape.q, 0.0)
    depth = None if shape.depth is None else numeric(shape.depth)
    axis = shape.direction.cross(shape.normal)
    return None if depth is None else Enclosure(shape.p, shape.q, depth, _fixed(shape, shape.normal), axis)


def _polyline(shape: Polyline) -> Enclosure | None:
    """What holds it and is behind its edges; none where that has no end, as behind an open one."""
    deep, found = depths(shape), _sphere(shape)
    known = [depth for depth in deep if depth is not None]
    if found is None or len(known) < len(deep):
        return None
    return found._replace(radius=found.radius + max(known), axis=shape.axis)


def _arc(shape: Arc) -> Enclosure | None:
    """From inside it may be met from behind up to twice the radius."""
    radius = numeric(shape.radius)
    reach = 2.0 if shape.inside else 1.0
    return None if radius is None else Enclosure(shape.center, shape.center, reach * radius, axis=shape.about)


def _solid(shape: Box | Hull) -> Enclosure | None:
    found, is_flat = _sphere(shape), shape.is_flat if isinstance(shape, Hull) else len(shape.sizes) == 2
    return found if found is None or not is_flat else found._replace(axis=shape.frame.z)


def _fixed(shape: Line | Plane | Segment, normal: Vector) -> Array | None:
    """The normal in N, where it does not turn."""
    return numbers(shape.tree.newtonian, normal) if shape.frame.angular_velocity().is_zero else None


ENCLOSED: dict[type, Callable[[Any], Enclosure | None]] = {
    Point: _sphere,
    Circle: _sphere,
    Sphere: _sphere,
    Rim: _sphere,
    Capsule: _capsule,
    Cylinder: _capsule,
    Cone: _capsule,
    Segment: _segment,
    Line: _plane,
    Plane: _plane,
    Polyline: _polyline,
    Arc: _arc,
    Box: _solid,
    Hull: _solid,
}
