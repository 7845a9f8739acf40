"""A boundary of pieces as its flats and bows, bounded where the pieces join, and its corners."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latchwork.algebra.products import norm
from latchwork.contact.narrow_phase.parts import Ball, Bow, Flat, Half, Part, Place
from latchwork.contact.shapes.base import ROUNDING, between, numbers, numeric
from latchwork.contact.shapes.boundary import Boundary, End, Piece, ends_of
from latchwork.contact.shapes.flat import Segment
from latchwork.contact.shapes.round import Arc
from latchwork.mechanics.joints import unit
from latchwork.mechanics.vector import Vector
from latchwork.program.sincos import cos, sin
from latchwork.symbolic.expr import minimum

Array = np.ndarray
PLACES = 48  # of a piece, from which what is behind it is looked for
BESIDE = 1e-6  # of the longest way between two of them: what is nearer is the place itself


def of_boundary(shape: Boundary) -> tuple[Part, ...]:
    """At a smooth joint one piece takes over where the other leaves off: both are bounded by one and the same plane."""
    ends, deep = [ends_of(piece) for piece in shape.pieces], piece_depths(shape)
    count = len(ends)
    parts: list[Part] = []
    for i, piece in enumerate(shape.pieces):
        before = shape.joints[i - 1] if i or shape.closed else ""
        after = shape.joints[i] if i < count - 1 or shape.closed else ""
        start = ends[i - 1][1] if before == "smooth" else ends[i][0]
        bounds = [_half(start, 1.0), _half(ends[i][1], -1.0)]
        corners = [_bisector(ends[i - 1][1], ends[i][0], 1.0)] if before == "out" else []
        corners += [_bisector(ends[i][1], ends[(i + 1) % count][0], -1.0)] if after == "out" else []
        parts.append(_surface(piece, f"piece {i + 1}", bounds, corners, deep[i]))
    for i, joint in enumerate(shape.joints):
        if joint == "out":
            beyond = (_half(ends[i][1], 1.0), _half(ends[(i + 1) % count][0], -1.0))
            parts.append(_corner(f"corner {i + 1}", ends[i][1], beyond))
    if not shape.closed:
        parts.append(_corner("start", ends[0][0], (_half(ends[0][0], -1.0),)))
        parts.append(_corner("end", ends[-1][1], (_half(ends[-1][1], 1.0),)))
    return tuple(parts)


def _surface(piece: Piece, label: str, bounds: list[Half], corners: list[Half], deep: float | None) -> Part:
    place = Place(piece.p if isinstance(piece, Segment) else piece.center, piece.frame, Vector(piece.tree, {}))
    if isinstance(piece, Segment):
        assert piece.normal is not None
        behind = Half(place, piece.normal, piece.depth if deep is None else minimum(piece.depth, deep))
        return Flat(place, piece.normal, 0.0, label, (*bounds, *corners, behind), piece.drift)
    bow = Bow(place, piece.about, piece.radius, piece.inside, label, tuple(bounds), piece.beyond_half, piece.belt, deep)
    return bow if piece.beyond_half else replace(bow, bounds=(*bounds, *corners))


def piece_depths(shape: Boundary) -> list[float | None]:
    """Half the way from each piece back to the nearest other piece behind it; None where there is none.

    A piece that it joins is behind it as well where it bends around, as the arc of a D: there the deepest place counts,
    for beside their joint there is no depth.
    """
    lines = [_line(shape, piece) for piece in shape.pieces]
    starts = np.vstack([places[:-1] for places, _ in lines])
    ways = np.vstack([np.diff(places, axis=0) for places, _ in lines])
    whose = np.repeat(np.arange(len(lines)), PLACES)
    k = np.cross(ways[0], lines[0][1][0])
    k /= norm(k)
    deep: list[float | None] = []
    for i, (places, normals) in enumerate(lines):
        hits = _hits(places[1:-1], -normals[1:-1], np.cross(k, -normals[1:-1]), starts, ways)
        joined = (whose == i) | ((whose - i) % len(lines) == 1) | ((i - whose) % len(lines) == 1)
        around = hits[:, joined].min(axis=1)
        found = [hits[:, ~joined].min(initial=np.inf), around[np.isfinite(around)].max(initial=-np.inf)]
        near = min((float(depth) for depth in found if np.isfinite(depth)), default=None)
        deep.append(None if near is None else 0.5 * near)
    return deep


def _line(shape: Boundary, piece: Piece) -> tuple[Array, Array]:
    """Places along a piece, and unit vectors out of the material there."""
    origin, end = ends_of(shape.pieces[0])[0], ends_of(piece)[0]

    def known(vector: Vector) -> Array:
        found = numbers(shape.frame, vector)
        assert found is not None, "a boundary has numbers"
        return found

    share = np.linspace(0.0, 1.0, PLACES + 1)
    if isinstance(piece, Segment):
        assert piece.normal is not None
        p, q = (known(between(origin.point, point)) for point in (piece.p, piece.q))
        return p + share[:, None] * (q - p), np.tile(known(piece.normal), (PLACES + 1, 1))
    assert isinstance(piece, Arc)
    (first, along), _ = piece.ends
    assert piece.angle is not None
    angle, radius = numeric(piece.angle), numeric(piece.radius)
    assert angle is not None
    assert radius is not None
    turns = [abs(angle) * float(part) for part in share]
    out = np.array([cos(a) * known(first) + sin(a) * known(along) for a in turns])
    return known(between(origin.point, end.point)) + radius * out, -out if piece.inside else out


def _hits(places: Array, ways: Array, across: Array, starts: Array, edges: Array) -> Array:
    """How far along a ray from each place each edge is met; inf where it is not. Across a ray, both in one plane."""
    to, size = starts[None] - places[:, None], norm(edges, axis=1).max()
    slope = (edges[None] * across[:, None]).sum(axis=-1)
    part = -(to * across[:, None]).sum(axis=-1) / np.where(np.abs(slope) > ROUNDING * size, slope, np.inf)
    far = ((to + part[..., None] * edges[None]) * ways[:, None]).sum(axis=-1)
    met = (np.abs(slope) > ROUNDING * size) & (part >= 0.0) & (part <= 1.0) & (far > BESIDE * size)
    return np.where(met, far, np.inf)


def _place(end: End) -> Place:
    return Place(end.point, end.frame, end.arm)


def _half(end: End, sign: float) -> Half:
    return Half(_place(end), end.along * sign)


def _bisector(end: End, start: End, sign: float) -> Half:
    return Half(_place(end), unit(end.along + start.along) * sign)


def _corner(label: str, end: End, bounds: tuple[Half, ...]) -> Ball:
    return Ball(_place(end), 0.0, label, bounds)
