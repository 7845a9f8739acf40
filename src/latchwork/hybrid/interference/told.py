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
        f"'{model}': {a} and {b} of contact '{contact.name}' have passed into each other: at t = {t:.9g} they lie "
        f"{depth:.3g} deep in each other, and nothing that this pair of shapes is watched by has touched. Give what is "
        "thin a thickness (lw.Box or lw.Capsule in place of a lw.Segment), or let the shapes meet elsewhere; the run "
        "up to there is in the error's .run."
    )
    return Interference(message, error.solution, error.run, contact.name, t, depth)


def _called(shape: Any) -> str:
    """``lw.Box of 'crate'``: by what it turns with, or the point it is at."""
    if isinstance(shape, (Point, Body)):
        return f"'{shape.name}'"
    point = getattr(shape, "center", None) or getattr(shape, "point", None) or getattr(shape, "p", None)
    owner = getattr(shape, "body", None) or (shape.frame if point is None else point)
    return f"{shape.what} of '{owner.name}'"


def up_to(segments: Sequence[Segment], t: float) -> list[Segment]:
    """Segments without the steps that end after a time."""
    found = []
    for solution, stage in segments:
        last = max(int(np.searchsorted(solution.t, t, side="right")), 1)
        ends = None if solution.ends is None else solution.ends[: last - 1]
        found.append(Segment(replace(solution, t=solution.t[:last], x=solution.x[:last], dx=solution.dx[:last],
                                     bend=solution.bend[: last - 1], ends=ends, event=None), stage))  # fmt: skip
        if last < len(solution.t):
            break
    return found
