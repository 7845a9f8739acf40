"""Sight: which contacts of a run are looked at for the next while, and how long that may be relied on.

What is far away sleeps: it is no guard, and takes no part in what happens. Of two solids only the parts near each
other are awake. Each that sleeps has room, a distance that must be used up before it can touch, and a pace at which
that can happen. It is looked again where half of the least room is used up at the pace of the look,

    t + ½ min room / pace

and the path is checked, ∫ pace dt < room at every step of it (`rooms`); where it was faster, it is run again, as
far as it was good. Nothing that sleeps can have touched, so the events are those of watching everything.

What was decided is part of the state, and holds through any number of events until the next look, so that a run that is
taken back goes the same way again. What is awake stays awake as long as those that sleep are not near: sets of awake
contacts come back, and their modes with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.scales import Scales
from latchwork.constraint.terms import Array, Base
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact
from latchwork.contact.tolerances import tolerances_in
from latchwork.hybrid.contacts.clearance import Bounds, EnclosedPair, Solids
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.rooms import SOONER, Rooms
from latchwork.hybrid.contacts.sleeping_contacts import AWAKE_WITHIN, MaySleep, arrange, parameters_of, sleepers

FEW_FEATURES = 16  # features that are awake where none is near
WIDE = 0.25  # of the size of the smaller solid: its parts within this are awake where few, else within `AWAKE_WITHIN`
Flags = NDArray[np.bool_]
Awake = dict[Contact, list[Feature]]
_contact = attrgetter("contact")


class WatchSet:
    """Which contacts are awake. Where there are few of them, all are, and this does nothing."""

    def __init__(self) -> None:
        self._members: tuple[Contact, ...] = ()
        self._base: Base | None = None
        self._parameters: list[int] = []  # where they stand in x
        self._lengths = np.empty(0)  # and what they were
        self.bounds: Bounds | None = None
        self.steady: frozenset[Contact] = frozenset()  # that may sleep: their shapes have the lengths of the model
        self.tolerances = tolerances_in(Scales())

    def along(self, rooms: Rooms, rows: Array) -> Array:
        """How fast rooms can be used up at states (t, q, u, rest), (rows, k)."""
        assert self.bounds is not None, "only what is bounded sleeps"
        return self._paces(rooms, self.bounds.along(rows))

    def is_idle(self, s: ContactStates, base: Base) -> bool:
        """Whether all of these contacts are awake, and stay so."""
        return self.bounds is None and s.members is self._members and base is self._base

    def take_up(self, s: ContactStates, base: Base, x: Array, may_sleep: MaySleep) -> None:
        """Take up contacts that have come or gone, other equations, or parameters that were changed, at a state
        (t, q, u, rest)."""
        if s.members is self._members and base is self._base and np.array_equal(x[self._parameters], self._lengths):
            return
        self._members, self._base, self.bounds = s.members, base, None
        self.tolerances = tolerances_in(base.scales)
        self._parameters = parameters_of(base)
        self._lengths = x[self._parameters]
        known = sleepers(s.members, base, x, may_sleep)
        self.steady = frozenset(known)
        if known:
            bounds = Bounds(base, known)
            self._bounded = [known[k] for k in bounds.bounded]
            self._is_solid = np.array([k in bounds.solids for k in range(len(self._bounded))], dtype=bool)
            self._sizes = np.array([len(contact.features) for contact in self._bounded])
            self._place = {contact: k for k, contact in enumerate(self._bounded)}
            self.bounds = bounds if self._bounded else None

    def see(self, s: ContactStates, base: Base, x: Array, is_new: bool) -> Rooms:
        """Wake what may touch soon at a state (t, q, u, rest), and let sleep what cannot: the rooms of this. ``is_new``
        where the state is not one to which a run has come from the last look."""
        if self.bounds is None:
            self._wake_unbounded(s, base, x)
            return Rooms(until=np.inf)
        bounds, values = self.bounds, self.bounds.at(x)
        apart, paces = bounds.apart(values), bounds.paces(values)
        s.let_clear(x)
        busy = {contact_point.contact for contact_point in (*s.closed, *s.leaving_depths, *s.behind)}
        apart[[self._place[contact] for contact in busy if contact in self._place]] = 0.0
        tau = times(apart, paces)
        now = {
            contact: [contact_point.feature for contact_point in some]
            for contact, some in groupby(s.contact_points, _contact)
        }
        awake, changes = self._plain(now, tau, apart)
        picked, solids, room = self._solids(s, now, values, tau)
        if changes or is_new or any(now.get(contact, []) != features for contact, features in picked.items()):
            self._put(s, base, x, awake, picked)
        asleep = np.flatnonzero(~awake & ~self._is_solid | self._is_solid & (tau > self.tolerances.longest_look))
        rooms = Rooms(float(x[0]), np.inf, np.array([*apart[asleep], *room]), np.zeros(len(asleep) + len(room)),
                      tuple(asleep.tolist()), tuple(solids))  # fmt: skip
        until = SOONER * float(times(rooms.room, self._paces(rooms, values)).min(initial=np.inf))
        whole = self.tolerances.longest_look if np.isinf(room).any() else np.inf  # all features of a pair are awake
        return replace(rooms, until=float(x[0]) + min(until, whole))

    def bound(self, s: ContactStates, base: Base, x: Array, may_sleep: MaySleep) -> None:
        """Know the enclosures of contacts that have come or gone; where none has any, all are awake."""
        self.take_up(s, base, x, may_sleep)
        if self.bounds is None:
            self._wake_unbounded(s, base, x)

    def wake(self, s: ContactStates, base: Base, x: Array) -> None:
        """Wake all."""
        arrange(s, base, x, [(contact, contact.every()) for contact in s.members])

    def enclosed_pairs(self) -> dict[Contact, EnclosedPair]:
        """The enclosures of the contacts that may sleep."""
        assert self.bounds is not None, "without bounds nothing sleeps"
        return dict(zip(self._bounded, self.bounds.pairs(), strict=True))

    # --- who is awake -------------------------------------------------------------------------------------------

    def _wake_unbounded(self, s: ContactStates, base: Base, x: Array) -> None:
        """Wake all, unless they are: nothing has bounds, so that nothing may sleep."""
        if sum(len(contact.features) for contact in s.members) != len(s.contact_points):
            self.wake(s, base, x)

    def _plain(self, now: Awake, tau: Array, apart: Array) -> tuple[Flags, bool]:
        """Which contacts are awake, solids aside, and whether that is new: those that are now, unless one that sleeps
        is near; else the soonest.

        The soonest are as many as are watched at little cost, and all that can touch within a moment (`awake`).
        """
        awake = np.zeros(len(tau), dtype=bool)
        awake[[self._place[contact] for contact in now if contact in self._place]] = True
        plain = ~self._is_solid
        order = np.lexsort((apart, tau))
        order = order[plain[order]]
        many = np.cumsum(self._sizes[order]) > FEW_FEATURES
        next_one = float(tau[order[int(many.argmax())]]) if many.any() else np.inf
        soon, late = self.tolerances.awake, self.tolerances.longest_look
        if (tau[plain & ~awake] > min(0.25 * max(next_one, soon), late)).all():
            return awake, False
        awake[plain] = False
        awake[order[(~many & (tau[order] < np.inf)) | (tau[order] <= soon)]] = True
        return awake, True

    def _solids(self, s: ContactStates, now: Awake, values: Array,
                tau: Array) -> tuple[Awake, list[int], list[float]]:  # fmt: skip
        """Features of solids that are awake; the places of those pairs of which others sleep, and the room of these."""
        assert self.bounds is not None
        picked: Awake = {}
        solids, rooms = [], []
        for k, pair in self.bounds.solids.items():
            contact = self._bounded[k]
            if tau[k] > self.tolerances.longest_look:
                picked[contact] = []
                continue
            picked[contact], room = self._picked(s, contact, now.get(contact, []), pair, values)
            solids.append(k)
            rooms.append(room)
        return picked, solids, rooms

    def _picked(self, s: ContactStates, contact: Contact, now: list[Feature], pair: Solids,
                values: Array) -> tuple[list[Feature], float]:  # fmt: skip
        """Features of two solids that are awake, and the room of the others: those that are now, unless they miss one
        that is near; else all that are not far."""
        assert self.bounds is not None
        picker = pair.picker
        near = picker.near(*self.bounds.poses(values, pair), WIDE * picker.size)
        few = float(np.partition(near.apart, FEW_FEATURES)[FEW_FEATURES]) if len(near.apart) > FEW_FEATURES else np.inf
        pace = float(self.bounds.turns(values, pair))
        wide = min(max(AWAKE_WITHIN * picker.size, self.tolerances.imminent * pace, few), WIDE * picker.size)
        busy = [
            contact_point.feature
            for contact_point in (*s.closed, *s.leaving_depths, *s.behind)
            if contact_point.contact is contact
        ]
        if near.gap > wide and not busy:
            return [], near.gap
        if contact.is_eager and wide < self.tolerances.sudden * pace:
            return list(contact.features), np.inf
        features = [(made, gap) for item, gap in zip(near.pairs, near.apart.tolist(), strict=True)
                    if gap <= wide and (made := picker.feature(item)) is not None]  # fmt: skip
        if set(now).issuperset([made for made, gap in features if gap <= 0.5 * wide]):
            return now, 0.5 * wide
        return list(dict.fromkeys([*(made for made, _ in features), *busy])), wide

    def _put(self, s: ContactStates, base: Base, x: Array, awake: Flags, picked: Awake) -> None:
        """Let these be awake, and all that have no bounds."""
        wanted: list[tuple[Contact, Sequence[Feature]]] = []
        for contact in s.members:
            k = self._place.get(contact)
            if contact in picked:
                wanted.append((contact, picked[contact]))
            elif k is None or awake[k]:
                wanted.append((contact, contact.every()))
        arrange(s, base, x, wanted)

    # --- how long -----------------------------------------------------------------------------------------------

    def _paces(self, rooms: Rooms, values: Array) -> Array:
        """How fast rooms can be used up, (..., k)."""
        assert self.bounds is not None
        found, pairs = self.bounds.paces(values)[..., list(rooms.places)], self.bounds.solids
        turns = [self.bounds.turns(values, pairs[k])[..., None] for k in rooms.solids]
        return np.concatenate([found, *turns], axis=-1)


def times(room: Array, paces: Array) -> Array:
    """room / pace; never where nothing moves, now where there is no room."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(room > 0.0, np.where(paces > 0.0, room / paces, np.inf), 0.0)
