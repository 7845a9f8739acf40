"""The automaton as it is gone through: modes visited so far, what led from one to another and how often, as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from latchwork.view.automaton import STYLE, Automaton, drawn

MOST_MODES = 200  # that are remembered
MOST_LABELS = 12  # of one arrow
INSTANT = 2e-3  # s after the start within which contacts settle
REST = "others"


class Visits:
    """Modes numbered in the order of first visits; those of a loop have numbers of its own, which differ by order."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.modes: dict[frozenset[str], tuple[str, ...]] = {}
        self.numbers: dict[int, int] = {}  # by the loop's own
        self.arrows: dict[tuple[int, int], Counter[str]] = {}
        self.seconds: Counter[int] = Counter()
        self.here: int | None = None
        self.since = 0.0
        self.pending: list[str] = []
        self.changed = True

    def take(self, row: Mapping[str, Any]) -> None:
        """One row of news: an event says why, a mode says where to."""
        if row.get("kind") == "event":
            self._event(f"{row['what']}: {row['name']}", row.get("before") == row.get("after"))
        elif row.get("kind") == "mode":
            self._mode(int(row["number"]), tuple(row["names"]), float(row["t"]))

    def _event(self, label: str, stays: bool) -> None:
        self.pending = [*self.pending[-3:], label] if label not in self.pending else self.pending
        if stays and self.here is not None:
            self._count(self.here, self.here)

    def _mode(self, number: int, names: tuple[str, ...], t: float) -> None:
        key = frozenset(names)
        if len(self.modes) == 1 and not (self.arrows or self.pending) and t - self.since <= INSTANT:
            self.modes, self.numbers, self.here = {}, {}, None  # what held before the first step was no visit
        if key not in self.modes and len(self.modes) >= MOST_MODES:
            return
        self.modes.setdefault(key, names)
        there = self.numbers[number] = list(self.modes).index(key) + 1
        if self.here is not None:
            self.seconds[self.here] += max(0.0, t - self.since)  # type: ignore[assignment]
            if there != self.here:
                self._count(self.here, there)
        self.here, self.since, self.changed = there, t, True

    def _count(self, before: int, after: int) -> None:
        """Count what has happened since the last transition, as the reason for this one."""
        labels = self.arrows.setdefault((before, after), Counter())
        label = " + ".join(self.pending)
        labels[label if label in labels or len(labels) < MOST_LABELS else REST] += 1
        self.pending, self.changed = [], True

    def again(self, t: float) -> None:
        """The run was taken back: no transition led there."""
        self.here, self.since, self.pending = None, t, []

    def svg(self) -> str:
        """The picture, without a style of its own; empty where no mode is known yet."""
        self.changed = False
        if not self.modes:
            return ""
        modes = list(self.modes.values())
        seconds = [float(self.seconds[k]) for k in range(1, len(modes) + 1)]
        return drawn(Automaton(self.name, modes, self.arrows, seconds)).replace(f"<style>{STYLE}</style>", "")
