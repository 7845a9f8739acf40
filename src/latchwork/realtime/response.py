"""How a handle answers to a wrench: a = a_free + Λ⁻¹ (F, T), whatever mode the mechanism is in.

Accelerations are linear in a force that is held, with constraints and with sliding friction as without: seven of them,
for no wrench and for six of one unit, say all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.realtime.devices.device import NULL, Triple

Array = NDArray[np.float64]
SMALL = 1e-9  # of the largest mobility: a direction in which the handle cannot move


class Response(NamedTuple):
    """Acceleration and angular acceleration of a handle without the hand, and how a wrench changes them."""

    free: Array  # (a, α), six numbers
    mobility: Array  # Λ⁻¹ = J M⁻¹ Jᵀ, six by six


def probed(accelerate: Callable[[Triple, Triple], tuple[Triple, Triple]]) -> Response:
    """The response from accelerations (a, α) under a force at the handle and a torque, seven times asked."""
    free = _flat(accelerate(NULL, NULL))
    columns = [_flat(accelerate(*_unit(k))) - free for k in range(6)]
    return Response(free, np.column_stack(columns))


def force_for(response: Response, wanted: Triple, turning: Triple | None = None) -> tuple[Triple, Triple]:
    """Force and torque that give the handle an acceleration: Λ (a − a_free), the least where it cannot be had whole."""
    n = 3 if turning is None else 6
    missing = np.array([*wanted, *(turning or ())]) - response.free[:n]
    values = np.linalg.pinv(response.mobility[:n, :n], rcond=SMALL, hermitian=True) @ missing
    x = values.tolist()
    return (x[0], x[1], x[2]), (NULL if turning is None else (x[3], x[4], x[5]))


def _flat(motion: tuple[Triple, Triple]) -> Array:
    return np.array([*motion[0], *motion[1]])


def _unit(k: int) -> tuple[Triple, Triple]:
    x = [0.0] * 6
    x[k] = 1.0
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])
