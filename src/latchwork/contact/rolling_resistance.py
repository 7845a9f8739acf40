"""Friction that rolls and that turns: torques across the normal of a contact and about it, limited by its normal force.

    rolling    ω_t = 0,  |τ_t| ≤ ρ N        or   τ_t = −ρ N ω_t/|ω_t|
    pivoting   ω_n = 0,  |τ_n| ≤ σ N        or   τ_n = −σ N sign ω_n

ω is the angular velocity of a relative to b, ρ and σ are lengths: how far the normal force may stand off the place of
contact, and the lever of friction over a small patch (2/3 μ r of an even pressure on a disk of radius r).
[Johnson 1985, Contact Mechanics §8; Leine and Glocker 2003, Coulomb-Contensou friction]

Each is a feature without a gap, closed with the one that presses it: one row of friction, or two, whose limit is in
proportion to a normal force that is a multiplier of another row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from latchwork.contact.feature import Feature
from latchwork.contact.law import Coulomb
from latchwork.errors import ModelError
from latchwork.mechanics.frame import Frame

ROLLING, PIVOTING = ": rolling", ": pivoting"


def is_rolling(feature: Feature) -> bool:
    """Whether a feature resists turns across the normal, not about it."""
    return feature.name.endswith(ROLLING)


def is_nothing(length: Any) -> bool:
    return isinstance(length, float) and length == 0.0


def with_resistance(features: Sequence[Feature], law: Coulomb | None, a: Any, b: Any) -> Sequence[Feature]:
    """Features, each followed by what resists its turns."""
    if law is None or (is_nothing(law.rolling) and is_nothing(law.pivoting)):
        return features
    frames = frame_of(a), frame_of(b)
    return tuple(each for feature in features for each in (feature, *resistances(feature, law, *frames)))


def frame_of(shape: Any) -> Frame:
    """The frame that a shape turns with; a point does not turn."""
    found: Frame = getattr(shape, "frame", shape.tree.newtonian)
    return found


def resistances(feature: Feature, law: Coulomb, on: Frame, other: Frame) -> Iterator[Feature]:
    """What resists turns where a feature touches, about frames that turn against each other."""
    if on.angular_velocity(other).is_zero:
        return
    for suffix, length in ((ROLLING, law.rolling), (PIVOTING, law.pivoting)):
        if not is_nothing(length):
            yield Feature(feature.name + suffix, feature.gap * 0.0, feature.normal, on, other, closed_with=feature)


def must_be_few(name: str, law: Coulomb | None, adhesion: Any) -> None:
    """Refuse rolling, pivoting and adhesion where features come and go with what is near."""
    if not is_nothing(adhesion):
        raise ModelError(
            f"contact '{name}' is between two solids of many corners, and has an adhesion. How many places of them "
            "touch is not known before: leave adhesion= out, or give one of the two as balls."
        )
    if law is not None and not (is_nothing(law.rolling) and is_nothing(law.pivoting)):
        raise ModelError(
            f"contact '{name}' is between two solids of many corners, and has rolling or pivoting friction. Corners "
            "hold turns by where they stand: leave rolling= and pivoting= out, or give one of the two as a ball."
        )


def renamed_features(features: Sequence[Feature], old: str, name: str) -> tuple[Feature, ...]:
    """Features under the name of another contact, with those that press them."""
    made = {feature: replace(feature, name=name + feature.name.removeprefix(old)) for feature in features}
    return tuple(each if each.closed_with is None else replace(each, closed_with=made[each.closed_with])
                 for each in made.values())  # fmt: skip
