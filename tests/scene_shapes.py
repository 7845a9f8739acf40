"""Shapes of random scenes, each with its numbers apart: what they are the hull of, and distances worked out in NumPy.

A solid is all within ``radius`` of the hull of some points of a body. Ground is known by its signed distance from such
a hull: positive apart, negative inside.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import nnls
from scipy.spatial import ConvexHull

import latchwork as lw

Array = np.ndarray
OUTER = 1e9  # apart by so much: nothing to measure


@dataclass(frozen=True, eq=False)
class Solid:
    """A shape, the points whose hull is its core, a radius about that, and its reach from the centre of its body."""

    shape: Any
    points: tuple[lw.Point, ...]
    radius: float
    reach: float
    axes: Callable[[Array], tuple[Array, Array]] | None = None  # normals of faces and directions of edges, by places


@dataclass(frozen=True, eq=False)
class Ground:
    """A shape fixed in N, and the signed distance of a solid from it, by the places of the points of its core."""

    shape: Any
    apart: Callable[[Array, float], float]
    belt: bool = False


# --- solids -----------------------------------------------------------------------------------------------------


def disk(link: lw.Link, body: Any, r: float, tag: str) -> Solid:
    return Solid(lw.Circle(link.origin, r, body=body), (link.origin,), r, r)


def ball(link: lw.Link, body: Any, r: float, tag: str) -> Solid:
    return Solid(lw.Sphere(link.origin, r, body=body), (link.origin,), r, r)


def capsule(link: lw.Link, body: Any, half: float, r: float, tag: str) -> Solid:
    p, q = (link.origin.at(f"{tag}{end}", s * half * link.frame.x) for end, s in (("p", -1.0), ("q", 1.0)))
    return Solid(lw.Capsule(p, q, r, body=body), (p, q), r, half + r)


def corners(link: lw.Link, x: Array, tag: str) -> tuple[lw.Point, ...]:
    full = np.column_stack([x, np.zeros((len(x), 3 - x.shape[1]))])
    return tuple(link.origin.at(f"{tag}{i}", link.frame.vector(*row)) for i, row in enumerate(full.tolist()))


def box(link: lw.Link, body: Any, sizes: tuple[float, ...], tag: str) -> Solid:
    x = np.array(list(itertools.product(*((-0.5 * s, 0.5 * s) for s in sizes))))
    return Solid(lw.Box(link.origin, sizes, body=body), corners(link, x, tag), 0.0,
                 0.5 * float(np.linalg.norm(sizes)), axes_of(x))  # fmt: skip


def hull(link: lw.Link, body: Any, x: Array, tag: str) -> Solid:
    points = corners(link, x, tag)
    return Solid(lw.Hull(list(points), body=body), points, 0.0, float(np.linalg.norm(x, axis=1).max()), axes_of(x))


def axes_of(x: Array) -> Callable[[Array], tuple[Array, Array]]:
    """Which differences of places are edges, and which faces they span: found once, in the body."""
    found = ConvexHull(x)
    if x.shape[1] == 2:
        pairs = [tuple(s) for s in found.simplices]

        def flat(at: Array) -> tuple[Array, Array]:
            e = np.array([at[j] - at[i] for i, j in pairs])
            n = np.column_stack([e[:, 1], -e[:, 0], 0.0 * e[:, 0]])
            return n / np.linalg.norm(n, axis=1)[:, None], np.empty((0, 3))

        return flat
    faces = [tuple(s) for s in found.simplices]
    edges = sorted({tuple(sorted(p)) for s in faces for p in itertools.combinations(s, 2)})

    def spatial(at: Array) -> tuple[Array, Array]:
        n = np.array([np.cross(at[j] - at[i], at[k] - at[i]) for i, j, k in faces])
        return n / np.linalg.norm(n, axis=1)[:, None], np.array([at[j] - at[i] for i, j in edges])

    return spatial


# --- distances --------------------------------------------------------------------------------------------------


def hull_distance(p: Array, q: Array) -> float:
    """min |Σ λ_ij (p_i − q_j)| with λ ≥ 0 and Σ λ = 1."""
    if len(p) == len(q) == 1:
        return float(np.linalg.norm(p[0] - q[0]))
    V = (p[:, None, :] - q[None, :, :]).reshape(-1, 3).T
    weight = max(1.0, float(np.abs(V).max()))
    lam, _ = nnls(np.vstack([V, np.full(V.shape[1], weight)]), np.array([0.0, 0.0, 0.0, weight]))
    return float(np.linalg.norm(V @ lam) / lam.sum())


def separation(a: Solid, p: Array, b: Solid, q: Array) -> float:
    """Distance of two solids: negative where they overlap."""
    if a.radius + b.radius > 0.0:
        return hull_distance(p, q) - a.radius - b.radius
    assert a.axes is not None
    assert b.axes is not None
    (na, ea), (nb, eb) = a.axes(p), b.axes(q)
    crossed = np.cross(ea[:, None, :], eb[None, :, :]).reshape(-1, 3)
    size = np.linalg.norm(crossed, axis=1)
    crossed = crossed[size > 1e-6] / size[size > 1e-6, None]
    axes = np.vstack([na, nb, crossed])
    one, other = p @ axes.T, q @ axes.T
    return float(np.maximum(one.min(0) - other.max(0), other.min(0) - one.max(0)).max())


def from_flat(point: Array, normal: Array) -> Callable[[Array, float], float]:
    return lambda at, r: float(((at - point) @ normal).min()) - r


def from_edge(p: Array, q: Array) -> Callable[[Array, float], float]:
    """A wall without thickness: how far from it."""
    wall = np.array([p, q])
    return lambda at, r: hull_distance(at, wall) - r


def from_ring(center: Array, radius: float, inside: bool) -> Callable[[Array, float], float]:
    if inside:
        return lambda at, r: radius - r - float(np.linalg.norm(at - center, axis=1).max())
    return lambda at, r: hull_distance(at, center[None]) - radius - r


def from_ground(x: Array) -> Callable[[Array, float], float]:
    """Ground whose outline goes from left to right: no core below it, no edge of it within the radius of a core."""
    slopes = np.diff(x[:, 1]) / np.diff(x[:, 0])
    flat = 1.0 / np.sqrt(1.0 + np.abs(slopes).max() ** 2)
    ends = np.column_stack([x, np.zeros(len(x))])

    def apart(at: Array, r: float) -> float:
        over = float((at[:, 1] - np.interp(at[:, 0], x[:, 0], x[:, 1])).min()) * flat
        if r > 0.0:
            return min(over, min(hull_distance(at, ends[i : i + 2]) for i in range(len(x) - 1)) - r)
        if len(at) < 3:
            return over
        n = axes_of(at[:, :2])(at)[0]
        n = np.vstack([n, -n])
        return min(over, float((ends @ n.T - (at @ n.T).max(0)).max(1).min()))

    return apart


def from_wave(height: Callable[[Array], Array], low: float, high: float) -> Callable[[Array, float], float]:
    """A curve y(x): the nearest of many places, refined on a finer grid about it."""
    def apart(at: Array, r: float) -> float:
        a, b = low, high
        best = OUTER
        for _ in range(9):
            s = np.linspace(a, b, 201)
            d = np.hypot(at[0, 0] - s, at[0, 1] - height(s))
            i = int(d.argmin())
            best, a, b = float(d[i]), s[max(i - 1, 0)], s[min(i + 1, 200)]
        return best - r

    return apart
