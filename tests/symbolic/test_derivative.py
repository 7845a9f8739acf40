"""Laws of differentiation on the graph."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from latchwork.errors import ExpressionError
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic import Graph, cos, dt, exp, gradient, jacobian, log, maximum, sin, sqrt, where
from latchwork.symbolic.derivative import adjoints
from latchwork.symbolic.ops import OPS
from symbolic.plain import EXACT, RECIPES, WRITTEN, evaluate, symbols, written

STEP = 1e-5
POINTS = {"acosh": (1.7,)}
ARGUMENTS = ("q1", "q2")
DIFFERENTIABLE = [row for row in OPS.values() if row.name != "select"]


@pytest.fixture
def s():
    return symbols(Graph("arm"))


def slope(expression, values, name):
    """Central difference, accurate to about STEP²."""
    ahead, behind = (evaluate(expression, values | {name: values[name] + h}) for h in (STEP, -STEP))
    return (ahead - behind) / (2 * STEP)


@pytest.mark.parametrize("row", DIFFERENTIABLE, ids=lambda row: row.name)
def test_partials_are_slopes(s, row):
    """∂f/∂x of every operation is the slope of f; the points avoid kinks, the tolerance is that of the difference."""
    names = ARGUMENTS[: row.arity]
    values = dict(zip(names, POINTS.get(row.name, (0.3, 0.7)), strict=False))
    expression = WRITTEN[row.name](*(s[name] for name in names))
    for name in names:
        assert evaluate(expression.diff(s[name]), values) == pytest.approx(slope(expression, values, name), abs=1e-8)


def test_where_differentiates_by_case(s):
    """The derivative of where is the derivative of the case that holds."""
    expression = where(s["q1"] < s["q2"], s["q1"] ** 3, sin(s["q1"]))
    slopes = expression.diff(s["q1"])
    assert evaluate(slopes, {"q1": 2.0, "q2": 3.0}) == 12.0
    assert evaluate(slopes, {"q1": 2.0, "q2": 1.0}) == math.cos(2.0)


def test_a_case_that_is_no_number_has_no_part_in_the_other(s):
    """√q has an infinite slope at 0, where it is chosen against; so has log |q| there, the lesser of two."""
    q = s["q1"]
    for expression in (where(q > 0.0, sqrt(q), 3.0 * q), maximum(3.0 * q, log(abs(q)))):
        assert Function(lower(q.graph, [expression.diff(q).node], [q]))([0.0]) == [3.0]


@given(RECIPES)
def test_forward_and_reverse_agree(recipe):
    """Column by column or row by row, a Jacobian is the same, in exact arithmetic."""
    leaves = symbols(Graph("arm"))
    x = [leaves[name] for name in EXACT]
    expression = written(recipe, leaves)
    forward = [expression.diff(symbol) for symbol in x]
    reverse = gradient(expression, x)
    assert [evaluate(e, EXACT, Fraction) for e in forward] == [evaluate(e, EXACT, Fraction) for e in reverse]


def test_jacobian_has_a_row_for_each_expression(s):
    """∂f_i/∂x_j, with more symbols than expressions and with fewer."""
    f = [s["q1"] * s["q2"], sin(s["q1"])]
    assert jacobian(f, [s["q1"]]) == [[s["q2"]], [cos(s["q1"])]]
    assert jacobian(f, [s["q1"], s["q2"], s["m"]]) == [[s["q2"], s["q1"], 0], [cos(s["q1"]), 0, 0]]


def test_constants_have_no_slope(s):
    """The derivative of a number is zero, not the number."""
    assert jacobian([2.0], [s["q1"]]) == [[0]]


@given(RECIPES)
def test_time_derivatives_follow_the_chain_rule(recipe):
    """dt f(q, u, t) = Σ ∂f/∂q q̇ + Σ ∂f/∂u u̇ + ∂f/∂t."""
    s = symbols(Graph("arm"))
    f = written(recipe, s) * s["t"]
    moving = [s["q1"], s["q2"], s["u1"]]
    chain = f.diff(s["t"]) + sum(f.diff(x) * dt(x) for x in moving)
    values = EXACT | {"t": Fraction(5), "q1_rate": Fraction(2), "q2_rate": Fraction(-7), "u1_rate": Fraction(3, 5)}
    assert evaluate(dt(f), values, Fraction) == evaluate(chain, values, Fraction)


def test_parameters_and_inputs_stand_still(s):
    """dt of what is held over a step is zero; dt of time is one."""
    assert dt(s["m"] * s["T"]) == 0
    assert dt(s["t"]) == 1


def test_accelerations_of_coordinates_are_not_symbols(s):
    """dt twice of a coordinate asks for a speed."""
    with pytest.raises(ExpressionError, match=r"dt cannot differentiate 'q1_rate' \(rate\) of 'arm'"):
        dt(dt(s["q1"]))


def test_derivatives_are_taken_by_symbols(s):
    """∂/∂(q1 + q2) has no meaning."""
    with pytest.raises(ExpressionError, match=r"with respect to symbols, not 'q1 \+ q2'"):
        s["q1"].diff(s["q1"] + s["q2"])


def test_derivatives_repeat(s):
    """diff(x, y) is ∂²/∂y∂x, in either order."""
    f = exp(s["q1"] * s["q2"]) + maximum(s["q1"], 0)
    values = {"q1": 0.3, "q2": 0.7}
    assert evaluate(f.diff(s["q1"], s["q2"]), values) == pytest.approx(
        evaluate(f.diff(s["q2"], s["q1"]), values), rel=1e-14
    )


def test_adjoints_of_some_leaves_are_those_of_all(s):
    """A reverse sweep over what lies between the root and some leaves gives the same nodes for them."""
    q1, q2, u1 = s["q1"], s["q2"], s["u1"]
    e = sin(q1 * q2) * u1 + cos(u1) / (1.0 + q1 * q1) - q2 * u1
    every, some = adjoints(e.graph, e.node), adjoints(e.graph, e.node, [q1.node, u1.node])
    assert [some[leaf.node] for leaf in (q1, u1)] == [every[leaf.node] for leaf in (q1, u1)]
    assert q2.node not in some
