"""Meetings: the contacts of one mechanism at its states; what serves a set of them at every state is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latchwork.constraint.terms import Array, Base, Terms
from latchwork.contact.tolerances import tolerances_in
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.delassus import DelassusOperator, Held, stacked
from latchwork.hybrid.contacts.delassus_assembly import Gathering, Pool, pays
from latchwork.hybrid.contacts.enforced_contact_reset import Keeping
from latchwork.hybrid.contacts.persistent_contacts_reset import Staying, can_stay, stay_few
from latchwork.hybrid.contacts.single_contact_reset import Passing, can_pass
from latchwork.hybrid.contacts.step_limit import FOREVER
from latchwork.program.bundle import Bundle, run_at
from latchwork.program.kernel import f64p, i32p, i64, i64p, kernel
from latchwork.program.native import address, native
from latchwork.program.scalar import minimum

REMEMBERED = 400  # sets of contacts


@kernel
def gaps_at(
    code: i32p, z: f64p, out: f64p, inputs: i64, count: i64, starts: i64p, found: f64p, x: f64p,
) -> None:  # fmt: skip
    """Signed distances of contacts at x, then how far inside their domains they are."""
    run_at(code, z, out, inputs, x)
    for i in range(count):
        inside = FOREVER
        for j in range(starts[i] + 1, starts[i + 1]):
            inside = minimum(inside, out[j])
        found[i], found[count + i] = out[starts[i]], inside


class Near:
    """Gaps of some contacts, and how far inside their domains they are; one thread at a time."""

    def __init__(self, contact_points: Sequence[ContactPoint]) -> None:
        self.bundle, count = (
            Bundle([contact_point.gap_function for contact_point in contact_points]),
            len(contact_points),
        )
        self._found, self._starts = np.zeros(2 * count), np.array(self.bundle.starts, dtype=np.int64)
        self._given = (*self.bundle.addresses, len(self.bundle.x), count, address(self._starts), address(self._found))
        self._call = native(gaps_at).brief

    def __call__(self, x: Array) -> list[float]:
        """All gaps, then all depths inside."""
        self.bundle.ready()
        self._call(*self._given, address(x))
        found: list[float] = self._found.tolist()
        return found


class DelassusPrograms:
    """The meetings of one mechanism; what serves a set of contacts at every state is kept."""

    def __init__(self, base: Base) -> None:
        self.base, self.tolerances = base, tolerances_in(base.scales)
        self._known: dict[tuple[Terms, tuple[ContactPoint, ...]], Gathering] = {}
        self._keepings: dict[tuple[Terms, ContactPoint], Keeping | None] = {}
        self._passings: dict[tuple[Terms, ContactPoint], Passing | None] = {}
        self._stayings: dict[tuple[Terms, tuple[ContactPoint, ...]], Staying | None] = {}
        self._gaps: tuple[list[ContactPoint], Near] | None = None
        self._pool: tuple[Terms, Pool, frozenset[ContactPoint], Staying] | None = (
            None  # of all, and those that may stay
        )

    def at(
        self,
        x: Array,
        held: Terms,
        contact_points: Sequence[ContactPoint],
        extra: Sequence[tuple[Array, Array]] = (),
        drags: Sequence[tuple[Array, Array, float]] = (),
        before: DelassusOperator | None = None,
    ) -> DelassusOperator:
        """Some contacts at x = (t, q, u, rest), the rows of ``held`` held.

        ``extra`` are rows (B, c) that hold besides; ``drags`` are (g, N1, N0) of friction where the coordinates hold;
        ``before`` is a meeting at the same place, with other speeds.
        """
        n_q, n, _ = held.sizes
        u, tangents = x[1 + n_q : 1 + n_q + n], tuple([len(contact_point.tangents) for contact_point in contact_points])
        besides = Held(self.base, held, x, extra, drags, None if before is None else before.held)
        if pays(n, len(tangents) + sum(tangents)):
            numbers = self._gathering(held, tuple(contact_points)).at(x, extra, drags)
            if numbers is not None:
                delassus = DelassusOperator(tuple(contact_points), u, numbers["J"], numbers["C"], besides, tangents)
                delassus.__dict__.update(numbers)
                return delassus
        places = [contact_point.terms.place(x) for contact_point in contact_points]
        J = stacked([place.B for place in places], np.zeros((0, n)))
        C = stacked([place.C for place in places], np.zeros(0))
        return DelassusOperator(tuple(contact_points), u, J, C, besides, tangents)

    def look(self, contact_points: Sequence[ContactPoint], x: Array) -> None:
        """Find the gaps of several contacts at once; asked for theirs, they know it."""
        if len(contact_points) > 1:
            here = x.tobytes()
            for contact_point, gap, inside in self.gaps(contact_points, x):
                contact_point.knows(here, gap, inside)

    def gaps(self, contact_points: Sequence[ContactPoint], x: Array) -> list[tuple[ContactPoint, float, float]]:
        """Signed distances of contacts, and how far inside their domains they are; see `Touch.gap`."""
        if not contact_points:
            return []
        found, count = self._near(contact_points)(x), len(contact_points)
        return list(zip(contact_points, found, found[count:], strict=False))

    def gaps_of(self, contact_points: Sequence[ContactPoint]) -> Bundle:
        """The programs of their gaps."""
        return self._near(contact_points).bundle

    def _near(self, contact_points: Sequence[ContactPoint]) -> Near:
        """What finds their gaps, kept for the last ones asked for."""
        if self._gaps is None or self._gaps[0] != contact_points:
            self._gaps = list(contact_points), Near(contact_points)
        return self._gaps[1]

    def get_ready(self, held: Terms, contact_point: ContactPoint) -> None:
        """Make now what the first meeting of a contact alone would have to wait for."""
        for contact_points in ((), () if contact_point.held else (contact_point,)):
            self._gathering(held, contact_points)
        self.way(held, contact_point)

    def way(self, held: Terms, contact_point: ContactPoint) -> Keeping | Passing | None:
        """How a contact comes through an event while it is alone; none where that takes more care."""
        return self.keeping(held, contact_point) if contact_point.held else self.passing(held, contact_point)

    def keeping(self, held: Terms, contact_point: ContactPoint) -> Keeping | None:
        """What takes a contact that the coordinates hold through an event while no other is near."""
        key = held, contact_point
        if key not in self._keepings:
            if len(self._keepings) >= REMEMBERED:
                self._keepings.pop(next(iter(self._keepings)))
            can = contact_point.held and len(contact_point.tangents) == 1 and pays(held.sizes[1], 1)
            self._keepings[key] = Keeping(self.base, held, contact_point) if can else None
        return self._keepings[key]

    def passing(self, held: Terms, contact_point: ContactPoint) -> Passing | None:
        """What takes a contact through an event while it is alone; none where that takes more care."""
        key = held, contact_point
        if key not in self._passings:
            if len(self._passings) >= REMEMBERED:
                self._passings.pop(next(iter(self._passings)))
            can = can_pass(contact_point) and pays(held.sizes[1], 1 + len(contact_point.tangents))
            self._passings[key] = (
                Passing(self._gathering(held, (contact_point,)), contact_point.contact.impact, self.tolerances)
                if can
                else None
            )
        return self._passings[key]

    def staying(self, held: Terms, contact_points: tuple[ContactPoint, ...]) -> Staying | None:
        """What tells which of a few contacts stay; none where that takes more care."""
        known = self._pool
        if known is not None and known[0] is held and known[2].issuperset(contact_points):
            return known[3] if can_stay(contact_points) else None
        key = held, contact_points
        if key not in self._stayings:
            if len(self._stayings) >= REMEMBERED:
                self._stayings.pop(next(iter(self._stayings)))
            can = can_stay(contact_points) and self._all_pass(held, contact_points)
            self._stayings[key] = Staying(held, Pool(self.base, held, contact_points)) if can else None
        return self._stayings[key]

    def _all_pass(self, held: Terms, contact_points: Sequence[ContactPoint]) -> bool:
        return all([self.passing(held, contact_point) for contact_point in contact_points])

    def _gathering(self, held: Terms, contact_points: tuple[ContactPoint, ...]) -> Gathering:
        found = self._known.get((held, contact_points))
        if found is None:
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            found = self._known[held, contact_points] = Gathering(
                self.base, held, contact_points, self._pool_of(held, contact_points)
            )
        return found

    def _pool_of(self, held: Terms, contact_points: tuple[ContactPoint, ...]) -> Pool | None:
        """The pool that has several contacts already, if it does."""
        if self._pool is None or self._pool[0] is not held or len(contact_points) < 2:
            return None
        pool = self._pool[1]
        return pool if all([contact_point in pool.at for contact_point in contact_points]) else None

    def pool(self, held: Terms, contact_points: Sequence[ContactPoint]) -> None:
        """Make now the programs of all contacts that may meet, so that any of them meet soon."""
        native(stay_few)
        pool = Pool(self.base, held, [contact_point for contact_point in contact_points if not contact_point.held])
        stay = frozenset([contact_point for contact_point in pool.at if self.passing(held, contact_point)])
        self._pool = held, pool, stay, Staying(held, pool)
