"""Which corners of an outline stick out, and how deep the material behind each edge is: with numbers, once."""

from __future__ import annotations

import numpy as np

from latchwork.algebra.products import dot
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
    """Half the way from each edge back to the nearest other edge behind it; None where there is none."""
    first, frame = shape.points[0], shape.frame
    corners = [numbers(frame, point.position(first)) for point in shape.points]
    if any(corner is None for corner in corners):
        return [None] * len(shape.along)
    x = np.array([*corners, corners[0]] if shape.closed else corners)
    axes = [(numbers(frame, t), numbers(frame, n)) for t, n in zip(shape.along, shape.normals, strict=True)]
    m = len(shape.along)
    found: list[float | None] = []
    for i, (t, n) in enumerate(axes):
        assert t is not None
        assert n is not None
        others = [j for j in range(m) if abs(j - i) not in ((0, 1, m - 1) if shape.closed else (0, 1))]
        size = float(dot(x[i + 1] - x[i], t))
        behind = [clipped(size, dot(x[j : j + 2] - x[i], t), dot(-(x[j : j + 2] - x[i]), n)) for j in others]
        near = [depth for depth in behind if depth > ROUNDING * size]
        found.append(0.5 * min(near) if near else None)
    return found


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
