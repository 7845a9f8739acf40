"""NumPy and expressions: its scalars may stand on either side of an operator, its functions are refused by name."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import latchwork as lw

OPERATORS = (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.lt, operator.le,
             operator.gt, operator.ge, operator.eq, operator.ne)  # fmt: skip


@pytest.fixture
def q() -> lw.Expr:
    return lw.Model("model").coordinate("q")


@pytest.mark.parametrize("number", [np.float64(2.5), np.int64(3), np.float32(0.5)])
@pytest.mark.parametrize("operate", OPERATORS)
def test_scalars_of_numpy_are_numbers(q, operate, number):
    """On the left and on the right they give what Python's numbers give."""
    assert operate(number, q) == operate(float(number), q)
    assert operate(q, number) == operate(q, float(number))


@pytest.mark.parametrize(
    ("use", "advice"),
    [
        (np.sin, r"NumPy's sin takes numbers, and 'q' is an expression. Use lw\.sin"),
        (lambda q: np.arctan2(1.0, q), r"Use lw\.atan2"),
        (np.abs, "Use abs"),
        (np.floor, "Evaluate it first"),
        (lambda q: np.ones(2) * q, "neither a number nor an expression of 'model'"),
    ],
)
def test_functions_of_numpy_are_refused(q, use, advice):
    """The error names the function to use instead."""
    with pytest.raises(lw.ExpressionError, match=advice):
        use(q)
