"""Gathering: everything that a crossing asks about some contacts at one state, in two calls of machine code.

    v = J u + C,    A = J P Jᵀ,    b = J u̇₀ + c
    P = M⁻¹ − M⁻¹ Bᵀ S⁻¹ B M⁻¹,    u̇₀ = P f − M⁻¹ Bᵀ S⁻¹ c_B,    S = B M⁻¹ Bᵀ

B are the rows that hold besides the contacts. P is T M̃⁻¹ Tᵀ of `delassus`, which takes over where M or S is close to
singular, and where there is much to calculate: then libraries are quicker. Both are tested to agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from latchwork.constraint.delassus_kernel import Delassus, gather
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.program.bundle import Bundle
from latchwork.program.native import address, argument, native
from latchwork.program.records.memory import lay_out, write

MOST_SPEEDS, MOST_ROWS = 40, 24
NAMES = ("swiftest", "v", "b", "C", "c", "f", "udot", "A", "J", "M", "inverse")  # what is told


class Pool:
    """The programs of contacts and of what holds besides; how many rows each contact has, and where its outputs are."""

    def __init__(self, base: Base, held: Terms, contact_points: Sequence[ContactPoint]) -> None:
        terms = [contact_point.terms for contact_point in contact_points]
        besides = [held.place_function, held.bias_function] if held.sizes[2] else []
        self.bundle = Bundle([base.motion, *besides, *(t.place_function for t in terms),
                              *(t.bias_function for t in terms)])  # fmt: skip
        starts, first, k = self.bundle.starts, 1 + len(besides), len(terms)
        self.held_at = starts[1:3] if besides else [0, 0]
        places = zip(starts[first : first + k], starts[first + k : first + 2 * k], strict=True)
        counts = [len(each.rows) for each in terms]
        self.at = {
            contact_point: (count, *place)
            for contact_point, count, place in zip(contact_points, counts, places, strict=True)
        }

    def delassus(self, held: Terms, contact_points: Sequence[ContactPoint]) -> Delassus:
        """Memory of `delassus_kernel` for some of the contacts."""
        (n_q, n, m), places = held.sizes, [self.at[contact_point] for contact_point in contact_points]
        place, bias, most = *self.held_at, m + 2 * n
        work = max(n * n + 2 * n, most * n + most + 2 * n * most + most * most + 3 * most)
        made = lay_out(Delassus, n_q=n_q, n=n, rows=sum([rows for rows, _, _ in places]), held=m, place=place,
                       bias=bias, contact_points=len(contact_points), n_work=work)  # fmt: skip
        for contact, at in zip(made.contacts, places, strict=True):
            write(contact, *at)
        return made


class Gathering:
    """Some contacts of a pool, and memory for their numbers; one thread at a time."""

    def __init__(
        self, base: Base, held: Terms, contact_points: Sequence[ContactPoint], pool: Pool | None = None
    ) -> None:
        n = held.sizes[1]
        pool = Pool(base, held, contact_points) if pool is None else pool
        self.bundle, self.delassus = pool.bundle, pool.delassus(held, contact_points)
        self._first = list(accumulate([len(contact_point.terms.rows) for contact_point in contact_points], initial=0))
        self.rows = r = self._first.pop()
        shapes = {"A": (r, r), "J": (r, n), "M": (n, n), "inverse": (n, n)}
        self._parts = {name: np.asarray(getattr(self.delassus, name)).reshape(shapes.get(name, -1)) for name in NAMES}
        self._more, self._drag, self._room = np.zeros(2 * n * (n + 1)), np.zeros(2 * n * (2 * n + 1)), 2 * n
        self._x = np.zeros(len(base.arguments))
        self._call, self._at = native(gather).brief, tuple(map(argument, (self.delassus, self.bundle.out, self._x)))

    def at(self, x: Array, extra: Sequence[tuple[Array, Any]] = (),
           drags: Sequence[tuple[Array, Array, float]] = ()) -> dict[str, Any] | None:  # fmt: skip
        """All numbers at x = (t, q, u, rest) by name; none where they take more care. See `Meetings.at`."""
        if max(len(extra), len(drags)) > self._room:
            return None
        if extra:
            self._more[: len(extra) * (len(extra[0][0]) + 1)] = np.concatenate([np.append(*row) for row in extra])
        if drags:
            numbers = np.concatenate([part for g, N1, N0 in drags for part in (g, N1, [N0])])
            self._drag[: len(numbers)] = numbers
        self.bundle(x)
        self._x[:] = x
        if not self._call(*self._at, len(extra), address(self._more), len(drags), address(self._drag)):
            return None
        found: dict[str, Any] = {name: part.copy() for name, part in self._parts.items()}
        return found | {"pace": self.delassus.pace, "first": self._first}


def pays(speeds: int, rows: int) -> bool:
    """Whether loops in machine code are quicker than libraries that have to be called one after the other."""
    return speeds <= MOST_SPEEDS and rows <= MOST_ROWS
