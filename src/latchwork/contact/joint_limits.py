"""Limits of a joint: its coordinate stays between two bounds, by contacts that have no shapes.

    g = q − low ≥ 0,   g = high − q ≥ 0        the force is along the axis, or a torque about it
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from latchwork.constraint.constraint import Pull
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact, plain, restitution_of
from latchwork.contact.shapes.base import numeric
from latchwork.errors import ModelError
from latchwork.symbolic.expr import Expr


def limits(name: str, q: Expr, pull: Pull, bounds: Any, restitution: Any) -> Contact:
    """The contact that keeps q between two bounds, numbers or expressions in parameters and t; None leaves one out."""
    low, high = _two(name, bounds)
    axis, on, other = pull.direction, pull.on, pull.other
    found = []
    if low is not None:
        found.append(Feature(f"{name}: low", q - low, axis, on, other))
    if high is not None:
        found.append(Feature(f"{name}: high", high - q, -axis, on, other))
    return Contact(name, tuple(found), restitution_of(name, restitution), bounds=(q, low, high))


def _two(name: str, bounds: Any) -> tuple[Any, Any]:
    """The lower and the upper bound; what is no pair, or the wrong way round, is refused."""
    if isinstance(bounds, str) or not isinstance(bounds, Sequence) or len(bounds) != 2:
        raise ModelError(f"the limits of '{name}' are {bounds!r}. Give two bounds: (low, high); None leaves one out.")
    low, high = (plain(bound) for bound in bounds)
    for bound in (low, high):
        if not (bound is None or isinstance(bound, Expr) or (isinstance(bound, float) and math.isfinite(bound))):
            raise ModelError(f"a limit of '{name}' is {bound!r}. Give a finite number, an expression, or None.")
    if low is None and high is None:
        raise ModelError(f"'{name}' has no limit. Give a bound: (low, high).")
    a, b = (None if bound is None else numeric(bound) for bound in (low, high))
    if a is not None and b is not None and a >= b:
        raise ModelError(f"the limits of '{name}' are {a:g} and {b:g}. Give the lower one first.")
    return low, high
