"""Impulses without friction: the nearest point of a cone, exactly, by active sets (Lawson and Hanson 1974).

    0 ≤ x ⟂ W x + b ≥ 0,   W = AᵀA positive semi-definite:   min |A x + c|² over x ≥ 0,   Aᵀc = b

It has a solution wherever b is in the range of W, and finds it in finitely many steps, also where W is singular.
"""

from __future__ import annotations

import numpy as np

from latchwork.algebra.linear import eigh, lstsq
from latchwork.algebra.products import dot

Array = np.ndarray

CUT = 1e-13
SMALL = 1e-12


def roots(W: Array, b: Array) -> tuple[Array, Array]:
    """A and c."""
    values, vectors = eigh(W)
    keep = values > CUT * max(values[-1], 0.0)
    part, root = vectors[:, keep], np.sqrt(values[keep])
    c = dot(part.T, b) / root
    return (part * root).T, c


def nonnegative(W: Array, b: Array) -> Array:
    """x, for W whose diagonal is of order one; the best there is where none is exact."""
    return nearest_in_cone(*roots(W, b), float(np.abs(b).max(initial=0.0)))


def nearest_in_cone(A: Array, c: Array, size: float = 1.0) -> Array:
    """x ≥ 0 with the least |A x + c|; slopes below rounding of ``size`` are none."""
    x, free = np.zeros(A.shape[1]), np.zeros(A.shape[1], dtype=bool)
    for _ in range(10 * len(x) + 10):
        slope = dot(A.T, dot(A, x) + c)
        wanted = np.where(free, 0.0, slope)
        if wanted.min(initial=0.0) >= -SMALL * size:
            break
        free[int(np.argmin(wanted))] = True
        x = stepped(A, c, x, free)
    return x


def stepped(A: Array, c: Array, x: Array, free: Array) -> Array:
    """The least over the free ones; those that would turn negative are freed no longer, one after the other."""
    while free.any():
        z = np.zeros(len(x))
        z[free] = lstsq(A[:, free], -c, 1e-12)
        falls = free & (z < 0.0)
        if not falls.any():
            return z
        share = np.min(x[falls] / (x[falls] - z[falls]))
        x = x + share * (z - x)
        free &= ~(falls & (x <= SMALL * np.abs(x).max(initial=0.0)))
        x = np.where(free, np.maximum(x, 0.0), 0.0)
    return np.zeros(len(x))
