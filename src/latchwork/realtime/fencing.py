"""A fence that is drawn while a mechanism runs: a thin wall along a polyline, which chosen shapes must not pass."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from latchwork.algebra.products import dot
from latchwork.contact.shapes import Segment
from latchwork.errors import EvaluationError
from latchwork.realtime.exhibit import AXES, Exhibit
from latchwork.realtime.stepped import Stepped

MOST_EDGES = 8
NAME = "fence"
Pairs = Sequence[tuple[float, float]]


def simplified(points: Pairs) -> list[tuple[float, float]]:
    """A polyline of at most MOST_EDGES edges: corners are added where it is farthest off (Douglas and Peucker)."""
    p = np.asarray(points, dtype=float)
    p = p[np.append(True, (np.abs(np.diff(p, axis=0)) > 0.0).any(axis=1))]
    if len(p) < 2:
        raise EvaluationError("the fence is a single point. Draw a line.")
    kept = [0, len(p) - 1]
    size = float(np.ptp(p, axis=0).max())
    while len(kept) <= MOST_EDGES:
        off = [(_farthest(p, i, j), i) for i, j in pairwise(kept)]
        (distance, corner), _ = max(off)
        if distance <= 1e-2 * size:
            break
        kept = sorted([*kept, corner])
    return [(float(a), float(b)) for a, b in p[kept]]


def _farthest(p: np.ndarray, i: int, j: int) -> tuple[float, int]:
    """How far the points between two corners are from the line that joins them, and which is farthest."""
    if j - i < 2:
        return 0.0, i
    along, between = p[j] - p[i], p[i + 1 : j] - p[i]
    s = np.clip(dot(between, along) / max(float(dot(along, along)), 1e-300), 0.0, 1.0)
    aside = between - s[:, None] * along
    off = np.sqrt(aside[:, 0] * aside[:, 0] + aside[:, 1] * aside[:, 1])
    k = int(np.argmax(off))
    return float(off[k]), i + 1 + k


def put_up(sim: Stepped, exhibit: Exhibit, corners: Pairs, number: int) -> None:
    """Put a fence up along straight edges; where any part is refused, whoever asked puts all back as it was."""
    if not exhibit.fence:
        raise EvaluationError(f"nothing in '{exhibit.model.name}' is stopped by a fence. Choose another mechanism.")
    N, O = exhibit.model.frame, exhibit.model.origin
    a, b = (dict(zip(AXES, (N.x, N.y, N.z), strict=True))[axis] for axis in exhibit.view)
    points = [O.at(f"{NAME} {number}.{i}", x * a + y * b) for i, (x, y) in enumerate(corners)]
    for k, shape in enumerate(exhibit.fence):
        for i, (p, q) in enumerate(pairwise(points)):
            name = f"{NAME} {i + 1}" if len(exhibit.fence) == 1 else f"{NAME} {i + 1} of {k + 1}"
            sim.contact(name, shape, Segment(p, q), **exhibit.fence_laws)


def take_down(sim: Stepped) -> None:
    """Take away what stands of a fence."""
    contacts = [contact.name for contact in sim.state.contacts.members]
    for name in contacts:
        if name.startswith(f"{NAME} "):
            sim.remove(name)
