"""Friction under normal impulses that are given: what loses most energy.

    min ½ Λᵀ W Λ + Λᵀ v  over Λ_t with |Λ_t| ≤ μ Λ_n at each contact:   v_t⁺ = 0, or Λ_t = −μ Λ_n v_t⁺/|v_t⁺|

Convex, so that each projected step towards it loses energy: the result never has more than the start.
"""

from __future__ import annotations

import numpy as np

from latchwork.algebra.linear import singular_values
from latchwork.algebra.products import dot, norm
from latchwork.contact.impact.coulomb import Array

SWEEPS = 500
DONE = 1e-15


def rubbed(W: Array, v: Array, impulse: Array, mu: Array, rows: tuple[slice, ...]) -> Array:
    """Λ with the normal impulses of ``impulse`` and friction that loses most, from that of ``impulse`` on."""
    x = impulse.copy()
    tangents = [slice(r.start + 1, r.stop) for r in rows]
    steps = [float(singular_values(W[t, t])[0]) if t.start < t.stop else 0.0 for t in tangents]
    for _ in range(SWEEPS):
        before = x.copy()
        for r, t, m, weight in zip(rows, tangents, mu, steps, strict=True):
            if weight > 0.0:
                x[t] = nearest(x[t] - (v[t] + dot(W[t], x)) / weight, float(m * x[r.start]))
        if np.abs(x - before).max(initial=0.0) <= DONE * np.abs(x).max(initial=0.0):
            break
    return x


def nearest(x: Array, radius: float) -> Array:
    """The point of a disk nearest to x."""
    size = float(norm(x))
    return x if size <= radius else x * (radius / size)
