"""The guard watch as kernels: the first instant within a step at which a guard falls through zero.

A second program computes ``(g, ġ)`` from ``(t, x, rest)``: m guards, then their rates. A step is watched at its end and
at the extrema of each guard's cubic in between, so that a touch-and-go inside one step is seen; the values there are
those of the guard itself on the dense output, and so are those by which the instant is located.

Guards are one-sided. A guard that is armed triggers where it falls from g ≥ 0 to g < 0. One that is armed and below
zero, as rounding may leave it after an event, may rise; it triggers where it turns down again before it is back. One
that is not armed says nothing until it has been above zero.

Memory w holds a step and what is known of it: x and ẋ at its start, x and ẋ at its end, its quartic term, a point in
between (n each); guards and rates at the start, at the end and at the point (2m each); brackets of instants (2m).
"""

from __future__ import annotations

from latchwork.integrate.steppers import derivative
from latchwork.program.kernel import divide, executor, f64, f64p, fabs, i32p, i64, i64p, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum

OFF, RISING, UP = 0, 1, 2  # not armed; armed and below zero; armed and not below
NONE = 2.0  # no instant: beyond the end, θ = 1
HALF_STEP, HALF_ULPS = 0.5e-12, 2.0 * 2.0**-53  # half of max(1e-12 step, 4 ulp(t)): two brackets may join
MOST = 200  # each third try halves the bracket, so fewer than this are needed


def memory_size(n: int, m: int) -> int:
    """Numbers in w, for n states and m guards."""
    return 6 * n + 8 * m


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
def locate(
    run: executor, code: i32p, z: f64p, n: i64, m: i64, w: f64p, t: f64, h: f64, i: i64, lo: f64, hi: f64, g_lo: f64,
    g_hi: f64,
) -> tuple[f64, f64]:  # fmt: skip
    """A bracket of half the width promised around a zero of guard i between ``lo`` (g ≥ 0) and ``hi`` (g ≤ 0).

    Regula falsi of Illinois kind, each third try a bisection; a try keeps a distance from the ends, so both close in.
    """
    width = maximum(HALF_STEP, divide(HALF_ULPS * maximum(fabs(t), fabs(t + h)), h))
    side, tries = 0, 0
    while hi - lo > width and tries < MOST:
        theta = 0.5 * (lo + hi) if tries % 3 == 2 else lo + (hi - lo) * divide(g_lo, g_lo - g_hi)
        theta = minimum(maximum(theta, lo + 0.5 * width), hi - 0.5 * width)
        probe(run, code, z, n, m, w, t, h, theta)
        g = w[6 * n + 4 * m + i]
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
def crossing(
    run: executor, code: i32p, z: f64p, n: i64, m: i64, w: f64p, t: f64, h: f64, i: i64, armed: i64,
) -> tuple[f64, f64]:  # fmt: skip
    """A bracket of the first instant at which guard i triggers: from point to point through start, extrema and end."""
    g0, r0, g1, r1 = w[6 * n + i], w[6 * n + m + i], w[6 * n + 2 * m + i], w[6 * n + 3 * m + i]
    state = OFF if armed == 0 else (RISING if g0 < 0.0 else UP)
    first, second = extrema(g0, h * r0, g1, h * r1)
    before, g_before = 0.0, g0
    for point in range(3):
        theta = first if point == 0 else (second if point == 1 else 1.0)
        if theta <= before:
            continue
        g = g1
        if point < 2:
            probe(run, code, z, n, m, w, t, h, theta)
            g = w[6 * n + 4 * m + i]
        falling = point == 2 and r1 < 0.0
        if state == UP and (g < 0.0 or (g == 0.0 and falling)):
            lo, hi = locate(run, code, z, n, m, w, t, h, i, before, theta, g_before, g)
            return lo, hi
        if state == RISING and g < 0.0 and falling:
            return before, before
        if g > 0.0 or (g == 0.0 and state == RISING):
            state = UP
        before, g_before = theta, g
    return NONE, NONE


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
    for i in range(m):
        value = w[6 * n + 2 * m + i]
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
