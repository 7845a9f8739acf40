"""Inverse trigonometric functions.

    atan2:   atan(n/d) = atan(i/16) + atan(t),  t = (n − d i/16)/(d + n i/16),  |t| ≤ 1/32, 0 ≤ n ≤ d
    asin:    up to ½ a polynomial, then  asin x = π/2 − 2 asin √((1 − x)/2)  [Cody and Waite 1980]

The quotient t and the square root are carried with their remainders. Largest errors found: asin 0.701, acos 0.658,
atan 0.501, atan2 0.501 ulp.
"""

from __future__ import annotations

import math

from latchwork.program.error_free import fast_two_sum, split, two_product, two_sum
from latchwork.program.kernel import copysign, divide, f64, fabs, kernel, sqrt

HALF_PI, HALF_PI_TAIL = 1.5707963267948966, 6.123233995736766e-17
PI, PI_TAIL = 3.141592653589793, 1.2246467991473532e-16
NEGLIGIBLE = 8.673617379884035e-19  # 2⁻⁶⁰: atan q = q to 2⁻¹²⁰ below it, and π + q = π
BIG, SMALL = 3.273390607896142e150, 3.054936363499605e-151  # 2⁵⁰⁰, 2⁻⁵⁰⁰: between them no product leaves the range
DOWN, UP = 2.409919865102884e-181, 4.149515568880993e180  # 2⁻⁶⁰⁰, 2⁶⁰⁰
NEAREST = 6755399441055744.0  # 1.5·2⁵²: adding and subtracting it rounds to an integer
INFINITY, NAN = math.inf, math.nan

# atan t ≈ t + t³ (A0 + A1 z + ...), z = t², |t| ≤ 1.01/32; asin s ≈ s + s³ (R0 + R1 z + ...), z = s² ≤ 0.2501: minimax
# of relative error (Remez exchange at 60 digits, then rounded to doubles): 2^−65.7 and 2^−58.2.
A0, A1, A2 = -0.3333333333333333, 0.1999999999999736, -0.14285714273505096
A3, A4 = 0.11111086484874957, -0.09068355366924424
R0, R1, R2, R3 = 0.16666666666666696, 0.0749999999998411, 0.04464285716426623, 0.030381943131354717
R4, R5, R6, R7 = 0.022372204500024355, 0.017351780957934507, 0.01397897717334337, 0.011412796847577658
R8, R9, R10, R11 = 0.010707963116457768, 0.003961917527813033, 0.021122172533834284, -0.020215309366152186
R12 = 0.0321628018663803

# atan(i/16), rounded, and what rounding left.
ATAN = (
    0.0, 0.06241880999595735, 0.12435499454676144, 0.18534794999569476, 0.24497866312686414, 0.3028848683749714,
    0.35877067027057225, 0.4124104415973873, 0.4636476090008061, 0.5123894603107377, 0.5585993153435624,
    0.6022873461349642, 0.6435011087932844, 0.6823165548747481, 0.7188299996216245, 0.7531512809621944,
    0.7853981633974483,
)  # fmt: skip
ATAN_TAIL = (
    0.0, -1.5490756308295046e-18, -3.1253241424539383e-18, 4.180692268843079e-18, 1.0698755618734451e-17,
    -1.1010827903001369e-17, -2.4623815582638635e-17, -1.587652227770689e-17, 2.2698777452961687e-17,
    -2.5462781472855804e-17, -5.4556305485916264e-18, 2.950430737228402e-17, 1.5834785051444286e-17,
    6.943223671560008e-18, -2.1478388444456983e-17, -2.4256934659182068e-17, 3.061616997868383e-17,
)  # fmt: skip


@kernel
def quotient(n: f64, d: f64, c: f64) -> tuple[f64, f64]:
    """``(n − c d)/(d + c n) = t + e``; c of 5 bits, n and d of moderate size."""
    dh, dl = split(d)
    nh, nl = split(n)
    top, te = two_sum(n - c * dh, -(c * dl))
    below, be = fast_two_sum(d, c * nh)
    below, be = fast_two_sum(below, be + c * nl)
    t, inverse = divide(top, below), divide(1.0, below)
    p, pe = two_product(t, below)
    return t, (((top - p) - pe) + (te - t * be)) * inverse


@kernel
def angle(n: f64, d: f64, q: f64, base: f64, base_tail: f64, sign: f64) -> f64:
    """``base ± atan(n/d)``, 0 < n ≤ d, q = n/d rounded, sign = ±1."""
    i = (16.0 * q + NEAREST) - NEAREST
    t, e = quotient(n, d, 0.0625 * i)
    z = t * t
    series = (A0 + z * A1) + z * z * ((A2 + z * A3) + z * z * A4)
    j = int(i)
    s, se = two_sum(base, sign * ATAN[j])
    s, te = two_sum(s, sign * t)
    return s + ((se + te) + (base_tail + sign * (ATAN_TAIL[j] + (e + t * (z * series)))))


@kernel
def first_quadrants(y: f64, x: f64) -> f64:
    """``atan2(y, x)``, y > 0 and x ≠ 0, both finite."""
    a = fabs(x)
    steep = y > a
    n, d = (a if steep else y), (y if steep else a)
    right = 1.0 if x > 0.0 else -1.0
    sign = -right if steep else right
    base = HALF_PI if steep else (0.0 if x > 0.0 else PI)
    tail = HALF_PI_TAIL if steep else (0.0 if x > 0.0 else PI_TAIL)
    if n < NEGLIGIBLE * d:
        return divide(y, x) if base == 0.0 else base
    scale = DOWN if d > BIG else (UP if d < SMALL else 1.0)
    return angle(n * scale, d * scale, divide(n, d), base, tail, sign)


@kernel
def atan2_special(y: f64, x: f64) -> f64:
    """``atan2(|y|, x)`` where one of them is 0, inf or nan."""
    if x != x or y != y:
        return x + y
    a = fabs(y)
    if a == INFINITY and fabs(x) == INFINITY:
        return 0.5 * HALF_PI if x > 0.0 else 1.5 * HALF_PI
    if a == 0.0 or fabs(x) == INFINITY:
        return 0.0 if copysign(1.0, x) > 0.0 else PI
    return HALF_PI


@kernel
def atan2(y: f64, x: f64) -> f64:
    """The angle of the point (x, y), from −π to π."""
    a, b = fabs(y), fabs(x)
    ordinary = a > 0.0 and a < INFINITY and b > 0.0 and b < INFINITY
    return copysign(first_quadrants(a, x) if ordinary else atan2_special(y, x), y)


@kernel
def atan(x: f64) -> f64:
    """``atan x``, for |x| > 1 as ``π/2 − atan(1/|x|)``; the bits of atan2(x, 1)."""
    a = fabs(x)
    if a < NEGLIGIBLE or a != a:
        return x
    if a <= 1.0:
        return copysign(angle(a, 1.0, a, 0.0, 0.0, 1.0), x)
    if a < BIG:
        return copysign(angle(1.0, a, divide(1.0, a), HALF_PI, HALF_PI_TAIL, -1.0), x)
    return copysign(HALF_PI, x)


@kernel
def asin_series(z: f64) -> f64:
    """``(asin √z − √z)/√z``, 0 ≤ z ≤ ¼."""
    zz = z * z
    z4 = zz * zz
    first = ((R0 + z * R1) + zz * (R2 + z * R3)) + z4 * ((R4 + z * R5) + zz * (R6 + z * R7))
    return z * (first + z4 * z4 * (((R8 + z * R9) + zz * (R10 + z * R11)) + z4 * R12))


@kernel
def asin_root(a: f64) -> tuple[f64, f64]:
    """``asin √((1 − a)/2) = s + e``, ½ ≤ a ≤ 1."""
    z = 0.5 * (1.0 - a)
    s = sqrt(z)
    p, pe = two_product(s, s)
    rest = divide((z - p) - pe, 2.0 * s) if z > 0.0 else 0.0
    return s, rest + s * asin_series(z)


@kernel
def asin(x: f64) -> f64:
    """``asin x``, |x| ≤ 1."""
    a = fabs(x)
    if a <= 0.5:
        return x + x * asin_series(x * x)
    if a <= 1.0:
        s, e = asin_root(a)
        u, v = fast_two_sum(HALF_PI, -2.0 * s)
        return copysign(u + (v + (HALF_PI_TAIL - 2.0 * e)), x)
    return x if x != x else NAN


@kernel
def acos(x: f64) -> f64:
    """``acos x = π/2 − asin x``, |x| ≤ 1."""
    a = fabs(x)
    if a <= 0.5:
        u, v = fast_two_sum(HALF_PI, -x)
        return u + (v + (HALF_PI_TAIL - x * asin_series(x * x)))
    if a <= 1.0:
        s, e = asin_root(a)
        if x > 0.0:
            return 2.0 * (s + e)
        u, v = fast_two_sum(PI, -2.0 * s)
        return u + (v + (PI_TAIL - 2.0 * e))
    return x if x != x else NAN
