"""Machine code kept between processes, by content: the same key always means the same bytes.

Files live in the user's cache directory. A cache that cannot be read or written is no cache, and no error.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

PLACES = {"win32": "AppData/Local/latchwork/Cache", "darwin": "Library/Caches/latchwork"}


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
    try:
        path = directory() / f"{key}.o"
        data = path.read_bytes()
    except (OSError, RuntimeError):
        data = b""
    if intact(data):
        return data[32:]
    made = make()
    _keep(key, hashlib.sha256(made).digest() + made)
    return made


def intact(data: bytes) -> bool:
    """Whether the first 32 bytes are the digest of the rest."""
    return len(data) > 32 and hashlib.sha256(data[32:]).digest() == data[:32]


def _keep(key: str, data: bytes) -> None:
    """Write beside, then rename: a reader sees the whole file or none."""
    try:
        place = directory()
        place.mkdir(parents=True, exist_ok=True)
        beside = place / f"{key}.{os.getpid()}.{threading.get_ident()}"
        beside.write_bytes(data)
        beside.replace(place / f"{key}.o")
    except (OSError, RuntimeError):
        return
