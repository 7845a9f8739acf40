"""Rows of parts: which two parts of two shapes each feature of a contact belongs to, as numbers for `near_parts`.

They are known of two convex solids, whose features are made when they are first asked for, and of shapes all of whose
features are between balls, rods and flats.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from latchwork.hybrid.contacts.clearance import EnclosedPair
from latchwork.hybrid.time_stepping.broad_phase import ROUND
from latchwork.hybrid.time_stepping.near_parts import UPRIGHT

FEW = 8  # features of two shapes: to look which parts are near pays beyond it
MOST = 1_000_000  # pairs of parts of two solids that are looked at


class PartRows(NamedTuple):
    """The rows of a contact: the parts of both sides by their places in a table, and the features, as far as made."""

    contact: Contact
    pairs: NDArray[np.int64]  # (rows, 2): parts
    own: NDArray[np.int64]  # (rows, 2): the same by their places in the solids, where a picker makes features
    features: Sequence[Feature]

    def feature(self, row: int) -> Feature | None:
        """The feature of a row; none where its parts never touch."""
        picker = self.contact.picker
        return self.features[row] if picker is None else picker.feature((int(self.own[row, 0]), int(self.own[row, 1])))


class PartTable:
    """The parts of the shapes of some contacts, each once."""

    def __init__(self, base: Base, turns: dict[Any, int], radii: NDArray[np.float64]) -> None:
        self._known: dict[Part, PartNumbers | None] = base.remembered.setdefault("numbers of parts", {})
        self._turns, self._radii = turns, radii
        self.shapes: dict[Any, tuple[int, int]] = {}  # its place, and that of its enclosure
        self._places: dict[Part, int] = {}
        self._parts: list[PartNumbers] = []
        self._of: list[int] = []

    def rows(self, contact: Contact, pair: EnclosedPair) -> PartRows | None:
        """The rows of a contact between two enclosures; none where some feature is of other parts."""
        if pair.kind != ROUND or len(contact.shapes) != 2:
            return None
        picker, none = contact.picker, np.empty((0, 2), dtype=np.int64)
        if len(contact.features) < FEW if picker is None else picker.count > MOST:
            return None
        if picker is None:
            parts = [(each if each.closed_with is None else each.closed_with).parts for each in contact.features]
            if any(two is None for two in parts):
                return None
            sides = [[two[k] for two in parts if two is not None] for k in range(2)]
        else:
            sides = [list(side.parts) for side in picker.sides]
        if not all(map(self._has, contact.shapes, sides)):
            return None
        places = [np.array([self._place(shape, at, part) for part in side], dtype=np.int64)
                  for shape, at, side in zip(contact.shapes, (pair.one, pair.other), sides, strict=True)]  # fmt: skip
        if picker is None:
            return PartRows(contact, np.column_stack(places), none, contact.features)
        kinds = [np.array([_rank(part) for part in side]) for side in sides]
        i, j = np.nonzero(MEET[kinds[0][:, None], kinds[1][None, :]])
        return PartRows(contact, np.column_stack([places[0][i], places[1][j]]), np.column_stack([i, j]), ())

    def _has(self, shape: Any, parts: Sequence[Part]) -> bool:
        """Whether all of these parts of a shape have numbers, and where they are is known."""
        center = getattr(enclosed(shape), "p", None)
        if center is None:
            return False
        for part in parts:
            if part not in self._known:
                self._known[part] = part_numbers(part, center)
            found = self._known[part]
            if found is None or not (shape in self._turns or found.is_round):
                return False
        return True

    def _place(self, shape: Any, at: int, part: Part) -> int:
        number, _ = self.shapes.setdefault(shape, (len(self.shapes), at))
        if part not in self._places:
            found = self._known[part]
            assert found is not None, "it was asked for"
            self._places[part] = len(self._parts)
            self._parts.append(found)
            self._of.append(number)
        return self._places[part]

    def fields(self) -> dict[str, Any]:
        """The shapes and the parts as fields of `NearParts`."""
        values = [part.values for part in self._parts]
        centers = [at for _, at in self.shapes.values()]
        return {
            "shapes": len(self.shapes), "parts": len(values), "numbers": sum(map(len, values)),
            "center": centers, "turn": [self._turns.get(shape, UPRIGHT) for shape in self.shapes],
            "radius": self._radii[centers].tolist(), "form": [part.kind for part in self._parts],
            "at": list(accumulate(map(len, values), initial=0)), "shape": self._of,
            "number": [x for row in values for x in row],
        }  # fmt: skip


def _rank(part: Part) -> int:
    return next((k for k, kind in enumerate(SHARP) if isinstance(part, kind)), len(SHARP))


SHARP = tuple(dict.fromkeys(kind for pair in KINDS for kind in pair))
MEET = np.zeros((len(SHARP) + 1, len(SHARP) + 1), dtype=bool)
for _a, _b in KINDS:
    MEET[SHARP.index(_a), SHARP.index(_b)] = True
