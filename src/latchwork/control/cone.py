"""Cone: a contact force that a law keeps inside of its friction cone, |λ_t| ≤ μ λ_n with λ_n ≥ least."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from latchwork.constraint.rows import Rows
from latchwork.contact.rolling_resistance import PIVOTING, ROLLING
from latchwork.errors import ModelError, did_you_mean, spelled


@spelled
@dataclass(frozen=True, eq=False)
class Cone:
    """``Cone("foot", 0.6)``: no command leaves the cone of this contact, of each of its features, or of a constraint.

    ``friction`` is what the law believes, a number or an expression: somewhat less than there is. ``least`` is the
    least normal force. Where the contact slides, its friction is given, and the normal force alone is kept. Of a
    constraint, such as a weld under a foot, ``rows`` names the row that is normal, then one or two across it.
    """

    on: str
    friction: Any
    least: Any = 0.0
    rows: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.friction, (int, float)) and not (math.isfinite(self.friction) and self.friction >= 0.0):
            raise ModelError(f"the friction of the cone in '{self.on}' is {self.friction!r}. Give a coefficient that "
                             "is not negative.")  # fmt: skip
        if isinstance(self.least, (int, float)) and not (math.isfinite(self.least) and self.least >= 0.0):
            raise ModelError(f"the least force of the cone in '{self.on}' is {self.least!r}. Give a force that is not "
                             "negative: a cone has no other.")  # fmt: skip
        if self.rows is not None and len(self.rows) not in (1, 2, 3):
            raise ModelError(f"the cone in '{self.on}' has the rows {self.rows!r}. Name the one that is normal, then "
                             "those across it.")  # fmt: skip

    def places(self, rows: Rows, bilateral: frozenset[str]) -> list[tuple[int, int, int]]:
        """The rows of its normals and tangents in a mode, −1 where there is none; nothing where it does not hold."""
        if self.rows is not None:
            held = [rows.names.index(name) for name in self.rows if name in rows.names]
            wrong = [name for name in self.rows if name not in rows.names]
            if wrong and (held or self.on in rows.slices):
                known = rows.names[rows.slices[self.on]] if self.on in rows.slices else rows.names
                raise ModelError(f"the cone in '{self.on}' names the row {', '.join(wrong)}, and the rows are "
                                 f"{', '.join(known)}. Name the one that is normal, then those across it.")  # fmt: skip
            return [_three(held)] if held else []
        found = []
        for whose, part in rows.slices.items():
            if whose.endswith((ROLLING, PIVOTING)) or not is_of(whose, self.on):
                continue
            if whose in bilateral:
                raise ModelError(f"'{self.on}' is a constraint with the rows {', '.join(rows.names[part])}: which of "
                                 "them is normal is not known. Name it, then those across: "
                                 f"lw.control.Cone('{self.on}', 0.6, rows=[...]).")  # fmt: skip
            found.append(_three(list(range(part.start, part.stop))))
        return found

    def must_be_known(self, model: str, names: Sequence[str]) -> None:
        """Refuse what is not there."""
        if not any(is_of(self.on, name) for name in names):
            raise ModelError(f"'{self.on}', whose cone a law is to keep, is no constraint or contact of '{model}'."
                             f"{did_you_mean(self.on, names)}")  # fmt: skip


def is_of(whose: str, name: str) -> bool:
    """Whether something is what a name says, or a feature of it."""
    return whose == name or whose.partition(":")[0] == name


def _three(rows: list[int]) -> tuple[int, int, int]:
    first, second, third = [*rows, -1, -1][:3]
    return first, second, third
