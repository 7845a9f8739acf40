"""Boxes and convex hulls as faces, edges and corners, each with the region in which it is the nearest of them."""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Any

import numpy as np

from latchwork.algebra.products import dot
from latchwork.contact.narrow_phase.convex_hull import outline, polytope
from latchwork.contact.narrow_phase.parts import PARTS, Ball, Flat, Half, Part, Place, Rod
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import minimum

SIGNS = ((1.0, "+"), (-1.0, "-"))


def of_box(shape: Box) -> tuple[Part, ...]:
    """Sides and corners in the plane; faces, edges and corners in space."""
    place = Place(shape.center, shape.frame, Vector(shape.tree, {}))
    half = [0.5 * size for size in shape.sizes]
    axes = (shape.frame.x, shape.frame.y, shape.frame.z)[: len(half)]
    edges = _box_edges(place, axes, half) if len(half) == 3 else []
    return (*_box_faces(place, axes, half), *edges, *_box_corners(place, axes, half))


def _box_faces(place: Place, axes: tuple[Vector, ...], half: list[Any]) -> list[Part]:
    """d · n = h between the planes of the others, and not beyond the middle."""
    what = "face" if len(half) == 3 else "side"
    faces: list[Part] = []
    for i, (sign, mark) in itertools.product(range(len(half)), SIGNS):
        others = [j for j in range(len(half)) if j != i]
        sides = [Half(place, s * axes[j], half[j], 1.0) for j in others for s, _ in SIGNS]
        bounds = (*sides, Half(place, sign * axes[i]))
        faces.append(Flat(place, sign * axes[i], half[i], f"{what} {mark}{'xyz'[i]}", bounds))
    return faces


def _box_edges(place: Place, axes: tuple[Vector, ...], half: list[Any]) -> list[Part]:
    edges: list[Part] = []
    for k in range(3):
        i, j = (k + 1) % 3, (k + 2) % 3
        for (a, x), (b, y) in itertools.product(SIGNS, SIGNS):
            start = place.beside(axes[i] * (a * half[i]) + axes[j] * (b * half[j]) - axes[k] * half[k])
            out = (a * axes[i], b * axes[j])
            bounds = tuple(Half(start, v) for v in out)
            label = f"edge {x}{'xyz'[i]}{y}{'xyz'[j]}"
            edges.append(Rod(start, axes[k], 2.0 * half[k], 0.0, label, bounds, tuple(-v for v in out),
                             0.5 * min_of(half)))  # fmt: skip
    return edges


def _box_corners(place: Place, axes: tuple[Vector, ...], half: list[Any]) -> list[Part]:
    corners: list[Part] = []
    for signs in itertools.product(SIGNS, repeat=len(half)):
        arms = [axes[i] * (s * half[i]) for i, (s, _) in enumerate(signs)]
        corner = place.beside(sum(arms, start=Vector(place.frame.tree, {})))
        bounds = tuple(Half(corner, s * axes[i]) for i, (s, _) in enumerate(signs))
        label = "corner " + "".join(mark + "xyz"[i] for i, (_, mark) in enumerate(signs))
        corners.append(Ball(corner, 0.0, label, bounds))
    return corners


def min_of(half: list[Any]) -> Any:
    """The least of some lengths, numbers or expressions."""
    least = half[0]
    for size in half[1:]:
        least = minimum(least, size)
    return least


def of_hull(shape: Hull, met: Collection[type] = PARTS) -> tuple[Part, ...]:
    """Sides and corners in the plane; faces, edges and corners in space; with numbers throughout. Of a hull of many
    corners no more are made than kinds of parts that are met."""
    assert shape.center is not None
    place, x = Place(shape.center, shape.frame, Vector(shape.tree, {})), shape.vertices
    solid = outline(x) if shape.is_flat else polytope(x)

    def vector(v: np.ndarray) -> Vector:
        return shape.frame.vector(*(float(m) for m in v))

    parts: list[Part] = []
    what = "side" if shape.is_flat else "face"
    for i, face in enumerate(solid.faces if Flat in met else ()):
        sides = [Half(place, vector(u), float(dot(-u, x[v])), lean) for u, v, lean in face.sides]
        behind = Half(place, vector(face.normal), 0.5 * face.depth - face.offset)
        parts.append(Flat(place, vector(face.normal), face.offset, f"{what} {i + 1}", (*sides, behind)))
    thin = 0.5 * min(face.depth for face in solid.faces)
    for i, edge in enumerate(solid.edges if Rod in met else ()):
        start = place.beside(vector(x[edge.start]))
        bounds = tuple(Half(start, vector(-u)) for u in edge.into)
        parts.append(Rod(start, vector(edge.along), edge.length, 0.0, f"edge {i + 1}", bounds,
                         tuple(vector(u) for u in edge.into), thin))  # fmt: skip
    for i, (v, leaving) in enumerate(solid.corners if Ball in met else ()):
        corner = place.beside(vector(x[v]))
        bounds = tuple(Half(corner, vector(-t)) for t in leaving)
        parts.append(Ball(corner, 0.0, f"corner {i + 1}", bounds))
    return tuple(parts)
