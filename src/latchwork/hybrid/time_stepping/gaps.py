"""All gaps of a run by one program, and the rows of some contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.products import dot
from latchwork.constraint.terms import Array, Base
from latchwork.contact.time_stepping.impulses import stacked
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import minimum, operand
from latchwork.symbolic.traverse import rebuild

Flags = NDArray[np.bool_]


def lowered(base: Base, expressions: Sequence[Any]) -> Function:
    """Expressions of the model as one function of (t, q, u, rest)."""
    g, replaced = base.equations.system.graph, base.equations.derivation.kinematics.replaced
    nodes = rebuild(g, [operand(g, e) for e in expressions], replaced)
    return Function(lower(g, rebuild(g, nodes, base.laws), base.arguments))


@dataclass(frozen=True, eq=False)
class Gaps:
    """The gaps of contacts, and how far inside its domain each feature is."""

    base: Base
    contact_points: tuple[ContactPoint, ...]

    @cached_property
    def _bounded(self) -> list[int]:
        return [i for i, contact_point in enumerate(self.contact_points) if contact_point.feature.within]

    @cached_property
    def _function(self) -> Function:
        inside = []
        for i in self._bounded:
            least, *others = self.contact_points[i].feature.within
            for other in others:
                least = minimum(least, other)
            inside.append(least)
        return lowered(self.base, [*(contact_point.feature.gap for contact_point in self.contact_points), *inside])

    def at(self, x: Array) -> tuple[Array, Array]:
        """Gaps, and how far inside (infinity for features without bounds)."""
        out = self._function(x)
        inside = np.full(len(self.contact_points), np.inf)
        inside[self._bounded] = out[len(self.contact_points) :]
        return out[: len(self.contact_points)], inside


class Rows(NamedTuple):
    """J and C of some contacts, the normal row of each first; how many tangents each has."""

    J: Array
    C: Array
    tangents: tuple[int, ...]

    def pace(self, u: Array) -> float:
        """How fast speeds u move anything here: Σ |J_ij u_j| at most."""
        return float(dot(np.abs(self.J), np.abs(u)).max(initial=0.0))

    @property
    def first(self) -> NDArray[np.int64]:
        return np.cumsum([0, *(1 + k for k in self.tangents)])[:-1].astype(np.int64)


def rows_at(contact_points: Sequence[ContactPoint], x: Array, n: int) -> Rows:
    """The rows of contacts at a state."""
    places = [contact_point.terms.place(x) for contact_point in contact_points]
    return Rows(stacked([place.B for place in places], n), np.concatenate([np.zeros(0), *(p.C for p in places)]),
                tuple(len(contact_point.tangents) for contact_point in contact_points))  # fmt: skip
