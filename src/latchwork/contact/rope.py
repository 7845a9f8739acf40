"""A rope between two points: they are never further apart than its length, and it only pulls.

    g = (L² − |r|²) / 2L ≥ 0,   r = p_b − p_a;   λ ≥ 0 is its tension, along r/L on a

g is L − |r| where the rope is taut, to first order, and smooth where the points meet. Where it goes taut with a speed,
there is an impact with a restitution.
"""

from __future__ import annotations

import math
from typing import Any

from latchwork.constraint.joints.sides import kinds
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact, plain, restitution_of
from latchwork.errors import ModelError
from latchwork.mechanics.point import Point
from latchwork.symbolic.expr import Expr

KNOWN = ("time", "parameter")  # kinds of symbols that a length may contain


def rope(name: str, a: Any, b: Any, length: Any, restitution: Any) -> Contact:
    """The contact that keeps two points within a length of each other."""
    for end in (a, b):
        if not isinstance(end, Point):
            raise ModelError(f"the ends of rope '{name}' are points; got {end!r}. Give points of the model: "
                             "body.center, link.origin, or what point.at(...) returned.")  # fmt: skip
    if a is b or a.tree is not b.tree:
        raise ModelError(f"rope '{name}' goes from '{a.name}' to '{b.name}'. Give two points of one model.")
    L = plain(length)
    if isinstance(L, Expr):
        others = [symbol for kind, symbol in kinds(L).items() if kind not in KNOWN]
        if others:
            raise ModelError(f"the length of rope '{name}', {L}, contains '{others[0]}'. Give a number, or an "
                             "expression in t and parameters.")  # fmt: skip
    elif not (isinstance(L, float) and 0.0 < L < math.inf):
        raise ModelError(f"the length of rope '{name}' is {length!r}. Give a positive number, or an expression in t "
                         "and parameters.")  # fmt: skip
    r = b.position(a)
    feature = Feature(name, (L * L - r.dot(r)) / (2.0 * L), r / L, a, b)
    given = {"a": a, "b": b, "length": L}
    return Contact(name, (feature,), restitution_of(name, restitution), recipe={"rope": given})
