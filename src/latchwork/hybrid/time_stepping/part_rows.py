"""Rows of parts: which two parts of two shapes each feature of a contact belongs to, as numbers for `near_parts`.

They are known of two convex solids, whose features are made when they are first asked for, and of shapes all of whose
features are between balls, rods and flats. A shape has an enclosure, or stands still, as stairs do that have no end.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.terms import Base
from latchwork.contact.broad_phase.enclosures import enclosed
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact
from latchwork.contact.narrow_phase.convex_pairs import KINDS
from latchwork.contact.narrow_phase.part_numbers import PartNumbers, part_numbers
from latchwork.contact.narrow_phase.parts import Part
from latchwork.hybrid.contacts.clearance import Bounds
from latchwork.hybrid.time_stepping.broad_phase import ALWAYS, ROUND
from latchwork.hybrid.time_stepping.near_parts import STILL, UNMADE, UPRIGHT, NearParts
from latchwork.program.records.memory import lay_out

FEW = 8  # features of two shapes: to look which parts are near pays beyond it
MOST = 1_000_000  # pairs of parts of two solids that are looked at


class ShapeParts:
    """The parts of a shape that features are of, with their numbers, equal ones once."""

    def __init__(self, shape: Any) -> None:
        found = enclosed(shape)
        self.is_still = found is None and shape.frame.angular_velocity().is_zero
        self._center = shape.tree.origin if self.is_still else getattr(found, "p", None)
        self._frame = shape.tree.newtonian if self.is_still else None
        self._places: dict[Part, int | None] = {}
        self.parts: dict[PartNumbers, int] = {}  # and their places

    def place(self, part: Part) -> int | None:
        """Its place among them; none where it has no numbers."""
        if part not in self._places:
            found = None if self._center is None else part_numbers(part, self._center, self._frame)
            self._places[part] = None if found is None else self.parts.setdefault(found, len(self.parts))
        return self._places[part]

    @property
    def is_round(self) -> bool:
        """Whether all of them look the same however the shape turns."""
        return all(part.is_round for part in self.parts)


class PartRows(NamedTuple):
    """The rows of a contact: two parts each, by their places among those of their shapes, and in the solids where a
    picker makes features; else these. ``made`` are the features that were asked for by now, by their rows."""

    contact: Contact
    pairs: NDArray[np.int64]
    own: NDArray[np.int64]
    features: Sequence[Feature]
    made: dict[int, Feature]

    def feature(self, row: int) -> Feature | None:
        """The feature of a row; none where its parts never touch."""
        picker = self.contact.picker
        found = self.features[row] if picker is None else picker.feature((int(self.own[row, 0]), int(self.own[row, 1])))
        if found is not None:
            self.made[row] = found
        return found


class PartTable:
    """The parts of the shapes of some contacts, as they stand in a record; what is known of them is kept."""

    def __init__(self, base: Base, bounds: Bounds | None, steady: Collection[Contact]) -> None:
        """``steady`` contacts have the shapes that they have in the model."""
        kept = base.remembered.setdefault("parts of shapes", ({}, {}))
        self._parts: dict[Any, ShapeParts] = kept[0]
        self._rows: dict[Contact, PartRows | None] = kept[1]
        self._turns = {} if bounds is None else bounds.turning
        self._enclosures = {} if bounds is None else bounds.centers
        self._radii = np.empty(0) if bounds is None else bounds.radii
        self._steady, self._centers = steady, dict[Any, int]()

    def rows(self, contact: Contact, kind: int) -> PartRows | None:
        """The rows of a contact of a kind of pair; none where some feature is of other parts, or where a shape is."""
        if kind not in (ROUND, ALWAYS) or len(contact.shapes) != 2 or contact not in self._steady:
            return None
        if contact not in self._rows:
            self._rows[contact] = self._made(contact)
        found = self._rows[contact]
        places = [] if found is None else [self._place(shape) for shape in contact.shapes]
        if found is None or None in places:
            return None
        self._centers |= {shape: at for shape, at in zip(contact.shapes, places, strict=True) if at is not None}
        return found

    def _place(self, shape: Any) -> int | None:
        """Which enclosure places the parts of a shape; none where neither does one nor do they stand still."""
        if self._parts[shape].is_still:
            return STILL
        turns = shape in self._turns or self._parts[shape].is_round
        return self._enclosures.get(shape) if turns else None

    def _made(self, contact: Contact) -> PartRows | None:
        picker, none = contact.picker, np.empty((0, 2), dtype=np.int64)
        if len(contact.features) < FEW if picker is None else picker.count > MOST:
            return None
        if picker is not None:
            places = [self._places(shape, side.parts) for shape, side in zip(contact.shapes, picker.sides, strict=True)]
            if any(some is None for some in places):
                return None
            kinds = [np.array([_rank(part) for part in side.parts]) for side in picker.sides]
            own = np.column_stack(np.nonzero(MEET[kinds[0][:, None], kinds[1][None, :]]))
            pairs = [np.array(some, dtype=np.int64)[own[:, k]] for k, some in enumerate(places)]
            return PartRows(contact, np.column_stack(pairs), own, (), {})
        parts = [(each if each.closed_with is None else each.closed_with).parts for each in contact.features]
        known = [two for two in parts if two is not None]
        if len(known) < len(parts):
            return None
        places = [self._places(shape, [two[k] for two in known]) for k, shape in enumerate(contact.shapes)]
        if any(some is None for some in places):
            return None
        return PartRows(contact, np.array(places, dtype=np.int64).T, none, contact.features, {})

    def _places(self, shape: Any, parts: Sequence[Part]) -> list[int] | None:
        """The places of parts among those of a shape; none where one has no numbers."""
        known = self._parts.setdefault(shape, ShapeParts(shape))
        places = [known.place(part) for part in parts]
        return [place for place in places if place is not None] if None not in places else None

    def lay_out(self, rows: Sequence[PartRows | None], reach: float) -> NearParts:
        """The record of the rows of all pairs, of which some have none."""
        starts = dict(zip(self._centers, accumulate((len(self._parts[shape].parts) for shape in self._centers),
                                                    initial=0), strict=False))  # fmt: skip
        parts = [part for shape in self._centers for part in self._parts[shape].parts]
        known = [each for each in rows if each is not None]
        pairs = [each.pairs + [starts[shape] for shape in each.contact.shapes] for each in known]
        every = np.concatenate([np.empty((0, 2), dtype=np.int64), *pairs])
        counts = [0 if each is None else len(each.pairs) for each in rows]
        centers = list(self._centers.values())
        radii = [0.0 if at == STILL else float(self._radii[at]) for at in centers]
        made = lay_out(
            NearParts, shapes=len(starts), parts=len(parts), numbers=sum([len(part.values) for part in parts]),
            pairs=len(rows), rows=len(every), reach=reach,
            center=centers, turn=[self._turns.get(shape, UPRIGHT) for shape in starts],
            radius=radii, form=[part.kind for part in parts],
            at=list(accumulate([len(part.values) for part in parts], initial=0)),
            shape=[i for i, shape in enumerate(starts) for _ in self._parts[shape].parts],
            number=[x for part in parts for x in part.values], first=list(accumulate(counts, initial=0)),
        )  # fmt: skip
        for name, numbers in (("part", every[:, 0]), ("other", every[:, 1]), ("place", np.full(len(every), UNMADE))):
            if len(every):
                np.asarray(getattr(made, name))[:] = numbers
        return made


def _rank(part: Part) -> int:
    return next((k for k, kind in enumerate(SHARP) if isinstance(part, kind)), len(SHARP))


SHARP = tuple(dict.fromkeys(kind for pair in KINDS for kind in pair))
MEET = np.zeros((len(SHARP) + 1, len(SHARP) + 1), dtype=bool)
for _a, _b in KINDS:
    MEET[SHARP.index(_a), SHARP.index(_b)] = True
