"""Forces along a run that no multiplier tells: friction of joints and of turns while they slide, and adhesion.

    λ = −limit d,   d the sign of the rate;    τ = −ρ N ω_t/|ω_t|,  −σ N sign ω_n;    −α n

Sticking, they have rows, and λ are their multipliers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.constraint.embedded.slider import ENFORCED, Slider
from latchwork.constraint.rows import Rows, rows_of
from latchwork.constraint.terms import Array
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact
from latchwork.contact.rolling_resistance import is_rolling
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.trajectory import Samples
from latchwork.mechanics.vector import Vector


class SlidingFriction(NamedTuple):
    """Friction that slides in a mode: its feature, and λ along its rows at some samples, (samples, rows)."""

    feature: Feature
    lam: Array


def without_gap(contacts: Sequence[Contact]) -> dict[str, Feature]:
    """The features that resist rates of joints, or go with others, by name."""
    both = [(feature, contact.friction is not None) for contact in contacts for feature in contact.features]
    return {feature.name: feature for feature, rough in both
            if feature.closed_with is not None or (feature.rate is not None and rough)}  # fmt: skip


def sliding_friction(samples: Samples, dynamics: ModeDynamics, here: NDArray[np.intp],
                     lam: Array) -> Iterator[SlidingFriction]:  # fmt: skip
    """Friction without a normal row that slides in a mode, at samples that were made in it; λ of all rows there."""
    if not isinstance(dynamics, Recombined):
        return
    known = without_gap(samples.contacts)
    sliders = [slider for slider in dynamics.mode.sliders if slider.name in known]
    if not sliders:
        return
    t = np.ravel(samples.t)[here]
    x = samples.x.reshape(np.size(samples.t), -1)[here, :-1]
    full = np.column_stack([t, x, samples.driven.rest_at(samples.rest, t)])
    for slider in sliders:
        feature = known[slider.name]
        limit = np.full(len(here), slider.mu) if isinstance(slider.mu, float) else slider.mu.many(full)[:, 2]
        pressed = limit if slider.row == ENFORCED else limit * lam[:, slider.row]
        yield SlidingFriction(feature, -pressed[:, None] * _direction(samples, feature, slider, here))


def _direction(samples: Samples, feature: Feature, slider: Slider, here: NDArray[np.intp]) -> Array:
    """The direction of slip along the rows of a feature: a sign; of what rolls, a unit vector in N."""
    if not is_rolling(feature):
        return np.full((len(here), 1), slider.slip[0])
    omega = np.column_stack([np.broadcast_to(np.ravel(samples[part]), np.size(samples.t))[here]
                             for part in _across(feature).measures(feature.normal.tree.newtonian)])  # fmt: skip
    size = np.sqrt((omega * omega).sum(axis=1))
    found: Array = omega / np.where(size > 0.0, size, 1.0)[:, None]
    return found


def _across(feature: Feature) -> Vector:
    """The angular velocity across the normal."""
    return feature.slip - feature.normal * feature.slip.dot(feature.normal)


def friction_rows(samples: Samples, feature: Feature) -> Rows:
    """The row of a rate; of what rolls, of all three of its angular velocity in N."""
    N = feature.normal.tree.newtonian
    axes = (N.x, N.y, N.z) if is_rolling(feature) else (feature.normal,)
    rates = [feature.slip.dot(axis) for axis in axes] if feature.rate is None else [feature.rate]
    pulls = [Pull(axis, feature.on, feature.other) if feature.has_wrench else None for axis in axes]
    return rows_of(samples.equations, [Constraint(feature.name, rates, pulls)])
