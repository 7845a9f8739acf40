"""The faces, edges and corners of a convex hull, in NumPy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from latchwork.algebra.products import dot, norm

Array = np.ndarray
SAME_FACE = 1e-7  # faces whose normals and offsets differ by less are one


@dataclass(frozen=True)
class Face:
    """x · normal = offset on it, with the ``depth`` of the solid below it.

    For each side: u · (x − vertex) ≥ 0 with u in the face; and cot(θ/2), θ the angle inside the edge there.
    """

    normal: Array
    offset: float
    depth: float
    sides: tuple[tuple[Array, int, float], ...]


@dataclass(frozen=True)
class Edge:
    """From a vertex along a unit vector; ``into`` leads from it into its two faces, across it."""

    start: int
    along: Array
    length: float
    into: tuple[Array, Array]


@dataclass(frozen=True)
class Solid:
    """Faces, edges, and corners: a vertex with the directions of the edges that leave it."""

    faces: tuple[Face, ...]
    edges: tuple[Edge, ...]
    corners: tuple[tuple[int, tuple[Array, ...]], ...]


def outline(x: Array) -> Solid:
    """The hull of points in the x-y plane: its sides (as faces) and corners."""
    from scipy.spatial import ConvexHull

    order = [int(i) for i in ConvexHull(x[:, :2]).vertices]  # counterclockwise
    ahead = {i: unit(x[j] - x[i]) for i, j in zip(order, order[1:] + order[:1], strict=True)}
    faces, corners = [], []
    for before, i, j in zip(order[-1:] + order[:-1], order, order[1:] + order[:1], strict=True):
        t, out = ahead[i], {k: np.array([ahead[k][1], -ahead[k][0], 0.0]) for k in (before, i, j)}
        n = out[i]
        faces.append(_face(x, n, x[i], ((t, i, lean(n, out[before])), (-t, j, lean(n, out[j])))))
        corners.append((i, (t, -ahead[before])))
    return Solid(tuple(faces), (), tuple(corners))


def polytope(x: Array) -> Solid:
    """The hull of points in space, triangles in one plane made one face. Asked for by whoever looks at a shape."""
    return _polytope(x.shape[0], x.tobytes())


@lru_cache(maxsize=256)
def _polytope(count: int, numbers: bytes) -> Solid:
    x = np.frombuffer(numbers).reshape(count, 3)
    from scipy.spatial import ConvexHull

    hull = ConvexHull(x)
    size = float(np.ptp(x, axis=0).max())
    group = _groups(hull.equations / np.array([1.0, 1.0, 1.0, size]))
    normals = [unit(hull.equations[group == g, :3].mean(axis=0)) for g in range(group.max() + 1)]
    sides: list[list[tuple[Array, int, float]]] = [[] for _ in normals]
    edges, leaving = [], dict[int, list[Array]]()
    for s, simplex in enumerate(hull.simplices):
        for k in range(3):
            other = int(hull.neighbors[s][k])
            if group[other] == group[s] or other < s:
                continue
            i, j = (int(v) for v in np.delete(simplex, k))
            t = unit(x[j] - x[i])
            into = tuple(_into(normals[g], t, n) for g, n in ((group[s], normals[group[other]]),
                                                             (group[other], normals[group[s]])))  # fmt: skip
            for g, u in zip((group[s], group[other]), into, strict=True):
                sides[g].append((u, i, lean(normals[group[s]], normals[group[other]])))
            edges.append(Edge(i, t, float(norm(x[j] - x[i])), (into[0], into[1])))
            leaving.setdefault(i, []).append(t)
            leaving.setdefault(j, []).append(-t)
    faces = tuple(_face(x, n, x[near[0][1]], tuple(near)) for n, near in zip(normals, sides, strict=True))
    return Solid(faces, tuple(edges), tuple((i, tuple(ts)) for i, ts in sorted(leaving.items())))


def unit(v: Array) -> Array:
    return v / norm(v)


def lean(n: Array, other: Array) -> float:
    """cot(θ/2) = √((1 − n₁·n₂) / (1 + n₁·n₂)) of the angle inside the edge of two faces."""
    c = float(dot(n, other))
    return float(np.sqrt((1.0 - c) / (1.0 + c)))


def _into(n: Array, t: Array, beyond: Array) -> Array:
    """The direction in a face with normal n, across its edge t, away from the face beyond: its normal leans back."""
    u = unit(np.cross(n, t))
    return -u if dot(u, beyond) > 0.0 else u


def _face(x: Array, n: Array, on: Array, sides: tuple[tuple[Array, int, float], ...]) -> Face:
    offset = float(dot(n, on))
    return Face(n, offset, offset - float(dot(x, n).min()), sides)


def _groups(equations: Array) -> Array:
    """A number for each plane, the same for planes that are."""
    group = np.full(len(equations), -1)
    for i, plane in enumerate(equations):
        if group[i] < 0:
            same = (np.abs(equations - plane).max(axis=1) < SAME_FACE) & (group < 0)
            group[same] = group.max() + 1
    return group
