"""Meetings: the contacts of one mechanism at its states; what serves a set of them at every state is kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latchwork.constraint.terms import Array, Base, Terms
from latchwork.hybrid.touching.gathering import Gathering, Pool, pays
from latchwork.hybrid.touching.keeping import Keeping
from latchwork.hybrid.touching.meeting import Held, Meeting, stacked
from latchwork.hybrid.touching.pacing import FOREVER
from latchwork.hybrid.touching.passing import Passing, can_pass
from latchwork.hybrid.touching.staying import Staying, can_stay, stay_few
from latchwork.hybrid.touching.touch import Touch
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

    def __init__(self, touches: Sequence[Touch]) -> None:
        self.bundle, count = Bundle([touch.gap_function for touch in touches]), len(touches)
        self._found, self._starts = np.zeros(2 * count), np.array(self.bundle.starts, dtype=np.int64)
        self._given = (*self.bundle.addresses, len(self.bundle.x), count, address(self._starts), address(self._found))
        self._call = native(gaps_at).brief

    def __call__(self, x: Array) -> list[float]:
        """All gaps, then all depths inside."""
        self.bundle.ready()
        self._call(*self._given, address(x))
        found: list[float] = self._found.tolist()
        return found


class Meetings:
    """The meetings of one mechanism; what serves a set of contacts at every state is kept."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self._known: dict[tuple[Terms, tuple[Touch, ...]], Gathering] = {}
        self._keepings: dict[tuple[Terms, Touch], Keeping | None] = {}
        self._passings: dict[tuple[Terms, Touch], Passing | None] = {}
        self._stayings: dict[tuple[Terms, tuple[Touch, ...]], Staying | None] = {}
        self._gaps: tuple[list[Touch], Near] | None = None
        self._pool: tuple[Terms, Pool, frozenset[Touch], Staying] | None = None  # of all, and those that may stay

    def at(self, x: Array, held: Terms, touches: Sequence[Touch], extra: Sequence[tuple[Array, Array]] = (),
           drags: Sequence[tuple[Array, Array, float]] = (), before: Meeting | None = None) -> Meeting:  # fmt: skip
        """Some contacts at x = (t, q, u, rest), the rows of ``held`` held.

        ``extra`` are rows (B, c) that hold besides; ``drags`` are (g, N1, N0) of friction where the coordinates hold;
        ``before`` is a meeting at the same place, with other speeds.
        """
        n_q, n, _ = held.sizes
        u, tangents = x[1 + n_q : 1 + n_q + n], tuple([len(touch.tangents) for touch in touches])
        besides = Held(self.base, held, x, extra, drags, None if before is None else before.held)
        if pays(n, len(tangents) + sum(tangents)):
            numbers = self._gathering(held, tuple(touches)).at(x, extra, drags)
            if numbers is not None:
                meeting = Meeting(tuple(touches), u, numbers["J"], numbers["C"], besides, tangents)
                meeting.__dict__.update(numbers)
                return meeting
        places = [touch.terms.place(x) for touch in touches]
        J = stacked([place.B for place in places], np.zeros((0, n)))
        C = stacked([place.C for place in places], np.zeros(0))
        return Meeting(tuple(touches), u, J, C, besides, tangents)

    def look(self, touches: Sequence[Touch], x: Array) -> None:
        """Find the gaps of several contacts at once; asked for theirs, they know it."""
        if len(touches) > 1:
            here = x.tobytes()
            for touch, gap, inside in self.gaps(touches, x):
                touch.knows(here, gap, inside)

    def gaps(self, touches: Sequence[Touch], x: Array) -> list[tuple[Touch, float, float]]:
        """Signed distances of contacts, and how far inside their domains they are; see `Touch.gap`."""
        if not touches:
            return []
        found, count = self._near(touches)(x), len(touches)
        return list(zip(touches, found, found[count:], strict=False))

    def gaps_of(self, touches: Sequence[Touch]) -> Bundle:
        """The programs of their gaps."""
        return self._near(touches).bundle

    def _near(self, touches: Sequence[Touch]) -> Near:
        """What finds their gaps, kept for the last ones asked for."""
        if self._gaps is None or self._gaps[0] != touches:
            self._gaps = list(touches), Near(touches)
        return self._gaps[1]

    def get_ready(self, held: Terms, touch: Touch) -> None:
        """Make now what the first meeting of a contact alone would have to wait for."""
        for touches in ((), () if touch.held else (touch,)):
            self._gathering(held, touches)
        self.way(held, touch)

    def way(self, held: Terms, touch: Touch) -> Keeping | Passing | None:
        """How a contact comes through an event while it is alone; none where that takes more care."""
        return self.keeping(held, touch) if touch.held else self.passing(held, touch)

    def keeping(self, held: Terms, touch: Touch) -> Keeping | None:
        """What takes a contact that the coordinates hold through an event while no other is near."""
        key = held, touch
        if key not in self._keepings:
            if len(self._keepings) >= REMEMBERED:
                self._keepings.pop(next(iter(self._keepings)))
            can = touch.held and len(touch.tangents) == 1 and pays(held.sizes[1], 1)
            self._keepings[key] = Keeping(self.base, held, touch) if can else None
        return self._keepings[key]

    def passing(self, held: Terms, touch: Touch) -> Passing | None:
        """What takes a contact through an event while it is alone; none where that takes more care."""
        key = held, touch
        if key not in self._passings:
            if len(self._passings) >= REMEMBERED:
                self._passings.pop(next(iter(self._passings)))
            can = can_pass(touch) and pays(held.sizes[1], 1 + len(touch.tangents))
            self._passings[key] = Passing(self._gathering(held, (touch,)), touch.contact.impact) if can else None
        return self._passings[key]

    def staying(self, held: Terms, touches: tuple[Touch, ...]) -> Staying | None:
        """What tells which of a few contacts stay; none where that takes more care."""
        known = self._pool
        if known is not None and known[0] is held and known[2].issuperset(touches):
            return known[3] if can_stay(touches) else None
        key = held, touches
        if key not in self._stayings:
            if len(self._stayings) >= REMEMBERED:
                self._stayings.pop(next(iter(self._stayings)))
            can = can_stay(touches) and self._all_pass(held, touches)
            self._stayings[key] = Staying(held, Pool(self.base, held, touches)) if can else None
        return self._stayings[key]

    def _all_pass(self, held: Terms, touches: Sequence[Touch]) -> bool:
        return all([self.passing(held, touch) for touch in touches])

    def _gathering(self, held: Terms, touches: tuple[Touch, ...]) -> Gathering:
        found = self._known.get((held, touches))
        if found is None:
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            found = self._known[held, touches] = Gathering(self.base, held, touches, self._pool_of(held, touches))
        return found

    def _pool_of(self, held: Terms, touches: tuple[Touch, ...]) -> Pool | None:
        """The pool that has several contacts already, if it does."""
        if self._pool is None or self._pool[0] is not held or len(touches) < 2:
            return None
        pool = self._pool[1]
        return pool if all([touch in pool.at for touch in touches]) else None

    def pool(self, held: Terms, touches: Sequence[Touch]) -> None:
        """Make now the programs of all contacts that may meet, so that any of them meet soon."""
        native(stay_few)
        pool = Pool(self.base, held, [touch for touch in touches if not touch.held])
        stay = frozenset([touch for touch in pool.at if self.passing(held, touch)])
        self._pool = held, pool, stay, Staying(held, pool)
