"""Slip that turns: two tangents. In its angle and the logarithm of its size the equations are smooth to the end.

    v_t = r s(θ),  dp = r dτ:    dθ/dτ = s⊥·c,   d(ln r)/dτ = s·c,   c = W_tn − μ_d W_tt s,
    dp/dτ = r,   dv_n/dτ = r (W_nn − μ_d W_nt·s),   d(work)/dτ = r v_n,   dΛ_t/dτ = −μ_d r s

Slip that ends does so for τ → ∞, at an angle that no longer turns: the rest of the way is straight. The equations are
integrated to rounding: modified midpoints extrapolated to zero step (Gragg, Bulirsch, Stoer).
"""

from __future__ import annotations

from latchwork.contact.impact.impulse_path import (
    ENDS,
    GOES_ON,
    GONE,
    NOWHERE,
    ImpulsePath,
    goal_at,
    straight_slip,
)
from latchwork.program.elementary.exponential import exp
from latchwork.program.elementary.inverse_trigonometric import atan2
from latchwork.program.elementary.logarithm import log
from latchwork.program.elementary.power import pow
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, local_f64, offset, sqrt
from latchwork.program.scalar import maximum, minimum
from latchwork.program.sincos import sincos

EXACT = 1e-13  # error of one step, of quantities of order one
STEPS = 20000
ROUNDING = 1e-15
CLOSER = 60  # steps towards a goal
CLOSE, SMALLEST = 1e-8, 1e-16  # of the way to a goal, and of a step: Newton's method has no more to do after this
ANGLE, LOG_R, P, V_N, WORK, ALONG, ACROSS, SIZE = range(8)  # of the state y, and how many
PARTS = (2, 4, 6, 8, 10, 12)
COUNT = len(PARTS)
FEWEST = 2
SLOWLY = 1.0 / 12.0  # of a method of order 12
TABLE = COUNT * SIZE


@kernel
def path_rate(path: ImpulsePath, y: f64p, dy: f64p) -> None:
    """d(θ, ln r, p, v_n, work, Λ_t)/dτ."""
    W, mu = path.W, path.mu_d
    z, x = sincos(y[ANGLE])
    r = exp(y[LOG_R])
    c1 = W[1] - mu * (W[4] * x + W[5] * z)
    c2 = W[2] - mu * (W[5] * x + W[8] * z)
    dy[ANGLE], dy[LOG_R], dy[P] = x * c2 - z * c1, x * c1 + z * c2, r
    dy[V_N], dy[WORK] = r * (W[0] - mu * (W[1] * x + W[2] * z)), r * y[V_N]
    dy[ALONG], dy[ACROSS] = -mu * r * x, -mu * r * z


@kernel
def midpoints(path: ImpulsePath, y: f64p, first: f64p, step: f64, parts: i64, end: f64p) -> None:
    """``parts`` midpoint steps, smoothed: its error has even powers of the small step only."""
    h, before, here, dy = divide(step, float(parts)), local_f64(SIZE), local_f64(SIZE), local_f64(SIZE)
    for i in range(SIZE):
        before[i], here[i] = y[i], y[i] + h * first[i]
    for _ in range(parts - 1):
        path_rate(path, here, dy)
        for i in range(SIZE):
            ahead = before[i] + 2.0 * h * dy[i]
            before[i], here[i] = here[i], ahead
    path_rate(path, here, dy)
    for i in range(SIZE):
        end[i] = 0.5 * (before[i] + here[i] + h * dy[i])


@kernel
def extrapolated(path: ImpulsePath, y: f64p, step: f64, ahead: f64p) -> f64:
    """y one step on, of order 12, or less where that is exact; how far the last two extrapolations are apart, relative
    to y or to one."""
    first, row, fresh = local_f64(SIZE), local_f64(TABLE), local_f64(TABLE)
    path_rate(path, y, first)
    error = 0.0
    for i in range(COUNT):
        midpoints(path, y, first, step, PARTS[i], fresh)
        for j in range(i):
            ratio = divide(float(PARTS[i]), float(PARTS[i - 1 - j]))
            down = ratio * ratio - 1.0
            for k in range(SIZE):
                low = fresh[j * SIZE + k]
                fresh[(j + 1) * SIZE + k] = low + divide(low - row[j * SIZE + k], down)
        for k in range((i + 1) * SIZE):
            row[k] = fresh[k]
        if i >= FEWEST:
            error = 0.0
            for k in range(SIZE):
                ahead[k] = row[i * SIZE + k]
                apart = fabs(ahead[k] - row[(i - 1) * SIZE + k])
                error = maximum(error, divide(apart, maximum(1.0, fabs(ahead[k]))))
            if error <= ROUNDING:
                break
    return error


@kernel
def value_at(path: ImpulsePath, i: i64, y: f64p) -> f64:
    """The value of goal i at a place."""
    return goal_at(path, i, y[P], y[V_N], y[WORK])


@kernel
def slope_at(path: ImpulsePath, i: i64, y: f64p) -> f64:
    """d(goal)/dτ."""
    goal, dy = path.goal[i], local_f64(SIZE)
    path_rate(path, y, dy)
    return goal.p * dy[P] + goal.v_n * dy[V_N] + goal.work * dy[WORK]


@kernel
def goal_crossing(path: ImpulsePath, i: i64, y: f64p, ahead: f64p, step: f64) -> f64:
    """The part of a step, to ``ahead``, after which the goal is met: Newton's method, bisecting where it leaves its
    bracket; it ends where its next step, the square of this one, is rounding."""
    there, low, high = local_f64(SIZE), 0.0, step
    below, above = -value_at(path, i, y), value_at(path, i, ahead)
    part = step * divide(below, below + above)
    for _ in range(CLOSER):
        extrapolated(path, y, part, there)
        value, slope = value_at(path, i, there), slope_at(path, i, there)
        if value > 0.0:
            high = part
        else:
            low = part
        closer = part - divide(value, slope) if slope > 0.0 else high
        inside = low < closer and closer < high
        near = inside and fabs(closer - part) <= CLOSE * part + SMALLEST * step
        part = closer if inside else 0.5 * (low + high)
        if near or high - low <= ROUNDING * high:
            break
    return part


@kernel
def slip_at(y: f64p, v_t: f64p) -> f64:
    """v_t at a place, and its size; slip below notice is none."""
    r = exp(y[LOG_R])
    r = r if r > GONE else 0.0
    z, x = sincos(y[ANGLE])
    v_t[0], v_t[1] = r * x, r * z
    return sqrt(v_t[0] * v_t[0] + v_t[1] * v_t[1])


@kernel
def put_on_path(path: ImpulsePath, y: f64p) -> None:
    """The place of (θ, ln r, p, ...) on the path."""
    slip_at(y, offset(path.v, 1))
    path.v[0], path.work = y[V_N], y[WORK]
    path.impulse[0], path.impulse[1], path.impulse[2] = y[P], y[ALONG], y[ACROSS]


@kernel
def first_goal(path: ImpulsePath, y: f64p, ahead: f64p, step: f64) -> tuple[i64, f64]:
    """The goal that is met first between two places, and after which part of the step; `GOES_ON` where none is."""
    met, soonest = GOES_ON, step
    for i in range(path.goals):
        if value_at(path, i, y) < 0.0 and value_at(path, i, ahead) >= 0.0:
            part = goal_crossing(path, i, y, ahead, step)
            if met == GOES_ON or part < soonest:
                met, soonest = i, part
    return met, soonest


@kernel
def advance_turning(path: ImpulsePath) -> i64:
    """The first goal on the way; else `GOES_ON` where the slip becomes straight or ends, or `NOWHERE`."""
    y, ahead, v_t = local_f64(SIZE), local_f64(SIZE), local_f64(2)
    y[ANGLE], y[LOG_R] = atan2(path.v[2], path.v[1]), log(sqrt(path.v[1] * path.v[1] + path.v[2] * path.v[2]))
    y[P], y[V_N], y[WORK], y[ALONG], y[ACROSS] = (
        path.impulse[0], path.v[0], path.work, path.impulse[1], path.impulse[2])  # fmt: skip
    longest = divide(2.0, path.turning)
    step = 0.25 * longest
    for i in range(path.goals):
        if value_at(path, i, y) >= 0.0 and slope_at(path, i, y) > 0.0:
            return i
    for _ in range(STEPS):
        error = extrapolated(path, y, step, ahead)
        if not error <= EXACT:
            step *= 0.5
            continue
        met, part = first_goal(path, y, ahead, step)
        if met != GOES_ON:
            extrapolated(path, y, part, ahead)
            put_on_path(path, ahead)
            return met
        for i in range(SIZE):
            y[i] = ahead[i]
        size = slip_at(y, v_t)
        if straight_slip(path, v_t, size) == ENDS:
            put_on_path(path, y)
            return GOES_ON
        step = minimum(longest, step * minimum(2.0, 0.9 * pow(divide(EXACT, maximum(error, 1e-30)), SLOWLY)))
    return NOWHERE
