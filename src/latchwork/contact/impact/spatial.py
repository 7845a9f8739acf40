"""One contact with two tangents and Coulomb friction between impulses; see `coulomb`.

    v_n⁺ given,   v_t⁺ = 0   or   Λ_t = −μ_d Λ_n s,   s = v_t⁺/|v_t⁺|

The direction s is a root of s × (D v_t⁺), D = W_nn − μ W_nt·s, a trigonometric polynomial of degree 2: it has four
roots at most. They are looked for all around, where the sign changes and about extrema.
"""

from __future__ import annotations

import math

from latchwork.contact.impact.tolerances import EDGE, LIFT, MET, REGULAR
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, local_f64, sqrt
from latchwork.program.scalar import maximum
from latchwork.program.sincos import sincos

AROUND = 64  # directions
SIN, COS = sincos(2.0 * math.pi / AROUND)
HALVINGS = 52


@kernel
def stop_in_space(W: f64p, v: f64p, rise: f64, impulse: f64p) -> i64:
    """Λ with v_t⁺ = 0, by Cholesky's factors of W with a diagonal of ones; none where it is close to singular."""
    if not (W[0] > 0.0 and W[4] > 0.0 and W[8] > 0.0):
        return 0
    a, b, c = divide(1.0, sqrt(W[0])), divide(1.0, sqrt(W[4])), divide(1.0, sqrt(W[8]))
    nt, ns, ts = W[1] * (a * b), W[2] * (a * c), W[5] * (b * c)
    second = 1.0 - nt * nt
    if not second > REGULAR:
        return 0
    second = sqrt(second)
    low = divide(ts - ns * nt, second)
    third = 1.0 - ns * ns - low * low
    if not third > REGULAR:
        return 0
    third = sqrt(third)
    x = rise * a
    y = divide(-v[1] * b - nt * x, second)
    z = divide(-v[2] * c - ns * x - low * y, third)
    z = divide(z, third)
    y = divide(y - low * z, second)
    impulse[0], impulse[1], impulse[2] = a * (x - nt * y - ns * z), b * y, c * z
    return 1


@kernel
def turning(W: f64p, v: f64p, rise: f64, mu: f64, c: f64, s: f64) -> f64:
    """(c, s) × (D v_t⁺), which vanishes where what slips after the impact slips along (c, s)."""
    slope = W[0] - mu * (W[1] * c + W[2] * s)
    along = slope * v[1] + rise * (W[3] - mu * (W[4] * c + W[5] * s))
    across = slope * v[2] + rise * (W[6] - mu * (W[7] * c + W[8] * s))
    return c * across - s * along


@kernel
def turning_rate(W: f64p, v: f64p, rise: f64, mu: f64, c: f64, s: f64) -> f64:
    """The rate of `turning` with the angle of (c, s)."""
    slope, bend = W[0] - mu * (W[1] * c + W[2] * s), mu * (W[1] * s - W[2] * c)
    along = slope * v[1] + rise * (W[3] - mu * (W[4] * c + W[5] * s))
    across = slope * v[2] + rise * (W[6] - mu * (W[7] * c + W[8] * s))
    along_rate = bend * v[1] + rise * mu * (W[4] * s - W[5] * c)
    across_rate = bend * v[2] + rise * mu * (W[7] * s - W[8] * c)
    return c * across_rate - s * across - s * along_rate - c * along


@kernel
def energy_of(W: f64p, v: f64p, impulse: f64p) -> f64:
    """½ Λᵀ(v⁻ + v⁺)."""
    total = 0.0
    for i in range(3):
        moved = W[3 * i] * impulse[0] + W[3 * i + 1] * impulse[1] + W[3 * i + 2] * impulse[2]
        total += impulse[i] * (v[i] + 0.5 * moved)
    return total


@kernel
def slip_along(W: f64p, v: f64p, rise: f64, mu: f64, c: f64, s: f64, size: f64, impulse: f64p) -> i64:
    """Λ of slip along (c, s); 0 where it is not what slips after."""
    slope = W[0] - mu * (W[1] * c + W[2] * s)
    if slope <= LIFT * W[0]:
        return 0
    impulse[0] = divide(rise, slope)
    impulse[1], impulse[2] = -mu * c * impulse[0], -mu * s * impulse[0]
    first = v[1] + (W[3] * impulse[0] + W[4] * impulse[1] + W[5] * impulse[2])
    second = v[2] + (W[6] * impulse[0] + W[7] * impulse[1] + W[8] * impulse[2])
    forwards = first * c + second * s
    first, second = first - forwards * c, second - forwards * s
    return 1 if forwards >= -EDGE * size and sqrt(first * first + second * second) <= MET * size else 0


@kernel
def halved(W: f64p, v: f64p, rise: f64, mu: f64, order: i64, low: f64p, high: f64p) -> None:
    """Directions ``low`` and ``high`` drawn together about a sign change of `turning`, or of its rate for order 1."""
    here = turning_rate(W, v, rise, mu, low[0], low[1]) if order == 1 else turning(W, v, rise, mu, low[0], low[1])
    for _ in range(HALVINGS):
        c, s = low[0] + high[0], low[1] + high[1]
        length = sqrt(c * c + s * s)
        c, s = divide(c, length), divide(s, length)
        there = turning_rate(W, v, rise, mu, c, s) if order == 1 else turning(W, v, rise, mu, c, s)
        if there * here > 0.0:
            low[0], low[1] = c, s
        else:
            high[0], high[1] = c, s


@kernel
def better(W: f64p, v: f64p, rise: f64, mu: f64, c: f64, s: f64, size: f64, found: i64, impulse: f64p) -> i64:
    """Λ of slip along (c, s) where it is consistent and costs less than what was found before; 1 where any was."""
    tried = local_f64(3)
    if slip_along(W, v, rise, mu, c, s, size, tried) == 0:
        return found
    if found == 0 or energy_of(W, v, tried) < energy_of(W, v, impulse):
        impulse[0], impulse[1], impulse[2] = tried[0], tried[1], tried[2]
    return 1


@kernel
def slip_between(
    W: f64p, v: f64p, rise: f64, mu: f64, size: f64, low: f64p, high: f64p, first: f64, last: f64, found: i64,
    impulse: f64p,
) -> i64:  # fmt: skip
    """The directions of slip between two that are close, where `turning` is ``first`` and ``last``: at a change of
    sign; at two, or none but for rounding, about an extremum."""
    if first == 0.0:
        return better(W, v, rise, mu, low[0], low[1], size, found, impulse)
    if first * last < 0.0:
        halved(W, v, rise, mu, 0, low, high)
        return better(W, v, rise, mu, low[0], low[1], size, found, impulse)
    falls = turning_rate(W, v, rise, mu, low[0], low[1]) * first < 0.0
    if not (falls and turning_rate(W, v, rise, mu, high[0], high[1]) * first > 0.0):
        return found
    start, end = local_f64(2), local_f64(2)
    start[0], start[1], end[0], end[1] = low[0], low[1], high[0], high[1]
    halved(W, v, rise, mu, 1, low, high)
    if turning(W, v, rise, mu, low[0], low[1]) * first > 0.0:  # they meet at the extremum, or there are none
        return better(W, v, rise, mu, low[0], low[1], size, found, impulse)
    high[0], high[1] = low[0], low[1]
    halved(W, v, rise, mu, 0, start, low)
    found = better(W, v, rise, mu, start[0], start[1], size, found, impulse)
    halved(W, v, rise, mu, 0, high, end)
    return better(W, v, rise, mu, high[0], high[1], size, found, impulse)


@kernel
def slip_in_space(W: f64p, v: f64p, rise: f64, mu: f64, impulse: f64p) -> i64:
    """Λ_t = −μ Λ_n s with s along v_t⁺; where several are consistent, that of the least energy; none where none is."""
    if mu == 0.0:
        impulse[0], impulse[1], impulse[2] = divide(rise, W[0]), 0.0, 0.0
        return 1
    largest, low, high, found = 0.0, local_f64(2), local_f64(2), 0
    for i in range(3, 9):
        largest = maximum(largest, fabs(W[i]))
    size = maximum(fabs(v[0]), maximum(fabs(v[1]), fabs(v[2]))) + divide(rise * largest, W[0])
    c, s = 1.0, 0.0
    first = turning(W, v, rise, mu, c, s)
    for i in range(AROUND):
        next_c, next_s = COS * c - SIN * s, SIN * c + COS * s
        if i == AROUND - 1:  # the circle closes: a root at its beginning is not lost to rounding
            next_c, next_s = 1.0, 0.0
        last = turning(W, v, rise, mu, next_c, next_s)
        low[0], low[1], high[0], high[1] = c, s, next_c, next_s
        found = slip_between(W, v, rise, mu, size, low, high, first, last, found, impulse)
        c, s, first = next_c, next_s, last
    return found
