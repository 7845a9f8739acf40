"""One contact with one tangent or none: the laws of `contact_states`, where they say one thing.

    open    λ = 0                       slide   a_n = 0,  λ_t = −mu_d λ_n d,  d = ±1
    stick   a_n = 0,  a_t = 0

For the reset of one contact alone only (`hybrid.contacts.single_contact_reset`), and tested to agree with
`contact_states.solve`. Where W is close to singular, where friction presses, and where a few changes lead to no lawful
answer, there is none here.
"""

from __future__ import annotations

from latchwork.contact.complementarity.linear_system import RANK
from latchwork.contact.complementarity.problem import OPEN, SLIDE, STICK, State
from latchwork.contact.complementarity.slip_onset import TOL
from latchwork.contact.complementarity.trial import MOST_FORCE, SLOWLY
from latchwork.program.kernel import copysign, divide, f64, f64p, fabs, i64, kernel, sqrt
from latchwork.program.native import together
from latchwork.program.records.record import array, record
from latchwork.program.records.view import local_record
from latchwork.program.scalar import maximum

CHANGES = 6
REGULAR = 1e4  # entries of an inverse below which a system is clearly regular
NO_ANSWER = -1
STATES = tuple(State)


@record
class Contact:
    """A contact without units: W and b; does it slip, must it; what it does first, and which way, if it closes."""

    nn: f64
    nt: f64
    tn: f64
    tt: f64
    b_n: f64
    b_t: f64
    mu_s: f64
    mu_d: f64
    slips: f64
    must: f64
    closed: i64
    way: f64


@record
class Found:
    """What is found: the direction of slip, λ, a, how many states were tried; then what to try next."""

    direction: f64
    force: f64p = array(2)
    acceleration: f64p = array(2)
    tries: i64
    next: i64
    next_direction: f64
    next_free: i64


@kernel
def _forces(one: Contact, state: i64, d: f64, found: Found) -> i64:
    """λ and a of a state; 0 where they take more care."""
    nn, nt, tn, tt, b_n, b_t = one.nn, one.nt, one.tn, one.tt, one.b_n, one.b_t
    normal, across = 0.0, 0.0
    if state == STICK:
        det = nn * tt - nt * tn
        if not maximum(maximum(fabs(nn), fabs(nt)), maximum(fabs(tn), fabs(tt))) < REGULAR * fabs(det):
            return 0
        normal, across = divide(nt * b_t - tt * b_n, det), divide(tn * b_n - nn * b_t, det)
    if state == SLIDE:
        lean = 0.0 - one.mu_d * d
        pivot = nn + nt * lean
        if not pivot > RANK:
            return 0
        normal = divide(-b_n, pivot)
        across = lean * normal
    found.force[0], found.force[1] = normal, across
    found.acceleration[0], found.acceleration[1] = nn * normal + nt * across + b_n, tn * normal + tt * across + b_t
    return 1


@kernel
def _instead(found: Found, state: i64, d: f64, free: i64) -> None:
    """Note what it should do instead."""
    found.next, found.next_direction, found.next_free = state, d, free


@kernel
def _judge(one: Contact, state: i64, d: f64, free: i64, found: Found) -> i64:
    """1 where some acceleration could not be had at all; what it should do instead is noted, or no answer."""
    normal, across, a_n, a_t = found.force[0], found.force[1], found.acceleration[0], found.acceleration[1]
    most = maximum(fabs(normal), fabs(across))
    tol = TOL * maximum(fabs(one.b_n) + fabs(one.nn * normal) + fabs(one.nt * across),
                        fabs(one.b_t) + fabs(one.tn * normal) + fabs(one.tt * across))  # fmt: skip
    _instead(found, NO_ANSWER, 0.0, 0)
    if state == OPEN:
        if a_n < -tol:
            _instead(found, one.closed, one.way, 0)
        return 0
    broken = 1 if not most <= MOST_FORCE or fabs(a_n) > tol else 0
    if normal < -TOL * most:
        _instead(found, OPEN, 0.0, 0)
        return broken
    if state == STICK:
        if fabs(across) > one.mu_s * normal + TOL * most:
            _instead(found, SLIDE, -copysign(1.0, across), 1)
        return 1 if broken == 1 or one.must != 0.0 or fabs(a_t) > tol else 0
    if d != 0.0 and one.slips == 0.0:
        must = one.must != 0.0 and free == 0
        if a_t * d < 0.0 and fabs(a_t) > (SLOWLY * tol if must else tol):  # it does not begin to slide that way
            if must and fabs(a_t) > tol:
                _instead(found, SLIDE, copysign(1.0, a_t), 1)
            else:
                _instead(found, one.closed, one.way, 0)
    return broken


@kernel
def settled(one: Contact, first: i64, found: Found) -> i64:
    """The state of a contact without units, from a first one on; no answer where that takes more care."""
    state, d, free = first, one.way if first == SLIDE else 0.0, 0
    for tries in range(CHANGES):
        if _forces(one, state, d, found) == 0:
            return NO_ANSWER
        broken = _judge(one, state, d, free, found)
        instead = found.next
        if instead == NO_ANSWER:
            slides = one.closed == SLIDE if state == OPEN else state == SLIDE
            way = one.way if state == OPEN else d
            idle = free == 1 and one.must == 0.0 and fabs(found.acceleration[1]) <= TOL
            if broken == 1 or idle or (slides and one.nn - one.mu_d * one.nt * way <= 0.0):  # friction presses
                return NO_ANSWER
            found.direction, found.tries = d, tries + 1
            return state
        state, d, free = instead, found.next_direction, found.next_free
    return NO_ANSWER


@kernel
def settle_one(tangents: i64, W: f64p, b: f64p, mu_s: f64, mu_d: f64, slip: f64, must: f64, opened: i64,
               found: Found) -> i64:  # fmt: skip
    """The state of a contact with W, b, friction, and directions of slip that it has, or must take; 0 for none."""
    one = local_record(Contact)
    nn, nt, tn, tt = W[0], 0.0, 0.0, 0.0
    b_n, b_t = b[0], 0.0
    if tangents == 1:
        nt, tn, tt, b_t = W[1], W[2], W[3], b[1]
    mass = maximum(nn, tt)
    total = nn + nt + tn + tt + b_n + b_t
    if not (mass > 0.0 and total - total == 0.0):
        return NO_ANSWER
    s = divide(1.0, sqrt(mass))
    beta = s * maximum(fabs(b_n), fabs(b_t))
    beta = beta if beta != 0.0 else 1.0
    one.nn, one.nt, one.tn, one.tt = s * nn * s, s * nt * s, s * tn * s, s * tt * s
    one.b_n, one.b_t = divide(s * b_n, beta), divide(s * b_t, beta)
    one.mu_s, one.mu_d, one.slips, one.must = mu_s, mu_d, slip, must
    one.closed, one.way = SLIDE, 0.0
    if tangents == 1 and mu_s > 0.0:
        one.way = slip if slip != 0.0 else must
        one.closed = SLIDE if one.way != 0.0 else STICK
    state = settled(one, OPEN if opened == 1 else one.closed, found)
    for i in range(2):
        found.force[i] = beta * s * found.force[i]
        found.acceleration[i] = divide(beta, s) * found.acceleration[i]
    return state


together(settle_one)
