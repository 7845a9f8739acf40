"""Reactions at a state: what every constraint and every joint exerts, by name, in physical units."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.constraint.terms import Array
from latchwork.errors import EvaluationError, did_you_mean
from latchwork.kane.table import Table
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector

NOISE = 1e-13  # of the largest number of a reaction: less is printed as zero


@dataclass(frozen=True, eq=False)
class Reaction:
    """Force, and torque about the point ``at``, measures in N: ``on`` gets them, ``other`` gets the opposite.

    Where a constraint acts on more than two bodies there is one for each, with no other: ``"gear on pinion"``.
    ``lam`` holds the multipliers of a constraint and ``generalized`` its Bᵀ λ, the part of M u̇ = f + Bᵀ λ that is its
    own. A constraint that is given by an expression alone has no force and no torque: the joints whose speeds it ties
    carry it. Where rows are redundant λ is the one of least norm, and the rows of ``undetermined`` (force and torque,
    six numbers; or a generalized force) span what may be added without changing any motion.  [Aghili Remark 4]
    """

    name: str
    on: str | None
    other: str | None
    at: Point | None
    force: Array | None
    torque: Array | None
    lam: Array
    generalized: Array | None
    undetermined: Array
    measures: Callable[[Vector], Array] = field(repr=False)

    def along(self, direction: Vector) -> float:
        """The force along a direction."""
        return self._share(self.force, direction)

    def about(self, direction: Vector) -> float:
        """The torque about a direction, through the point ``at``."""
        return self._share(self.torque, direction)

    def _share(self, what: Array | None, direction: Vector) -> float:
        if what is None:
            raise EvaluationError(
                f"'{self.name}' is given by an expression, which says nothing of where its force acts; λ = {self.lam}. "
                "Ask the joints whose speeds it ties, or give the constraint pulls."
            )
        n = self.measures(direction)
        length = float(norm(n))
        if not length > 0.0:
            raise EvaluationError(f"the direction {direction} has no length there. Give one that points somewhere.")
        return float(dot(what, n) / length)

    def __str__(self) -> str:
        if self.force is None or self.torque is None:
            size = self._size(self.generalized if self.generalized is not None else self.lam)
            shown = "" if self.generalized is None else f", generalized force {_text(self.generalized, size)}"
            return f"{self.name}: λ = {_text(self.lam, self._size(self.lam))}{shown}{self._doubt}"
        size = self._size(np.concatenate([self.force, self.torque]))
        at = "" if self.at is None else f" at {self.at.name}"
        pair = self.on if self.other is None else f"{self.on} from {self.other}"
        text = f"{self.name}: on {pair}{at}: force {_text(self.force, size)}, "
        return f"{text}torque {_text(self.torque, size)}{self._doubt}"

    @property
    def _doubt(self) -> str:
        count = len(self.undetermined)
        return f"; not determined in {count} direction{'s' * (count > 1)}" if count else ""

    @staticmethod
    def _size(values: Array) -> float:
        return float(np.abs(values).max(initial=0.0))


def _text(values: Array, size: float) -> str:
    return "(" + ", ".join(f"{0.0 if abs(value) <= NOISE * size else value:.6g}" for value in values) + ")"


class Reactions(Mapping[str, Reaction]):
    """Reactions by name: constraints first, then joints, then bodies that only their coordinates hold."""

    def __init__(self, model: str, found: Mapping[str, Reaction]) -> None:
        self._model, self._found = model, dict(found)

    def __getitem__(self, name: str) -> Reaction:
        if not isinstance(name, str) or name not in self._found:
            hint = did_you_mean(str(name), self._found)
            raise EvaluationError(f"'{name}' is no constraint, joint or body with a reaction of '{self._model}'.{hint}")
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def get(self, name: str, default: Any = None) -> Any:
        """The reaction of a name, or else the default."""
        return self._found.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __str__(self) -> str:
        return "\n".join(map(str, self._found.values()))

    def _repr_html_(self) -> str:
        """A row for each, as a notebook shows them."""
        cells = []
        for each in self._found.values():
            parts = [part for part in (each.force, each.torque) if part is not None]
            size = max((float(np.abs(part).max(initial=0.0)) for part in parts), default=0.0)
            vectors = [_text(part, size) for part in parts] or [f"λ = {_text(each.lam, each._size(each.lam))}", ""]
            cells.append((each.on or "", each.other or "", "" if each.at is None else each.at.name, *vectors))
        return Table("", ("", "on", "from", "at", "force", "torque"), tuple(self._found), tuple(cells)).html()

    def __repr__(self) -> str:
        return f"<reactions of '{self._model}': {', '.join(self._found)}>"
