"""Staying: a few contacts that neither approach nor part, as a kernel: which of them stay closed.

So it is where one edge ends and the next begins. The Delassus operator is assembled (`delassus_kernel`) and
complementarity decides (`contact_states`).
Where something approaches, parts or sticks, or the answer has notes, there is none, and `Reset` acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from latchwork.constraint.delassus_kernel import Delassus, gather
from latchwork.constraint.terms import Array, Terms
from latchwork.contact.complementarity.contact_states import solve
from latchwork.contact.complementarity.problem import OPEN, SLIDE, SOLVED, STICK, ContactProblem
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.delassus_assembly import Pool
from latchwork.hybrid.contacts.tolerances import AT_REST, LEFT, NO_SLIP, ROUNDING
from latchwork.program.bundle import COUNT, run_each
from latchwork.program.kernel import copysign, f64p, fabs, i32p, i64, kernel, offset
from latchwork.program.native import address, native, together
from latchwork.program.records.memory import lay_out
from latchwork.program.records.view import address_of
from latchwork.program.scalar import maximum

KEPT = 200  # sets of contacts
MOST = 8  # contacts, and rows
SPEED, PACE = range(2)  # what is given: the fastest approach and motion so far


@kernel
def stay_few(
    programs: i32p, z: f64p, out: f64p, known: Delassus, inputs: i64, x: f64p, resting: i64, problem: ContactProblem,
    given: f64p,
) -> i64:  # fmt: skip
    """States of contacts at x = (t, q, u, rest), from those to begin with; 0 where that takes more care.

    Of the problem, tangents, friction and the guess are given. ``resting`` is the contact whose slip has just ended, −1
    for none. ``given[PACE]`` becomes the fastest motion so far.
    """
    k, rows, read = known.contact_points, known.rows, offset(z, programs[COUNT])
    for i in range(inputs):
        read[i] = x[i]
    run_each(programs, z, out)
    if gather(known, out, x, 0, x, 0, x) == 0:
        return 0
    v = known.v
    slow, pace = AT_REST * maximum(given[SPEED], known.pace), maximum(given[PACE], known.pace)
    none = NO_SLIP * maximum(maximum(given[SPEED], known.pace), LEFT * pace)
    row = 0
    for i in range(k):
        problem.slips[i], problem.must_slip[i] = 0, 0
        if not fabs(v[row]) <= maximum(slow, ROUNDING * known.swiftest[i]):
            return 0
        if problem.tangents[i] > 0:
            if problem.mu_s[i] == 0.0:
                return 0
            if i != resting and fabs(v[row + 1]) > none:
                problem.slips[i], problem.slip[2 * i], problem.slip[2 * i + 1] = 1, copysign(1.0, v[row + 1]), 0.0
        row += 1 + problem.tangents[i]
    problem.contacts = k
    for i in range(rows * rows):
        problem.A[i] = known.A[i]
    for i in range(rows):
        problem.b[i] = known.b[i]
    if solve(problem) != SOLVED:
        return 0
    for i in range(k):
        if problem.state[i] == STICK or problem.note[i] != 0:
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
        self._problem = lay_out(ContactProblem, most_contacts=MOST, most_rows=MOST)
        self._x, self._given = np.zeros(inputs), np.zeros(2)
        self._known: dict[tuple[ContactPoint, ...], tuple[Delassus, int]] = {}  # with its address
        self._after = address_of(self._problem), address(self._given)
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
        k, (known, at), problem = len(contact_points), self._delassus(tuple(contact_points)), self._problem
        rows = [contact.rows for contact in known.contacts]
        self._pool.bundle.ready()
        for i, (_, mu_s, mu_d) in enumerate(laws):
            problem.tangents[i], problem.mu_s[i], problem.mu_d[i] = rows[i] - 1, mu_s, mu_d
            problem.guess[i] = SLIDE if closed is None or closed[i] else OPEN
        self._x[:] = x
        self._given[:] = speed, pace
        before = *self._pool.bundle.addresses, at, len(self._x), address(self._x)
        if not self._call(*before, resting, *self._after):
            return None
        slides = [state == SLIDE for state in problem.state[:k]]
        forces = np.array(problem.lam[: sum(rows)])
        lam = [forces[a:b] for a, b in pairwise(accumulate(rows, initial=0))]
        return Stayed(slides, problem.direction[: 2 * k : 2].tolist(), lam, float(self._given[PACE]))


def can_stay(contact_points: Sequence[ContactPoint]) -> bool:
    """Whether the kernel has room for some contacts."""
    return 0 < sum([1 + len(contact_point.tangents) for contact_point in contact_points]) <= MOST
