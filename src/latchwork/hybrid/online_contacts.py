"""Contacts that come, change their shapes, and go while a run goes on; and shapes that are asked for only when near.

Every change takes a state and gives the next one; one that is refused gives none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from latchwork.contact.closest_point.states import has_parameters, stilled, tracked_equations
from latchwork.contact.construction import contact_between, further_place, renamed
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact
from latchwork.errors import ModelError, did_you_mean
from latchwork.hybrid.contacts.contact_checks import must_have_lengths, must_not_cross
from latchwork.hybrid.contacts.contact_point import ContactPoint, made_contact_point
from latchwork.hybrid.contacts.initial_contacts import lies_behind, must_be_apart, must_be_few
from latchwork.hybrid.contacts.sleeping_contacts import contact_point_of, far_apart, first_features
from latchwork.hybrid.designs import must_watch
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.pending_contact import PendingContact
from latchwork.hybrid.start import chosen_method
from latchwork.hybrid.state import SimState
from latchwork.hybrid.world import World

READY = 8  # features of a contact that are made ready with it; others when they are near

# --- by name ----------------------------------------------------------------------------------------------------------


def contact_now(state: SimState, name: str) -> Contact:
    """A contact that there is now."""
    contacts = {contact.name: contact for contact in state.contacts.members if contact.place_of is None}
    if not isinstance(name, str) or name not in contacts:
        hint = did_you_mean(str(name), (*contacts, *state.waiting)) or " It has none."
        raise ModelError(f"'{state.driven.equations.name}' has no contact '{name}' now.{hint}")
    return contacts[name]


def must_be_new(state: SimState, names: Iterable[str]) -> None:
    """Refuse names that are taken."""
    _must_be_free(state, [name for name in names if name in state.holds or name in state.waiting
                          or any(contact.goes_by(name) for contact in state.contacts.members)])  # fmt: skip


def _must_be_free(state: SimState, taken: Iterable[str]) -> None:
    for name in sorted(taken):
        raise ModelError(f"'{state.driven.equations.name}' has a contact or constraint named '{name}' already. "
                         "Name the new one otherwise.")  # fmt: skip


def with_shapes(world: World, state: SimState, name: str, a: Any, b: Any,
                laws: Mapping[str, Any]) -> tuple[SimState, Contact]:  # fmt: skip
    """A contact made and added; where its name was used before, tracked parameters get another."""
    used = sum(contact.name == name for contact in state.presence)
    label = f"{name} ({used + 1})" if used else name
    contact = renamed(contact_between(label, a, b, **laws, owner=state.driven.equations.system.graph), name)
    return with_contact(world, state, contact), contact


def reshaped(world: World, state: SimState, name: str, a: Any, b: Any) -> SimState:
    """Another shape for a contact, in whose place the new one stands; its laws stay. Contacts are to be decided."""
    old = contact_now(state, name)
    if len(old.shapes) != 2:
        raise ModelError(f"'{name}' limits a joint, and has no shapes that could be others. Remove it instead.")
    one, two = old.shapes
    laws = {"restitution": old.restitution, "friction": old.friction, "impact": old.impact, "adhesion": old.adhesion}
    without = without_contact(world, state, old)
    contacts = without.contacts.copied()
    contacts.zones |= state.contacts.zones
    return with_shapes(world, without.but(contacts=contacts), name, one if a is None else a, two if b is None else b,
                       laws)[0]  # fmt: skip


# --- how --------------------------------------------------------------------------------------------------------------


def with_contacts(world: World, state: SimState, contacts: Sequence[Contact]) -> SimState:
    """Contacts added, which the run begins with; nothing is made yet of those whose shapes are far apart."""
    base = world.table(state.driven).base if contacts else None
    far = set() if base is None else far_apart(contacts, base, state.row, world.may_sleep)
    taken = {*state.holds, *state.waiting}
    for contact in contacts:
        if contact in far and has_parameters(contact.features):
            state = _tracked(world, state, contact.features)
    for contact in contacts:
        must_watch(world.design, contact.name)
        names = dict.fromkeys([contact.name, *(feature.name for feature in contact.features)])
        _must_be_free(state, taken.intersection(names))
        taken.update(names)
        if contact not in far:
            state = _with_points(world, state, contact)
    return _with_members(state, contacts)


def with_contact(world: World, state: SimState, contact: Contact) -> SimState:
    """A contact added; what it closes is decided when the run goes on."""
    must_watch(world.design, contact.name)
    must_be_new(state, [contact.name, *(feature.name for feature in contact.features)])
    return _with_members(_with_points(world, state, contact), [contact])


def _with_members(state: SimState, contacts: Sequence[Contact]) -> SimState:
    if not contacts:
        return state
    presence = {**state.presence, **dict.fromkeys(contacts, (state.t, np.inf))}
    made = state.contacts.but(members=(*state.contacts.members, *contacts))
    return state.but(contacts=made, presence=presence, settled=False)


def _with_points(world: World, state: SimState, contact: Contact) -> SimState:
    """Contact points made of the features that are watched now: of two solids, those near each other."""
    if has_parameters(contact.features):
        state = _tracked(world, state, contact.features)
    x, base = state.row, world.table(state.driven).base
    features = first_features(contact, base, x, world.may_sleep)
    contact_points = [contact_point_of(contact, feature, base, x) for feature in features]
    for contact_point in contact_points:
        if contact_point.feature.tracked is not None:
            x = contact_point.tracked_place.found(x, state.contacts.places_of(contact, contact_point.feature))
    state = state.at(x)
    if contact.place_of is None:
        must_have_lengths(contact, contact_points, x)
        must_be_apart(contact, contact_points, x)
        if contact.picker is None:
            must_not_cross(contact, contact_points, x)
    get_ready(world, state, contact_points)
    contacts = state.contacts.copied()
    contacts.contact_points += contact_points
    contacts.enter_zones(contact_points, x)
    if contact.place_of is None:
        contacts.behind |= {contact_point for contact_point in contact_points if lies_behind(contact_point, x)}
    return state.but(contacts=contacts)


def get_ready(world: World, state: SimState, contact_points: Sequence[ContactPoint]) -> None:
    """Make now what the first switches to some contacts would have to wait for."""
    table, free = world.table(state.driven), not any(hold.permanent for hold in state.holds.values())
    table.get_ready(free)
    watched, held = (*state.contacts.contact_points, *contact_points), len(table.constraint_terms(state.holds).rows)
    rows = held + sum([1 + len(point.tangents) for point in watched])
    method = world.method or chosen_method(state.stiffness)
    table.integrations.get_ready(method, len(state.x), min(rows, len(state.driven.equations.u)), 5 * len(watched))
    by_contact = dict[Contact, list[ContactPoint]]()
    for contact_point in contact_points:
        by_contact.setdefault(contact_point.contact, []).append(contact_point)
    for points in by_contact.values():
        for contact_point in points[:READY]:
            table.know(contact_point, free, state.holds)


def _tracked(world: World, state: SimState, features: Sequence[Feature]) -> SimState:
    """Tracked parameters, and azimuths of support triangles, become coordinates that have no speed."""
    n_q, arguments = len(state.driven.equations.q), state.driven.arguments
    equations = tracked_equations(state.driven.equations, features)
    new = equations.q[n_q:]
    x = np.concatenate([state.x[:n_q], np.zeros(len(new)), state.x[n_q:]])
    arguments = (*arguments[: 1 + n_q], *new, *arguments[1 + n_q :])
    return driven_by(world, state.but(x=x), replace(state.driven, equations=equations, arguments=arguments))


def with_place(world: World, state: SimState, contact_point: ContactPoint) -> SimState:
    """One more place tracked at which the same parts of a contact are about to meet."""
    whole, tracked = contact_point.contact.whole, contact_point.feature.tracked
    assert tracked is not None, "only what is tracked has further places"
    must_be_few(whole, 1 + len(state.contacts.places_of(whole, contact_point.feature)), state.t)
    number = 2 + sum(contact.place_of is whole for contact in state.contacts.members)
    return with_contact(world, state, further_place(whole, tracked.which, number))


def without_contact(world: World, state: SimState, contact: Contact) -> SimState:
    """The features of a contact taken out, at all places; their tracked parameters stand still from now on."""
    for place in [each for each in state.contacts.members if each.whole is contact]:
        presence = {**state.presence, place: (state.presence[place][0], state.t)}
        state = state.but(contacts=state.contacts.without(place), presence=presence)
        if any(feature.tracked is not None for feature in place.features):
            driven = replace(state.driven, equations=stilled(state.driven.equations, place.features))
            state = driven_by(world, state, driven)
    return state.but(settled=False)


def driven_by(world: World, state: SimState, driven: Driven) -> SimState:
    """The same state under other equations; contact points are made for them, and what stands, stands."""
    state = state.but(driven=world.extended(driven), modes={})
    x, base, contacts = state.row, world.table(state.driven).base, state.contacts.copied()
    contacts.made_again({contact_point: made_contact_point(contact_point.contact, contact_point.feature, base, x)
                         for contact_point in contacts.contact_points})  # fmt: skip
    return state.but(contacts=contacts)


# --- shapes that come late --------------------------------------------------------------------------------------------


def with_waiting(state: SimState, late: PendingContact) -> SimState:
    """A contact that waits for a shape."""
    must_be_new(state, [late.name])
    return state.but(waiting={**state.waiting, late.name: late})


def fetched(world: World, state: SimState, name: str) -> SimState:
    """A shape asked for that was only bounded so far: its contact is an ordinary one from now on."""
    late = state.waiting[name]
    a, b = late.shapes()
    others = {key: each for key, each in state.waiting.items() if key != name}
    return with_shapes(world, state.but(waiting=others), name, a, b, late.laws)[0]


def bounds_entered(state: SimState) -> list[str]:
    """Contacts that wait for a shape whose bound is entered now."""
    if not state.waiting:
        return []
    equations, held = state.driven.equations, state.rest_now
    n_q, n_r = len(equations.q), len(equations.r)
    gaps = equations.evaluate([late.gap for late in state.waiting.values()], state.x[:n_q], state.x[n_q:-1],
                              held[:n_r], t=state.t, p=held[n_r:][: len(equations.p)])  # fmt: skip
    return [name for name, gap in zip(state.waiting, gaps, strict=True) if not gap > 0.0]
