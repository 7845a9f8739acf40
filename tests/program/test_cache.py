"""Machine code kept between processes: found again, never trusted when damaged, never needed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

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


@pytest.mark.parametrize("keep", [0, 10, 32, 33])
def test_a_truncated_file_is_made_again(place, keep):
    """A file that lost its end, or all of it, is not used."""
    cached(("a",), lambda: b"code")
    (file,) = place.iterdir()
    file.write_bytes(file.read_bytes()[:keep])
    assert cached(("a",), lambda: b"fresh") == b"fresh"


def test_a_file_of_another_key_is_made_again(place):
    """A whole file under a name that is not its own is not used."""
    cached(("a",), lambda: b"code")
    (file,) = place.iterdir()
    cached(("b",), lambda: b"other")
    (other,) = set(place.iterdir()) - {file}
    file.write_bytes(other.read_bytes())
    assert cached(("a",), lambda: b"fresh") == b"fresh"


def test_no_cache_is_a_warning_once(tmp_path, monkeypatch):
    """Where nothing can be kept, things are made each time, and a warning says so the first time."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path / "file"))
    with pytest.warns(RuntimeWarning, match="cannot be kept"):
        assert cached(("a",), lambda: b"code") == b"code"
    assert cached(("a",), lambda: b"again") == b"again"


def test_a_full_disk_leaves_nothing_behind(place, monkeypatch):
    """A file that could not be written whole is taken away."""

    def full(path: Path, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.warns(RuntimeWarning, match="No space left"):
        assert cached(("a",), lambda: b"code") == b"code"
    assert list(place.iterdir()) == []


def test_many_writers_of_one_key_do_not_disturb_each_other(place):
    """Threads that make the same thing at once all get it whole, and so does the next reader."""
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: cached(("a",), lambda: b"code" * 10_000), range(64)))
    assert found == {b"code" * 10_000} == {cached(("a",), refuse)}
    assert len(list(place.iterdir())) == 1


def test_the_place_follows_the_environment(tmp_path, monkeypatch):
    """XDG_CACHE_HOME moves the cache; LATCHWORK_CACHE moves it first."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert directory() == tmp_path / "cache"
    monkeypatch.delenv("LATCHWORK_CACHE")
    assert directory() == tmp_path / "latchwork"
