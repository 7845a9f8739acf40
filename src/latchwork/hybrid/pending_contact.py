"""Shapes that come late: only a bound is known at first; what it is, is asked for where something comes near.

The paper's data hiding: who simulates need not know the shape, and who knows the shape need not give it away until it
matters.  [Patoglu §5]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Protocol, runtime_checkable

from latchwork.contact.closest_point.states import azimuths_of
from latchwork.contact.construction import contact_between
from latchwork.contact.law import Contact
from latchwork.errors import ModelError
from latchwork.symbolic.expr import Expr, maximum, minimum


@runtime_checkable
class BoundedShape(Protocol):
    """Something that will be a shape: its bound, a shape too, and a way to ask for the shape itself."""

    def bound(self) -> Any:
        """A simple shape that holds all of it."""
        ...

    def fetched(self) -> Any:
        """The shape itself, asked for now."""
        ...


@dataclass(frozen=True, eq=False)
class PendingContact:
    """A contact with a shape that is not known yet: what to make of it, and the gap to its bound."""

    name: str
    a: Any
    b: Any
    laws: Mapping[str, Any]
    gap: Expr
    contact: Contact  # without features yet

    def shapes(self) -> tuple[Any, Any]:
        """Both sides, those that are late asked for."""
        a, b = (side.fetched() if isinstance(side, BoundedShape) else side for side in (self.a, self.b))
        return a, b


def pending_contact(name: str, a: Any, b: Any, laws: Mapping[str, Any]) -> PendingContact:
    """A contact that waits: min over the features of max(gap, −within), of the bounds of what is late."""
    known = [side.bound() if isinstance(side, BoundedShape) else side for side in (a, b)]
    stand_in = contact_between(name, *known, **laws)
    features = stand_in.every()
    if any(feature.tracked is not None for feature in features):
        raise ModelError(
            f"'{name}' waits for a shape that is only bounded yet, and its other side is a curve or surface. Give that "
            "side a simple shape, or fetch the shape before: sim.contact(name, a, remote.fetched())."
        )
    first = dict.fromkeys(azimuths_of(features), 0.0)  # where support triangles stand is not known yet
    gaps = [reduce(maximum, (-inside for inside in feature.within), feature.gap).subs(first) for feature in features]
    return PendingContact(name, a, b, laws, reduce(minimum, gaps),
                          replace(stand_in, features=(), shapes=(a, b), picker=None))  # fmt: skip
