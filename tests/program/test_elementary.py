"""The C library's functions: IEEE results where Python's ``math`` raises."""

from __future__ import annotations

import math

import pytest

from latchwork.program import libm

INSIDE = {"acosh": 1.5}


@pytest.mark.parametrize("function", [f for f in libm.FOREIGN if f.arity == 1], ids=lambda f: f.name)
def test_functions_are_those_of_the_mathematics(function):
    """Inside its domain each function is the one of its name, to a few units in the last place."""
    x = INSIDE.get(function.name, 0.3)
    assert function(x) == pytest.approx(getattr(math, function.name)(x), rel=1e-15)


@pytest.mark.parametrize(
    ("function", "x", "value"),
    [
        (libm.exp, (1000.0,), math.inf),
        (libm.log, (0.0,), -math.inf),
        (libm.pow, (10.0, 400.0), math.inf),
        (libm.pow, (0.0, -1.0), math.inf),
        (libm.sinh, (-1000.0,), -math.inf),
        (libm.atanh, (1.0,), math.inf),
        (libm.atan2, (0.0, -1.0), math.pi),
    ],
)
def test_beyond_the_domain_comes_infinity_and_no_error(function, x, value):
    """Overflow and poles are ±inf, as IEEE 754 has them."""
    assert function(*x) == value


@pytest.mark.parametrize("function", [libm.log, libm.asin, libm.acos, libm.acosh, libm.atanh], ids=lambda f: f.name)
def test_outside_the_domain_comes_nan_and_no_error(function):
    """An argument without a value gives nan."""
    assert math.isnan(function(-2.0))
