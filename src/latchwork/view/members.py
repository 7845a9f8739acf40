"""Members of a mechanism that are drawn between two of its points: bars, springs, dampers, ropes.

A bar joins points that stay as far from each other as they are; its thickness is that of a box of the same inertia,
within bounds. Where a body has shapes or a mesh of its own, those are drawn instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from latchwork.contact.law import Contact
from latchwork.mechanics import primitives
from latchwork.mechanics.body import Body
from latchwork.mechanics.cuts import Cuts
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.loads import Spring
from latchwork.mechanics.point import Point
from latchwork.symbolic.expr import Expr
from latchwork.view.mesh import Mesh, welded
from latchwork.view.sketch import Array, Measured

RIGID = 1e-6  # of the size of the scene: what changes its length by less is a bar
MOTIONLESS = 1e-9  # of the size of the scene: what moves less does not
THIN, THICK = 0.8, 1.5  # of the usual radius of a bar: the bounds of what inertia says


Pair = tuple[Point, Point, str | None, bool]  # ends, the body, and whether the length stays


@dataclass(frozen=True, eq=False)
class Member:
    """A mesh of radius 1 along z from 0 to 1, stretched from one point to another and made so thick.

    A rope hangs through where its points are nearer than its length.
    """

    kind: str
    a: Point
    b: Point
    radius: float
    mesh: Mesh
    body: str | None = None
    color: str = ""
    length: float = 0.0


@dataclass(frozen=True, eq=False)
class Carriers:
    """Which body, joint or nothing carries points and frames; and what of them has a solid already."""

    cuts: Cuts
    solid: frozenset[str]  # bodies with shapes or meshes
    outlined: frozenset[str] = frozenset()  # of them, those in the plane, which show their joints

    def body(self, what: Point | Frame) -> str | None:
        found = self.cuts.carrier(what)
        return found.name if isinstance(found, Body) else None


def is_still(rows: Array, size: float) -> bool:
    """Whether something stays where it is."""
    return float(np.ptp(rows, axis=0).max()) <= MOTIONLESS * size


class Bars:
    """The bars of a mechanism: pairs of points, each with the body that it belongs to; ``chosen`` points, joined in
    their order, stand for the bodies that they belong to.

    ``exact`` are the numbers of the states in which constraints hold, where they do not in all.
    """

    def __init__(self, places: Mapping[Point, Array], chosen: Sequence[Point], carriers: Carriers, size: float,
                 poses: Mapping[str, tuple[Array, Array]], exact: Array | None = None) -> None:  # fmt: skip
        self.places, self.carriers, self.size, self.poses = places, carriers, size, poses
        self.exact = slice(None) if exact is None else exact
        self.pairs = list(self._kept(pairwise(chosen), True))
        shown = {body for _, _, body, _ in self.pairs}  # by the points that were chosen; the others as if none were
        others = self._kept([(point.parent, point) for point in places], False)
        self.pairs += [pair for pair in others if not shown or (pair[2] is not None and pair[2] not in shown)]

    def _kept(self, pairs: Iterable[tuple[Point | None, Point]], asked: bool) -> Iterator[Pair]:
        seen: set[frozenset[bytes]] = set()
        for a, b in pairs:
            if a is None or a not in self.places or b not in self.places:
                continue
            start, end = self.places[a], self.places[b]
            key = frozenset([np.round(start / self.size, 9).tobytes(), np.round(end / self.size, 9).tobytes()])
            length = np.linalg.norm(end - start, axis=1)
            if length.max() <= MOTIONLESS * self.size or key in seen:
                continue
            carried = self.carriers.body(a) is not None or self.carriers.body(b) is not None
            stands = not carried and is_still(start, self.size) and is_still(end, self.size)
            rigid = float(np.ptp(length[self.exact])) <= RIGID * self.size
            body = self._owner(a, b)
            if stands or (not rigid and (not asked and is_still(start, self.size))) or body in self.carriers.solid:
                continue
            seen.add(key)
            yield a, b, body, rigid

    def _owner(self, a: Point, b: Point) -> str | None:
        """The body in which both points are fixed; else the one that carries either."""
        near = [name for name in (self.carriers.body(b), self.carriers.body(a)) if name is not None]
        for name in (*near, *self.poses):
            if name in self.poses and all(self._is_fixed(point, *self.poses[name]) for point in (a, b)):
                return name
        return near[0] if near else None

    def _is_fixed(self, point: Point, center: Array, cosines: Array) -> bool:
        local = np.einsum("kji,kj->ki", cosines[self.exact], (self.places[point] - center)[self.exact])
        return float(np.ptp(local, axis=0).max()) <= RIGID * self.size

    @cached_property
    def ends(self) -> dict[Point, int]:
        """How many bars meet at each place, where constraints hold; by the first of its points."""
        met: dict[bytes, Point] = {}
        found: dict[Point, int] = {}
        for a, b, _, _ in self.pairs:
            for point in (a, b):
                first = met.setdefault(self.key(point), point)
                found[first] = found.get(first, 0) + 1
        return found

    @cached_property
    def _ground(self) -> set[bytes]:
        return {self.key(point) for point, rows in self.places.items()
                if self.carriers.body(point) is None and is_still(rows, self.size)}  # fmt: skip

    def is_grounded(self, point: Point) -> bool:
        """Whether a point stays at a place of the ground; in a run at rest, all stay where they are."""
        return is_still(self.places[point], self.size) and self.key(point) in self._ground

    def key(self, point: Point) -> bytes:
        """The same for points that stay together where constraints hold."""
        return (np.round(self.places[point][self.exact] / (RIGID * self.size)) + 0.0).tobytes()  # no -0

    def members(self, radius: float, thickness: Mapping[str, float]) -> Iterator[Member]:
        for a, b, body, rigid in self.pairs:
            own = float(np.clip(thickness.get(body or "", radius), THIN * radius, THICK * radius))
            yield Member("bar", a, b, own if rigid else 0.4 * radius, bar(), body)


def thicknesses(bodies: Iterable[Body], m: Measured) -> dict[str, float]:
    """Half of the second largest edge of a box of the same mass and inertia, by body."""
    return {body.name: 0.5 * float(np.sort(edges)[1]) for body, edges in inertia_boxes(bodies, m)}


def inertia_boxes(bodies: Iterable[Body], m: Measured) -> Iterator[tuple[Body, Array]]:
    """Edges of a box with the mass and the moments of inertia of a body: a² = 6 (I_b + I_c − I_a) / m."""
    for body in bodies:
        if body.inertia is None or body.frame is None:
            continue
        rows, g = body.inertia.components(body.frame), body.frame.tree.graph
        moments = np.array([m.number(Expr(g, rows[k][k])) for k in range(3)])
        mass = m.number(body.mass)
        if mass > 0.0 and np.isfinite(moments).all():
            yield body, np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / mass, 0.0))


def springs(loads: Iterable[Any], places: Mapping[Point, Array], radius: float) -> Iterator[Member]:
    """A coil where there is stiffness, a dash-pot where there is damping; both where there are both."""
    for load in loads:
        if isinstance(load, Spring) and load.p in places and load.q in places:
            stiff, damped = (not _is_zero(value) for value in (load.stiffness, load.damping))
            if stiff:
                length = float(np.linalg.norm(places[load.q][0] - places[load.p][0]))
                yield Member("spring", load.p, load.q, 2.2 * radius, coil(length / (2.2 * radius)))
            if damped:
                yield Member("damper", load.p, load.q, (0.9 if stiff else 1.6) * radius, dashpot())


def ropes(contacts: Iterable[Contact], places: Mapping[Point, Array], radius: float, m: Measured) -> Iterator[Member]:
    for contact in contacts:
        given = (contact.recipe or {}).get("rope")
        if given is not None and given["a"] in places and given["b"] in places:
            yield Member("rope", given["a"], given["b"], 0.35 * radius, strand(), length=m.number(given["length"]))


def _is_zero(value: Any) -> bool:
    return bool(value == 0.0) if isinstance(value, Expr) else float(value) == 0.0


_MADE: dict[str, Mesh] = {}


def _once(name: str, make: Any) -> Mesh:
    if name not in _MADE:
        _MADE[name] = make()
    return _MADE[name]


def bar() -> Mesh:
    """A rod with round ends: beyond 0 and 1, z counts in radii."""
    return _once("bar", lambda: welded(primitives.capsule(1.0, 1.0, 20), lined=False))


def strand() -> Mesh:
    """A rope: short pieces, so that it can hang through."""
    rows = np.array([[1.0, z] for z in np.linspace(0.0, 1.0, 25)])
    return _once("strand", lambda: welded(primitives.turned(rows, 8), lined=False))


def coil(slender: float) -> Mesh:
    """A spring so many times as long as its radius at the start: turns one radius apart, within bounds."""
    turns = int(np.clip(round(slender / 1.1), 5, 16))
    flat = round(float(np.clip(0.16 / max(slender, 1e-9), 0.006, 0.05)), 3)
    return _once(f"coil {turns} {flat}", lambda: welded(primitives.coil(turns, flat), lined=False))


def dashpot() -> Mesh:
    """A cylinder over the first part of the way, a rod over the rest."""
    rows = np.array([[0.0, 0.0], [0.3, 0.0], [0.3, 0.2], [1.0, 0.2], [1.0, 0.62], [0.3, 0.62], [0.3, 1.0], [0.0, 1.0]])
    return _once("dashpot", lambda: welded(primitives.turned(rows, 20), lined=False))


def has_motor(link: Link, loads: Iterable[Any]) -> bool:
    """Whether an input drives a joint with a torque or a force along its axis."""
    for load in loads:
        on = getattr(load, "frame", None) or getattr(load, "point", None)
        if on in (link.frame, link.origin) and getattr(load, "vector", None) is not None:
            measures = load.vector.measures(link.inboard)
            if any(symbol.kind == "input" for e in measures if isinstance(e, Expr) for symbol in e.free_symbols):
                return True
    return False
