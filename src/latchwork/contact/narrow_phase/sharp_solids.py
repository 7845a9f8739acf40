"""Sharp convex shapes: where corners and edges of two of them meet, more than one normal separates them."""

from __future__ import annotations

from typing import Any

from latchwork.contact.narrow_phase.outline_depths import turns
from latchwork.contact.shapes.flat import Polyline, Segment
from latchwork.contact.shapes.solid import Box, Hull


def is_sharp(shape: Any) -> bool:
    """Whether a shape is convex and has corners."""
    if isinstance(shape, Polyline):
        return shape.closed and "in" not in turns(shape)
    return isinstance(shape, Box | Hull | Segment)
