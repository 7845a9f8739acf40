"""Staying: a few contacts that neither approach nor part, as a kernel: which of them stay closed.

So it is where one edge ends and the next begins. The Delassus operator is assembled (`delassus_kernel`) and
complementarity decides (`planar_contacts`).
Where something approaches, parts or sticks, or the answer takes more care, there is none, and `Reset` acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from latchwork.constraint.delassus_kernel import Delassus, gather
from latchwork.constraint.terms import Array, Terms
from latchwork.contact.complementarity.planar_contacts import MOST, OPEN, SLIDE, STICK, settle_few
from latchwork.contact.tolerances import Tolerances, tolerances_in
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.delassus_assembly import Pool
from latchwork.program.bundle import COUNT, run_each
from latchwork.program.kernel import copysign, f64p, fabs, i32p, i64, i64p, kernel, offset
from latchwork.program.native import address, native, together
from latchwork.program.records.view import address_of
from latchwork.program.scalar import maximum

KEPT = 200  # sets of contacts
SPEED, PACE, LAWS = range(3)  # what is given: the fastest approach and motion so far; static and dynamic coefficients,
# room for directions of slip; what is found: directions, forces and accelerations


@kernel
def stay_few(
    programs: i32p, z: f64p, out: f64p, known: Delassus, inputs: i64, x: f64p, resting: i64, tangents: i64p,
    state: i64p, given: f64p, found: f64p, small: Tolerances,
) -> i64:  # fmt: skip
    """States of contacts at x = (t, q, u, rest), from those to begin with; 0 where that takes more care.

    ``resting`` is the one whose slip has just ended, −1 for none. ``given[PACE]`` becomes the fastest motion so far.
    """
    k, rows, read = known.contact_points, known.rows, offset(z, programs[COUNT])
    for i in range(inputs):
        read[i] = x[i]
    run_each(programs, z, out)
    if gather(known, out, x, 0, x, 0, x) == 0:
        return 0
    v, laws = known.v, offset(given, LAWS)
    slow, pace = small.at_rest * maximum(given[SPEED], known.pace), maximum(given[PACE], known.pace)
    none = small.no_slip * maximum(maximum(given[SPEED], known.pace), small.left * pace)
    row = 0
    for i in range(k):
        laws[2 * k + i] = 0.0
        if not fabs(v[row]) <= maximum(slow, small.rounding * known.swiftest[i]):
            return 0
        if tangents[i] > 0:
            if laws[i] == 0.0:
                return 0
            if i != resting and fabs(v[row + 1]) > none:
                laws[2 * k + i] = copysign(1.0, v[row + 1])
        row += 1 + tangents[i]
    d, lam, a = found, offset(found, k), offset(found, k + rows)
    if settle_few(k, rows, tangents, known.A, known.b, laws, state, d, lam, a) == 0:
        return 0
    for i in range(k):
        if state[i] == STICK:
            return 0
    given[PACE] = pace
    return 1


together(stay_few)


class Stayed(NamedTuple):
    """Which contacts slide on; directions of slip, 0 for none; forces by contact; the fastest motion so far."""

    slides: list[bool]
    ways: list[float]
    lam: list[Array]
    pace: float


class Staying:
    """Contacts of a pool, with one tangent or none, a few at a time, with what holds besides; one thread at a time."""

    def __init__(self, held: Terms, pool: Pool) -> None:
        self._held, self._pool, inputs = held, pool, len(pool.bundle.x)
        self._ints = np.zeros(2 * MOST, dtype=np.int64)  # tangents, states
        self._x, self._given, self._found = np.zeros(inputs), np.zeros(LAWS + 3 * MOST), np.zeros(3 * MOST)
        self._known: dict[tuple[ContactPoint, ...], tuple[Delassus, int]] = {}  # with its address
        self._small = tolerances_in(held.base.scales)
        self._at = address(self._ints)
        self._after = address(self._given), address(self._found), address_of(self._small)
        self._call = native(stay_few).brief

    def _delassus(self, contact_points: tuple[ContactPoint, ...]) -> tuple[Delassus, int]:
        """The memory for some contacts, and where it is."""
        found = self._known.get(contact_points)
        if found is None:
            if len(self._known) == KEPT:
                self._known.clear()
            made = self._pool.delassus(self._held, contact_points)
            found = self._known[contact_points] = made, address_of(made)
        return found

    def __call__(
        self,
        contact_points: Sequence[ContactPoint],
        x: Array,
        laws: Sequence[tuple[float, float, float]],
        speed: float,
        pace: float,
        resting: int,
        closed: Sequence[bool] | None,
    ) -> Stayed | None:
        """Which of some stay at x; ``closed`` are those that are to begin with, all where it is not given."""
        k, (known, at) = len(contact_points), self._delassus(tuple(contact_points))
        states = [SLIDE] * k if closed is None else [SLIDE if each else OPEN for each in closed]
        rows = [contact.rows for contact in known.contacts]
        self._pool.bundle.ready()
        self._ints[: 2 * k] = [*[count - 1 for count in rows], *states]
        self._x[:] = x
        self._given[: LAWS + 2 * k] = [speed, pace, *[mu_s for _, mu_s, _ in laws], *[mu_d for _, _, mu_d in laws]]
        before = *self._pool.bundle.addresses, at, len(self._x), address(self._x)
        if not self._call(*before, resting, self._at, self._at + 8 * k, *self._after):
            return None
        slides = [state == SLIDE for state in self._ints[k : 2 * k].tolist()]
        found = self._found[: k + sum(rows)].copy()
        lam = [found[a:b] for a, b in pairwise(accumulate(rows, initial=k))]
        return Stayed(slides, found[:k].tolist(), lam, float(self._given[PACE]))


def can_stay(contact_points: Sequence[ContactPoint]) -> bool:
    """Whether the kernel has room for some contacts."""
    return 0 < sum([1 + len(contact_point.tangents) for contact_point in contact_points]) <= MOST
