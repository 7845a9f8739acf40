"""A boundary of pieces as its flats and bows, bounded where the pieces join, and its corners."""

from __future__ import annotations

from dataclasses import replace

from latchwork.contact.narrow_phase.parts import Ball, Bow, Flat, Half, Part, Place
from latchwork.contact.shapes.boundary import Boundary, End, Piece, ends_of
from latchwork.contact.shapes.flat import Segment
from latchwork.mechanics.joints import unit
from latchwork.mechanics.vector import Vector


def of_boundary(shape: Boundary) -> tuple[Part, ...]:
    """At a smooth joint one piece takes over where the other leaves off: both are bounded by one and the same plane."""
    ends = [ends_of(piece) for piece in shape.pieces]
    count = len(ends)
    parts: list[Part] = []
    for i, piece in enumerate(shape.pieces):
        before = shape.joints[i - 1] if i or shape.closed else ""
        after = shape.joints[i] if i < count - 1 or shape.closed else ""
        start = ends[i - 1][1] if before == "smooth" else ends[i][0]
        bounds = [_half(start, 1.0), _half(ends[i][1], -1.0)]
        corners = [_bisector(ends[i - 1][1], ends[i][0], 1.0)] if before == "out" else []
        corners += [_bisector(ends[i][1], ends[(i + 1) % count][0], -1.0)] if after == "out" else []
        parts.append(_surface(piece, f"piece {i + 1}", bounds, corners))
    for i, joint in enumerate(shape.joints):
        if joint == "out":
            beyond = (_half(ends[i][1], 1.0), _half(ends[(i + 1) % count][0], -1.0))
            parts.append(_corner(f"corner {i + 1}", ends[i][1], beyond))
    if not shape.closed:
        parts.append(_corner("start", ends[0][0], (_half(ends[0][0], -1.0),)))
        parts.append(_corner("end", ends[-1][1], (_half(ends[-1][1], 1.0),)))
    return tuple(parts)


def _surface(piece: Piece, label: str, bounds: list[Half], corners: list[Half]) -> Part:
    place = Place(piece.p if isinstance(piece, Segment) else piece.center, piece.frame, Vector(piece.tree, {}))
    if isinstance(piece, Segment):
        assert piece.normal is not None
        behind = Half(place, piece.normal, piece.depth)
        return Flat(place, piece.normal, 0.0, label, (*bounds, *corners, behind), piece.drift)
    bow = Bow(place, piece.about, piece.radius, piece.inside, label, tuple(bounds), piece.beyond_half, piece.belt)
    return bow if piece.beyond_half else replace(bow, bounds=(*bounds, *corners))


def _place(end: End) -> Place:
    return Place(end.point, end.frame, end.arm)


def _half(end: End, sign: float) -> Half:
    return Half(_place(end), end.along * sign)


def _bisector(end: End, start: End, sign: float) -> Half:
    return Half(_place(end), unit(end.along + start.along) * sign)


def _corner(label: str, end: End, bounds: tuple[Half, ...]) -> Ball:
    return Ball(_place(end), 0.0, label, bounds)
