"""The guard watch as kernels: the first instant within a step at which a guard falls through zero.

A second program computes ``(g, ġ)`` from ``(t, x, rest)``: m guards, then their rates. A step is watched at its middle,
at its end and at the extrema of each guard's cubics in between, so that a touch-and-go inside one step is seen; the
values there are those of the guard itself on the dense output, and so are those by which the instant is located. Where
the middle is not where the cubic through both ends has it, or tangents meet below zero, the step is halved for that
guard, unless it is further from zero than it could fall and rise again: steps of free flight are as long as one likes,
and gaps turn corners within them. A guard whose rates are all 0, as those on forces, has none: where zero may be near,
they are taken from the quartic through five points.

Guards are one-sided. A guard that is armed triggers where it falls from g ≥ 0 to g < 0. One that is armed and below
zero, as rounding may leave it after an event, may rise; it triggers where it turns down again before it is back. One
that is not armed says nothing until it has been above zero. A guard may have a height: it is armed only once it has
been above a positive one, and dismissed for good once it has been above the size of a negative one.

Of a part of a step, a cubic through the values and rates at its ends is compared with the value g_m and the rate ġ_m
of the guard in its middle, L its length:

    off   = |g_m − (g₀ + g₁)/2 − L (ġ₀ − ġ₁)/8|           the error of the cubic is 16 off θ² (1 − θ)², as g⁗ has it
    turn  = |L ġ_m − 3 (g₁ − g₀)/2 + L (ġ₀ + ġ₁)/4|       the same of its rate: a corner shows there, too

A part is clear where both cubics through its halves stay above twice that error (`is_clear`), and is halved where it is
off by more than a small part of the guard, or where tangents of a convex guard meet below zero (`tangent_vertex`).
Zeros are bracketed by regula falsi of Illinois kind [Dowell and Jarratt 1971], on dense output, as [Shampine, Gladwell
and Brankin 1991] locate events.

The step and what is known of it are a `WatchedStep`.
"""

from __future__ import annotations

from latchwork.integrate.integration import PATIENT, SPENT, STRICT, Guards
from latchwork.integrate.step import evaluate
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, sqrt
from latchwork.program.scalar import maximum, minimum

OFF, RISING, UP = 0, 1, 2  # not armed; armed and below zero; armed and not below
NO_INSTANT = 2.0  # no instant: beyond the end, θ = 1
HALF_STEP, HALF_ULPS = 0.5e-12, 2.0 * 2.0**-53  # half of max(1e-12 step, 4 ulp(t)): two brackets may join
MAX_TRIES = 200  # each third try halves the bracket, so fewer than this are needed
SOON = 2.0**-20  # of a step: how a guard begins to change its rate is seen there
PARTS = 2**20  # a step is halved into so many parts at most, where zero may be near
FAR, BENT = 1e300, 0.25  # nowhere near zero; tangents meet too high by this part of the bend of a step at most
STEEP = 4.0  # times as steep as it is seen to be, a guard may be in between, where it turns a corner
RESOLVED, FLOOR = 1e-5, 1e-12  # a cubic is good where it is off by this part of the guard, or of its unit


@kernel
def armed_kind(spent: i64, rising: i64) -> i64:
    """Where a guard is armed that has fallen before, or stands at zero and rises."""
    return PATIENT if rising == 1 else SPENT if spent == 1 else STRICT


@kernel
def raised(state: i64, g: f64, height: f64) -> i64:
    """The state of a guard once it has been at g."""
    if height > 0.0 and state == OFF:
        return UP if g > height else OFF
    if height < 0.0 and (state == OFF or g > -height):
        return OFF
    return UP if g > 0.0 or (g == 0.0 and state == RISING) else state


@kernel
def probe(guards: Guards, t: f64, h: f64, theta: f64) -> None:
    """Guards and rates at ``t + θ h`` on the dense output, as `dense_output.dense`."""
    step = guards.step
    x0, x1, dx0, dx1, bend, point = step.x0, step.x1, step.dx0, step.dx1, step.bend, step.x
    rest = 1.0 - theta
    for i in range(step.n):
        delta = x1[i] - x0[i]
        beta = h * dx0[i] - delta
        inner = delta - h * dx1[i] - beta + rest * bend[i]
        point[i] = x0[i] + theta * (delta + rest * (beta + theta * inner))
    evaluate(guards.program, step.n, t + theta * h, point, step.g)
    step.looks += 1


@kernel
def probe_once(guards: Guards, t: f64, h: f64, theta: f64) -> None:
    """The same at a part of the step at which other guards are probed as well: all are known from then on."""
    m, step = guards.m, guards.step
    for k in range(step.known):
        if step.theta[k] == theta:
            for i in range(2 * m):
                step.g[i] = step.guard[2 * m * k + i]
            return
    probe(guards, t, h, theta)
    if step.known < step.kept:
        step.theta[step.known] = theta
        for i in range(2 * m):
            step.guard[2 * m * step.known + i] = step.g[i]
        step.known += 1


@kernel
def slopes_at(guards: Guards, h: f64, theta: f64, out: f64p) -> None:
    """ẋ of the dense output of a step of length h at θ."""
    step, rest = guards.step, 1.0 - theta
    for i in range(step.n):
        delta = step.x1[i] - step.x0[i]
        beta = h * step.dx0[i] - delta
        inner = delta - h * step.dx1[i] - beta
        slope = delta + beta * (1.0 - 2.0 * theta) + inner * theta * (2.0 - 3.0 * theta)
        out[i] = divide(slope + 2.0 * theta * rest * (1.0 - 2.0 * theta) * step.bend[i], h)


@kernel
def extrema(g0: f64, r0: f64, g1: f64, r1: f64) -> tuple[f64, f64]:
    """Where the cubic with these values and slopes at θ = 0 and 1 has its extrema, in order; those outside are 0.

    ``p′ = 3a θ² + 2b θ + r0`` with ``a = r0 + r1 − 2Δ``, ``b = 3Δ − 2 r0 − r1``, ``Δ = g1 − g0``.
    """
    a = r0 + r1 - 2.0 * (g1 - g0)
    b = 3.0 * (g1 - g0) - 2.0 * r0 - r1
    square = b * b - 3.0 * a * r0
    root = sqrt(maximum(square, 0.0))
    q = -(b + root) if b >= 0.0 else root - b
    one, two = divide(q, 3.0 * a), divide(r0, q)
    one = one if square > 0.0 and one > 0.0 and one < 1.0 else 0.0
    two = two if square > 0.0 and two > 0.0 and two < 1.0 else 0.0
    return minimum(one, two), maximum(one, two)


@kernel
def locate(
    guards: Guards, t: f64, h: f64, i: i64, lo: f64, hi: f64, g_lo: f64, g_hi: f64, first: f64
) -> tuple[f64, f64]:
    """A bracket of half the width promised around a zero of guard i between ``lo`` (g ≥ 0) and ``hi`` (g ≤ 0); a wider
    one where it is later than ``first``, when another guard falls.

    Regula falsi of Illinois kind, each third try a bisection; a try keeps a distance from the ends, so both close in.
    """
    width = maximum(HALF_STEP, divide(HALF_ULPS * maximum(fabs(t), fabs(t + h)), h))
    side, tries = 0, 0
    while hi - lo > width and lo <= first and tries < MAX_TRIES:
        middle = tries % 3 == 2 or not g_lo > g_hi  # a guard may be zero at both ends
        theta = 0.5 * (lo + hi) if middle else lo + (hi - lo) * divide(g_lo, g_lo - g_hi)
        theta = minimum(maximum(theta, lo + 0.5 * width), hi - 0.5 * width)
        probe(guards, t, h, theta)
        g = guards.step.g[i]
        if g > 0.0:
            lo, g_lo = theta, g
            g_hi = 0.5 * g_hi if side == 1 else g_hi
            side = 1
        else:
            hi, g_hi = theta, g
            g_lo = 0.5 * g_lo if side == -1 else g_lo
            side = -1
        tries += 1
    return lo, hi


@kernel
def is_clear(g0: f64, r0: f64, g1: f64, r1: f64, off: f64) -> i64:
    """1 where the cubic with these values and slopes stays above zero in between, even if it is off in the middle.

    The error of a cubic through both ends is ``16 off θ² (1 − θ)²``, off its size in the middle; twice that is allowed.
    """
    for k in range(8):
        theta = 0.125 * float(k + 1)
        rest = 1.0 - theta
        bump = theta * theta * rest * rest
        value = rest * rest * (1.0 + 2.0 * theta) * g0 + theta * rest * rest * r0
        value += theta * theta * (3.0 - 2.0 * theta) * g1 - theta * theta * rest * r1 - 32.0 * off * bump
        if not value > 0.0:
            return 0
    return 1


@kernel
def tangent_vertex(g0: f64, r0: f64, g1: f64, r1: f64) -> f64:
    """How high the tangents at both ends meet, if they make a V, as the larger of two guards does; else FAR."""
    if r0 >= 0.0 or r1 <= 0.0:
        return FAR
    theta = divide(g1 - r1 - g0, r0 - r1)
    return g0 + r0 * theta if theta > 0.0 and theta < 1.0 else FAR


@kernel
def first_zero_in(
    guards: Guards, t: f64, h: f64, i: i64, state: i64, a: f64, b: f64, g0: f64, r0: f64, g1: f64, r1: f64, first: f64,
) -> tuple[f64, f64, i64]:  # fmt: skip
    """A bracket of the first instant between a and b at which guard i triggers, and its state at b."""
    one, two = extrema(g0, (b - a) * h * r0, g1, (b - a) * h * r1)
    before, g_before, height = a, g0, guards.heights[i]
    for point in range(3):
        theta = a + (b - a) * one if point == 0 else (a + (b - a) * two if point == 1 else b)
        if theta <= before or before > first:
            continue
        g = g1
        if point < 2:
            probe(guards, t, h, theta)
            g = guards.step.g[i]
        falling = point == 2 and r1 < 0.0
        if state == UP and (g < 0.0 or (g == 0.0 and falling)):
            lo, hi = locate(guards, t, h, i, before, theta, g_before, g, first)
            return lo, hi, state
        if state == RISING and g < 0.0 and falling:
            return before, before, state
        state = raised(state, g, height)
        before, g_before = theta, g
    return NO_INSTANT, NO_INSTANT, state


@kernel
def is_dismissed(state: i64, height: f64, g0: f64, fall: f64, g: f64, r: f64, g1: f64, r1: f64) -> i64:
    """1 where a guard with a height is dismissed, or comes beyond its height in this step and rises on.

    However sharply it turns up on the way: so does a contact that opens, or whose patch has ended.
    """
    if height == 0.0 or (height > 0.0 and state != OFF):
        return 0
    if height < 0.0 and state == OFF:
        return 1
    beyond = g > fabs(height) and g1 > fabs(height) and r >= 0.0 and r1 >= 0.0
    return 1 if beyond and (state == OFF or (g0 >= 0.0 and g0 + fall >= 0.0)) else 0


@kernel
def begins_upwards(guards: Guards, t: f64, h: f64, i: i64) -> i64:
    """1 where guard i does not fall below zero as it begins: as the parabola with its value, its rate and the change of
    its rate, which it would follow to the middle of the step if no other bound took over."""
    g0, r0 = guards.step.g0[i], guards.step.g0[guards.m + i]
    probe_once(guards, t, h, SOON)
    fall = 0.5 * h * r0 + divide(0.125 * h * (guards.step.g[guards.m + i] - r0), SOON)
    return 1 if g0 + fall >= 0.0 else 0


@kernel
def keeps_off_zero(g0: f64, g: f64, g1: f64) -> i64:
    """1 where a guard without rates is further from zero at both ends and in the middle than it changes."""
    off = maximum(fabs(g - 0.5 * (g0 + g1)), 0.375 * fabs(g1 - g0))
    return 1 if is_clear(g0, 0.0, g, 0.0, off) + is_clear(g, 0.0, g1, 0.0, off) == 2 else 0


@kernel
def slopes(
    guards: Guards, t: f64, h: f64, i: i64, a: f64, b: f64, g0: f64, g: f64, g1: f64
) -> tuple[f64, f64, f64]:
    """Rates of guard i at a, in the middle and at b: those of the quartic through its values there and at quarters."""
    quarter, here = 0.25 * (b - a), guards.step.g
    probe_once(guards, t, h, a + quarter)
    one = here[i]
    probe_once(guards, t, h, b - quarter)
    two, unit = here[i], 12.0 * quarter * h
    return (divide(48.0 * one - 25.0 * g0 - 36.0 * g + 16.0 * two - 3.0 * g1, unit),
            divide(g0 - 8.0 * one + 8.0 * two - g1, unit),
            divide(3.0 * g0 - 16.0 * one + 36.0 * g - 48.0 * two + 25.0 * g1, unit))  # fmt: skip


@kernel
def judge_part(
    guards: Guards, i: i64, length: f64, g0: f64, r0: f64, g: f64, r: f64, g1: f64, r1: f64,
) -> tuple[i64, i64]:  # fmt: skip
    """Of a part of a step: 1 where guard i cannot reach zero in it, and 1 where cubics do not tell what it does."""
    off = fabs(g - 0.5 * (g0 + g1) - 0.125 * length * (r0 - r1))
    turn = fabs(length * r - 1.5 * (g1 - g0) + 0.25 * length * (r0 + r1))
    off = maximum(off, 0.25 * turn)
    half = 0.5 * length
    apart = is_clear(g0, half * r0, g, half * r, off) + is_clear(g, half * r, g1, half * r1, off)
    least = minimum(tangent_vertex(g0, half * r0, g, half * r), tangent_vertex(g, half * r, g1, half * r1))
    bend = maximum(fabs(g - g0 - half * r0), fabs(g1 - g - half * r1))
    is_hidden = least < BENT * bend and bend > guards.floors[i] and g >= 0.0 and g1 >= 0.0
    is_rough = is_hidden or off > RESOLVED * (fabs(g0) + fabs(g) + fabs(g1)) + guards.floors[i]
    fall = half * maximum(maximum(fabs(r0), fabs(r)), fabs(r1))
    may_dip = is_rough and minimum(g0, g1) + g < STEEP * fall  # zero may be reached and left again
    return 1 if apart == 2 and not is_hidden and not may_dip else 0, 1 if is_rough else 0


@kernel
def first_crossing(guards: Guards, t: f64, h: f64, i: i64, first: f64) -> tuple[f64, f64]:
    """A bracket of the first instant at which guard i triggers: in halves where cubics are not good. What is later than
    ``first``, when another guard falls, is not looked at."""
    m, step, here = guards.m, guards.step, guards.step.g
    g0, r0, height = step.g0[i], step.g0[m + i], guards.heights[i]
    state = OFF if guards.armed[i] == 0 else (RISING if g0 < 0.0 else UP)
    lo, hi = NO_INSTANT, NO_INSTANT
    spent = height < 0.0 and state == OFF
    if is_dismissed(state, height, g0, 0.5 * h * r0, step.middle[i], step.middle[m + i], step.g1[i],
              step.g1[m + i]) == 1 and (spent or begins_upwards(guards, t, h, i) == 1):  # fmt: skip
        return lo, hi
    at, size = 0, PARTS
    blind = r0 == 0.0 and step.g1[m + i] == 0.0 and step.middle[m + i] == 0.0
    while at < PARTS and hi == NO_INSTANT and divide(float(at), float(PARTS)) <= first:
        a, b = divide(float(at), float(PARTS)), divide(float(at + size), float(PARTS))
        g1, r1 = step.g1[i], step.g1[m + i]
        if at + size < PARTS:
            probe_once(guards, t, h, b)
            g1, r1 = here[i], here[m + i]
        middle = 0.5 * (a + b)
        g, r = step.middle[i], step.middle[m + i]
        if size < PARTS:
            probe_once(guards, t, h, middle)
            g, r = here[i], here[m + i]
        r0 = 0.0 if blind else r0
        quiet = keeps_off_zero(g0, g, g1) == 1
        if blind and size == PARTS:  # loads may swing within a step in which nothing moves
            one, two = step.quarters[i], step.quarters[m + i]
            quiet = quiet and keeps_off_zero(g0, one, g) == 1 and keeps_off_zero(g, two, g1) == 1
        if blind and not (state == UP and quiet):
            r0, r, r1 = slopes(guards, t, h, i, a, b, g0, g, g1)
        is_apart, is_rough = judge_part(guards, i, (b - a) * h, g0, r0, g, r, g1, r1)
        if state == UP and is_apart == 1:
            state = raised(state, g1, height)
        elif size > 1 and is_rough == 1:
            size = size // 2
            continue
        else:
            lo, hi, state = first_zero_in(guards, t, h, i, state, a, middle, g0, r0, g, r, first)
            if hi == NO_INSTANT:
                lo, hi, state = first_zero_in(guards, t, h, i, state, middle, b, g, r, g1, r1, first)
        g0, r0 = g1, r1
        at += size
        while size < PARTS and at % (2 * size) == 0:
            size = 2 * size
    return lo, hi


@kernel
def watch(guards: Guards, t: f64, end: f64) -> f64:
    """θ of the first event of a step from t to its end, or NONE; nan where a guard is not a number.

    Those whose brackets overlap that of the first take part. Where there is none, guards are armed as they have risen.
    """
    m, step, armed, hit, h = guards.m, guards.step, guards.armed, guards.hit, end - t
    g0, g1, here, middle, brackets = step.g0, step.g1, step.g, step.middle, step.brackets
    evaluate(guards.program, step.n, end, step.x1, g1)
    first, step.known = NO_INSTANT, 0
    probe_once(guards, t, h, 0.5)
    blind = 0
    for i in range(2 * m):
        middle[i] = here[i]
    for i in range(m):
        if g0[m + i] == 0.0 and g1[m + i] == 0.0 and middle[m + i] == 0.0:
            blind = 1
    for part in range(2 * blind):
        probe_once(guards, t, h, 0.25 + 0.5 * float(part))
        for i in range(m):
            step.quarters[part * m + i] = here[i]
    for i in range(m):
        value = middle[i] if middle[i] != middle[i] else g1[i]
        hit[i] = 0
        if value != value:
            hit[i] = 1
            return value
        lo, hi = first_crossing(guards, t, h, i, first)
        brackets[2 * i] = lo
        brackets[2 * i + 1] = hi
        first = minimum(first, hi)
    last = first
    for i in range(m):
        if first < NO_INSTANT and brackets[2 * i] <= first:
            hit[i] = 1
            last = maximum(last, brackets[2 * i + 1])
        if first == NO_INSTANT:
            state = raised(UP if armed[i] != 0 else OFF, g1[i], guards.heights[i])
            armed[i] = 0 if state == OFF else 1
    for i in range(2 * m):
        g0[i] = g1[i]
    return last
