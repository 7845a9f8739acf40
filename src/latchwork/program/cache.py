"""Machine code kept between processes, by content: the same key always means the same bytes.

Files live in the user's cache directory. A file that is truncated, damaged or another's is made again. Where nothing
can be kept, a warning says so once, and things are made each time. What was not used for longest goes: see `pruning`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

from latchwork.program.pruning import prune, used

PLACES = {"win32": "AppData/Local/latchwork/Cache", "darwin": "Library/Caches/latchwork"}
DIGEST = 32
_warned: set[str] = set()


def directory() -> Path:
    """Where machine code is kept: ``LATCHWORK_CACHE``, or the platform's place for caches."""
    given = os.environ.get("LATCHWORK_CACHE")
    if given:
        return Path(given)
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base, "latchwork") if base else Path.home() / PLACES.get(sys.platform, ".cache/latchwork")


def cached(parts: tuple[str, ...], make: Callable[[], bytes]) -> bytes:
    """``make()``, or what it gave when last asked with the same parts."""
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    found = _read(key)
    if found is None:
        found = make()
        _keep(key, found)
    return found


def _digest(key: str, data: bytes) -> bytes:
    """What a file starts with: it binds the data to its key."""
    return hashlib.sha256(key.encode() + data).digest()


def _read(key: str) -> bytes | None:
    """The data of a key, where its file is whole and its own."""
    try:
        path = directory() / f"{key}.o"
        data = path.read_bytes()
    except (OSError, RuntimeError):  # RuntimeError: no home directory
        return None
    used(path)
    head, rest = data[:DIGEST], data[DIGEST:]
    return rest if rest and head == _digest(key, rest) else None


def _keep(key: str, data: bytes) -> None:
    """Write beside, then rename: a reader sees the whole file or none, whoever else writes it."""
    try:
        place = directory()
        place.mkdir(parents=True, exist_ok=True)
        beside = place / f"{key}.{os.getpid()}.{threading.get_ident()}"
        try:
            beside.write_bytes(_digest(key, data) + data)
            beside.replace(place / f"{key}.o")
            prune(place)
        except OSError:
            with contextlib.suppress(OSError):
                beside.unlink(missing_ok=True)
            raise
    except (OSError, RuntimeError) as error:
        _warn_once(error)


def _warn_once(error: Exception) -> None:
    """Say once for each place that nothing can be kept there."""
    place = os.environ.get("LATCHWORK_CACHE", "the user's cache directory")
    if place not in _warned:
        _warned.add(place)
        warnings.warn(
            f"Machine code cannot be kept in '{place}' ({error}): it is made anew in each process, with the same "
            "numbers. Set LATCHWORK_CACHE to a folder that can be written.",
            RuntimeWarning,
            stacklevel=2,
        )
