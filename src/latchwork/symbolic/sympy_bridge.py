"""SymPy in and out. Shared subexpressions are converted once, deep ones without recursion; SymPy is imported late."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

from latchwork.errors import ExpressionError, did_you_mean
from latchwork.symbolic.exact import PI, RATIONAL
from latchwork.symbolic.expr import Expr, graph_of, operand
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import BY_NAME, EQ, HALF, LE, LT, MAX, MIN, ONE, OPS, SELECT, SYMBOL, TAN, ZERO
from latchwork.symbolic.printing.layout import conditions
from latchwork.symbolic.printing.numbers import ratio
from latchwork.symbolic.traverse import reachable

# --- out ----------------------------------------------------------------------------------------------------------

OPERATORS: dict[str, Callable[..., Any]] = {
    "neg": operator.neg, "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "pow": operator.pow,
}  # fmt: skip
RENAMED = {"abs": "Abs", "min": "Min", "max": "Max", "lt": "StrictLessThan", "le": "LessThan", "eq": "Equality"}
LOGIC = {"min": "And", "max": "Or"}
MOVING = frozenset({"coordinate", "speed", "auxiliary"})


@overload
def to_sympy(expressions: Expr, symbols: Mapping[Expr, Any] | None = None) -> Any: ...
@overload
def to_sympy(expressions: Sequence[Expr], symbols: Mapping[Expr, Any] | None = None) -> list[Any]: ...
def to_sympy(expressions: Any, symbols: Mapping[Expr, Any] | None = None) -> Any:
    """The same in SymPy: coordinates and speeds as functions of time, rates as derivatives, the rest as symbols.

    ``symbols`` says what else some symbols should become. Ratios of small whole numbers become rationals.
    """
    if isinstance(expressions, Expr):
        return to_sympy([expressions], symbols)[0]
    graph = graph_of(expressions)
    if graph is None:
        return [_number(value) for value in expressions]
    roots = [operand(graph, e) for e in expressions]
    nodes = reachable(graph, roots)
    out = _Outward(graph, conditions(graph, nodes), {s.node: value for s, value in (symbols or {}).items()})
    for node in nodes:
        if node not in out.done:
            out.done[node] = out.convert(node)
    return [out.value(root) for root in roots]


class _Outward:
    """What has been converted: numbers as expressions of SymPy, conditions as its booleans."""

    def __init__(self, graph: Graph, logical: set[int], done: dict[int, Any]) -> None:
        import sympy

        self.sympy, self.graph, self.logical, self.done = sympy, graph, logical, done

    def value(self, a: int) -> Any:
        """An operand as a number; a condition counts 1 where it holds."""
        if a < 0:
            return _number(self.graph.value(a))
        return self.sympy.Piecewise((1, self.done[a]), (0, True)) if a in self.logical else self.done[a]

    def condition(self, a: int) -> Any:
        """An operand as a boolean."""
        return self.done[a] if a in self.logical else self.sympy.Ne(self.value(a), 0)

    def convert(self, node: int) -> Any:
        op, *args = self.graph.nodes[node]
        if op == SYMBOL:
            return self.symbol(node)
        name = OPS[op].name
        if node in self.logical and name == "sub":
            return self.sympy.Not(self.condition(args[1]))
        if node in self.logical and name in LOGIC:
            return getattr(self.sympy, LOGIC[name])(*map(self.condition, args))
        if op == SELECT:
            return self.sympy.Piecewise((self.value(args[1]), self.condition(args[0])), (self.value(args[2]), True))
        function = OPERATORS.get(name) or getattr(self.sympy, RENAMED.get(name, name))
        return function(*map(self.value, args))

    def symbol(self, leaf: int) -> Any:
        from sympy.physics.mechanics import dynamicsymbols

        row = self.graph.symbols[leaf]
        if row.derivative_of >= 0:
            base = row.derivative_of
            return self.sympy.Derivative(self.done[base] if base in self.done else self.symbol(base), dynamicsymbols._t)
        if row.kind == "time":
            return dynamicsymbols._t
        return dynamicsymbols(row.name) if row.kind in MOVING else self.sympy.Symbol(row.name)


def _number(value: float) -> Any:
    """A ratio, a multiple of π, √2 or √3, or all 17 digits; decimals that are no ratio of small numbers stay so."""
    import sympy

    found = ratio(value)
    if found is not None:
        unit = {RATIONAL: sympy.Integer(1), PI: sympy.pi}.get(found.unit) or sympy.sqrt(found.unit)
        return sympy.Rational(*found.c.as_integer_ratio()) * unit
    return sympy.Integer(int(value)) if value == int(value) and abs(value) < 2.0**53 else sympy.Float(value, 17)


# --- in -----------------------------------------------------------------------------------------------------------

Make = Callable[[Graph, list[int]], int]


def _folded(op: int) -> Make:
    """An operation of two arguments applied along a list."""

    def make(graph: Graph, args: list[int]) -> int:
        total = args[0]
        for a in args[1:]:
            total = graph.make(op, (total, a))
        return total

    return make


def _named(op: int) -> Make:
    return lambda graph, args: graph.make(op, tuple(args))


def _heaviside(graph: Graph, args: list[int]) -> int:
    """0 before, 1 after, and what SymPy says (½ unless told) at zero."""
    x, at_zero = args[0], args[1] if len(args) > 1 else HALF
    after = graph.select(graph.compare(LT, ZERO, x), ONE, at_zero)
    return graph.select(graph.compare(LT, x, ZERO), ZERO, after)


def _piecewise(graph: Graph, args: list[int]) -> int:
    """Pairs value, condition; the last condition is true."""
    result = args[-2]
    for value, condition in zip(args[-4::-2], args[-3::-2], strict=True):
        result = graph.select(condition, value, result)
    return result


def _power(graph: Graph, args: list[int]) -> int:
    """a ** b, with a negative constant b as a division."""
    a, b = args
    if b < 0 and graph.value(b) < 0.0:
        return graph.div(ONE, graph.pow(a, graph.neg(b)))
    return graph.pow(a, b)


SAME = "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp sign".split()
INWARD: dict[str, Make] = {name: _named(BY_NAME[name]) for name in SAME} | {
    "Abs": _named(BY_NAME["abs"]),
    "Add": _folded(BY_NAME["add"]),
    "And": _folded(MIN),
    "Equality": _named(EQ),
    "GreaterThan": lambda g, x: g.compare(LE, x[1], x[0]),
    "Heaviside": _heaviside,
    "ITE": lambda g, x: g.select(*x),
    "LessThan": _named(LE),
    "Max": _folded(MAX),
    "Min": _folded(MIN),
    "Not": lambda g, x: g.sub(ONE, x[0]),
    "Or": _folded(MAX),
    "Piecewise": _piecewise,
    "Pow": _power,
    "StrictGreaterThan": lambda g, x: g.compare(LT, x[1], x[0]),
    "StrictLessThan": _named(LT),
    "Unequality": lambda g, x: g.sub(ONE, g.compare(EQ, *x)),
    "cot": lambda g, x: g.div(ONE, g.unary(TAN, x[0])),
    "csc": lambda g, x: g.div(ONE, g.sin(x[0])),
    "log": lambda g, x: g.log(x[0]) if len(x) == 1 else g.div(g.log(x[0]), g.log(x[1])),
    "sec": lambda g, x: g.div(ONE, g.cos(x[0])),
}


@overload
def from_sympy(symbols: Mapping[Any, Expr], expressions: Sequence[Any]) -> list[Expr]: ...
@overload
def from_sympy(symbols: Mapping[Any, Expr], expressions: Any) -> Any: ...
def from_sympy(symbols: Mapping[Any, Expr], expressions: Any) -> Any:
    """SymPy expressions in a model: ``symbols`` says what each symbol, function of time and derivative becomes."""
    if not isinstance(expressions, Sequence):
        return from_sympy(symbols, [expressions])[0]
    from sympy import sympify

    graph = graph_of(symbols.values()) or Graph("numbers")
    inward = _Inward(graph, symbols)
    return [Expr(graph, inward.convert(sympify(expression))) for expression in expressions]


class _Inward:
    """What has been converted, by the identity of SymPy's object (its hash would recurse)."""

    def __init__(self, graph: Graph, symbols: Mapping[Any, Expr]) -> None:
        self.graph, self.symbols = graph, symbols
        self.done: dict[int, tuple[Any, int]] = {}
        self.meant: dict[int, Any] = {}  # functions that are written out by their own ``doit``, such as muscle curves

    def convert(self, root: Any) -> int:
        stack = [(root, False)]
        while stack:
            node, ready = stack.pop()
            if id(node) in self.done:
                continue
            leaf = None if ready else self.leaf(node)
            if leaf is not None or ready:
                self.done[id(node)] = node, self.made(node) if leaf is None else leaf
            else:
                stack.append((node, True))
                meant = self.meant.get(id(node))
                stack.extend((child, False) for child in (_children(node) if meant is None else (meant,)))
        return self.done[id(root)][1]

    def leaf(self, node: Any) -> int | None:
        """A symbol or a number; None for what has arguments to convert first."""
        if (node.is_Symbol or node.is_Derivative or _undefined(node)) and node in self.symbols:
            return operand(self.graph, self.symbols[node])
        if not node.args and node.is_number:
            return self.graph.constant(_real(node))
        if node.func.__name__ in ("BooleanTrue", "BooleanFalse"):
            return ONE if node else ZERO
        if node.is_Symbol or node.func.__name__ == "Derivative" or _undefined(node):
            known = did_you_mean(str(node), map(str, self.symbols))
            raise ExpressionError(f"SymPy's '{node}' stands for nothing in '{self.graph.name}'.{known}")
        if node.func.__name__ != "Mul" and node.func.__name__ not in INWARD:
            written = node.doit(deep=False) if node.is_Function else node
            if written != node:
                self.meant[id(node)] = written
                return None
            raise ExpressionError(
                f"SymPy's {node.func.__name__} has no counterpart in '{self.graph.name}': {_shown(node)}. "
                "Rewrite it with functions of real numbers before converting."
            )
        return None

    def made(self, node: Any) -> int:
        """A node whose arguments, or what it means, are converted."""
        if id(node) in self.meant:
            return self.done[id(self.meant[id(node)])][1]
        if node.func.__name__ == "Mul":
            return self.quotient(node)
        return INWARD[node.func.__name__](self.graph, [self.done[id(child)][1] for child in _children(node)])

    def quotient(self, node: Any) -> int:
        """A product with its denominators and negative powers under one division."""
        over, under = ONE, ONE
        for base, exponent in map(_split, node.args):
            if base.is_Rational:
                over = self.graph.mul(over, self.graph.constant(float(base.p)))
                under = self.graph.mul(under, self.graph.constant(float(base.q)))
            elif exponent is None:
                over = self.graph.mul(over, self.done[id(base)][1])
            else:
                factor = self.graph.pow(self.done[id(base)][1], self.graph.constant(exponent))
                under = self.graph.mul(under, factor)
        return self.graph.div(over, under)


def _split(factor: Any) -> tuple[Any, float | None]:
    """(base, exponent) of a factor that belongs under the bar; (factor, None) of any other."""
    if factor.is_Pow and factor.exp.is_Number and factor.exp.is_negative and not factor.base.is_Rational:
        return factor.base, -float(factor.exp)
    return factor, None


def _children(node: Any) -> Iterator[Any]:
    """The parts that must be converted before the node."""
    name = node.func.__name__
    if name == "Mul":
        yield from (_split(factor)[0] for factor in node.args)
    elif name == "Piecewise":
        if node.args[-1].cond != True:  # noqa: E712 (a SymPy boolean)
            raise ExpressionError(
                f"SymPy's Piecewise is undefined except where {_shown(node.args[-1].cond)}: {_shown(node)}. "
                "Add a last case (value, True)."
            )
        yield from (part for pair in node.args for part in (pair.expr, pair.cond))
    else:
        yield from node.args


def _undefined(node: Any) -> bool:
    from sympy.core.function import AppliedUndef

    return isinstance(node, AppliedUndef)


def _real(number: Any) -> float:
    try:
        return float(number)
    except TypeError:
        raise ExpressionError(f"SymPy's '{number}' is not a real number. Expressions hold real numbers only.") from None


def _shown(node: Any) -> str:
    """The expression where it is short enough to show."""
    try:
        written = str(node)
    except RecursionError:
        return "a very deep expression"
    return written if len(written) <= 120 else written[:117] + "..."
