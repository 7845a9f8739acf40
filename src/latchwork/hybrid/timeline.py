"""What was worked on when, by the clock: integration of each mode, embedding of the next, compilation beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LANES = ("integrate", "embed", "compile")


class Work(NamedTuple):
    """A piece of work: its lane, the mode or constraint it was for, the simulated time at which it began, and the

    seconds since the start, by the clock, at which it began and ended.
    """

    lane: str
    name: str
    t: float
    began: float
    ended: float


@dataclass(frozen=True)
class Timeline:
    """Pieces of work in the order in which they began.  [Patoglu Fig. 11]"""

    entries: tuple[Work, ...] = ()
    born: float = 0.0  # by time.perf_counter(), when the seconds of its entries begin

    def __iter__(self) -> Iterator[Work]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def seconds(self, lane: str) -> float:
        """How long a lane was busy."""
        return sum(entry.ended - entry.began for entry in self.entries if entry.lane == lane)

    def __str__(self) -> str:
        lines = [
            f"{e.lane:<10} t = {e.t:<10.6g} {1e3 * e.began:10.3f} to {1e3 * e.ended:10.3f} ms  {e.name}"
            for e in self.entries
        ]
        return "\n".join(lines) or "nothing was timed"

    def plot(self, path: str | None = None) -> Figure:
        """A figure of the lanes under one another on one axis of time; saved where ``path`` is given."""
        from latchwork.view.timeline import draw_timeline

        return draw_timeline(self.entries, path)
