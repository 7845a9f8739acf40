"""What a model can say about constraints: methods that make one and keep it."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Sequence
from typing import Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.joints import makers
from latchwork.constraint.joints.sides import Side, fixed
from latchwork.errors import ConstraintError, ModelError, listed, number_of, spelled_methods
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.tree import Tree
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

Part = Frame | Link | Body
Place = Point | Link | Body


@spelled_methods
class Constraining:
    """The part of a model that holds its constraints."""

    name: str
    _constraints: dict[str, Constraint]
    _links: dict[str, Link]
    _tree: Tree

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints that hold in every run."""
        return tuple(self._constraints.values())

    def constraint(self, name: str, zero: Any) -> Constraint:
        """What must be zero in every run: expressions in q and t, or linear in u; a vector; or a list of them."""
        return self._constrain(Constraint(name, zero))

    def close(self, kind: str, name: str, a: Part, b: Part, at: Place | None = None, to: Place | None = None,
              axis: Vector | Sequence[Vector] | None = None) -> Constraint:  # fmt: skip
        """A loop closed by a joint between a and b, at a point of a and a point of b; ``kind`` as in ``lw.JOINTS``."""
        return self._constrain(makers.close(kind, name, self._side(name, a, at), self._side(name, b, to), axis))

    def roll(self, name: str, body: Part, contact: Vector, along: Vector | Sequence[Vector], on: Part | None = None,
             at: Place | None = None, normal: Vector | None = None,
             center: Place | None = None) -> Constraint:  # fmt: skip
        """No slip along some directions where a body touches the ground; with ``normal`` it also stays on it.

        ``contact`` leads from the body's centre to where it touches; the ground is N unless ``on`` says otherwise.
        """
        ground = self._ground(name, on, at)
        advice = "Give vectors, such as [N.x, N.y]."
        directions = [along] if isinstance(along, Vector) else listed(along, f"what '{name}' rolls along", advice)
        return self._constrain(makers.roll(name, self._side(name, body, center), contact, ground, directions, normal))

    def distance(self, name: str, p: Place, q: Place, length: Any) -> Constraint:
        """Two points at a distance, a number or an expression in t: a massless rod."""
        return self._constrain(makers.distance(name, self._point_of(p), self._point_of(q), length))

    def slot(self, name: str, point: Place, axis: Vector, on: Part | None = None,
             at: Place | None = None) -> Constraint:  # fmt: skip
        """A point on a line along ``axis`` through a point of a body: a pin in a slot."""
        return self._constrain(makers.slot(name, self._point_of(point), self._ground(name, on, at), axis))

    def plane(self, name: str, point: Place, normal: Vector, on: Part | None = None,
              at: Place | None = None) -> Constraint:  # fmt: skip
        """A point in a plane through a point of a body."""
        return self._constrain(makers.plane(name, self._point_of(point), self._ground(name, on, at), normal))

    def curve(self, name: str, point: Place, parameter: Expr, path: Vector, on: Part | None = None,
              at: Place | None = None) -> Constraint:  # fmt: skip
        """A point on a curve: ``path`` leads from a point of a body, in terms of a coordinate of the curve's own."""
        side = self._ground(name, on, at)
        return self._constrain(makers.curve(name, self._point_of(point), side, parameter, path))

    def implicit(self, name: str, point: Place, zero: Callable[[Expr, Expr, Expr], Any], on: Part | None = None,
                 at: Place | None = None) -> Constraint:  # fmt: skip
        """A point where f(x, y, z) = 0: ``lambda x, y, z: x**2 + y**2 - 1``, measures in the frame of a body."""
        return self._constrain(makers.implicit(name, self._point_of(point), self._ground(name, on, at), zero))

    def gear(self, name: str, a: Link, b: Link, ratio: Any, offset: Any = 0.0) -> Constraint:
        """Joint a turns (or slides) ``ratio`` times as far as joint b, from ``offset``."""
        return self._constrain(makers.gear(name, a, b, ratio, offset))

    def mesh(self, name: str, a: Part, b: Part, ratio: Any, axis: Vector | Sequence[Vector],
             carrier: Part | None = None) -> Constraint:  # fmt: skip
        """Wheel a turns ``ratio`` times as fast as wheel b, both seen from a carrier (N unless given)."""
        frames = [self._frame_of(part) for part in (a, b)]
        base = self._frame_of(carrier) if carrier is not None else self._tree.newtonian
        two = "Give a vector that both wheels turn about, or one of each."
        axes = [axis, axis] if isinstance(axis, Vector) else listed(axis, f"the axis of '{name}'", two)
        if len(axes) != 2:
            given = number_of(len(axes), "vector")
            raise ConstraintError(f"the axis of '{name}' is {reprlib.repr(axis)}: {given}. {two}")
        return self._constrain(makers.mesh(name, frames[0], frames[1], ratio, (axes[0], axes[1]), base))

    def rack(self, name: str, rack: Link, pinion: Link, radius: Any) -> Constraint:
        """A rack on a pinion: the sliding joint moves by the radius times the angle of the turning one."""
        return self._constrain(makers.rack(name, rack, pinion, radius))

    def screw(self, name: str, nut: Link, spindle: Link, pitch: Any) -> Constraint:
        """The sliding joint moves by ``pitch`` in each turn of the other; a cylindrical joint may be both."""
        return self._constrain(makers.screw(name, nut, spindle, pitch))

    def cam(self, name: str, follower: Link, cam: Link, profile: Any) -> Constraint:
        """The follower's coordinate is ``profile``, an expression in the coordinate of the cam's joint."""
        return self._constrain(makers.cam(name, follower, cam, profile))

    def prescribe(self, name: str, what: Link | Expr, law: Any) -> Constraint:
        """A joint with one axis, a coordinate, a speed or an expression follows a law in t; λ is the force it needs."""
        if isinstance(what, Link):
            coordinate, pull = makers.only(what, name)
            return self._constrain(makers.prescribe(name, coordinate, law, pull))
        owner = [link for link in self._links.values() if link.axis is not None and what in link.q and len(link.q) == 1]
        pull_of = makers.only(owner[0], name)[1] if isinstance(what, Expr) and owner else None
        return self._constrain(makers.prescribe(name, what, law, pull_of))

    def _constrain(self, constraint: Constraint) -> Constraint:
        if constraint.name in self._constraints:
            raise ModelError(f"'{self.name}' has a constraint named '{constraint.name}' already. Name it otherwise.")
        self._constraints[constraint.name] = constraint
        return constraint

    # --- sides --------------------------------------------------------------------------------------------------

    def _ground(self, name: str, part: Part | None, at: Place | None) -> Side:
        """A part, or N."""
        return self._side(name, self._tree.newtonian if part is None else part, at)

    def _side(self, name: str, part: Part, at: Place | None) -> Side:
        """The frame of a part and a point fixed in it: the one given, or its origin or mass centre."""
        frame = self._frame_of(part)
        home = None if isinstance(part, Frame) and frame.parent is not None else \
            frame.tree.origin if isinstance(part, Frame) else self._point_of(part)  # fmt: skip
        if at is None:
            if home is None:
                raise ConstraintError(
                    f"'{name}' meets the frame '{frame.name}' at no point. Give a point fixed in '{frame.name}'."
                )
            return Side(frame, home)
        point = self._point_of(at)
        if home is not None and home is not point:
            fixed(frame, name, f"the way from '{home.name}' to '{point.name}'", _way(point, home))
        return Side(frame, point)

    # --- parts of this model ------------------------------------------------------------------------------------

    def _frame_of(self, item: Any) -> Frame:
        frame = item.frame if isinstance(item, (Link, Body)) else item
        if not isinstance(frame, Frame) or frame.tree is not self._tree:
            raise ModelError(self._not_here("a frame, link or rigid body", item))
        return frame

    def _point_of(self, item: Any) -> Point:
        point = item.origin if isinstance(item, Link) else item.center if isinstance(item, Body) else item
        if not isinstance(point, Point) or point.tree is not self._tree:
            raise ModelError(self._not_here("a point, link or body", item))
        return point

    def _not_here(self, needed: str, item: Any) -> str:
        """What is wrong with a part: of another model, a name, or of another kind."""
        places = (item.origin,) if isinstance(item, Link) else (item.center,) if isinstance(item, Body) else (item,)
        foreign = any(isinstance(place, (Frame, Point)) and place.tree is not self._tree for place in places)
        advice = (
            "It belongs to another model; take that of this one." if foreign
            else "Give the object itself, not its name." if isinstance(item, str)
            else "A particle has no frame; give the joint or frame it moves with." if isinstance(item, Body)
            else "Give what model.body, model.revolute, frame.rotated or point.at returns."
        )  # fmt: skip
        return f"{needed} of '{self.name}' is needed here; got {item!r}. {advice}"


class Parts(Constraining):
    """The parts of a system, to make constraints between them that no model keeps."""

    def __init__(self, system: System) -> None:
        self.name, self._tree = system.name, system.tree
        self._links = {link.name: link for link in system.links}
        self._constraints = {}

    def side(self, name: str, part: Part, at: Place | None) -> Side:
        """A part and a point of it."""
        return self._side(name, part, at)


def _way(point: Point, home: Point) -> Vector:
    """From home to a point; step by step where the point is located from there, so that nothing has to cancel."""
    total, step = Vector(point.tree, {}), point
    while step is not home and step.parent is not None:
        total, step = step.offset + total, step.parent
    return total if step is home else point.position(home)
