"""Bins drawn on a grid, by seed: a floor and two walls, with boxes, disks, capsules, triangles and hexagons in them.

They are of one size, at steps of the grid and of 15°, touching or not, at rest or thrown.

``scene(seed)`` describes one, ``scene(seed).play()`` runs it; ``wrong(s, run)`` names the laws that it breaks, those of
`aligned_scenes`.
"""

from __future__ import annotations

import numpy as np

import latchwork as lw
from aligned_scenes import GRID, STEP, Aligned, core, described, fall, meet, place, rotation, turned
from aligned_scenes import wrong as wrong
from scene_shapes import Array, Ground, from_flat

SHAPES = ("box", "box", "slab", "round", "capsule", "hexagon", "triangle", "triangle")
TALL = 4.0  # m: walls


def walls(s: Aligned, wide: float) -> list[Ground]:
    """A floor at height 0 and two walls, as lines, as boxes that overlap below, or side by side, or as an outline."""
    N, O, half = s.model.frame, s.model.origin, 0.5 * wide
    x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    apart = [from_flat(np.zeros(3), y), from_flat(-half * x, x), from_flat(half * x, -x)]
    kind = s.pick("lines", "boxes", "boxes", "outline")
    if kind == "outline":
        line = [O.at(f"P{i}", a * N.x + b * N.y) for i, (a, b) in enumerate(
            ((-half, TALL), (-half, 0.0), (half, 0.0), (half, TALL)))]  # fmt: skip
        return [Ground(lw.Polyline(line), lambda at, r: min(each(at, r) for each in apart))]
    if kind == "lines":
        shapes = [lw.Line(O, N.x, N.y), lw.Line(O.at("left", -half * N.x), -N.y, N.x),
                  lw.Line(O.at("right", half * N.x), N.y, -N.x)]  # fmt: skip
        return [Ground(shape, each) for shape, each in zip(shapes, apart, strict=True)]
    low = s.pick(0.0, -1.0)  # walls stand on the floor, or beside it
    broad, high = (wide + 2.0, 1.0) if low == 0.0 else (wide, 1.0)
    floor = lw.Box(O.at("floor", -0.5 * N.y), (broad, high), N)
    sides = [lw.Box(O.at(name, side * (half + 0.5) * N.x + 0.5 * (TALL + low) * N.y), (1.0, TALL - low), N)
             for name, side in (("left", -1.0), ("right", 1.0))]  # fmt: skip
    return [Ground(shape, each) for shape, each in zip((floor, *sides), apart, strict=True)]


def filled(s: Aligned) -> None:
    """Bodies of one size in rows of a bin, each in a place of its own."""
    law, size, count = s.law(), s.pick(0.5, 1.0), s.pick(1, 2, 3)
    room = size * s.pick(1.0, 1.0, 1.5)  # of one body: turned it may not fit, and is upright then
    columns = s.pick(1, 2, 3)
    wide = columns * room + s.pick(0.0, GRID, 0.5)
    under = walls(s, wide)
    thrown = s.chance(0.4)
    for i in range(count):
        row, column = divmod(i, columns)
        kind, turn = s.pick(*SHAPES), turned(s, s.chance(0.6))
        own = 0.5 * size if kind == "capsule" else size
        low, high = sides(kind, own, turn)
        if max(high - low) > room + 1e-12:
            turn = 2, 0
            low, high = sides(kind, own, turn)
        lift = s.pick(0.0, 0.0, GRID) + row * (room + GRID)
        at = np.array([-0.5 * wide + column * room - low[0], lift - low[1], 0.0])
        v = (s.pick(-2.0, -1.0, 0.0, 1.0), s.pick(-1.0, 0.0), 0.0) if thrown else (0.0, 0.0, 0.0)
        place(s, kind, own, at, turn, v)
    fall(s)
    for i, (link, _, one) in enumerate(s.solids):
        for k, each in enumerate(under):
            meet(s, f"{link.name} on {('floor', 'left', 'right')[k] if len(under) == 3 else 'bin'}", one, each, law)
        for other, _, two in s.solids[:i]:
            meet(s, f"{link.name} on {other.name}", one, two, law)


def sides(kind: str, size: float, turn: tuple[int, int]) -> tuple[Array, Array]:
    """The least and the largest x and y of a turned shape."""
    points, r = core(kind, size, False)
    at = (points @ rotation(False, 2, STEP * turn[1]).T)[:, :2]
    return at.min(axis=0) - r, at.max(axis=0) + r


def scene(seed: int) -> Aligned:
    """The bin of a seed."""
    return described(seed, "bin", False, filled)

