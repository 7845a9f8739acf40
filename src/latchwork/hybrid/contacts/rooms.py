"""Rooms of what sleeps: distances that must be used up before it can touch. They are part of the state of a run.

Contacts sleep that are far away, pairs of shapes that are no contacts yet, and places of curves that nobody tracks.

What is far away is decided at a look, and that may be relied on until a time; of each that sleeps, along the steps,

    spent + ∫ pace dt < room

where between two steps the pace is taken as the larger of both, and some more. What is spent is kept from step to step,
through whatever happens in between, and it is looked again where the time is over, or a room is used up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.terms import Array

FASTER = 1.25  # than at both ends of a step: what is allowed for in between
FULL = 0.9  # of the room may be used up
SOONER = 0.5  # of the room at the pace of a look: when it is looked again, before FULL / FASTER of it are over


def _nothing() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Rooms:
    """What sleeps since it was looked last, and until when that may be relied on: the room of each, and what is spent.

    ``places`` are the contacts among those that have bounds, ``solids`` those of which some features sleep. ``of`` is
    what a look depends on besides the state: equations, and which contacts there are.
    """

    since: float = -math.inf
    until: float = -math.inf
    room: Array = field(default_factory=_nothing)
    spent: Array = field(default_factory=_nothing)
    places: tuple[int, ...] = ()
    solids: tuple[int, ...] = ()
    of: tuple[Any, ...] = ()

    @property
    def sleeps(self) -> bool:
        """Whether something does."""
        return len(self.room) > 0

    def by_steps(self, grid: tuple[float, float] | None) -> Rooms:
        """The same, relied on by whole steps where they are fixed, from an origin and of a length; one at least."""
        if grid is None or not math.isfinite(self.until):
            return self
        (origin, step), t = grid, self.since
        now, then = (math.floor((time - origin) / step) for time in (t, self.until))
        until = origin + float(max(now + 1, then)) * step
        return replace(self, until=until if until > t else until + step)

    def is_of(self, of: Sequence[Any]) -> bool:
        """Whether they were found for these."""
        return all([mine is given for mine, given in zip_longest(self.of, of)])

    def spent_along(self, t: Array, paces: Array) -> Array:
        """What is spent at some times, with these paces there, (rows, k)."""
        steps = FASTER * np.maximum(paces[1:], paces[:-1]) * np.diff(t)[:, None]
        spent: Array = np.cumsum(np.vstack([self.spent, steps]), axis=0)
        return spent

    def holds(self, spent: Array) -> NDArray[np.bool_]:
        """Whether all of them hold where so much is spent, (rows,)."""
        enough: NDArray[np.bool_] = np.asarray((spent < FULL * self.room).all(axis=-1))
        return enough


@dataclass(frozen=True, eq=False)
class Sleeping:
    """What sleeps: pairs of shapes that are no contacts yet, contacts that are not watched, and places of curves and
    surfaces that are not tracked; ``place`` are the coordinates and parameters at which so much of their rooms is
    spent."""

    pairs: Rooms = field(default_factory=Rooms)
    contacts: Rooms = field(default_factory=Rooms)
    curves: Rooms = field(default_factory=Rooms)
    place: bytes = b""

    @property
    def rooms(self) -> tuple[Rooms, Rooms, Rooms]:
        """Of pairs, of contacts, and of curves."""
        return self.pairs, self.contacts, self.curves

    @property
    def sleeps(self) -> bool:
        """Whether something does."""
        return self.pairs.sleeps or self.contacts.sleeps or self.curves.sleeps

    def at(self, place: bytes) -> Sleeping:
        """The same elsewhere."""
        return sleeping_at(self.rooms, place)

    def with_spent(self, spent: Sequence[Array]) -> Sleeping:
        """The same with so much spent of all rooms."""
        rooms = [replace(rooms, spent=each) for rooms, each in zip(self.rooms, spent, strict=True)]
        return sleeping_at(rooms, self.place)

    def looked_at(self, times: Sequence[float]) -> Sleeping:
        """The same, to be looked at again at these times, or before."""
        rooms = [rooms if time >= rooms.until else replace(rooms, until=time)
                 for rooms, time in zip(self.rooms, times, strict=True)]  # fmt: skip
        return sleeping_at(rooms, self.place)


def sleeping_at(rooms: Sequence[Rooms], place: bytes) -> Sleeping:
    """What sleeps, by the rooms of pairs, of contacts, and of curves."""
    pairs, contacts, curves = rooms
    return Sleeping(pairs, contacts, curves, place)
