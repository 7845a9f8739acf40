"""Outlines of what has faces, and of what is given by expressions: box, hull, curve, surface."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from latchwork.mechanics import primitives
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, operand
from latchwork.view.mesh import Mesh, welded
from latchwork.view.sketch import Array, Measured, Outline, Part, behind

SAMPLES = 121  # of a curve
MESH = 13  # lines of a surface in either direction
FINE = 33  # places of its solid in either direction
SQUARE = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
FLAT = 1e-9  # between the normals of faces that are one


def box(shape: Any, m: Measured) -> Outline:
    """A rectangle, or six of them."""
    half = 0.5 * np.array([m.number(size) for size in shape.sizes])
    if len(half) == 2:
        faces = [np.column_stack([SQUARE * half, np.zeros(5)])]
    else:
        faces = [_face(half, k, side) for k in range(3) for side in (-1.0, 1.0)]
    sizes = np.append(2.0 * half, m.thick) if len(half) == 2 else 2.0 * half
    parts = tuple(Part("face", face) for face in faces)
    return Outline(shape.center, shape.frame, parts, solid=welded(primitives.box(sizes)))


def _face(half: Array, k: int, side: float) -> Array:
    """The face of a box across its axis k."""
    places = np.empty((5, 3))
    places[:, k] = side * half[k]
    others = [j for j in range(3) if j != k]
    places[:, others] = SQUARE * half[others]
    return places


def hull(shape: Any, m: Measured) -> Outline:
    """The outline of what is flat; else the edges between faces that are not in one plane."""
    from scipy.spatial import ConvexHull

    x = shape.vertices
    if shape.is_flat:
        order = ConvexHull(x[:, :2]).vertices
        solid = welded(primitives.prism(x[order, :2], -0.5 * m.thick, 0.5 * m.thick))
        return Outline(shape.center, shape.frame, (Part("face", x[[*order, order[0]]]),), solid=solid)
    found = ConvexHull(x)
    normals: dict[tuple[int, int], list[Array]] = {}
    for corners, plane in zip(found.simplices, found.equations, strict=True):
        for i, j in itertools.combinations(sorted(corners.tolist()), 2):
            normals.setdefault((i, j), []).append(plane[:3])
    edges = [Part("edge", x[[i, j]]) for (i, j), (a, b) in normals.items() if a @ b < 1.0 - FLAT]
    return Outline(shape.center, shape.frame, tuple(edges), solid=_outside(x, found))


def _outside(x: Array, found: Any) -> Mesh:
    """The faces of a hull, each seen from outside against the clock."""
    triangles = x[found.simplices]
    facing = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    wrong = (facing * found.equations[:, :3]).sum(axis=1) < 0.0
    triangles[wrong] = triangles[wrong][:, ::-1]
    return welded(triangles, crease=0.94)


def curve(shape: Any, m: Measured) -> Outline:
    """A curve by expressions: places at even parameters."""
    low, high = shape.span
    frame, arms = _written(shape, [(s,) for s in np.linspace(low, high, SAMPLES)])
    places = np.array(m.local(frame, *arms))
    (up,) = m.local(frame, shape.point.tree.newtonian.z if shape.up is None else shape.up)
    outward = shape.side * np.cross(up, np.gradient(places, axis=0))
    outward /= np.maximum(np.linalg.norm(outward, axis=1), 1e-300)[:, None]
    solid = shape.closed and shape.side < 0
    made = welded(primitives.slab(places[:-1], up / np.linalg.norm(up), m.thick)) if solid else None
    line = Part("face" if solid else "edge", places)
    return Outline(shape.point, frame, (line, behind(places, -outward, m)), solid=made)


def surface(shape: Any, m: Measured) -> Outline:
    """A surface by expressions: a net of lines."""
    (a0, a1), (b0, b1) = shape.spans
    a, b = np.linspace(a0, a1, MESH), np.linspace(b0, b1, MESH)
    frame, arms = _written(shape, [(x, y) for x in a for y in b])
    net = np.array(m.local(frame, *arms)).reshape(MESH, MESH, 3)
    lines = [*net, *net.transpose(1, 0, 2)]
    triangles = primitives.netted(_fine(shape, m))
    both = welded(np.concatenate([triangles, triangles[:, ::-1]]), lined=False)
    return Outline(shape.point, frame, tuple(Part("edge", line) for line in lines), solid=both)


def _fine(shape: Any, m: Measured) -> Array:
    """A net of a surface that is fine enough to look smooth."""
    (a0, a1), (b0, b1) = shape.spans
    frame, arms = _written(shape, [(x, y) for x in np.linspace(a0, a1, FINE) for y in np.linspace(b0, b1, FINE)])
    return np.array(m.local(frame, *arms)).reshape(FINE, FINE, 3)


def _written(shape: Any, parameters: Sequence[tuple[float, ...]]) -> tuple[Frame, list[Vector]]:
    """p(s) from the point of a shape, and the frame that it is fixed in: its body's, or the one it is written in."""
    g = shape.point.tree.graph
    arms = [shape.shape(*(Expr(g, operand(g, float(s))) for s in row)) for row in parameters]
    frames = {frame for arm in arms for frame in arm.parts} | {shape.point.tree.newtonian}
    body = getattr(shape.body, "frame", None) or (shape.body if isinstance(shape.body, Frame) else None)
    return body or max(frames, key=lambda frame: frame.depth), arms
