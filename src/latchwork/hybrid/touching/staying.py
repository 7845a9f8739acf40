"""Staying: a few contacts that neither approach nor part, as a kernel: which of them stay closed.

So it is where one edge ends and the next begins. Numbers are gathered (`gather`) and complementarity decides (`few`).
Where something approaches, parts or sticks, or the answer takes more care, there is none, and `Crossing` acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np

from latchwork.constraint.gather import FIRST, ROWS, N, gather
from latchwork.constraint.terms import Array, Terms
from latchwork.contact.few import MOST, OPEN, SLIDE, STICK, settle_few
from latchwork.hybrid.touching.gathering import Pool, memory_size
from latchwork.hybrid.touching.scales import AT_REST, LEFT, NO_SLIP, ROUNDING
from latchwork.hybrid.touching.touch import Touch
from latchwork.program.bundle import COUNT, run_each
from latchwork.program.kernel import copysign, f64p, fabs, i32p, i64, i64p, kernel, offset
from latchwork.program.native import address, native, together
from latchwork.program.scalar import maximum

SPEED, PACE, LAWS = range(3)  # what is given: the fastest approach and motion so far; static and dynamic coefficients,
# room for directions of slip; what is found: directions, forces and accelerations


@kernel
def stay_few(
    programs: i32p, z: f64p, out: f64p, code: i64p, w: f64p, inputs: i64, x: f64p, k: i64, resting: i64,
    tangents: i64p, state: i64p, given: f64p, found: f64p,
) -> i64:  # fmt: skip
    """States of k contacts at x = (t, q, u, rest), from those to begin with; 0 where that takes more care.

    ``resting`` is the one whose slip has just ended, −1 for none. ``given[PACE]`` becomes the fastest motion so far.
    """
    rows, n, read = code[ROWS], code[N], offset(z, programs[COUNT])
    for i in range(inputs):
        read[i] = x[i]
    run_each(programs, z, out)
    if gather(code, out, x, 0, w, 0, w, w) == 0:
        return 0
    swiftest, v, b = offset(w, 1), offset(w, 1 + k), offset(w, 1 + k + rows)
    A, laws = offset(w, 1 + k + 4 * rows + 2 * n), offset(given, LAWS)
    slow, pace = AT_REST * maximum(given[SPEED], w[0]), maximum(given[PACE], w[0])
    none = NO_SLIP * maximum(maximum(given[SPEED], w[0]), LEFT * pace)
    row = 0
    for i in range(k):
        laws[2 * k + i] = 0.0
        if not fabs(v[row]) <= maximum(slow, ROUNDING * swiftest[i]):
            return 0
        if tangents[i] > 0:
            if laws[i] == 0.0:
                return 0
            if i != resting and fabs(v[row + 1]) > none:
                laws[2 * k + i] = copysign(1.0, v[row + 1])
        row += 1 + tangents[i]
    d, lam, a = found, offset(found, k), offset(found, k + rows)
    if settle_few(k, rows, tangents, A, b, laws, state, d, lam, a) == 0:
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
        size = memory_size(held, MOST, MOST)
        self._ints = np.zeros(FIRST + 5 * MOST, dtype=np.int64)
        self._numbers = np.zeros(size + inputs + LAWS + 6 * MOST)
        self._x, self._given = self._numbers[size : size + inputs], self._numbers[size + inputs :]
        self._found = self._given[LAWS + 3 * MOST :]
        self._at, w = address(self._ints), address(self._numbers)
        x, given = w + 8 * size, w + 8 * (size + inputs)
        self._before = *pool.bundle.addresses, self._at, w, inputs, x
        self._after = given, given + 8 * (LAWS + 3 * MOST)
        self._call = native(stay_few).brief

    def __call__(self, touches: Sequence[Touch], x: Array, laws: Sequence[tuple[float, float, float]], speed: float,
                 pace: float, resting: int, closed: Sequence[bool] | None) -> Stayed | None:  # fmt: skip
        """Which of some stay at x; ``closed`` are those that are to begin with, all where it is not given."""
        k, code = len(touches), self._pool.code(self._held, touches)
        states = [SLIDE] * k if closed is None else [SLIDE if each else OPEN for each in closed]
        rows, first = code[FIRST::3], len(code)
        self._pool.bundle.ready()
        self._ints[: first + 2 * k] = [*code, *[count - 1 for count in rows], *states]
        self._x[:] = x
        self._given[: LAWS + 2 * k] = [speed, pace, *[mu_s for _, mu_s, _ in laws], *[mu_d for _, _, mu_d in laws]]
        tangents = self._at + 8 * first
        if not self._call(*self._before, k, resting, tangents, tangents + 8 * k, *self._after):
            return None
        slides = [state == SLIDE for state in self._ints[first + k : first + 2 * k].tolist()]
        found = self._found[: k + sum(rows)].copy()
        lam = [found[a:b] for a, b in pairwise(accumulate(rows, initial=k))]
        return Stayed(slides, found[:k].tolist(), lam, float(self._given[PACE]))


def can_stay(touches: Sequence[Touch]) -> bool:
    """Whether the kernel has room for some contacts."""
    return 0 < sum([1 + len(touch.tangents) for touch in touches]) <= MOST
