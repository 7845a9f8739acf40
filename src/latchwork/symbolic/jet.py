"""First order in small quantities: y = y₀ + Σ y_s s, in which products of two small ones are never formed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import MINUS_ONE, MUL, ONE, OPS, SYMBOL, ZERO
from latchwork.symbolic.traverse import reachable


class Jet(NamedTuple):
    """y₀ and y_s, nodes in which no small quantity stands."""

    value: int
    slopes: Mapping[int, int]


NOTHING = Jet(ZERO, {})
Jet3 = tuple[Jet, Jet, Jet]


class Jets:
    """Arithmetic of first-order expansions in some symbols of a graph."""

    def __init__(self, graph: Graph, small: Sequence[int]) -> None:
        self.g, self.small = graph, tuple(small)
        self._known: dict[int, Jet] = {s: Jet(ZERO, {s: ONE}) for s in self.small}

    def of(self, nodes: Sequence[int]) -> list[Jet]:
        """y(0) and ∂y/∂s(0) of expressions; each node is expanded once, from the expansions of its arguments."""
        for i in self._fresh(nodes):
            op, *args = self.g.nodes[i]
            self._known[i] = Jet(i, {}) if op == SYMBOL else self._expanded(i, op, [self._jet_of(a) for a in args])
        return [self._jet_of(node) for node in nodes]

    def _fresh(self, nodes: Sequence[int]) -> list[int]:
        """What the nodes depend on and was not expanded before, arguments first."""
        known, stack = self._known, [node for node in nodes if node >= 0 and node not in self._known]
        seen = set(stack)
        while stack:
            op, *args = self.g.nodes[stack.pop()]
            fresh = [a for a in args if a >= 0 and a not in known and a not in seen] if op != SYMBOL else []
            seen.update(fresh)
            stack += fresh
        return sorted(seen)

    def _jet_of(self, node: int) -> Jet:
        return self._known[node] if node >= 0 else Jet(node, {})

    def _expanded(self, i: int, op: int, args: list[Jet]) -> Jet:
        """y₀ = op(a₀, b₀), y_s = Σ ∂y/∂a(0) a_s."""
        if op == MUL:
            return self.mul(args[0], args[1])
        values = tuple(jet.value for jet in args)
        value = i if values == tuple(self.g.nodes[i][1:]) else self.g.make(op, values)
        if not any(jet.slopes for jet in args):
            return Jet(value, {})
        total = Jet(value, {})
        for jet, partial in zip(args, OPS[op].partials(self.g, value, values), strict=True):
            if jet.slopes:
                total = self.add(total, self.scale(partial, Jet(ZERO, jet.slopes)))
        return total

    def of3(self, nodes: Sequence[int]) -> Jet3:
        x, y, z = self.of(nodes)
        return x, y, z

    def node(self, jet: Jet) -> int:
        """y₀ + Σ y_s s as one expression."""
        total = jet.value
        for s, slope in jet.slopes.items():
            total = self.g.add(total, self.g.mul(slope, s))
        return total

    # --- arithmetic ---------------------------------------------------------------------------------------------

    def add(self, a: Jet, b: Jet) -> Jet:
        slopes = dict(a.slopes)
        for s, slope in b.slopes.items():
            slopes[s] = self.g.add(slopes.get(s, ZERO), slope)
        return self._jet(self.g.add(a.value, b.value), slopes)

    def mul(self, a: Jet, b: Jet) -> Jet:
        """a₀ b₀ + Σ (a_s b₀ + a₀ b_s) s."""
        slopes = {s: self.g.mul(slope, b.value) for s, slope in a.slopes.items()}
        for s, slope in b.slopes.items():
            slopes[s] = self.g.add(slopes.get(s, ZERO), self.g.mul(a.value, slope))
        return self._jet(self.g.mul(a.value, b.value), slopes)

    def scale(self, k: int, a: Jet) -> Jet:
        """k a, with k free of small quantities."""
        return self._jet(self.g.mul(k, a.value), {s: self.g.mul(k, slope) for s, slope in a.slopes.items()})

    def sub(self, a: Jet, b: Jet) -> Jet:
        return self.add(a, self.scale(MINUS_ONE, b))

    def sum(self, jets: Iterable[Jet]) -> Jet:
        total = NOTHING
        for jet in jets:
            total = self.add(total, jet)
        return total

    def dot(self, a: Jet3, b: Jet3) -> Jet:
        return self.sum(self.mul(x, y) for x, y in zip(a, b, strict=True))

    def cross(self, a: Jet3, b: Jet3) -> Jet3:
        def entry(i: int, j: int) -> Jet:
            return self.sub(self.mul(a[i], b[j]), self.mul(a[j], b[i]))

        return entry(1, 2), entry(2, 0), entry(0, 1)

    def times(self, square: Sequence[Sequence[int]], a: Jet3) -> Jet3:
        """A matrix free of small quantities times a."""
        x, y, z = (self.sum(self.scale(k, jet) for k, jet in zip(row, a, strict=True)) for row in square)
        return x, y, z

    def rate(self, a: Jet3, along: Mapping[int, Jet]) -> Jet3:
        """ẏ = Σ (∂y₀/∂x + Σ ∂y_s/∂x s) ẋ + Σ y_s ṡ, given the rates of leaves; others are constant.

        The rate of a small coordinate must be small: then what was dropped in y stays of second order in ẏ.
        """
        x, y, z = (self._rate(jet, along) for jet in a)
        return x, y, z

    def _rate(self, a: Jet, along: Mapping[int, Jet]) -> Jet:
        nodes = [a.value, *a.slopes.values()]
        total = self.sum(self.scale(slope, along[s]) for s, slope in a.slopes.items() if s in along)
        for leaf in reachable(self.g, nodes):
            if leaf in along:
                value, *slopes = tangents(self.g, nodes, {leaf: ONE})
                part = self._jet(value, dict(zip(a.slopes, slopes, strict=True)))
                total = self.add(total, self.mul(part, along[leaf]))
        return total

    @staticmethod
    def _jet(value: int, slopes: Mapping[int, int]) -> Jet:
        return Jet(value, {s: slope for s, slope in slopes.items() if slope != ZERO})
