"""What a contact obeys: friction, restitution, by zone where it differs from place to place; and the contact itself."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from latchwork.contact.feature import Feature
from latchwork.errors import ModelError
from latchwork.symbolic.expr import Expr

Value = Any  # a number, an expression of the model, or Zones


@dataclass(frozen=True, eq=False)
class Zones:
    """A value by zone: ``values[i]`` where x lies between ``bounds[i-1]`` and ``bounds[i]``, which are guards."""

    x: Expr
    bounds: tuple[Any, ...]
    values: tuple[Any, ...]


def zones(x: Expr, bounds: Sequence[Any], values: Sequence[Any]) -> Zones:
    """``zones(x, [L1, L2], [v0, v1, v2])``: v0 where x < L1, v1 between, v2 beyond. For friction and restitution."""
    if not isinstance(x, Expr):
        raise ModelError(f"zones lie along an expression of the model; got {x!r}. For example lw.zones(q1, [L], ...).")
    if len(values) != len(bounds) + 1:
        raise ModelError(
            f"zones along {x} have {len(bounds)} bounds and {len(values)} values. Give one value more than bounds."
        )
    plain = [float(b) for b in bounds if isinstance(b, (int, float))]
    if len(plain) == len(bounds) and any(a >= b for a, b in itertools.pairwise(plain)):
        raise ModelError(f"the bounds of zones along {x} are {list(bounds)}. Give them in increasing order.")
    return Zones(x, tuple(bounds), tuple(values))


@dataclass(frozen=True, eq=False)
class Coulomb:
    """Dry friction: sticks while the friction force is within ``mu`` times the normal force; slides with ``dynamic``.

    ``dynamic`` is ``mu`` unless given, and never above it. Each is a number, a parameter, an expression, or `zones`.
    """

    mu: Value
    dynamic: Value = None

    def __post_init__(self) -> None:
        for what in (self.mu, self.dynamic):
            for value in what.values if isinstance(what, Zones) else (what,):
                if isinstance(value, (int, float)) and not 0.0 <= value < math.inf:
                    raise ModelError(f"a coefficient of friction is {value}. Give a number that is not negative.")
        if isinstance(self.mu, (int, float)) and isinstance(self.dynamic, (int, float)) and self.dynamic > self.mu:
            raise ModelError(
                f"dynamic friction {self.dynamic} is above static friction {self.mu}. Give lw.Coulomb(static, dynamic) "
                "with dynamic not above static."
            )

    @property
    def sliding(self) -> Value:
        """The coefficient while it slides."""
        return self.mu if self.dynamic is None else self.dynamic


@dataclass(frozen=True, eq=False)
class Contact:
    """Two shapes that may touch: their features, and what they obey when they do.

    ``impact`` names the law of impact (``latchwork.contact.impact.LAWS``). Rows of friction take all directions across
    the normal in which the two can move.
    """

    name: str
    features: tuple[Feature, ...]
    restitution: Value = 0.0
    friction: Coulomb | None = None
    impact: str = "newton"
    shapes: tuple[Any, ...] = ()  # a and b, to draw

    @property
    def force(self) -> Expr:
        """The normal forces of all its features together, for conditions of rules."""
        first, *others = (feature.force for feature in self.features)
        return sum(others, start=first)

    def __repr__(self) -> str:
        return f"<Contact '{self.name}': {len(self.features)} features>"
