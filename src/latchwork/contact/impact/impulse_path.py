"""Velocity along the normal impulse p while two bodies touch, with friction at every instant (Routh, Darboux, Keller).

    dv/dp = W (1, ρ),   ρ = −μ_d v_t/|v_t| while it slips
    where slip ends:   ρ = −W_tt⁻¹ W_tn if that is in the cone of μ_s (it sticks, for good),
                       else ρ = −μ_d s with W_tn − μ_d W_tt s = κ s, κ > 0 (it slips on along the only such s)

With one tangent this is Routh's diagram: two straight lines at most. With two, slip is a curve until it is straight.
In the last phase dv_n/dp ≥ 0, since (1, ρ)ᵀ W (1, ρ) ≥ 0: v_n always comes back, also where it first falls (Painlevé).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from latchwork.algebra.linear import eigh
from latchwork.algebra.products import dot, norm
from latchwork.contact.impact.coulomb import Array, least, within
from latchwork.contact.impact.planar import LIFT

STRAIGHT = 1e-14  # slip that turns by less than this is straight
GONE = 1e-15  # slip smaller than this part of the speeds has ended
STOPPED = 1e-10  # of the speeds before: less is what rounding leaves where slip and approach end together
ROUNDS = 200


@dataclass(frozen=True, eq=False)
class Rub:
    """What a path needs of a contact: W, and the two coefficients."""

    W: Array
    mu_s: float
    mu_d: float

    @cached_property
    def turning(self) -> float:
        """|W_tn| + μ_d |W_tt|, the scale of dv_t/dp."""
        return float(np.abs(self.W[1:, 0]).max(initial=0.0) + self.mu_d * np.abs(self.W[1:, 1:]).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Spot:
    """A place on the path: impulse Λ so far (its first is p), v, and the work ∫ v_n dp of the normal impulse."""

    impulse: Array
    v: Array
    work: float


class Goal(NamedTuple):
    """Where a path stops: where α p + β v_n + γ work + δ rises through zero."""

    p: float = 0.0
    v_n: float = 0.0
    work: float = 0.0
    constant: float = 0.0

    def at(self, spot: Spot) -> float:
        """The value that rises through zero."""
        return float(self.p * spot.impulse[0] + self.v_n * spot.v[0] + self.work * spot.work + self.constant)


RISES = Goal(v_n=1.0)
FALLS = Goal(v_n=-1.0)


def first_rise(a: float, b: float, c: float) -> float:
    """Smallest x ≥ 0 where a + b x + c x² rises through zero (or has risen to it at x = 0); inf where it never does."""
    if a >= 0.0 and (b > 0.0 or (b == 0.0 and c >= 0.0)):
        return 0.0
    if c == 0.0:
        return -a / b if b > 0.0 else math.inf
    inside = b * b - 4.0 * a * c
    if inside < 0.0:
        return math.inf
    # the root with slope +√inside: (−b + √inside)/2c, without cancellation
    root = math.sqrt(inside)
    x = -2.0 * a / (b + root) if b + root > 0.0 else (root - b) / (2.0 * c)
    return x if x >= 0.0 else math.inf


def direction_after_rest(rub: Rub) -> Array:
    """ρ where nothing slips: what sticks, if the cone of μ_s holds it, else the slip that starts."""
    W_tt, W_tn = rub.W[1:, 1:], rub.W[1:, 0]
    held = least(W_tt, -W_tn) if np.any(W_tn) else np.zeros(len(W_tn))
    if held is not None and within(np.concatenate(([1.0], held)), rub.mu_s):
        return held
    return -rub.mu_d * starting_slip(W_tt, W_tn, rub.mu_d)


def is_wedged(rub: Rub, spot: Spot) -> bool:
    """Whether all has stopped, and no impulse lifts v_n without slip: W is singular, as where a rod holds the place."""
    if np.abs(spot.v).max() > STOPPED:
        return False
    return bool(dot(rub.W[0], np.concatenate(([1.0], direction_after_rest(rub)))) <= LIFT * rub.W[0, 0])


def starting_slip(W_tt: Array, W_tn: Array, mu: float) -> Array:
    """The unit s with (μ W_tt + κ) s = W_tn, κ > 0: |(μ W_tt + κ)⁻¹ W_tn| falls as κ grows, so bisection finds it."""
    values, vectors = eigh(W_tt)
    values, parts = mu * np.maximum(values, 0.0), dot(vectors.T, W_tn)
    low, high = 0.0, float(norm(W_tn))
    for _ in range(ROUNDS):
        kappa = 0.5 * (low + high)
        if kappa in (low, high):
            break
        low, high = (kappa, high) if norm(parts / (values + kappa)) > 1.0 else (low, kappa)
    s = dot(vectors, parts / (values + high))
    return s / norm(s)


@dataclass(frozen=True, eq=False)
class Straight:
    """A phase of constant ρ, from ``start`` for a length of p that ends where slip does, or never."""

    rub: Rub
    start: Spot
    rho: Array
    length: float

    def advance(self, goals: Sequence[Goal]) -> tuple[Spot, int | None] | None:
        """The first goal on the way and where; the end of the phase and None; None where it leads nowhere."""
        push = np.concatenate(([1.0], self.rho))
        rate = dot(self.rub.W, push)
        if abs(rate[0]) <= LIFT * self.rub.W[0, 0]:
            rate[0] = 0.0
        v_n = float(self.start.v[0])
        reached = [
            first_rise(g.at(self.start), g.p + g.v_n * rate[0] + g.work * v_n, 0.5 * g.work * rate[0]) for g in goals
        ]
        p = min([*reached, self.length])
        if not math.isfinite(p):
            return None
        spot = Spot(
            self.start.impulse + p * push, self.start.v + p * rate, self.start.work + p * (v_n + 0.5 * p * rate[0])
        )
        if self.length <= p and self.length < min(reached):
            return replace(spot, v=np.concatenate((spot.v[:1], np.zeros(len(self.rho))))), None
        return spot, reached.index(p)


def straight_slip(rub: Rub, spot: Spot) -> Straight | None:
    """Slip that stays straight: one tangent or none, no friction, or a direction that friction does not turn."""
    v_t = spot.v[1:]
    size = float(norm(v_t))
    if size <= GONE:
        return Straight(rub, spot, direction_after_rest(rub) if len(v_t) else np.zeros(0), math.inf)
    s = v_t / size
    change = rub.W[1:, 0] - rub.mu_d * dot(rub.W[1:, 1:], s)
    along = float(dot(change, s))
    turns = norm(change - along * s) > STRAIGHT * rub.turning
    if turns and rub.mu_d > 0.0:
        return None
    ends = size / -along if along < 0.0 and not turns else math.inf
    return Straight(rub, spot, -rub.mu_d * s, ends)
