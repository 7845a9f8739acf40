"""What outlines are made of: lines and patches in the axes of a frame, from a point, with numbers of one instant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.hybrid.trajectory import Samples
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.view.mesh import Mesh

Array = np.ndarray
ROUND = np.linspace(0.0, 2.0 * np.pi, 49)
STROKE = 0.018  # of the size of the scene: strokes behind a wall, and the distance between them
MOST_STROKES = 400
THICK = 0.03  # of the size of the scene


@dataclass(frozen=True)
class Part:
    """A piece of an outline: a filled ``"face"``, a line (``"edge"``), thin strokes (``"hatch"``), a faint ``"net"`` of
    them, or a ``"ball"``.

    Strokes are pairs of places, one pair after the other. A ball is its middle, and a place as far as its radius.
    """

    kind: str
    places: Array  # (places, 3)


@dataclass(frozen=True)
class Outline:
    """Parts in the axes of a frame, from a point; and the solid that they are the outline of, if it is one."""

    at: Point
    frame: Frame
    parts: tuple[Part, ...]
    endless: bool = False
    solid: Mesh | None = None
    color: str = ""  # its own, or as its body is coloured
    body: str = ""  # whose it is, where neither point nor frame tell


@dataclass(frozen=True)
class Measured:
    """Numbers at one instant, for shapes: the picture's size and room, and the axis of N that stands across it."""

    samples: Samples
    size: float
    across: Vector
    box: tuple[Array, Array] | None = None  # the room of what has an end, in N
    walls: tuple[tuple[Array, Array], ...] = ()  # a place and the normal, in N, of each line that stands without end

    def number(self, value: Any) -> float:
        return float(self.samples[value]) if isinstance(value, Expr) else float(value)

    @property
    def thick(self) -> float:
        """How thick what is flat is drawn."""
        return THICK * self.size

    def local(self, frame: Frame, *vectors: Vector) -> list[Array]:
        """Measures of vectors in a frame."""
        found = self.samples.each(frame, *vectors)
        return [found[0].T @ v for v in found[1:]]


def around(axis: Array) -> tuple[Array, Array]:
    """Two unit vectors across an axis and each other."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    return first, np.cross(axis, first)


def ring(axis: Array, radius: float, start: Array | None = None, angles: Array = ROUND) -> Array:
    """Places on a circle about an axis through the origin, by angle from a direction."""
    first, second = around(axis) if start is None else (start, np.cross(axis, start))
    return radius * (np.cos(angles)[:, None] * first + np.sin(angles)[:, None] * second)


def across(middle: Array, half: Array) -> Array:
    """The two ends of a line by its middle."""
    return np.array([middle - half, middle + half])


def behind(places: Array, way: Array, m: Measured) -> Part:
    """Short strokes at even distances on the side where the material is, slanting as draughtsmen do."""
    lengths = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1)))
    stroke = STROKE * m.size
    count = int(np.clip(lengths[-1] / stroke, 2, MOST_STROKES))
    at = np.linspace(0.5, count - 0.5, count) * lengths[-1] / count
    sides = np.broadcast_to(way, places.shape)
    feet, ways, along = (_between(at, lengths, rows) for rows in (places, sides, np.gradient(places, axis=0)))
    along /= np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
    return Part("hatch", np.stack([feet, feet + stroke * (ways - 0.8 * along)], axis=1).reshape(-1, 3))


def _between(at: Array, lengths: Array, rows: Array) -> Array:
    return np.column_stack([np.interp(at, lengths, rows[:, k]) for k in range(3)])
