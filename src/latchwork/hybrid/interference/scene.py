"""The scene of the watch: the pieces of all shapes that have contacts, their pairs, and a program of their poses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.contact.interference.pieces import Piece, pieces_of, told_pieces
from latchwork.contact.interference.signed_distance import CONVEX, FRAME, HALF, HOOP
from latchwork.contact.law import Contact
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.interference import penetration_search
from latchwork.program.bundle import Bundle
from latchwork.program.function import Function
from latchwork.program.native import address, native
from latchwork.program.records.memory import lay_out, write
from latchwork.program.records.view import address_of
from latchwork.symbolic.expr import Expr, operand

Array = NDArray[np.float64]
ALL = 1e300  # a width that nothing jumps over
FRONT = 0.5  # a cosine: what comes more from the side has come around the end


class Told(NamedTuple):
    """Two shapes whose signed distance can be told, and their contact: pairs of pieces, in the order of their kinds."""

    contact: Contact | None
    pairs: tuple[tuple[Piece, Piece], ...]
    has_front: bool  # and may be passed from behind


def told_of(contacts: Sequence[Contact]) -> list[Told]:
    """Those contacts whose signed distance can be told."""
    whole = [contact for contact in contacts if len(contact.shapes) == 2 and contact.place_of is None]
    return [told for contact in whole if (told := told_between(contact.shapes, contact)) is not None]


def told_between(shapes: Sequence[Any], contact: Contact | None = None) -> Told | None:
    """Two shapes whose signed distance can be told; none where it cannot."""
    a, b = shapes
    groups = [told_pieces(x, y) for x in pieces_of(a) for y in pieces_of(b)]
    if not groups or not all(groups):
        return None
    pairs = tuple(pair for group in groups for pair in group)
    return Told(contact, pairs, any(piece.has_front for pair in pairs for piece in pair))


def lowered(driven: Driven, expressions: Sequence[Any]) -> Function:
    """Expressions of the model as one function of (t, q, u, rest)."""
    g = driven.equations.system.graph
    return driven.lowered(tuple(operand(g, e) for e in expressions))


class Scene:
    """Pieces and pairs as numbers, at a state x = (t, q, u, rest) that has the parameters of the run."""

    def __init__(self, driven: Driven, told: Sequence[Told], x: Array) -> None:
        self.told = told
        pieces = list(dict.fromkeys(piece for one in self.told for pair in one.pairs for piece in pair))
        places = {piece: i for i, piece in enumerate(pieces)}
        frames = list(dict.fromkeys((piece.frame, piece.point) for piece in pieces))
        rows = [(places[a], places[b], k) for k, one in enumerate(self.told) for a, b in one.pairs]
        self.whose = np.array([k for _, _, k in rows], dtype=np.intp)  # the contact of each pair
        self.pairs = np.array([pair for *pair, _ in rows], dtype=np.int64).reshape(-1, 2)
        self._pieces = pieces
        self.bundle = Bundle([lowered(driven, [e for frame, point in frames for e in _pose(frame, point)])])
        self._directions = np.empty((len(rows), 3))
        code, slots, poses = self.bundle.addresses
        self.memory = lay_out(penetration_search.WatchedScene, inputs=len(x), count=len(pieces),
                              places=FRAME * len(frames), most=len(rows), x=x, code=code,
                              coordinates=len(driven.equations.system.q), slots=slots, poses=poses)  # fmt: skip
        self.x, self.at = np.asarray(self.memory.x), address_of(self.memory)
        self._lay_pieces(driven, pieces, {frame: i for i, frame in enumerate(frames)}, x)
        self.sizes = self._sizes()
        self.watched, self.deep, self._allowed = np.arange(0), np.zeros(0), 0.0
        self._which: list[bool] | None = None  # the contacts that are looked at
        self._kept: tuple[NDArray[np.int64], Array, Array] = self.pairs[:0], self._directions[:0], self.deep
        self.begin(x)

    def begin(self, x: Array) -> None:
        """Stand at a state from which a run begins: nothing was looked at yet."""
        self.x[:], self._directions[:] = x, (1.0, 0.0, 0.0)
        self.watched, self._which = self.watched[:0], None
        self.watch([True] * len(self.told))

    def watch(self, which: list[bool]) -> None:
        """Look at the pairs of some contacts only."""
        if which == self._which:
            return
        self._which = which
        if len(self.watched):
            self._directions[self.watched] = self._kept[1]
        self.watched = np.flatnonzero(np.array(which, dtype=bool)[self.whose])
        self.deep, self._allowed = np.zeros(len(self.watched)), 0.0
        self._kept = self.pairs[self.watched].copy(), self._directions[self.watched].copy(), self.deep
        memory, memory.many = self.memory, len(self.watched)
        memory.pairs, memory.directions, memory.deep = self._kept

    def allow(self, tolerance: float) -> None:
        """Let pairs be deep by a part of their sizes."""
        if tolerance != self._allowed:
            self.deep[:], self._allowed = tolerance * self.sizes[self.watched], tolerance

    def take(self, rest: Array) -> None:
        """Take the last inputs of the program, and machine code that has arrived."""
        self.x[len(self.x) - len(rest) :] = rest
        self.bundle.ready()

    def contact(self, k: int) -> Contact:
        """Whose pair it is that is looked at as number k."""
        found = self.told[int(self.whose[self.watched[k]])].contact
        assert found is not None, "a run has contacts"
        return found

    def is_behind(self, k: int) -> bool:
        """Whether pair k, as it was looked at last, is beside or behind a piece that has a front."""
        pair = self.pairs[self.watched[k]]
        solids = [self.memory.solids[i] for i in pair.tolist()]
        R_a, R_b = (self.bundle.out[FRAME * solid.pose :][:9].reshape(3, 3) for solid in solids)
        direction = (R_b * self._kept[1][k]).sum(axis=1)
        for piece, R, sign in zip((self._pieces[i] for i in pair), (R_a, R_b), (-1.0, 1.0), strict=True):
            if piece.has_front:
                at = solids[0 if sign < 0.0 else 1].normals
                return bool(sign * float(((R * self._xyz[at : at + 3]).sum(axis=1) * direction).sum()) <= FRONT)
        return False

    def depths(self, x: Array) -> Array:
        """The least signed distance of each contact at a state, over its size; 0 where it is apart."""
        self.watch([True] * len(self.told))
        self.bundle.ready()
        self.x[:], found, least = x, np.zeros(len(self.told)), np.zeros(len(self.pairs))
        native(penetration_search.depths).brief(self.at, address(least))
        np.minimum.at(found, self.whose, least / self.sizes)
        return found

    def least(self, rows: Array, spans: Sequence[tuple[float, float]]) -> tuple[float, Contact] | None:
        """The least signed distance at some states, each contact within its span of time, and whose it is."""
        self.bundle.ready()
        rows, within = np.ascontiguousarray(rows), np.array(spans)[self.whose]
        least = np.full(1, penetration_search.NO_BOUND)
        k = native(penetration_search.least_distance).function(self.at, len(rows), *map(address, (rows, within, least)))
        return None if k < 0 else (float(least[0]), self.contact(k))

    def distances(self, rows: Array) -> Array:
        """The least signed distance at each of some states."""
        self.bundle.ready()
        rows, found = np.ascontiguousarray(rows), np.zeros(len(rows))
        native(penetration_search.distances).function(self.at, len(rows), address(rows), address(found))
        return found

    def _lay_pieces(self, driven: Driven, pieces: Sequence[Piece], poses: dict[Any, int], x: Array) -> None:
        """All pieces in numbers, and their vertices, normals and edges one after the other."""
        value = _numbers_at(driven, pieces, x)
        rows: list[Array] = []
        at = 0
        for piece, solid in zip(pieces, self.memory.solids, strict=True):
            parts = [np.array([[value(e) for e in row] for row in group]).reshape(-1, 3)
                     for group in (piece.vertices, piece.normals, piece.edges)]  # fmt: skip
            starts = np.cumsum([at, *(3 * len(part) for part in parts)]).tolist()
            at = starts.pop()
            places = chain(*zip(starts, map(len, parts), strict=True))
            write(solid, piece.kind, poses[piece.frame, piece.point], *places,
                  *_measured(piece, parts[0], parts[1], value(piece.rounding), value(piece.radius)))  # fmt: skip
            rows += parts
        self._xyz = np.concatenate([np.zeros((0, 3)), *rows]).ravel()
        self.memory.xyz = self._xyz

    def _sizes(self) -> Array:
        """The size by which each pair is measured: the radius of the smaller piece that has one, else of the largest of
        all, else 1."""
        bounds = np.array([solid.bound for solid in self.memory.solids])
        usual = float(bounds.max(initial=0.0)) or 1.0
        found = np.where(bounds[self.pairs] > 0.0, bounds[self.pairs], np.inf).min(axis=1)
        return np.where(np.isfinite(found), found, usual)


def _pose(frame: Any, point: Any) -> list[Any]:
    """R, its columns the axes of the frame, by rows; and p."""
    N = frame.tree.newtonian
    R = [e for row in N.direction_cosines(frame) for e in row]
    return [*R, *point.position(frame.tree.origin).measures(N)]


def _numbers_at(driven: Driven, pieces: Sequence[Piece], x: Array) -> Callable[[Any], float]:
    """What turns measures into numbers, those of parameters too."""
    given = [e for piece in pieces for e in (*chain(*piece.vertices, *piece.normals, *piece.edges),
                                             piece.rounding, piece.radius) if _is_open(e)]  # fmt: skip
    known = dict(zip(given, lowered(driven, given)(x).tolist(), strict=True)) if given else {}
    return lambda e: known[e] if _is_open(e) else float(e)


def _is_open(e: Any) -> bool:
    return isinstance(e, Expr) and not e.is_constant


def _measured(piece: Piece, x: Array, normals: Array, rounding: float, radius: float) -> list[float]:
    """The centre, the radius of a ball that holds it, ρ, the radius of a circle, the least width."""
    if piece.kind not in (CONVEX, HOOP):
        return [*(x[0] if piece.kind == HALF else (0.0, 0.0, 0.0)), 0.0, 0.0, radius, ALL]
    center = [math.fsum(column) / len(x) for column in x.T.tolist()]
    bound = max(math.dist(corner, center) for corner in x.tolist()) + rounding + radius
    spans = [[sum(a * b for a, b in zip(n, corner, strict=True)) for corner in x.tolist()] for n in normals.tolist()]
    thick = min((max(span) - min(span) for span in spans), default=0.0) if piece.kind == CONVEX else 0.0
    return [*center, bound, rounding, radius, thick + 2.0 * rounding]
