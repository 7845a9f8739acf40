"""Points: a tree of position vectors, rooted at an origin fixed in the Newtonian frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from latchwork.errors import ModelError, answering, must_be
from latchwork.mechanics.vector import Vector

if TYPE_CHECKING:
    from latchwork.mechanics.frame import Frame
    from latchwork.mechanics.tree import Tree


@answering
class Point:
    """A point, located by a vector from its parent."""

    def __init__(self, tree: Tree, name: str, parent: Point | None = None, offset: Vector | None = None) -> None:
        self.tree = tree
        self.name = name
        self.parent = parent
        self.offset = offset if offset is not None else Vector(tree, {})
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.moved: Vector | None = None
        self.located = True
        tree.register_point(self)

    def __repr__(self) -> str:
        return self.name

    def at(self, name: str, offset: Vector) -> Point:
        """A new point at ``offset`` from this one."""
        if not isinstance(offset, Vector):
            raise ModelError(
                f"point '{name}' is located by a vector from '{self.name}'; got {offset!r}. For example L*A.x."
            )
        for frame in offset.parts:
            self.tree.must_own(frame)
        return Point(self.tree, name, self, offset)

    def position(self, other: Point | None = None) -> Vector:
        """The vector from another point (default: the origin) to this one."""
        base = self.tree.origin if other is None else other
        self.tree.must_be_point(base, f"where the position of '{self.name}' is measured from")
        self.tree.must_own(base)
        adrift = {anchor(self), anchor(base)}
        if len(adrift) > 1:
            between = ", ".join(f"'{point.name}'" for point in adrift if point is not None)
            raise ModelError(
                f"the position of '{self.name}' from '{base.name}' is not known: of {between} only the velocity is "
                "declared. Ask for a position between points that are located by each other."
            )
        total = _from_root(self)
        return total - _from_root(other) if other is not None else total

    def velocity(self, frame: Frame | None = None, fixed: Point | None = None) -> Vector:
        """Velocity in a frame (default: Newtonian), in terms of q̇. For any other frame name a point fixed in it."""
        frame = self.tree.newtonian if frame is None else frame
        self.tree.must_be_frame(frame, f"where the velocity of '{self.name}' is seen from")
        if frame is not self.tree.newtonian and fixed is None:
            raise ModelError(
                f"the velocity of '{self.name}' in '{frame.name}' needs a point fixed in '{frame.name}'. "
                f"Write {self.name}.velocity({frame.name}, fixed=point)."
            )
        return self.position(fixed).dt_in(frame)

    def acceleration(self) -> Vector:
        """Acceleration in the Newtonian frame, where the velocity is declared (``moves``) in terms of speeds.

        Accelerations worked out from coordinates belong to the equations: ``equations.acceleration(point)``.
        """
        if self.moved is None:
            raise ModelError(
                f"the acceleration of '{self.name}' needs generalized speeds. Ask the equations: "
                f"model.equations().acceleration({self.name})."
            )
        return self.moved.dt_in(self.tree.newtonian)

    def moves(self, reference: Frame, velocity: Vector, located: bool = True) -> None:
        """Declare the velocity of this point in ``reference`` (the Newtonian frame).

        It is used when equations are derived, and checked there against the coordinates at random states. A point whose
        place the coordinates do not tell (a wheel's contact, a cart on ignored coordinates) is not ``located``: its
        velocity is what is declared, and nothing is checked.
        """
        self.tree.must_be_newtonian(reference, f"the velocity of '{self.name}'")
        must_be(velocity, Vector, f"the velocity of '{self.name}'", "Give a vector, such as u1*N.x.")
        self.moved, self.located = velocity, located


def anchor(point: Point) -> Point | None:
    """The nearest point up the tree, itself included, that is not located; None where all are."""
    step: Point | None = point
    while step is not None and step.located:
        step = step.parent
    return step


def longest_offset(tree: Tree) -> float:
    """The largest number by which a point of a model is located from another: what rounding of lengths is a part of."""
    g = tree.graph
    nodes = [node for point in tree.points.values() for part in point.offset.parts.values() for node in part]
    return max((abs(g.value(node)) for node in nodes if node < 0), default=0.0)


def _from_root(point: Point) -> Vector:
    chain: list[Vector] = []
    step: Point | None = point
    while step is not None:
        chain.append(step.offset)
        step = step.parent
    total = Vector(point.tree, {})
    for offset in reversed(chain):
        total = total + offset
    return total
