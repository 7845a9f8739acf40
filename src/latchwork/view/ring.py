"""Boxes around a ring and the arrows between them: sizes, places, and labels that stand in nobody's way."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

Place = tuple[float, float]
Four = tuple[Place, Place, Place, Place]
GAP_X, GAP_Y = 120.0, 76.0  # least room between boxes, for arrows and labels
BENDS = (0.16, 0.3, 0.07, -0.24, 0.45, -0.38)  # of the distance: how far an arrow bends to its left, best first
ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8)  # where along its arrow a label may stand, best first
CROSSED = 40.0  # what a label pays for each sample of another arrow under it, in covered area


class Box(NamedTuple):
    """A rectangle by its middle, width and height."""

    x: float
    y: float
    w: float
    h: float

    def overlap(self, other: Box) -> float:
        """The area that two rectangles share."""
        across = min(self.x + self.w / 2, other.x + other.w / 2) - max(self.x - self.w / 2, other.x - other.w / 2)
        up = min(self.y + self.h / 2, other.y + other.h / 2) - max(self.y - self.h / 2, other.y - other.h / 2)
        return max(across, 0.0) * max(up, 0.0)

    def holds(self, p: Place) -> bool:
        return abs(p[0] - self.x) <= self.w / 2 and abs(p[1] - self.y) <= self.h / 2


@dataclass(frozen=True)
class Node:
    """A box, its lines of text, and the way out of the ring: up (-1) or down (+1)."""

    box: Box
    lines: tuple[str, ...]
    outward: int


@dataclass(frozen=True)
class Curve:
    """A cubic Bézier curve by its four points."""

    points: Four
    is_loop: bool = False

    def at(self, s: float) -> Place:
        a, b, c, d = ((1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s**2 * (1 - s), s**3)
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = self.points
        return a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3

    @property
    def path(self) -> str:
        a, b, c, d = (f"{x:.1f} {y:.1f}" for x, y in self.points)
        return f"M{a}C{b} {c} {d}"

    @property
    def samples(self) -> list[Place]:
        return [self.at(k / 40) for k in range(41)]

    @property
    def box(self) -> Box:
        return boxed([Box(*place, 2.0, 2.0) for place in self.samples])


class Label(NamedTuple):
    box: Box
    lines: list[str]


def boxed(boxes: Sequence[Box]) -> Box:
    """The rectangle around some."""
    left, right = min(b.x - b.w / 2 for b in boxes), max(b.x + b.w / 2 for b in boxes)
    top, bottom = min(b.y - b.h / 2 for b in boxes), max(b.y + b.h / 2 for b in boxes)
    return Box((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)


def wide(lines: Sequence[str], per_character: float) -> float:
    return per_character * max((len(line) for line in lines), default=1)


def arranged(texts: Sequence[Sequence[str]], labels: Sequence[Sequence[str]]) -> list[Node]:
    """A box for each text, around an ellipse with room for the labels; two stand side by side."""
    gap = max([GAP_X, *(label_size(lines)[0] + 44 for lines in labels)])
    sizes = [(max(70.0, wide(lines, 7.4) + 26), 32 + 17.0 * len(lines)) for lines in texts]
    n = len(sizes)
    turn = math.pi if n == 2 else -math.pi / 2
    ways = [(math.cos(turn + 2 * math.pi * k / n), math.sin(turn + 2 * math.pi * k / n)) for k in range(n)]
    scale = 0.0
    while True:
        boxes = [Box(1.45 * scale * x, scale * y, w, h) for (x, y), (w, h) in zip(ways, sizes, strict=True)]
        if n == 1 or not any(_too_close(a, b, gap) for a, b in itertools.combinations(boxes, 2)):
            break
        scale += 8.0
    out = [1 if y > 0.3 else -1 for _, y in ways]
    return [Node(box, tuple(lines), way) for box, lines, way in zip(boxes, texts, out, strict=True)]


def _too_close(a: Box, b: Box, gap: float) -> bool:
    return Box(a.x, a.y, a.w + 2 * gap, a.h + 2 * GAP_Y).overlap(b) > 0.0


def looped(node: Node) -> Curve:
    """An arrow from a box to itself, on the outside of the ring."""
    b, way = node.box, node.outward
    edge = b.y + way * b.h / 2
    points = ((b.x - 13, edge), (b.x - 46, edge + 56 * way), (b.x + 46, edge + 56 * way), (b.x + 13, edge))
    return Curve(points, is_loop=True)


def joined(a: Node, b: Node, others: Sequence[Box]) -> Curve:
    """An arrow from box to box, bent to its left, so that the way back does not lie upon it, and around other boxes."""
    curves = [cut(_bent(a.box, b.box, bend), a.box, b.box) for bend in BENDS]
    hidden = [sum(box.holds(place) for box in others for place in curve.samples) for curve in curves]
    cost = [count + 0.1 * k for k, count in enumerate(hidden)]
    return curves[cost.index(min(cost))]


def _bent(a: Box, b: Box, bend: float) -> Curve:
    sideways = (bend * (b.y - a.y), -bend * (b.x - a.x))
    one, two = ((a.x + s * (b.x - a.x) + sideways[0], a.y + s * (b.y - a.y) + sideways[1]) for s in (0.3, 0.7))
    return Curve(((a.x, a.y), one, two, (b.x, b.y)))


def cut(curve: Curve, first: Box, last: Box) -> Curve:
    """The part of a curve outside the boxes at its ends."""
    steps = [k / 400 for k in range(401)]
    begin = max((s for s in steps if first.holds(curve.at(s))), default=0.0)
    end = min((s for s in steps if last.holds(curve.at(s)) and s > begin), default=1.0)
    return Curve(_split(_split(curve.points, end)[0], begin / end)[1])


def _split(points: Four, s: float) -> tuple[Four, Four]:
    """De Casteljau: the two parts of a cubic, before and after s."""
    rows = [list(points)]
    while len(rows[-1]) > 1:
        rows.append([(p[0] + s * (q[0] - p[0]), p[1] + s * (q[1] - p[1])) for p, q in itertools.pairwise(rows[-1])])
    a, b, c, d = (row[0] for row in rows)
    e, f, g, h = (row[-1] for row in reversed(rows))
    return (a, b, c, d), (e, f, g, h)


def label_size(lines: Sequence[str]) -> tuple[float, float]:
    return wide(lines, 6.5) + 6, 14.0 * len(lines) + 4


def placed(curve: Curve, lines: list[str], boxes: Sequence[Box], curves: Sequence[Curve]) -> Label:
    """A label along its curve, where it covers least of boxes, other labels and other arrows; the middle is best."""
    w, h = label_size(lines)
    if curve.is_loop:
        x, y = curve.at(0.5)
        way = 1 if y > curve.points[0][1] else -1
        tries = [Box(x + shift, y + way * (h / 2 + 3), w, h) for shift in (0.0, w / 2 - 10, 10 - w / 2)]
    else:
        tries = [_beside(curve, s, far, w, h) for s in ALONG for far in (1.0, 0.0, -1.0)]
    cost = [
        sum(Box(*b[:2], b.w + 8, b.h + 8).overlap(place) for b in boxes)
        + CROSSED * sum(place.holds(p) for other in curves if other is not curve for p in other.samples) + 6.0 * k
        for k, place in enumerate(tries)
    ]  # fmt: skip
    return Label(tries[cost.index(min(cost))], lines)


def _beside(curve: Curve, s: float, far: float, w: float, h: float) -> Box:
    """A rectangle on the outer side of the bend at s; upon the curve where ``far`` is 0."""
    (x, y), (x0, y0), (x1, y1) = curve.at(s), curve.at(s - 0.02), curve.at(s + 0.02)
    length = math.hypot(x1 - x0, y1 - y0) or 1.0
    nx, ny = (y1 - y0) / length, -(x1 - x0) / length
    reach = far * (abs(nx) * w / 2 + abs(ny) * h / 2 + 3)
    return Box(x + nx * reach, y + ny * reach, w, h)
