"""Shorter equal expressions, as a careful analyst would write them.

Three steps, repeated while they help:

    read       sums and products are flattened:  Σ c · Π factor ** exponent
    close      like terms merge, sin² + cos² = 1, common factors come out (Horner)
    assemble   binary operations again, pairs of operands that occur most often first, so that they are shared

Products of sums are multiplied out only where that is shorter in the end. The work is bounded: of long sums not every
way is tried until nothing is gained, and tidying again, with work of its own, may find a little more. All this happens
in a scratch graph whose nodes are numbered by what they mean, so that neither the choices nor the counts depend on the
order in which a model was written. What was found is remembered by them: a model that is described again is tidied at
once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from latchwork.errors import ExpressionError
from latchwork.symbolic.expr import Expr, graph_of, operand
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.tidy.assembly import Assembly
from latchwork.symbolic.tidy.forms import WAYS, Forms, Way
from latchwork.symbolic.tidy.meaning import copied, moved
from latchwork.symbolic.tidy.reading import read
from latchwork.symbolic.traverse import count_literal, count_shared, reachable

SHORT = 150  # operations up to which tidying is quick enough to be done without being asked
KEPT, LARGEST = 128, 1000  # results that are remembered, and nodes of which they are at most
WORK = 500  # operations read in all ways and rounds together; the first way is always tried


def tidy(expressions: Sequence[Expr]) -> list[Expr]:
    """Equal expressions that take fewer operations together; the same ones where nothing shorter is found."""
    graph = graph_of(expressions)
    if graph is None:
        return list(expressions)
    roots = [operand(graph, e) for e in expressions]
    scratch = Graph(graph.name)
    known = copied(graph, roots, scratch)
    shortest = _remembered(scratch, moved(graph, roots, scratch, known))
    back = {known[i]: i for i in known if i in graph.symbols}

    def moved_back(nodes: Sequence[int]) -> list[int]:
        return [back[i] if i >= 0 else graph.constant(shortest.constants[~i]) for i in nodes]

    for i, (op, *args) in shortest.rows:
        if i not in back:
            back[i] = graph.make(op, tuple(moved_back(args)))
    found = moved_back(shortest.roots)
    return [Expr(graph, i) for i in (found if _shorter(graph, found, roots) else roots)]


class Shortest(NamedTuple):
    """The best that was found for some roots: its nodes by number, arguments first, its roots, and its constants."""

    rows: list[tuple[int, tuple[int, ...]]]
    roots: list[int]
    constants: list[float]


Content = tuple[tuple[tuple[int, ...], ...], tuple[float, ...], tuple[str, ...], tuple[int, ...], int]
_known: dict[Content, Shortest] = {}


def _remembered(scratch: Graph, roots: list[int]) -> Shortest:
    """The best of all ways for the content of a scratch graph, on which alone, and on the work, it depends."""
    kinds = tuple([symbol.kind for symbol in scratch.symbols.values()])
    content: Content = tuple(scratch.nodes), tuple(scratch.constants), kinds, tuple(roots), WORK
    found = _known.pop(content, None)
    if found is None:
        best = _shortest(scratch, roots)
        found = Shortest([(i, scratch.nodes[i]) for i in reachable(scratch, best)], best, list(scratch.constants))
    if len(content[0]) <= LARGEST:
        _known[content] = found  # the last that was asked for is forgotten last
        while len(_known) > KEPT:
            _known.pop(next(iter(_known)), None)
    return found


def _shortest(graph: Graph, roots: list[int]) -> list[int]:
    """The best of all ways to read and factor, applied again until nothing is gained."""
    best, left = roots, WORK // (1 + len(reachable(graph, roots)))
    while left > 0 or best is roots:
        ways = WAYS[: max(left, 1)]
        found = _mixed(graph, [best, *_candidates(graph, best, ways)])
        if not _shorter(graph, found, best):
            break
        best, left = found, left - len(ways)
    return best


def _shorter(graph: Graph, new: Sequence[int], old: Sequence[int]) -> bool:
    """Fewer operations with everything shared; where that is equal, fewer operations as written."""
    if list(new) == list(old):
        return False
    a, b = ([Expr(graph, i) for i in roots] for roots in (new, old))
    change = count_shared(a).total - count_shared(b).total
    return change < 0 or (change == 0 and count_literal(a).total < count_literal(b).total)


def _candidates(graph: Graph, roots: list[int], ways: Sequence[Way]) -> Iterator[list[int]]:
    """The roots rewritten in each way; one that meets a vanishing divisor or an overflow is dropped."""
    for way in ways:
        try:
            forms = Forms(way)
            yield Assembly(graph, forms, read(graph, roots, forms)).roots
        except (ExpressionError, ArithmeticError):
            continue


def _mixed(graph: Graph, candidates: list[list[int]]) -> list[int]:
    """The best candidate, then each root (equal ones together) from the candidate where it costs the whole least."""
    best = candidates[0]
    for other in candidates[1:]:
        best = other if _shorter(graph, other, best) else best
    for i in range(len(best)):
        for other in candidates:
            trial = [other[i] if root == best[i] else root for root in best]
            if trial != best and _shorter(graph, trial, best):
                best = trial
    return best
