"""The metric of inputs, ‖r‖_W: what one of each is worth, so that the least of them does not depend on units.

    W^(1/2) = diag(1, ..., 1/κ, ...)        κ, some length, weighs forces with torques   [Aghili Eqs. 47, 48]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from latchwork.constraint.terms import Array, Base
from latchwork.control.tracks import name_of
from latchwork.errors import EvaluationError, ModelError


def length_metric(base: Base, x: Array, G: Array) -> Array:
    """W^(1/2) at x = (t, q, u, rest): forces beside torques by the longest part; G has a row for each input."""
    lengths = _speeds_of_lengths(base, x)
    forces = np.array([bool(np.any(row)) and not np.any(row[~lengths]) for row in G])
    kappa = _longest(base, x) if forces.any() and not forces.all() else 1.0
    return np.where(forces, 1.0 / kappa, 1.0)


def given_metric(name: str, inputs: Sequence[str], given: Mapping[Any, float]) -> Array:
    """W^(1/2) as it was given: what one of each input is worth."""
    values = {name_of(key): value for key, value in given.items()}
    if set(values) != set(inputs):
        raise ModelError(f"the metric of law '{name}' weighs {', '.join(values)}; it commands "
                         f"{', '.join(inputs)}. Give a positive number for each.")  # fmt: skip
    try:
        weight = np.array([float(values[each]) for each in inputs])
    except (TypeError, ValueError):
        weight = np.array([np.nan])
    if not (np.isfinite(weight).all() and (weight > 0.0).all()):
        raise ModelError(f"the metric of law '{name}' is {values}. Give positive numbers.")
    return weight


def _speeds_of_lengths(base: Base, x: Array) -> np.ndarray:
    """Which speeds move only coordinates that are lengths."""
    W = np.abs(base.spread(x).reshape(len(base.equations.q), -1))
    turning = W[~base.lengths].any(axis=0) if (~base.lengths).any() else np.zeros(W.shape[1], dtype=bool)
    return np.asarray(~turning & W.any(axis=0))


def _longest(base: Base, x: Array) -> float:
    """The longest way from one point of a body to the next, in any unit."""
    sizes = base.offsets.sizes(x)
    found = float(np.max(sizes, initial=0.0))
    if not found > 0.0:
        raise EvaluationError(f"forces and torques of '{base.equations.name}' cannot be weighed: nothing in it has a "
                              "length. Give the law a metric={input: worth}.")  # fmt: skip
    return found
