"""Constant rotations and poses, as numbers. Quarter turns are exact, so that zeros of a robot stay zeros."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal

import numpy as np
from numpy.typing import NDArray

from latchwork.program.elementary.inverse_trigonometric import atan2
from latchwork.program.sincos import cos, sin

Array = NDArray[np.float64]

EXACT = 6e-12  # radians: files write π/2 with eleven digits or so
NOISE = 1e-13  # what is left of a zero after some arithmetic, for numbers of order one
TWO, FINEST = Decimal("0.01"), Decimal("1e-15")  # units of the last decimal of an angle that is cut
QUARTERS = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))


def cos_sin(angle: float) -> tuple[float, float]:
    """cos and sin, exact at whole quarter turns."""
    quarters = round(angle / (math.pi / 2))
    if abs(angle - quarters * (math.pi / 2)) < EXACT:
        return QUARTERS[quarters % 4]
    return cos(angle), sin(angle)


def meant(word: str) -> float:
    """An angle as a file writes it; whole quarter turns that are cut or rounded to two decimals or more (1.57, 1.5708)
    are meant to be such."""
    value, written = float(word), Decimal(word)
    quarters = round(value / (math.pi / 2))
    unit = Decimal((0, (1,), int(written.as_tuple().exponent)))
    near = Decimal(abs(quarters) * (math.pi / 2))
    cut = {near.quantize(unit, way) for way in (ROUND_DOWN, ROUND_HALF_EVEN)} if TWO >= unit >= FINEST else set()
    return quarters * (math.pi / 2) if abs(written) in cut else value


def turn(axis: int, angle: float) -> Array:
    """R of a turn about coordinate axis 0, 1 or 2: a_parent = R a_child."""
    c, s = cos_sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[j, i], R[i, j] = s, -s
    return R


def turns(sequence: str, angles: Sequence[float]) -> Array:
    """Body-fixed turns, e.g. "zyx"; upper case letters turn about the axes of the parent."""
    R = np.eye(3)
    for letter, angle in zip(sequence, angles, strict=True):
        step = turn("xyz".index(letter.lower()), angle)
        R = step @ R if letter.isupper() else R @ step
    return R


def roll_pitch_yaw(angles: Sequence[float]) -> Array:
    """R = Rz(yaw) Ry(pitch) Rx(roll), URDF's rpy."""
    return turns("XYZ", angles)


def quaternion(e: Sequence[float]) -> Array:
    """R of Euler parameters, scalar first, of any length but zero."""
    w, x, y, z = np.asarray(e, dtype=float) / np.linalg.norm(e)
    R = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return snapped(np.array(R))


def about(axis: Sequence[float], angle: float) -> Array:
    """R of a turn about any axis: c U + s [λ×] + (1 - c) λ λᵀ."""
    x, y, z = unit = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    c, s = cos_sin(angle)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return snapped(c * np.eye(3) + s * cross + (1 - c) * np.outer(unit, unit))


def z_to(axis: Sequence[float] | Array) -> Array:
    """The shortest rotation that takes z to an axis."""
    x, y, z = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    if math.hypot(x, y) < EXACT:
        return turn(0, 0.0 if z > 0 else math.pi)
    return about((-y, x, 0.0), atan2(math.hypot(x, y), float(z)))


def snapped(a: Array) -> Array:
    """A rotation or unit vector without the noise: zeros are zeros, and what stands alone in a column is ±1."""
    a = np.where(np.abs(a) < EXACT, 0.0, a)
    alone = np.count_nonzero(a, axis=0) == 1
    return np.where(alone & (a != 0.0), np.sign(a), a)


def without_noise(a: Array, size: float = 1.0) -> Array:
    """Numbers of some size without what is left of zeros."""
    return np.where(np.abs(a) <= NOISE * size, 0.0, a)


def is_permutation(R: Array) -> bool:
    """Whether a rotation only exchanges axes."""
    return bool(np.isin(R, (-1.0, 0.0, 1.0)).all())


@dataclass(frozen=True, eq=False)
class Pose:
    """Where a frame is in another: ``a_outer = R a_inner + p``."""

    R: Array = field(default_factory=lambda: np.eye(3))
    p: Array = field(default_factory=lambda: np.zeros(3))

    def __matmul__(self, inner: Pose) -> Pose:
        return Pose(snapped(self.R @ inner.R), without_noise(self.R @ inner.p + self.p))

    @property
    def inverse(self) -> Pose:
        return Pose(self.R.T, without_noise(-self.R.T @ self.p))
