"""One sine and cosine for every executor: the same bits everywhere, within one unit in the last place everywhere.

    |x| = k π/2 + (hi + lo),   |hi + lo| ≤ π/4 (and a rounding),   k an integer

Then sin and cos of hi + lo come from polynomials, and k mod 4 says which of them, with which sign. Working on |x|
makes sin exactly odd and cos exactly even.
"""

from __future__ import annotations

from latchwork.program.kernel import bits, copysign, f64, fabs, i64, kernel, local_i64
from latchwork.program.reduction import cody_waite, payne_hanek

QUARTER = 0.7853981633974483  # π/4, rounded
MEDIUM = 1048576.0  # 2²⁰: below it every product of the first reduction is exact
EXPONENT = 0x7FF0000000000000  # the bits of inf; larger for nan

# sin r ≈ r + r³ (S0 + S1 z + ...), cos r ≈ 1 − z/2 + z² (C0 + C1 z + ...), z = r², on |r| ≤ 1.0001 π/4. Minimax
# coefficients of relative error: Remez exchange at 60 digits (600 Chebyshev points, 12 exchanges), then rounded to
# doubles. Relative error after rounding: 2^−57.2 and 2^−59.6.
S0, S1, S2 = -0.16666666666666632, 0.008333333333322413, -0.00019841269829807737
S3, S4, S5 = 2.755731369190013e-06, -2.5050758113115238e-08, 1.5896795552810856e-10
C0, C1, C2 = 0.041666666666666595, -0.001388888888887304, 2.4801587288841367e-05
C3, C4, C5 = -2.7557314176233885e-07, 2.087570041558388e-09, -1.1358513938598842e-11


@kernel
def sine(hi: f64, lo: f64) -> f64:
    """``sin(hi + lo) = hi + (lo cos hi + hi³ S(hi²))``."""
    z = hi * hi
    zz = z * z
    series = (S0 + z * S1) + zz * ((S2 + z * S3) + zz * (S4 + z * S5))
    return hi + (lo * (1.0 - 0.5 * z) + hi * (z * series))


@kernel
def cosine(hi: f64, lo: f64) -> f64:
    """``cos(hi + lo) = w + ((1 − w) − z/2 + z² C(z) − lo sin hi)``, w = 1 − z/2 rounded, z = hi²."""
    z = hi * hi
    zz = z * z
    series = (C0 + z * C1) + zz * ((C2 + z * C3) + zz * (C4 + z * C5))
    half = 0.5 * z
    w = 1.0 - half
    return w + (((1.0 - w) - half) + (zz * series - hi * lo))


@kernel
def reduce(a: f64) -> tuple[f64, f64, i64]:
    """``a = k π/2 + hi + lo`` for a ≥ 0; (hi, lo, k), with k right mod 4, and nan for inf and nan."""
    if a <= QUARTER:
        return a, 0.0, 0
    if a < MEDIUM:
        return cody_waite(a)
    if bits(a) >= EXPONENT:
        return a - a, 0.0, 0
    return payne_hanek(a, local_i64(8))


@kernel
def sin(x: f64) -> f64:
    """``sin x``, x in radians."""
    hi, lo, k = reduce(fabs(x))
    s = cosine(hi, lo) if k & 1 == 1 else sine(hi, lo)
    return (s if k & 2 == 0 else -s) * copysign(1.0, x)


@kernel
def cos(x: f64) -> f64:
    """``cos x``, x in radians."""
    hi, lo, k = reduce(fabs(x))
    c = sine(hi, lo) if k & 1 == 1 else cosine(hi, lo)
    return c if (k + 1) & 2 == 0 else -c


@kernel
def turned(x: f64, hi: f64, lo: f64, k: i64) -> tuple[f64, f64]:
    """``(sin x, cos x)`` where ``|x| = k π/2 + hi + lo``; without a branch."""
    s, c = sine(hi, lo), cosine(hi, lo)
    odd = k & 1 == 1
    s, c = (c if odd else s), (s if odd else c)
    return (s if k & 2 == 0 else -s) * copysign(1.0, x), c if (k + 1) & 2 == 0 else -c


@kernel
def sincos(x: f64) -> tuple[f64, f64]:
    """``(sin x, cos x)`` by one reduction; the bits of `sin` and of `cos`."""
    hi, lo, k = reduce(fabs(x))
    return turned(x, hi, lo, k)


@kernel
def sincos_medium(x: f64) -> tuple[f64, f64]:
    """`sincos` below MEDIUM, without a branch, for several angles at once.

    The reduction needs no case of its own up to π/4: there it gives (|x|, 0, 0) by itself.
    """
    hi, lo, k = cody_waite(fabs(x))
    return turned(x, hi, lo, k)
