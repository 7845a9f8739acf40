"""Derivatives on the graph: forward (one direction, all outputs), reverse (one output, all symbols), in time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from numbers import Real

from latchwork.errors import ExpressionError, listed, must_be
from latchwork.symbolic.expr import Expr, graph_of, operand
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ADD, LE, MAX, MIN, MUL, NEG, ONE, OPS, SELECT, SUB, SYMBOL, ZERO
from latchwork.symbolic.traverse import reachable

BINARY = frozenset((ADD, SUB, MUL))
BRANCHES: Mapping[int, Callable[..., tuple[int, int, int]]] = {  # condition, value where it holds, value elsewhere
    SELECT: lambda g, condition, a, b: (condition, a, b),
    MIN: lambda g, a, b: (g.compare(LE, a, b), a, b),
    MAX: lambda g, a, b: (g.compare(LE, b, a), a, b),
}


def tangents(graph: Graph, roots: Sequence[int], direction: Mapping[int, int], every_case: bool = False) -> list[int]:
    """Forward mode: ẏ = Σ ∂y/∂x ẋ for every root y, given ẋ for some leaves x (all others zero).

    Of cases, the rate of the one that holds; with ``every_case`` others have a part of zero, which is no number where
    they have no rate: what jumps, as the direction of a spring does where it has no length, is then no number there.
    """
    if max(roots, default=ZERO) < 0:
        return [ZERO] * len(roots)
    dot: dict[int, int] = {}
    nodes, add, mul, get = graph.nodes, graph.add, graph.mul, dot.get
    for i in reachable(graph, roots):
        if i in direction:
            if direction[i] != ZERO:
                dot[i] = direction[i]
            continue
        node = nodes[i]
        op = node[0]
        if op in BINARY:  # most of them
            _, a, b = node
            if a not in dot and b not in dot:
                continue
            da, db = get(a, ZERO), get(b, ZERO)
            if op == ADD:
                rate = add(da, db)
            elif op == SUB:
                rate = graph.sub(da, db)
            else:
                rate = add(mul(da, b), mul(a, db))
        elif op == SYMBOL or dot.keys().isdisjoint(node[1:]):
            continue
        elif op == NEG:
            rate = graph.neg(dot[node[1]])
        elif op in BRANCHES and not every_case:  # that of the other branch may be no number there
            condition, a, b = BRANCHES[op](graph, *node[1:])
            rate = graph.select(condition, get(a, ZERO), get(b, ZERO))
        else:
            rate = ZERO
            partials = OPS[op].partials(graph, i, node[1:])
            for a, partial in zip(node[1:], partials, strict=True):
                if a in dot:
                    rate = add(rate, mul(partial, dot[a]))
        if rate != ZERO:
            dot[i] = rate
    return [dot.get(root, ZERO) for root in roots]


def adjoints(graph: Graph, root: int, leaves: Iterable[int] | None = None) -> dict[int, int]:
    """Reverse mode: ∂root/∂node for every node that the root depends on, or for those between it and some leaves."""
    bar: dict[int, int] = {root: ONE} if root >= 0 else {}
    nodes, order = graph.nodes, reachable(graph, [root])
    between = set(order if leaves is None else leaves)
    if leaves is not None:
        between.update(_depending(graph, order, between))
    for i in reversed(order):
        if i not in between or bar.get(i, ZERO) == ZERO:
            continue
        op, *args = nodes[i]
        if op == SYMBOL:
            continue
        for a, partial in zip(args, OPS[op].partials(graph, i, tuple(args)), strict=True):
            if a in between and partial != ZERO:
                bar[a] = graph.add(bar.get(a, ZERO), graph.mul(bar[i], partial))
    return bar


def _depending(graph: Graph, order: Sequence[int], leaves: set[int]) -> set[int]:
    """Of nodes in ascending order, those that depend on some leaves."""
    found, nodes = set(leaves), graph.nodes
    for i in order:
        node = nodes[i]
        if len(node) == 3:  # most of them
            if node[1] in found or node[2] in found:
                found.add(i)
        elif node[0] != SYMBOL and not found.isdisjoint(node[1:]):
            found.add(i)
    return found


def derivative(expression: Expr, symbol: Expr) -> Expr:
    """∂ expression / ∂ symbol."""
    by = leaf(expression.graph, symbol)
    return Expr(expression.graph, tangents(expression.graph, [expression.node], {by: ONE})[0])


def gradient(expression: Expr, symbols: Sequence[Expr]) -> list[Expr]:
    """∂ expression / ∂ symbol for many symbols, by one reverse sweep."""
    must_be(expression, Expr, "what is differentiated", "Give an expression.")
    symbols = listed(symbols, "what it is differentiated by", "Give a list of symbols: lw.gradient(e, [q1, q2]).")
    bar = adjoints(expression.graph, expression.node)
    return [Expr(expression.graph, bar.get(leaf(expression.graph, s), ZERO)) for s in symbols]


def jacobian(expressions: Sequence[Expr], symbols: Sequence[Expr]) -> list[list[Expr]]:
    """∂ expressions / ∂ symbols, forward or reverse, whichever takes fewer sweeps."""
    advice = "Give two lists: lw.jacobian([e1, e2], [q1, q2])."
    expressions, symbols = listed(expressions, "what is differentiated", advice), listed(symbols, "by what", advice)
    graph = graph_of([*expressions, *symbols])
    if graph is None:
        return [[] for _ in expressions]
    if len(symbols) > len(expressions):
        return [gradient(operand_expr(graph, e), symbols) for e in expressions]
    roots = [operand(graph, e) for e in expressions]
    columns = [tangents(graph, roots, {leaf(graph, s): ONE}) for s in symbols]
    return [[Expr(graph, column[i]) for column in columns] for i in range(len(roots))]


def rates(graph: Graph, roots: Sequence[int]) -> dict[int, int]:
    """The time derivative of each leaf the roots depend on: dt(q) = q̇, dt(u) = u̇, dt(t) = 1, held inputs 0."""
    along = {}
    for leaf in reachable(graph, roots):
        symbol = graph.symbols.get(leaf)
        if symbol is None or symbol.kind in ("parameter", "input"):
            continue
        if symbol.kind == "time":
            along[leaf] = ONE
        elif leaf in graph.rate_of:
            along[leaf] = graph.rate_of[leaf]
        else:
            raise ExpressionError(
                f"dt cannot differentiate '{symbol.name}' ({symbol.kind}) of '{graph.name}': second derivatives of "
                "coordinates are not symbols. Introduce a speed for it and differentiate the speed."
            )
    return along


def dt(expression: Expr) -> Expr:
    """Total time derivative; dt(q) is the symbol q̇, dt(u) the symbol u̇, whatever the speeds turn out to be."""
    if not isinstance(expression, Expr):
        if hasattr(expression, "dt_in"):
            raise ExpressionError("the derivative of a vector depends on the frame. Use vector.dt_in(frame).")
        must_be(expression, Real, "what is differentiated by time", "Give an expression of the model, or a number.")
        return operand_expr(Graph("numbers"), 0.0)
    graph = expression.graph
    along = rates(graph, [expression.node])
    return Expr(graph, tangents(graph, [expression.node], along)[0])


def operand_expr(graph: Graph, value: object) -> Expr:
    """A number or expression as an expression of the graph."""
    return Expr(graph, operand(graph, value))


def leaf(graph: Graph, symbol: Expr) -> int:
    """The node of a symbol; one that nothing in the graph depends on where it belongs to another."""
    if not isinstance(symbol, Expr) or not symbol.is_symbol:
        raise ExpressionError(f"derivatives are taken with respect to symbols, not '{symbol}'.")
    return symbol.node if symbol.graph is graph else -(10**9)
