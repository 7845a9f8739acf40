"""Sight: which contacts of a run are looked at for the next while, and how long that may be relied on.

What is far away sleeps: it is no guard, and takes no part in what happens. Of two solids only the parts near each
other are awake. Each that sleeps has room, a distance that must be used up before it can touch, and a pace at which
that can happen. A leg of the run ends where half of the least room is used up at the pace of its start,

    t + ½ min room / pace

and afterwards the path is checked, ∫ pace dt < room at every step of it; where it was faster, the leg is run again, as
far as it was good. Nothing that sleeps can have touched, so the events are those of watching everything.

All is decided from the state and from what is awake, so that a run that is taken back goes the same way again. What
is awake stays awake as long as those that sleep are not near: sets of awake contacts come back, and their modes with
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.scales import Scales
from latchwork.constraint.terms import Array, Base
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact
from latchwork.contact.tolerances import tolerances_in
from latchwork.hybrid.contacts.clearance import Bounds, EnclosedPair, Solids
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.sleeping_contacts import AWAKE_WITHIN, MaySleep, arrange, parameters_of, sleepers

FEW_FEATURES = 16  # features that are awake where none is near
WIDE = 0.25  # of the size of the smaller solid: its parts within this are awake where few, else within `AWAKE_WITHIN`
FASTER = 1.25  # than at both ends of a step: what is allowed for in between
FULL = 0.9  # of the room may be used up
Flags = NDArray[np.bool_]
Awake = dict[Contact, list[Feature]]
_contact = attrgetter("contact")


class Asleep(Protocol):
    """What sleeps: until when that may be relied on, the room of each, and how fast it is used up at some states."""

    until: float

    @property
    def sleeps(self) -> bool:
        """Whether something does."""
        ...

    @property
    def room(self) -> Array:
        """What must be used up before something touches, (k,)."""
        ...

    def along(self, rows: Array) -> Array:
        """How fast room can be used up at states (t, q, u, rest), (rows, k)."""
        ...

    def is_used_up(self, x: Array, step: float) -> bool:
        """Whether the room of something is, by another step from a state on."""
        ...


class Rooms(NamedTuple):
    """What sleeps: contacts by their place among the bounded, pairs of solids, and the room of each."""

    places: NDArray[np.intp]
    solids: tuple[Solids, ...]
    room: Array


NONE = Rooms(np.empty(0, dtype=np.intp), (), np.empty(0))


class WatchSet:
    """Which contacts are awake. Where there are few of them, all are, and this does nothing."""

    def __init__(self) -> None:
        self._members: tuple[Contact, ...] = ()
        self._base: Base | None = None
        self._parameters: list[int] = []  # where they stand in x
        self._lengths = np.empty(0)  # and what they were
        self.bounds: Bounds | None = None
        self.rooms, self.until = NONE, np.inf
        self._spent = np.empty(0)
        self.tolerances = tolerances_in(Scales())

    @property
    def sleeps(self) -> bool:
        """Whether something does."""
        return len(self.rooms.room) > 0

    @property
    def room(self) -> Array:
        """What must be used up before something touches."""
        return self.rooms.room

    def along(self, rows: Array) -> Array:
        """How fast room can be used up at states (t, q, u, rest)."""
        assert self.bounds is not None, "only what is bounded sleeps"
        return self.paces(self.bounds.along(rows))

    def is_idle(self, s: ContactStates, base: Base) -> bool:
        """Whether all of these contacts are awake, and stay so."""
        return self.bounds is None and s.members is self._members and base is self._base

    def see(self, s: ContactStates, base: Base, x: Array, may_sleep: MaySleep) -> None:
        """Wake what may touch soon at a state (t, q, u, rest), and let sleep what cannot."""
        same = s.members is self._members and base is self._base
        same = same and np.array_equal(x[self._parameters], self._lengths)
        if not same:
            self._begin(s, base, x, may_sleep)
        if self.bounds is None:
            return
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
        if changes or not same or any(now.get(contact, []) != features for contact, features in picked.items()):
            self._put(s, base, x, awake, picked)
        asleep = np.flatnonzero(~awake & ~self._is_solid | self._is_solid & (tau > self.tolerances.longest_look))
        self.rooms = Rooms(asleep, tuple(solids), np.array([*apart[asleep], *room]))
        self.until = float(x[0]) + 0.5 * float(times(self.rooms.room, self.paces(values)).min(initial=np.inf))
        self._spent = np.zeros(len(self.rooms.room))

    def is_used_up(self, x: Array, step: float) -> bool:
        """Whether the room of something that sleeps is, by another step from a state on."""
        if not len(self.rooms.room):
            return False
        assert self.bounds is not None
        self._spent += FASTER * step * self.paces(self.bounds.at(x))
        return bool((self._spent > FULL * self.rooms.room).any())

    def bound(self, s: ContactStates, base: Base, x: Array, may_sleep: MaySleep) -> None:
        """Know the enclosures of contacts that have come or gone; what is looked at next is decided anew."""
        if s.members is not self._members or base is not self._base:
            self._begin(s, base, x, may_sleep)
        self.rely_on_nothing()

    def wake(self, s: ContactStates, base: Base, x: Array) -> None:
        """Wake all; what is looked at next is decided anew."""
        arrange(s, base, x, [(contact, contact.every()) for contact in s.members])
        self.rely_on_nothing()

    def enclosed_pairs(self) -> dict[Contact, EnclosedPair]:
        """The enclosures of the contacts that may sleep."""
        assert self.bounds is not None, "without bounds nothing sleeps"
        return dict(zip(self._bounded, self.bounds.pairs(), strict=True))

    def rely_on_nothing(self) -> None:
        """What is looked at next is decided anew."""
        self.rooms, self.until = NONE, np.inf

    # --- who is awake -------------------------------------------------------------------------------------------

    def _begin(self, s: ContactStates, base: Base, x: Array, may_sleep: MaySleep) -> None:
        """Look at contacts that have come or gone, at other equations, or at parameters that were changed."""
        self._members, self._base, self.bounds = s.members, base, None
        self.tolerances = tolerances_in(base.scales)
        self._parameters = parameters_of(base)
        self._lengths = x[self._parameters]
        self.rooms, self.until = NONE, np.inf
        known = sleepers(s.members, base, x, may_sleep)
        if known:
            bounds = Bounds(base, known)
            self._bounded = [known[k] for k in bounds.bounded]
            self._is_solid = np.array([k in bounds.solids for k in range(len(self._bounded))], dtype=bool)
            self._sizes = np.array([len(contact.features) for contact in self._bounded])
            self._place = {contact: k for k, contact in enumerate(self._bounded)}
            self.bounds = bounds if self._bounded else None
        if self.bounds is None and sum(len(contact.features) for contact in s.members) != len(s.contact_points):
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
                tau: Array) -> tuple[Awake, list[Solids], list[float]]:  # fmt: skip
        """Features of solids that are awake; those pairs of solids of which others sleep, and the room of these."""
        assert self.bounds is not None
        picked: Awake = {}
        solids, rooms = [], []
        for k, pair in self.bounds.solids.items():
            contact = self._bounded[k]
            if tau[k] > self.tolerances.longest_look:
                picked[contact] = []
                continue
            picked[contact], room = self._picked(s, contact, now.get(contact, []), pair, values)
            solids.append(pair)
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

    def paces(self, values: Array) -> Array:
        """How fast room can be used up, (..., k)."""
        places, solids, _ = self.rooms
        assert self.bounds is not None
        found = [self.bounds.paces(values)[..., places]]
        return np.concatenate([*found, *(self.bounds.turns(values, pair)[..., None] for pair in solids)], axis=-1)


def times(room: Array, paces: Array) -> Array:
    """room / pace; never where nothing moves, now where there is no room."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(room > 0.0, np.where(paces > 0.0, room / paces, np.inf), 0.0)
