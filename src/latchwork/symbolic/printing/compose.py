"""Writing a graph in a given style: from the arguments up, every node once, in an order a reader expects.

Factors: numbers, parameters, inputs, coordinates and time, functions of them, rates, speeds, accelerations; by name
within each. Terms: by their factors, a positive one first. The order comes from names alone, never from the order in
which nodes were made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import SYMBOL
from latchwork.symbolic.printing.as_text import TEXT
from latchwork.symbolic.printing.layout import Call, Factor, Item, Product, Side, Sum, layout
from latchwork.symbolic.printing.names import NaturalKey, natural
from latchwork.symbolic.printing.style import Piece, Style
from latchwork.symbolic.traverse import reachable

RANK = {
    "parameter": 2, "input": 4, "coordinate": 6, "time": 6, "auxiliary": 6, "rate": 8, "speed": 10, "acceleration": 12,
    "multiplier": 12,
}  # fmt: skip
COMMUTES = frozenset({"min", "max", "eq", "and", "or"})
FactorKey = tuple[int, tuple[NaturalKey, str], int]
TermKey = tuple[list[FactorKey], list[FactorKey], tuple[float, ...], tuple[float, ...]]


@dataclass
class Canvas:
    """What has been written so far, in one style."""

    graph: Graph
    style: Style
    named: Mapping[int, str]
    items: Mapping[int, Item]
    written: dict[int, Piece] = field(default_factory=dict)

    def operand(self, a: int) -> Piece:
        """An argument as it appears inside others: a number, a symbol, a name, or what was written for it."""
        if a < 0:
            return self.style.number(self.graph.value(a))
        if a in self.named:
            return self.style.symbol(self.named[a], 0)
        return self.written[a] if a in self.written else symbol_piece(self.graph, a, self.style)

    def factor(self, node: int, exponent: int) -> Piece:
        """A node raised to a whole power."""
        item = self.items.get(node)
        if exponent == 1:
            return self.operand(node)
        if isinstance(item, Call) and node not in self.named:
            return self.style.call(item.name, [self.operand(a) for a in item.args], exponent)
        return self.style.power(self.operand(node), self.style.number(exponent))

    def term(self, product: Product) -> Piece:
        """A product without its sign."""
        top, under = ([self.factor(*factor) for factor in side.factors] for side in (product.top, product.under))
        return self.style.product(product.top.numbers, top, product.under.numbers, under)

    def write(self, item: Item) -> Piece:
        """An item whose arguments are written already."""
        if isinstance(item, Call):
            return self.style.call(item.name, [self.operand(a) for a in item.args], 1)
        terms = [(term.negative, self.term(term)) for term in item.terms]
        return terms[0][1] if len(terms) == 1 and not terms[0][0] else self.style.sum(terms)


def symbol_piece(graph: Graph, leaf: int, style: Style) -> Piece:
    """A symbol by its name; a time derivative by the name of what it is the derivative of."""
    dots = 0
    while graph.symbols[leaf].derivative_of >= 0:
        leaf, dots = graph.symbols[leaf].derivative_of, dots + 1
    return style.symbol(graph.symbols[leaf].name, dots)


def compose(graph: Graph, roots: Sequence[int], style: Style, named: Mapping[int, str]) -> dict[int, Piece]:
    """What is written for every root and every named node; named nodes appear by name inside the others."""
    shown = [*roots, *named]
    nodes = reachable(graph, shown)
    ranks, items = _ranks(graph, nodes), layout(graph, shown, nodes, named)
    text = Canvas(graph, TEXT, named, items)
    sheets = [text] if style is TEXT else [text, Canvas(graph, style, named, items)]
    for node in sorted(items):
        items[node] = _ordered(items[node], text, ranks)
        for sheet in sheets:
            sheet.written[node] = sheet.write(items[node])
    final = sheets[-1]
    return {root: final.written[root] if root in items else final.operand(root) for root in shown}


def _ranks(graph: Graph, nodes: Sequence[int]) -> dict[int, int]:
    """Where a factor goes by what it depends on: even for symbols, one more for what is made of them."""
    ranks: dict[int, int] = {}
    for i in nodes:
        op, *args = graph.nodes[i]
        ranks[i] = RANK[graph.symbols[i].kind] if op == SYMBOL else max(ranks.get(a, 0) for a in args) | 1
    return ranks


def _ordered(item: Item, text: Canvas, ranks: Mapping[int, int]) -> Item:
    """The item with its factors, terms or exchangeable arguments in reading order."""

    def key(factor: Factor) -> FactorKey:
        return ranks.get(factor[0], 0), natural(text.operand(factor[0]).body), factor[1]

    if isinstance(item, Call):
        return Call(item.name, tuple(sorted(item.args, key=lambda a: key((a, 1))))) if item.name in COMMUTES else item
    keyed = sorted((_keyed_term(term, key) for term in item.terms), key=lambda pair: pair[0])
    return Sum(tuple(_positive_first([term for _, term in keyed])))


def _keyed_term(term: Product, key: Callable[[Factor], FactorKey]) -> tuple[TermKey, Product]:
    """The term with its factors in order, and the key that puts it in order among others."""
    top, under = (sorted((key(factor), factor) for factor in side.factors) for side in (term.top, term.under))
    over, below = (
        Side(side.numbers, tuple(f for _, f in ordered)) for side, ordered in ((term.top, top), (term.under, under))
    )
    return ([k for k, _ in top], [k for k, _ in under], over.numbers, below.numbers), Product(
        term.negative, over, below
    )


def _positive_first(terms: list[Product]) -> list[Product]:
    """a - b rather than -b + a."""
    first = next((i for i, term in enumerate(terms) if not term.negative), 0)
    return [*terms[first : first + 1], *terms[:first], *terms[first + 1 :]]
