"""SymPy in and out."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from sympy.physics.mechanics import dynamicsymbols

from latchwork.errors import ExpressionError
from latchwork.symbolic import Graph, dt, from_sympy, sin, to_sympy, where
from symbolic.plain import EXACT, PLAIN, RECIPES, WRITTEN, evaluate, reckoned, symbols, written

x, y = sympy.symbols("x y")
T = dynamicsymbols._t
ROUND_TRIP = [
    "sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "atanh", "abs",
    "sign", "atan2", "min", "max", "pow",
]  # fmt: skip
TWO = frozenset({"atan2", "min", "max", "pow"})
# SymPy expression, its value in Python
INWARD = [
    (sympy.sec(x), lambda x, y: 1 / math.cos(x)),
    (sympy.csc(x), lambda x, y: 1 / math.sin(x)),
    (sympy.cot(x), lambda x, y: 1 / math.tan(x)),
    (sympy.acosh(1 + x), lambda x, y: math.acosh(1 + x)),
    (sympy.pi * x + sympy.E, lambda x, y: math.pi * x + math.e),
    (sympy.Rational(2, 3) * x / y**2, lambda x, y: 2 * x / (3 * y * y)),
    (x ** sympy.Rational(-1, 2), lambda x, y: 1 / math.sqrt(x)),
    (2**x, lambda x, y: 2**x),
    (sympy.sqrt(3) * x, lambda x, y: math.sqrt(3) * x),
    (sympy.Heaviside(x - y), lambda x, y: float(x > y)),
    (sympy.Min(x, y, 0.5), lambda x, y: min(x, y, 0.5)),
    (sympy.Piecewise((x, x > y), (y, sympy.Eq(x, y)), (x * y, True)), lambda x, y: x if x > y else x * y),
    (
        sympy.Piecewise((1, sympy.And(x > 0, sympy.Or(y <= 0, sympy.Ne(x, y)))), (2, True)),
        lambda x, y: 1.0 if x > 0 and (y <= 0 or x != y) else 2.0,
    ),
    (sympy.Piecewise((1, sympy.Not(sympy.And(x > y, y >= 0))), (2, True)), lambda x, y: 2.0 if x > y >= 0 else 1.0),
    (sympy.log(x, 2), lambda x, y: math.log2(x)),
    (sympy.Float("0.1") * x, lambda x, y: 0.1 * x),
]


@pytest.fixture
def s():
    return symbols(Graph("arm"))


def back(expression):
    """There and back again."""
    names = {to_sympy(symbol): symbol for symbol in expression.free_symbols}
    return from_sympy(names, to_sympy(expression)) if names else expression


@settings(max_examples=40)
@given(RECIPES)
def test_round_trip_keeps_the_value(recipe):
    """Out to SymPy and back is the same value, in exact arithmetic."""
    expression = written(recipe, symbols(Graph("arm")))
    assert evaluate(back(expression), EXACT, Fraction) == reckoned(recipe)


@pytest.mark.parametrize("name", ROUND_TRIP)
def test_every_function_makes_the_round_trip(s, name):
    """Each function comes back as itself, to rounding."""
    args = ("q1", "q2")[: 2 if name in TWO else 1]
    values = {"q1": 0.37, "q2": 0.81}
    expression = s["m"] * WRITTEN[name](*(s[arg] for arg in args))
    expected = 1.5 * PLAIN[name](*(values[arg] for arg in args))
    assert evaluate(back(expression), values | {"m": 1.5}) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("expression", "function"), INWARD, ids=[str(row[0]) for row in INWARD])
def test_expressions_come_in_with_their_value(s, expression, function):
    """SymPy's functions, constants and conditions have their meaning."""
    found = from_sympy({x: s["q1"], y: s["q2"]}, expression)
    assert evaluate(found, {"q1": 0.37, "q2": 0.81}) == pytest.approx(function(0.37, 0.81), rel=1e-12)
    assert evaluate(found, {"q1": 0.9, "q2": 0.2}) == pytest.approx(function(0.9, 0.2), rel=1e-12)


def test_symbols_become_what_mechanics_expects(s):
    """Coordinates and speeds are functions of time, rates derivatives, parameters symbols, time is time."""
    q1, u1 = dynamicsymbols("q1 u1")
    found = to_sympy([s["q1"], dt(s["q1"]), s["u1"], dt(s["u1"]), s["m"], s["T"], s["t"]])
    assert found == [q1, q1.diff(T), u1, u1.diff(T), sympy.Symbol("m"), sympy.Symbol("T"), T]


def test_symbols_can_be_chosen(s):
    """A mapping says what a symbol becomes."""
    assert to_sympy(sin(s["q1"]) * s["m"], {s["q1"]: x}) == sympy.Symbol("m") * sympy.sin(x)


def test_numbers_become_exact_where_they_are(s):
    """Halves and thirds are rationals, whole numbers integers, the rest floats of 17 digits."""
    assert to_sympy(0.5 * s["m"]).args[0] == sympy.Rational(1, 2)
    assert to_sympy((1 / 3) * s["m"]).args[0] == sympy.Rational(1, 3)
    assert to_sympy(3 * s["m"]).args[0] == sympy.Integer(3)
    assert float(to_sympy(9.80665 * s["m"]).args[0]) == 9.80665


def test_conditions_become_booleans(s):
    """where is a Piecewise; & | ~ are And, Or, Not."""
    q1, m = to_sympy([s["q1"], s["m"]])
    condition = (s["q1"] < s["m"]) & ~(s["q1"] <= 0)
    expected = sympy.Piecewise((q1, sympy.And(q1 < m, sympy.Not(q1 <= 0))), (m, True))
    assert to_sympy(where(condition, s["q1"], s["m"])) == expected


def test_negative_powers_are_one_division(s):
    """x / (y z²) is one division, not three reciprocals."""
    a, b, c = sympy.symbols("a b c")
    found = from_sympy({a: s["m"], b: s["q1"], c: s["q2"]}, a / (b * c**2))
    assert found == s["m"] / (s["q1"] * s["q2"] ** 2)


def test_shared_parts_are_converted_once(s):
    """An expression that doubles at every level stays small on the way in."""
    expression = x
    for _ in range(60):
        expression = sympy.sin(expression) * sympy.cos(expression)
    found = from_sympy({x: s["q1"]}, expression)
    assert len(found.graph.nodes) < 300


def test_deep_expressions_come_in(s):
    """A tree deeper than Python's stack is converted."""
    expression = x
    for _ in range(3_000):
        expression = sympy.atan(expression, evaluate=False)
    assert from_sympy({x: s["q1"]}, expression).free_symbols == {s["q1"]}


def test_unknown_symbols_are_named(s):
    """A symbol without counterpart is an error that names it."""
    with pytest.raises(ExpressionError, match=r"SymPy's 'z' stands for nothing in 'arm'"):
        from_sympy({x: s["q1"]}, x + sympy.Symbol("z"))


def test_unknown_rates_are_named(s):
    """So is a derivative."""
    q = dynamicsymbols("q")
    with pytest.raises(ExpressionError, match=r"SymPy's 'Derivative\(q\(t\), t\)' stands for nothing in 'arm'"):
        from_sympy({q: s["q1"]}, q + q.diff(T))


def test_unknown_functions_are_named(s):
    """A function without counterpart is an error that shows it."""
    with pytest.raises(ExpressionError, match=r"SymPy's gamma has no counterpart in 'arm': gamma\(x \+ 1\)"):
        from_sympy({x: s["q1"]}, 2 * sympy.gamma(x + 1))


def test_complex_numbers_are_refused(s):
    """Expressions are real."""
    with pytest.raises(ExpressionError, match=r"SymPy's 'I' is not a real number"):
        from_sympy({x: s["q1"]}, x + sympy.I)


def test_a_piecewise_must_cover_everything(s):
    """A Piecewise without a last case is refused."""
    with pytest.raises(ExpressionError, match=r"Piecewise is undefined except where x > 0"):
        from_sympy({x: s["q1"]}, sympy.Piecewise((x, x > 0)))
