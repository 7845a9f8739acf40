"""Vectors and dyadics in mixed frames: ``L*u1*A.y + L*(u1 + u2)*B.y`` stays as it was written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from latchwork.errors import ExpressionError, answering, must_be
from latchwork.mechanics.algebra import NULL, Square, Triple, add3, cross3, dot3, matvec, scale3
from latchwork.symbolic.derivative import leaf, rates, tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import rebuild

if TYPE_CHECKING:
    from latchwork.mechanics.frame import Frame
    from latchwork.mechanics.tree import Tree


A_VECTOR = "Give a vector, such as N.x."


@answering
class Vector:
    """A sum of measure numbers in one or more frames. Immutable."""

    __slots__ = ("parts", "tree")
    __array_ufunc__ = None

    def __init__(self, tree: Tree, parts: Mapping[Frame, Triple]) -> None:
        self.tree = tree
        self.parts: dict[Frame, Triple] = {frame: part for frame, part in parts.items() if part != NULL}

    # --- algebra ------------------------------------------------------------------------------------------------

    def __add__(self, other: Vector) -> Vector:
        if not isinstance(other, Vector):
            if isinstance(other, int | float) and other == 0:
                return self
            raise ExpressionError(f"a vector can only be added to a vector; got {other!r}.")
        g = self.tree.graph
        parts = dict(self.parts)
        for frame, part in other.parts.items():
            self.tree.must_own(frame)
            parts[frame] = add3(g, parts.get(frame, NULL), part)
        return Vector(self.tree, _gather_shared_axes(self.tree, parts) if len(parts) > 1 else parts)

    __radd__ = __add__

    def __sub__(self, other: Vector) -> Vector:
        must_be(other, Vector, "what is taken from a vector", A_VECTOR)
        return self + (-other)

    def __neg__(self) -> Vector:
        return Vector(self.tree, {frame: scale3(self.tree.graph, -3, part) for frame, part in self.parts.items()})

    def __mul__(self, k: Any) -> Vector:
        if isinstance(k, Vector):
            raise ExpressionError("vector * vector is ambiguous. Use a.dot(b), a.cross(b) or a.outer(b).")
        g = self.tree.graph
        factor = operand(g, k)
        return Vector(self.tree, {frame: scale3(g, factor, part) for frame, part in self.parts.items()})

    __rmul__ = __mul__

    def __truediv__(self, k: Any) -> Vector:
        g = self.tree.graph
        divisor = operand(g, k)
        return Vector(self.tree, {f: tuple(g.div(x, divisor) for x in part) for f, part in self.parts.items()})  # type: ignore[misc]

    def dot(self, other: Vector) -> Expr:
        """Scalar product, each pair of parts brought together along the frame tree."""
        must_be(other, Vector, "the other factor of a scalar product", A_VECTOR)
        g, total = self.tree.graph, ZERO
        for f, a in self.parts.items():
            for h, b in other.parts.items():
                total = g.add(total, _dot_between(f, a, h, b))
        return Expr(g, total)

    def cross(self, other: Vector) -> Vector:
        """Vector product, written in the deeper of the two frames."""
        must_be(other, Vector, "the other factor of a vector product", A_VECTOR)
        total = Vector(self.tree, {})
        for f, a in self.parts.items():
            for h, b in other.parts.items():
                frame = f if f.depth >= h.depth else h
                product = cross3(self.tree.graph, f.carry(a, frame), h.carry(b, frame))
                total = total + Vector(self.tree, {frame: product})
        return total

    def outer(self, other: Vector) -> Dyadic:
        """The dyad a b."""
        must_be(other, Vector, "the other factor of a dyad", A_VECTOR)
        g = self.tree.graph
        for frame in other.parts:
            self.tree.must_own(frame)
        parts: dict[tuple[Frame, Frame], Square] = {}
        for f, a in self.parts.items():
            for h, b in other.parts.items():
                square: Square = tuple(scale3(g, x, b) for x in a)  # type: ignore[assignment]
                parts[f, h] = add_squares(g, parts[f, h], square) if (f, h) in parts else square
        return Dyadic(self.tree, parts)

    def magnitude(self) -> Expr:
        """√(v · v)."""
        return Expr(self.tree.graph, self.tree.graph.sqrt(self.dot(self).node))

    def normalized(self) -> Vector:
        """v / |v|."""
        return self / self.magnitude()

    # --- in a frame ---------------------------------------------------------------------------------------------

    def components(self, frame: Frame) -> Triple:
        """Measure numbers in one frame, as nodes."""
        self.tree.must_be_frame(frame, "what a vector is measured in")
        total = NULL
        for f, part in self.parts.items():
            total = add3(self.tree.graph, total, f.carry(part, frame))
        return total

    def measures(self, frame: Frame) -> tuple[Expr, Expr, Expr]:
        """Measure numbers in one frame."""
        a = self.components(frame)
        return Expr(self.tree.graph, a[0]), Expr(self.tree.graph, a[1]), Expr(self.tree.graph, a[2])

    def to(self, frame: Frame) -> Vector:
        """The same vector written in one frame."""
        return Vector(self.tree, {frame: self.components(frame)})

    def dt_in(self, frame: Frame) -> Vector:
        """Time derivative in a frame: Σ (ȧ_F + ω_F × a_F), in terms of q̇."""
        self.tree.must_be_frame(frame, "what a vector is differentiated in")
        g = self.tree.graph
        total = Vector(self.tree, {})
        for f, part in self.parts.items():
            rate = tangents(g, list(part), rates(g, list(part)))
            total = total + Vector(self.tree, {f: (rate[0], rate[1], rate[2])})
            if f is not frame:
                fixed = frame is self.tree.newtonian
                spin = f.spin_measures() if fixed else f.angular_velocity(frame).components(f)
                total = total + Vector(self.tree, {f: cross3(g, spin, part)})
        return total

    def diff(self, symbol: Expr) -> Vector:
        """Partial derivative with the unit vectors held (for speeds: the partial velocity)."""
        g, by = self.tree.graph, leaf(self.tree.graph, symbol)
        parts = {}
        for f, part in self.parts.items():
            d = tangents(g, list(part), {by: ONE})
            parts[f] = (d[0], d[1], d[2])
        return Vector(self.tree, parts)

    def rebuilt(self, replaced: dict[int, int]) -> Vector:
        """The vector with nodes of its measure numbers replaced."""
        parts = {}
        for f, part in self.parts.items():
            a = rebuild(self.tree.graph, part, replaced)
            parts[f] = (a[0], a[1], a[2])
        return Vector(self.tree, parts)

    def subs(self, values: Mapping[Expr, Any]) -> Vector:
        """The vector with symbols replaced in its measure numbers."""
        must_be(values, Mapping, "what is put in for symbols", "Give {symbol: value}.")
        g = self.tree.graph
        return self.rebuilt({leaf(g, symbol): operand(g, value) for symbol, value in values.items()})

    @property
    def is_zero(self) -> bool:
        return not self.parts

    def nodes(self) -> list[int]:
        """All measure numbers."""
        return [node for part in self.parts.values() for node in part]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and _canonical(self) == _canonical(other)

    def __hash__(self) -> int:
        return hash(frozenset(_canonical(self).items()))

    def __repr__(self) -> str:
        from latchwork.mechanics.printing import vector_text

        return vector_text(self)

    def latex(self) -> str:
        from latchwork.mechanics.printing import vector_latex

        return vector_latex(self)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


@answering
class Dyadic:
    """A sum of dyads: left frame, right frame, nine measure numbers. Immutable."""

    __slots__ = ("parts", "tree")
    __array_ufunc__ = None

    def __init__(self, tree: Tree, parts: Mapping[tuple[Frame, Frame], Square]) -> None:
        self.tree = tree
        self.parts = {key: square for key, square in parts.items() if any(row != NULL for row in square)}

    def __add__(self, other: Dyadic) -> Dyadic:
        if not isinstance(other, Dyadic):
            if isinstance(other, int | float) and other == 0:
                return self
            raise ExpressionError(f"a dyadic can only be added to a dyadic; got {other!r}.")
        parts = dict(self.parts)
        for key, square in other.parts.items():
            self.tree.must_own(key[0])
            parts[key] = add_squares(self.tree.graph, parts[key], square) if key in parts else square
        return Dyadic(self.tree, parts)

    __radd__ = __add__

    def __neg__(self) -> Dyadic:
        return self * -1.0

    def __sub__(self, other: Dyadic) -> Dyadic:
        return self + (-other)

    def __mul__(self, k: Any) -> Dyadic:
        g = self.tree.graph
        factor = operand(g, k)
        scaled = {key: tuple(scale3(g, factor, row) for row in square) for key, square in self.parts.items()}
        return Dyadic(self.tree, scaled)  # type: ignore[arg-type]

    __rmul__ = __mul__

    def dot(self, v: Vector) -> Vector:
        """Dyadic · vector."""
        must_be(v, Vector, "the other factor of a product with a dyadic", A_VECTOR)
        total = Vector(self.tree, {})
        for (left, right), square in self.parts.items():
            total = total + Vector(self.tree, {left: matvec(self.tree.graph, square, v.components(right))})
        return total

    def components(self, frame: Frame) -> Square:
        """Nine measure numbers in one frame."""
        g = self.tree.graph
        total: Square = (NULL, NULL, NULL)
        for (left, right), square in self.parts.items():
            rows = [right.carry(row, frame) for row in square]
            columns = [left.carry((rows[0][j], rows[1][j], rows[2][j]), frame) for j in range(3)]
            total = add_squares(g, total, tuple(zip(*columns, strict=True)))  # type: ignore[arg-type]
        return total

    def __repr__(self) -> str:
        from latchwork.mechanics.printing import dyadic_text

        return dyadic_text(self)


def add_squares(g: Any, a: Square, b: Square) -> Square:
    """a + b, row by row."""
    return add3(g, a[0], b[0]), add3(g, a[1], b[1]), add3(g, a[2], b[2])


def _dot_between(f: Frame, a: Triple, h: Frame, b: Triple) -> int:
    """a in f dotted with b in h: the one with fewer measure numbers travels."""
    if f is h:
        return dot3(f.graph, a, b)
    if sum(x != ZERO for x in a) <= sum(x != ZERO for x in b):
        return dot3(f.graph, f.carry(a, h), b)
    return dot3(f.graph, a, h.carry(b, f))


def _canonical(v: Vector) -> dict[tuple[Frame, int], int]:
    """Measure numbers keyed by axis, an axis shared by frames counted once, under the topmost of them."""
    g = v.tree.graph
    found: dict[tuple[Frame, int], int] = {}
    for frame, part in v.parts.items():
        for k in range(3):
            if part[k] != ZERO:
                home = (frame.axis_homes[k], k)
                found[home] = g.add(found.get(home, ZERO), part[k])
    return {home: node for home, node in found.items() if node != ZERO}


def _gather_shared_axes(tree: Tree, parts: dict[Frame, Triple]) -> dict[Frame, Triple]:
    """u1 A.z + u2 B.z = (u1 + u2) B.z where A and B share their z axis: measures meet in the deepest frame."""
    homes: dict[tuple[Frame, int], list[Frame]] = {}
    for frame, part in parts.items():
        for k in range(3):
            if part[k] != ZERO:
                homes.setdefault((frame.axis_homes[k], k), []).append(frame)
    if all(len(frames) == 1 for frames in homes.values()):
        return parts
    rows = {frame: list(part) for frame, part in parts.items()}
    for (_, k), frames in homes.items():
        deepest = max(frames, key=lambda frame: frame.depth)
        for frame in frames:
            if frame is not deepest:
                rows[deepest][k] = tree.graph.add(rows[frame][k], rows[deepest][k])
                rows[frame][k] = ZERO
    return {frame: (row[0], row[1], row[2]) for frame, row in rows.items()}
