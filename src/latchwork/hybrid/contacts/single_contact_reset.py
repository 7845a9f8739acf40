"""Passing: one contact alone through an event, as a kernel: impacts until it approaches no more, then what it does.

What `Reset` says of a contact with one tangent or none that is near while no other is, in machine code: numbers are
gathered (`delassus_kernel`), the laws of impact act (`planar`), complementarity decides (`single_contact`). Where any
of them takes more
care, nothing is changed, and `Reset` acts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from latchwork.constraint.delassus_kernel import Delassus, gather, square, times
from latchwork.constraint.joints.sides import kinds
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.single_contact import NO_ANSWER, STATES, Found, settle_one
from latchwork.contact.complementarity.single_contact import STICK as STICKS
from latchwork.contact.complementarity.solution import State
from latchwork.contact.impact.planar import LAWS, strike
from latchwork.contact.tolerances import Tolerances
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import every_zone
from latchwork.hybrid.contacts.delassus_assembly import Gathering
from latchwork.program.bundle import COUNT, run_each
from latchwork.program.kernel import divide, f64, f64p, fabs, i32p, i64, kernel, local_f64, offset, sqrt
from latchwork.program.native import address, native, together
from latchwork.program.records.memory import size_of, write
from latchwork.program.records.record import array, record
from latchwork.program.records.view import address_of, local_record, record_at
from latchwork.program.scalar import maximum, minimum
from latchwork.symbolic.expr import Expr

STEADY = {"parameter", "time", "coordinate"}  # of symbols: what no impact changes
MOST = 60  # impacts at one instant
PARTED = -2  # a contact that does not stay; other states are those of `alone`
ALONE_AT = 1e-6  # 1 − W_nt²/(W_nn W_tt): below it, stopping slip takes more care

AS_IS, OTHERS, LETS_GO = range(3)


@record
class PassGiven:
    """What is given: laws; the fastest approach and motion so far, the briefest hop; whether it rests, how it must
    slip, and whether it was open."""

    e: f64
    mu_s: f64
    mu_d: f64
    law: f64
    speed: f64
    pace: f64
    hop: f64
    rests: f64
    must: f64
    opened: f64


@record
class PassFound:
    """What is found: impacts, their impulses, the energy gained in them and by all that changed speeds, the fastest
    approach and motion, state, direction, forces."""

    impacts: f64
    push: f64p = array(2)
    struck: f64
    gained: f64
    speed: f64
    pace: f64
    state: f64
    way: f64
    force: f64p = array(2)


RESULTS = size_of(PassFound)


class Passed(NamedTuple):
    """How a contact came through: the state after, what impacts did, then its own state, slip and forces."""

    x: Array
    impacts: int
    impulse: Array
    struck: float  # energy gained in impacts
    gained: float  # and by all that changed speeds
    speed: float  # the fastest approach so far
    pace: float  # and the fastest motion
    state: State | None  # none where it parts
    way: float  # the direction in which it slides
    lam: Array


@kernel
def _move(n: i64, rows: i64, M: f64p, inverse: f64p, J: f64p, impulse: f64p, u: f64p, push: f64p) -> f64:
    """u⁺ = u⁻ + P Jᵀ Λ in place; the energy gained."""
    before = square(n, M, u)
    for j in range(n):
        push[j] = 0.0
        for r in range(rows):
            push[j] += J[r * n + j] * impulse[r]
    for i in range(n):
        u[i] += times(n, offset(inverse, i * n), push)
    return 0.5 * (square(n, M, u) - before)


@kernel
def clear(found: PassFound) -> None:
    """Nothing is found yet."""
    found.impacts, found.struck, found.gained, found.speed, found.pace = 0.0, 0.0, 0.0, 0.0, 0.0
    found.state, found.way = 0.0, 0.0
    for i in range(2):
        found.push[i], found.force[i] = 0.0, 0.0


@kernel
def _too_slow(
    given: PassGiven, speed: f64, pace: f64, here: f64, swift: f64, pressing: f64, small: Tolerances,
) -> f64:  # fmt: skip
    """Rebounds slower than this end in contact: see `Striking`."""
    alone = speed == 0.0 or given.e < small.lively
    lowest = small.capture * speed
    if not alone:
        fastest = maximum(maximum(speed, pace), maximum(here, swift))
        lowest = maximum(lowest, minimum(sqrt(2.0 * small.closed * pressing), small.fastest * fastest))
    return maximum(lowest, 0.5 * given.hop * pressing)


@kernel
def pass_one(
    programs: i32p, z: f64p, out: f64p, near: Delassus, inputs: i64, x: f64p, given: PassGiven, found: PassFound,
    small: Tolerances,
) -> i64:  # fmt: skip
    """From x = (t, q, u, rest) through impacts in place; what is found; 0 where that takes more care."""
    n, rows, v, b, A, J = near.n, near.rows, near.v, near.b, near.A, near.J
    M, inverse, work = near.M, near.inverse, near.work
    u, read = offset(x, 1 + near.n_q), offset(z, programs[COUNT])
    impulse, trial = local_f64(2), local_record(Found)
    speed, pace, must, rests, opened = given.speed, given.pace, given.must, given.rests, given.opened
    clear(found)
    slow, limit = 0.0, 0.0
    for times_struck in range(MOST + 1):
        for i in range(inputs):
            read[i] = x[i]
        run_each(programs, z, out)
        if gather(near, out, x, 0, work, 0, work) == 0 or times_struck == MOST:
            return 0
        slow = small.at_rest * maximum(speed, near.pace)
        limit = maximum(slow, small.rounding * near.swiftest[0])
        if not (v[0] < -slow and v[0] < -limit):
            break
        capture = _too_slow(given, speed, pace, near.pace, near.swiftest[0], maximum(0.0, -b[0]), small)
        speed = maximum(speed, -v[0])
        if strike(int(given.law), rows - 1, A, v, given.e, given.mu_s, given.mu_d,
                  maximum(capture, small.capture * speed), impulse) == 0:  # fmt: skip
            return 0
        found.gained += _move(n, rows, M, inverse, J, impulse, u, work)
        found.impacts += 1.0
        found.push[0] += impulse[0]
        found.push[1] += impulse[1]
        must, rests, opened = 0.0, 0.0, opened if opened != float(LETS_GO) else float(AS_IS)
    found.struck = found.gained
    pace = maximum(pace, near.pace)
    fastest = maximum(maximum(speed, near.pace), small.left * pace)
    found.speed, found.pace, found.state = speed, pace, float(PARTED)
    none = limit if v[0] > slow else slow
    if not (v[0] <= none or (v[0] < small.brief and 0.5 * v[0] * v[0] < small.rise * -b[0])):
        return 1
    rough = 1 if rows == 2 and given.mu_s > 0.0 else 0
    slip = 0.0
    if rows == 2 and rests == 0.0 and fabs(v[1]) > small.no_slip * fastest:
        slip = divide(v[1], fabs(v[1]))
    trial.direction = 0.0
    state = settle_one(rough, A, b, given.mu_s, given.mu_d, slip if rough == 1 else 0.0, must,
                       1 if opened != 0.0 else 0, trial)  # fmt: skip
    if state == NO_ANSWER:
        return 0
    found.state, found.way = float(state), trial.direction
    found.force[0], found.force[1] = trial.force[0], trial.force[1]
    if state == STICKS and slip == 0.0 and fabs(v[1]) > small.no_slip * near.pace:  # what is left of slip ends
        det = A[0] * A[3] - A[1] * A[2]
        if not det > ALONE_AT * A[0] * A[3]:
            return 0
        impulse[0] = divide(A[1] * v[1] - A[3] * v[0], det)
        impulse[1] = divide(A[2] * v[0] - A[0] * v[1], det)
        found.gained += _move(n, rows, M, inverse, J, impulse, u, work)
    return 1


together(pass_one)


class Passing:
    """One contact with what holds besides: programs and memory of `pass_one`; one thread at a time."""

    def __init__(self, gathering: Gathering, law: str, small: Tolerances) -> None:
        self.bundle, self.rows = gathering.bundle, gathering.rows
        self.given, self.found, self._law = np.zeros(size_of(PassGiven)), np.zeros(RESULTS), float(LAWS[law])
        self._x, self._keeps, self._call = np.zeros(len(self.bundle.x)), gathering, native(pass_one).brief
        others, self.small = map(address, (self._x, self.given, self.found)), small
        self.arguments = (*self.bundle.addresses, address_of(gathering.delassus), len(self._x), *others,
                          address_of(small))  # fmt: skip

    def __call__(self, x: Array, laws: tuple[float, float, float], speed: float, pace: float, brief: float,
                 rests: bool, must: float, opened: int) -> Passed | None:  # fmt: skip
        """From x on; ``must`` is the direction in which it begins to slip, 0 for none; none where it takes more care.

        ``opened``: `OTHERS` where something else was closed, `LETS_GO` where its own force came to zero, else `AS_IS`.
        """
        write(record_at(PassGiven, self.given, 0), *laws, self._law, speed, pace, brief, rests, must, opened)
        self.bundle.ready()
        self._x[:] = x
        if not self._call(*self.arguments):
            return None
        found, rows = record_at(PassFound, self.found, 0), self.rows
        state = None if found.state == PARTED else STATES[int(found.state)]
        return Passed(self._x.copy(), int(found.impacts), np.array(found.push[:rows]), found.struck, found.gained,
                      found.speed, found.pace, state, found.way, np.array(found.force[:rows]))  # fmt: skip


def can_pass(contact_point: ContactPoint) -> bool:
    """Whether the kernel knows the laws of a contact: in the plane, and with coefficients that no speed changes."""
    coefficients = [value for zones in every_zone(contact_point) for value in contact_point.coefficients(zones)]
    return (
        not contact_point.held
        and len(contact_point.tangents) < 2
        and contact_point.axis is None
        and contact_point.contact.impact in LAWS
        and not any(set(kinds(value)) - STEADY for value in coefficients if isinstance(value, Expr))
    )
