"""Read: expressions of a graph as closed terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from latchwork.symbolic import exact
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ADD, DIV, MUL, NEG, SUB, SYMBOL, ZERO
from latchwork.symbolic.tidy.forms import TERMS, Forms
from latchwork.symbolic.tidy.monomials import Poly, Term, plus, product
from latchwork.symbolic.traverse import use_counts

FACTORS = 40  # a longer product is left as it is


def read(graph: Graph, roots: Sequence[int], forms: Forms) -> list[Term]:
    """The roots as closed terms; sums used more than once stay whole unless the way opens them."""
    uses = use_counts(graph, roots)
    poly: dict[int, Poly] = {}

    def of(a: int) -> Poly:
        return poly[a] if a >= 0 else {(): graph.value(a)} if a != ZERO else {}

    for i in uses:
        op, *args = graph.nodes[i]
        if op == SYMBOL:
            value = _single(forms.symbol(i, graph.symbols[i].kind))
        else:
            value = READ.get(op, _read_function)(forms, op, [of(a) for a in args])
        if len(value) > TERMS or (len(value) > 1 and uses[i] > 1 and not forms.way.open_shared):
            value = _single(forms.close(value, shared=True))
        poly[i] = value
    return [forms.close(of(i)) for i in roots]


def _single(term: Term) -> Poly:
    return {term[1]: term[0]} if term[0] else {}


def _read_product(forms: Forms, op: int, x: list[Poly]) -> Poly:
    """a b or a / b as one term; a number times a sum stays a sum."""
    for number, other in ((x[1], x[0]), (x[0], x[1])) if op == MUL else ((x[1], x[0]),):
        if list(number) == [()]:
            return plus({}, other, number[()] if op == MUL else exact.over(1.0, number[()]))
    term = product(forms.close(x[0]), forms.close(x[1]), 1 if op == MUL else -1)
    if sum(abs(e) for _, e in term[1]) > FACTORS:
        return _read_function(forms, op, x)
    return _single(term)


def _read_function(forms: Forms, op: int, x: list[Poly]) -> Poly:
    return _single(forms.function(op, tuple(forms.close(p) for p in x)))


READ: dict[int, Callable[[Forms, int, list[Poly]], Poly]] = {
    ADD: lambda forms, op, x: plus(x[0], x[1]),
    SUB: lambda forms, op, x: plus(x[0], x[1], -1.0),
    NEG: lambda forms, op, x: plus({}, x[0], -1.0),
    MUL: _read_product,
    DIV: _read_product,
}
