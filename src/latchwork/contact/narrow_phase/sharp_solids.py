"""Sharp convex shapes: where corners and edges of two of them meet, more than one normal separates them."""

from __future__ import annotations

from typing import Any

from latchwork.contact.narrow_phase.outline_depths import turns
from latchwork.contact.shapes.flat import Polyline, Segment
from latchwork.contact.shapes.round import Cone, Cylinder
from latchwork.contact.shapes.solid import Box, Hull


def is_sharp(shape: Any) -> bool:
    """Whether a shape is convex and has corners or edges."""
    if isinstance(shape, Polyline):
        return shape.closed and "in" not in turns(shape)
    return isinstance(shape, Box | Hull | Segment) or is_of_revolution(shape)


def is_of_revolution(shape: Any) -> bool:
    """Whether it is a cylinder or a cone: its edges are round, and so is its side."""
    return isinstance(shape, Cylinder | Cone)
