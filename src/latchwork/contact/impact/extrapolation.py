"""Smooth differential equations to rounding: modified midpoints extrapolated to zero step (Gragg, Bulirsch, Stoer)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Array = np.ndarray
Rate = Callable[[Array], Array]

PARTS = (2, 4, 6, 8, 10, 12)


def midpoints(rate: Rate, y: Array, first: Array, step: float, parts: int) -> Array:
    """``parts`` midpoint steps, smoothed: its error has even powers of the small step only."""
    h = step / parts
    before, here = y, y + h * first
    for _ in range(parts - 1):
        before, here = here, before + 2.0 * h * rate(here)
    return 0.5 * (before + here + h * rate(here))


def extrapolated(rate: Rate, y: Array, step: float) -> tuple[Array, float]:
    """y one step on, of order 12, and how far the last two extrapolations are apart, relative to y or to one."""
    first = rate(y)
    row: list[Array] = []
    for i, parts in enumerate(PARTS):
        fresh = [midpoints(rate, y, first, step, parts)]
        for j in range(i):
            ratio = parts / PARTS[i - 1 - j]
            fresh.append(fresh[j] + (fresh[j] - row[j]) / (ratio * ratio - 1.0))
        row = fresh
    return row[-1], float(np.max(np.abs(row[-1] - row[-2]) / np.maximum(1.0, np.abs(row[-1]))))
