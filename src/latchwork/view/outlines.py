"""What shapes look like: lines and patches in the axes of the frame that a shape is fixed in, from a point of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.hybrid.trajectory import Samples
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, operand

Array = np.ndarray
ROUND = np.linspace(0.0, 2.0 * np.pi, 49)
STROKE = 0.018  # of the size of the scene: strokes behind a wall, and the distance between them
MOST_STROKES = 400
REACH = 2.5  # of the size of the scene: how far what has no end is drawn
SAMPLES = 121  # of a curve
MESH = 13  # lines of a surface in either direction


@dataclass(frozen=True)
class Part:
    """A piece of an outline: a filled ``"face"``, a line (``"edge"``), thin strokes (``"hatch"``), or a ``"ball"``.

    Strokes are pairs of places, one pair after the other. A ball is its middle, and a place as far as its radius.
    """

    kind: str
    places: Array  # (places, 3)


@dataclass(frozen=True)
class Outline:
    """Parts in the axes of a frame, from a point."""

    at: Point
    frame: Frame
    parts: tuple[Part, ...]
    endless: bool = False


@dataclass(frozen=True)
class Measured:
    """Numbers at one instant, for shapes: the picture's size, and the axis of N that stands across it."""

    samples: Samples
    size: float
    across: Vector

    def number(self, value: Any) -> float:
        return float(self.samples[value]) if isinstance(value, Expr) else float(value)

    def local(self, frame: Frame, *vectors: Vector) -> list[Array]:
        """Measures of vectors in a frame."""
        found = self.samples.each(frame, *vectors)
        return [found[0].T @ v for v in found[1:]]


def outline(shape: Any, measured: Measured) -> Outline | None:
    """How a shape is drawn; nothing for those that are not known here."""
    for kind in type(shape).__mro__:
        if kind.__name__ in OUTLINES:
            return OUTLINES[kind.__name__](shape, measured)
    return None


def around(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors across an axis and each other."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def ring(axis: Array, radius: float, start: Array | None = None, angles: Array = ROUND) -> Array:
    """Places on a circle about an axis through the origin, by angle from a direction."""
    first, second = around(axis) if start is None else (start, np.cross(axis, start))
    return radius * (np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second)


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
    return Outline(shape.center, shape.frame, (Part("edge", edge), _behind(edge, way * edge / radius, m)))


def _line(shape: Any, m: Measured) -> Outline:
    along, normal = m.local(shape.frame, shape.direction, shape.normal)
    places = _across(0.0 * along, REACH * m.size * along)
    return Outline(shape.point, shape.frame, (Part("edge", places), _behind(places, -normal, m)), endless=True)


def _plane(shape: Any, m: Measured) -> Outline:
    """A square of lines, and the line where the picture cuts it."""
    normal, out = m.local(shape.frame, shape.normal, m.across)
    first = np.cross(normal, out)
    first = first / np.linalg.norm(first) if np.linalg.norm(first) > 1e-6 else around(normal)[0]
    second = np.cross(normal, first)
    steps = np.linspace(-1.0, 1.0, MESH) * m.size
    grid = [g for s in steps for g in (_across(s * first, m.size * second), _across(s * second, m.size * first))]
    parts = Part("hatch", np.concatenate(grid)), Part("edge", _across(0.0 * first, m.size * first))
    return Outline(shape.point, shape.frame, parts, endless=True)


def _across(middle: Array, half: Array) -> Array:
    return np.array([middle - half, middle + half])


def _segment(shape: Any, m: Measured) -> Outline:
    (way,) = m.local(shape.frame, shape.q.position(shape.p))
    parts = [Part("edge", np.array([[0.0] * 3, way]))]
    if shape.normal is not None:
        (normal,) = m.local(shape.frame, shape.normal)
        parts.append(_behind(parts[0].places, -normal, m))
    return Outline(shape.p, shape.frame, tuple(parts))


def _polyline(shape: Any, m: Measured) -> Outline:
    first = shape.points[0]
    places = np.array(m.local(shape.frame, *(point.position(first) for point in shape.points)))
    if shape.closed:
        return Outline(first, shape.frame, (Part("face", np.vstack([places, places[:1]])),))
    edges = [Part("edge", places)]
    for i, normal in enumerate(m.local(shape.frame, *shape.normals)):
        edges.append(_behind(places[i : i + 2], -normal, m))
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


def _curve(shape: Any, m: Measured) -> Outline:
    """A curve by expressions: places at even parameters."""
    low, high = shape.span
    frame, arms = _written(shape, [(s,) for s in np.linspace(low, high, SAMPLES)])
    places = np.array(m.local(frame, *arms))
    (up,) = m.local(frame, shape.point.tree.newtonian.z if shape.up is None else shape.up)
    outward = shape.side * np.cross(up, np.gradient(places, axis=0))
    outward /= np.maximum(np.linalg.norm(outward, axis=1), 1e-300)[:, None]
    line = Part("face" if shape.closed and shape.side < 0 else "edge", places)
    return Outline(shape.point, frame, (line, _behind(places, -outward, m)))


def _surface(shape: Any, m: Measured) -> Outline:
    """A surface by expressions: a net of lines."""
    (a0, a1), (b0, b1) = shape.spans
    a, b = np.linspace(a0, a1, MESH), np.linspace(b0, b1, MESH)
    frame, arms = _written(shape, [(x, y) for x in a for y in b])
    net = np.array(m.local(frame, *arms)).reshape(MESH, MESH, 3)
    lines = [*net, *net.transpose(1, 0, 2)]
    return Outline(shape.point, frame, tuple(Part("edge", line) for line in lines))


def _written(shape: Any, parameters: Sequence[tuple[float, ...]]) -> tuple[Frame, list[Vector]]:
    """p(s) from the point of a shape, and the frame that it is fixed in: its body's, or the one it is written in."""
    g = shape.point.tree.graph
    arms = [shape.shape(*(Expr(g, operand(g, float(s))) for s in row)) for row in parameters]
    frames = {frame for arm in arms for frame in arm.parts} | {shape.point.tree.newtonian}
    body = getattr(shape.body, "frame", None) or (shape.body if isinstance(shape.body, Frame) else None)
    return body or max(frames, key=lambda frame: frame.depth), arms


def _behind(places: Array, way: Array, m: Measured) -> Part:
    """Short strokes at even distances on the side where the material is, slanting as draughtsmen do."""
    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1)))
    stroke = STROKE * m.size
    count = int(np.clip(lengths[-1] / stroke, 2, MOST_STROKES))
    at = np.linspace(0.5, count - 0.5, count) * lengths[-1] / count
    sides = np.broadcast_to(way, places.shape)
    feet, ways, along = (_between(at, lengths, rows) for rows in (places, sides, np.gradient(places, axis=0)))
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
    return Part("hatch", np.stack([feet, feet + stroke * (ways - 0.8 * along)], axis=1).reshape(-1, 3))


def _between(at: Array, lengths: Array, rows: Array) -> Array:
    return np.column_stack([np.interp(at, lengths, rows[:, k]) for k in range(3)])


OUTLINES: dict[str, Callable[[Any, Measured], Outline]] = {
    "Circle": _circle, "Sphere": _sphere, "Rim": _rim, "Arc": _arc, "Line": _line, "Plane": _plane, "Segment": _segment,
    "Polyline": _polyline, "Capsule": _capsule, "Curve": _curve, "Surface": _surface,
}  # fmt: skip
