"""Past: the last minute of a run, so that it can be rewound and goes on bit for bit as it did before.

What a tick was given (inputs, forces of the hand, parameters) is kept for every tick; the state of the run now and
then, and where a command changed it. To rewind is to put back the last state before, and to tick on from there.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from latchwork.hybrid.state import SimState
from latchwork.realtime.stepped import Stepped

SECONDS = 60.0
EVERY = 1000  # ticks between marks
MOST_BYTES = 64_000_000
MOST_MARKS = 5000
GOES_ON, INTERRUPTED, UNSETTLED = 0.0, 1.0, 2.0  # what came before a tick


def mark_of(sim: Stepped) -> SimState:
    """How a simulation stands; what it did in one go is looked at anew from here on, now as after a rewind."""
    sim.interrupt()
    return sim.state


def put_back(sim: Stepped, mark: SimState) -> None:
    """Let a simulation stand so again; what happened since is not told."""
    sim.state = mark
    sim.interrupt()
    sim.drained()
    sim.record.pending = None
    if not mark.begun:
        sim.record.segments.clear()


class Past:
    """Ticks by number, from the start or a minute ago until now."""

    def __init__(self, sim: Stepped, step: float) -> None:
        self.step = step
        self._width = 1 + len(sim.state.rest)
        self._length = max(2 * EVERY, min(round(SECONDS / step) + EVERY, MOST_BYTES // (8 * self._width)))
        self._rows = np.zeros((self._length, self._width))
        self._start = mark_of(sim)
        self._marks: deque[tuple[int, SimState]] = deque([(0, self._start)])
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
        row[0], row[1:] = before, sim.state.rest
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
        put_back(sim, mark)
        while self.tick < target:
            row = self._rows[(self.tick + 1) % self._length]
            _interrupt(sim, row[0])
            sim.state = sim.state.but(rest=row[1:].copy())
            sim.on(self.step)
            self.tick += 1
        sim.drained()
        self._before = GOES_ON
        return gone

    def begin(self, sim: Stepped) -> None:
        """A simulation stands at its start now: there one comes back to."""
        self._start = mark_of(sim)
        self.reset(sim)

    def reset(self, sim: Stepped) -> None:
        """Put a simulation back to its start, and forget what was."""
        put_back(sim, self._start)
        self._marks = deque([(0, self._start)])
        self.tick, self._before = 0, GOES_ON


def _interrupt(sim: Stepped, before: float) -> None:
    if before != GOES_ON:
        sim.interrupt(before == UNSETTLED)
