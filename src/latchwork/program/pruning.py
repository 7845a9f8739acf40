"""The cache of machine code is kept small: beyond a size, what was not used for longest goes.

Only files with names like our own are touched. Whoever reads a file while it goes has it whole, or finds none and makes
it again; several processes may prune at once, for it does not matter which of them removes a file.
"""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

MAX_BYTES = 256 * 2**20  # bytes; some 10,000 programs of a robot
LEFT = 0.75  # of them, after pruning, so that it is seldom
OURS = re.compile(r"[0-9a-f]{64}\.(o|\d+\.\d+)")  # an entry, or one that is being written
STALE = 3600.0  # seconds after which nobody writes an entry any more
DAY = 86400.0


def used(path: Path) -> None:
    """Note that an entry was used, once a day: its time of change is the day of its last use."""
    with contextlib.suppress(OSError):
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)


def prune(place: Path, most: int = MAX_BYTES) -> None:
    """Remove the oldest entries of a place that holds more than ``most`` bytes, and those that were never finished."""
    entries, total = [], 0
    for name, changed, size in _files(place):
        if name.endswith(".o"):
            entries.append((changed, size, name))
            total += size
        elif time.time() - changed > STALE:
            _remove(place / name)
    if total <= most:
        return
    for _, size, name in sorted(entries):
        _remove(place / name)
        total -= size
        if total <= LEFT * most:
            break


def _files(place: Path) -> Iterator[tuple[str, float, int]]:
    """Name, time of change and size of our own files; those that go meanwhile are left out."""
    with contextlib.suppress(OSError), os.scandir(place) as items:
        for item in items:
            with contextlib.suppress(OSError):
                if OURS.fullmatch(item.name):
                    yield item.name, item.stat().st_mtime, item.stat().st_size


def _remove(path: Path) -> None:
    """A file that another removed, or has open where that prevents it, is no trouble."""
    with contextlib.suppress(OSError):
        path.unlink()
