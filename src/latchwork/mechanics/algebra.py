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


def similar(g: Graph, R: Square, m: Square) -> Square:
    """R m Rᵀ; what is symmetric stays so."""
    full = matmul(g, R, matmul(g, m, transpose(R)))
    if m != transpose(m):
        return full
    return full[0], (full[0][1], *full[1][1:]), (full[0][2], full[1][2], full[2][2])


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


def turn_square(g: Graph, axis: int, angle: int, m: Square) -> Square:
    """R m Rᵀ for a rotation about a coordinate axis. In the plane across the axis, with t = s (a - d) + c (b + b'),

    R [a b; b' d] Rᵀ = [a - s t,  c t - b';  c t - b,  d + s t]
    """
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = g.cos(angle), g.sin(angle)
    row, column = turn(g, axis, angle, m[axis]), turn(g, axis, angle, transpose(m)[axis])
    out = [[ZERO] * 3 for _ in range(3)]
    for k in (i, j):
        out[axis][k], out[k][axis] = row[k], column[k]
    t = g.add(g.mul(s, g.sub(m[i][i], m[j][j])), g.mul(c, g.add(m[i][j], m[j][i])))
    st, ct = g.mul(s, t), g.mul(c, t)
    out[axis][axis] = m[axis][axis]
    out[i][i], out[j][j] = g.sub(m[i][i], st), g.add(m[j][j], st)
    out[i][j], out[j][i] = g.sub(ct, m[j][i]), g.sub(ct, m[i][j])
    return tuple(tuple(line) for line in out)  # type: ignore[return-value]
