"""Constants as people write them: decimals, ratios, and small multiples of π, √2 and √3.

    x = c · unit,        c rational, unit ∈ {1, √2, √3, π}

A double that is the nearest one to such a number stands for it: 0.1 for 1/10, 0.3333333333333333 for 1/3,
0.08726646259971647 for π/36. What a double stands for follows from its bits alone, and a power of two changes nothing:
2ᵏ x stands for 2ᵏ c · unit, so that equations in other units have the same bits, scaled. Constants are added,
multiplied and divided as these numbers, and rounded once: 1 + 2/3 is 5/3, 0.1 · 3 is 0.3, and cos(π/2) is 0.

Python rounds after every operation: 0.1**2 is 0.010000000000000002, and 1 + 2/3 is one bit away from the double nearest
to 5/3. A double within ``ROUNDINGS`` of a short number that no double holds is therefore taken for that number, and,
where it comes from Python, replaced by the double nearest to it (`nearest`). Numbers that doubles hold draw nothing to
them: 0.9999999999999999 stays what it is. A double is taken for a short number by chance once in 10⁴, and then moved by
four parts in 10¹⁶ at most.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

RATIONAL, SQRT2, SQRT3, PI = 1, 2, 3, 0  # units; a root by what is under it
ROUNDINGS = 51  # bits in which a double agrees with the number that it was rounded from, a few times
SHORT, LONG = 33, 43  # bits of the digits of a decimal: within roundings (10 digits), and as it stands (13 digits)
PLACES = 24  # decimal places, after a power of two
MAX_MANTISSAS = 10**6  # largest product of numerator and denominator, as mantissas: 700 or so each
PI_HELD = Fraction(math.pi)  # π as every program holds it
POWERS_OF_FIVE = tuple(5**places for places in range(PLACES))


class Exact(NamedTuple):
    """c · unit."""

    c: Fraction
    unit: int = RATIONAL


@lru_cache(maxsize=1 << 16)
def exact(value: float) -> Exact | None:
    """The number that a double stands for, if it is one that people write."""
    if value == 0.0 or (abs(value) < 2.0**LONG and value == int(value)):
        return Exact(Fraction(int(value)))
    mantissa, exponent = math.frexp(abs(value))
    found = _mantissa(mantissa) if math.isfinite(value) else None
    if found is None:
        return None
    scale = Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)
    return Exact(found.c * scale if value > 0.0 else -found.c * scale, found.unit)


@lru_cache(maxsize=1 << 16)
def _mantissa(x: float) -> Exact | None:
    """What ½ ≤ x < 1 stands for: a short decimal, a ratio, a multiple, a longer decimal."""
    return _decimal(x, SHORT) or _ratio(x) or _multiple(x) or _decimal(x, LONG)


@lru_cache(maxsize=1 << 16)
def nearest(value: float) -> float:
    """The double nearest to the number that a double stands for; the double itself where it stands for none."""
    found = exact(value)
    return value if found is None else rounded(found)


@lru_cache(maxsize=1 << 16)
def rounded(x: Exact) -> float:
    """The double nearest to c · unit; a multiple of π is one of the double π, as everywhere."""
    if x.unit == RATIONAL:
        return x.c.numerator / x.c.denominator
    if x.unit == PI:
        return float(x.c * PI_HELD)
    return math.copysign(_root(x.c * x.c * x.unit), x.c)


def _root(x: Fraction) -> float:
    """√x, rounded once: 2¹³⁰ is room for all digits of a double and the one that decides."""
    scaled = (x.numerator << 260) // x.denominator
    root = math.isqrt(scaled)
    return (root | (root * root != scaled)) / (1 << 130)


def _decimal(x: float, bits: int) -> Exact | None:
    """N 2ᵉ / 5ʲ with a whole number N of so many bits: within roundings where they are few, else as it stands."""
    whole = int(x * 2.0**53)
    for power in POWERS_OF_FIVE:
        scaled = whole * power
        shift = scaled.bit_length() - bits
        N = (scaled + (1 << shift - 1)) >> shift
        if abs(scaled - (N << shift)) << ROUNDINGS > scaled:
            continue
        c = Fraction(N << shift, power << 53)
        if c.numerator / c.denominator == x or (bits == SHORT and not _is_held(c.denominator)):
            return Exact(c)
    return None


def _is_held(q: int) -> bool:
    """Whether doubles hold ratios with this denominator: it is a power of two."""
    return q & (q - 1) == 0


def _ratio(x: float) -> Exact | None:
    """A ratio of whole numbers within roundings, unless doubles hold it."""
    found = _convergent(x)
    return None if found is None or _is_held(found.denominator) else Exact(found)


def _multiple(x: float) -> Exact | None:
    for unit, value in ((PI, math.pi), (SQRT2, math.sqrt(2.0)), (SQRT3, math.sqrt(3.0))):
        mantissa, exponent = math.frexp(x / value)
        found = _convergent(mantissa)
        if found is not None:
            return Exact(found / (1 << -exponent), unit)
    return None


def _convergent(x: float) -> Fraction | None:
    """The first convergent p/q of the continued fraction of ½ ≤ x < 1 within roundings, if p and q are small."""
    p, p_before, q, q_before, rest = 1, 0, 0, 1, x
    while True:
        whole = math.floor(rest)
        p, p_before, q, q_before = whole * p + p_before, p, whole * q + q_before, q
        if p * q > MAX_MANTISSAS:
            return None
        if abs(p / q - x) <= 2.0**-ROUNDINGS * x:
            return Fraction(p, q)
        if rest == whole:
            return None
        rest = 1.0 / (rest - whole)


def is_decimal(x: Exact) -> bool:
    """Whether a decimal writes the number out: no primes but 2 and 5 divide the denominator."""
    q = x.c.denominator
    return x.unit == RATIONAL and 10 ** q.bit_length() % q == 0


# --- arithmetic -----------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 16)
def plus(a: float, b: float) -> float:
    """a + b, rounded once."""
    x, y = exact(a), exact(b)
    if x is None or y is None or (x.unit != y.unit and x.c and y.c):
        return a + b
    return rounded(Exact(x.c + y.c, x.unit if x.c else y.unit))


@lru_cache(maxsize=1 << 16)
def times(a: float, b: float) -> float:
    """a b, rounded once."""
    x, y = exact(a), exact(b)
    if x is None or y is None:
        return a * b
    if x.unit == y.unit != PI:
        return rounded(Exact(x.c * y.c * x.unit))
    if RATIONAL not in (x.unit, y.unit):
        return a * b
    return rounded(Exact(x.c * y.c, y.unit if x.unit == RATIONAL else x.unit))


@lru_cache(maxsize=1 << 16)
def over(a: float, b: float) -> float:
    """a / b, rounded once."""
    x, y = exact(a), exact(b)
    if x is None or y is None:
        return a / b
    if x.unit == y.unit:
        return rounded(Exact(x.c / y.c))
    if y.unit == RATIONAL:
        return rounded(Exact(x.c / y.c, x.unit))
    if x.unit == RATIONAL and y.unit != PI:  # 1 / √n = √n / n
        return rounded(Exact(x.c / (y.c * y.unit), y.unit))
    return a / b


@lru_cache(maxsize=1 << 12)
def root(a: float) -> float | None:
    """√a where that is rational or a multiple of √2 or √3: √(p/q) = √(p q) / q."""
    x = exact(a)
    if x is None or x.unit != RATIONAL or a < 0.0:
        return None
    p, q = x.c.numerator, x.c.denominator
    for unit in (RATIONAL, SQRT2, SQRT3):
        square, rest = divmod(p * q, unit)
        if not rest and math.isqrt(square) ** 2 == square:
            return rounded(Exact(Fraction(math.isqrt(square), q), unit))
    return None


# sin of k · 15°, k = 0 ... 6, where it is c · unit
HALF = Fraction(1, 2)
SINES = (Exact(Fraction(0)), None, Exact(HALF), Exact(HALF, SQRT2), Exact(HALF, SQRT3), None, Exact(Fraction(1)))


def sine(angle: float) -> float | None:
    """sin of a multiple of π where it is a ratio or a multiple of √2 or √3."""
    x = exact(angle)
    return None if x is None or x.unit != PI else _sine(x.c * 12)


def cosine(angle: float) -> float | None:
    """cos of a multiple of π where it is a ratio or a multiple of √2 or √3: sin of π/2 more."""
    x = exact(angle)
    return None if x is None or x.unit != PI else _sine(x.c * 12 + 6)


def tangent(angle: float) -> float | None:
    """tan = sin / cos of a multiple of π, where both are known and it is finite."""
    s, c = sine(angle), cosine(angle)
    return None if s is None or not c else over(s, c)


def _sine(k: Fraction) -> float | None:
    if k.denominator != 1:
        return None
    half, part = divmod(k.numerator, 12)
    found = SINES[min(part, 12 - part)]
    return None if found is None else (-rounded(found) if half % 2 else rounded(found)) + 0.0


def quarters(angle: float) -> int | None:
    """How many right angles a constant is, if whole."""
    x = exact(angle)
    if x is None or x.unit != PI or (2 * x.c).denominator != 1:
        return None
    return int(2 * x.c)
