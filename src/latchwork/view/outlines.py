"""What shapes look like: a row for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from latchwork.contact.curves import Curve, Surface
from latchwork.contact.shapes import (
    Arc,
    Boundary,
    Box,
    Capsule,
    Circle,
    Cone,
    Cylinder,
    Hull,
    Line,
    Plane,
    Polyline,
    Rim,
    Segment,
    Sphere,
)
from latchwork.mechanics import primitives
from latchwork.view.mesh import Mesh, welded
from latchwork.view.sketch import ROUND, Measured, Outline, Part, across, around, behind, ring
from latchwork.view.solids import box, curve, hull, surface

REACH = 2.5  # of the size of the scene: how far what has no end is drawn, where nothing says how far
OWN = 0.1  # of the size of the scene: how far a line without end is drawn that moves
MARGIN = 0.06  # of the size of the scene: how far it is drawn beyond the room of the others
MESH = 13  # lines of a plane in either direction


def outline(shape: Any, measured: Measured) -> Outline | None:
    """How a shape is drawn; nothing for those that are not known here, and for what bends: points of it are."""
    made = None if getattr(shape, "bends", ()) else OUTLINES.get(type(shape))
    return None if made is None else made(shape, measured)


def _circle(shape: Any, m: Measured) -> Outline:
    (axis,), radius = m.local(shape.frame, m.across), m.number(shape.radius)
    edge = ring(axis, radius)
    half = 0.5 * min(m.thick, 0.6 * radius)
    parts = Part("face", edge), Part("edge", np.array([[0.0] * 3, edge[0]]))
    return Outline(shape.center, shape.frame, parts, solid=_round(primitives.cylinder(radius, -half, half, 48), axis))


def _sphere(shape: Any, m: Measured) -> Outline:
    radius = m.number(shape.radius)
    parts = [Part("ball", np.array([[0.0] * 3, [radius, 0.0, 0.0]]))]
    edges = (Part("edge", ring(axis, radius)) for axis in np.eye(3)[:2])
    ball = _round(primitives.ball(radius), np.array([0.0, 0.0, 1.0]))
    return Outline(shape.center, shape.frame, (*parts, *edges), solid=ball)


def _rim(shape: Any, m: Measured) -> Outline:
    (axis,), radius = m.local(shape.frame, shape.axis), m.number(shape.radius)
    edge, spoke = ring(axis, radius), np.array([[0.0] * 3, ring(axis, radius)[0]])
    tyre, shades = primitives.wheel(radius, max(m.number(shape.tube), 0.04 * radius))
    solid = welded(primitives.placed(tyre, primitives.along(axis)), shades, lined=False)
    return Outline(shape.center, shape.frame, (Part("face", edge), Part("edge", spoke)), solid=solid)


def _round(triangles: np.ndarray, axis: np.ndarray) -> Mesh:
    """What is round about an axis, with dark sectors that show it turn."""
    return welded(primitives.placed(triangles, primitives.along(axis)), primitives.sectors(triangles))


def _arc(shape: Any, m: Measured) -> Outline:
    (axis,), radius = m.local(shape.frame, shape.about), m.number(shape.radius)
    if shape.ends:
        (start,) = m.local(shape.frame, shape.ends[0][0])
        angles = np.linspace(0.0, m.number(shape.angle), 65)
    else:
        start, angles = around(axis)[0], ROUND
    edge = ring(axis, radius, start, angles)
    way = 1.0 if shape.inside else -1.0
    return Outline(shape.center, shape.frame, (Part("edge", edge), behind(edge, way * edge / radius, m)))


def _line(shape: Any, m: Measured) -> Outline:
    along, normal = m.local(shape.frame, shape.direction, shape.normal)
    begin, end = _ends(shape, m)
    places = np.array([begin * along, end * along])
    return Outline(shape.point, shape.frame, (Part("edge", places), behind(places, -normal, m)), endless=True)


def _ends(shape: Any, m: Measured) -> tuple[float, float]:
    """Where a line that has no end is cut: a little outside the room of the others, and where other lines bound it."""
    if shape.frame is not shape.frame.tree.newtonian:
        return -OWN * m.size, OWN * m.size
    reach = REACH * m.size
    if m.box is None:
        return -reach, reach
    at, way = (np.asarray(x) for x in m.samples.each(shape.point, shape.direction))
    low, high = (corner + side * MARGIN * m.size for corner, side in zip(m.box, (-1.0, 1.0), strict=True))
    begin, end = -np.inf, np.inf
    for k in np.flatnonzero(np.abs(way) > 1e-9):
        first, last = sorted(((low[k] - at[k]) / way[k], (high[k] - at[k]) / way[k]))
        begin, end = max(begin, first), min(end, last)
    for place, normal in m.walls:
        rate, gap = float(way @ normal), float((at - place) @ normal)
        if abs(rate) > 1e-6:
            cut = -gap / rate
            begin, end = (max(begin, cut), end) if rate > 0.0 else (begin, min(end, cut))
    if not begin < end:
        near = float(((m.box[0] + m.box[1]) / 2 - at) @ way)
        return near - 0.5 * m.size, near + 0.5 * m.size
    return begin, end


def walls_of(shapes: Iterable[Any], m: Measured) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """A place and the normal of each line that has no end."""
    found = [m.samples.each(shape.point, shape.normal) for shape in shapes if type(shape) is Line]
    return tuple((np.asarray(place), np.asarray(normal)) for place, normal in found)


def _plane(shape: Any, m: Measured) -> Outline:
    """A square of lines about what is nearest to the middle of the others, and the line where the picture cuts it."""
    normal, out = m.local(shape.frame, shape.normal, m.across)
    first = np.cross(normal, out)
    first = first / np.linalg.norm(first) if np.linalg.norm(first) > 1e-6 else around(normal)[0]
    second = np.cross(normal, first)
    middle = 0.0 * first
    if m.box is not None:
        at, cosines = m.samples.each(shape.point, shape.frame)
        away = cosines.T @ ((m.box[0] + m.box[1]) / 2 - at)
        middle = away - normal * float(away @ normal)
    half = 0.6 * m.size
    steps = np.linspace(-1.0, 1.0, MESH) * half
    grid = [middle + g for s in steps for g in (across(s * first, half * second), across(s * second, half * first))]
    parts = Part("net", np.concatenate(grid)), Part("edge", middle + across(0.0 * first, half * first))
    return Outline(shape.point, shape.frame, parts, endless=True)


def _segment(shape: Any, m: Measured) -> Outline:
    (way,) = m.local(shape.frame, shape.q.position(shape.p))
    parts = [Part("edge", np.array([[0.0] * 3, way]))]
    if shape.normal is not None:
        (normal,) = m.local(shape.frame, shape.normal)
        parts.append(behind(parts[0].places, -normal, m))
    return Outline(shape.p, shape.frame, tuple(parts))


def _polyline(shape: Any, m: Measured) -> Outline:
    first = shape.points[0]
    places = np.array(m.local(shape.frame, *(point.position(first) for point in shape.points)))
    if shape.closed:
        (axis,) = m.local(shape.frame, m.across)
        solid = welded(primitives.slab(places, axis, m.thick))
        return Outline(first, shape.frame, (Part("face", np.vstack([places, places[:1]])),), solid=solid)
    edges = [Part("edge", places)]
    for i, normal in enumerate(m.local(shape.frame, *shape.normals)):
        edges.append(behind(places[i : i + 2], -normal, m))
    return Outline(first, shape.frame, tuple(edges))


def _capsule(shape: Any, m: Measured) -> Outline:
    """A stadium in the plane of the picture."""
    way, axis = m.local(shape.frame, shape.q.position(shape.p), m.across)
    radius = m.number(shape.radius)
    side = np.cross(axis, way)
    side = side / np.linalg.norm(side) if np.linalg.norm(side) > 1e-9 else around(axis)[0]
    half = np.linspace(0.0, np.pi, 25)
    edge = np.vstack([ring(axis, radius, side, half), way + ring(axis, radius, -side, half)])
    length = float(np.linalg.norm(way))
    rod = primitives.capsule(radius, length)
    solid = welded(primitives.placed(rod, primitives.along(way / length) if length > 0.0 else np.eye(3)))
    return Outline(shape.p, shape.frame, (Part("face", np.vstack([edge, edge[:1]])),), solid=solid)


def _cylinder(shape: Any, m: Measured) -> Outline:
    """Its two ends, and lines along it."""
    (way,), radius = m.local(shape.frame, shape.q.position(shape.p)), m.number(shape.radius)
    length = float(np.linalg.norm(way))
    edge = ring(way / length, radius)
    lines = [Part("edge", np.array([edge[i], edge[i] + way])) for i in range(0, len(edge) - 1, (len(edge) - 1) // 4)]
    solid = _round(primitives.cylinder(radius, 0.0, length), way / length)
    return Outline(shape.p, shape.frame, (Part("face", edge), Part("face", edge + way), *lines), solid=solid)


def _cone(shape: Any, m: Measured) -> Outline:
    """Its base, and lines to its tip."""
    (way,), radius = m.local(shape.frame, shape.q.position(shape.p)), m.number(shape.radius)
    length = float(np.linalg.norm(way))
    edge = ring(way / length, radius)
    lines = [Part("edge", np.array([edge[i], way])) for i in range(0, len(edge) - 1, (len(edge) - 1) // 8)]
    solid = _round(primitives.cone(radius, 0.0, length), way / length)
    return Outline(shape.p, shape.frame, (Part("face", edge), *lines), solid=solid)


def _boundary(shape: Any, m: Measured) -> Outline:
    """Its pieces, all from the point of the first."""
    pieces = [OUTLINES[type(piece)](piece, m) for piece in shape.pieces]
    first = pieces[0].at
    shifts = m.local(shape.frame, *(made.at.position(first) for made in pieces))
    parts = [Part(p.kind, p.places + shift) for made, shift in zip(pieces, shifts, strict=True) for p in made.parts]
    return Outline(first, shape.frame, tuple(parts))


OUTLINES: dict[type, Callable[[Any, Measured], Outline]] = {
    Circle: _circle, Sphere: _sphere, Rim: _rim, Arc: _arc, Line: _line, Plane: _plane, Segment: _segment,
    Polyline: _polyline, Capsule: _capsule, Cylinder: _cylinder, Cone: _cone, Boundary: _boundary, Box: box, Hull: hull,
    Curve: curve, Surface: surface,
}  # fmt: skip
