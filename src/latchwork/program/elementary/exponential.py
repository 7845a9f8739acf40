"""The exponential function: ``exp((64 k + i) ln 2 / 64 + r) = 2ᵏ 2^(i/64) eʳ``, |r| ≤ ln 2 / 128.

The argument is reduced in two parts [Cody and Waite 1980], 2^(i/64) comes from a table, eʳ from a polynomial [Tang
1989, "Table-driven implementation of the exponential function"]. Largest error found: 0.513 ulp; results below
the normal range are rounded once, too.
"""

from __future__ import annotations

import math

from latchwork.program.kernel import f64, fabs, from_bits, i64, kernel

NEAREST = 6755399441055744.0  # 1.5·2⁵²: adding and subtracting it rounds to an integer
INVERSE_STEP = 92.33248261689366  # 64 / ln 2
STEP, STEP_TAIL = 0.010830424696223417, 2.572804622327669e-14  # ln 2 / 64 in 36 bits, so that n STEP is exact; the rest
BIAS = 1023  # of exponents
MANTISSA = 52  # bits
NORMAL = 708.0  # |x| below it: neither overflow nor a subnormal result
HIGHEST, LOWEST = 710.0, -746.0  # beyond them exp is inf, and 0
LARGEST_POWER = 8.98846567431158e307  # 2¹⁰²³
SMALLEST = 2.2250738585072014e-308  # 2⁻¹⁰²², the smallest normal number
INFINITY = math.inf

# eʳ ≈ 1 + r + r² (E0 + E1 r + ...), |r| ≤ 1.001 ln 2 / 128: minimax (Remez exchange at 60 digits, then rounded to
# doubles), absolute error 2^−70.2.
E0, E1, E2 = 0.5, 0.16666666666657848, 0.04166666666663926
E3, E4 = 0.008333342012580664, 0.001388890390896052

# 2^(i/64), rounded, and what rounding left.
ROOT = (
    1.0, 1.0108892860517005, 1.0218971486541166, 1.0330248790212284, 1.0442737824274138, 1.0556451783605572,
    1.0671404006768237, 1.0787607977571199, 1.0905077326652577, 1.102382583307841, 1.1143867425958924,
    1.1265216186082418, 1.1387886347566916, 1.1511892299529827, 1.1637248587775775, 1.1763969916502812,
    1.189207115002721, 1.202156731452703, 1.215247359980469, 1.22848053610687, 1.241857812073484, 1.255380757024691,
    1.2690509571917332, 1.2828700160787783, 1.2968395546510096, 1.3109612115247644, 1.3252366431597413,
    1.339667524053303, 1.3542555469368927, 1.3690024229745905, 1.383909881963832, 1.3989796725383112,
    1.4142135623730951, 1.42961333839197, 1.4451808069770467, 1.460917794180647, 1.4768261459394993,
    1.4929077282912648, 1.5091644275934228, 1.5255981507445384, 1.5422108254079407, 1.559004400237837,
    1.5759808451078865, 1.593142151342267, 1.6104903319492543, 1.6280274218573478, 1.645755478153965,
    1.6636765803267364, 1.681792830507429, 1.7001063537185235, 1.718619298122478, 1.7373338352737062,
    1.7562521603732995, 1.7753764925265212, 1.7947090750031072, 1.8142521755003989, 1.8340080864093424,
    1.8539791250833855, 1.8741676341103, 1.8945759815869656, 1.9152065613971474, 1.9360617934922943,
    1.9571441241754002, 1.978456026387951,
)  # fmt: skip
ROOT_TAIL = (
    0.0, -1.5234778603368577e-17, 5.109225028973444e-17, 7.600838874027088e-18, 8.551889705537965e-17,
    1.759325738772092e-18, -7.899853966841582e-17, -6.656660436056593e-17, -3.046782079812471e-17,
    5.2660368715706944e-17, 1.0410278456845571e-16, 5.165856758795457e-17, 8.912812676025408e-17,
    3.250710218863827e-17, 3.8292048369240935e-17, 5.554203254218079e-17, 3.982015231465646e-17,
    6.644981499252301e-17, -7.712630692681488e-17, -1.89878163130253e-17, 4.658027591836937e-17,
    -6.7113898212968784e-18, 2.667932131342186e-18, 1.713594918243561e-17, 2.5382502794888315e-17,
    -7.181536135519454e-17, -2.8587312100388614e-17, 8.927282594831732e-17, 7.70094837980299e-17,
    9.593797919118849e-17, -6.770511658794786e-17, -9.614213209051323e-17, -9.667293313452913e-17,
    -1.2031642489053655e-17, -3.0237581349939873e-17, -5.600377186075216e-17, -3.483994556892796e-17,
    1.4192920154284036e-17, -1.016455327754295e-16, -1.1024941712342561e-16, 7.949834809697621e-17,
    3.7812070533575275e-17, -1.0136916471278304e-17, -1.0094406542311964e-16, 2.4707192569797888e-17,
    -6.712955084707084e-17, -1.0125679913674773e-16, 5.8909926967131e-17, 8.199010020581497e-17,
    -8.0237193703977e-18, -1.851380418263111e-17, 3.164389299292957e-17, 2.960140695448873e-17,
    6.429731796556572e-17, 1.8227458427912087e-17, -9.969531538920349e-17, 3.283107224245627e-17,
    9.761887490727594e-17, -6.122763413004143e-17, 3.4034035352165297e-17, -1.0619946056195963e-16,
    1.0332385960676326e-16, 8.960767791036668e-17, 4.0388753109278167e-17,
)  # fmt: skip


@kernel
def exp_parts(hi: f64, lo: f64) -> tuple[f64, f64, i64]:
    """``exp(hi + lo) = 2ᵏ (s + t)``, s = 2^(i/64), |t| < 0.006 s, to 2⁻⁵⁹ relative; |hi| ≤ 746, |lo| ≤ 1 ulp of hi."""
    n = (hi * INVERSE_STEP + NEAREST) - NEAREST
    head, tail = hi - n * STEP, lo - n * STEP_TAIL
    r = head + tail
    z = r * r
    p = head + (tail + z * ((E0 + r * E1) + z * ((E2 + r * E3) + z * E4)))
    m = int(n)
    s = ROOT[m & 63]
    return s, ROOT_TAIL[m & 63] + s * p, m >> 6


@kernel
def power_of_two(k: i64) -> f64:
    """``2ᵏ``, −1022 ≤ k ≤ 1023."""
    return from_bits((k + BIAS) << MANTISSA)


@kernel
def exp_scaled(s: f64, t: f64, k: i64) -> f64:
    """``2ᵏ (s + t)`` for any k of a finite or vanishing result, rounded once.

    Below the smallest normal number the sum is rounded where 1 is added to it: there the last place is the same.
    """
    if k > 1023:
        return ((s + t) * LARGEST_POWER) * power_of_two(k - 1023)
    if k > -1022:
        return (s + t) * power_of_two(k)
    scale = power_of_two(k + 1022)
    a, b = s * scale, t * scale
    if a + b >= 1.0:
        return (a + b) * SMALLEST
    w = 1.0 + a
    return ((w + (((1.0 - w) + a) + b)) - 1.0) * SMALLEST


@kernel
def exp_far(hi: f64, lo: f64) -> f64:
    """``exp(hi + lo)`` where it may overflow or lose bits; nan stays."""
    if hi != hi:
        return hi
    if hi > HIGHEST:
        return INFINITY
    if hi < LOWEST:
        return 0.0
    s, t, k = exp_parts(hi, lo)
    return exp_scaled(s, t, k)


@kernel
def exp_sum(hi: f64, lo: f64) -> f64:
    """``exp(hi + lo)``, |lo| ≤ 1 ulp of hi."""
    if fabs(hi) < NORMAL:
        s, t, k = exp_parts(hi, lo)
        return (s + t) * power_of_two(k)
    return exp_far(hi, lo)


@kernel
def exp(x: f64) -> f64:
    """``eˣ``."""
    return exp_sum(x, 0.0)
