"""Past: the last minute of a run, so that it can be rewound and goes on bit for bit as it did before.

What a tick was given (inputs, forces of the hand, parameters) is kept for every tick; how all stands (state,
constraints, contacts, rules, chosen speeds) now and then, and where a command changed it. To rewind is to put back the
last mark before, and to tick on from there.
"""

from __future__ import annotations

from collections import deque
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.realtime.board import Array
from latchwork.realtime.stepped import Stepped

SECONDS = 60.0
EVERY = 1000  # ticks between marks
MOST_BYTES = 64_000_000
MOST_MARKS = 5000
WATCHED = ("armed", "fresh", "due", "sure", "spent", "rising", "since", "last")
GOES_ON, INTERRUPTED, UNSETTLED = 0.0, 1.0, 2.0  # what came before a tick


@dataclass(frozen=True, eq=False)
class Mark:
    """A simulation as it stood between two ticks, all of it that matters to what comes."""

    t: float
    x: Array
    rest: Array
    equations: Any
    driven: Any
    mode_table: Any
    holds: dict[str, Any]
    contact_states: Any
    rules: tuple[tuple[Any, ...], ...]
    fired: tuple[Any, ...]
    stages: dict[Any, Any]
    thicket: Any
    presence: dict[Any, Any]
    settled: bool
    begun: bool

    def put_back(self, sim: Stepped) -> None:
        """Let a simulation stand so again."""
        sim.t, sim._x, sim._rest = self.t, self.x.copy(), self.rest.copy()
        sim.equations, sim.driven, sim._mode_table = self.equations, self.driven, self.mode_table
        sim._holds, sim._contact_states = dict(self.holds), self.contact_states.copied()
        sim._settled, sim._pending = self.settled, None
        sim._mode_table.stages = dict(self.stages)
        sim._thicket, sim._presence = _copied(self.thicket), dict(self.presence)
        for watched, values in zip(sim._rules.watched, self.rules, strict=True):
            vars(watched).update(zip(WATCHED, values, strict=True))
        sim._rules.fired = list(self.fired)
        sim._events, sim._told, sim.switches = [], (), []
        if not self.begun:
            sim._segments.clear()
        sim.interrupt()


def mark_of(sim: Stepped) -> Mark:
    """How a simulation stands; what it did in one go is looked at anew from here on, now as after a rewind."""
    sim.interrupt()
    rules = tuple(tuple(getattr(watched, name) for name in WATCHED) for watched in sim._rules.watched)
    return Mark(sim.t, sim._x.copy(), sim._rest.copy(), sim.equations, sim.driven, sim._mode_table, dict(sim._holds),
                sim._contact_states.copied(), rules, tuple(sim._rules.fired), dict(sim._mode_table.stages),
                _copied(sim._thicket), dict(sim._presence), sim._settled, bool(sim._segments))  # fmt: skip


def _copied(thicket: Any) -> Any:
    found = copy(thicket)
    found.times = thicket.times.copy()
    return found


class Past:
    """Ticks by number, from the start or a minute ago until now."""

    def __init__(self, sim: Stepped, step: float) -> None:
        self.step = step
        self._width = 1 + len(sim._rest)
        self._length = max(2 * EVERY, min(round(SECONDS / step) + EVERY, MOST_BYTES // (8 * self._width)))
        self._rows = np.zeros((self._length, self._width))
        self._start = mark_of(sim)
        self._marks: deque[tuple[int, Mark]] = deque([(0, self._start)])
        self.tick = 0
        self._before = GOES_ON

    def __len__(self) -> int:
        """How many marks there are."""
        return len(self._marks)

    @property
    def oldest(self) -> int:
        """The first tick that can be gone back to."""
        return self._marks[0][0]

    def make(self, sim: Stepped) -> None:
        """Make a tick; where it fails, whoever asked goes back."""
        before, self._before = self._before, GOES_ON
        _interrupt(sim, before)
        row = self._rows[(self.tick + 1) % self._length]
        row[0], row[1:] = before, sim._rest
        sim.on(self.step)
        self.tick += 1
        if self.tick % EVERY == 0:
            self._mark(sim)

    def _mark(self, sim: Stepped) -> None:
        self._marks.append((self.tick, mark_of(sim)))
        last = self.tick + EVERY - self._length
        while len(self._marks) > 1 and (self.oldest < last or len(self._marks) > MOST_MARKS):
            self._marks.popleft()

    def changed(self, sim: Stepped) -> None:
        """A command has changed what holds: how all stands now is where one comes back to."""
        while self._marks and self._marks[-1][0] >= self.tick:
            self._marks.pop()
        self._before = GOES_ON
        self._mark(sim)

    def nudged(self, unsettled: bool) -> None:
        """A command has changed what the next tick is given: let it look at everything anew."""
        self._before = max(self._before, UNSETTLED if unsettled else INTERRUPTED)

    def back(self, sim: Stepped, ticks: int) -> int:
        """Put a simulation back by so many ticks, or as far as is known; gives by how many."""
        target = max(self.tick - ticks, self.oldest)
        gone = self.tick - target
        while self._marks[-1][0] > target:
            self._marks.pop()
        self.tick, mark = self._marks[-1]
        mark.put_back(sim)
        while self.tick < target:
            row = self._rows[(self.tick + 1) % self._length]
            _interrupt(sim, row[0])
            sim._rest = row[1:].copy()
            sim.on(self.step)
            self.tick += 1
        sim.drained()
        self._before = GOES_ON
        return gone

    def reset(self, sim: Stepped) -> None:
        """Put a simulation back to its start, and forget what was."""
        self._start.put_back(sim)
        self._marks = deque([(0, self._start)])
        self.tick, self._before = 0, GOES_ON


def _interrupt(sim: Stepped, before: float) -> None:
    if before != GOES_ON:
        sim.interrupt(before == UNSETTLED)
