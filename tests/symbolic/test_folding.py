"""Laws of the expression graph: what folding may do, what is refused, how large and how deep it may grow."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from fractions import Fraction

import pytest
from hypothesis import given

from latchwork.errors import ExpressionError
from latchwork.symbolic import Expr, Graph, cos, gradient, listing, sin, substitute, text, where
from symbolic.plain import EXACT, PLAIN, RECIPES, WRITTEN, evaluate, reckoned, symbols, written

DEPTH = 100_000
FUNCTIONS = [
    ("sqrt", 0.3), ("exp", -0.4), ("log", 0.3), ("sin", 0.3), ("cos", 0.3), ("tan", 0.3), ("asin", 0.3), ("acos", 0.3),
    ("atan", 0.3), ("sinh", 0.3), ("cosh", 0.3), ("tanh", 0.3), ("asinh", 0.3), ("acosh", 1.3), ("atanh", 0.3),
    ("abs", -0.3), ("sign", -0.3),
]  # fmt: skip


@pytest.fixture
def graph():
    return Graph("arm")


@pytest.fixture
def s(graph):
    return symbols(graph)


def deep(s, depth=DEPTH):
    """x ← sin x + q2 x, many times over."""
    x = s["q1"]
    for _ in range(depth):
        x = sin(x) + s["q2"] * x
    return x


@given(RECIPES)
def test_folding_never_changes_the_value(recipe):
    """An expression has the value of its recipe, in exact arithmetic."""
    assert evaluate(written(recipe, symbols(Graph("arm"))), EXACT, Fraction) == reckoned(recipe)


@pytest.mark.parametrize(("name", "x"), FUNCTIONS)
@pytest.mark.parametrize("scale", [1.0, -1.0, 2.0, -2.0])
def test_signs_move_through_functions_without_changing_the_value(s, name, x, scale):
    """f(c x) is f(c x), for odd, even and other functions."""
    expression = WRITTEN[name](scale * s["q1"])
    assert evaluate(expression, {"q1": x / scale}) == pytest.approx(PLAIN[name](x), rel=1e-15)


@pytest.mark.parametrize(("name", "x"), FUNCTIONS)
def test_functions_of_constants_are_constants(graph, name, x):
    """f(3) is a number at once."""
    assert float(WRITTEN[name](Expr(graph, graph.constant(x)))) == pytest.approx(PLAIN[name](x), rel=4e-16)


def test_equal_expressions_are_one_node(s):
    """Interning: building an expression again gives the same node and no new ones."""
    first = s["m"] * sin(s["q1"]) + s["L"]
    size = len(s["m"].graph.nodes)
    again = s["L"] + sin(s["q1"]) * s["m"]
    assert again == first
    assert hash(again) == hash(first)
    assert len(s["m"].graph.nodes) == size


def test_zeros_and_ones_fold(s):
    """0, 1, signs, like terms and sin² + cos² = 1 fold as nodes are made."""
    x, y = s["q1"], s["q2"]
    assert x - x == 0
    assert 0 * x == 0
    assert 1 * x == x
    negative = -x
    assert -negative == x
    assert x - (-y) == x + y
    assert 2 * x + 3 * x == 5 * x
    assert sin(x) ** 2 + cos(x) ** 2 == 1
    assert sin(-x) == -sin(x)
    assert cos(-x) == cos(x)


def test_a_difference_is_not_mistaken_for_an_operation_code():
    """(a + b) - c keeps c whichever place c has in the graph."""
    graph = Graph("arm")
    x = [Expr(graph, graph.symbol(f"x{i}", "coordinate")) for i in range(40)]
    values = {f"x{i}": Fraction(2) ** i for i in range(40)}
    for i in range(2, 40):
        assert evaluate((x[0] + x[1]) - x[i], values, Fraction) == 3 - Fraction(2) ** i


def test_mixing_two_models_is_an_error_that_names_both(s):
    """An expression cannot hold symbols of two models."""
    other = symbols(Graph("gripper"))
    with pytest.raises(ExpressionError, match=r"'q1' belongs to the model 'gripper', not to 'arm'"):
        s["q1"] + other["q1"]


def test_constants_move_between_models(s):
    """A number is a number in every model."""
    two = s["q1"] - s["q1"] + 2
    other = symbols(Graph("gripper"))
    assert two * other["q1"] == 2 * other["q1"]


def test_comparisons_have_no_truth_value(s):
    """``if a < b`` is refused until there are numbers."""
    with pytest.raises(ExpressionError, match=r"'q1 < q2' has no truth value"):
        bool(s["q1"] < s["q2"])


def test_only_comparisons_are_conditions(s):
    """where asks for a comparison."""
    with pytest.raises(ExpressionError, match=r"'q1' is not a condition"):
        where(s["q1"], 1, 2)


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_division_by_zero_is_refused(s, zero):
    """A divisor that folded to zero, of either sign, is an error at once."""
    with pytest.raises(ExpressionError, match=r"division by zero in 'arm'"):
        s["q1"] / zero


def test_constants_are_finite(s):
    """inf and nan are refused where they come in."""
    with pytest.raises(ExpressionError, match=r"inf cannot be a constant of 'arm'"):
        s["q1"] * float("inf")


def test_float_of_an_expression_names_its_symbols(s):
    """An expression that is not a number says what it waits for."""
    with pytest.raises(ExpressionError, match=r"depends on m, q1 and is not a number"):
        float(s["m"] * s["q1"])


@given(RECIPES)
def test_substituting_numbers_is_evaluating(recipe):
    """e.subs({x: v}) has the value of e at x = v."""
    leaves = symbols(Graph("arm"))
    expression = written(recipe, leaves)
    replaced = expression.subs({leaves["q2"]: -0.5, leaves["m"]: 4.0})
    assert evaluate(replaced, EXACT, Fraction) == reckoned(recipe)
    assert not replaced.free_symbols & {leaves["q2"], leaves["m"]}


def test_substitution_is_simultaneous(s):
    """Exchanging two symbols exchanges them."""
    expression = s["q1"] - 2 * s["q2"]
    assert substitute([expression], {s["q1"]: s["q2"], s["q2"]: s["q1"]}) == [s["q2"] - 2 * s["q1"]]


def test_only_symbols_are_substituted(s):
    """A sum cannot be replaced."""
    with pytest.raises(ExpressionError, match=r"only symbols can be replaced, not 'q1 \+ q2'"):
        s["q1"].subs({s["q1"] + s["q2"]: 1.0})


def test_free_symbols_are_those_the_value_depends_on(s):
    """Symbols that fold away are not free."""
    assert (s["m"] * sin(s["q1"]) + s["q2"] - s["q2"]).free_symbols == {s["m"], s["q1"]}
    assert (s["m"] - s["m"]).free_symbols == frozenset()


@pytest.mark.campaign
def test_a_very_deep_graph_can_be_used(s):
    """No traversal recurses: building, differentiating, substituting and printing work 100,000 deep."""
    x = deep(s)
    assert x.free_symbols == {s["q1"], s["q2"]}
    assert x.diff(s["q1"]).free_symbols == {s["q1"], s["q2"]}
    assert gradient(x, [s["m"], s["q1"]])[0] == 0
    assert x.subs({s["q1"]: 0.0}) == 0
    assert text(x) == "<300000 operations of q1, q2>"
    assert x.latex().startswith(r"\langle 300000")
    assert "300000" in x.mathml()


def test_a_very_deep_graph_can_be_listed(s):
    """Every line of a listing is short and uses only names of lines before it."""
    lines = listing([deep(s, 5_000)], ["f"])
    assert lines[-1][0] == "f"
    assert max(len(body) for _, body in lines) < 2_000
    known = {"sin", "q1", "q2"}
    for name, body in lines:
        assert set("".join(c if c.isalnum() else " " for c in body).split()) <= known
        known.add(name)


def test_memory_is_given_back():
    """A dropped model leaves nothing behind."""
    gc.collect()
    tracemalloc.start()
    try:
        graph = Graph("arm")
        x = deep(symbols(graph), 10_000)
        alive, used = weakref.ref(graph), tracemalloc.get_traced_memory()[0]
        del graph, x
        gc.collect()
        left = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert alive() is None
    assert left < 0.02 * used
