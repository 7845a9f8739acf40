"""Which contacts may sleep in a run, which of them do from the start, and how others are put to sleep or woken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from latchwork.constraint.terms import Array, Base
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact
from latchwork.contact.tolerances import tolerances_in
from latchwork.hybrid.contacts.clearance import Bounds
from latchwork.hybrid.contacts.contact_checks import must_not_overlap
from latchwork.hybrid.contacts.contact_point import ContactPoint, made_contact_point
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.initial_contacts import lies_behind

FEWEST = 24  # features of all contacts: with fewer, all are watched
AWAKE_WITHIN = 0.04  # of the size of the smaller solid: its parts within this are awake
KEPT_FEATURES = 400  # features of solids that are kept while they sleep
MaySleep = Callable[[Contact], bool]


def sleepers(contacts: Iterable[Contact], base: Base, x: Array, may_sleep: MaySleep) -> list[Contact]:
    """Contacts that may sleep, where it pays to look who is near; not those whose shapes have other lengths in this
    run than in the model."""
    known = [contact for contact in contacts if may_sleep(contact)]
    if sum(len(contact.features) for contact in known) < FEWEST and all(contact.is_eager for contact in known):
        return []
    other = changed_parameters(base, x)
    return [contact for contact in known if not _relies(contact, other)] if other else known


def far_apart(contacts: Sequence[Contact], base: Base, x: Array, may_sleep: MaySleep) -> set[Contact]:
    """Contacts whose shapes are clearly apart at a state; nothing of them has to be made yet."""
    known = sleepers(contacts, base, x, may_sleep)
    bounds = Bounds(base, known) if known else None
    if bounds is None or not len(bounds.bounded):
        return set()
    apart = bounds.apart(bounds.at(x))
    return {known[k] for k, gap in zip(bounds.bounded.tolist(), apart.tolist(), strict=True) if gap > 0.0}


def first_features(contact: Contact, base: Base, x: Array, may_sleep: MaySleep) -> Sequence[Feature]:
    """The features of a contact that are made when it comes: all, or of two solids those near each other.

    Solids that overlap are refused.
    """
    if contact.picker is None:
        return contact.features
    if not sleepers([contact], base, x, may_sleep):
        return contact.every()
    bounds = Bounds(base, [contact])
    poses = bounds.poses(bounds.at(x), bounds.solids[0])
    must_not_overlap(contact, poses, tolerances_in(base.scales).closed, float(x[0]))
    near = contact.picker.near(*poses, AWAKE_WITHIN * contact.picker.size)
    return [made for item in near.pairs if (made := contact.picker.feature(item)) is not None]


def parameters_of(base: Base) -> list[int]:
    """Where the parameters stand in x = (t, q, u, rest)."""
    symbols = base.equations.system.graph.symbols
    return [i for i, argument in enumerate(base.arguments)
            if argument.node in symbols and symbols[argument.node].kind == "parameter"]  # fmt: skip


def changed_parameters(base: Base, x: Array) -> set[int]:
    """Parameters that have other values in this run than in the model, as nodes."""
    symbols = base.equations.system.graph.symbols
    given = {base.arguments[i].node: float(x[i]) for i in parameters_of(base)}
    return {node for node, value in given.items() if symbols[node].value is not None and symbols[node].value != value}


def _relies(contact: Contact, changed: set[int]) -> bool:
    """Whether the shapes of a contact depend on some parameters."""
    return any(symbol.node in changed for feature in contact.features for e in (feature.gap, *feature.within)
               for symbol in e.free_symbols)  # fmt: skip


def arrange(s: ContactStates, base: Base, x: Array, wanted: Sequence[tuple[Contact, Sequence[Feature]]]) -> None:
    """Let these features be watched, in this order; those that were not made yet are made."""
    if [contact_point.feature for contact_point in s.contact_points] == [
        feature for _, features in wanted for feature in features
    ]:
        return
    known, before = {contact_point.feature: contact_point for contact_point in s.every}, set(s.contact_points)
    contact_points = [known.pop(feature) if feature in known else contact_point_of(contact, feature, base, x)
               for contact, features in wanted for feature in features]  # fmt: skip
    woken = [contact_point for contact_point in contact_points if contact_point not in before]
    stay = {zone for contact_point in before for zone in contact_point.zones}
    s.contact_points, s.asleep = contact_points, _kept(known.values())
    for zone in {zone for contact_point in woken for zone in contact_point.zones} - stay:
        s.zones.pop(zone, None)
    s.enter_zones(woken, x)
    s.behind |= {contact_point for contact_point in woken if lies_behind(contact_point, x)}


def contact_point_of(contact: Contact, feature: Feature, base: Base, x: Array) -> ContactPoint:
    """A contact point, or the one that was made before for the same equations, with the tangents that a state asks
    for."""
    known: dict[int | None, ContactPoint] = base.remembered.setdefault(feature, {})
    some = next(iter(known.values()), None)
    number = None if some is None or some.axis_number is None else int(np.argmin(np.abs(some.normal_function(x))))
    if some is None or number not in known:
        made = made_contact_point(contact, feature, base, x, number)
        return known.setdefault(made.axis_number, made)
    return known[number]


def _kept(contact_points: Iterable[ContactPoint]) -> tuple[ContactPoint, ...]:
    """Those that sleep; of solids only the last ones, for there may be very many."""
    contact_points = tuple(contact_points)
    many = [contact_point for contact_point in contact_points if contact_point.contact.picker is not None]
    if len(many) <= KEPT_FEATURES:
        return contact_points
    gone = set(many[: len(many) - KEPT_FEATURES])
    return tuple(contact_point for contact_point in contact_points if contact_point not in gone)
