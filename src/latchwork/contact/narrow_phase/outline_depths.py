"""Which corners of an outline stick out, how deep and how far on the material is behind an edge: with numbers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.contact.shapes.base import ROUNDING, numbers
from latchwork.contact.shapes.flat import Polyline

Array = np.ndarray

BENT = 1e-6  # sine of the angle by which two edges turn: by less, they go straight on


def turns(shape: Polyline) -> list[str]:
    """At each corner: "out" where it sticks out, "in" or "flat" where not; "start" and "end" of an open line.

    With the normal on the left, travel turns right where the outline sticks out: n₁ · t₂ < 0.
    """
    count = len(shape.points)
    found = ["out"] * count
    for i in range(count):
        if not shape.closed and i in (0, count - 1):
            found[i] = "start" if i == 0 else "end"
            continue
        n, t = (numbers(shape.frame, v) for v in (shape.normals[i - 1], shape.along[i]))
        if n is not None and t is not None and dot(n, t) > -ROUNDING:
            found[i] = "in" if dot(n, t) > BENT else "flat"
    return found


def depths(shape: Polyline) -> list[float | None]:
    """Half the way back from each edge, as far as it goes on, to the nearest other edge behind; None where none is."""
    found = numbers_of(shape)
    if found is None:
        return [None] * len(shape.along)
    x, m = found.corners, len(found.axes)
    deep: list[float | None] = []
    for i, ((t, n), (before, after)) in enumerate(zip(found.axes, overlaps(found), strict=True)):
        size = float(dot(x[i + 1] - x[i], t))
        start = x[i] - before * t
        others = [j for j in range(m) if abs(j - i) not in ((0, 1, m - 1) if shape.closed else (0, 1))]
        behind = [clipped(before + size + after, dot(x[j : j + 2] - start, t), dot(start - x[j : j + 2], n))
                  for j in others]  # fmt: skip
        near = [depth for depth in behind if depth > ROUNDING * size]
        deep.append(0.5 * min(near) if near else None)
    return deep


def extensions(shape: Polyline) -> list[tuple[float, float] | None]:
    """How far each edge goes on inside the material, before it begins and after it ends; None without numbers."""
    found = numbers_of(shape)
    return [None] * len(shape.along) if found is None else [*overlaps(found)]


class OutlineNumbers(NamedTuple):
    """An outline as numbers: corners, of a closed one the first again at the end; of each edge unit vectors along it
    and out of the material; how each corner bends."""

    corners: Array
    axes: list[tuple[Array, Array]]
    bend: list[str]


def numbers_of(shape: Polyline) -> OutlineNumbers | None:
    first, frame = shape.points[0], shape.frame
    corners = [x for point in shape.points if (x := numbers(frame, point.position(first))) is not None]
    along, out = ([x for vector in vectors if (x := numbers(frame, vector)) is not None]
                  for vectors in (shape.along, shape.normals))  # fmt: skip
    if len(corners) < len(shape.points) or min(len(along), len(out)) < len(shape.along):
        return None
    ring = np.array([*corners, corners[0]] if shape.closed else corners)
    return OutlineNumbers(ring, [*zip(along, out, strict=True)], turns(shape))


def overlaps(outline: OutlineNumbers) -> list[tuple[float, float]]:
    """How far each edge goes on below another that meets it inwards, at its start and its end.

    By half of the shorter of the two, and by half the way to where it would come out of the material again: beyond lies
    something else, or nothing, and the edge is not touched there.
    """
    x, axes, bend = outline
    sizes = norm(x[1:] - x[:-1], axis=1)

    def below(other: int, edge: int, corner: int, sign: float) -> float:
        if bend[corner % len(bend)] != "in":
            return 0.0
        t, n = axes[edge]
        out = crossings(dot(x - x[corner], t) * sign, dot(x - x[corner], n), ROUNDING * sizes[edge])
        out[[edge, other % len(axes)]] = math.inf
        return 0.5 * float(min(sizes[edge], sizes[other % len(axes)], out.min()))

    return [(below(i - 1, i, i, -1.0), below(i + 1, i, i + 1, 1.0)) for i in range(len(axes))]


def crossings(s: Array, height: Array, least: float) -> Array:
    """Where a ray crosses each edge, of corners at s along it and at a height over it; inf where it does not."""
    low, high = np.minimum(height[:-1], height[1:]), np.maximum(height[:-1], height[1:])
    level = high - low <= 2.0 * least
    share = np.clip(height[:-1] / np.where(level, 1.0, height[:-1] - height[1:]), 0.0, 1.0)
    along = np.where(level, np.minimum(s[:-1], s[1:]), s[:-1] + share * (s[1:] - s[:-1]))
    return np.where((low <= least) & (high >= -least) & (along > least), along, math.inf)


def clipped(size: float, s: Array, depth: Array) -> float:
    """The least depth of a segment, given by s and depth at its two ends, where 0 ≤ s ≤ size; −1 where nowhere."""
    slope = s[1] - s[0]
    if abs(slope) < ROUNDING * size:
        return float(depth.min()) if 0.0 < s[0] < size else -1.0
    low, high = sorted(((0.0 - s[0]) / slope, (size - s[0]) / slope))
    low, high = max(low, 0.0), min(high, 1.0)
    if low >= high:
        return -1.0
    return float(min(depth[0] + x * (depth[1] - depth[0]) for x in (low, high)))
