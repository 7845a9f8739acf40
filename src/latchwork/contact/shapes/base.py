"""What all shapes share: the frame they are fixed in, lengths that are positive, and numbers where they can be had."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from latchwork.constraint.joints.sides import fixed, kinds, movers
from latchwork.constraint.joints.spot import at_home
from latchwork.errors import ModelError
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point, anchor, longest_offset
from latchwork.mechanics.tree import Tree
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, operand

Part: TypeAlias = Frame | Link | Body
Measure: TypeAlias = Any  # a number, or an expression of the model
Triple: TypeAlias = np.ndarray
ROUNDING = 1e-9  # of the longest offset in a model, and of sines, where shapes are looked at with numbers


@dataclass(frozen=True, eq=False, repr=False)
class Shape:
    """Something with a surface, fixed in ``frame``."""

    frame: Frame = field(init=False, repr=False)

    def __repr__(self) -> str:
        """What it was given, without what was left out."""
        given = [f"{each.name}={getattr(self, each.name)}" for each in fields(self)
                 if each.init and getattr(self, each.name) is not each.default]  # fmt: skip
        return f"{type(self).__name__}({', '.join(given)})"

    @property
    def tree(self) -> Tree:
        return self.frame.tree

    @property
    def what(self) -> str:
        """What errors call it."""
        return f"lw.{type(self).__name__}"

    def _keep(self, **values: Any) -> None:
        """Values worked out once, when the shape is made; what was given instead stays in ``given``, for files."""
        given = self.__dict__.setdefault("given", {})
        for name, value in values.items():
            if name in self.__dict__:
                given.setdefault(name, self.__dict__[name])
            object.__setattr__(self, name, value)


def point_of(what: str, role: str, point: Any) -> Point:
    """A point of the model."""
    if not isinstance(point, Point):
        raise ModelError(f"{role} of {what} is {point!r}. Give a point, such as model.origin or point.at('P', ...).")
    return point


def vector_of(what: str, role: str, vector: Any) -> Vector:
    """A vector that points somewhere."""
    if not isinstance(vector, Vector) or vector.is_zero:
        raise ModelError(f"{role} of {what} is {vector!r}. Give a vector that is not zero, such as N.y.")
    return vector


def frame_of(what: str, body: Part | None, point: Point, vectors: Iterable[Vector]) -> Frame:
    """The frame of the body given; else N where all stands still there, else the deepest that they are written in."""
    ways = list(vectors)
    if body is not None:
        return _part(what, body, point)
    N = point.tree.newtonian
    for frame in (frame for vector in ways for frame in vector.parts):
        point.tree.must_own(frame)
    deepest = max((frame for vector in ways for frame in vector.parts), key=lambda frame: frame.depth)
    still = _stands(point) or deepest.angular_velocity().is_zero
    if still and not any(movers(vector.to(N)) for vector in ways):
        return N
    for vector in ways:
        moving = movers(vector.to(deepest))
        if moving:
            raise ModelError(
                f"{what} at '{point.name}' moves with {', '.join(moving)} as seen from '{deepest.name}' and is not "
                "fixed in any one frame. Write it in the frame of one body, and give body=."
            )
    return deepest


def _part(what: str, body: Part, point: Point) -> Frame:
    if isinstance(body, Body) and body.is_particle:
        return point.tree.newtonian
    frame = body.frame if isinstance(body, (Link, Body)) else body
    if not isinstance(frame, Frame):
        raise ModelError(f"the body of {what} is {body!r}. Give a body, a link or a frame.")
    point.tree.must_own(frame)
    home = body.center if isinstance(body, Body) else body.origin if isinstance(body, Link) else point
    if home is not point and (moving := movers(between(home, point).to(frame))):
        raise ModelError(
            f"'{point.name}', where {what} is to be, moves with {', '.join(moving)} as seen from '{body}'. Give a "
            f"point of that body, such as '{home.name}' or one that is made from it by at(...)."
        )
    return frame


def _stands(point: Point) -> bool:
    """A point that nothing moves."""
    return anchor(point) is None and not movers(point.position().to(point.tree.newtonian))


def turning_frame(what: str, body: Part | None, center: Point) -> Frame:
    """The frame of something round: it must be said, unless the centre stands still in N."""
    if body is not None:
        return _part(what, body, center)
    N = center.tree.newtonian
    if _stands(center):
        return N
    raise ModelError(
        f"{what} at '{center.name}' moves, and with which body it turns is not known. Give body= (a body, link or "
        "frame; model.frame for one that does not turn), or make it by body.circle(...), body.sphere(...)."
    )


def fixed_in(frame: Frame, what: str, role: str, vector: Vector) -> Vector:
    """The vector in the topmost frame that has its axes, after a check that it is fixed in its own."""
    fixed(frame, what, role, vector)
    return at_home(vector)


def numeric(value: Measure) -> float | None:
    """A number, also of an expression in parameters that have values."""
    if not isinstance(value, Expr):
        return float(value)
    if not value.graph.has_parameters(value.node):
        return float(value) if value.is_constant else None
    symbols = value.graph.symbols
    known = {s: symbols[s.node].value for s in value.free_symbols if symbols[s.node].kind == "parameter"}
    plain = value.subs({s: v for s, v in known.items() if v is not None}) if known else value
    return float(plain) if plain.is_constant else None


def numbers(frame: Frame, vector: Vector) -> Triple | None:
    """Measures of a vector in a frame as numbers, where its parameters have values."""
    found = [numeric(measure) for measure in vector.measures(frame)]
    return None if None in found else np.array(found, dtype=float)


def positive(what: str, role: str, tree: Tree, value: Measure) -> Measure:
    """A length above zero: a number, or an expression of the model in parameters."""
    if not isinstance(value, (Expr, Real)) or isinstance(value, bool) or value != value:
        raise ModelError(f"{role} of {what} is {value!r}. Give a number or a parameter of the model.")
    operand(tree.graph, value)  # refuses what belongs to another model, nan and inf
    found = kinds(value) if isinstance(value, Expr) else {}
    moving = sorted(name for kind, name in found.items() if kind != "parameter")
    if moving:
        raise ModelError(f"{role} of {what}, {value}, changes with {', '.join(moving)}. Give one of parameters only.")
    size = numeric(value)
    if size is not None and not size > 0.0:
        raise ModelError(f"{role} of {what} is {size:g}. Give one above zero.")
    return value


def across(what: str, a: Vector, b: Vector, say: str) -> None:
    """Two unit vectors must stand across each other."""
    cosine = numeric(a.dot(b))
    if cosine is not None and abs(cosine) > ROUNDING:
        raise ModelError(f"{say} of {what} make the cosine {cosine:.3g}. Give two that are at right angles.")


def way(what: str, p: Point, q: Point) -> Vector:
    """From p to q, two points that are not the same place."""
    p.tree.must_own(q)
    along = q.position(p)
    size = None if along.is_zero else numeric(along.magnitude())
    if along.is_zero or (size is not None and size <= ROUNDING * longest_offset(p.tree)):
        raise ModelError(f"{what} goes from '{p.name}' to '{q.name}', which are one place. Give two that are apart.")
    return along


def between(start: Point, end: Point) -> Vector:
    """From one point to another, by the nearest point both are located from, so that nothing has to cancel."""
    above = set()
    step: Point | None = start
    while step is not None:
        above.add(step)
        step = step.parent if step.located else None
    total, step = Vector(end.tree, {}), end
    while step not in above:
        if step is None or not step.located:
            return end.position(start)  # says what is not located
        total, step = step.offset + total, step.parent
    back, meet = Vector(end.tree, {}), step
    step = start
    while step is not meet:
        assert step is not None
        back, step = step.offset + back, step.parent
    return total - back


def drift_of(what: str, frame: Frame, belt: Any, along: Vector | None) -> Vector | None:
    """The velocity of a surface on its body: a speed along a direction, or a vector."""
    if belt is None or isinstance(belt, Vector):
        return belt
    if not isinstance(belt, (Expr, Real)) or belt != belt:
        raise ModelError(f"the belt of {what} is {belt!r}. Give the speed of its surface, a number or an expression, "
                         "or a vector.")  # fmt: skip
    if along is None:
        raise ModelError(f"the belt of {what} is {belt!r}. A plane has no direction of its own: give a vector, v*N.x.")
    return along * Expr(frame.graph, operand(frame.graph, belt))


def several(what: str, role: str, given: Any) -> tuple[Any, ...]:
    """Several things, as a tuple."""
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise ModelError(f"the {role} of {what} are {given!r}. Give a list of them.")
    return tuple(given)


def names_of(points: Sequence[Point]) -> str:
    return ", ".join(f"'{point.name}'" for point in points)
