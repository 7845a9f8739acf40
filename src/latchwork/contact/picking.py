"""Which parts of two solids are nearest now, so that of a large mesh only these are watched.

The nearest places of two convex hulls are found first, by one of two methods to pass in: ``by_gjk``, in NumPy, or
``by_coal``, with the library coal where it is installed. The parts within reach of those places meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from latchwork.contact.feature import Feature
from latchwork.contact.pairing.decompose import decompose
from latchwork.contact.pairing.parts import Ball, Flat, Part, Rod
from latchwork.contact.pairs import between_parts
from latchwork.contact.shapes.base import numbers, numeric
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.errors import ModelError
from latchwork.mechanics.vector import Vector

Array = np.ndarray
Pose = tuple[Array, Array]  # R and p: a place with measures x in the frame, from the centre, is at p + R x in N
Nearest = Callable[[Pose, Pose], tuple[Array, Array]]
SMALL = 1e-12  # of squared lengths


def gjk(x: Array, y: Array) -> tuple[Array, Array]:
    """The nearest places of the hulls of two sets of points, (n, 3) and (m, 3); the same place where they overlap.

    Least |Σ λ (x_i − y_j)| over a few pairs; the pair that is furthest along the way joins, and those without λ leave,
    until none is further.  [Gilbert, Johnson, Keerthi 1988; Wolfe 1976]
    """
    pairs = [(0, 0)]
    while True:
        i, j = np.array(pairs).T
        lam = _weights(x[i] - y[j])
        p, q = lam @ x[i], lam @ y[j]
        way = p - q
        new = (int((x @ way).argmin()), int((y @ way).argmax()))
        size = float(way @ way)
        if size < SMALL or size - float((x[new[0]] - y[new[1]]) @ way) <= SMALL * max(1.0, size) or new in pairs:
            return p, q
        pairs = [pair for pair, weight in zip(pairs, lam, strict=True) if weight > 0.0] + [new]


def _weights(d: Array) -> Array:
    """λ ≥ 0 with Σ λ = 1 that makes Σ λ d shortest."""
    from scipy.optimize import nnls

    scale = max(1.0, float(np.abs(d).max()))
    lam, _ = nnls(np.vstack([d.T, np.full(len(d), scale)]), np.array([0.0, 0.0, 0.0, scale]))
    return lam / lam.sum()


def by_gjk(x: Array, y: Array) -> Nearest:
    """For two sets of corners in the frames of their bodies: ``gjk`` at any two poses."""
    return lambda a, b: gjk(x @ a[0].T + a[1], y @ b[0].T + b[1])


def by_coal(x: Array, y: Array) -> Nearest:
    """The same with coal; where the two overlap, the places that are deepest in each other."""
    try:
        import coal
    except ImportError:
        raise ModelError("picking by coal is asked for, and it is not installed. Install it, or pass by_gjk.") from None
    from scipy.spatial import ConvexHull

    def convex(corners: Array) -> Any:
        points, triangles = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
        for corner in corners:
            points.append(corner)
        for simplex in ConvexHull(corners).simplices:
            triangles.append(coal.Triangle(*(int(i) for i in simplex)))
        return coal.Convex(points, triangles)

    def nearest(a: Pose, b: Pose) -> tuple[Array, Array]:
        result = coal.DistanceResult()
        coal.distance(mesh_a, coal.Transform3s(*a), mesh_b, coal.Transform3s(*b), request, result)
        return np.array(result.getNearestPoint1()), np.array(result.getNearestPoint2())

    mesh_a, mesh_b, request = convex(x), convex(y), coal.DistanceRequest()
    return nearest


class Picker:
    """Two solids in space; features are made when they are first picked, and kept."""

    def __init__(self, name: str, a: Box | Hull, b: Box | Hull,
                 method: Callable[[Array, Array], Nearest] = by_gjk) -> None:  # fmt: skip
        self.name = name
        self.sides = (Side(name, a), Side(name, b))
        self.nearest = method(self.sides[0].corners, self.sides[1].corners)
        self._made: dict[tuple[int, int], Feature | None] = {}

    def pick(self, pose_a: Pose, pose_b: Pose, reach: float) -> tuple[Feature, ...]:
        """The features between parts within ``reach`` of the nearest places; where none meet, of a wider reach."""
        poses = (pose_a, pose_b)
        places = self.nearest(pose_a, pose_b)
        seen = [(place - p) @ R for place, (R, p) in zip(places, poses, strict=True)]
        while True:
            here, there = (side.near(x, reach) for side, x in zip(self.sides, seen, strict=True))
            found = [f for i in here for j in there if (f := self._feature(i, j)) is not None]
            if found or (len(here), len(there)) == tuple(len(side.parts) for side in self.sides):
                return tuple(found)
            reach = 2.0 * reach + SMALL

    def _feature(self, i: int, j: int) -> Feature | None:
        if (i, j) not in self._made:
            self._made[i, j] = between_parts(self.name, self.sides[0].parts[i], self.sides[1].parts[j])
        return self._made[i, j]


class Side:
    """One of the two: its parts as numbers, and how far a place, in its frame and from its centre, is from each."""

    def __init__(self, name: str, shape: Box | Hull) -> None:
        if not isinstance(shape, (Box, Hull)):
            raise ModelError(f"'{name}' picks among the parts of {shape!r}. Give lw.Box or lw.Hull in space.")
        self.parts = decompose(shape)
        if not any(isinstance(part, Rod) for part in self.parts):
            raise ModelError(f"'{name}' picks among the parts of {shape.what} in the plane. Watch all of them.")
        balls = [part for part in self.parts if isinstance(part, Ball)]
        rods = [part for part in self.parts if isinstance(part, Rod)]
        flats = [part for part in self.parts if isinstance(part, Flat)]
        kinds = np.array([(Ball, Rod, Flat).index(type(part)) for part in self.parts])
        self.where = [np.flatnonzero(kinds == k) for k in range(3)]
        self.corners = _rows((part, part.place.arm) for part in balls)
        self.starts = _rows((part, part.place.arm) for part in rods)
        self.along = _rows((part, part.along) for part in rods)
        self.lengths = np.array([numeric(part.length) for part in rods])
        self.normals = _rows((part, part.normal) for part in flats)
        self.offsets = np.array([numeric(part.offset) for part in flats])
        self.sides = _rows((part, half.vector) for part in flats for half in part.bounds)
        self.limits = np.array([numeric(half.offset) for part in flats for half in part.bounds])
        self.first = np.cumsum([0, *(len(part.bounds) for part in flats[:-1])])

    def near(self, x: Array, reach: float) -> list[int]:
        """The parts within reach of a place."""
        return [int(i) for i in np.flatnonzero(self.distances(x) <= reach)]

    def distances(self, x: Array) -> Array:
        """How far a place is from each corner, edge and face (from a face, within a factor √2 or so)."""
        found = np.empty(len(self.parts))
        balls, rods, flats = self.where
        found[balls] = np.linalg.norm(x - self.corners, axis=1)
        s = np.clip(((x - self.starts) * self.along).sum(axis=1), 0.0, self.lengths)
        found[rods] = np.linalg.norm(x - self.starts - self.along * s[:, None], axis=1)
        beyond = np.maximum.reduceat(-(self.sides @ x) - self.limits, self.first)
        found[flats] = np.maximum(np.abs(self.normals @ x - self.offsets), beyond)
        return found


def _rows(vectors: Iterable[tuple[Part, Vector]]) -> Array:
    """Measures in the frame of each part, (n, 3)."""
    found = []
    for part, vector in vectors:
        row = numbers(part.place.frame, vector)
        if row is None:
            raise ModelError(f"'{part.label}' of '{part.place.point.name}' has no numbers. Give its parameters values.")
        found.append(row)
    return np.array(found)
