"""A graph numbered by meaning: no choice depends on the order in which a model was written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ADD, EQ, MAX, MIN, MUL, SYMBOL
from latchwork.symbolic.tidy.forms import RANK
from latchwork.symbolic.traverse import reachable

COMMUTATIVE = frozenset({ADD, MUL, MIN, MAX, EQ})


def copied(graph: Graph, roots: Sequence[int], scratch: Graph) -> dict[int, int]:
    """What lies under the roots, in a scratch graph: symbols by kind and name, then nodes by height and structure."""
    new: dict[int, int] = {}
    for i in _by_meaning(graph, roots):
        symbol = graph.symbols.get(i)
        if symbol is None:
            new[i] = scratch.make(graph.nodes[i][0], tuple(moved(graph, graph.nodes[i][1:], scratch, new)))
        else:
            new[i] = scratch.symbol(symbol.name, symbol.kind)
    return new


def moved(source: Graph, nodes: Iterable[int], target: Graph, new: Mapping[int, int]) -> list[int]:
    """Nodes and constants of one graph in another."""
    return [new[i] if i >= 0 else target.constant(source.value(i)) for i in nodes]


def _by_meaning(graph: Graph, roots: Sequence[int]) -> list[int]:
    """The nodes under the roots in a topological order that only their structure decides."""
    key: dict[int, tuple[int, int, str]] = {}
    for i in reachable(graph, roots):
        op, *args = graph.nodes[i]
        if op == SYMBOL:
            symbol = graph.symbols[i]
            key[i] = (0, RANK[symbol.kind], symbol.name)
            continue
        parts = [repr(key[a]) if a >= 0 else graph.value(a).hex() for a in args]
        text = f"{op} {sorted(parts) if op in COMMUTATIVE else parts}"
        height = 1 + max((key[a][0] for a in args if a >= 0), default=0)
        key[i] = (height, op, blake2b(text.encode(), digest_size=16).hexdigest())
    return sorted(key, key=key.__getitem__)
