"""Sine and cosine against 400 digits: within one unit in the last place for every double."""

from __future__ import annotations

import math
import random

import mpmath
import numpy as np
import pytest

from latchwork.program.kernel import f64p, i64, kernel
from latchwork.program.native import invoke
from latchwork.program.sincos import cos, sin, sincos

RNG = np.random.default_rng(7)


@kernel
def table(n: i64, x: f64p, s: f64p, c: f64p, both: f64p) -> None:
    """Sine, cosine, and both at once."""
    for i in range(n):
        s[i] = sin(x[i])
        c[i] = cos(x[i])
        both[2 * i], both[2 * i + 1] = sincos(x[i])


def evaluated(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sine, cosine and both, from machine code."""
    s, c, both = np.zeros(len(x)), np.zeros(len(x)), np.zeros((len(x), 2))
    invoke(table, len(x), x, s, c, both)
    return s, c, both


def near_multiples(count: int) -> np.ndarray:
    """Doubles next to k π/2, k small, large, and of hundreds of digits."""
    draw = random.Random(11)
    ks = [*range(1, 100), *(draw.getrandbits(draw.randrange(8, 1000)) | 1 for _ in range(count))]
    ks += [draw.randrange(100, 2**19) for _ in range(count)]  # those that the first reduction takes
    with mpmath.workdps(400):
        centers = np.array([float(k * mpmath.pi / 2) for k in ks])
    return np.concatenate([centers, np.nextafter(centers, 0.0), np.nextafter(centers, np.inf)])


def units(value: float, exact: mpmath.mpf) -> float:
    """The error in units in the last place of the exact value."""
    return float(abs(mpmath.mpf(value) - exact) / mpmath.mpf(float(np.spacing(abs(float(exact))))))


RANGES = {
    "first quarter": RNG.uniform(-0.8, 0.8, 800),
    "a few turns": RNG.uniform(-100.0, 100.0, 800),
    "a million": RNG.uniform(-1e6, 1e6, 800),
    "where the reductions meet": RNG.uniform(2.0**20 - 5.0, 2.0**20 + 5.0, 200),
    "tiny": 10.0 ** RNG.uniform(-320.0, 0.0, 300),
    "huge": np.concatenate([10.0 ** RNG.uniform(6.0, 308.0, 500), [1.7976931348623157e308, 5.319372648326541e255]]),
    "multiples of a right angle": near_multiples(120),
}


@pytest.mark.parametrize("x", RANGES.values(), ids=RANGES)
def test_error_is_below_one_unit_in_the_last_place(x):
    """|sin − exact| < 1 ulp and |cos − exact| < 1 ulp, with the exact value from 400 digits."""
    s, c, _ = evaluated(x)
    with mpmath.workdps(400):
        worst_sine = max(units(value, mpmath.sin(mpmath.mpf(a))) for a, value in zip(x.tolist(), s, strict=True))
        worst_cosine = max(units(value, mpmath.cos(mpmath.mpf(a))) for a, value in zip(x.tolist(), c, strict=True))
    assert worst_sine < 0.8
    assert worst_cosine < 0.8


@pytest.mark.parametrize("x", RANGES.values(), ids=RANGES)
def test_python_and_machine_code_give_the_same_bits(x):
    """The kernels, run as Python, give the bits of their machine code; so do the pair and its parts."""
    s, c, both = evaluated(x)
    few = slice(None, None, 5)
    assert np.array([sin(a) for a in x[few].tolist()]).tobytes() == s[few].tobytes()
    assert np.array([cos(a) for a in x[few].tolist()]).tobytes() == c[few].tobytes()
    assert both.tobytes() == np.column_stack([s, c]).tobytes()


@pytest.mark.parametrize("x", RANGES.values(), ids=RANGES)
def test_sine_is_odd_and_cosine_is_even(x):
    """sin(−x) = −sin x and cos(−x) = cos x, bit for bit."""
    s, c, _ = evaluated(x)
    s_back, c_back, _ = evaluated(-x)
    assert (-s).tobytes() == s_back.tobytes()
    assert c.tobytes() == c_back.tobytes()


def test_zero_keeps_its_sign_and_nothing_comes_of_nothing():
    """sin ±0 = ±0, cos 0 = 1, and inf and nan give nan."""
    s, c, _ = evaluated(np.array([0.0, -0.0, math.inf, -math.inf, math.nan]))
    assert s[:2].tobytes() == np.array([0.0, -0.0]).tobytes()
    assert c[:2].tolist() == [1.0, 1.0]
    assert np.isnan(s[2:]).all()
    assert np.isnan(c[2:]).all()
