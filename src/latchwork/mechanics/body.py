"""Particles and rigid bodies, and inertia dyadics about any point."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from latchwork.errors import ModelError, answering, spelled
from latchwork.mechanics.algebra import UNITS, Square
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Dyadic, Vector
from latchwork.symbolic.expr import Expr, operand


@answering
@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body (frame, mass centre, mass, central inertia), or a particle (no frame, no inertia)."""

    name: str
    center: Point
    mass: Expr
    frame: Frame | None = None
    inertia: Dyadic | None = None
    shapes: list[Any] = field(default_factory=list, init=False, repr=False)  # those made by its own methods

    @property
    def is_particle(self) -> bool:
        return self.frame is None

    def __repr__(self) -> str:
        return self.name

    def inertia_about(self, point: Point) -> Dyadic:
        """I_P = I_center + m (p² U - p p), p from the point to the mass centre."""
        frame = self.frame or self.center.tree.newtonian
        shift = steiner(frame, self.mass, self.center.position(point))
        return shift if self.inertia is None else self.inertia + shift

    # --- shapes that may touch ----------------------------------------------------------------------------------

    def circle(self, radius: Any, center: Point | None = None) -> Any:
        """A disk in the plane of a planar model, about the mass centre unless another point of the body is given."""
        return self._shape("Circle", center or self.center, radius)

    def sphere(self, radius: Any, center: Point | None = None) -> Any:
        """A ball about the mass centre, unless another point of the body is given."""
        return self._shape("Sphere", center or self.center, radius)

    def box(self, sizes: Sequence[Any], center: Point | None = None) -> Any:
        """A box along the axes of the body's frame: its two sizes in the plane, its three in space."""
        return self._shape("Box", center or self.center, sizes)

    def capsule(self, p: Point, q: Point, radius: Any) -> Any:
        """A rod with round ends between two points of the body."""
        return self._shape("Capsule", p, q, radius)

    def cylinder(self, p: Point, q: Point, radius: Any) -> Any:
        """A rod with flat ends between two points of the body."""
        return self._shape("Cylinder", p, q, radius)

    def cone(self, p: Point, q: Point, radius: Any) -> Any:
        """A cone between two points of the body: the middle of its base, and its tip."""
        return self._shape("Cone", p, q, radius)

    def rim(self, axis: Vector, radius: Any, center: Point | None = None, tube: Any = 0.0) -> Any:
        """The edge of a coin or wheel about an axis of the body."""
        return self._shape("Rim", center or self.center, axis, radius, tube=tube)

    def hull(self, points: Any, center: Point | None = None) -> Any:
        """The convex hull of points of the body, or of an array of measures in its frame from a point (mass centre)."""
        return self._shape("Hull", points, center=center)

    def _shape(self, kind: str, *args: Any, **options: Any) -> Any:
        from latchwork.contact import shapes

        made = getattr(shapes, kind)(*args, body=self, **options)
        self.shapes.append(made)
        return made


@spelled
def inertia(frame: Frame, xx: Any = 0.0, yy: Any = 0.0, zz: Any = 0.0,
            xy: Any = 0.0, yz: Any = 0.0, zx: Any = 0.0) -> Dyadic:  # fmt: skip
    """Inertia dyadic with these scalars (products of inertia as they stand in the matrix) in a frame."""
    if not isinstance(frame, Frame):
        raise ModelError(f"an inertia is given in a frame, which comes first; got {frame!r}. For example "
                         "lw.inertia(B, xx=1.0, yy=1.0, zz=1.0).")  # fmt: skip
    a, b, c, d, e, f = (operand(frame.graph, value) for value in (xx, yy, zz, xy, yz, zx))
    square: Square = ((a, d, f), (d, b, e), (f, e, c))
    return Dyadic(frame.tree, {(frame, frame): square})


def unit_dyadic(frame: Frame) -> Dyadic:
    """U = xx + yy + zz."""
    return Dyadic(frame.tree, {(frame, frame): UNITS})


def steiner(frame: Frame, mass: Any, p: Vector) -> Dyadic:
    """The inertia of a particle: m (p² U - p p), written in a frame."""
    p = p.to(frame)
    return (unit_dyadic(frame) * p.dot(p) - p.outer(p)) * mass
