"""How a handle answers to a wrench: a = a_free + Λ⁻¹ (F, T), whatever mode the mechanism is in.

Accelerations are linear in a force that is held, with constraints and with sliding friction as without: seven of them,
for no wrench and for six of one unit, say all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.linear import svd
from latchwork.algebra.products import dot
from latchwork.realtime.devices.device import NULL, Triple

Array = NDArray[np.float64]
WRENCHES: tuple[tuple[Triple, Triple], ...] = (  # a force at the handle and a torque: none, then six of one unit
    (NULL, NULL),
    ((1.0, 0.0, 0.0), NULL), ((0.0, 1.0, 0.0), NULL), ((0.0, 0.0, 1.0), NULL),
    (NULL, (1.0, 0.0, 0.0)), (NULL, (0.0, 1.0, 0.0)), (NULL, (0.0, 0.0, 1.0)),
)  # fmt: skip
IMMOBILE = 1e-9  # of the largest mobility: a direction in which the handle cannot move


class Response(NamedTuple):
    """Acceleration and angular acceleration of a handle without the hand, and how a wrench changes them."""

    free: Array  # (a, α), six numbers
    mobility: Array  # Λ⁻¹ = J M⁻¹ Jᵀ, six by six; not symmetric where something slides


def force_for(response: Response, wanted: Triple, turning: Triple | None = None) -> tuple[Triple, Triple]:
    """Force and torque that give the handle an acceleration: Λ (a − a_free), the least where it cannot be had whole."""
    n = 3 if turning is None else 6
    missing = np.array([*wanted, *(turning or ())]) - response.free[:n]
    left, sizes, right = svd(response.mobility[:n, :n])  # friction makes it unsymmetric
    kept = sizes > IMMOBILE * sizes[0]
    x = dot(right[kept].T, dot(left.T[kept], missing) / sizes[kept]).tolist()
    return (x[0], x[1], x[2]), (NULL if turning is None else (x[3], x[4], x[5]))
