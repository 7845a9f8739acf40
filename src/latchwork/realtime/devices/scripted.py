"""A hand that follows a script: for tests, and for demonstrations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from latchwork.errors import EvaluationError
from latchwork.realtime.devices.device import FREE, NULL, Reading, Triple
from latchwork.realtime.devices.paths import Formulas, Path, Rows

KEYS = ("body", "arm", "path", "kind", "from", "until")


@dataclass(frozen=True)
class Grasp:
    """A body held at an arm from one time until another, along a path."""

    body: str
    path: Path
    arm: Triple = NULL
    begin: float = 0.0
    end: float = math.inf


class Scripted:
    """A hand that does one grasp after another. What it felt last is in ``force`` and ``torque``."""

    def __init__(self, *grasps: Grasp, damping: float | None = None) -> None:
        self.grasps, self.damping = grasps, damping
        self.force = self.torque = NULL

    def read(self, tick: int, t: float) -> Reading:
        """The grasp that holds at a time; of two the later one."""
        for grasp in reversed(self.grasps):
            if grasp.begin <= t < grasp.end:
                now = grasp.path(t)
                return Reading(grasp.body, grasp.arm, now.place, now.velocity, now.turn, now.spin)
        return FREE

    def write(self, tick: int, t: float, force: Triple, torque: Triple) -> None:
        """Remember what was felt."""
        self.force, self.torque = force, torque

    def close(self) -> None:
        """There is nothing to give back."""


def scripted(data: Sequence[Mapping[str, Any]], damping: float | None = None) -> Scripted:
    """A scripted hand from plain data: one mapping for each grasp.

    ``{"body": "lower", "arm": [0, -0.4, 0], "path": [[0, 0.1, 0, 0], [1, 0.3, 0, 0]], "kind": "cubic"}``; the path may
    be three formulas in t as well. It holds from the first row until the last, unless "from" and "until" say otherwise.
    """
    return Scripted(*(_grasp(number, row) for number, row in enumerate(data, 1)), damping=damping)


def _grasp(number: int, row: Mapping[str, Any]) -> Grasp:
    unknown = [key for key in row if key not in KEYS]
    if unknown or "body" not in row or "path" not in row:
        raise EvaluationError(f"grasp {number} of a script says {', '.join(map(repr, row)) or 'nothing'}. Give 'body' "
                              f"and 'path', and if need be {', '.join(map(repr, KEYS[1:]))}.")  # fmt: skip
    path = _path(row["path"], row.get("kind", "cubic"))
    begin, end = (path.rows[0][0], path.rows[-1][0]) if isinstance(path, Rows) else (0.0, math.inf)
    x, y, z = (float(value) for value in row.get("arm", NULL))
    return Grasp(str(row["body"]), path, (x, y, z), float(row.get("from", begin)), float(row.get("until", end)))


def _path(given: Any, kind: str) -> Rows | Formulas:
    if len(given) == 3 and all(isinstance(item, str) for item in given):
        return Formulas(*given)
    return Rows(tuple(tuple(float(value) for value in row) for row in given), kind)
