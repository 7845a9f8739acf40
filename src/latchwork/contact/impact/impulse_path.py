"""Velocity along the normal impulse p while two bodies touch, with friction at every instant.

[Darboux 1880; Routh 1891; Keller 1986]

    dv/dp = W (1, ρ),   ρ = −μ_d v_t/|v_t| while it slips
    where slip ends:   ρ = −W_tt⁻¹ W_tn if that is in the cone of μ_s (it sticks, for good),
                       else ρ = −μ_d s with W_tn − μ_d W_tt s = κ s, κ > 0 (it slips on along the only such s)

With one tangent this is Routh's diagram: two straight lines at most. With two, slip is a curve until it is straight.
In the last phase dv_n/dp ≥ 0, since (1, ρ)ᵀ W (1, ρ) ≥ 0: v_n always comes back, also where it first falls (Painlevé).
"""

from __future__ import annotations

import math

from latchwork.algebra.factors import eigen
from latchwork.algebra.products import length
from latchwork.contact.impact.coulomb import in_cone, least
from latchwork.contact.impact.tolerances import LIFT
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, local_f64, offset, sqrt
from latchwork.program.records.record import array, record
from latchwork.program.scalar import maximum, minimum

STRAIGHT = 1e-14  # slip that turns by less than this is straight
GONE = 1e-15  # slip smaller than this part of the speeds has ended
STOPPED = 1e-10  # of the speeds before: less is what rounding leaves where slip and approach end together
ROUNDS = 200
INF = math.inf

GOES_ON, NOWHERE = -1, -2  # how a phase ends that meets no goal: at its own end, or never
ENDS, TURNS = 0, 1  # slip that is straight or over, and slip that turns


@record
class Goal:
    """Where a path stops: where α p + β v_n + γ work + δ rises through zero."""

    p: f64
    v_n: f64
    work: f64
    constant: f64


@record
class ImpulsePath:
    """A path and a place on it: W and friction; Λ so far (its first is p), v, and the work ∫ v_n dp of the normal
    impulse; the phase that begins here, and the goals that end the path."""

    n: i64  # rows
    W: f64p = array(9)  # W_nn = 1
    mu_s: f64
    mu_d: f64
    turning: f64  # |W_tn| + μ_d |W_tt|, the scale of dv_t/dp
    impulse: f64p = array(3)
    v: f64p = array(3)
    work: f64
    rho: f64p = array(2)  # of a straight phase
    length: f64  # of p, until slip ends
    goals: i64
    goal: list[Goal] = array(2)


@kernel
def goal_at(path: ImpulsePath, i: i64, p: f64, v_n: f64, work: f64) -> f64:
    """The value of goal i, that rises through zero."""
    goal = path.goal[i]
    return goal.p * p + goal.v_n * v_n + goal.work * work + goal.constant


@kernel
def first_rise(a: f64, b: f64, c: f64) -> f64:
    """Smallest x ≥ 0 where a + b x + c x² rises through zero (or has risen to it at x = 0); inf where it never does."""
    if a >= 0.0 and (b > 0.0 or (b == 0.0 and c >= 0.0)):
        return 0.0
    if c == 0.0:
        return divide(-a, b) if b > 0.0 else INF
    inside = b * b - 4.0 * a * c
    if inside < 0.0:
        return INF
    # the root with slope +√inside: (−b + √inside)/2c, without cancellation
    root = sqrt(inside)
    x = divide(-2.0 * a, b + root) if b + root > 0.0 else divide(root - b, 2.0 * c)
    return x if x >= 0.0 else INF


@kernel
def tangential(path: ImpulsePath, W_tt: f64p, W_tn: f64p) -> None:
    """The parts of W."""
    n, d, W = path.n, path.n - 1, path.W
    for i in range(d):
        W_tn[i] = W[(1 + i) * n]
        for j in range(d):
            W_tt[i * d + j] = W[(1 + i) * n + 1 + j]


@kernel
def starting_slip(d: i64, W_tt: f64p, W_tn: f64p, mu: f64, s: f64p) -> None:
    """The unit s with (μ W_tt + κ) s = W_tn, κ > 0: |(μ W_tt + κ)⁻¹ W_tn| falls as κ grows, so bisection finds it."""
    S, V, values, parts, tried = local_f64(4), local_f64(4), local_f64(2), local_f64(2), local_f64(2)
    for i in range(d * d):
        S[i] = W_tt[i]
    eigen(d, S, V)
    for j in range(d):
        values[j], parts[j] = mu * maximum(S[j * d + j], 0.0), 0.0
        for i in range(d):
            parts[j] += V[i * d + j] * W_tn[i]
    low, high = 0.0, length(d, W_tn)
    for _ in range(ROUNDS):
        kappa = 0.5 * (low + high)
        if kappa <= low or kappa >= high:
            break
        for j in range(d):
            tried[j] = divide(parts[j], values[j] + kappa)
        if length(d, tried) > 1.0:
            low = kappa
        else:
            high = kappa
    for i in range(d):
        s[i] = 0.0
        for j in range(d):
            s[i] += V[i * d + j] * divide(parts[j], values[j] + high)
    size = length(d, s)
    for i in range(d):
        s[i] = divide(s[i], size)


@kernel
def direction_after_rest(path: ImpulsePath) -> None:
    """ρ where nothing slips: what sticks, if the cone of μ_s holds it, else the slip that starts."""
    d, W_tt, W_tn = path.n - 1, local_f64(4), local_f64(2)
    tangential(path, W_tt, W_tn)
    along, push, sticks = local_f64(2), local_f64(3), 1
    push[0], largest = 1.0, 0.0
    for i in range(d):
        along[i], push[1 + i] = -W_tn[i], 0.0
        largest = maximum(largest, fabs(W_tn[i]))
    if largest > 0.0:
        sticks = least(d, W_tt, along, offset(push, 1))
    if sticks == 1 and in_cone(path.n, push, path.mu_s) == 1:
        for i in range(d):
            path.rho[i] = push[1 + i]
        return
    starting_slip(d, W_tt, W_tn, path.mu_d, along)
    for i in range(d):
        path.rho[i] = -path.mu_d * along[i]


@kernel
def rate_of(path: ImpulsePath, row: i64) -> f64:
    """dv/dp of a row, W (1, ρ)."""
    rate = path.W[row * path.n]
    for j in range(path.n - 1):
        rate += path.W[row * path.n + 1 + j] * path.rho[j]
    return rate


@kernel
def is_wedged(path: ImpulsePath) -> i64:
    """1 where all has stopped, and no impulse lifts v_n without slip: W is singular, as where a rod holds the place."""
    for i in range(path.n):
        if fabs(path.v[i]) > STOPPED:
            return 0
    direction_after_rest(path)
    return 1 if rate_of(path, 0) <= LIFT * path.W[0] else 0


@kernel
def straight_slip(path: ImpulsePath, v_t: f64p, size: f64) -> i64:
    """Slip that stays straight: one tangent or none, no friction, or a direction that friction does not turn. Its ρ
    and length are written down; `TURNS` where it turns."""
    n, d, W, mu, s, change = path.n, path.n - 1, path.W, path.mu_d, local_f64(2), local_f64(2)
    if size <= GONE:
        direction_after_rest(path)
        path.length = INF
        return ENDS
    along = 0.0
    for i in range(d):
        s[i] = divide(v_t[i], size)
    for i in range(d):
        total = 0.0
        for j in range(d):
            total += W[(1 + i) * n + 1 + j] * s[j]
        change[i] = W[(1 + i) * n] - mu * total
        along += change[i] * s[i]
    for i in range(d):
        change[i] -= along * s[i]
    turns = length(d, change) > STRAIGHT * path.turning
    if turns and mu > 0.0:
        return TURNS
    for i in range(d):
        path.rho[i] = -mu * s[i]
    path.length = divide(size, -along) if along < 0.0 and not turns else INF
    return ENDS


@kernel
def advance_straight(path: ImpulsePath) -> i64:
    """Along a phase of constant ρ: the first goal on the way, `GOES_ON` at its end, or `NOWHERE`."""
    n, rate, reached = path.n, local_f64(3), local_f64(2)
    for i in range(n):
        rate[i] = rate_of(path, i)
    if fabs(rate[0]) <= LIFT * path.W[0]:
        rate[0] = 0.0
    v_n, first, met = path.v[0], INF, GOES_ON
    for i in range(path.goals):
        goal = path.goal[i]
        reached[i] = first_rise(goal_at(path, i, path.impulse[0], v_n, path.work),
                                goal.p + goal.v_n * rate[0] + goal.work * v_n, 0.5 * goal.work * rate[0])  # fmt: skip
        if reached[i] < first:
            first, met = reached[i], i
    p = minimum(first, path.length)
    if not p < INF:
        return NOWHERE
    path.impulse[0] += p
    for i in range(1, n):
        path.impulse[i] += p * path.rho[i - 1]
    for i in range(n):
        path.v[i] += p * rate[i]
    path.work += p * (v_n + 0.5 * p * rate[0])
    if path.length < first:
        for i in range(1, n):
            path.v[i] = 0.0
        return GOES_ON
    return met
