"""Inputs from a table: rows of times and values, held from row to row or joined by straight lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError, spelled

Array = NDArray[np.float64]
KINDS = ("held", "linear")


def _numbers(what: str, given: Any) -> Array:
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise EvaluationError(f"the {what} of a table are {given!r:.60}. Give a list of numbers.") from None


@spelled
@dataclass(frozen=True, eq=False)
class Table:
    """Values of an input at some times: ``"held"`` until the next row, or ``"linear"`` in between.

    A run may not start before the first row; after the last row its value holds. Steps land on the rows exactly.
    """

    times: Any
    values: Any
    kind: str = "held"

    def __post_init__(self) -> None:
        t, v = _numbers("times", self.times), _numbers("values", self.values)
        if t.ndim != 1 or t.shape != v.shape or not len(t):
            raise EvaluationError(f"times of shape {t.shape} and values of shape {v.shape} are no table. Give a value "
                                  "for each time, and at least one.")  # fmt: skip
        if not (np.isfinite(t).all() and np.isfinite(v).all() and (np.diff(t) > 0.0).all()):
            raise EvaluationError("the times of a table grow from row to row, and its numbers are finite. Sort the "
                                  "rows, and leave out doubles and gaps.")  # fmt: skip
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise EvaluationError(f"a table cannot be '{self.kind}'. Choose 'held' or 'linear'.")
        object.__setattr__(self, "times", t)
        object.__setattr__(self, "values", v)

    def row(self, t: ArrayLike) -> NDArray[np.intp]:
        """The last row at or before each time."""
        when = np.asarray(t, dtype=float)
        if (when < self.times[0]).any():
            raise EvaluationError(
                f"a table whose first row is at t = {float(self.times[0])!r} says nothing at t = "
                f"{float(when.min())!r}. Give it a row at or before the start of the run."
            )
        return np.searchsorted(self.times, when, side="right") - 1

    def numbers(self, t: ArrayLike) -> Array:
        """What the program is given at each time: the value of the row; when linear, its time and slope as well."""
        i = self.row(t)
        if self.kind == "held":
            return np.asarray(self.values[i])[..., None]
        slopes = np.append(np.diff(self.values) / np.diff(self.times), 0.0)
        return np.stack([self.values[i], self.times[i], slopes[i]], axis=-1)
