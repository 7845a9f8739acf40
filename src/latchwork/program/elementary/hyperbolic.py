"""Hyperbolic functions, from eˣ and e⁻ˣ in parts, or near zero from a polynomial.

Largest errors found: sinh 0.530, cosh 0.515, tanh 0.574 ulp.
"""

from __future__ import annotations

import math

from latchwork.program.elementary.exponential import exp_parts, exp_scaled, power_of_two
from latchwork.program.error_free import fast_two_sum, two_product
from latchwork.program.kernel import copysign, divide, f64, fabs, kernel

SMALL = 0.25  # below it polynomials
LARGE = 22.0  # above it e⁻ˣ is less than a quarter of the last place of eˣ
HIGHEST = 711.0  # above it sinh and cosh overflow
INFINITY = math.inf

# sinh x ≈ x + x³ (H0 + H1 z + ...), tanh x ≈ x + x³ (T0 + T1 z + ...), z = x² ≤ 0.0626: minimax of relative error
# (Remez exchange at 60 digits, then rounded to doubles): 2^−60.1 and 2^−60.4.
H0, H1, H2 = 0.16666666666666666, 0.008333333333332473, 0.00019841269847605672
H3, H4 = 2.7557298881987873e-06, 2.5081748616928534e-08
T0, T1, T2, T3 = -0.3333333333333333, 0.1333333333333158, -0.05396825396487262, 0.021869488231647152
T4, T5, T6, T7 = -0.00886322059399324, 0.0035917041656179554, -0.001448865718687384, 0.0005279833070057454


@kernel
def both_exponentials(a: f64) -> tuple[f64, f64, f64, f64]:
    """``eᵃ = p + pt`` and ``e⁻ᵃ = m + mt``, the second of each small; |a| < 700."""
    s, t, k = exp_parts(a, 0.0)
    scale = power_of_two(k)
    v, w, n = exp_parts(-a, 0.0)
    inverse = power_of_two(n)
    return s * scale, t * scale, v * inverse, w * inverse


@kernel
def half_exp(a: f64) -> f64:
    """``eᵃ/2`` for a ≥ LARGE; nan stays."""
    if a > HIGHEST or a != a:
        return a + INFINITY
    s, t, k = exp_parts(a, 0.0)
    return exp_scaled(s, t, k - 1)


@kernel
def sinh_small(x: f64) -> f64:
    """``sinh x = x + x³ H(x²)``."""
    z = x * x
    return x + x * (z * ((H0 + z * H1) + z * z * ((H2 + z * H3) + z * z * H4)))


@kernel
def tanh_small(a: f64) -> f64:
    """``tanh a = a + a³ T(a²)``."""
    z = a * a
    zz = z * z
    series = ((T0 + z * T1) + zz * (T2 + z * T3)) + zz * zz * ((T4 + z * T5) + zz * (T6 + z * T7))
    return a + a * (z * series)


@kernel
def sinh(x: f64) -> f64:
    """``sinh x = (eˣ − e⁻ˣ)/2``."""
    a = fabs(x)
    if a < SMALL:
        return sinh_small(x)
    if a < LARGE:
        p, pt, m, mt = both_exponentials(a)
        s, e = fast_two_sum(p, -m)
        return copysign(0.5 * (s + (e + (pt - mt))), x)
    return copysign(half_exp(a), x)


@kernel
def cosh(x: f64) -> f64:
    """``cosh x = (eˣ + e⁻ˣ)/2``."""
    a = fabs(x)
    if a < LARGE:
        p, pt, m, mt = both_exponentials(a)
        s, e = fast_two_sum(p, m)
        return 0.5 * (s + (e + (pt + mt)))
    return half_exp(a)


@kernel
def tanh_middle(a: f64) -> f64:
    """``tanh a = 1 − 2/(e²ᵃ + 1)``, the quotient with its remainder."""
    s, t, k = exp_parts(2.0 * a, 0.0)
    scale = power_of_two(k)
    d, e = fast_two_sum(s * scale, 1.0)
    d, e = fast_two_sum(d, e + t * scale)
    q = divide(2.0, d)
    p, pe = two_product(q, d)
    tail = divide(((2.0 - p) - pe) - q * e, d)
    whole = 1.0 - q
    return whole + (((1.0 - whole) - q) - tail)


@kernel
def tanh(x: f64) -> f64:
    """``tanh x``."""
    a = fabs(x)
    if a < SMALL:
        return copysign(tanh_small(a), x)
    if a < LARGE:
        return copysign(tanh_middle(a), x)
    return x if x != x else copysign(1.0, x)
