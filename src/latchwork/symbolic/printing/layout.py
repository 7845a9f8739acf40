"""From the binary graph to what a reader expects: chains of + - gathered into sums, chains of * / into products.

Nothing is expanded and nothing is cancelled between numerator and denominator. The layout of a node names the nodes it
shows (never deeper), so a layout costs as much memory as the graph it shows.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ADD, COMPARISONS, DIV, MAX, MIN, MUL, NEG, ONE, OPS, SUB, SYMBOL
from latchwork.symbolic.printing.numbers import gathered

Factor = tuple[int, int]  # a node and its whole exponent
Opens = Callable[[int], bool]


@dataclass(frozen=True, slots=True)
class Side:
    """What stands above or below a fraction bar."""

    numbers: tuple[float, ...]
    factors: tuple[Factor, ...]


@dataclass(frozen=True, slots=True)
class Product:
    """± top / under."""

    negative: bool
    top: Side
    under: Side


@dataclass(frozen=True, slots=True)
class Sum:
    """Products added; a sum of one is a product, of none is 0."""

    terms: tuple[Product, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function of its arguments: an operation of the graph, or ``and``, ``or``, ``not`` of conditions."""

    name: str
    args: tuple[int, ...]


Item = Sum | Call
ARITHMETIC = frozenset({NEG, ADD, SUB, MUL, DIV})
LOGIC = {MIN: "and", MAX: "or"}


def conditions(graph: Graph, nodes: Iterable[int]) -> set[int]:
    """The nodes (given in ascending order) that are comparisons, or made of comparisons by & | ~."""
    found: set[int] = set()
    for i in nodes:
        op, *args = graph.nodes[i]
        both = op in LOGIC and all(a in found for a in args)
        if both or op in COMPARISONS or (op == SUB and args[0] == ONE and args[1] in found):
            found.add(i)
    return found


def layout(graph: Graph, roots: Iterable[int], nodes: Iterable[int], named: Collection[int]) -> dict[int, Item]:
    """How each node that gets written is laid out. Named nodes are not opened where they are used."""
    logical = conditions(graph, nodes)
    items: dict[int, Item] = {}
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node < 0 or node in items or graph.nodes[node][0] == SYMBOL:
            continue
        items[node] = item = _item(graph, node, logical, named)
        stack.extend(child for child in children(item) if child not in named)
    return items


def children(item: Item) -> Iterator[int]:
    """The nodes an item shows."""
    if isinstance(item, Call):
        yield from item.args
    else:
        for term in item.terms:
            yield from (node for side in (term.top, term.under) for node, _ in side.factors)


def _item(graph: Graph, node: int, logical: set[int], named: Collection[int]) -> Item:
    op, *args = graph.nodes[node]
    if node in logical and op == SUB:
        return Call("not", (args[1],))
    if node in logical and op in LOGIC:
        return Call(LOGIC[op], tuple(args))
    if op not in ARITHMETIC:
        return Call(OPS[op].name, tuple(args))

    def opens(i: int) -> bool:
        return i == node or (i >= 0 and i not in logical and i not in named)

    return Sum(tuple(_product(graph, term, count, opens) for term, count in _terms(graph, node, opens) if count))


class _Tally:
    """Nodes waiting to be opened, the largest index first, so that each is seen once, with its final count."""

    def __init__(self, node: int, side: int, count: int) -> None:
        self.counts = {(node, side): count}
        self.heap = [(-node, side)]

    def add(self, node: int, side: int, count: int) -> None:
        if (node, side) not in self.counts:
            heapq.heappush(self.heap, (-node, side))
        self.counts[node, side] = self.counts.get((node, side), 0) + count

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        while self.heap:
            node, side = heapq.heappop(self.heap)
            yield -node, side, self.counts[-node, side]


def _terms(graph: Graph, node: int, opens: Opens) -> Iterator[Factor]:
    """node = Σ count · term, opening additions, subtractions and signs."""
    tally = _Tally(node, 0, 1)
    for i, _, count in tally:
        op, *args = graph.nodes[i] if opens(i) else (SYMBOL,)
        if op not in (ADD, SUB, NEG):
            yield i, count
            continue
        for a, sign in zip(args, SIGNS[op], strict=True):
            tally.add(a, 0, sign * count)


SIGNS = {ADD: (1, 1), SUB: (1, -1), NEG: (-1,)}
SIDES = {MUL: (1, 1), DIV: (1, -1), NEG: (1,)}


def _product(graph: Graph, node: int, count: int, opens: Opens) -> Product:
    """count · node as a product, opening multiplications, divisions and signs."""
    numbers: dict[int, list[float]] = {1: [abs(count)], -1: []}
    factors: dict[int, list[Factor]] = {1: [], -1: []}
    negative = count < 0
    tally = _Tally(node, 1, 1)
    for i, side, exponent in tally:
        op, *args = graph.nodes[i] if opens(i) else (SYMBOL,)
        if i < 0:
            negative ^= graph.value(i) < 0.0 and exponent % 2 == 1
            numbers[side] += [abs(graph.value(i))] * exponent
        elif op not in SIDES:
            factors[side].append((i, exponent))
        else:
            negative ^= op == NEG and exponent % 2 == 1
            for a, flip in zip(args, SIDES[op], strict=True):
                tally.add(a, side * flip, exponent)
    top, under = (Side(gathered(numbers[side]), tuple(factors[side])) for side in (1, -1))
    return Product(negative, top, under)
