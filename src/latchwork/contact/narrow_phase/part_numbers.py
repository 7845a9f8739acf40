"""Balls, rods and flats as numbers in the frame of their shape, from its centre, for kernels that look who is near.

    ball: x, ρ        rod: p, q, ρ        flat: n, d, then v, l of each bound: n · x = d where v · x + l ≥ 0
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from latchwork.contact.narrow_phase.parts import Ball, Flat, Part, Rod
from latchwork.contact.shapes.base import numbers, numeric
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


def part_numbers(part: Part, center: Point) -> PartNumbers | None:
    """A part as numbers; none where it has none, or is of another kind or another place."""
    if not isinstance(part, Ball | Rod | Flat) or part.place.point is not center or part.place.bends:
        return None
    found = [value for given in _measures(part) for value in _plain(part, given)]
    return None if any(value is None or math.isnan(value) for value in found) else PartNumbers(
        KINDS.index(type(part)), tuple(float(value) for value in found if value is not None))  # fmt: skip


def _measures(part: Ball | Rod | Flat) -> list[Any]:
    """Vectors and lengths of a part."""
    arm = part.place.arm
    if isinstance(part, Ball):
        return [arm, part.radius]
    if isinstance(part, Rod):
        return [arm, arm + part.along * part.length, part.radius]
    bounds = [x for half in part.bounds for x in (half.vector, half.offset - half.place.arm.dot(half.vector))]
    return [part.normal, part.offset + arm.dot(part.normal), *bounds]


def _plain(part: Ball | Rod | Flat, given: Any) -> list[float | None]:
    """The numbers of a vector in the frame of a part, or of a length."""
    if not isinstance(given, Vector):
        return [numeric(given)]
    found = numbers(part.place.frame, given)
    return [None] if found is None else found.tolist()
