"""Shapes that are no pair: what stands in a plane beside what fills space, and a disk in a ring of its own radius."""

from __future__ import annotations

import math
from typing import Any

from latchwork.contact.curves import Curve, Surface
from latchwork.contact.narrow_phase.edge_pairs import vanishes
from latchwork.contact.shapes.base import ROUNDING, numeric
from latchwork.contact.shapes.boundary import Boundary
from latchwork.contact.shapes.flat import Polyline, Segment
from latchwork.contact.shapes.round import Arc, Capsule, Circle, Rim
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.errors import ModelError
from latchwork.mechanics.vector import Vector


def up_of(curve: Curve) -> Vector:
    """Across the plane of a curve."""
    return curve.point.tree.newtonian.z if curve.up is None else curve.up


def must_stand_together(name: str, a: Any, b: Any) -> None:
    """Refuse a curve, which is a wall, on a solid in space, and a surface on what has its place in the plane."""
    for shape, other in ((a, b), (b, a)):
        if isinstance(shape, Curve) and _fills_space(other, up_of(shape)):
            raise ModelError(
                f"contact '{name}' is between a curve and lw.{type(other).__name__}, which does not stand in its "
                "plane. A curve is a wall across its plane, and meets points and balls in space: give a lw.Surface."
            )
        if isinstance(shape, Surface) and _is_planar(other):
            raise ModelError(
                f"contact '{name}' is between a surface and lw.{type(other).__name__}, which belongs to a plane. A "
                "surface meets points, lw.Sphere, lw.Capsule, lw.Box, lw.Hull, lw.Plane, lw.Rim, a lw.Segment without "
                "a normal, and other surfaces: give one of these."
            )


def _fills_space(shape: Any, up: Vector) -> bool:
    if isinstance(shape, Capsule) or (isinstance(shape, Segment) and shape.normal is None):
        return not vanishes(shape.direction.dot(up))
    return isinstance(shape, Rim) or (isinstance(shape, Box | Hull) and not _is_flat(shape))


def _is_flat(shape: Box | Hull) -> bool:
    return shape.is_flat if isinstance(shape, Hull) else len(shape.sizes) == 2


def _is_planar(shape: Any) -> bool:
    if isinstance(shape, Segment):
        return shape.normal is not None
    return isinstance(shape, Arc | Boundary | Polyline) or (isinstance(shape, Box | Hull) and _is_flat(shape))


def fits(name: str, shape: Any, other: Any) -> bool:
    """Whether an arc holds a disk of its own radius; refused where it goes round so far that the disk cannot leave."""
    if not (isinstance(shape, Arc) and shape.inside and isinstance(other, Circle | Capsule)):
        return False
    radius, room = numeric(shape.radius), numeric(shape.radius - other.radius)
    if radius is None or room is None or abs(room) > ROUNDING * radius:
        return False
    angle = None if shape.angle is None else numeric(shape.angle)
    if angle is None or abs(angle) > math.pi + ROUNDING:
        raise ModelError(
            f"contact '{name}' is between lw.{type(other).__name__} and lw.Arc of the same radius, {radius:g}, which "
            "holds it all round. That is a pin: join the bodies by model.revolute or model.close, or give the arc more "
            "room."
        )
    return True
