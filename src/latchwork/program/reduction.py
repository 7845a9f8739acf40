"""Reduction of an angle to the nearest multiple of π/2: ``a = k π/2 + hi + lo``, for sine and cosine.

Below 2²⁰ π/2 is subtracted in four parts (Cody and Waite); above, 2/π is multiplied as an integer of many limbs
(Payne and Hanek), exact for every double.
"""

from __future__ import annotations

from latchwork.program.error_free import two_product, two_sum
from latchwork.program.kernel import bits, f64, i64, i64p, kernel

# π/2 = PART1 + PART2 + PART3 + PART4, of 33, 33, 33 and 53 bits: k PARTn is exact for n ≤ 3 and |k| < 2²⁰.
PART1, PART2 = 1.5707963267341256, 6.077100506303966e-11
PART3, PART4 = 2.0222662487111665e-21, 8.4784276603689e-32
INVERSE = 0.6366197723675814  # 2/π
NEAREST = 6755399441055744.0  # 1.5·2⁵²: adding and subtracting it rounds to an integer
HALF_PI, HALF_PI_TAIL = 1.5707963267948966, 6.123233995736766e-17

# 2/π in limbs of 30 bits, behind two limbs of zeros so that windows may start before the point.
TWO_OVER_PI = (
    0, 0, 683565275, 618938706, 670080351, 301282525, 808900773, 429114425, 17299781, 598466235, 827878857, 115581988,
    927694873, 154069513, 879003455, 568242635, 78028027, 679622133, 196006177, 244958978, 449936889, 20550102,
    241226958, 524929093, 1043265508, 674963448, 637532033, 427884274, 1011232104, 174923629, 228570057, 1018207092,
    1025047962, 509602349, 491384497, 1052663575, 754195687, 931811986, 983236311, 991033557, 874600460, 809958523,
    451607603, 1002572207, 282621607, 596730206,
)  # fmt: skip
LIMB = 0x3FFFFFFF  # 2³⁰ − 1
HIDDEN = 0x10000000000000  # 2⁵²
WORDS = 7  # limbs of the fraction; 210 − 53 bits are right, where 62 may cancel
STEP = 9.313225746154785e-10  # 2⁻³⁰
TOP = 3.725290298461914e-09  # 2⁻²⁸


@kernel
def cody_waite(a: f64) -> tuple[f64, f64, i64]:
    """``hi + lo = (((a − k PART1) − k PART2) − k PART3) − k PART4``: the first difference exact, then compensated.

    The errors go into lo and do not hold hi up: programs wait for it.
    """
    k = (a * INVERSE + NEAREST) - NEAREST
    r, e2 = two_sum(a - k * PART1, -(k * PART2))
    hi, e3 = two_sum(r, -(k * PART3))
    return hi, (e2 + e3) - k * PART4, int(k)


@kernel
def fraction(a: f64, f: i64p) -> None:
    """The fraction of ``a (2/π) / 4`` in WORDS limbs, most significant first.

    With a = m 2ᵉ, the bits of 2/π before place e − 2 only give integers. The rest is a window of limbs, times m.
    """
    start = (bits(a) >> 52) - 1075 - 2 + 60
    m = (bits(a) & (HIDDEN - 1)) | HIDDEN
    limb, shift = start // 30, start % 30
    word, carry = 0, 0
    for k in range(WORDS - 1, -1, -1):
        below = word
        word = ((TWO_OVER_PI[limb + k] << shift) | (TWO_OVER_PI[limb + k + 1] >> (30 - shift))) & LIMB
        carry += (m & LIMB) * word + (m >> 30) * below
        f[k] = carry & LIMB
        carry = carry >> 30


@kernel
def payne_hanek(a: f64, f: i64p) -> tuple[f64, f64, i64]:
    """``hi + lo = π/2 · (4 fraction − k)``, k the nearest integer; f is scratch for WORDS limbs."""
    fraction(a, f)
    k = (f[0] + 0x8000000) >> 28
    f[0] = f[0] - (k << 28)
    flip = LIMB if f[0] < 0 else 0
    f[0] = ~f[0] if f[0] < 0 else f[0]
    hi, lo, scale = float(f[0]) * TOP, 0.0, TOP
    for i in range(1, WORDS):
        scale = scale * STEP
        hi, e = two_sum(hi, float(f[i] ^ flip) * scale)
        lo += e
    p, e = two_product(hi, HALF_PI)
    hi, lo = two_sum(p, e + (hi * HALF_PI_TAIL + lo * HALF_PI))
    return (hi if flip == 0 else -hi), (lo if flip == 0 else -lo), k
