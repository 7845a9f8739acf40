"""A boundary of several pieces, one after the other: a ramp, then a fence."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.contact.shapes.base import Shape, Triple, between, numbers, numeric, several
from latchwork.contact.shapes.flat import Segment
from latchwork.contact.shapes.round import Arc
from latchwork.errors import ModelError
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector

Piece: TypeAlias = Segment | Arc
APART = 1e-5  # of the larger of two pieces: so far may one begin from where the other ends
SMOOTH = 1e-6  # the sine of an angle: by less, pieces do not turn


@dataclass(frozen=True, eq=False)
class End:
    """Where a piece begins or ends: a point, the way on from there, the direction of travel, the outward normal."""

    frame: Frame
    point: Point
    arm: Vector
    along: Vector
    normal: Vector


@dataclass(frozen=True, eq=False, repr=False)
class Boundary(Shape):
    """Segments with a normal and arcs, each beginning where the one before ends. Smooth joints have no corner.

    Where the last ends at the beginning of the first, the boundary is closed.
    """

    pieces: Sequence[Piece]
    joints: tuple[str, ...] = field(init=False, repr=False)  # "smooth", "out" or "in", behind each piece but the last
    closed: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        pieces = several(self.what, "pieces", self.pieces)
        for piece in pieces:
            if not (isinstance(piece, Segment) and piece.normal is not None) and not (
                isinstance(piece, Arc) and piece.ends
            ):
                raise ModelError(f"a piece of {self.what} is {piece!r}. Give segments with a normal, and arcs.")
        if len({piece.frame for piece in pieces}) != 1:
            frames = ", ".join(sorted({f"'{piece.frame.name}'" for piece in pieces}))
            raise ModelError(f"the pieces of {self.what} are fixed in {frames or 'nothing'}. Give pieces of one frame.")
        self._keep(frame=pieces[0].frame, pieces=pieces)
        closed = len(pieces) > 1 and self._apart(pieces[-1], pieces[0]) <= APART * _size(pieces[-1], pieces[0])
        pairs = itertools.pairwise((*pieces, pieces[0]) if closed else pieces)
        self._keep(closed=closed, joints=tuple(self._joint(i, *pair) for i, pair in enumerate(pairs)))

    def _apart(self, before: Piece, after: Piece) -> float:
        """How far apart the end of one and the start of another are."""
        end, start = ends_of(before)[1], ends_of(after)[0]
        return float(norm(self._numbers(end, between(end.point, start.point) + start.arm - end.arm)))

    def _numbers(self, end: End, vector: Vector) -> Triple:
        found = numbers(self.frame, vector)
        if found is None:
            raise ModelError(f"{self.what} at '{end.point.name}' has no numbers. Give its parameters values first.")
        return found

    def _joint(self, i: int, before: Piece, after: Piece) -> str:
        """How two pieces meet; numbers of what has parameters are those it has now."""
        apart = self._apart(before, after)
        if apart > APART * _size(before, after):
            raise ModelError(
                f"piece {i + 2} of {self.what} begins {apart:.3g} from where piece {i + 1} ends. Let each begin where "
                "the one before ends."
            )
        end, start = ends_of(before)[1], ends_of(after)[0]
        n1, t1, n2, t2 = (self._numbers(end, v) for v in (end.normal, end.along, start.normal, start.along))
        if dot(np.cross(t1, n1), np.cross(t2, n2)) < 0.0:
            raise ModelError(
                f"pieces {i + 1} and {i + 2} of {self.what} have their material on different sides of the way. Turn "
                "a normal around, or take inside= the other way."
            )
        bend = float(dot(n1, t2))
        return "smooth" if abs(bend) < SMOOTH and dot(t1, t2) > 0.0 else "out" if bend < 0.0 else "in"


def _size(*pieces: Piece) -> float:
    """The largest length or radius of some pieces, where their parameters have values."""
    found = [numeric(piece.length if isinstance(piece, Segment) else piece.radius) for piece in pieces]
    return max((size for size in found if size is not None), default=1.0)


def ends_of(piece: Piece) -> tuple[End, End]:
    """The start and the end of a piece."""
    if isinstance(piece, Segment):
        none = Vector(piece.tree, {})
        assert piece.normal is not None
        p, q = (End(piece.frame, point, none, piece.direction, piece.normal) for point in (piece.p, piece.q))
        return p, q
    sign = -1.0 if piece.inside else 1.0
    first, last = (End(piece.frame, piece.center, out * piece.radius, along, out * sign) for out, along in piece.ends)
    return first, last
