"""What is told of shapes that have passed into each other, and the run up to there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from latchwork.errors import IntegrationError, Interference
from latchwork.hybrid.interference.watch import Passing
from latchwork.hybrid.path import Segment
from latchwork.mechanics.body import Body
from latchwork.mechanics.point import Point


def explained(error: IntegrationError, model: str, passing: Passing) -> Interference:
    """The error that ends a run, with the run up to there."""
    contact, t, depth, *_ = passing
    a, b = map(_called, contact.shapes)
    message = (
        f"'{model}': {a} and {b} of contact '{contact.name}' have passed into each other. They lie {depth:.3g} deep in "
        f"each other at t = {t:.9g}, though none of the features by which the contact is decided was met. Give what is "
        "thin a thickness (a lw.Box or lw.Capsule for a lw.Segment), let them meet a little elsewhere, or leave the "
        "contact out; the run up to there is .run of this error."
    )
    return Interference(message, error.solution, error.run, contact.name, t, depth)


def _called(shape: Any) -> str:
    """``lw.Box of 'crate'``, or ``lw.Segment at 'P'`` of what stands still; a point by its name."""
    if isinstance(shape, (Point, Body)):
        return f"'{shape.name}'"
    places = [getattr(shape, name, None) for name in ("center", "point", "p")]
    point = next((place for place in places if place is not None), None)
    body = getattr(shape, "body", None)
    if body is not None or point is None:
        return f"{shape.what} of '{(body or shape.frame).name}'"
    return f"{shape.what} at '{point.name}'"


def up_to(segments: Sequence[Segment], t: float) -> list[Segment]:
    """Segments without the steps that end after a time."""
    found = []
    for solution, dynamics in segments:
        last = max(int(np.searchsorted(solution.t, t, side="right")), 1)
        ends = None if solution.ends is None else solution.ends[: last - 1]
        found.append(Segment(replace(solution, t=solution.t[:last], x=solution.x[:last], dx=solution.dx[:last],
                                     bend=solution.bend[: last - 1], ends=ends, event=None), dynamics))  # fmt: skip
        if last < len(solution.t):
            break
    return found
