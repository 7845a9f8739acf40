"""The place of a contact point on a curve or surface: parameters of the closest point, tracked and looked at again."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from latchwork.algebra.products import norm
from latchwork.constraint.terms import Array
from latchwork.contact.closest_point.newton import Finder, finder
from latchwork.contact.closest_point.search import (
    LEAST,
    another_wins,
    beyond,
    is_waiting,
    lies_along,
    next_gap,
    prospects,
    seed,
)
from latchwork.program.function import Function
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ZERO

if TYPE_CHECKING:
    from latchwork.hybrid.contacts.contact_point import ContactPoint


class Looked(NamedTuple):
    """A state with tracked parameters where they belong, how long that may be relied on, the room of the nearest place
    that nobody tracks, and whether the two are about to meet there."""

    x: Array
    seconds: float
    room: float
    is_crowded: bool


class TrackedPlace:
    """The tracked parameters of a contact point, in rows x = (t, q, u, rest)."""

    def __init__(self, point: ContactPoint) -> None:
        self._point = point

    @cached_property
    def _finder(self) -> Finder:
        return finder(self._point.feature, self._point.base.arguments)

    @cached_property
    def _passing(self) -> Function:
        """The velocity with which the two sides pass each other."""
        return self._point.lowered(list(self._point.feature.slip.measures(self._point.feature.normal.tree.newtonian)))

    @cached_property
    def _prospect(self) -> Function:
        """What falls to zero where a least distance comes to be and is met, and the rates of that with the parameters
        as they are: gap, bounds of the parts that meet, and what vanishes at an extremum."""
        feature, tracked = self._point.feature, self._point.feature.tracked
        assert tracked is not None, "only tracked features have parameters"
        known = self._point.base.equations.derivation.kinematics
        still = known.along | {s.node: ZERO for s in tracked.symbols}
        values = [feature.gap, *feature.within, *tracked.conditions]
        g = feature.gap.graph
        return self._point.lowered([*values, *(Expr(g, node) for node in tangents(g, [e.node for e in values], still))])

    def _seconds_to_a_place(self, x: Array) -> float:
        """When the two sides may first meet where none has a least distance now, as they move now: at some sample they
        are parallel, in bounds and in touch by then."""
        s = prospects(self._finder, x)
        rows = np.tile(x, (len(s), 1))
        rows[:, self.places] = s
        found = self._prospect.many(rows)
        values, rates = np.split(found, 2, axis=1)
        bounds = 1 + len(self._point.feature.within)
        values[:, 0] = np.maximum(values[:, 0], 0.0)
        values[:, 1:bounds] = np.minimum(values[:, 1:bounds], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(values == 0.0, 0.0, np.abs(values / rates))
        return float(times.max(axis=1).min(initial=np.inf))

    @cached_property
    def places(self) -> list[int]:
        """Where its tracked parameters stand in (t, q, u, rest)."""
        assert self._point.feature.tracked is not None, "only tracked features have parameters"
        return [self._point.base.arguments.index(symbol) for symbol in self._point.feature.tracked.symbols]

    def _taken(self, x: Array, others: Iterable[ContactPoint]) -> list[Array]:
        """The parameters of further places."""
        return [x[other.tracked_place.places] for other in others if other is not self._point]

    def found(self, x: Array, others: Iterable[ContactPoint] = (), closed: bool = False) -> Array:
        """The state with tracked parameters at the least distance that no other place has; outside where none is.

        One that is hardly a least distance is left to be looked for later, unless it is closed.
        """
        find = self._finder
        best = [s for s in seed(find, x, self._taken(x, others)) if closed or not self._is_flat(x, s)]
        moved = x.copy()
        moved[self.places] = best[0] if best else beyond(find, x, 2.0 * LEAST)
        return moved

    def _is_flat(self, x: Array, s: Array) -> bool:
        """Whether a least distance is hardly one, as where two become one; if parameters can wait until it is more."""
        find = self._finder
        return max(find.tracked.waits) > 0.0 and float(find.tops.many(find.rows(x, s[None]))[0, 2]) < 2.0 * LEAST

    def looked(self, x: Array, closed: bool, others: Iterable[ContactPoint] = ()) -> Looked:
        """Look for another least distance, and take it where it is less now; those that other places have are left."""
        tracked = self._point.feature.tracked
        assert tracked is not None, "only tracked features are looked at"
        s, taken = x[self.places], self._taken(x, others)
        outside = (s < tracked.low) | (s > tracked.high)
        if not closed and ((outside & ~np.array(tracked.periodic)).any() or is_waiting(self._finder, s)):
            x = self.found(x, others)
        elif not closed and (other := another_wins(self._finder, x, s, taken)) is not None:
            x = x.copy()
            x[self.places] = other
        pace = float(norm(self._passing(x)))
        apart, inside = next_gap(self._finder, x, x[self.places], taken)
        small = self._point.tolerances  # before a quarter of the way is over, none other is met
        room = min(apart, small.sight)
        far = room / (4.0 * pace) if pace > 0.0 else small.longest_look
        is_short = room <= max(4.0 * pace * small.shortest_look, small.reach)  # then nothing sooner would help
        near = inside and apart < small.imminent * pace + small.reach and not is_waiting(self._finder, x[self.places])
        if not taken and is_waiting(self._finder, x[self.places]):
            far = min(far, 0.5 * self._seconds_to_a_place(x))
        seconds = float(np.clip(far, small.shortest_look, small.longest_look))
        return Looked(x, seconds, np.inf if is_short else room, near)

    def paces(self, rows: Array) -> Array:
        """How fast the two sides pass each other at some states, (rows,)."""
        found: Array = norm(self._passing.many(rows), axis=-1)
        return found

    def is_met_elsewhere(self, x: Array, depth: float, others: Iterable[ContactPoint] = ()) -> bool:
        """Whether the two overlap by more than ``depth`` at a place that is not tracked."""
        return self._met_elsewhere(x, depth, others) is not None

    def is_met_along(self, x: Array, depth: float, others: Iterable[ContactPoint] = ()) -> bool:
        """Whether they do so where they lie along each other, and no place can be tracked."""
        other = self._met_elsewhere(x, depth, others)
        return other is not None and lies_along(self._finder, x, other)

    def _met_elsewhere(self, x: Array, depth: float, others: Iterable[ContactPoint]) -> Array | None:
        """The parameters of such a place."""
        other = another_wins(self._finder, x, x[self.places], self._taken(x, others))
        if other is None or not self._finder.inside(other[None])[0] or not self._finder.valid(x, other[None])[0]:
            return None
        return other if self._finder.gap(x, other) < -depth else None
