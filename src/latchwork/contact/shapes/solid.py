"""Solid shapes with corners: box and convex hull."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from latchwork.algebra.linear import matrix_rank
from latchwork.contact.meshes import vertices_of
from latchwork.contact.shapes.base import (
    ROUNDING,
    Measure,
    Part,
    Shape,
    between,
    fixed_in,
    frame_of,
    names_of,
    numbers,
    point_of,
    positive,
    turning_frame,
)
from latchwork.errors import ModelError
from latchwork.mechanics.body import Body
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point


@dataclass(frozen=True, eq=False, repr=False)
class Box(Shape):
    """A box along the axes of its frame: sizes along x and y in a planar model, along x, y and z in space."""

    center: Point
    sizes: Sequence[Measure]
    body: Part | None = None

    def __post_init__(self) -> None:
        center = point_of(self.what, "the centre", self.center)
        sizes = tuple(self.sizes) if hasattr(self.sizes, "__iter__") and not isinstance(self.sizes, str) else ()
        if len(sizes) not in (2, 3):
            raise ModelError(f"the sizes of {self.what} are {self.sizes!r}. Give two in the plane, three in space.")
        for size in sizes:
            positive(self.what, "a size", center.tree, size)
        self._keep(frame=turning_frame(self.what, self.body, center), sizes=sizes)


@dataclass(frozen=True, eq=False, repr=False)
class Hull(Shape):
    """The convex hull of points fixed in a body, or of an array of their measures in its frame from ``center``.

    A path stands for the vertices of a mesh, STL, OBJ or DAE. ``center`` is the body's mass centre unless given. The
    hull is worked out once, with the numbers that the points have now. Where all points lie in one plane across the
    frame's z axis, it is the outline of something in a planar model.
    """

    points: Any
    body: Part | None = None
    center: Point | None = None
    stands_for: Shape | None = field(init=False, default=None, repr=False)  # what is drawn in its place
    vertices: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.points, Sequence) and self.points and isinstance(self.points[0], Point):
            x = self._from_points([point_of(self.what, "a corner", point) for point in self.points])
        else:
            x = self._from_array()
        if not np.isfinite(x).all():
            raise ModelError(f"the points of {self.what} are not all finite. Give numbers.")
        self._keep(vertices=x)
        rank, needed = int(matrix_rank(x - x[0], ROUNDING * np.ptp(x))), 2 if self.is_flat else 3
        if rank < needed:
            where = "in one plane that is not across z" if rank == 2 else "on one line"
            raise ModelError(f"the {len(x)} points of {self.what} lie {where}. Give some that do not.")

    @property
    def is_flat(self) -> bool:
        """All in one plane across z."""
        return bool(np.ptp(self.vertices[:, 2]) <= ROUNDING * float(np.ptp(self.vertices, axis=0).max()))

    def _from_points(self, points: list[Point]) -> np.ndarray:
        first = points[0] if self.center is None else point_of(self.what, "the centre", self.center)
        ways = [between(first, point) for point in points]
        frame = frame_of(self.what, self.body, first, [way for way in ways if not way.is_zero])
        found = [numbers(frame, fixed_in(frame, self.what, f"the way to '{p.name}'", way))
                 for p, way in zip(points, ways, strict=True)]  # fmt: skip
        if any(x is None for x in found):
            raise ModelError(f"{self.what} of {names_of(points)} has no numbers. Give its parameters values first.")
        self._keep(frame=frame, center=first)
        return np.array(found, dtype=float)

    def _from_array(self) -> np.ndarray:
        home = self.body.center if isinstance(self.body, Body) else None
        home = self.body.origin if isinstance(self.body, Link) else home
        center = point_of(self.what, "the centre", self.center if self.center is not None else home)
        try:
            mesh = isinstance(self.points, (str, PathLike))
            x = vertices_of(self.points) if mesh else np.array(self.points, dtype=float)
        except (TypeError, ValueError):
            x = np.empty(0)
        if x.ndim != 2 or x.shape[1] not in (2, 3) or len(x) < 3:
            raise ModelError(
                f"the points of {self.what} are {self.points!r:.60}. Give points of the body, or an array with a row "
                "of two or three measures for each."
            )
        self._keep(frame=turning_frame(self.what, self.body, center), center=center)
        return x if x.shape[1] == 3 else np.column_stack([x, np.zeros(len(x))])
