"""Expressions in plain Python, for comparison: an interpreter of the graph, and recipes built in both worlds."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import latchwork.symbolic as sym
from latchwork.symbolic import Expr, Graph
from latchwork.symbolic.ops import OPS, SYMBOL
from latchwork.symbolic.traverse import reachable


def whole_power(a: Any, b: Any) -> Any:
    return a ** int(b) if b == int(b) else a**b


PLAIN: dict[str, Callable[..., Any]] = {
    "neg": operator.neg, "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "pow": whole_power, "abs": abs, "sign": lambda a: (a > 0) - (a < 0), "min": min, "max": max, "lt": operator.lt,
    "le": operator.le, "eq": operator.eq, "select": lambda c, a, b: a if c else b,
} | {
    name: getattr(math, name)
    for name in "sqrt exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh atan2".split()
}  # fmt: skip

WRITTEN: dict[str, Callable[..., Any]] = PLAIN | {
    name: getattr(sym, name)
    for name in "sqrt exp log sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh atan2 sign".split()
} | {
    "min": sym.minimum, "max": sym.maximum, "eq": sym.equal, "select": sym.where, "pow": operator.pow,
}  # fmt: skip

NAMES = {
    "m": "parameter", "L": "parameter", "k2": "parameter", "k10": "parameter", "gravity": "parameter", "T": "input",
    "t": "time", "q1": "coordinate", "q2": "coordinate", "theta2": "coordinate", "u1": "speed", "u2": "speed",
}  # fmt: skip
RATES = {"q1": "rate", "q2": "rate", "theta2": "rate", "u1": "acceleration", "u2": "acceleration"}


def symbols(graph: Graph) -> dict[str, Expr]:
    """A symbol of every kind, and the time derivatives of those that move."""
    found = {name: Expr(graph, graph.symbol(name, kind)) for name, kind in NAMES.items()}
    for name, kind in RATES.items():
        graph.symbol(f"{name}_rate", kind, found[name].node)
    return found


def evaluate(expression: Expr, values: Mapping[str, Any], number: Callable[[float], Any] = float) -> Any:
    """The value of an expression, operation by operation; exact where the values and numbers are fractions."""
    graph = expression.graph
    done: dict[int, Any] = {}
    for i in reachable(graph, [expression.node]):
        op, *args = graph.nodes[i]
        if op == SYMBOL:
            done[i] = values[graph.symbols[i].name]
        else:
            done[i] = PLAIN[OPS[op].name](*(done[a] if a >= 0 else number(graph.value(a)) for a in args))
    return done[expression.node] if expression.node >= 0 else number(graph.value(expression.node))


# --- recipes: (operation, argument, ...), the name of a symbol, or a number ----------------------------------------

# m and q2 are powers of two: dividing by them is exact in floating point too
EXACT = {"m": Fraction(4), "L": Fraction(5, 7), "q1": Fraction(-2, 3), "q2": Fraction(-1, 2), "u1": Fraction(1, 9)}
LEAVES = st.one_of(st.sampled_from(sorted(EXACT)), st.sampled_from([0.0, 1.0, -1.0, 2.0, -3.0, 0.5, 0.25]))


def _grow(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    compared = st.tuples(st.sampled_from(["lt", "le", "eq"]), inner, inner)
    return st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul"]), inner, inner),
        st.tuples(st.sampled_from(["min", "max"]), inner, inner),
        st.tuples(st.sampled_from(["neg", "abs", "sign"]), inner),
        st.tuples(st.just("div"), inner, st.sampled_from([*sorted(EXACT), 2.0, -0.5])),
        st.tuples(st.just("pow"), inner, st.sampled_from([2, 3])),
        st.tuples(st.just("select"), compared, inner, inner),
    )


RECIPES = st.recursive(LEAVES, _grow, max_leaves=14)


def cook(recipe: Any, leaves: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]], number: Any) -> Any:
    """A recipe carried out with some functions on some leaves."""
    if isinstance(recipe, str):
        return leaves[recipe]
    if not isinstance(recipe, tuple):
        return number(recipe)
    name, *args = recipe
    return functions[name](*(cook(arg, leaves, functions, number) for arg in args))


def written(recipe: Any, leaves: Mapping[str, Expr]) -> Expr:
    """A recipe as an expression."""
    graph = leaves["m"].graph
    result = cook(recipe, leaves, WRITTEN, lambda value: Expr(graph, graph.constant(float(value))))
    return result if isinstance(result, Expr) else Expr(graph, graph.constant(float(result)))


def reckoned(recipe: Any) -> Fraction:
    """A recipe in exact arithmetic."""
    return cook(recipe, EXACT, PLAIN, Fraction)
