"""Shapes in the plane as they are drawn, each with its set worked out in NumPy, and how deep two lie in each other.

A set is an outline of places, in the frame of its body. Of something solid a signed distance tells what is inside; of
something thin only the outline is there, and two thin things lie in each other where their outlines cross.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import latchwork as lw

Array = np.ndarray
MANY = 721  # places of an outline
CLOSE = 2e-5  # m: how far off an outline the chords of one that may cross another are
ARM = 9  # places looked at between where two lines cross
ASIDE = np.array([0.6e-7, 0.8e-7])  # m: what lies exactly on another line is taken off it by so little


@dataclass(frozen=True, eq=False)
class Drawn:
    """A shape, its outline (n, 2), and for places (k, 2) how far outside its material they are; None: it is thin.

    Of what is thin, ``front`` is the side of travel on which it is touched: 1 on the left, −1 on the right, 0 both.
    """

    shape: Any
    outline: Array
    outside: Callable[[Array], Array] | None = None
    front: int = 0

    @cached_property
    def line(self) -> Array:
        """Few places whose chords are the outline."""
        return chords(self.outline)


def along(corners: Any, closed: bool = False) -> Array:
    """Places along straight edges, their corners among them."""
    x = np.array(corners, dtype=float)
    ring = np.vstack([x, x[:1]]) if closed else x
    return np.vstack([np.linspace(p, q, MANY // (len(ring) - 1)) for p, q in itertools.pairwise(ring)])


def around(center: tuple[float, float], r: float, start: float = 0.0, angle: float = 2.0 * math.pi) -> Array:
    """Places along an arc."""
    a = np.linspace(start, start + angle, MANY)
    return np.array(center) + r * np.column_stack([np.cos(a), np.sin(a)])


def from_edges(x: Array, corners: Array) -> Array:
    """Distances of places from a closed line of edges."""
    p, q = corners, np.roll(corners, -1, axis=0)
    d = q - p
    s = np.clip(((x[:, None] - p) * d).sum(-1) / (d * d).sum(-1), 0.0, 1.0)
    return np.asarray(np.linalg.norm(x[:, None] - p - s[..., None] * d, axis=-1).min(axis=1))


def from_polygon(corners: Any) -> Callable[[Array], Array]:
    """Signed distances from a polygon: by how many edges a ray to the right crosses."""
    c = np.array(corners, dtype=float)

    def outside(x: Array) -> Array:
        p, q = c, np.roll(c, -1, axis=0)
        spans = (p[:, 1] > x[:, 1:]) != (q[:, 1] > x[:, 1:])
        with np.errstate(divide="ignore", invalid="ignore"):
            at = p[:, 0] + (x[:, 1:] - p[:, 1]) * (q[:, 0] - p[:, 0]) / (q[:, 1] - p[:, 1])
        within = (spans & (x[:, :1] < at)).sum(axis=1) % 2 == 1
        return np.where(within, -1.0, 1.0) * from_edges(x, c)

    return outside


def from_rod(p: Any, q: Any, r: float) -> Callable[[Array], Array]:
    """Signed distances from all within r of a segment."""
    a, d = np.array(p, dtype=float), np.array(q, dtype=float) - np.array(p, dtype=float)

    def outside(x: Array) -> Array:
        s = np.clip((x - a) @ d / max(float(d @ d), 1e-300), 0.0, 1.0)
        return np.asarray(np.linalg.norm(x - a - s[:, None] * d, axis=1)) - r

    return outside


class Pen:
    """Draws shapes on a body, or in N."""

    def __init__(self, tag: str, origin: lw.Point, frame: Any, body: Any) -> None:
        self.tag, self.origin, self.frame, self.body, self._count = tag, origin, frame, body, 0

    def at(self, x: float, y: float = 0.0) -> lw.Point:
        self._count += 1
        return self.origin.at(f"{self.tag}{self._count}", self.frame.vector(x, y, 0.0))

    # --- what is solid ----------------------------------------------------------------------------------------------

    def circle(self) -> Drawn:
        return Drawn(lw.Circle(self.at(0.1), 0.4, body=self.body), around((0.1, 0.0), 0.4),
                     from_rod((0.1, 0.0), (0.1, 0.0), 0.4))  # fmt: skip

    def capsule(self) -> Drawn:
        shape = lw.Capsule(self.at(-0.4), self.at(0.4), 0.2, body=self.body)
        caps = (around((0.4, 0.0), 0.2, -math.pi / 2, math.pi), around((-0.4, 0.0), 0.2, math.pi / 2, math.pi))
        sides = along([(-0.4, -0.2), (0.4, -0.2)]), along([(0.4, 0.2), (-0.4, 0.2)])
        return Drawn(shape, np.vstack([sides[0], caps[0], sides[1], caps[1]]), from_rod((-0.4, 0.0), (0.4, 0.0), 0.2))

    def _polygon(self, shape: Any, corners: Any) -> Drawn:
        return Drawn(shape, along(corners, closed=True), from_polygon(corners))

    def box(self) -> Drawn:
        return self._polygon(lw.Box(self.origin, (1.0, 0.5), body=self.body),
                             [(-0.5, -0.25), (-0.5, 0.25), (0.5, 0.25), (0.5, -0.25)])  # fmt: skip

    def hull(self) -> Drawn:
        corners = [(-0.5, -0.25), (-0.25, 0.5), (0.5, 0.25), (0.5, -0.25), (0.0, -0.5)]
        return self._polygon(lw.Hull([self.at(*x) for x in corners], body=self.body), corners)

    def outline(self) -> Drawn:
        """An L, clockwise."""
        corners = [(-0.5, -0.5), (-0.5, 0.5), (0.0, 0.5), (0.0, 0.0), (0.5, 0.0), (0.5, -0.5)]
        shape = lw.Polyline([self.at(*x) for x in corners], closed=True, body=self.body)
        return self._polygon(shape, corners)

    def disk(self) -> Drawn:
        """A ring that is touched from outside."""
        return Drawn(lw.Arc(self.origin, 0.5, body=self.body), around((0.0, 0.0), 0.5), from_rod((0, 0), (0, 0), 0.5))

    def oval(self) -> Drawn:
        """A closed curve."""
        F = self.frame
        shape = lw.Curve(self.origin, lambda s: 0.6 * lw.cos(s) * F.x - 0.4 * lw.sin(s) * F.y, (0.0, 2.0 * math.pi),
                         body=self.body, closed=True)  # fmt: skip
        axes = np.array([0.6, 0.4])

        def outside(x: Array) -> Array:
            """k (k − 1) / |∇(k²/2)| with k = |x / axes|: the distance, to first order."""
            k = np.linalg.norm(x / axes, axis=1)
            return k * (k - 1.0) / np.maximum(np.linalg.norm(x / axes**2, axis=1), 1e-9)

        return Drawn(shape, around((0.0, 0.0), 1.0)[:-1] * axes, outside)

    def line(self) -> Drawn:
        """A half-plane."""
        F = self.frame
        return Drawn(lw.Line(self.origin, F.x, F.y, body=self.body), along([(-30.0, 0.0), (30.0, 0.0)]),
                     lambda x: x[:, 1])  # fmt: skip

    # --- what is thin -----------------------------------------------------------------------------------------------

    def point(self) -> Drawn:
        return Drawn(self.at(0.1, 0.05), np.array([[0.1, 0.05]]))

    def segment(self) -> Drawn:
        return Drawn(lw.Segment(self.at(-0.5), self.at(0.5), body=self.body), along([(-0.5, 0.0), (0.5, 0.0)]))

    def wall(self) -> Drawn:
        """A segment with its front on the side of y."""
        shape = lw.Segment(self.at(-0.5), self.at(0.5), self.frame.y, body=self.body)
        return Drawn(shape, along([(-0.5, 0.0), (0.5, 0.0)]), front=1)

    def polyline(self) -> Drawn:
        corners = [(-1.0, 0.25), (-0.25, 0.0), (0.25, 0.0), (0.5, 0.5), (1.0, 0.5)]
        return Drawn(lw.Polyline([self.at(*x) for x in corners], body=self.body), along(corners), front=1)

    def arc(self) -> Drawn:
        """A third of a circle, up and a little to the right, touched from outside."""
        F, start = self.frame, math.pi / 6
        way = math.cos(start) * F.x + math.sin(start) * F.y
        shape = lw.Arc(self.at(0.0, -0.5), 0.75, way, 2.0 * math.pi / 3, axis=F.z, body=self.body)
        return Drawn(shape, around((0.0, -0.5), 0.75, start, 2.0 * math.pi / 3), front=-1)

    def cup(self) -> Drawn:
        """A third of a circle below, touched from inside."""
        F, start = self.frame, 7.0 * math.pi / 6
        way = math.cos(start) * F.x + math.sin(start) * F.y
        shape = lw.Arc(self.at(0.0, 1.0), 1.25, way, 2.0 * math.pi / 3, axis=F.z, inside=True, body=self.body)
        return Drawn(shape, around((0.0, 1.0), 1.25, start, 2.0 * math.pi / 3), front=1)

    def ring(self) -> Drawn:
        """A whole circle, touched from inside."""
        return Drawn(lw.Arc(self.origin, 5.0, inside=True, body=self.body), around((0.0, 0.0), 5.0), front=1)

    def boundary(self) -> Drawn:
        """A segment, and an arc that rises from its end."""
        F = self.frame
        p, q = self.at(-1.0), self.at(0.0)
        pieces = [lw.Segment(p, q, F.y, body=self.body),
                  lw.Arc(self.at(0.0, 1.0), 1.0, -F.y, 1.0, axis=F.z, inside=True, body=self.body)]  # fmt: skip
        outline = np.vstack([along([(-1.0, 0.0), (0.0, 0.0)]), around((0.0, 1.0), 1.0, -math.pi / 2, 1.0)])
        return Drawn(lw.Boundary(pieces), outline, front=1)

    def curve(self) -> Drawn:
        """Two waves."""
        F, s = self.frame, np.linspace(-0.75, 0.75, MANY)
        shape = lw.Curve(self.origin, lambda s: s * F.x + 0.1 * lw.cos(6.0 * s) * F.y, (-0.75, 0.75), body=self.body)
        return Drawn(shape, np.column_stack([s, 0.1 * np.cos(6.0 * s)]), front=1)


SOLID = ("circle", "capsule", "box", "hull", "outline", "disk", "oval", "line")
THIN = ("point", "segment", "wall", "polyline", "arc", "cup", "ring", "boundary", "curve")
FRONT = ("wall", "polyline", "arc", "cup", "boundary", "curve", "line")  # with the front up
SHAPES = (*SOLID, *THIN)


# --- how deep two of them are in each other -------------------------------------------------------------------------


def placed(x: Array, pose: Array) -> Array:
    """Places of a body in N, by (x, y, angle)."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    return x @ np.array([[c, s], [-s, c]]) + pose[:2]


def back(x: Array, pose: Array) -> Array:
    """Places of N in a body."""
    c, s = math.cos(pose[2]), math.sin(pose[2])
    return (x - pose[:2]) @ np.array([[c, -s], [s, c]])


def depth(a: Drawn, at: Array, b: Drawn, bt: Array) -> float:
    """How deep two sets lie in each other; below 0 how far apart they are."""
    x, y = placed(a.outline, at), placed(b.outline, bt)
    found = []
    if b.outside is not None:
        found.append(-float(b.outside(back(x, bt)).min()))
    if a.outside is not None:
        found.append(-float(a.outside(back(y, at)).min()))
    if a.outside is None and b.outside is None:
        found.append(crossing(placed(a.line, at), placed(b.line, bt)))
    return max(found)


def crossing(x: Array, y: Array) -> float:
    """How far two lines of places reach through each other; where they do not cross, how far apart they are, below 0.

    From each place where they cross, two arms of either line lead to the next such place, or to its end. The crossing
    is as deep as that arm of the four which stays nearest to the other line is ever off it.
    """
    at = crossings(x + ASIDE, y)
    if not len(at):
        return -min(off_line(x, y), off_line(y, x))
    reach = np.full((len(at), 4), np.inf)
    for k, (one, other) in enumerate(((x + ASIDE, y), (y, x + ASIDE))):
        order = np.argsort(at[:, k])
        stops = [0.0, *at[order, k], len(one) - 1.0]
        off = [arm_reach(one, first, last, other) for first, last in itertools.pairwise(stops)]
        reach[order, 2 * k], reach[order, 2 * k + 1] = off[:-1], off[1:]
    return float(reach.min(axis=1).max())


def crossings(x: Array, y: Array) -> Array:
    """Where two lines of places cross (n, 2): places counted along either, between them in parts."""
    (dx, dy), (ex, ey) = np.diff(x, axis=0).T[..., None], np.diff(y, axis=0).T
    wx, wy = y[:-1, 0] - x[:-1, :1], y[:-1, 1] - x[:-1, 1:]
    det = dx * ey - dy * ex
    with np.errstate(divide="ignore", invalid="ignore"):
        s, r = (wx * ey - wy * ex) / det, (wx * dy - wy * dx) / det
    i, j = np.nonzero((np.abs(det) > 1e-14) & (s >= 0.0) & (s <= 1.0) & (r >= 0.0) & (r <= 1.0))
    return np.column_stack([i + s[i, j], j + r[i, j]])


def arm_reach(x: Array, first: float, last: float, y: Array) -> float:
    """How far a piece of a line, between two counts along it, is ever off another line."""
    counts = np.unique([*np.linspace(first, last, ARM), *np.arange(math.ceil(first), math.floor(last) + 1)])
    i = np.minimum(counts.astype(int), len(x) - 2)
    places = x[i] + (counts - i)[:, None] * (x[i + 1] - x[i])
    return float(distances(places, y).max())


def off_line(x: Array, y: Array) -> float:
    """The least distance of places from a line of others."""
    return float(distances(x, y).min())


def distances(x: Array, y: Array) -> Array:
    """Those of places from a line of others."""
    if len(y) < 2:
        return np.asarray(np.linalg.norm(x - y, axis=1))
    (px, py), (dx, dy) = y[:-1].T, np.diff(y, axis=0).T
    wx, wy = x[:, :1] - px, x[:, 1:] - py
    s = np.clip((wx * dx + wy * dy) / np.maximum(dx * dx + dy * dy, 1e-300), 0.0, 1.0)
    return np.sqrt(((wx - s * dx) ** 2 + (wy - s * dy) ** 2).min(axis=1))


def meets_back(a: Drawn, at: Array, b: Drawn, bt: Array) -> bool:
    """Whether two thin things that are apart are nearest where one is behind the other."""
    x, y = placed(a.line, at), placed(b.line, bt)
    (place, line, front), *_ = sorted(((x, y, b.front), (y, x, a.front)), key=lambda item: off_line(*item[:2]))
    tip = place[[int(distances(place, line).argmin())]]
    edge = int(np.argmin([off_line(tip, line[i : i + 2]) for i in range(len(line) - 1)]))
    (tx, ty), (dx, dy) = line[edge + 1] - line[edge], tip[0] - line[edge]
    return bool(front * (tx * dy - ty * dx) < 0.0)


def chords(x: Array) -> Array:
    """The fewest of the places of a line whose chords are nowhere further than CLOSE from it: corners stay."""
    kept = [0]
    while kept[-1] < len(x) - 1:
        first, low, high = kept[-1], kept[-1] + 1, len(x) - 1
        while low < high:  # the furthest place to which a chord is close enough
            middle = (low + high + 1) // 2
            low, high = (middle, high) if is_close(x[first : middle + 1]) else (low, middle - 1)
        kept.append(low)
    return x[kept]


def is_close(x: Array) -> bool:
    """Whether places lie along the chord from the first to the last."""
    return bool(distances(x, x[[0, -1]]).max() <= CLOSE)
