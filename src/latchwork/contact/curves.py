"""Curves and surfaces given by expressions: places on a body as functions of one parameter or two.

    p(s) = P + arm(s)              s in [low, high], or closed
    N = side · up × p′(s)           outward of a curve: the material lies on the other side
    N = side · ∂p/∂a × ∂p/∂b        outward of a surface

A curve is a wall: it reaches along ``up``, above and below its plane, as far as one likes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar

from latchwork.errors import ModelError
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.tree import Tree
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import reachable

Range = tuple[float, float]
FIXED = ("parameter", "auxiliary")  # kinds of symbols that do not change a shape in its body


@dataclass(frozen=True, eq=False, repr=False)
class Curve:
    """``lw.Curve(O, lambda s: s*N.x + 0.1*sin(3*s)*N.y, (0.0, 5.0))``: a curve in a plane, from a point of its body.

    The body is the frame whose unit vectors it is written with, unless ``body`` says otherwise. Its outside lies to the
    left of its direction, seen from the tip of ``up`` (default N.z); ``side=-1`` turns it. The ends of an open curve
    are corners; ``ends=False`` leaves them out, as where something else goes on from there.

    It is fixed in its body, but for coordinates with which it ``bends``: p(s, q), the material at s stays at s.
    ``beam.curve()`` makes one of a beam.
    """

    point: Point
    shape: Callable[[Expr], Vector]
    span: Range
    body: Any = None
    closed: bool = False
    side: int = 1
    up: Vector | None = None
    ends: bool | None = None
    bends: tuple[Expr, ...] = ()
    depth: float | None = None  # of the material behind it, where that ends
    recipe: Mapping[str, Any] | None = None  # the beam and what its curve was made with, for files

    what = "curve"
    letters = ("s",)

    def __repr__(self) -> str:
        return f"Curve(from {self.point}, s in {self.span}{', closed' if self.closed else ''})"

    @property
    def tree(self) -> Tree:
        return self.point.tree

    @cached_property
    def frame(self) -> Frame:
        """The frame of its body."""
        return patch("a curve", self).frame

    @property
    def spans(self) -> tuple[Range, ...]:
        return (self.span,)

    @property
    def periodic(self) -> tuple[bool, ...]:
        return (self.closed,)

    def outward(self, slopes: Sequence[Vector]) -> Vector:
        """N = side · up × p′, as long as p′ where ``up`` is of unit length and across it."""
        up = self.point.tree.newtonian.z if self.up is None else self.up
        return up.cross(slopes[0]) * float(self.side)


@dataclass(frozen=True, eq=False, repr=False)
class Surface:
    """A surface p(a, b): ``lw.Surface(O, lambda a, b: a*N.x + b*N.y + (a**2 + b**2)*N.z, ((-1, 1), (-1, 1)))``.

    Its outside is where ∂p/∂a × ∂p/∂b points; ``side=-1`` turns it. ``periodic`` says of each parameter whether the
    surface closes on itself along it, as a cylinder does; along others it ends in borders, which are touched as well.
    """

    point: Point
    shape: Callable[[Expr, Expr], Vector]
    spans: tuple[Range, Range]
    body: Any = None
    periodic: tuple[bool, bool] = (False, False)
    side: int = 1

    what = "surface"
    letters = ("a", "b")
    bends: ClassVar[tuple[Expr, ...]] = ()
    depth: ClassVar[float | None] = None

    @property
    def tree(self) -> Tree:
        return self.point.tree

    @cached_property
    def frame(self) -> Frame:
        """The frame of its body."""
        return patch("a surface", self).frame

    def __repr__(self) -> str:
        return f"Surface(from {self.point}, a and b in {self.spans})"

    def outward(self, slopes: Sequence[Vector]) -> Vector:
        """N = side · ∂p/∂a × ∂p/∂b."""
        return slopes[0].cross(slopes[1]) * float(self.side)


Shape = Curve | Surface


@dataclass(frozen=True, eq=False)
class Patch:
    """A curve or surface with parameters of its own: ``arm`` leads from its point to p(s), written in its frame."""

    name: str
    shape: Shape
    symbols: tuple[Expr, ...]
    frame: Frame
    arm: Vector

    @cached_property
    def slopes(self) -> tuple[Vector, ...]:
        """∂p/∂s, for each parameter."""
        return tuple(self.arm.diff(s) for s in self.symbols)

    @cached_property
    def outward(self) -> Vector:
        """N, not of unit length."""
        return self.shape.outward(self.slopes).to(self.frame)

    def place(self, origin: Point | None = None) -> Vector:
        """p(s), from a point."""
        return self.shape.point.position(origin) + self.arm


def patch(name: str, shape: Shape, suffix: str = "") -> Patch:
    """A shape with fresh symbols, named after the contact: ``ground.s``."""
    must_have_spans(name, shape)
    g = shape.point.tree.graph
    symbols = tuple(parameter(g, f"{name}.{letter}{suffix}") for letter in shape.letters)
    try:
        arm = shape.shape(*symbols)
    except TypeError as problem:
        raise ModelError(f"the {shape.what} of '{name}' cannot be worked out: {problem}. Give a function of "
                         f"{' and '.join(shape.letters)} that returns a vector.") from problem  # fmt: skip
    if not isinstance(arm, Vector):
        raise ModelError(
            f"the {shape.what} of '{name}' is {arm!r} from '{shape.point.name}'. Give a function of its parameters "
            "that returns a vector, such as lambda s: s*N.x + 0.1*sin(s)*N.y."
        )
    frame = _frame_of(name, shape, arm)
    made = Patch(name, shape, symbols, frame, arm.to(frame))
    for what, vector in ((f"the {shape.what}", made.arm), ("'up' of the curve", made.outward)):
        _must_be_fixed(what, made, vector)
    return made


def parameter(g: Any, name: str) -> Expr:
    """A parameter of a contact, which becomes a coordinate of the run, and its rate."""
    s = g.symbol(name, "auxiliary")
    g.symbol(f"dt({name})", "rate", s)
    return Expr(g, s)


def must_have_spans(name: str, shape: Shape) -> None:
    """Refuse a curve or surface that is not made of a point, a function, and ranges of its parameters."""
    if not isinstance(shape.point, Point) or not callable(shape.shape):
        raise ModelError(f"the {shape.what} of '{name}' is made of {shape.point!r} and {shape.shape!r}. Give a point "
                         "of its body, then a function of its parameters that returns a vector.")  # fmt: skip
    spans = shape.spans if isinstance(shape.spans, Sequence) and len(shape.spans) == len(shape.letters) else ()
    for letter, span in zip(shape.letters, spans or [shape.spans] * len(shape.letters), strict=True):
        if not _is_range(span):
            raise ModelError(f"{letter} of the {shape.what} of '{name}' goes {_told(span)}. Give two finite numbers in "
                             "increasing order for each parameter.")  # fmt: skip
    if shape.side not in (1, -1):
        raise ModelError(f"side of the {shape.what} of '{name}' is {shape.side!r}. Give 1 or -1.")
    if isinstance(shape, Curve) and shape.closed and shape.ends:
        raise ModelError(f"the curve of '{name}' is closed, and its ends are to be touched. Leave out closed or ends.")


def _told(span: Any) -> str:
    return f"from {span[0]!r} to {span[1]!r}" if isinstance(span, Sequence) and len(span) == 2 else f"over {span!r}"


def _is_range(span: Any) -> bool:
    """Two finite numbers in increasing order."""
    if not isinstance(span, Sequence) or len(span) != 2 or not all(isinstance(end, Real) for end in span):
        return False
    return bool(-1e300 < span[0] < span[1] < 1e300)


def _frame_of(name: str, shape: Shape, arm: Vector) -> Frame:
    """The frame of the body, or that whose unit vectors stand in the expression."""
    if shape.body is not None:
        frame = shape.body if isinstance(shape.body, Frame) else getattr(shape.body, "frame", None)
        if isinstance(frame, Frame):
            return frame
        raise ModelError(f"the {shape.what} of '{name}' is on {shape.body!r}, which does not turn. Give a rigid body.")
    if len(arm.parts) == 1:
        return next(iter(arm.parts))
    among = ", ".join(f"'{frame.name}'" for frame in arm.parts) or "none"
    raise ModelError(
        f"the {shape.what} of '{name}' is written with unit vectors of several frames ({among}). Say with body=... in "
        "which of them it is fixed."
    )


def _must_be_fixed(what: str, made: Patch, vector: Vector) -> None:
    g, shape = made.shape.point.tree.graph, made.shape
    bends = {q.node for q in shape.bends}
    moving = [g.symbols[i].name for i in reachable(g, [n for n in vector.components(made.frame) if n != ZERO])
              if i in g.symbols and i not in bends and g.symbols[i].kind not in FIXED]  # fmt: skip
    if moving:
        raise ModelError(
            f"{what} of '{made.name}' changes in '{made.frame.name}' with {', '.join(moving[:4])}. A {shape.what} is "
            "fixed in its body: write it with the unit vectors of the body, from a point of it, and give body=... ."
        )
