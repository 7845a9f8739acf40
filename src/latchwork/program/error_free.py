"""Error-free transformations: sums and products of two doubles as a rounded number and its error.

Both are exact where nothing overflows or underflows [Dekker 1971; Knuth, The Art of Computer Programming 2, §4.2.2;
Ogita, Rump and Oishi 2005].
"""

from __future__ import annotations

from latchwork.program.kernel import f64, kernel

SPLITTER = 134217729.0  # 2²⁷ + 1


@kernel
def two_sum(a: f64, b: f64) -> tuple[f64, f64]:
    """``a + b = s + e`` exactly, s rounded."""
    s = a + b
    part = s - a
    return s, (a - (s - part)) + (b - part)


@kernel
def fast_two_sum(a: f64, b: f64) -> tuple[f64, f64]:
    """``a + b = s + e`` exactly, s rounded, where ``|a| ≥ |b|`` or ``a = 0``."""
    s = a + b
    return s, b - (s - a)


@kernel
def split(a: f64) -> tuple[f64, f64]:
    """``a = hi + lo`` with 26 bits each."""
    c = SPLITTER * a
    hi = c - (c - a)
    return hi, a - hi


@kernel
def two_product(a: f64, b: f64) -> tuple[f64, f64]:
    """``a b = p + e`` exactly, p rounded."""
    p = a * b
    ah, al = split(a)
    bh, bl = split(b)
    return p, al * bl - (((p - ah * bh) - al * bh) - ah * bl)
