"""The operations of a program that no processor has: comparisons as numbers, sign, and min and max that keep nan."""

from __future__ import annotations

from latchwork.program.kernel import f64, kernel


@kernel
def less(a: f64, b: f64) -> f64:
    """1 where ``a < b``, else 0; nan is never less."""
    return float(a < b)


@kernel
def less_equal(a: f64, b: f64) -> f64:
    """1 where ``a ≤ b``, else 0; nan never is."""
    return float(a <= b)


@kernel
def equal(a: f64, b: f64) -> f64:
    """1 where ``a = b``, else 0; nan equals nothing."""
    return float(a == b)


@kernel
def select(c: f64, a: f64, b: f64) -> f64:
    """``a`` where ``c ≠ 0`` (nan is not zero), else ``b``."""
    return a if c != 0.0 else b


@kernel
def sign(x: f64) -> f64:
    """±1 by sign; zero and nan are returned as they are."""
    return 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x)


@kernel
def minimum(a: f64, b: f64) -> f64:
    """The smaller; nan if either is; the first of equals."""
    return b if b < a or b != b else a


@kernel
def maximum(a: f64, b: f64) -> f64:
    """The larger; nan if either is; the first of equals."""
    return b if b > a or b != b else a
