"""The memory of the broad phase of time stepping: pairs of shapes by the contacts between them, their contact points
made where a pair comes near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from latchwork.constraint.terms import Array, Base
from latchwork.contact.law import Contact
from latchwork.hybrid.contacts.clearance import EnclosedPair
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.scene_memory import SceneMemory
from latchwork.hybrid.contacts.sleeping_contacts import arrange
from latchwork.hybrid.contacts.watch_set import WatchSet
from latchwork.hybrid.time_stepping.broad_phase import ALWAYS, UNMADE, BroadPhase
from latchwork.program.evaluator import Evaluators
from latchwork.program.records.memory import lay_out

MARGIN = 0.5  # of the radius of a middling enclosure: pairs no further apart are near
FREE = EnclosedPair(ALWAYS, 0, 0, np.zeros(3))  # without enclosures


def fill(record: BroadPhase, name: str, numbers: Any) -> None:
    """Write the first elements of an array of a record."""
    if len(numbers):
        np.asarray(getattr(record, name))[: len(numbers)] = numbers


class NearPairs:
    """The record of a broad phase, and the contact states whose contact points it lists."""

    def __init__(self, s: ContactStates, base: Base, watch_set: WatchSet) -> None:
        self.s, self.base = s, base
        self.members = s.members
        known = watch_set.enclosed_pairs() if watch_set.bounds is not None else {}
        self._bounds = watch_set.bounds
        rows = [known.get(contact, FREE) for contact in self.members]
        self._fixed = {name: np.array([getattr(row, name) for row in rows]).ravel() for name in EnclosedPair._fields}
        busy = {point.contact for point in s.contact_points}
        self.made = {k for k, contact in enumerate(self.members) if rows[k] is FREE or contact in busy}
        self._programs = Evaluators()
        self.record: BroadPhase

    def lay_out(self, scene: SceneMemory) -> BroadPhase:
        """The record for contact points as they have places in a scene."""
        places = [self._places(k, scene) for k in range(len(self.members))]
        counts = np.array([len(some) for some in places], dtype=np.int64)
        made = np.zeros(len(self.members), dtype=bool)
        made[list(self.made)] = True
        bounds, radii = self._bounds, np.empty(0) if self._bounds is None else self._bounds.radii
        finite, old = np.sort(radii[np.isfinite(radii)]), getattr(self, "record", None)
        self.record = record = lay_out(
            BroadPhase, enclosures=len(radii), pairs=len(self.members), most_places=int(counts.sum()),
            n_out=0 if bounds is None else bounds.width,
            margin=MARGIN * float(finite[len(finite) // 2]) if len(finite) else 0.0,
        )  # fmt: skip
        if bounds is not None:
            self._programs = Evaluators()
            self._programs.put(record.ends, bounds.function)
        fill(record, "radius", np.where(np.isfinite(radii), radii, 0.0))
        for name, numbers in self._fixed.items():
            fill(record, name, numbers)
        fill(record, "first", np.cumsum(counts) - counts)
        fill(record, "count", np.where(made, counts, UNMADE))
        fill(record, "place", [place for some in places for place in some])
        if old is not None:
            self._take_over(old, places)
        return record

    def _take_over(self, old: BroadPhase, places: Sequence[Sequence[int]]) -> None:
        """Pairs that were near are near; their contact points may have other places."""
        new, near = self.record, np.array(old.near)
        new.looked = old.looked
        fill(new, "near", near)
        fill(new, "before", old.before)
        some = [(place, k) for k in np.flatnonzero(near).tolist() for place in places[k]]
        new.candidates = len(some)
        fill(new, "candidate", [place for place, _ in some])
        fill(new, "pair_of", [pair for _, pair in some])

    def _places(self, k: int, scene: SceneMemory) -> Sequence[int]:
        if k not in self.made:
            return ()
        return [scene.places[point] for point in self._points[self.members[k]]]

    def make(self, x: Array) -> None:
        """Make the contact points of the pairs that are wanted at a state (t, q, u, rest)."""
        record = getattr(self, "record", None)
        if record is not None:
            self.made |= set(np.flatnonzero(record.wanted).tolist())
        wanted = [(contact, contact.every()) for k, contact in enumerate(self.members) if k in self.made]
        arrange(self.s, self.base, x, wanted)
        self._points: dict[Contact, list[ContactPoint]] = {contact: [] for contact, _ in wanted}
        for point in self.s.contact_points:
            self._points[point.contact].append(point)

    def ready(self) -> None:
        """Take machine code that has arrived."""
        self._programs.ready()
