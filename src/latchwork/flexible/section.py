"""The section of a beam: stiffnesses and masses per length, each a number, an expression, or a function of s."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.contact.shapes.base import numeric
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


def positive(graph: Graph, beam: str, what: str, given: Any) -> Expr:
    """A positive number, or an expression in parameters whose values make one."""
    value = given if isinstance(given, int | float) else numeric(Expr(graph, operand(graph, given)))
    if isinstance(given, bool) or (value is not None and not 0.0 < value < math.inf):
        shown = str(given) if isinstance(given, bool) else f"{value:g}"
        raise ModelError(f"{what} of beam '{beam}' is {shown}. Give a positive number; where a beam is rigid, take a "
                         "body in its place.")  # fmt: skip
    found = Expr(graph, operand(graph, given))
    must_be_fixed(beam, what, found)
    return found


def must_be_fixed(beam: str, what: str, value: Expr) -> None:
    """Refuse what changes in a run: the inertia and the energy of a beam are worked out without its rate."""
    moving = sorted(symbol.name for symbol in value.free_symbols if symbol.kind != "parameter")
    if moving:
        raise ModelError(f"{what} of beam '{beam}' is {value}, which changes with {', '.join(moving)}. Give a number "
                         "or an expression in parameters; what slides along a beam takes beam.at(s).")  # fmt: skip


def along(graph: Graph, beam: str, what: str, given: Any, length: float | None) -> Along:
    """A quantity of the section, positive everywhere."""
    if not callable(given) or isinstance(given, Expr):
        return Along(positive(graph, beam, what, given), None)
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
