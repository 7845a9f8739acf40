"""Balls, rods and flats as numbers in the frame of their shape, from its centre, for kernels that look who is near;
those of what stands still, in N from its origin.

    ball: x, ρ        rod: p, q, ρ        flat: n, d, then v, l of each bound: n · x = d where v · x + l ≥ 0
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from latchwork.contact.narrow_phase.parts import Ball, Flat, Part, Place, Rod
from latchwork.contact.shapes.base import between, numbers, numeric
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector

KINDS: tuple[type, ...] = (Ball, Rod, Flat)


class PartNumbers(NamedTuple):
    """The kind of a part, by its place in `KINDS`, and its numbers."""

    kind: int
    values: tuple[float, ...]

    @property
    def is_round(self) -> bool:
        """A ball about the centre, which looks the same however its shape turns."""
        return self.kind == 0 and self.values[:3] == (0.0, 0.0, 0.0)


def part_numbers(part: Part, center: Point, frame: Frame | None = None) -> PartNumbers | None:
    """A part as numbers in a frame, its own unless given, from a centre; none where it has none, or is of another kind,
    or moves there."""
    if not isinstance(part, Ball | Rod | Flat) or part.place.bends:
        return None
    own = part.place.frame if frame is None else frame
    found = [value for given in _measures(part, center) for value in _plain(own, given)]
    return None if any(value is None or math.isnan(value) for value in found) else PartNumbers(
        KINDS.index(type(part)), tuple(float(value) for value in found if value is not None))  # fmt: skip


def _arm(place: Place, center: Point) -> Vector:
    """From the centre to a place."""
    return place.arm if place.point is center else between(center, place.point) + place.arm


def _measures(part: Ball | Rod | Flat, center: Point) -> list[Any]:
    """Vectors and lengths of a part."""
    arm = _arm(part.place, center)
    if isinstance(part, Ball):
        return [arm, part.radius]
    if isinstance(part, Rod):
        return [arm, arm + part.along * part.length, part.radius]
    bounds = [x for half in part.bounds for x in (half.vector, half.offset - _arm(half.place, center).dot(half.vector))]
    return [part.normal, part.offset + arm.dot(part.normal), *bounds]


def _plain(frame: Frame, given: Any) -> list[float | None]:
    """The numbers of a vector in a frame, or of a length."""
    if not isinstance(given, Vector):
        return [numeric(given)]
    found = numbers(frame, given)
    return [None] if found is None else found.tolist()
