"""The cache of machine code stays small, whoever else uses it."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from latchwork.program import pruning
from latchwork.program.cache import cached
from latchwork.program.pruning import DAY, LEFT, prune, used


@pytest.fixture
def place(tmp_path):
    """Ten entries of a hundred bytes, the first the oldest."""
    for i in range(10):
        path = tmp_path / f"{i:064x}.o"
        path.write_bytes(bytes(100))
        os.utime(path, (1e9 + i, 1e9 + i))
    return tmp_path


def names(place) -> list[str]:
    """What is left."""
    return sorted(path.name for path in place.iterdir())


def test_a_small_cache_is_left_alone(place):
    """Nothing goes up to the limit."""
    prune(place, 1000)
    assert len(names(place)) == 10


def test_the_oldest_go(place):
    """Beyond the limit the oldest go, until there is some room."""
    prune(place, 800)
    assert names(place) == [f"{i:064x}.o" for i in range(4, 10)]
    assert 100 * len(names(place)) <= LEFT * 800


def test_what_is_used_stays(place):
    """An entry that was used again is the newest."""
    used(place / f"{0:064x}.o")
    prune(place, 800)
    assert names(place)[0] == f"{0:064x}.o"


def test_use_is_noted_once_a_day(place):
    """A second use on the same day writes nothing."""
    path = place / f"{0:064x}.o"
    used(path)
    first = path.stat().st_mtime
    used(path)
    assert path.stat().st_mtime == first > 1e9 + DAY


def test_files_of_others_stay(place):
    """What is not named like an entry is nobody's business here."""
    others = ["notes.txt", "thesis.o", "a" * 63 + ".o"]
    for name in others:
        (place / name).write_bytes(bytes(10_000))
    prune(place, 0)
    assert names(place) == sorted(others)


def test_entries_that_were_never_finished_go(place):
    """Those of a process that ended long ago; not those being written now."""
    old, new = place / ("f" * 64 + ".12.34"), place / ("f" * 64 + ".56.78")
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(old, (1e9, 1e9))
    prune(place, 10_000)
    assert not old.exists()
    assert new.exists()


def test_many_may_prune_at_once(tmp_path, monkeypatch):
    """Whoever asks gets the right bytes while others prune, and nothing is warned of."""
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path))
    monkeypatch.setattr(pruning.prune, "__defaults__", (300,))

    def ask(i: int) -> bool:
        return cached((str(i % 17),), lambda: bytes([i % 17]) * 50) == bytes([i % 17]) * 50

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(400)))
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 300
