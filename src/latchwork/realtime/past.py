"""Past: the last minute of a run, so that it can be rewound and goes on bit for bit as it did before.

At each tick the numbers are kept: t, (q, u, work), and what is held. What stands (constraints, contacts, rules, chosen
speeds) changes seldom; a mark of it is kept where it has changed.
"""

from __future__ import annotations

from collections import deque
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.hybrid.rules import Watched
from latchwork.realtime.board import Array
from latchwork.realtime.stepped import Stepped

SECONDS = 60.0
MOST_BYTES = 64_000_000
WATCHED = ("armed", "fresh", "due", "sure", "spent", "rising", "since", "last")


@dataclass(frozen=True, eq=False)
class Mark:
    """All of a simulation that is not numbers, as it stood at some tick."""

    equations: Any
    driven: Any
    workshop: Any
    holds: dict[str, Any]
    standings: Any
    crossed: int
    rules: tuple[Any, ...]
    fired: tuple[Any, ...]
    stages: dict[Any, Any]
    thicket: Any
    presence: dict[Any, Any]
    settled: bool
    begun: bool

    def still(self, sim: Stepped) -> bool:
        """Whether a simulation stands so now."""
        return (self.crossed == sim.crossed and self.settled == sim._settled
                and self.begun == bool(sim._segments) and self.workshop is sim._workshop
                and self.driven is sim.driven and self.holds == sim._holds and self.stages == sim._workshop._stages
                and self.rules == _rules(sim) and self.thicket == sim._thicket)  # fmt: skip

    def put_back(self, sim: Stepped) -> None:
        """Let a simulation stand so again."""
        sim.equations, sim.driven, sim._workshop = self.equations, self.driven, self.workshop
        sim._holds, sim._standings = dict(self.holds), self.standings.copied()
        sim.crossed, sim._settled, sim._pending = self.crossed, self.settled, None
        sim._workshop._stages = dict(self.stages)
        sim._thicket, sim._presence = _copied(self.thicket), dict(self.presence)
        for watched, values in zip(sim._rules.watched, self.rules, strict=False):
            for name, value in zip(WATCHED, values, strict=True):
                setattr(watched, name, value)
        sim._rules.fired = list(self.fired)
        sim._events, sim.switches = [], []
        if not self.begun:
            sim._segments.clear()


def mark_of(sim: Stepped) -> Mark:
    """How a simulation stands."""
    return Mark(sim.equations, sim.driven, sim._workshop, dict(sim._holds), sim._standings.copied(), sim.crossed,
                _rules(sim), tuple(sim._rules.fired), dict(sim._workshop._stages), _copied(sim._thicket),
                dict(sim._presence), sim._settled, bool(sim._segments))  # fmt: skip


def _rules(sim: Stepped) -> tuple[Any, ...]:
    return tuple(map(_standing, sim._rules.watched))


def _standing(w: Watched) -> tuple[Any, ...]:
    return w.armed, w.fresh, w.due, w.sure, w.spent, w.rising, w.since, w.last


def _copied(thicket: Any) -> Any:
    found = copy(thicket)
    found.times = thicket.times.copy()
    return found


class Past:
    """States by the number of the tick, from the start or a minute ago until now."""

    def __init__(self, sim: Stepped, step: float, seconds: float = SECONDS) -> None:
        self.step = step
        self._width = len(self._row(sim))
        self._length = max(2, min(round(seconds / step), MOST_BYTES // (8 * self._width)))
        self._rows = np.zeros((self._length, self._width))
        self._marks: deque[tuple[int, Mark]] = deque()
        self._first = self._row(sim), mark_of(sim)
        self.tick = -1
        self._oldest = 0
        self.keep(sim)

    @staticmethod
    def _row(sim: Stepped) -> Array:
        return np.concatenate([[sim.t, len(sim._x)], sim._x, sim._rest])

    @property
    def mark(self) -> Mark:
        """How it stands now."""
        return self._marks[-1][1]

    def keep(self, sim: Stepped) -> None:
        """One more tick."""
        self.tick += 1
        row = self._row(sim)
        if len(row) > self._width:
            self._rows = np.pad(self._rows, ((0, 0), (0, len(row) - self._width)))
            self._width = len(row)
        self._rows[self.tick % self._length, : len(row)] = row
        self._oldest = max(self._oldest, self.tick - self._length + 1)
        if not self._marks or not self._marks[-1][1].still(sim):
            self._marks.append((self.tick, mark_of(sim)))
        while len(self._marks) > 1 and self._marks[1][0] <= self._oldest:
            self._marks.popleft()

    def changed(self, sim: Stepped) -> None:
        """Something was changed between two ticks: keep the present one again."""
        self.tick -= 1
        while self._marks and self._marks[-1][0] > self.tick:
            self._marks.pop()
        self.keep(sim)

    def back(self, sim: Stepped, ticks: int) -> int:
        """Put a simulation back by so many ticks, or as far as is known; gives by how many."""
        target = max(self.tick - ticks, self._oldest)
        gone, self.tick = self.tick - target, target
        while self._marks[-1][0] > target:
            self._marks.pop()
        self._put(sim, self._rows[target % self._length], self._marks[-1][1])
        return gone

    def reset(self, sim: Stepped) -> None:
        """Put a simulation back to its start, and forget what was."""
        self._put(sim, *self._first)
        self._marks.clear()
        self.tick, self._oldest = -1, 0
        self.keep(sim)

    def _put(self, sim: Stepped, row: Array, mark: Mark) -> None:
        mark.put_back(sim)
        n = 2 + int(row[1])
        rest = n + len(sim.driven.held)
        sim.t, sim._x, sim._rest = float(row[0]), row[2:n].copy(), row[n:rest].copy()
