"""Polygons in convex parts: the polygon itself, or triangles by cutting off ears."""

from __future__ import annotations

import numpy as np

Array = np.ndarray
MAX_CORNERS = 200  # corners of a polygon that is cut up; one with more is left to its features
STRAIGHT = 1e-9  # of a squared size: a corner that turns by less goes straight on


def is_convex(x: Array, k: Array) -> bool:
    """Whether a closed polygon (n, 3) about an axis k turns one way only."""
    turns = _turns(x, k)
    return bool((turns >= -_least(x)).all() or (turns <= _least(x)).all())


def convex_parts(x: Array, k: Array) -> list[Array]:
    """Convex polygons that make up a simple one; none where it has too many corners to be cut up."""
    if is_convex(x, k):
        return [x]
    if len(x) > MAX_CORNERS:
        return []
    left = list(range(len(x))) if _area(x, k) > 0.0 else list(range(len(x)))[::-1]
    parts, least = [], _least(x)
    while len(left) > 3:
        turns = [_about(x[left[i - 1]], x[left[i]], x[left[(i + 1) % len(left)]], k) for i in range(len(left))]
        straight = next((i for i, turn in enumerate(turns) if abs(turn) <= least), None)
        if straight is not None:  # nothing is cut off with it
            del left[straight]
            continue
        ear = next((i for i, turn in enumerate(turns) if turn > 0.0 and _is_ear(x, k, left, i)), None)
        if ear is None:
            return []
        parts.append(x[[left[ear - 1], left[ear], left[(ear + 1) % len(left)]]])
        del left[ear]
    parts.append(x[left])
    return [part for part in parts if abs(float(_turns(part, k)[0])) > least]


def _least(x: Array) -> float:
    return STRAIGHT * float(np.ptp(x, axis=0).max()) ** 2


def _area(x: Array, k: Array) -> float:
    """Twice the area of a polygon, positive where it turns about k: Σ x_i × x_{i+1}."""
    from_first = x - x[0]
    return float((np.cross(from_first, np.roll(from_first, -1, axis=0)) * k).sum())


def _turns(x: Array, k: Array) -> Array:
    """Twice the area of the triangle at each corner, positive where it turns about k."""
    before, ahead = x - np.roll(x, 1, axis=0), np.roll(x, -1, axis=0) - x
    found: Array = (np.cross(before, ahead) * k).sum(axis=1)
    return found


def _is_ear(x: Array, k: Array, left: list[int], i: int) -> bool:
    """Whether a corner that sticks out of what is left has no other corner in its triangle, nor on the side of it."""
    a, b, c = left[i - 1], left[i], left[(i + 1) % len(left)]
    others, least = [j for j in left if j not in (a, b, c)], -_least(x)
    return not any(min(_about(x[p], x[q], x[j], k) for p, q in ((a, b), (b, c), (c, a))) >= least for j in others)


def _about(a: Array, b: Array, c: Array, k: Array) -> float:
    return float((np.cross(b - a, c - b) * k).sum())
