"""Random outlines that are not convex: letters, stars, saws, rounded boxes, stadiums, hills."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import latchwork as lw
from drawn_plane import Drawn, Pen, along, around, from_polygon, from_rod
from shape_collisions import Meeting, Start, meeting

Draw = Callable[[Pen], Drawn]
Corners = list[tuple[float, float]]
PLAIN = ("circle", "capsule", "box", "hull", "disk", "point", "segment")
DEEP = 8.0  # m: how far down a hill is solid


@dataclass
class Scene:
    """One shape that flies or falls onto another, with what its laws need to know."""

    meeting: Meeting
    start: Start
    gravity: float

    @property
    def begins_apart(self) -> bool:
        """Whether the two begin apart, as drawn."""
        pose = np.array([[self.start.x, self.start.y, self.start.angle + self.meeting.turned]])
        return bool(self.meeting.depths(pose, np.zeros((1, 3)))[0] < -0.01)


def scene(seed: int) -> Scene:
    """Of an even seed with round numbers and angles of 15 degrees."""
    rng = random.Random(seed)
    round_numbers = seed % 2 == 0
    a = _any(rng, round_numbers)
    fixed = rng.random() < 0.5
    b = hills(rng, round_numbers) if fixed and rng.random() < 0.6 else _hollow(rng, round_numbers)
    gravity = 9.81 if fixed and rng.random() < 0.6 else 0.0
    restitution = rng.choice([0.0, 0.5, 1.0]) if fixed else 1.0
    friction = rng.choice([None, 0.3, 1.0]) if fixed else None
    made = meeting(a, b, fixed, restitution, friction, gravity)
    if round_numbers:
        start = Start(rng.randint(-8, 8) / 8, 2.0, rng.randint(0, 23) * math.pi / 12, rng.choice([0.0, 0.5, -0.5]),
                      rng.choice([-1.0, -2.0, -3.0]), rng.choice([0.0, 1.0, -2.0]), 1.5)  # fmt: skip
    else:
        start = Start(rng.uniform(-1, 1), 2.0, rng.uniform(-3, 3), rng.uniform(-1, 1), rng.uniform(-4, -1),
                      rng.uniform(-3, 3), 1.5)  # fmt: skip
    return Scene(made, start, gravity)


def _any(rng: random.Random, round_numbers: bool) -> str | Draw:
    return rng.choice(PLAIN) if rng.random() < 0.5 else _hollow(rng, round_numbers)


def _hollow(rng: random.Random, round_numbers: bool) -> Draw:
    return rng.choice([letter, letter, rounded_box, stadium])(rng, round_numbers)


def letter(rng: random.Random, round_numbers: bool) -> Draw:
    """A closed outline with corners that bend inwards."""
    corners = letter_corners(rng, round_numbers)

    def draw(pen: Pen) -> Drawn:
        shape = lw.Polyline([pen.at(*x) for x in corners], closed=True, body=pen.body)
        return Drawn(shape, along(corners, closed=True), from_polygon(corners))

    return draw


def letter_corners(rng: random.Random, round_numbers: bool) -> Corners:
    """The corners of one, clockwise."""

    def size(low: float, high: float) -> float:
        return round(rng.uniform(low, high) * 20) / 20 if round_numbers else rng.uniform(low, high)

    a, b, t = 0.5 * size(0.6, 1.2), 0.5 * size(0.5, 1.0), size(0.05, 0.2)
    kind = rng.choice(["U", "L", "T", "H", "Z", "plus", "star", "star", "saw", "arrow"])
    teeth, spikes = rng.randint(3, 6), rng.randint(5, 9)
    shapes: dict[str, Callable[[], Corners]] = {
        "U": lambda: [(-a, -b), (-a, b), (-a + t, b), (-a + t, -b + t), (a - t, -b + t), (a - t, b), (a, b), (a, -b)],
        "L": lambda: [(-a, -b), (-a, b), (-a + t, b), (-a + t, -b + t), (a, -b + t), (a, -b)],
        "T": lambda: [(-t, -b), (-t, b - t), (-a, b - t), (-a, b), (a, b), (a, b - t), (t, b - t), (t, -b)],
        "H": lambda: [(-a, -b), (-a, b), (t - a, b), (t - a, 0.5 * t), (a - t, 0.5 * t), (a - t, b), (a, b), (a, -b),
                      (a - t, -b), (a - t, -0.5 * t), (t - a, -0.5 * t), (t - a, -b)],
        "Z": lambda: [(-a, b - t), (-a, b), (0.5 * t, b), (0.5 * t, t - b), (a, t - b), (a, -b), (-0.5 * t, -b),
                      (-0.5 * t, b - t)],
        "plus": lambda: [(-t, -b), (-t, -t), (-a, -t), (-a, t), (-t, t), (-t, b), (t, b), (t, t), (a, t), (a, -t),
                         (t, -t), (t, -b)],
        "star": lambda: [(r * math.cos(x), r * math.sin(x)) for k in reversed(range(spikes))
                         for x, r in [(2 * math.pi * (k + rng.uniform(-0.2, 0.2)) / spikes, rng.uniform(0.25, 0.6))]],
        "saw": lambda: [(-a, -b), *(x for k in range(teeth) for x in (
            (-a + 2 * a * k / teeth, b), (-a + 2 * a * (k + 0.5) / teeth, b - size(0.1, 0.5)))), (a, b), (a, -b)],
        "arrow": lambda: [(-a, -b), (0.0, b), (a, -b), (0.0, -b + size(0.1, 0.5))],
    }  # fmt: skip
    return shapes[kind]()


def rounded_box(rng: random.Random, round_numbers: bool) -> Draw:
    """Four segments and four quarters of circles, joined smoothly."""
    sizes = [(0.4, 0.2, 0.1), (0.5, 0.3, 0.15), (0.6, 0.3, 0.1)]
    w, h, r = rng.choice(sizes) if round_numbers else [rng.uniform(*x) for x in ((0.3, 0.6), (0.2, 0.4), (0.05, 0.2))]
    middles = [(w, h), (w, -h), (-w, -h), (-w, h)]

    def draw(pen: Pen) -> Drawn:
        F, pieces, outline = pen.frame, [], []
        for i, (x, y) in enumerate(middles):
            start = 0.5 * math.pi * (1 - i)
            nx, ny = math.cos(start - 0.5 * math.pi), math.sin(start - 0.5 * math.pi)
            way = math.cos(start) * F.x + math.sin(start) * F.y
            p, q = ((cx + r * nx, cy + r * ny) for cx, cy in ((x, y), middles[(i + 1) % 4]))
            pieces += [lw.Arc(pen.at(x, y), r, way, -0.5 * math.pi, axis=F.z, body=pen.body),
                       lw.Segment(pen.at(*p), pen.at(*q), nx * F.x + ny * F.y, body=pen.body)]  # fmt: skip
            outline += [around((x, y), r, start, -0.5 * math.pi), along([p, q])]
        core = from_polygon([(-w, -h), (-w, h), (w, h), (w, -h)])
        return Drawn(lw.Boundary(pieces), np.vstack(outline), lambda places: core(places) - r)

    return draw


def stadium(rng: random.Random, round_numbers: bool) -> Draw:
    """Two segments and two halves of circles."""
    a, r = (rng.choice([0.4, 0.8]), 0.25) if round_numbers else (rng.uniform(0.2, 1.0), rng.uniform(0.15, 0.4))

    def draw(pen: Pen) -> Drawn:
        F, at = pen.frame, pen.at
        pieces = [lw.Segment(at(-a, r), at(a, r), F.y, body=pen.body),
                  lw.Arc(at(a), r, F.y, -math.pi, axis=F.z, body=pen.body),
                  lw.Segment(at(a, -r), at(-a, -r), -F.y, body=pen.body),
                  lw.Arc(at(-a), r, -F.y, -math.pi, axis=F.z, body=pen.body)]  # fmt: skip
        outline = [along([(-a, r), (a, r)]), around((a, 0.0), r, 0.5 * math.pi, -math.pi),
                   along([(a, -r), (-a, -r)]), around((-a, 0.0), r, -0.5 * math.pi, -math.pi)]  # fmt: skip
        return Drawn(lw.Boundary(pieces), np.vstack(outline), from_rod((-a, 0.0), (a, 0.0), r))

    return draw


def hills(rng: random.Random, round_numbers: bool) -> Draw:
    """An open outline from left to right, level beyond."""
    count = rng.randint(3, 8)
    heights = [rng.randint(-2, 2) / 4 if round_numbers else rng.uniform(-0.5, 0.5) for _ in range(count + 1)]
    places = [(-6.0, heights[0]), *zip(np.linspace(-1.5, 1.5, count + 1).tolist(), heights, strict=True),
              (6.0, heights[-1])]  # fmt: skip

    def draw(pen: Pen) -> Drawn:
        shape = lw.Polyline([pen.at(*x) for x in places], body=pen.body)
        return Drawn(shape, along(places), from_polygon([*places, (6.0, -DEEP), (-6.0, -DEEP)]))

    return draw
