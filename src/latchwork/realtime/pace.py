"""Pace: how well a loop keeps time. Counts of all ticks, and the busy times and delays of the last second."""

from __future__ import annotations

import math
import time

import numpy as np

from latchwork.realtime.board import Beat

BEHIND = 100  # ticks that are caught up at most; more than these are given up
LATE = 0.5  # of a period: a tick that begins later than this is late
KEPT_TICKS = 1000
EDGES = np.concatenate([[0.0], np.logspace(0, 5, 101)])  # µs, of the histogram of busy times


class Pace:
    """Deadlines, and what became of them."""

    def __init__(self) -> None:
        self.ticks = self.late = self.missed = self.overruns = 0
        self._busy, self._delay = np.zeros(KEPT_TICKS), np.zeros(KEPT_TICKS)
        self.histogram = np.zeros(len(EDGES), dtype=np.int64)
        self.longest = 0.0  # µs, of all ticks
        self._figures = (0.0, 0.0, 0.0, 0.0)
        self.due = time.perf_counter()

    def begins(self, now: float, period: float) -> None:
        """A tick begins."""
        delay = now - self.due
        self._delay[self.ticks % KEPT_TICKS] = delay
        self.late += delay > LATE * period

    def ends(self, began: float, now: float, period: float) -> None:
        """It has ended: the next is due a period later; of those that are missed, few are caught up."""
        busy = now - began
        self._busy[self.ticks % KEPT_TICKS] = busy
        self.histogram[np.searchsorted(EDGES, 1e6 * busy) - 1] += 1
        self.longest = max(self.longest, 1e6 * busy)
        self.ticks += 1
        self.overruns += busy > period
        self.due += period
        behind = math.floor((now - self.due) / period)
        if behind > BEHIND:
            self.missed += behind
            self.due += behind * period

    def rests(self, now: float) -> None:
        """Nothing is due while the mechanism is paused."""
        self.due = now

    def measure(self) -> None:
        """Work out the figures of the last second."""
        count = min(self.ticks, KEPT_TICKS)
        if count:
            busy = 1e6 * self._busy[:count]
            median, p99 = np.percentile(busy, [50.0, 99.0]).tolist()
            self._figures = median, p99, float(busy.max()), 1e6 * float(self._delay[:count].std())

    def beat(self, switches: int, switch: float, dropped: int, rss: int, ahead: float) -> Beat:
        """All of it for the board."""
        return Beat(self.ticks, self.late, self.missed, self.overruns, *self._figures, switches, switch, dropped, rss,
                    ahead)  # fmt: skip

    def quantile(self, part: float) -> float:
        """The busy time, in µs, that this part of all ticks stayed below."""
        total = np.cumsum(self.histogram)
        place = int(np.searchsorted(total, part * total[-1])) + 1
        return float(EDGES[min(place, len(EDGES) - 1)]) if total[-1] else 0.0
