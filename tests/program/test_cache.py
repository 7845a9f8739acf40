"""Machine code kept between processes: found again, never trusted when damaged, never needed."""

from __future__ import annotations

import pytest

from latchwork.program.cache import cached, directory


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A cache of its own for each test."""
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def refuse() -> bytes:
    """A maker that must not be asked."""
    raise AssertionError("made again")


def test_the_same_parts_are_made_once():
    """A second request finds the bytes of the first; other parts do not."""
    assert cached(("a", "b"), lambda: b"code") == b"code"
    assert cached(("a", "b"), refuse) == b"code"
    assert cached(("a", "c"), lambda: b"other") == b"other"


def test_a_damaged_file_is_made_again(place):
    """Bytes that do not fit their digest are not used."""
    cached(("a",), lambda: b"code")
    (file,) = place.iterdir()
    file.write_bytes(file.read_bytes()[:-1] + b"X")
    assert cached(("a",), lambda: b"fresh") == b"fresh"
    assert cached(("a",), refuse) == b"fresh"


def test_no_cache_is_no_error(tmp_path, monkeypatch):
    """Where nothing can be kept, things are made each time."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path / "file"))
    assert cached(("a",), lambda: b"code") == b"code"
    assert cached(("a",), lambda: b"again") == b"again"


def test_the_place_follows_the_environment(tmp_path, monkeypatch):
    """XDG_CACHE_HOME moves the cache; LATCHWORK_CACHE moves it first."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert directory() == tmp_path / "cache"
    monkeypatch.delenv("LATCHWORK_CACHE")
    assert directory() == tmp_path / "latchwork"
