"""Sums and differences as they are folded: signs, constants, like terms, sin² + cos² = 1. Nothing is expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from latchwork.symbolic import exact
from latchwork.symbolic.ops import ADD, COS, MUL, NEG, SIN, SUB, TWO, ZERO

if TYPE_CHECKING:
    from latchwork.symbolic.graph import Graph

SUMS = (ADD, SUB)


def add(g: Graph, a: int, b: int) -> int:
    """a + b, with signs turned into differences, like terms c x + d x merged, sin² + cos² = 1."""
    if a == ZERO:
        return b
    if b == ZERO:
        return a
    if a > b:
        a, b = b, a
    if b < 0:
        return g.constant(exact.plus(g.value(a), g.value(b)))
    key = (ADD, a, b)
    if (found := g.index.get(key)) is not None:
        return found
    y = g.nodes[b]
    if a < 0:  # a constant joins the constant already there
        if y[0] == ADD and y[1] < 0:
            return g.add(g.constant(exact.plus(g.value(a), g.value(y[1]))), y[2])
        if y[0] == SUB and y[1] < 0:
            return g.sub(g.constant(exact.plus(g.value(a), g.value(y[1]))), y[2])
        return g.sub(a, y[1]) if y[0] == NEG else g.new(key)
    if a == b:
        return g.mul(TWO, a)
    x = g.nodes[a]
    if y[0] == NEG:
        return g.folded(key, g.sub(a, y[1]))
    if x[0] == NEG:
        return g.folded(key, g.sub(b, x[1]))
    if x[0] == SUB and x[2] == b:
        return x[1]
    if y[0] == SUB and y[2] == a:
        return y[1]
    if x[1] < 0 > y[1] and x[0] in SUMS and y[0] in SUMS:  # (c + x) + (d + y) = (c + d) + (x + y)
        return _constants_joined(g, x, y, 1.0)
    if (x[0] == MUL or y[0] == MUL) and (merged := _like_terms(g, a, b, 1.0)) is not None:
        return g.folded(key, merged)
    return g.new(key)


def sub(g: Graph, a: int, b: int) -> int:
    """a - b, folded as in ``add``."""
    if b == ZERO:
        return a
    if a == b:
        return ZERO
    if a == ZERO:
        return g.neg(b)
    if b < 0:
        return g.add(g.constant(-g.value(b)), a)
    key = (SUB, a, b)
    if (found := g.index.get(key)) is not None:
        return found
    y = g.nodes[b]
    if y[0] == NEG:
        return g.folded(key, g.add(a, y[1]))
    if y[0] == MUL and y[1] < 0 and g.value(y[1]) < 0.0:
        return g.folded(key, g.add(a, g.neg(b)))
    if a >= 0:
        x = g.nodes[a]
        if x[0] == NEG:
            return g.folded(key, g.neg(g.add(x[1], b)))
        if x[0] == ADD and b in x[1:]:
            return x[2] if x[1] == b else x[1]
        if x[0] == SUB and x[1] == b:
            return g.neg(x[2])
        if y[0] == ADD and a in y[1:]:
            return g.neg(y[2] if y[1] == a else y[1])
        if y[0] == SUB and y[1] == a:
            return y[2]
        if x[1] < 0 > y[1] and x[0] in SUMS and y[0] in SUMS:
            return _constants_joined(g, x, y, -1.0)
        if (x[0] == MUL or y[0] == MUL) and (merged := _like_terms(g, a, b, -1.0)) is not None:
            return g.folded(key, merged)
    return g.new(key)


def _constants_joined(g: Graph, x: tuple[int, ...], y: tuple[int, ...], sign: float) -> int:
    """(c ± x) ± (d ± y) with one constant in front."""
    constant = g.constant(exact.plus(g.value(x[1]), sign * g.value(y[1])))
    first = x[2] if x[0] == ADD else g.neg(x[2])
    return g.add(constant, (g.add if (y[0] == ADD) == (sign > 0) else g.sub)(first, y[2]))


def _like_terms(g: Graph, a: int, b: int, sign: float) -> int | None:
    """c x ± d x = (c ± d) x for constants c, d; k sin² x + k cos² x = k."""
    p, q, x, y = g.nodes[a], g.nodes[b], a, b
    if p[0] == MUL and p[1] < 0:
        x = p[2]
        p = g.nodes[x]
    if q[0] == MUL and q[1] < 0:
        y = q[2]
        q = g.nodes[y]
    if x == y:
        c, d = g.split_coefficient(a)[0], g.split_coefficient(b)[0]
        return g.mul(g.constant(exact.plus(c, sign * d)), x)
    if p[0] == MUL == q[0] and p[1] == p[2] and q[1] == q[2]:
        r, s = g.nodes[p[1]], g.nodes[q[1]]
        if {r[0], s[0]} == {SIN, COS} and r[1] == s[1]:
            c, d = g.split_coefficient(a)[0], g.split_coefficient(b)[0]
            return g.constant(c) if c == sign * d else None
    return None
