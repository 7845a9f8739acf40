"""Keeping: one contact that the coordinates hold, while no other is near, through an event, as a kernel.

    N = N0 + N1 · u̇;    sticks with |λ_t| ≤ μ_s N,  or slides with λ_t = −μ_d N d,  d = ±1

What `HeldContacts` says of one with one tangent; where that takes more care, it acts.
"""

from __future__ import annotations

import numpy as np

from latchwork.constraint.delassus_kernel import Delassus, gather, times
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.contact.tolerances import Tolerances, tolerances_in
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.delassus_assembly import Gathering
from latchwork.program.bundle import COUNT, Bundle, run_each
from latchwork.program.kernel import copysign, divide, f64, f64p, fabs, i32p, i64, kernel, offset
from latchwork.program.native import address, native, together
from latchwork.program.records.memory import size_of, write
from latchwork.program.records.record import record
from latchwork.program.records.view import address_of, record_at

CHANGES = 4


@record
class KeepGiven:
    """What is given: friction, the fastest motion, whether it rests, how it must slip; what is found: a direction."""

    mu_s: f64
    mu_d: f64
    fastest: f64
    rests: f64
    must: f64
    way: f64


@record
class KeepAt:
    """Where the programs of the contact give their outputs, behind those of `delassus_kernel`."""

    place: i64
    bias: i64
    force: i64


@kernel
def _begin(slip: f64p, given: KeepGiven, small: Tolerances) -> None:
    """The direction of slip to begin with; 0 to try whether it sticks."""
    given.way = given.must
    if given.must == 0.0 and given.rests == 0.0 and fabs(slip[0]) > small.no_slip * given.fastest:
        given.way = copysign(1.0, slip[0])


@kernel
def _leaves(known: Delassus, B: f64p, N1: f64p, given: KeepGiven, small: Tolerances) -> i64:
    """0 where it stands as it is tried, 1 where it slides instead, −1 where that takes more care."""
    n, f, udot, M = known.n, known.f, known.udot, known.M
    push, scale = N1[n], fabs(N1[n])
    for j in range(n):
        push += N1[j] * udot[j]
        scale += fabs(N1[j] * udot[j])
    if not push >= -small.tensile * scale:
        return -1
    if given.way != 0.0 or given.mu_s == 0.0:
        return 0
    force, square = 0.0, times(n, B, B)
    for j in range(n):
        force += B[j] * (times(n, offset(M, j * n), udot) - f[j])
    if not square > 0.0:
        return -1
    force = divide(force, square)
    if fabs(force) <= given.mu_s * push * (1.0 + 0.25 * small.cone):
        return 0
    given.way = -copysign(1.0, force)
    return 1


@kernel
def keep_one(
    programs: i32p, z: f64p, out: f64p, known: Delassus, at: KeepAt, inputs: i64, x: f64p, given: KeepGiven, row: f64p,
    small: Tolerances,
) -> i64:  # fmt: skip
    """The direction in which it slides at x = (t, q, u, rest), 0 where it sticks, goes to ``given.way``.

    1 where that was decided; 0 where the general algorithm has to.
    """
    n, read = known.n, offset(z, programs[COUNT])
    for i in range(inputs):
        read[i] = x[i]
    run_each(programs, z, out)
    B, N1, slip = offset(out, at.place + 1), offset(out, at.force), offset(row, 2 * n + 1)
    slip[0] = times(n, B, offset(x, 1 + known.n_q)) + B[n]
    _begin(slip, given, small)
    for _ in range(CHANGES):
        slides = given.way != 0.0
        drags = 1 if slides and given.mu_d > 0.0 else 0
        holds = 1 if not slides and given.mu_s > 0.0 else 0
        for j in range(n):
            row[j] = -given.mu_d * (given.way * B[j]) if slides else B[j]
            row[n + j] = N1[j]
        row[2 * n] = N1[n]
        if holds == 1:
            row[n] = out[at.bias]
        if gather(known, out, x, holds, row, drags, row) == 0:
            return 0
        left = _leaves(known, B, N1, given, small)
        if left != 1:
            return 1 if left == 0 else 0
    return 0


together(keep_one)


class Keeping:
    """A contact with one tangent that the coordinates hold, with what holds besides; one thread at a time."""

    def __init__(self, base: Base, held: Terms, contact_point: ContactPoint) -> None:
        gathering = Gathering(base, held, ())
        terms, first = contact_point.terms, len(gathering.bundle.functions)
        self.bundle = Bundle([*gathering.bundle.functions, terms.place_function, terms.bias_function,
                              contact_point.force_function])  # fmt: skip
        self.at = np.array(self.bundle.starts[first : first + 3], dtype=np.int64)
        self.given, self._row = np.zeros(size_of(KeepGiven)), np.zeros(2 * held.sizes[1] + 2)
        self._x, self._keeps, self._call = np.zeros(len(self.bundle.x)), gathering, native(keep_one).brief
        at, *others = map(address, (self.at, self._x, self.given, self._row))
        self.small = tolerances_in(base.scales)
        self.arguments = (*self.bundle.addresses, address_of(gathering.delassus), at, len(self._x), *others,
                          address_of(self.small))  # fmt: skip

    def __call__(self, x: Array, friction: tuple[float, float], fastest: float, rests: bool,
                 must: float) -> float | None:  # fmt: skip
        """The direction in which it slides at x, 0 where it sticks; none where that takes more care."""
        write(record_at(KeepGiven, self.given, 0), *friction, fastest, rests, must, 0.0)
        self.bundle.ready()
        self._x[:] = x
        if not self._call(*self.arguments):
            return None
        return record_at(KeepGiven, self.given, 0).way
