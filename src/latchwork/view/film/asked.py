"""What is asked of a picture or a film, checked: size, time, pictures per second, speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from latchwork.errors import EvaluationError

Array = np.ndarray
FPS = 30.0
SIZE = (640, 480)
STRIP = (1200, 680)
LEAST, MOST = 120, 4096  # pixels of a side
SPEEDS = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # as the page offers
SHORT, LONG = 2.0, 30.0  # seconds that a film lasts, where no speed is given


def sized(size: Any, usual: tuple[int, int]) -> tuple[int, int]:
    """Width and height in pixels."""
    if size is None:
        return usual
    sides = size if isinstance(size, Sequence) and not isinstance(size, str) else ()
    if len(sides) != 2 or not all(isinstance(side, int) and LEAST <= side <= MOST for side in sides):
        raise EvaluationError(
            f"a picture is from {LEAST} to {MOST} pixels wide and high; got size={size!r}. For example size={usual}."
        )
    return sides[0], sides[1]


def positive(name: str, value: float | None, usual: float) -> float:
    """A number above zero."""
    if value is None:
        return usual
    if not (isinstance(value, int | float | np.number) and math.isfinite(value) and value > 0):
        raise EvaluationError(f"{name} of a film is a number above zero; got {value!r}. For example {name}={usual:g}.")
    return float(value)


def usual_speed(length: float) -> float:
    """As the page chooses it: nearest to 1, so that the film lasts from 2 to 30 seconds, or nearly so."""

    def off(speed: float) -> float:
        lasts = length / speed
        return max(SHORT / max(lasts, 1e-300), lasts / LONG, 1.0)

    return min(SPEEDS, key=lambda speed: (off(speed), abs(math.log(speed))))


def film_times(t: Array, fps: float, speed: float) -> Array:
    """``t_k = t_0 + k · speed / fps``, to the end of the run."""
    count = math.floor((t[-1] - t[0]) * fps / speed + 1e-9) + 1
    return np.minimum(t[0] + np.arange(count) * (speed / fps), t[-1])


def instant(t: Array, at: Any) -> float:
    """A time of the run."""
    if not (isinstance(at, int | float | np.number) and t[0] <= at <= t[-1]):
        raise EvaluationError(
            f"the run has no picture at {at!r}: it lasts from t = {t[0]:.6g} to {t[-1]:.6g}. Give at= a time within."
        )
    return float(at)
