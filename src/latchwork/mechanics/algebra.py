"""Triples of nodes: the arithmetic of measure numbers in one frame, with structural zeros left out."""

from __future__ import annotations

from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE, ZERO

Triple = tuple[int, int, int]
Square = tuple[Triple, Triple, Triple]

NULL: Triple = (ZERO, ZERO, ZERO)
UNITS: tuple[Triple, Triple, Triple] = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def add3(g: Graph, a: Triple, b: Triple) -> Triple:
    """a + b."""
    if a == NULL:
        return b
    if b == NULL:
        return a
    return g.add(a[0], b[0]), g.add(a[1], b[1]), g.add(a[2], b[2])


def sub3(g: Graph, a: Triple, b: Triple) -> Triple:
    """a - b."""
    return a if b == NULL else (g.sub(a[0], b[0]), g.sub(a[1], b[1]), g.sub(a[2], b[2]))


def scale3(g: Graph, k: int, a: Triple) -> Triple:
    """k a."""
    return a if k == ONE else (g.mul(k, a[0]), g.mul(k, a[1]), g.mul(k, a[2]))


def dot3(g: Graph, a: Triple, b: Triple) -> int:
    """a · b."""
    return g.add(g.add(g.mul(a[0], b[0]), g.mul(a[1], b[1])), g.mul(a[2], b[2]))


def cross3(g: Graph, a: Triple, b: Triple) -> Triple:
    """a × b."""
    if a == NULL or b == NULL:
        return NULL
    mul, sub = g.mul, g.sub
    return (
        sub(mul(a[1], b[2]), mul(a[2], b[1])),
        sub(mul(a[2], b[0]), mul(a[0], b[2])),
        sub(mul(a[0], b[1]), mul(a[1], b[0])),
    )


def matvec(g: Graph, m: Square, a: Triple) -> Triple:
    """m a."""
    return dot3(g, m[0], a), dot3(g, m[1], a), dot3(g, m[2], a)


def transpose(m: Square) -> Square:
    """mᵀ."""
    return (
        (m[0][0], m[1][0], m[2][0]),
        (m[0][1], m[1][1], m[2][1]),
        (m[0][2], m[1][2], m[2][2]),
    )


def matmul(g: Graph, a: Square, b: Square) -> Square:
    """a b."""
    return transpose(tuple(matvec(g, a, column) for column in transpose(b)))  # type: ignore[arg-type]


def turn(g: Graph, axis: int, angle: int, a: Triple) -> Triple:
    """Rotation of a by ``angle`` about coordinate axis 0, 1 or 2: a_parent = R(axis, angle) a_child."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    if a[i] == ZERO and a[j] == ZERO:
        return a
    c, s = g.cos(angle), g.sin(angle)
    turned = [ZERO, ZERO, ZERO]
    turned[axis] = a[axis]
    turned[i] = g.sub(g.mul(c, a[i]), g.mul(s, a[j]))
    turned[j] = g.add(g.mul(s, a[i]), g.mul(c, a[j]))
    return turned[0], turned[1], turned[2]
