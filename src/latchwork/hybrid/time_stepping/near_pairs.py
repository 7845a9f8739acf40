"""The memory of the broad phase of time stepping: pairs of shapes by the contacts between them, their contact points
made where a pair, or two of its parts, come near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from latchwork.constraint.terms import Array, Base
from latchwork.contact.feature import Feature
from latchwork.hybrid.contacts.clearance import EnclosedPair
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.scene_memory import SceneMemory
from latchwork.hybrid.contacts.sleeping_contacts import arrange
from latchwork.hybrid.contacts.watch_set import WatchSet
from latchwork.hybrid.time_stepping.broad_phase import ALWAYS, BroadPhase
from latchwork.hybrid.time_stepping.near_parts import NEVER, UNMADE
from latchwork.hybrid.time_stepping.part_rows import PartTable
from latchwork.program.evaluator import Evaluators
from latchwork.program.records.memory import lay_out

MARGIN = 0.5  # of the radius of a middling enclosure: pairs no further apart are near
REACH = 0.1  # of the same: parts no further apart are
FREE = EnclosedPair(ALWAYS, 0, 0, np.zeros(3))  # without enclosures


def fill(record: Any, name: str, numbers: Any) -> None:
    """Write the first elements of an array of a record."""
    if len(numbers):
        np.asarray(getattr(record, name))[: len(numbers)] = numbers


class NearPairs:
    """The record of a broad phase, and the contact states whose contact points it lists."""

    def __init__(self, s: ContactStates, base: Base, watch_set: WatchSet) -> None:
        self.s, self.base = s, base
        self.members = s.members
        known = watch_set.enclosed_pairs() if watch_set.bounds is not None else {}
        self._bounds = bounds = watch_set.bounds
        rows = [known.get(contact, FREE) for contact in self.members]
        self._fixed = {name: np.array([getattr(row, name) for row in rows]).ravel() for name in EnclosedPair._fields}
        radii = np.empty(0) if bounds is None else bounds.radii
        finite = np.sort(radii[np.isfinite(radii)])
        self._middling = float(finite[len(finite) // 2]) if len(finite) else 0.0
        table = PartTable(base, bounds, watch_set.steady)
        found = [table.rows(contact, row.kind) for contact, row in zip(self.members, rows, strict=True)]
        self.part_rows = {k: each for k, each in enumerate(found) if each is not None}
        busy = {point.contact for point in s.contact_points}
        self.made = {k for k, contact in enumerate(self.members)
                     if k not in self.part_rows and (rows[k] is FREE or contact in busy)}  # fmt: skip
        self.parts = table.lay_out(found, REACH * self._middling)
        self._starts = self.parts.first[: len(found) + 1].tolist()
        # those that are made, by rows
        self.row_features: dict[int, dict[int, Feature]] = {k: {} for k in self.part_rows}
        self._take_watched()
        self._programs = Evaluators()
        self.record: BroadPhase

    # --- parts --------------------------------------------------------------------------------------------------

    def _take_watched(self) -> None:
        """The features that are closed where it begins, or leaving; and those that are watched and were near before."""
        watched = {point.feature for point in self.s.contact_points}
        closed = {point.feature for point in (*self.s.closed, *self.s.leaving_depths)}
        for k, rows in self.part_rows.items():
            picker, features = rows.contact.picker, rows.contact.features
            some = closed.intersection(features).difference(rows.made.values())
            if some and picker is None:
                rows.made.update((row, each) for row, each in enumerate(rows.features) if each in some)
            elif some and picker is not None:
                pairs = {pair: row for row, pair in enumerate(map(tuple, rows.own.tolist()))}
                rows.made.update((pairs[pair], each) for pair, each in picker.made() if each in some)
            self.row_features[k] = {row: each for row, each in rows.made.items() if each in watched}

    def _make_parts(self) -> None:
        """The features of the rows that are wanted, where their parts ever touch, and with them those of near pairs
        that were made before."""
        wanted, place = np.asarray(self.parts.wanted), np.asarray(self.parts.place)
        for k in np.flatnonzero(self.record.wanted).tolist():
            if k in self.part_rows:
                self.row_features[k] |= self.part_rows[k].made
        for row in np.flatnonzero((wanted[: len(place)] == 1) & (place == UNMADE)).tolist():
            k = int(np.searchsorted(self._starts, row, side="right")) - 1
            feature = self.part_rows[k].feature(row - self._starts[k])
            if feature is None:
                place[row] = NEVER
            else:
                self.row_features[k][row - self._starts[k]] = feature

    # --- pairs --------------------------------------------------------------------------------------------------

    def lay_out(self, scene: SceneMemory) -> BroadPhase:
        """The record for contact points as they have places in a scene."""
        places = [self._places(k, scene) for k in range(len(self.members))]
        counts = np.array([len(some) for some in places], dtype=np.int64)
        made = np.zeros(len(self.members), dtype=bool)
        made[[*self.made, *self.part_rows]] = True
        bounds, radii = self._bounds, np.empty(0) if self._bounds is None else self._bounds.radii
        old, features = getattr(self, "record", None), sum(map(len, self.row_features.values()))
        self.record = record = lay_out(
            BroadPhase, enclosures=len(radii), pairs=len(self.members), most_places=int(counts.sum()) + features,
            n_out=0 if bounds is None else bounds.width, margin=MARGIN * self._middling, parts=self.parts,
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
        place = np.asarray(self.parts.place)
        for k, features_of in self.row_features.items():
            for row, feature in features_of.items():
                place[self._starts[k] + row] = scene.places[self.points[feature]]
        if old is not None:
            self._take_over(old, places)
        return record

    def _take_over(self, old: BroadPhase, places: Sequence[Sequence[int]]) -> None:
        """Pairs that were near are near; their contact points may have other places."""
        new, near = self.record, np.array(old.near)
        new.looked = old.looked
        fill(new, "near", near)
        fill(new, "before", old.before)
        some = [(place, k) for k in np.flatnonzero(near).tolist()
                for place in (*places[k], *self._near_places(k))]  # fmt: skip
        new.candidates = len(some)
        fill(new, "candidate", [place for place, _ in some])
        fill(new, "pair_of", [pair for _, pair in some])

    def _near_places(self, k: int) -> list[int]:
        """The contact points of the parts of a pair that are near."""
        some = slice(self._starts[k], self._starts[k + 1])
        place, near = np.asarray(self.parts.place)[some], np.asarray(self.parts.near)[some]
        return place[near == 1].tolist()

    def _places(self, k: int, scene: SceneMemory) -> Sequence[int]:
        if k not in self.made:
            return ()
        return [scene.places[point] for point in self._points[k]]

    def make(self, x: Array) -> None:
        """Make the contact points of the pairs, and of the parts, that are wanted at a state (t, q, u, rest)."""
        record = getattr(self, "record", None)
        if record is not None:
            self.made |= set(np.flatnonzero(record.wanted).tolist()) - self.part_rows.keys()
            self._make_parts()
        wanted = [(contact, self._wanted(k)) for k, contact in enumerate(self.members)
                  if k in self.made or k in self.part_rows]  # fmt: skip
        arrange(self.s, self.base, x, wanted)
        by_contact: dict[Any, list[ContactPoint]] = {contact: [] for contact, _ in wanted}
        for point in self.s.contact_points:
            by_contact[point.contact].append(point)
        self._points = {k: by_contact[self.members[k]] for k in self.made}
        self.points = {point.feature: point for point in self.s.contact_points}

    def _wanted(self, k: int) -> Sequence[Feature]:
        """The features of a pair that have contact points."""
        if k in self.part_rows:
            return [self.row_features[k][row] for row in sorted(self.row_features[k])]
        return self.members[k].every()

    def ready(self) -> None:
        """Take machine code that has arrived."""
        self._programs.ready()
