"""From shapes to pieces whose signed distance has a closed form, or is found by GJK and separating axes.

Arcs that are no rings, boundaries, curves and surfaces have none: they are left to their features. So is a point beside
something thin, for there is no depth to be measured.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from latchwork.contact.interference.outlines import convex_parts, is_convex
from latchwork.contact.interference.signed_distance import CONVEX, HALF, HOLLOW, HOOP
from latchwork.contact.narrow_phase.convex_hull import outline, polytope
from latchwork.contact.narrow_phase.shape_parts import across
from latchwork.contact.shapes.base import numbers, numeric
from latchwork.contact.shapes.flat import Line, Plane, Polyline, Segment
from latchwork.contact.shapes.round import Arc, Capsule, Circle, Cone, Cylinder, Rim, Sphere
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.program.sincos import cos, sin

Rows = Sequence[Sequence[Any]]  # measures in the frame of the piece, numbers or expressions in parameters
HERE: Rows = ((0.0, 0.0, 0.0),)
ALONG_Z: Rows = ((0.0, 0.0, 1.0),)
PLACES = 64  # of a circle, beside what has no closed form with it
DECIMALS = 10  # decimals to which unit vectors are the same


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of a shape, fixed in a frame, measured from a point: see `signed_distance`.

    A ``thin`` one has no inside; with a normal it has a front, and may be passed from behind.
    """

    kind: int
    frame: Frame
    point: Point
    vertices: Rows = HERE
    normals: Rows = ()
    edges: Rows = ()
    rounding: Any = 0.0
    radius: Any = 0.0
    thin: bool = False
    around: Rows = ()  # places of a circle

    @property
    def has_front(self) -> bool:
        return self.thin and len(self.normals) > 0


_made: WeakKeyDictionary[Any, tuple[Piece, ...]] = WeakKeyDictionary()


def pieces_of(shape: Any) -> tuple[Piece, ...]:
    """The pieces of a shape, made once; none where it has no closed form."""
    shape = shape.center if isinstance(shape, Body) and shape.is_particle else shape
    row = PIECES.get(type(shape))
    if row is None:
        return ()
    if shape not in _made:
        _made[shape] = tuple(row(shape))
    return _made[shape]


def can_be_told(a: Piece, b: Piece) -> bool:
    """Whether two pieces, in the order of their kinds, have a signed distance."""
    if b.kind == CONVEX:
        return not ((_is_point(a) and b.thin) or (_is_point(b) and a.thin) or (a.thin and b.thin))
    if b.kind == HOOP:
        return a.kind == CONVEX and len(a.vertices) == 1
    return (b.kind == HALF and a.kind < HALF) or (b.kind == HOLLOW and a.kind == CONVEX)


def told_pieces(a: Piece, b: Piece) -> list[tuple[Piece, Piece]]:
    """Pairs of pieces whose signed distance can be told, in the order of their kinds; none where it cannot.

    A circle beside what is neither a ball nor a plane is so many places of it: what lies between two of them is seen a
    little later, and nothing is seen that is not there.
    """
    if can_be_told(*(pair := (a, b) if a.kind <= b.kind else (b, a))):
        return [pair]
    if HOOP not in (a.kind, b.kind):
        return []
    hoop, other = (a, b) if a.kind == HOOP else (b, a)
    points = [Piece(CONVEX, hoop.frame, hoop.point, [row], rounding=hoop.rounding) for row in hoop.around]
    found = [(point, other) for point in points if other.kind in (CONVEX, HOOP)]
    return found if all(can_be_told(*each) for each in found) else []


def _is_point(piece: Piece) -> bool:
    return len(piece.vertices) == 1 and isinstance(piece.rounding, float) and piece.rounding == 0.0


def _measures(frame: Frame, *vectors: Vector) -> list[list[Any]]:
    return [list(vector.measures(frame)) for vector in vectors]


def _of_point(point: Point) -> list[Piece]:
    return [Piece(CONVEX, point.tree.newtonian, point)]


def _of_ball(shape: Circle) -> list[Piece]:
    return [Piece(CONVEX, shape.tree.newtonian, shape.center, rounding=shape.radius)]


def _of_capsule(shape: Capsule) -> list[Piece]:
    t = shape.direction
    ends = _measures(shape.frame, Vector(shape.tree, {}), t * shape.length)
    return [Piece(CONVEX, shape.frame, shape.p, ends, (), _measures(shape.frame, t), shape.radius)]


def _of_plane(shape: Line | Plane) -> list[Piece]:
    return [Piece(HALF, shape.frame, shape.point, normals=_measures(shape.frame, shape.normal))]


def _of_segment(shape: Segment) -> list[Piece]:
    t = shape.direction
    ends = _measures(shape.frame, Vector(shape.tree, {}), t * shape.length)
    front = () if shape.normal is None else _measures(shape.frame, shape.normal)
    return [Piece(CONVEX, shape.frame, shape.p, ends, front, _measures(shape.frame, t), thin=True)]


def _of_polyline(shape: Polyline) -> list[Piece]:
    """Its edges, where it is open; else the polygon, in convex parts; or what is behind each wall of a convex room."""
    frame, first = shape.frame, shape.points[0]
    places = [point.position(first) for point in shape.points]
    if not shape.closed:
        return [Piece(CONVEX, frame, first, _measures(frame, p, q), _measures(frame, n), _measures(frame, t), thin=True)
                for (p, q), n, t in zip(itertools.pairwise(places), shape.normals, shape.along,
                                             strict=True)]  # fmt: skip
    assert shape.axis is not None, "a polyline has one, given or not"
    known, across = [numbers(frame, place) for place in places], numbers(frame, shape.axis)
    if across is None or any(place is None for place in known):
        return []
    x, k = np.array(known), np.array(across)
    if _is_room(x, k):
        walls = zip(places, shape.normals, strict=True)
        return [Piece(HALF, frame, first, _measures(frame, p), _measures(frame, n)) for p, n in walls] * is_convex(x, k)
    return [Piece(CONVEX, frame, first, part.tolist(), _sides(part, k), [k.tolist()]) for part in convex_parts(x, k)]


def _is_room(x: np.ndarray, k: np.ndarray) -> bool:
    """Whether the material is outside: with its normals on the left of travel, a solid runs clockwise."""
    ahead = np.roll(x, -1, axis=0)
    return bool((np.cross(x, ahead) * k).sum() > 0.0)


def _sides(x: np.ndarray, k: np.ndarray) -> Rows:
    normals = np.cross(np.roll(x, -1, axis=0) - x, k)
    return [[float(m) for m in n / math.sqrt(float((n * n).sum()))] for n in normals]


def _of_arc(shape: Arc) -> list[Piece]:
    """A ring: a disk, or all that is outside of one."""
    if shape.ends:
        return []
    axis = _measures(shape.frame, shape.about)
    if shape.inside:
        return [Piece(HOLLOW, shape.frame, shape.center, normals=axis, radius=shape.radius)]
    return [Piece(CONVEX, shape.frame, shape.center, rounding=shape.radius)]


SIDES = 16  # of a prism in the place of a cylinder


def _of_rim(shape: Rim) -> list[Piece]:
    axis, first = _measures(shape.frame, shape.axis), across(shape.axis, shape.frame)[0]
    second, turns = shape.axis.cross(first), [2.0 * math.pi * k / PLACES for k in range(PLACES)]
    around = [(first * cos(turn) + second * sin(turn)) * shape.radius for turn in turns]
    return [Piece(HOOP, shape.frame, shape.center, normals=axis, rounding=shape.tube, radius=shape.radius,
                  around=_measures(shape.frame, *around))]  # fmt: skip


def _of_cylinder(shape: Cylinder) -> list[Piece]:
    """Its two rims: a cylinder is nowhere deeper in a half-space than they are; and a prism in it, for all others."""
    axis = _measures(shape.frame, shape.direction)
    rims = [Piece(HOOP, shape.frame, end, normals=axis, radius=shape.radius) for end in (shape.p, shape.q)]
    return [*rims, *_inscribed(shape)]


def _of_cone(shape: Cone) -> list[Piece]:
    """Its rim and its tip, and a pyramid in it."""
    axis = _measures(shape.frame, shape.direction)
    rim = Piece(HOOP, shape.frame, shape.p, normals=axis, radius=shape.radius)
    return [rim, Piece(CONVEX, shape.frame, shape.q), *_inscribed(shape)]


def _inscribed(shape: Cylinder | Cone) -> list[Piece]:
    """A solid with corners within something round, where that has numbers."""
    known = all(numeric(size) is not None for size in (shape.radius, shape.length))
    return _of_hull(shape.sided(SIDES)) if known else []


def _of_box(shape: Box) -> list[Piece]:
    half = [0.5 * size for size in shape.sizes]
    flat = len(half) == 2
    corners = [[sign * size for sign, size in zip(signs, half, strict=True)] + [0.0] * flat
               for signs in itertools.product((1.0, -1.0), repeat=len(half))]  # fmt: skip
    axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    normals, edges = (axes[:2], ALONG_Z) if flat else (axes, axes)
    return [Piece(CONVEX, shape.frame, shape.center, corners, normals, edges)]


def _of_hull(shape: Hull) -> list[Piece]:
    assert shape.center is not None
    solid = outline(shape.vertices) if shape.is_flat else polytope(shape.vertices)
    corners = [shape.vertices[i].tolist() for i, _ in solid.corners]
    normals = _distinct([face.normal for face in solid.faces])
    edges = ALONG_Z if shape.is_flat else _distinct([edge.along for edge in solid.edges])
    return [Piece(CONVEX, shape.frame, shape.center, corners, normals, edges)]


def _distinct(vectors: Sequence[np.ndarray]) -> Rows:
    """Unit vectors without those that are the same up to sign."""
    kept: dict[tuple[float, ...], list[float]] = {}
    for vector in vectors:
        row = vector.tolist()
        sign = next(math.copysign(1.0, m) for m in row if abs(m) > 0.5)
        kept.setdefault(tuple(round(sign * m, DECIMALS) for m in row), row)
    return [*kept.values()]


PIECES: dict[type, Callable[[Any], list[Piece]]] = {
    Point: _of_point,
    Circle: _of_ball,
    Sphere: _of_ball,
    Capsule: _of_capsule,
    Cylinder: _of_cylinder,
    Cone: _of_cone,
    Rim: _of_rim,
    Line: _of_plane,
    Plane: _of_plane,
    Segment: _of_segment,
    Polyline: _of_polyline,
    Arc: _of_arc,
    Box: _of_box,
    Hull: _of_hull,
}
