"""Where a hand goes: rows of times and places, joined by lines or cubics, or formulas in t."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from latchwork.errors import EvaluationError
from latchwork.formats.expressions.parser import parse
from latchwork.model import Model
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.realtime.devices.device import NULL, Quadruple, Triple
from latchwork.realtime.triples import add, inverse, minus, product, rotation_vector, times, turned, unit
from latchwork.symbolic.expr import Expr

KINDS = ("linear", "cubic")


class Going(NamedTuple):
    """Where a hand is, and how it moves."""

    place: Triple
    velocity: Triple
    turn: Quadruple | None = None
    spin: Triple = NULL


Path = Callable[[float], Going]


@dataclass(frozen=True)
class Rows:
    """Rows (t, x, y, z), or (t, x, y, z, e0, e1, e2, e3) where the hand turns too; at rest before and after them.

    ``"linear"`` goes straight from row to row; ``"cubic"`` has the speed of the two neighbours in each row, and none in
    the first and the last. The hand turns steadily from row to row, the shorter way.
    """

    rows: Sequence[Sequence[float]]
    kind: str = "cubic"

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise EvaluationError(f"a path cannot be '{self.kind}'. Choose 'linear' or 'cubic'.")
        for number, row in enumerate(self.rows, 1):
            if len(row) not in (4, 8) or len(row) != len(self.rows[0]) or not all(map(math.isfinite, row)):
                raise EvaluationError(f"row {number} of a path is {list(row)!r}. Give t, x, y, z in each, or in each "
                                      "also the four numbers of a quaternion, all of them finite.")  # fmt: skip
            if len(row) == 8 and not any(row[4:]):
                raise EvaluationError(f"row {number} of a path turns by the quaternion 0. Give one of length 1.")
        if not self.rows or any(b <= a for a, b in zip(self._times, self._times[1:], strict=False)):
            raise EvaluationError(f"the times of a path are {self._times}. Give one row at least, later and later.")

    def __call__(self, t: float) -> Going:
        """Place and velocity at a time."""
        i, last = bisect_right(self._times, t) - 1, len(self.rows) - 1
        if i < 0 or i >= last:
            end = 0 if i < 0 else last
            return Going(self._places[end], NULL, self._turns[end] if self._turns else None)
        span = self._times[i + 1] - self._times[i]
        s = (t - self._times[i]) / span
        turn, spin = self._turning(i, s, span)
        return Going(*self._between(i, s, span), turn, spin)

    def _between(self, i: int, s: float, span: float) -> tuple[Triple, Triple]:
        """The cubic p0 + (s²(3 − 2s)) Δ + ..., and its derivative; or the line."""
        p, way = self._places[i], minus(self._places[i + 1], self._places[i])
        if self.kind == "linear":
            return add(p, times(s, way)), times(1.0 / span, way)
        a, b = times(span, self._speeds[i]), times(span, self._speeds[i + 1])
        place = add(add(p, times(s * s * (3.0 - 2.0 * s), way)),
                    add(times(s * (1.0 - s) ** 2, a), times(s * s * (s - 1.0), b)))  # fmt: skip
        rate = add(times(6.0 * s * (1.0 - s), way),
                   add(times((1.0 - s) * (1.0 - 3.0 * s), a), times(s * (3.0 * s - 2.0), b)))  # fmt: skip
        return place, times(1.0 / span, rate)

    def _turning(self, i: int, s: float, span: float) -> tuple[Quadruple | None, Triple]:
        if not self._turns:
            return None, NULL
        way = rotation_vector(product(self._turns[i + 1], inverse(self._turns[i])))
        return product(turned(times(s, way)), self._turns[i]), times(1.0 / span, way)

    @cached_property
    def _times(self) -> list[float]:
        return [float(row[0]) for row in self.rows]

    @cached_property
    def _places(self) -> list[Triple]:
        return [(float(row[1]), float(row[2]), float(row[3])) for row in self.rows]

    @cached_property
    def _turns(self) -> list[Quadruple]:
        return [unit((row[4], row[5], row[6], row[7])) for row in self.rows if len(row) == 8]

    @cached_property
    def _speeds(self) -> list[Triple]:
        """(p_{i+1} − p_{i−1}) / (t_{i+1} − t_{i−1}); at rest at both ends."""
        p, t = self._places, self._times
        inner = [times(1.0 / (t[i + 1] - t[i - 1]), minus(p[i + 1], p[i - 1])) for i in range(1, len(p) - 1)]
        return [NULL, *inner, NULL]


class Formulas:
    """x, y and z as formulas in t, e.g. ``("0.2*cos(3*t)", "0.2*sin(3*t)", "0")``; the velocity is their derivative."""

    def __init__(self, x: Any, y: Any, z: Any) -> None:
        self.texts = (str(x), str(y), str(z))
        model = Model("path of a hand")
        places = [_scalar(text, model) for text in self.texts]
        rates = [place.diff(model.time) for place in places]
        self._function = Function(lower(model.graph, [e.node for e in (*places, *rates)], [model.time]))

    def __call__(self, t: float) -> Going:
        """Place and velocity at a time."""
        x, y, z, u, v, w = self._function([t]).tolist()
        return Going((x, y, z), (u, v, w))


def _scalar(text: str, model: Model) -> Expr:
    found = parse(text, model, "path of a hand")
    if not isinstance(found, Expr):
        raise EvaluationError(f"'{text}' in the path of a hand is a vector. Give one for each axis of N.")
    return found
