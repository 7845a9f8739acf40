"""Directions evenly around a circle."""

from __future__ import annotations

from functools import cache

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.program.sincos import sincos


@cache
def all_round(n: int) -> Array:
    """n unit vectors as rows, the first along the first tangent; read-only."""
    turned = [sincos(i * (2.0 * np.pi / n)) for i in range(n)]
    found = np.array([(c, s) for s, c in turned])
    found.setflags(write=False)
    return found
