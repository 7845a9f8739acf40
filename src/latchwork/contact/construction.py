"""A contact from what a user gives: two shapes, restitution, friction and a law of impact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from latchwork.constraint.joints.sides import kinds
from latchwork.contact.adhesion import with_adhesion
from latchwork.contact.closest_point.tracked_feature import further
from latchwork.contact.feature import Feature
from latchwork.contact.impact.resolution import LAWS
from latchwork.contact.law import Contact, Zones, adhesion_of, coulomb_of, each, restitution_of
from latchwork.contact.narrow_phase.convex_pairs import EAGER, Picker, picker_of
from latchwork.contact.narrow_phase.pairs import features_of, must_be_of_one_model
from latchwork.contact.rolling_resistance import must_be_few, renamed_features, with_resistance
from latchwork.contact.shapes.base import ROUNDING, numeric
from latchwork.errors import ModelError, another, did_you_mean, must_be_name
from latchwork.mechanics.point import longest_offset
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph


class FixedApart(ModelError):
    """Two shapes whose gap nothing can change: they never touch, or always do."""


def must_name_contact(name: Any) -> None:
    """Refuse what cannot name a contact."""
    must_be_name(name, "a contact", advice=' Give it first: contact("ball on floor", shape, other).')


def contact_between(name: str, a: Any, b: Any, restitution: Any, friction: Any, impact: str,
                    owner: Graph | None = None, eager: int | None = None, adhesion: Any = 0.0) -> Contact:  # fmt: skip
    """Two shapes that may touch, of the model that ``owner`` belongs to; numbers out of bounds are refused.

    Of two solids with more than ``eager`` pairs of parts (`EAGER` unless given), features are made as they come near.
    """
    must_name_contact(name)
    if not isinstance(impact, str) or impact not in LAWS:
        raise ModelError(f"contact '{name}' has the law of impact {impact!r}.{did_you_mean(str(impact), LAWS)}")
    restitution = restitution_of(name, restitution)
    features, picker, law = *_features(name, a, b, EAGER if eager is None else eager), coulomb_of(name, friction)
    adhesion = adhesion_of(name, adhesion)
    if picker is None:
        features = with_adhesion(with_resistance(features, law, a, b), adhesion)
    else:
        must_be_few(name, law, adhesion)
    g = features[0].gap.graph if owner is None else owner
    coefficients = [] if law is None else [law.mu, law.sliding, law.rolling, law.pivoting]
    _must_belong(g, name, features, [restitution, adhesion, *coefficients])
    if all(_never_changes(feature) for feature in features if feature.closed_with is None):
        raise FixedApart(
            f"nothing can change the gap of '{name}', which is always {features[0].gap}: its shapes are fixed to each "
            "other. Give shapes of two bodies that move relative to each other."
        )
    return Contact(name, features, restitution, law, impact, adhesion, (a, b), picker)


def _features(name: str, a: Any, b: Any, eager: int) -> tuple[Sequence[Feature], Picker | None]:
    """All features of two shapes; of two solids with many parts only one, and who picks the others as they are met."""
    picker = picker_of(name, a, b)
    if picker is None:
        return features_of(name, a, b), None
    must_be_of_one_model(name, a, b)
    if picker.count <= eager:
        return tuple(picker.every()), picker
    picker.first()
    return picker.features, picker


def _must_belong(g: Graph, name: str, features: Sequence[Feature], values: list[Any]) -> None:
    """Refuse shapes and coefficients of another model."""
    coefficients = [part for value in values for part in (*each(value), *_along(value))]
    for part in (*(feature.gap for feature in features), *coefficients):
        if isinstance(part, Expr) and part.graph is not g and part.node >= 0:
            raise ModelError(f"contact '{name}' has a shape or a coefficient that belongs to "
                             f"{another(part.graph.name, g.name)}. Make all of it in the model that runs.")  # fmt: skip


def _along(value: Any) -> tuple[Any, ...]:
    return (value.x, *value.bounds) if isinstance(value, Zones) else ()


def _never_changes(feature: Feature) -> bool:
    """Whether the two sides never move relative to each other, or stay apart by something that is not zero."""
    if feature.tracked is not None or set(kinds(feature.gap)) - {"parameter"}:
        return False
    gap = numeric(feature.gap)
    return gap is None or abs(gap) > ROUNDING * longest_offset(feature.normal.tree) or feature.slip.is_zero


def renamed(contact: Contact, name: str) -> Contact:
    """The same contact under another name; symbols of tracked parameters keep theirs."""
    old, picker = contact.name, contact.picker
    if old == name:
        return contact
    if picker is not None:
        picker = picker.renamed(name)
        return replace(contact, name=name, picker=picker,
                       features=tuple(picker.every()) if contact.is_eager else picker.features)  # fmt: skip
    return replace(contact, name=name, features=renamed_features(contact.features, old, name))


def further_place(contact: Contact, which: str, number: int) -> Contact:
    """The same contact of a curve or surface once more, for another place at which two of its parts meet."""
    name = f"{contact.name} (place {number})"
    tracked = [each for each in features_of(name, *contact.shapes) if each.tracked and each.tracked.which == which]
    features = with_resistance((further(tracked[0]),), contact.friction, *contact.shapes)
    features = with_adhesion(features, contact.adhesion)
    return replace(contact, name=name, features=features, place_of=contact)
