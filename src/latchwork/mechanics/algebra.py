"""Triples of nodes: the arithmetic of measure numbers in one frame, with structural zeros left out."""

from __future__ import annotations

from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE, ZERO

Triple = tuple[int, int, int]
Square = tuple[Triple, Triple, Triple]

NULL: Triple = (ZERO, ZERO, ZERO)
ACROSS = ((1, 2), (2, 0), (0, 1))  # the axes across each axis, in the sense of a turn about it
UNITS: tuple[Triple, Triple, Triple] = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))


def add3(g: Graph, a: Triple, b: Triple) -> Triple:
    """a + b."""
    if a == NULL:
        return b
    if b == NULL:
        return a
    add, (a0, a1, a2), (b0, b1, b2) = g.add, a, b
    return (
        b0 if a0 == ZERO else a0 if b0 == ZERO else add(a0, b0),
        b1 if a1 == ZERO else a1 if b1 == ZERO else add(a1, b1),
        b2 if a2 == ZERO else a2 if b2 == ZERO else add(a2, b2),
    )


def sub3(g: Graph, a: Triple, b: Triple) -> Triple:
    """a - b."""
    if b == NULL:
        return a
    sub, (a0, a1, a2), (b0, b1, b2) = g.sub, a, b
    return a0 if b0 == ZERO else sub(a0, b0), a1 if b1 == ZERO else sub(a1, b1), a2 if b2 == ZERO else sub(a2, b2)


def scale3(g: Graph, k: int, a: Triple) -> Triple:
    """k a."""
    if k == ONE or a == NULL:
        return a
    mul, (x, y, z) = g.mul, a
    return ZERO if x == ZERO else mul(k, x), ZERO if y == ZERO else mul(k, y), ZERO if z == ZERO else mul(k, z)


def dot3(g: Graph, a: Triple, b: Triple) -> int:
    """a · b."""
    (a0, a1, a2), (b0, b1, b2) = a, b
    total = ZERO if a0 == ZERO or b0 == ZERO else g.mul(a0, b0)
    if a1 != ZERO and b1 != ZERO:
        total = g.add(total, g.mul(a1, b1))
    if a2 != ZERO and b2 != ZERO:
        total = g.add(total, g.mul(a2, b2))
    return total


def cross3(g: Graph, a: Triple, b: Triple) -> Triple:
    """a × b."""
    if a == NULL or b == NULL:
        return NULL
    (a0, a1, a2), (b0, b1, b2) = a, b
    return _less(g, a1, b2, a2, b1), _less(g, a2, b0, a0, b2), _less(g, a0, b1, a1, b0)


def _less(g: Graph, a: int, b: int, c: int, d: int) -> int:
    """a b - c d."""
    if c == ZERO or d == ZERO:
        return ZERO if a == ZERO or b == ZERO else g.mul(a, b)
    return g.sub(ZERO if a == ZERO or b == ZERO else g.mul(a, b), g.mul(c, d))


def matvec(g: Graph, m: Square, a: Triple) -> Triple:
    """m a."""
    return NULL if a == NULL else (dot3(g, m[0], a), dot3(g, m[1], a), dot3(g, m[2], a))


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
    """Rotation of a by ``angle`` about coordinate axis 0, 1 or 2: a_parent = R(axis, angle) a_child.

    The two components across the axis become ``c x - s y`` and ``s x + c y``.
    """
    i, j = ACROSS[axis]
    x, y = a[i], a[j]
    if x == ZERO and y == ZERO:
        return a
    c, s = g.cos_sin(angle)
    turned = list(a)
    if y == ZERO:
        turned[i], turned[j] = g.mul(c, x), g.mul(s, x)
    elif x == ZERO:
        turned[i], turned[j] = g.neg(g.mul(s, y)), g.mul(c, y)
    else:
        turned[i], turned[j] = g.sub(g.mul(c, x), g.mul(s, y)), g.add(g.mul(s, x), g.mul(c, y))
    return turned[0], turned[1], turned[2]


def turn_square(g: Graph, axis: int, angle: int, m: Square) -> Square:
    """R m Rᵀ for a rotation about a coordinate axis. In the plane across the axis, with t = s (a - d) + c (b + b'),

    R [a b; b' d] Rᵀ = [a - s t,  c t - b';  c t - b,  d + s t]
    """
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = g.cos_sin(angle)
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
