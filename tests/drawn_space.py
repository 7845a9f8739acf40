"""Shapes in space as they are drawn, each with its set worked out in NumPy, and how deep two lie in each other.

A set is all within a radius of some places, or of what a signed distance says is inside.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, cKDTree

import latchwork as lw

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Drawn:
    """A shape, places (n, 3) of it, the radius about them, and for places how far outside its material they are, where
    it has any besides; ``close``: how well the places tell its set."""

    shape: Any
    places: Array
    radius: float = 0.0
    outside: Callable[[Array], Array] | None = None
    close: float = 2e-4


def ball_places(count: int = 1500) -> Array:
    """Unit vectors, evenly: a spiral."""
    i = np.arange(count) + 0.5
    z, a = 1.0 - 2.0 * i / count, math.pi * (1.0 + math.sqrt(5.0)) * i
    return np.column_stack([np.sqrt(1.0 - z * z) * np.cos(a), np.sqrt(1.0 - z * z) * np.sin(a), z])


def hull_places(x: Array) -> Array:
    """Corners, and places along all edges, of the hull of some corners."""
    edges = {tuple(sorted(pair)) for face in ConvexHull(x).simplices for pair in itertools.combinations(face, 2)}
    return np.vstack([x, *(np.linspace(x[i], x[j], 160) for i, j in edges)])


def from_hull(x: Array) -> Callable[[Array], Array]:
    """Signed distances from a hull: inside from the nearest plane of a face, outside from the nearest triangle. Places
    outside that are not the nearest to it, and beyond some plane by more than that one is off, have their distance from
    this plane, which is no more than that from the hull."""
    found = ConvexHull(x)
    planes, faces = np.unique(found.equations, axis=0), x[found.simplices]

    def from_faces(y: Array) -> Array:
        return np.asarray(np.min([from_triangle(y, *face) for face in faces], axis=0))

    def outside(y: Array) -> Array:
        deep = (planes[:, :3] @ y.T + planes[:, 3:]).max(axis=0)
        first = int(deep.argmin())
        if deep[first] > 0.0:
            near = deep <= from_faces(y[first : first + 1])[0]
            deep[near] = from_faces(y[near])
        return deep

    return outside


def from_triangle(y: Array, a: Array, b: Array, c: Array) -> Array:
    """Distances from a triangle: from its plane where the foot is inside, else from its edges."""
    n = np.cross(b - a, c - a)
    n = n / np.linalg.norm(n)
    height = (y - a) @ n
    within = np.all([(y - p) @ np.cross(n, q - p) >= 0.0 for p, q in ((a, b), (b, c), (c, a))], axis=0)
    edges = np.min([from_edge(y, p, q) for p, q in ((a, b), (b, c), (c, a))], axis=0)
    return np.where(within, np.abs(height), edges)


def from_edge(y: Array, p: Array, q: Array) -> Array:
    s = np.clip((y - p) @ (q - p) / ((q - p) @ (q - p)), 0.0, 1.0)
    return np.asarray(np.linalg.norm(y - p - s[:, None] * (q - p), axis=1))


def from_meridian(x: Array, corners: Array) -> Array:
    """Signed distances from a convex solid of revolution about z, whose outline goes through corners (r, z) from the
    axis to the axis, clockwise: in the half-plane of each place."""
    y = np.column_stack([np.hypot(x[:, 0], x[:, 1]), x[:, 2]])
    outline = np.vstack([(0.0, corners[0, 1]), corners, (0.0, corners[-1, 1])])
    pairs = [(p, q) for p, q in itertools.pairwise(outline) if (p != q).any()]
    deep = np.max([(y - p) @ np.array([-(q - p)[1], (q - p)[0]]) / np.linalg.norm(q - p) for p, q in pairs], axis=0)
    return np.where(deep > 0.0, np.min([from_edge(y, p, q) for p, q in pairs], axis=0), deep)


class Pen:
    """Draws shapes on a body."""

    def __init__(self, tag: str, origin: lw.Point, frame: Any, body: Any) -> None:
        self.tag, self.origin, self.frame, self.body, self._count = tag, origin, frame, body, 0

    def at(self, x: float, y: float = 0.0, z: float = 0.0) -> lw.Point:
        self._count += 1
        return self.origin.at(f"{self.tag}{self._count}", self.frame.vector(x, y, z))

    def point(self) -> Drawn:
        return Drawn(self.at(0.1), np.array([[0.1, 0.0, 0.0]]))

    def sphere(self) -> Drawn:
        return Drawn(lw.Sphere(self.at(0.1), 0.4, body=self.body), np.array([[0.1, 0.0, 0.0]]), 0.4)

    def capsule(self) -> Drawn:
        shape = lw.Capsule(self.at(-0.5), self.at(0.5), 0.2, body=self.body)
        return Drawn(shape, np.linspace([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 800), 0.2)

    def cylinder(self) -> Drawn:
        a, z = (x.ravel() for x in np.meshgrid(np.linspace(0.0, 2.0 * math.pi, 240, endpoint=False),
                                               np.linspace(-0.3, 0.3, 121)))  # fmt: skip
        side = np.column_stack([0.35 * np.cos(a), 0.35 * np.sin(a), z])
        shape = lw.Cylinder(self.at(0.0, 0.0, -0.3), self.at(0.0, 0.0, 0.3), 0.35, body=self.body)
        return Drawn(shape, side, outside=lambda x: from_meridian(x, np.array([(0.35, 0.3), (0.35, -0.3)])))

    def cone(self) -> Drawn:
        a, z = (x.ravel() for x in np.meshgrid(np.linspace(0.0, 2.0 * math.pi, 240, endpoint=False),
                                               np.linspace(-0.3, 0.4, 121)))  # fmt: skip
        r = 0.5 * (0.4 - z) / 0.7
        side = np.column_stack([r * np.cos(a), r * np.sin(a), z])
        shape = lw.Cone(self.at(0.0, 0.0, -0.3), self.at(0.0, 0.0, 0.4), 0.5, body=self.body)
        return Drawn(shape, side, outside=lambda x: from_meridian(x, np.array([(0.0, 0.4), (0.5, -0.3)])))

    def wire(self) -> Drawn:
        shape = lw.Segment(self.at(-0.5), self.at(0.5), body=self.body)
        return Drawn(shape, np.linspace([-0.5, 0.0, 0.0], [0.5, 0.0, 0.0], 800))

    def box(self) -> Drawn:
        x = np.array(list(itertools.product((-0.5, 0.5), (-0.4, 0.4), (-0.25, 0.25))))
        return Drawn(lw.Box(self.origin, (1.0, 0.8, 0.5), body=self.body), hull_places(x), outside=from_hull(x))

    def hull(self) -> Drawn:
        x = np.array([(-0.5, -0.25, -0.25), (0.5, -0.5, -0.25), (0.0, 0.5, -0.25), (0.0, 0.0, 0.5)])
        return Drawn(lw.Hull(x, body=self.body, center=self.origin), hull_places(x), outside=from_hull(x))

    def plane(self) -> Drawn:
        F = self.frame
        return Drawn(lw.Plane(self.origin, F.z, body=self.body), np.zeros((0, 3)), outside=lambda x: x[:, 2])

    def _circle(self, r: float) -> Array:
        a = np.linspace(0.0, 2.0 * math.pi, 1440, endpoint=False)
        return r * np.column_stack([np.cos(a), np.sin(a), 0.0 * a])

    def tyre(self) -> Drawn:
        return Drawn(lw.Rim(self.origin, self.frame.z, 0.5, body=self.body, tube=0.1), self._circle(0.5), 0.1)

    def rim(self) -> Drawn:
        return Drawn(lw.Rim(self.origin, self.frame.z, 0.5, body=self.body), self._circle(0.5))

    def surface(self) -> Drawn:
        """A bump with borders."""
        F = self.frame
        shape = lw.Surface(self.origin, lambda a, b: a * F.x + b * F.y - 0.4 * (a * a + b * b) * F.z,
                           ((-0.6, 0.6), (-0.5, 0.5)), body=self.body)  # fmt: skip
        a, b = (z.ravel() for z in np.meshgrid(np.linspace(-0.6, 0.6, 121), np.linspace(-0.5, 0.5, 101)))
        return Drawn(shape, np.column_stack([a, b, -0.4 * (a * a + b * b)]), close=5e-3)

    def donut(self) -> Drawn:
        """A closed surface: a torus that stands on its edge."""
        F = self.frame

        def place(a: Any, b: Any) -> Any:
            return (lw.cos(a) * F.y + lw.sin(a) * F.z) * (0.4 + 0.2 * lw.cos(b)) + 0.2 * lw.sin(b) * F.x

        shape = lw.Surface(self.origin, place, ((0.0, 2.0 * math.pi), (0.0, 2.0 * math.pi)), body=self.body,
                           periodic=(True, True))  # fmt: skip
        return Drawn(shape, self._circle(0.4)[:, [2, 0, 1]], 0.2)


SHAPES = ("point", "sphere", "capsule", "cylinder", "cone", "box", "hull", "plane", "wire", "tyre", "rim", "surface",
          "donut")  # fmt: skip
FRONT = ("plane", "surface")


def rotation(e: Array) -> Array:
    """The rotation of Euler parameters: columns are the axes of the body in N."""
    w, x, y, z = e / np.linalg.norm(e)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])  # fmt: skip


def depth(a: Drawn, at: Array, b: Drawn, bt: Array) -> float:
    """How deep two sets lie in each other; below 0 about how far apart they are. Poses are p and e."""
    R, S = rotation(at[3:]), rotation(bt[3:])
    x, y = a.places @ R.T + at[:3], b.places @ S.T + bt[:3]
    found = []
    if b.outside is not None and len(x):
        found.append(a.radius + b.radius - float(b.outside((x - bt[:3]) @ S).min()))
    if a.outside is not None and len(y):
        found.append(a.radius + b.radius - float(a.outside((y - at[:3]) @ R).min()))
    if a.outside is None and b.outside is None:
        few, many = sorted((x, y), key=len)
        found.append(a.radius + b.radius - float(cKDTree(many).query(few)[0].min()))
    return max(found)
