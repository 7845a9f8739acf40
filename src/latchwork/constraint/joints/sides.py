"""What makers of constraints share: the two sides, what is fixed in them, and rows that hold by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.errors import ConstraintError
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import unit
from latchwork.mechanics.point import Point, longest_offset
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import reachable

NOTHING = 1e-12  # of a radian, or of the longest offset in the model: a row that nothing moves may be off by this
Row = tuple[Expr, Pull | None]


@dataclass(frozen=True)
class Side:
    """A frame, and a point fixed in it."""

    frame: Frame
    point: Point


def kinds(what: Expr | Vector) -> dict[str, str]:
    """The kinds of symbols in an expression or vector, each with a symbol of that kind."""
    nodes, g = (what.nodes(), what.tree.graph) if isinstance(what, Vector) else ([what.node], what.graph)
    return {g.symbols[i].kind: g.symbols[i].name for i in reachable(g, nodes) if i in g.symbols}


def movers(vector: Vector) -> list[str]:
    """The symbols, parameters apart, that change the measures of a vector."""
    g, nodes = vector.tree.graph, vector.nodes()
    symbols = [i for i in reachable(g, nodes) if i in g.symbols and g.symbols[i].kind != "parameter"]
    return [g.symbols[i].name for i in symbols if any(slope != ZERO for slope in tangents(g, nodes, {i: ONE}))]


def scalar(g: Any, name: str, what: str, value: Any) -> Expr:
    """A number or expression of the model as an expression."""
    if not isinstance(value, (Expr, int, float)):
        raise ConstraintError(f"{what} of '{name}' is {value!r}. Give a number or an expression of the model.")
    return Expr(g, operand(g, value))


def fixed(frame: Frame, name: str, what: str, vector: Any) -> Vector:
    """The vector written in a frame in which it is fixed."""
    if not isinstance(vector, Vector):
        raise ConstraintError(f"{what} of '{name}' is {vector!r}. Give a vector fixed in '{frame.name}'.")
    moving = movers(vector.to(frame))
    if moving:
        raise ConstraintError(
            f"{what} of '{name}', {vector}, moves with {', '.join(moving)} as seen from '{frame.name}'. Give a vector "
            f"fixed in '{frame.name}', such as {frame.name}.z."
        )
    return vector.to(frame)


def direction(frame: Frame, name: str, what: str, vector: Any) -> Vector:
    """A unit vector fixed in a frame."""
    along = fixed(frame, name, what, vector)
    if along.is_zero:
        raise ConstraintError(f"{what} of '{name}' is the zero vector, which points nowhere. Give e.g. {frame.name}.z.")
    return unit(along)


def triad(frame: Frame, axis: Vector) -> tuple[Vector, Vector, Vector]:
    """Two unit vectors fixed in a frame that complete an axis to a right-handed triad, and the axis."""
    units = (frame.x, frame.y, frame.z)
    for k in range(3):
        for sign in (1.0, -1.0):
            if axis == units[k] * sign:
                return units[(k + 1) % 3], units[(k + 2) % 3] * sign, axis
    sizes = [abs(float(m)) if m.is_constant else 1.0 for m in axis.measures(frame)]
    first = unit(units[sizes.index(min(sizes))].cross(axis))
    return first, axis.cross(first), axis


def _unit_of(pull: Pull | None) -> float:
    """One of what a row keeps at zero: a length where it exerts a force at a point, else a radian."""
    return longest_offset(pull.on.tree) if pull is not None and isinstance(pull.on, Point) else 1.0


def constrained(name: str, rows: Sequence[Row], recipe: dict[str, dict[str, Any]]) -> Constraint:
    """The constraint of some rows, without those that hold by themselves; those that can never hold are refused."""
    kept: list[Row] = []
    for i, (zero, pull) in enumerate(rows):
        found = kinds(zero)
        if found.keys() - {"parameter"}:
            kept.append((zero, pull))
        elif not zero.is_constant or abs(float(zero)) > NOTHING * _unit_of(pull):
            along = "" if pull is None else f" along {pull.direction}"
            raise ConstraintError(
                f"row {i} of '{name}'{along} asks that {zero} = 0, and no coordinate moves it. Put the two sides where "
                "they can meet, or leave the constraint to a model that can move there."
            )
    if not kept:
        raise ConstraintError(
            f"'{name}' holds already: none of its {len(rows)} rows moves with any coordinate. Leave it out."
        )
    return Constraint(name, [zero for zero, _ in kept], [pull for _, pull in kept], recipe)
