"""From shapes to parts: a capsule is a rod and two balls, an outline is its edges and its corners."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from latchwork.contact.broad_phase.spheres import radius_of
from latchwork.contact.narrow_phase.boundary_parts import of_boundary
from latchwork.contact.narrow_phase.outline_depths import depths, extensions, turns
from latchwork.contact.narrow_phase.parts import (
    PARTS,
    Ball,
    Bow,
    Crossing,
    Disc,
    Flat,
    Generator,
    Half,
    Hoop,
    Part,
    Place,
    Rod,
    Sheet,
    Slope,
    Stud,
)
from latchwork.contact.narrow_phase.solid_parts import of_box, of_hull
from latchwork.contact.shapes.base import Shape, numeric
from latchwork.contact.shapes.boundary import Boundary
from latchwork.contact.shapes.flat import Line, Plane, Polyline, Segment
from latchwork.contact.shapes.round import Arc, Capsule, Circle, Cone, Cylinder, Rim, Sphere
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import unit
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, cos, minimum, sin, sqrt

Parts = tuple[Part, ...]


def place_of(point: Point, frame: Frame) -> Place:
    return Place(point, frame, Vector(point.tree, {}))


def of_point(point: Point) -> Parts:
    return (Ball(place_of(point, point.tree.newtonian), 0.0),)


def of_circle(shape: Circle) -> Parts:
    return (Ball(place_of(shape.center, shape.frame), shape.radius),)


def of_plane(shape: Line | Plane) -> Parts:
    return (Flat(place_of(shape.point, shape.frame), shape.normal, drift=shape.drift),)


def of_segment(shape: Segment) -> Parts:
    """One edge with material behind, or a thin rod, which has two sides in the plane; and its two ends."""
    p, q, t = place_of(shape.p, shape.frame), place_of(shape.q, shape.frame), shape.direction
    first, last = Half(p, t), Half(q, -t)
    ends = (Ball(p, 0.0, "end p", (Half(p, -t),)), Ball(q, 0.0, "end q", (Half(q, t),)))
    if shape.normal is None:
        sides = (Sheet(p, t, shape.length, sense, f"{side} side") for sense, side in ((1.0, "left"), (-1.0, "right")))
        return (Rod(p, t, shape.length, 0.0, "edge"), *sides, *ends)
    behind = Half(p, shape.normal, shape.depth)
    return (Flat(p, shape.normal, 0.0, "edge", (first, last, behind), shape.drift), *ends)


def of_polyline(shape: Polyline) -> Parts:
    """Its edges, those that go straight on as one, and those corners that stick out."""
    places = [place_of(point, shape.frame) for point in shape.points]
    m, count = len(shape.along), len(places)
    bend, deep, further = turns(shape), depths(shape), extensions(shape)
    parts: list[Part] = []
    for first, last in straight_runs(bend, m):
        t, n, run = shape.along[first], shape.normals[first], [i % m for i in range(first, last + 1)]
        bounds = []  # where two edges meet inwards, each goes on below the other
        ends = ((run[0], first, 1.0, first - 1), (run[-1], (last + 1) % count, -1.0, last + 1))
        for edge, corner, sign, other in ends:
            known = further[edge]
            more = known[int(sign < 0.0)] if known is not None else 0.5 * shape.lengths[edge]
            bounds.append(Half(places[corner], t * sign, more if bend[corner] == "in" else 0.0,
                               _lean(t, shape.along[other % m], n) if bend[corner] == "out" else 0.0))  # fmt: skip
        behind = [deep[i] for i in run]
        near = [depth for depth in behind if depth is not None]
        bounds += [Half(places[first], n, min(near))] if near else []
        parts.append(Flat(places[first], n, 0.0, f"edge {first + 1}", tuple(bounds), shape.drifts[first]))
    for i, (place, bent) in enumerate(zip(places, bend, strict=True)):
        before = () if bent == "start" else (Half(place, shape.along[(i - 1) % m]),)
        after = () if bent == "end" else (Half(place, -shape.along[i % m]),)
        if bent not in ("in", "flat"):
            parts.append(Ball(place, 0.0, f"corner {i + 1}", before + after))
    return tuple(parts)


def straight_runs(bend: list[str], edges: int) -> list[tuple[int, int]]:
    """The first and the last edge of each straight part of an outline, whose corners bend so; of a closed one, the last
    may be counted on past its end."""
    starts = [i for i in range(edges) if bend[i] != "flat"] or [0]
    ends = [*starts[1:], starts[0] + edges if len(bend) == edges else edges]
    return [(first, end - 1) for first, end in zip(starts, ends, strict=True)]


def _lean(t: Vector, other: Vector, n: Vector) -> Expr:
    """cot(θ/2) = |n · t'| / (1 + t · t'), θ the angle inside the corner of edges along t and t'."""
    return abs(n.dot(other)) / (1.0 + t.dot(other))


def of_arc(shape: Arc) -> Parts:
    """The arc, and its two ends; a ring has none."""
    center = place_of(shape.center, shape.frame)
    if not shape.ends:
        return (Bow(center, shape.about, shape.radius, shape.inside, belt=shape.belt),)
    (first, start), (last, end) = shape.ends
    p, q = center.beside(first * shape.radius), center.beside(last * shape.radius)
    bow = Bow(center, shape.about, shape.radius, shape.inside, "arc", (Half(p, start), Half(q, -end)),
              shape.beyond_half, shape.belt)  # fmt: skip
    return bow, Ball(p, 0.0, "start", (Half(p, -start),)), Ball(q, 0.0, "end", (Half(q, end),))


def fitted_arc(shape: Arc) -> Parts:
    """An arc in which a disk of its own radius lies: it touches along all of it, and is held at its ends and middle."""
    center = place_of(shape.center, shape.frame)
    (first, along), (last, _) = shape.ends
    assert shape.angle is not None, "an arc with ends has an angle"
    half = 0.5 * abs(shape.angle)
    middle = first * cos(half) + along * sin(half)
    ways = (("start", first), ("middle", middle), ("end", last))
    return tuple(Ball(center.beside(way * shape.radius), 0.0, label) for label, way in ways)


def of_capsule(shape: Capsule) -> Parts:
    """A rod and a ball at each end."""
    p, q, t = place_of(shape.p, shape.frame), place_of(shape.q, shape.frame), shape.direction
    return (
        Rod(p, t, shape.length, shape.radius, "edge"),
        Ball(p, shape.radius, "end p", (Half(p, -t),)),
        Ball(q, shape.radius, "end q", (Half(q, t),)),
    )


def of_cylinder(shape: Cylinder) -> Parts:
    """Its side, its two flat ends, and their rims, each with a support triangle and two places where an edge may cross
    it."""
    p, t = place_of(shape.p, shape.frame), shape.direction
    ends = ((p, -t, "end p"), (place_of(shape.q, shape.frame), t, "end q"))
    parts: list[Part] = [Rod(p, t, shape.length, shape.radius, "side", has_flat_ends=True)]
    ways, deep = across(t, shape.frame), 0.5 * minimum(shape.length, shape.radius)
    for place, out, label in ends:
        hoop = Hoop(place, t, shape.radius, 0.0, (ways[0], t.cross(ways[0])), f"rim of {label}", out)
        parts += [Disc(place, out, shape.radius, label, deep), hoop]
        parts += [Stud(hoop, way, f"{label}, flat {i + 1}") for i, way in enumerate(ways)]
        parts += crossings(hoop)
    return tuple(parts)


def crossings(hoop: Hoop) -> list[Crossing]:
    """Where an edge comes in over a rim, and where it goes out."""
    return [Crossing(hoop, sense, f"{hoop.label}, {side}") for sense, side in ((-1.0, "in"), (1.0, "out"))]


def of_cone(shape: Cone) -> Parts:
    """Its side, which lines touch along two of its generators, its base with the rim of it, and its tip."""
    p, q, t = place_of(shape.p, shape.frame), place_of(shape.q, shape.frame), shape.direction
    ways, deep = across(t, shape.frame), 0.5 * minimum(shape.length, shape.radius)
    two = (ways[0], t.cross(ways[0]))
    hoop = Hoop(p, t, shape.radius, 0.0, two, "rim of base", -t, shape.radius / shape.length)
    studs = [Stud(hoop, way, f"base, flat {i + 1}") for i, way in enumerate(ways)]
    side = Slope(p, t, shape.radius, shape.length, "side", two)
    generators = (Generator(side, 1.0, "side, left"), Generator(side, -1.0, "side, right"))
    base = Disc(p, -t, shape.radius, "base", deep)
    slender = shape.radius / sqrt(shape.radius * shape.radius + shape.length * shape.length)
    tip = Ball(q, 0.0, "tip", points=t, slender=slender)
    return (side, *generators, base, hoop, *studs, *crossings(hoop), tip)


def of_rim(shape: Rim) -> Parts:
    """The hoop, and the support triangle on which it lies flat."""
    ways = across(shape.axis, shape.frame)
    hoop = Hoop(place_of(shape.center, shape.frame), shape.axis, shape.radius, shape.tube,
                (ways[0], shape.axis.cross(ways[0])))  # fmt: skip
    return hoop, *(Stud(hoop, way, f"flat {i + 1}") for i, way in enumerate(ways))


def across(axis: Vector, frame: Frame) -> tuple[Vector, ...]:
    """Three unit vectors across an axis that is fixed in a frame, evenly around it: the second 120° further than the
    first, the third 120° before it."""
    along = [0.5 if (number := numeric(part)) is None else abs(number) for part in axis.measures(frame)]
    least = min(zip(along, (frame.x, frame.y, frame.z), strict=True), key=lambda item: item[0])[1]
    first = unit(least.cross(axis))
    second = axis.cross(first)
    return first, *(first * -0.5 + second * (sign * math.sqrt(0.75)) for sign in (1.0, -1.0))


# What each shape is made of, and by which kinds of parts.
MADE_OF: dict[type, tuple[Callable[[Any], Parts], tuple[type, ...]]] = {
    Point: (of_point, (Ball,)),
    Circle: (of_circle, (Ball,)),
    Sphere: (of_circle, (Ball,)),
    Capsule: (of_capsule, (Rod, Ball)),
    Cylinder: (of_cylinder, (Rod, Disc, Hoop, Stud, Crossing)),
    Cone: (of_cone, (Slope, Generator, Disc, Hoop, Stud, Crossing, Ball)),
    Rim: (of_rim, (Hoop, Stud)),
    Line: (of_plane, (Flat,)),
    Plane: (of_plane, (Flat,)),
    Segment: (of_segment, (Flat, Rod, Sheet, Ball)),
    Polyline: (of_polyline, (Flat, Ball)),
    Arc: (of_arc, (Bow, Ball)),
    Boundary: (of_boundary, (Flat, Bow, Ball)),
    Box: (of_box, (Flat, Rod, Ball)),
    Hull: (of_hull, (Flat, Rod, Ball)),
}


def decompose(shape: Shape | Point, met: Collection[type] = PARTS) -> Parts:
    """The parts of a shape, those of some kinds; those that meet along bounds know its size."""
    made = of_hull(shape, met) if isinstance(shape, Hull) else MADE_OF[type(shape)][0](shape)
    parts, size = [part for part in made if type(part) in met], 2.0 * radius_of(shape)
    sized = Ball, Flat, Rod, Sheet, Hoop, Disc, Crossing, Generator
    return tuple(replace(part, size=size) if isinstance(part, sized) else part for part in parts)
