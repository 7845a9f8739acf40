"""One contact with one tangent or none: the laws of `complementarity` as a kernel, where they say one thing.

    open    λ = 0                       slide   a_n = 0,  λ_t = −mu_d λ_n d,  d = ±1
    stick   a_n = 0,  a_t = 0

States are tried and judged as in `trial`, without units as in `resting`. Where W is close to singular, where friction
presses, and where a few changes lead to no lawful answer, there is none here, and the methods for many contacts act.
"""

from __future__ import annotations

import numpy as np

from latchwork.contact.onset import RANK, REGULAR
from latchwork.contact.resting import Resting, State, Verdict
from latchwork.contact.trial import LIMIT, TOL
from latchwork.program.kernel import copysign, divide, f64, f64p, fabs, i64, kernel, local_f64, sqrt
from latchwork.program.native import native, together
from latchwork.program.scalar import maximum

CHANGES = 6
SLOWLY = LIMIT / TOL
MOST_FORCE = 1e10  # without units: a force above it holds nothing
NO_ANSWER, OPEN, SLIDE, STICK = range(-1, 3)
STATES = (State.OPEN, State.SLIDE, State.STICK)

# what is known of the contact: without units W, b, mu_s, mu_d; does it slip, must it; what it does first if it closes
NN, NT, TN, TT, B_N, B_T, MU_S, MU_D, SLIPS, MUST, CLOSED, WAY = range(12)
# what is found: the direction of slip, λ_n, λ_t, a_n, a_t, how many states were tried; then notes of a trial
D, LAM, ACC, TRIES, NEXT, NEXT_D, NEXT_FREE = 0, 1, 3, 5, 6, 7, 8
FOUND = 9


@kernel
def _forces(one: f64p, state: i64, d: f64, found: f64p) -> i64:
    """λ and a of a state; 0 where they take more care."""
    nn, nt, tn, tt, b_n, b_t = one[NN], one[NT], one[TN], one[TT], one[B_N], one[B_T]
    normal, across = 0.0, 0.0
    if state == STICK:
        det = nn * tt - nt * tn
        if not maximum(maximum(fabs(nn), fabs(nt)), maximum(fabs(tn), fabs(tt))) < REGULAR * fabs(det):
            return 0
        normal, across = divide(nt * b_t - tt * b_n, det), divide(tn * b_n - nn * b_t, det)
    if state == SLIDE:
        lean = 0.0 - one[MU_D] * d
        pivot = nn + nt * lean
        if not pivot > RANK:
            return 0
        normal = divide(-b_n, pivot)
        across = lean * normal
    found[LAM], found[LAM + 1] = normal, across
    found[ACC], found[ACC + 1] = nn * normal + nt * across + b_n, tn * normal + tt * across + b_t
    return 1


@kernel
def _instead(found: f64p, state: i64, d: f64, free: f64) -> None:
    """Note what it should do instead."""
    found[NEXT], found[NEXT_D], found[NEXT_FREE] = float(state), d, free


@kernel
def _judge(one: f64p, state: i64, d: f64, free: i64, found: f64p) -> i64:
    """1 where some acceleration could not be had at all; what it should do instead is noted, or no answer."""
    normal, across, a_n, a_t = found[LAM], found[LAM + 1], found[ACC], found[ACC + 1]
    most = maximum(fabs(normal), fabs(across))
    tol = TOL * maximum(fabs(one[B_N]) + fabs(one[NN] * normal) + fabs(one[NT] * across),
                        fabs(one[B_T]) + fabs(one[TN] * normal) + fabs(one[TT] * across))  # fmt: skip
    _instead(found, NO_ANSWER, 0.0, 0.0)
    if state == OPEN:
        if a_n < -tol:
            _instead(found, int(one[CLOSED]), one[WAY], 0.0)
        return 0
    broken = 1 if not most <= MOST_FORCE or fabs(a_n) > tol else 0
    if normal < -TOL * most:
        _instead(found, OPEN, 0.0, 0.0)
        return broken
    if state == STICK:
        if fabs(across) > one[MU_S] * normal + TOL * most:
            _instead(found, SLIDE, -copysign(1.0, across), 1.0)
        return 1 if broken == 1 or one[MUST] != 0.0 or fabs(a_t) > tol else 0
    if d != 0.0 and one[SLIPS] == 0.0:
        must = one[MUST] != 0.0 and free == 0
        if a_t * d < 0.0 and fabs(a_t) > (SLOWLY * tol if must else tol):  # it does not begin to slide that way
            if must and fabs(a_t) > tol:
                _instead(found, SLIDE, copysign(1.0, a_t), 1.0)
            else:
                _instead(found, int(one[CLOSED]), one[WAY], 0.0)
    return broken


@kernel
def settled(one: f64p, first: i64, found: f64p) -> i64:
    """The state of a contact without units, from a first one on; no answer where that takes more care."""
    state, d, free = first, one[WAY] if first == SLIDE else 0.0, 0
    for tries in range(CHANGES):
        if _forces(one, state, d, found) == 0:
            return NO_ANSWER
        broken = _judge(one, state, d, free, found)
        instead = int(found[NEXT])
        if instead == NO_ANSWER:
            slides = int(one[CLOSED]) == SLIDE if state == OPEN else state == SLIDE
            way = one[WAY] if state == OPEN else d
            idle = free == 1 and one[MUST] == 0.0 and fabs(found[ACC + 1]) <= TOL
            if broken == 1 or idle or (slides and one[NN] - one[MU_D] * one[NT] * way <= 0.0):  # friction presses
                return NO_ANSWER
            found[D], found[TRIES] = d, float(tries + 1)
            return state
        state, d, free = instead, found[NEXT_D], int(found[NEXT_FREE])
    return NO_ANSWER


@kernel
def settle_one(tangents: i64, W: f64p, b: f64p, mu_s: f64, mu_d: f64, slip: f64, must: f64, opened: i64,
               found: f64p) -> i64:  # fmt: skip
    """The state of a contact with W, b, friction, and directions of slip that it has, or must take; 0 for none."""
    one = local_f64(12)
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
    one[NN], one[NT], one[TN], one[TT] = s * nn * s, s * nt * s, s * tn * s, s * tt * s
    one[B_N], one[B_T] = divide(s * b_n, beta), divide(s * b_t, beta)
    one[MU_S], one[MU_D], one[SLIPS], one[MUST] = mu_s, mu_d, slip, must
    one[CLOSED], one[WAY] = float(SLIDE), 0.0
    if tangents == 1 and mu_s > 0.0:
        one[WAY] = slip if slip != 0.0 else must
        one[CLOSED] = float(SLIDE) if one[WAY] != 0.0 else float(STICK)
    state = settled(one, OPEN if opened == 1 else int(one[CLOSED]), found)
    for i in range(2):
        found[LAM + i] = beta * s * found[LAM + i]
        found[ACC + i] = divide(beta, s) * found[ACC + i]
    return state


together(settle_one)


def settle_alone(resting: Resting, guess: State | None) -> Verdict | None:
    """The verdict on one contact; none where it takes more care."""
    k = resting.tangents[0]
    if k > 1 or resting.A.shape != (1 + k, 1 + k) or resting.b.shape != (1 + k,):
        return None
    found = np.zeros(FOUND)
    ways = [0.0 if way is None else float(way[0]) for way in (resting.slip[0], resting.must_slip[0])]
    A, b = (np.ascontiguousarray(each, dtype=float) for each in (resting.A, resting.b))
    state = native(settle_one).brief(k, A.ctypes.data, b.ctypes.data, float(resting.mu_s[0]), float(resting.mu_d[0]),
                                     *ways, int(guess is State.OPEN), found.ctypes.data)  # fmt: skip
    if state == NO_ANSWER:
        return None
    direction = found[D : D + 1].copy() if found[D] != 0.0 else None
    lam, a = found[LAM : LAM + 1 + k].copy(), found[ACC : ACC + 1 + k].copy()
    return Verdict((STATES[state],), (direction,), lam, a, int(found[TRIES]))
