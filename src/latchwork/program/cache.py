"""Machine code kept between processes, by content: the same key always means the same bytes.

Files live in the user's cache directory. Machine code runs as it is, so it is taken only from a directory and files
that belong to this user and that nobody else may write. A file that is truncated, damaged, a link or another's is made
again. Where nothing can be kept or trusted, a warning says so once, and things are made each time. What was not used
for longest goes: see `pruning`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

from latchwork.program.pruning import prune, used

PLACES = {"win32": "AppData/Local/latchwork/Cache", "darwin": "Library/Caches/latchwork"}
DIGEST, MOST = 32, 64 * 2**20  # bytes of a digest, and of a file
OURS, OTHERS = 0o700, stat.S_IWGRP | stat.S_IWOTH
READING, WRITING = (
    sum(getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY", *flags))
    for flags in (("O_RDONLY",), ("O_WRONLY", "O_CREAT", "O_EXCL"))
)
said: set[str] = set()  # what was warned of


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
    place = _place()
    found = None if place is None else _read(place / f"{key}.o", key)
    if found is None:
        found = make()
        if place is not None:
            _keep(place, key, found)
    return found


def untrusted(found: os.stat_result) -> str:
    """Why others may have written a directory or a file; nothing where they cannot, or where nobody can tell."""
    if not hasattr(os, "geteuid"):  # on Windows the user's folders are closed to others by themselves
        return ""
    if found.st_uid != os.geteuid():
        return "it belongs to another user"
    return f"others may write to it, by its mode {stat.S_IMODE(found.st_mode):o}" if found.st_mode & OTHERS else ""


def _place() -> Path | None:
    """The directory, made where there is none; nothing where it cannot be made or trusted."""
    try:
        place = directory()
        place.mkdir(mode=OURS, parents=True, exist_ok=True)
        why = untrusted(place.stat())
    except (OSError, RuntimeError) as error:  # RuntimeError: no home directory
        _not_kept(error)
        return None
    if why:
        _warn_once(f"Machine code in '{place}' is not used ({why}): it is made anew in each process, with the same "
                   "numbers. Make the folder yours alone (chmod go-w), or set LATCHWORK_CACHE to one that is.")
    return None if why else place


def _digest(key: str, data: bytes) -> bytes:
    """What a file starts with: it binds the data to its key."""
    return hashlib.sha256(key.encode() + data).digest()


def _read(path: Path, key: str) -> bytes | None:
    """The data of a key, where its file is whole and its own."""
    try:
        handle = os.open(path, READING)
    except OSError:  # none there, or a link
        return None
    try:
        found = os.fstat(handle)
        fits = stat.S_ISREG(found.st_mode) and not untrusted(found) and found.st_size <= MOST
        data = _all(handle, found.st_size) if fits else b""
    except OSError:
        return None
    finally:
        os.close(handle)
    head, rest = data[:DIGEST], data[DIGEST:]
    if not rest or head != _digest(key, rest):
        return None
    used(path)
    return rest


def _all(handle: int, size: int) -> bytes:
    with open(handle, "rb", closefd=False) as file:
        return file.read(size)


def _keep(place: Path, key: str, data: bytes) -> None:
    """Write beside, then rename: a reader sees the whole file or none, whoever else writes it."""
    beside = place / f"{key}.{os.getpid()}.{threading.get_ident()}"
    try:
        beside.unlink(missing_ok=True)  # of a process that had our number
        with open(os.open(beside, WRITING, OURS & ~stat.S_IXUSR), "wb") as file:
            file.write(_digest(key, data) + data)
        beside.replace(place / f"{key}.o")
        prune(place)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        _not_kept(error)


def _not_kept(error: Exception) -> None:
    place = os.environ.get("LATCHWORK_CACHE", "the user's cache directory")
    _warn_once(f"Machine code cannot be kept in '{place}' ({getattr(error, 'strerror', None) or error}): it is made "
               "anew in each process, with the same numbers. Set LATCHWORK_CACHE to a folder that can be written.")


def _warn_once(text: str) -> None:
    """Say something once."""
    if text not in said:
        said.add(text)
        warnings.warn(text, RuntimeWarning, stacklevel=2)
