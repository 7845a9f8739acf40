"""What shapes look like: a row for each."""

from __future__ import annotations

from collections.abc import Callable
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
from latchwork.view.sketch import ROUND, Measured, Outline, Part, across, around, behind, ring
from latchwork.view.solids import box, curve, hull, surface

REACH = 2.5  # of the size of the scene: how far what has no end is drawn
MESH = 13  # lines of a plane in either direction


def outline(shape: Any, measured: Measured) -> Outline | None:
    """How a shape is drawn; nothing for those that are not known here."""
    made = OUTLINES.get(type(shape))
    return None if made is None else made(shape, measured)


def _circle(shape: Any, m: Measured) -> Outline:
    (axis,), radius = m.local(shape.frame, m.across), m.number(shape.radius)
    edge = ring(axis, radius)
    return Outline(shape.center, shape.frame, (Part("face", edge), Part("edge", np.array([[0.0] * 3, edge[0]]))))


def _sphere(shape: Any, m: Measured) -> Outline:
    radius = m.number(shape.radius)
    parts = [Part("ball", np.array([[0.0] * 3, [radius, 0.0, 0.0]]))]
    return Outline(shape.center, shape.frame, (*parts, *(Part("edge", ring(axis, radius)) for axis in np.eye(3)[:2])))


def _rim(shape: Any, m: Measured) -> Outline:
    (axis,), radius = m.local(shape.frame, shape.axis), m.number(shape.radius)
    edge, spoke = ring(axis, radius), np.array([[0.0] * 3, ring(axis, radius)[0]])
    return Outline(shape.center, shape.frame, (Part("face", edge), Part("edge", spoke)))


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
    places = across(0.0 * along, REACH * m.size * along)
    return Outline(shape.point, shape.frame, (Part("edge", places), behind(places, -normal, m)), endless=True)


def _plane(shape: Any, m: Measured) -> Outline:
    """A square of lines, and the line where the picture cuts it."""
    normal, out = m.local(shape.frame, shape.normal, m.across)
    first = np.cross(normal, out)
    first = first / np.linalg.norm(first) if np.linalg.norm(first) > 1e-6 else around(normal)[0]
    second = np.cross(normal, first)
    steps = np.linspace(-1.0, 1.0, MESH) * m.size
    grid = [g for s in steps for g in (across(s * first, m.size * second), across(s * second, m.size * first))]
    parts = Part("net", np.concatenate(grid)), Part("edge", across(0.0 * first, m.size * first))
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
        return Outline(first, shape.frame, (Part("face", np.vstack([places, places[:1]])),))
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
    return Outline(shape.p, shape.frame, (Part("face", np.vstack([edge, edge[:1]])),))


def _cylinder(shape: Any, m: Measured) -> Outline:
    """Its two ends, and lines along it."""
    (way,), radius = m.local(shape.frame, shape.q.position(shape.p)), m.number(shape.radius)
    edge = ring(way / np.linalg.norm(way), radius)
    lines = [Part("edge", np.array([edge[i], edge[i] + way])) for i in range(0, len(edge) - 1, (len(edge) - 1) // 4)]
    return Outline(shape.p, shape.frame, (Part("face", edge), Part("face", edge + way), *lines))


def _cone(shape: Any, m: Measured) -> Outline:
    """Its base, and lines to its tip."""
    (way,), radius = m.local(shape.frame, shape.q.position(shape.p)), m.number(shape.radius)
    edge = ring(way / np.linalg.norm(way), radius)
    lines = [Part("edge", np.array([edge[i], way])) for i in range(0, len(edge) - 1, (len(edge) - 1) // 8)]
    return Outline(shape.p, shape.frame, (Part("face", edge), *lines))


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
