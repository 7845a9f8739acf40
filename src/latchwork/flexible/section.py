"""The section of a beam: stiffnesses and masses per length, each a number, an expression, or a function of s."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.errors import ModelError
from latchwork.flexible.end_conditions import Profile
from latchwork.flexible.quadrature import gauss_points
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.graph import Graph

Array = np.ndarray


@dataclass(frozen=True)
class Along:
    """A quantity along a beam, ``scale`` times a profile of x = s/L (None: the same all along)."""

    scale: Expr
    profile: Profile

    def at(self, x: Array) -> Array:
        """The profile at some x."""
        return np.ones_like(x) if self.profile is None else self.profile(x)


def along(graph: Graph, beam: str, what: str, given: Any, length: float | None,
          value_of: Callable[[Expr], Any]) -> Along:  # fmt: skip
    """A quantity of the section, positive everywhere."""
    if not callable(given) or isinstance(given, Expr):
        scale = Expr(graph, operand(graph, given))
        value = value_of(scale)
        if value is not None and not value > 0.0:
            raise ModelError(f"{what} of beam '{beam}' is {value:g}. Give a positive number; where a beam is rigid, "
                             "take a body in its place.")  # fmt: skip
        return Along(scale, None)
    if length is None:
        raise ModelError(f"{what} of beam '{beam}' is a function of s, so its length must be a number or a parameter "
                         "with a value.")  # fmt: skip

    def profile(x: Array) -> Array:
        values = np.array([_number(beam, what, given, float(each) * length) for each in np.ravel(x)])
        return values.reshape(np.shape(x))

    profile(gauss_points()[0])
    return Along(Expr(graph, operand(graph, 1.0)), profile)


def _number(beam: str, what: str, given: Callable[[float], Any], s: float) -> float:
    try:
        value = float(given(s))
    except (TypeError, ValueError) as error:
        raise ModelError(f"{what} of beam '{beam}' at s = {s:g} is no number ({error}). Give a function of one number, "
                         "the arc length.") from None  # fmt: skip
    if not (value > 0.0 and np.isfinite(value)):
        raise ModelError(f"{what} of beam '{beam}' at s = {s:g} is {value:g}. Give a function that is positive from "
                         "the root to the tip.")  # fmt: skip
    return value
