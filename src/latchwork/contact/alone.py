"""One contact with one tangent or none: the laws of `complementarity` in plain numbers, where they say one thing.

    open    λ = 0                       slide   a_n = 0,  λ_t = −mu_d λ_n d,  d = ±1
    stick   a_n = 0,  a_t = 0

States are tried and judged as in `trial`, without units as in `resting`. Where W is close to singular, where friction
presses, and where a few changes lead to no lawful answer, there is none here, and the methods for many contacts act.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from latchwork.contact.onset import RANK, REGULAR
from latchwork.contact.resting import Resting, State, Verdict
from latchwork.contact.trial import LIMIT, TOL

CHANGES = 6


class Way(NamedTuple):
    """A state tried; ``d`` is the direction of slip, 0 for none; ``free`` where it follows from the acceleration."""

    state: State
    d: float = 0.0
    free: bool = False


OPEN, STICK, SMOOTH = Way(State.OPEN), Way(State.STICK), Way(State.SLIDE)


class Solved(NamedTuple):
    """Forces and accelerations of a state tried: λ_n, λ_t, a_n, a_t."""

    lam: tuple[float, float]
    a: tuple[float, float]


class One(NamedTuple):
    """The contact without units; tangential entries are 0 where it has no tangent."""

    nn: float
    nt: float
    tn: float
    tt: float
    b_n: float
    b_t: float
    mu_s: float
    mu_d: float
    closed: Way
    slips: bool
    must: bool

    def solve(self, way: Way) -> Solved | None:
        """The forces of a state; none where they take more care."""
        nn, nt, tn, tt, b_n, b_t = self[:6]
        if way.state is State.OPEN:
            return Solved((0.0, 0.0), (b_n, b_t))
        if way.state is State.STICK:
            det = nn * tt - nt * tn
            if not max(abs(nn), abs(nt), abs(tn), abs(tt)) < REGULAR * abs(det):
                return None
            normal, across = (nt * b_t - tt * b_n) / det, (tn * b_n - nn * b_t) / det
        else:
            lean = 0.0 - self.mu_d * way.d
            pivot = nn + nt * lean
            if not pivot > RANK:
                return None
            normal = -b_n / pivot
            across = lean * normal
        return Solved((normal, across), (nn * normal + nt * across + b_n, tn * normal + tt * across + b_t))

    def judge(self, way: Way, solved: Solved) -> tuple[Way | None, bool]:
        """What it should do instead, if anything; and whether some acceleration could not be had at all."""
        (normal, across), (a_n, a_t) = solved
        most = max(abs(normal), abs(across))
        noise = max(abs(self.b_n) + abs(self.nn * normal) + abs(self.nt * across),
                    abs(self.b_t) + abs(self.tn * normal) + abs(self.tt * across))  # fmt: skip
        tol = TOL * noise
        if way.state is State.OPEN:
            return (self.closed if a_n < -tol else None), False
        broken = not most <= 1e10 or abs(a_n) > tol
        if normal < -TOL * most:
            return OPEN, broken
        if way.state is State.STICK:
            begins = abs(across) > self.mu_s * normal + TOL * most
            instead = Way(State.SLIDE, -math.copysign(1.0, across), True) if begins else None
            return instead, broken or self.must or abs(a_t) > tol
        return (self._astray(way, a_t, tol) if way.d != 0.0 and not self.slips else None), broken

    def _astray(self, way: Way, a_t: float, tol: float) -> Way | None:
        """What it should do instead where it does not begin to slide along its direction; none where it does."""
        along = a_t * way.d
        allowed = LIMIT / TOL * tol if self.must and not way.free else tol
        if along >= 0.0 or abs(a_t) <= allowed:
            return None
        if self.must and abs(a_t) > tol and not way.free:
            return Way(State.SLIDE, math.copysign(1.0, a_t), True)
        return self.closed

    def presses(self, way: Way) -> bool:
        """Whether friction presses it together as fast as the normal force parts it."""
        return way.state is State.SLIDE and self.nn - self.mu_d * self.nt * way.d <= 0.0


def settle_alone(resting: Resting, guess: State | None) -> Verdict | None:
    """The verdict on one contact; none where it takes more care."""
    rows = 1 + resting.tangents[0]
    made = _one(resting) if rows <= 2 and resting.A.shape == (rows, rows) and resting.b.shape == (rows,) else None
    if made is None:
        return None
    one, s, beta = made
    way = OPEN if guess is State.OPEN else one.closed
    for tries in range(1, CHANGES + 1):
        solved = one.solve(way)
        if solved is None:
            return None
        instead, broken = one.judge(way, solved)
        if instead is None:
            idle = way.free and not one.must and abs(solved.a[1]) <= TOL
            if broken or idle or one.presses(one.closed if way.state is State.OPEN else way):
                return None
            return _verdict(way, solved, s, beta, tries, rows)
        way = instead
    return None


def _one(resting: Resting) -> tuple[One, float, float] | None:
    """The contact without units, the root of its mass, and the unit of accelerations."""
    A, b, rough = resting.A.tolist(), resting.b.tolist(), resting.tangents[0] == 1
    (nn, nt), (tn, tt), (b_n, b_t) = (*A, b) if rough else ((A[0][0], 0.0), (0.0, 0.0), (b[0], 0.0))
    mass = max(nn, tt)
    if not (mass > 0.0 and math.isfinite(nn + nt + tn + tt + b_n + b_t)):
        return None
    s = 1.0 / math.sqrt(mass)
    beta = s * max(abs(b_n), abs(b_t)) or 1.0
    mu_s, mu_d = float(resting.mu_s[0]), float(resting.mu_d[0])
    slip, must = resting.slip[0], resting.must_slip[0]
    closed = SMOOTH
    if rough and mu_s > 0.0:
        way = must if slip is None else slip
        closed = STICK if way is None else Way(State.SLIDE, float(way[0]))
    scaled = (s * nn * s, s * nt * s, s * tn * s, s * tt * s, s * b_n / beta, s * b_t / beta)
    return One(*scaled, mu_s, mu_d, closed, slip is not None, must is not None), s, beta


def _verdict(way: Way, solved: Solved, s: float, beta: float, tries: int, rows: int) -> Verdict:
    """The answer in the caller's units."""
    direction = np.array([way.d]) if way.d != 0.0 else None
    lam = np.array([beta * s * force for force in solved.lam[:rows]])
    a = np.array([beta / s * rate for rate in solved.a[:rows]])
    return Verdict((way.state,), (direction,), lam, a, tries)
