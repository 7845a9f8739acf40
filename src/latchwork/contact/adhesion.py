"""Adhesion: a contact that is closed pulls with a force up to a limit before it opens.

    0 ≤ λ_n + α ⊥ g̈ ≥ 0,    |λ_t| ≤ μ (λ_n + α)        [Derjaguin 1934: friction is in proportion to N + α]

It is a feature without a gap, closed with the one that adheres: an attraction α along the normal, beside which the
multiplier of the contact is λ_n + α ≥ 0. Where the contact opens, the attraction ends; it does no work, for nothing
moves along the normal while it acts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latchwork.contact.feature import Feature

ADHESION = ": adhesion"


def is_adhesion(feature: Feature) -> bool:
    """Whether a feature attracts what it is closed with."""
    return feature.closed_with is not None and feature.is_along_normal


def with_adhesion(features: Sequence[Feature], limit: Any) -> Sequence[Feature]:
    """Features, each followed by its attraction."""
    if isinstance(limit, float) and limit == 0.0:
        return features
    pairs = [(feature, attraction(feature)) if feature.closed_with is None else (feature,) for feature in features]
    return tuple(each for pair in pairs for each in pair)


def attraction(feature: Feature) -> Feature:
    """The attraction of a feature, along its normal."""
    return Feature(feature.name + ADHESION, feature.gap * 0.0, feature.normal, feature.on, feature.other,
                   feature.drift, closed_with=feature)  # fmt: skip
