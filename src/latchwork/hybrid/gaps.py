"""Gaps along a run: of the contacts it has, while it has them, and of any two shapes that have no contact at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latchwork.contact.closest_point.newton import finder
from latchwork.contact.closest_point.search import seed
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact
from latchwork.contact.narrow_phase.pairs import features_of, must_be_of_one_model
from latchwork.hybrid.interference.scene import Scene, Told, told_between, told_of

if TYPE_CHECKING:
    from latchwork.hybrid.trajectory import Samples

Array = NDArray[np.float64]
AT_A_TIME = 50  # features


@dataclass(frozen=True, eq=False)
class Presence:
    """From when until when a run has each of its contacts; and from when on which features are met from behind."""

    spans: Mapping[Contact, tuple[float, float]] = field(default_factory=dict)
    backs: tuple[tuple[float, frozenset[Feature]], ...] = ()

    def there(self, contact: Contact, feature: Feature, t: Array) -> NDArray[np.bool_]:
        """Whether it can be touched, at some times; at the instant of a change, both sides count."""
        begin, end = self.spans[contact]
        found = (t >= begin) & (t <= end)
        for i, (since, features) in enumerate(self.backs):
            if feature in features:
                until = self.backs[i + 1][0] if i + 1 < len(self.backs) else np.inf
                found &= ~((t >= since) & (t <= until))
        return np.asarray(found)


def gaps_along(samples: Samples, presence: Presence) -> dict[str, Array]:
    """g of every feature at every sample; nan where the feature is not: not yet, no more, outside of its domain."""
    whose = [(contact, feature) for contact in presence.spans for feature in contact.features
             if feature.rate is None and feature.closed_with is None]  # fmt: skip
    t = np.ravel(samples.t)
    found: dict[str, Array] = {}
    for (contact, feature), gap in zip(whose, _within(samples, [feature for _, feature in whose]), strict=True):
        here = np.where(presence.there(contact, feature, t), gap, np.nan)
        before = found.get(feature.name)
        found[feature.name] = here if before is None else np.where(np.isnan(before), here, before)
    return found


def least_gap(samples: Samples, presence: Presence) -> tuple[float, str] | None:
    """The least distance of all, below zero where shapes lie in each other, and whose it is; none where there is none.

    It is the true distance of two shapes, wherever it can be told; else the least gap of features.
    """
    told = [one for one in told_of(tuple(presence.spans)) if not one.has_front]
    left = replace(presence, spans={contact: span for contact, span in presence.spans.items()
                                    if all(contact is not one.contact for one in told)})  # fmt: skip
    known = [*_least_distance(samples, told, presence), *_least_gaps(samples, left)]
    return min(known, default=None)


def _least_distance(samples: Samples, told: list[Told], presence: Presence) -> list[tuple[float, str]]:
    if not told:
        return []
    rows = _states(samples)
    spans = [presence.spans[one.contact] for one in told if one.contact is not None]
    found = Scene(samples.driven, told, rows[0]).least(rows, spans)
    return [] if found is None else [(found[0], found[1].name)]


def _least_gaps(samples: Samples, presence: Presence) -> list[tuple[float, str]]:
    """The least gaps of features, some at a time."""
    known = []
    for some in batched(presence, AT_A_TIME):
        gaps = gaps_along(samples, some)
        known += [(float(np.nanmin(gap)), name) for name, gap in gaps.items() if not np.isnan(gap).all()]
    return known


def batched(presence: Presence, size: int) -> Iterator[Presence]:
    """The same with some contacts at a time, of about so many features."""
    spans: dict[Contact, tuple[float, float]] = {}
    for contact, span in presence.spans.items():
        spans[contact] = span
        if sum(len(each.features) for each in spans) >= size:
            yield replace(presence, spans=spans)
            spans = {}
    yield replace(presence, spans=spans)


def gap_between(samples: Samples, a: Any, b: Any) -> Array:
    """The signed distance of two shapes at every sample, negative where they overlap; of what has a front, or no closed
    form, the least over their features."""
    told = told_between((a, b))
    if told is not None and not told.has_front:
        must_be_of_one_model("interference", a, b)
        states = _states(samples)
        return Scene(samples.driven, [told], states[0]).distances(states)
    features = features_of("interference", a, b)
    plain = [feature for feature in features if feature.tracked is None]
    rows = [*_within(samples, plain), *(_found(samples, feature) for feature in features if feature.tracked)]
    gap = np.where(np.isnan(rows), np.inf, rows).min(axis=0)
    return np.where(np.isfinite(gap), gap, np.nan)


def _states(samples: Samples) -> Array:
    """(t, q, u, rest) at every sample."""
    t = np.ravel(samples.t)
    return np.column_stack([t, samples.x.reshape(len(t), -1)[:, :-1], samples.driven.rest_at(samples.rest, t)])


def _within(samples: Samples, features: Iterable[Feature]) -> list[Array]:
    """Gaps of features where their domains hold, nan elsewhere; all worked out together."""
    features = list(features)
    if not features:
        return []
    numbers = iter(samples.each(*(e for feature in features for e in (feature.gap, *feature.within))))
    made = []
    for feature in features:
        gap, inside = np.ravel(next(numbers)), [np.ravel(next(numbers)) >= 0.0 for _ in feature.within]
        made.append(np.where(np.logical_and.reduce(inside), gap, np.nan) if inside else gap)
    return made


def _found(samples: Samples, feature: Feature) -> Array:
    """The gap of a feature that nobody tracks: at each sample, its extremal points are looked for."""
    t, driven = np.ravel(samples.t), samples.driven
    find = finder(feature, driven.arguments)
    rows = np.column_stack([t, samples.x.reshape(len(t), -1), driven.rest_at(samples.rest, t)])
    made = np.full(len(t), np.nan)
    for i, x in enumerate(rows):
        best = seed(find, x)
        if best and find.inside(best[0][None])[0] and find.valid(x, best[0][None])[0]:
            made[i] = find.gap(x, best[0])
    return made
