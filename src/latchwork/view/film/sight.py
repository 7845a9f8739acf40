"""How a scene is seen: along an axis, as large as its room allows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray
THIN = 0.02  # of the size of the scene: what is thinner is seen as if it were that thick
APART = 90.0  # pixels at least between lines of the grid


@dataclass(frozen=True)
class Room:
    """A rectangle of a sheet, in pixels from its upper left corner."""

    x: float
    y: float
    wide: float
    high: float


@dataclass(frozen=True)
class Sight:
    """An orthographic view: ``(x, y) = middle of the room ± scale · (p - middle of the scene) · (right, up)``."""

    room: Room
    middle: Array
    axes: Array  # (2, 3): to the right and upwards
    scale: float  # pixels of a unit of length

    def screen(self, places: Array) -> Array:
        """(..., 2) of (..., 3)."""
        center = np.array([self.room.x + self.room.wide / 2, self.room.y + self.room.high / 2])
        return center + (places - self.middle) @ self.axes.T * [self.scale, -self.scale]

    @property
    def step(self) -> float:
        """The distance of lines of the grid: 1, 2 or 5 of a power of ten."""
        raw = APART / self.scale
        ten = 10.0 ** math.floor(math.log10(raw))
        return next((k * ten for k in (1, 2, 5, 10) if k * ten >= raw), raw)


def sight(scene: Mapping[str, Any], room: Room, margin: tuple[float, float] = (90.0, 80.0)) -> Sight:
    """All of a scene, with a margin around it."""
    low, high = np.array(scene["box"])
    axes = np.eye(3)[["xyz".index(letter) for letter in scene["view"]]]
    span = np.maximum(axes @ (high - low), THIN * max(float((high - low).max()), 1e-12))
    free = np.maximum([room.wide - margin[0], room.high - margin[1]], 1.0)
    return Sight(room, (low + high) / 2, axes, max(float((free / span).min()), 1e-9))
