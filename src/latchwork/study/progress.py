"""How far a study is."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from latchwork.errors import ArgumentError


@dataclass(frozen=True)
class Progress:
    """Points of a study: those done, failed and missing; seconds since it was begun, and about so many left."""

    done: int
    failed: int
    missing: int
    seconds: float = 0.0
    left: float | None = None

    @property
    def total(self) -> int:
        return self.done + self.failed + self.missing

    def __str__(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        left = "" if self.left is None or not self.missing else f", about {duration(self.left)} left"
        return f"{self.done + self.failed} of {self.total} points{failed}{left}"


def duration(seconds: float) -> str:
    """A length of time in words."""
    for limit, unit, name in ((120.0, 1.0, "s"), (7200.0, 60.0, "min"), (172800.0, 3600.0, "h")):
        if seconds < limit:
            return f"{seconds / unit:.2g} {name}" if seconds < 10.0 else f"{seconds / unit:.0f} {name}"
    return f"{seconds / 86400.0:.0f} days"


def listener(progress: Any) -> Callable[[Progress], None]:
    """Who hears of it: a function, standard error where True, nobody otherwise."""
    if progress is True:
        return lambda now: print(f"\r{now}".ljust(72), end="\n" if not now.missing else "", file=sys.stderr, flush=True)
    if callable(progress):
        return progress
    if progress is None or progress is False:
        return lambda now: None
    raise ArgumentError(f"progress is {progress!r}. Give True, or a function that hears lw.study.Progress.")
