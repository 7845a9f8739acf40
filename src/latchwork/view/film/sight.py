"""How a scene is seen: from where, as large as its room allows.

    c = A (p − middle),   (x, y) = centre ± scale · (c_x, c_y) / (1 − c_z/D)

A has rows to the right, upwards and towards the eye, which is D away; planar mechanisms are seen from infinity. The
same is in ``draw.js``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.view.mechanism import axes_of

Array = np.ndarray
THIN = 0.02  # of the size of the scene: what is thinner is seen as if it were that thick
APART = 90.0  # pixels at least between lines of the grid
BEHIND = 0.02  # of D: what is nearer to the eye than this is not seen


@dataclass(frozen=True)
class Room:
    """A rectangle of a sheet, in pixels from its upper left corner."""

    x: float
    y: float
    wide: float
    high: float


@dataclass(frozen=True)
class Sight:
    """A camera with its room on the sheet."""

    room: Room
    middle: Array
    axes: Array  # (3, 3): to the right, upwards, and towards the eye
    scale: float  # pixels of a unit of length in the middle
    eye: float = 0.0  # 1/D
    shift: tuple[float, float] = (0.0, 0.0)  # pixels

    @property
    def center(self) -> Array:
        """Where the middle of the scene is, in pixels."""
        x, y = self.shift
        return np.array([self.room.x + self.room.wide / 2 + x, self.room.y + self.room.high / 2 + y])

    def screen(self, places: Array) -> Array:
        """(..., 2) of (..., 3)."""
        c = (places - self.middle) @ self.axes.T
        nearer = np.maximum(1.0 - c[..., 2:] * self.eye, BEHIND)
        return np.asarray(self.center + c[..., :2] / nearer * [self.scale, -self.scale])

    def camera(self, times: float = 1.0, corner: tuple[float, float] = (0.0, 0.0)) -> Array:
        """Axes, middle, centre, scale and 1/D one after the other, for kernels, on a sheet so many times as fine."""
        center = (self.center - np.array(corner)) * times
        return np.concatenate([self.axes.ravel(), self.middle, center, [self.scale * times, self.eye]])

    @property
    def step(self) -> float:
        """The distance of lines of the grid: 1, 2 or 5 of a power of ten."""
        return round_step(APART / self.scale)


def round_step(least: float) -> float:
    """1, 2 or 5 of a power of ten, not below something."""
    ten = 10.0 ** math.floor(math.log10(least))
    return next((k * ten for k in (1, 2, 5, 10) if k * ten >= least), least)


def turned(axes: Array, a: float, b: float) -> Array:
    """Axes of a view turned by a about what points up, then by b about what points right."""
    right, up, out = axes
    c, s, d, e = math.cos(a), math.sin(a), math.cos(b), math.sin(b)
    out, right = c * out - s * right, c * right + s * out
    return np.array([right, d * up - e * out, d * out + e * up])


def sight(scene: Mapping[str, Any], room: Room, margin: tuple[float, float] = (90.0, 80.0),
          middle: Array | None = None) -> Sight:  # fmt: skip
    """All of a scene, with a margin around it; or as large, about another middle."""
    low, high = np.array(scene["box"])
    right, up = axes_of(scene["view"])
    axes = turned(np.array([right, up, np.cross(right, up)]), *scene["turn"])
    center, eye = (low + high) / 2, float(scene["eye"])
    corners = (np.array(list(itertools.product(*zip(low, high, strict=True)))) - center) @ axes.T
    flat = corners[:, :2] / np.maximum(1.0 - corners[:, 2:] * eye, BEHIND)
    least, most = flat.min(axis=0), flat.max(axis=0)
    span = np.maximum(most - least, THIN * max(float((high - low).max()), 1e-12))
    free = np.maximum([room.wide - margin[0], room.high - margin[1]], 1.0)
    scale = max(float((free / span).min()), 1e-9)
    x, y = -(least + most) / 2 * scale
    return Sight(room, center if middle is None else middle, axes, scale, eye, (float(x), -float(y)))
