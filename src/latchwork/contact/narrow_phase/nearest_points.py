"""The nearest places of two convex hulls, by one of two methods that agree: GJK in NumPy, or the library coal."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.scales import rounded_length
from latchwork.contact.impact.nonnegative import nearest_in
from latchwork.errors import ModelError

Array = np.ndarray
Pose = tuple[Array, Array]  # R and p: a place with measures x in the frame, from the centre, is at p + R x in N
Nearest = Callable[[Pose, Pose], tuple[Array, Array]]
SMALL = 1e-12  # of the squared size of the smaller hull


def gjk(x: Array, y: Array) -> tuple[Array, Array]:
    """The nearest places of the hulls of two sets of points, (n, 3) and (m, 3); the same place where they overlap.

    Least |Σ λ (x_i − y_j)| over a few pairs; the pair that is furthest along the way joins, and those without λ leave,
    until none is further.  [Gilbert, Johnson, Keerthi 1988; Wolfe 1976]
    """
    pairs, unit = [(0, 0)], rounded_length(min(float(np.ptp(side, axis=0).max()) for side in (x, y)) or 1.0)
    small = SMALL * unit * unit
    while True:
        i, j = np.array(pairs).T
        lam = _weights(x[i] - y[j], unit)
        p, q = dot(lam, x[i]), dot(lam, y[j])
        way = p - q
        new = (int(dot(x, way).argmin()), int(dot(y, way).argmax()))
        size = float(dot(way, way))
        left = size - float(dot(x[new[0]] - y[new[1]], way))
        if size < small or left <= max(small, SMALL * size) or new in pairs:
            return p, q
        pairs = [pair for pair, weight in zip(pairs, lam, strict=True) if weight > 0.0] + [new]


def _weights(d: Array, unit: float) -> Array:
    """λ ≥ 0 with Σ λ = 1 that makes Σ λ d shortest; d is measured by a unit of length."""
    scale = max(unit, float(np.abs(d).max()))
    lam = nearest_in(np.vstack([d.T, np.full(len(d), scale)]), np.array([0.0, 0.0, 0.0, -scale]))
    return lam / lam.sum()


def by_gjk(x: Array, y: Array) -> Nearest:
    """For two sets of corners in the frames of their bodies: ``gjk`` at any two poses."""
    return lambda a, b: gjk(dot(x, a[0].T) + a[1], dot(y, b[0].T) + b[1])


@cache
def has_coal() -> bool:
    """Whether the library coal is installed."""
    return find_spec("coal") is not None


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
