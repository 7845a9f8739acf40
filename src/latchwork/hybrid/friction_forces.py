"""Friction of joints along a run: what it exerts while it slides, which no multiplier tells.

    λ = −dynamic d,   d the sign of the rate

Sticking, it has a row, and λ is its multiplier.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.constraint.embedded.slider import ENFORCED
from latchwork.constraint.rows import Rows, rows_of
from latchwork.constraint.terms import Array
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact
from latchwork.hybrid.mode_equations import Held
from latchwork.hybrid.path import Stage
from latchwork.hybrid.trajectory import Samples


class SlidingFriction(NamedTuple):
    """The friction of a joint that slides in a stage: its feature, and λ at some samples."""

    feature: Feature
    lam: Array


def rated(contacts: Sequence[Contact]) -> dict[str, Feature]:
    """The features that are about rates of joints, and resist them, by name."""
    return {feature.name: feature for contact in contacts if contact.friction is not None
            for feature in contact.features if feature.rate is not None}  # fmt: skip


def sliding_friction(samples: Samples, stage: Stage, here: NDArray[np.intp]) -> Iterator[SlidingFriction]:
    """Friction of joints that slide in a stage, at samples that were made in it."""
    if not isinstance(stage, Held):
        return
    known = rated(samples.contacts)
    sliders = [slider for slider in stage.mode.sliders if slider.row == ENFORCED and slider.name in known]
    if not sliders:
        return
    t = np.ravel(samples.t)[here]
    x = samples.x.reshape(np.size(samples.t), -1)[here, :-1]
    full = np.column_stack([t, x, samples.driven.rest_at(samples.rest, t)])
    for slider in sliders:
        limit = np.full(len(here), slider.mu) if isinstance(slider.mu, float) else slider.mu.many(full)[:, 2]
        yield SlidingFriction(known[slider.name], -slider.way[0] * limit)


def friction_rows(samples: Samples, feature: Feature) -> Rows:
    """The row of the rate of a joint."""
    pull = Pull(feature.normal, feature.on, feature.other) if feature.has_wrench else None
    assert feature.rate is not None, "only what is about a rate has such a row"
    return rows_of(samples.equations, [Constraint(feature.name, [feature.rate], [pull])])
