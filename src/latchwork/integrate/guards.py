"""The guard watch as kernels: the first instant within a step at which a guard falls through zero.

A second program computes ``(g, ġ)`` from ``(t, x, rest)``: m guards, then their rates. A step is watched at its middle,
at its end and at the extrema of each guard's cubics in between, so that a touch-and-go inside one step is seen; the
values there are those of the guard itself on the dense output, and so are those by which the instant is located. Where
the middle is not where the cubic through both ends has it, or tangents meet below zero, the step is halved for that
guard, unless it is further from zero than it could fall and rise again: steps of free flight are as long as one likes,
and gaps turn corners within them. Instants are located by cubics through values and rates.

Guards are one-sided. A guard that is armed triggers where it falls from g ≥ 0 to g < 0. One that is armed and below
zero, as rounding may leave it after an event, may rise; it triggers where it turns down again before it is back. One
that is not armed says nothing until it has been above zero.

Memory w holds a step and what is known of it: x and ẋ at its start, x and ẋ at its end, its quartic term, a point in
between (n each); guards and rates at the start, at the end and at the point (2m each); brackets of instants (2m);
guards and rates in the middle (2m).
"""

from __future__ import annotations

from latchwork.integrate.steppers import derivative
from latchwork.program.kernel import divide, executor, f64, f64p, fabs, i32p, i64, i64p, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum

OFF, RISING, UP = 0, 1, 2  # not armed; armed and below zero; armed and not below
NONE = 2.0  # no instant: beyond the end, θ = 1
HALF_STEP, HALF_ULPS = 0.5e-12, 2.0 * 2.0**-53  # half of max(1e-12 step, 4 ulp(t)): two brackets may join
CLOSER = 12  # tries to find the zero of a cubic
MOST = 200  # each third try halves the bracket, so fewer than this are needed
PARTS = 2**20  # a step is halved into so many parts at most, where zero may be near
SHORT = 2**14  # of them: a part so short in which a guard rises from zero has one corner at most
FAR, BENT = 1e300, 0.25  # nowhere near zero; tangents meet too high by this part of the bend of a step at most
STEEP = 4.0  # times as steep as it is seen to be, a guard may be in between, where it turns a corner
RESOLVED, FLOOR = 1e-5, 1e-12  # a cubic is good where it is off by this part of the guard, or this little


def memory_size(n: int, m: int) -> int:
    """Numbers in w, for n states and m guards."""
    return 6 * n + 10 * m


@kernel
def probe(run: executor, code: i32p, z: f64p, n: i64, m: i64, w: f64p, t: f64, h: f64, theta: f64) -> None:
    """Guards and rates at ``t + θ h`` on the dense output, as `solution.dense`."""
    point = offset(w, 5 * n)
    rest = 1.0 - theta
    for i in range(n):
        delta = w[2 * n + i] - w[i]
        beta = h * w[n + i] - delta
        inner = delta - h * w[3 * n + i] - beta + rest * w[4 * n + i]
        point[i] = w[i] + theta * (delta + rest * (beta + theta * inner))
    derivative(run, code, z, n, t + theta * h, point, offset(w, 6 * n + 4 * m))


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
def cubic_zero(g0: f64, r0: f64, g1: f64, r1: f64) -> f64:
    """Where the cubic with these values and slopes at θ = 0 (g0 ≥ 0) and 1 (g1 ≤ 0) has a zero in between.

    Newton's method, bisecting where that leaves the bracket.
    """
    a, b = r0 + r1 - 2.0 * (g1 - g0), 3.0 * (g1 - g0) - 2.0 * r0 - r1
    low, high, theta = 0.0, 1.0, divide(g0, g0 - g1)
    for _ in range(CLOSER):
        value = g0 + theta * (r0 + theta * (b + theta * a))
        if value > 0.0:
            low = theta
        else:
            high = theta
        theta -= divide(value, r0 + theta * (2.0 * b + 3.0 * a * theta))
        if not (theta > low and theta < high):
            theta = 0.5 * (low + high)
    return theta


@kernel
def locate(
    run: executor, code: i32p, z: f64p, n: i64, m: i64, w: f64p, t: f64, h: f64, i: i64, lo: f64, hi: f64, g_lo: f64,
    r_lo: f64, g_hi: f64, r_hi: f64,
) -> tuple[f64, f64]:  # fmt: skip
    """A bracket of half the width promised around a zero of guard i between ``lo`` (g ≥ 0) and ``hi`` (g ≤ 0).

    Each try is the zero of the cubic through both ends; where two came out on one side, a little beyond as seen from
    there, so that both close in; each third a bisection. Guards without rates: regula falsi of Illinois kind. A try
    keeps a distance from the ends.
    """
    width = maximum(HALF_STEP, divide(HALF_ULPS * maximum(fabs(t), fabs(t + h)), h))
    side, again, tries = 0, 0, 0
    while hi - lo > width and tries < MOST:
        long, part = (hi - lo) * h, 0.5
        rated = r_lo != 0.0 or r_hi != 0.0
        if tries % 3 < 2 and g_lo > g_hi:  # a guard may be zero at both ends
            part = cubic_zero(g_lo, long * r_lo, g_hi, long * r_hi) if rated else divide(g_lo, g_lo - g_hi)
        theta = lo + (hi - lo) * part
        if rated and again == 1:
            theta += 0.25 * width * float(side)
        theta = minimum(maximum(theta, lo + 0.5 * width), hi - 0.5 * width)
        probe(run, code, z, n, m, w, t, h, theta)
        g, r = w[6 * n + 4 * m + i], w[6 * n + 5 * m + i]
        if g > 0.0:
            lo, g_lo, r_lo, again = theta, g, r, 1 if side == 1 else 0
            g_hi = 0.5 * g_hi if again == 1 and not rated else g_hi
            side = 1
        else:
            hi, g_hi, r_hi, again = theta, g, r, 1 if side == -1 else 0
            g_lo = 0.5 * g_lo if again == 1 and not rated else g_lo
            side = -1
        tries += 1
    return lo, hi


@kernel
def clear(g0: f64, r0: f64, g1: f64, r1: f64, off: f64) -> i64:
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
def corner(g0: f64, r0: f64, g1: f64, r1: f64) -> f64:
    """How high the tangents at both ends meet, if they make a V, as the larger of two guards does; else FAR."""
    if r0 >= 0.0 or r1 <= 0.0:
        return FAR
    theta = divide(g1 - r1 - g0, r0 - r1)
    return g0 + r0 * theta if theta > 0.0 and theta < 1.0 else FAR


@kernel
def through(
    run: executor, code: i32p, z: f64p, n: i64, m: i64, w: f64p, t: f64, h: f64, i: i64, state: i64, a: f64, b: f64,
    g0: f64, r0: f64, g1: f64, r1: f64,
) -> tuple[f64, f64, i64]:  # fmt: skip
    """A bracket of the first instant between a and b at which guard i triggers, and its state at b."""
    first, second = extrema(g0, (b - a) * h * r0, g1, (b - a) * h * r1)
    before, g_before, r_before = a, g0, r0
    for point in range(3):
        theta = a + (b - a) * first if point == 0 else (a + (b - a) * second if point == 1 else b)
        if theta <= before:
            continue
        g, r = g1, r1
        if point < 2:
            probe(run, code, z, n, m, w, t, h, theta)
            g, r = w[6 * n + 4 * m + i], w[6 * n + 5 * m + i]
        falling = point == 2 and r1 < 0.0
        if state == UP and (g < 0.0 or (g == 0.0 and falling)):
            lo, hi = locate(run, code, z, n, m, w, t, h, i, before, theta, g_before, r_before, g, r)
            return lo, hi, state
        if state == RISING and g < 0.0 and falling:
            return before, before, state
        if g > 0.0 or (g == 0.0 and state == RISING):
            state = UP
        before, g_before, r_before = theta, g, r
    return NONE, NONE, state


@kernel
def crossing(
    run: executor, code: i32p, z: f64p, n: i64, m: i64, w: f64p, t: f64, h: f64, i: i64, armed: i64,
) -> tuple[f64, f64]:  # fmt: skip
    """A bracket of the first instant at which guard i triggers: in halves where cubics are not good."""
    here = offset(w, 6 * n + 4 * m)
    g0, r0 = w[6 * n + i], w[6 * n + m + i]
    state = OFF if armed == 0 else (RISING if g0 < 0.0 else UP)
    lo, hi = NONE, NONE
    at, size = 0, PARTS
    while at < PARTS and hi == NONE:
        a, b = divide(float(at), float(PARTS)), divide(float(at + size), float(PARTS))
        g1, r1 = w[6 * n + 2 * m + i], w[6 * n + 3 * m + i]
        if at + size < PARTS:
            probe(run, code, z, n, m, w, t, h, b)
            g1, r1 = here[i], here[m + i]
        middle = 0.5 * (a + b)
        g, r = w[6 * n + 8 * m + i], w[6 * n + 9 * m + i]
        if size < PARTS:
            probe(run, code, z, n, m, w, t, h, middle)
            g, r = here[i], here[m + i]
        long = (b - a) * h
        off = fabs(g - 0.5 * (g0 + g1) - 0.125 * long * (r0 - r1))
        turn = fabs(long * r - 1.5 * (g1 - g0) + 0.25 * long * (r0 + r1))  # a corner shows in the rate, too
        off = maximum(off, 0.25 * turn)
        half = 0.5 * long
        apart = clear(g0, half * r0, g, half * r, off) + clear(g, half * r, g1, half * r1, off)
        least = minimum(corner(g0, half * r0, g, half * r), corner(g, half * r, g1, half * r1))
        bend = maximum(fabs(g - g0 - half * r0), fabs(g1 - g - half * r1))
        hidden = least < BENT * bend and g >= 0.0 and g1 >= 0.0
        rough = hidden or off > RESOLVED * (fabs(g0) + fabs(g) + fabs(g1)) + FLOOR
        fall = half * maximum(maximum(fabs(r0), fabs(r)), fabs(r1))
        near = rough and minimum(g0, g1) + g < STEEP * fall  # zero may be reached and left again
        above, rated = minimum(minimum(g0, g), g1) >= 0.0, fabs(r0) + fabs(r) + fabs(r1) > 0.0
        rises = size <= SHORT and above and rated and long * minimum(minimum(r0, r), r1) > -FLOOR
        if state == UP and ((apart == 2 and not hidden and not near) or rises):
            lo, hi = NONE, NONE
        elif size > 1 and rough:
            size = size // 2
            continue
        else:
            lo, hi, state = through(run, code, z, n, m, w, t, h, i, state, a, middle, g0, r0, g, r)
            if hi == NONE:
                lo, hi, state = through(run, code, z, n, m, w, t, h, i, state, middle, b, g, r, g1, r1)
        g0, r0 = g1, r1
        at += size
        while size < PARTS and at % (2 * size) == 0:
            size = 2 * size
    return lo, hi


@kernel
def watch(
    run: executor, code: i32p, z: f64p, n: i64, m: i64, w: f64p, flags: i64p, t: f64, end: f64,
) -> f64:  # fmt: skip
    """θ of the first event of the step in w, or NONE; nan where a guard is not a number.

    ``flags`` holds which guards are armed, then which took part: those whose brackets overlap that of the first.
    """
    h = end - t
    derivative(run, code, z, n, end, offset(w, 2 * n), offset(w, 6 * n + 2 * m))
    brackets = offset(w, 6 * n + 6 * m)
    first = NONE
    probe(run, code, z, n, m, w, t, h, 0.5)
    for i in range(2 * m):
        w[6 * n + 8 * m + i] = w[6 * n + 4 * m + i]
    for i in range(m):
        value, middle = w[6 * n + 2 * m + i], w[6 * n + 8 * m + i]
        value = middle if middle != middle else value
        flags[m + i] = 0
        if value != value:
            flags[m + i] = 1
            return value
        lo, hi = crossing(run, code, z, n, m, w, t, h, i, flags[i])
        brackets[2 * i] = lo
        brackets[2 * i + 1] = hi
        first = minimum(first, hi)
    last = first
    for i in range(m):
        if first < NONE and brackets[2 * i] <= first:
            flags[m + i] = 1
            last = maximum(last, brackets[2 * i + 1])
        if first == NONE and w[6 * n + 2 * m + i] > 0.0:
            flags[i] = 1
    for i in range(2 * m):
        w[6 * n + i] = w[6 * n + 2 * m + i]
    return last
