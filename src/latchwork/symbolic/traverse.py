"""Walks over the graph, none of them recursive: what is reached, what is used how often, substitution, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from latchwork.errors import ExpressionError, must_be
from latchwork.symbolic.expr import Expr, graph_of, operand
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ADD, COS, DIV, MUL, NEG, OPS, SIN, SUB, SYMBOL, TAN


def reachable(graph: Graph, roots: Iterable[int]) -> list[int]:
    """The nodes that the roots depend on, themselves included, in ascending (topological) order."""
    found = cone(graph, roots)
    found.sort()
    return found


def cone(graph: Graph, roots: Iterable[int], without: set[int] | None = None) -> list[int]:
    """The nodes that the roots depend on, themselves included, in no order; those in ``without`` are left out.

    Whatever those depend on must be among them.
    """
    nodes = graph.nodes
    seen = {root for root in roots if root >= 0}
    if without is not None:
        seen -= without
    found = list(seen)
    if without is not None:
        seen |= without
    note, append = seen.add, found.append
    for i in found:  # it grows on the way
        node = nodes[i]
        if len(node) == 3:  # most of them
            _, a, b = node
            if a >= 0 and a not in seen:
                note(a)
                append(a)
            if b >= 0 and b not in seen:
                note(b)
                append(b)
        elif node[0] != SYMBOL:
            for a in node[1:]:
                if a >= 0 and a not in seen:
                    note(a)
                    append(a)
    return found


def use_counts(graph: Graph, roots: Sequence[int]) -> dict[int, int]:
    """How many times each reachable node is an argument or a root."""
    counts = dict.fromkeys(reachable(graph, roots), 0)
    for node in counts:
        if graph.nodes[node][0] != SYMBOL:
            for a in graph.nodes[node][1:]:
                if a >= 0:
                    counts[a] += 1
    for root in roots:
        if root >= 0:
            counts[root] += 1
    return counts


def rebuild(graph: Graph, roots: Sequence[int], replaced: dict[int, int]) -> list[int]:
    """The roots with nodes replaced, folding on the way. Untouched parts stay the nodes they are."""
    if not replaced:
        return list(roots)
    new, nodes = dict(replaced), graph.nodes
    get, touched, make = new.get, new.keys(), graph.make
    for i in reachable(graph, roots):
        node = nodes[i]
        if node[0] == SYMBOL or i in new:
            continue
        if len(node) == 3:  # most of them
            op, a, b = node
            if a in new or b in new:
                c, d = get(a, a), get(b, b)
                if c != a or d != b:
                    new[i] = make(op, (c, d))
            continue
        args = node[1:]
        if not touched.isdisjoint(args):
            moved = tuple([get(a, a) for a in args])
            if moved != args:
                new[i] = make(node[0], moved)
    return [get(root, root) for root in roots]


def substitute(expressions: Sequence[Expr], values: Mapping[Expr, Any]) -> list[Expr]:
    """All symbols replaced at once in several expressions of one model."""
    must_be(values, Mapping, "what is put in for symbols", "Give {symbol: value}.")
    graph = graph_of(expressions)
    if graph is None:
        return list(expressions)
    replaced = {}
    for symbol, value in values.items():
        if not isinstance(symbol, Expr) or not symbol.is_symbol:
            raise ExpressionError(f"only symbols can be replaced, not '{symbol}'. Give {{symbol: value}}.")
        if symbol.graph is graph:
            replaced[symbol.node] = operand(graph, value)
    return [Expr(graph, node) for node in rebuild(graph, [operand(graph, e) for e in expressions], replaced)]


@dataclass(frozen=True)
class Operations:
    """Operations of an evaluation; divisions are among ``multiplies``, subtractions and signs among ``adds``."""

    multiplies: int
    adds: int
    trig: int
    others: int = 0

    @property
    def total(self) -> int:
        return self.multiplies + self.adds + self.trig + self.others

    def __add__(self, other: Operations) -> Operations:
        return Operations(
            self.multiplies + other.multiplies,
            self.adds + other.adds,
            self.trig + other.trig,
            self.others + other.others,
        )

    def __str__(self) -> str:
        parts = [f"{self.multiplies} multiplies and divides", f"{self.adds} adds and subtracts"]
        parts += [f"{self.trig} sines and cosines", *([f"{self.others} other"] if self.others else [])]
        return ", ".join(parts)


NOTHING = (0, 0, 0, 0)
CLASSES: dict[int, tuple[int, int, int, int]] = {op: (0, 0, 0, 1) for op in OPS} | {
    SYMBOL: NOTHING, MUL: (1, 0, 0, 0), DIV: (1, 0, 0, 0), ADD: (0, 1, 0, 0), SUB: (0, 1, 0, 0), NEG: (0, 1, 0, 0),
    SIN: (0, 0, 1, 0), COS: (0, 0, 1, 0), TAN: (1, 0, 2, 0),  # a tangent is a sine over a cosine
}  # fmt: skip

WAIT = {SYMBOL: 0, SIN: 0, COS: 0, DIV: 4}


def count_shared(expressions: Sequence[Expr]) -> Operations:
    """Operations when every common subexpression is evaluated once."""
    graph = graph_of(expressions)
    if graph is None:
        return Operations(0, 0, 0)
    return count_nodes(graph, cone(graph, [e.node for e in expressions]))


def count_nodes(graph: Graph, reached: Iterable[int]) -> Operations:
    """Operations of nodes, those that they depend on among them."""
    nodes = graph.nodes
    times = Counter([nodes[i][0] for i in reached])
    return Operations(*[sum([CLASSES[op][k] * count for op, count in times.items()]) for k in range(4)])


def chain_of_nodes(graph: Graph, reached: Iterable[int]) -> int:
    """Operations that wait for each other, at most: a division takes four times as long, sines come before all.

    Nodes come in ascending order, those that they depend on among them.
    """
    nodes, wait, order = graph.nodes, WAIT.get, list(reached)
    chain = [0] * (max(order, default=-1) + 1 + len(graph.constants))  # constants, at the end, wait for nothing
    for i in order:
        node = nodes[i]
        op = node[0]
        if len(node) == 3:  # most of them
            before, other = chain[node[1]], chain[node[2]]
            chain[i] = (other if other > before else before) + wait(op, 1)
        elif op != SYMBOL:
            chain[i] = max([chain[a] for a in node[1:]]) + wait(op, 1)
    return max(chain)


def count_literal(expressions: Sequence[Expr]) -> Operations:
    """Operations in the expressions as written, nothing shared: how the papers count.

    A leading minus costs nothing: -(a b) + c reads as c - a b.
    """
    graph = graph_of(expressions)
    if graph is None:
        return Operations(0, 0, 0)
    total: dict[int, tuple[int, int, int, int]] = {}
    for i in reachable(graph, [e.node for e in expressions]):
        row = graph.nodes[i]
        parts = [] if row[0] == SYMBOL else [total[a] for a in row[1:] if a >= 0]
        own = NOTHING if row[0] == NEG else CLASSES[row[0]]
        total[i] = tuple(map(sum, zip(own, *parts, strict=True)))  # type: ignore[assignment]
    rows = [total[e.node] for e in expressions if e.node >= 0]
    return Operations(*(sum(column) for column in zip(*rows, strict=True))) if rows else Operations(0, 0, 0)
