"""Machine code kept between processes: found again, never trusted when damaged, never needed."""

from __future__ import annotations

import errno
import os
import stat
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from latchwork.program import cache
from latchwork.program.cache import cached, directory
from latchwork.program.llvm import program_code
from random_programs import random_program

needs_owners = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners and modes of files")


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


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES])
def test_a_full_or_read_only_cache_stops_nothing(place, monkeypatch, code):
    """What cannot be written is made each time and said once; nothing is left behind, and what is there is used."""
    cached(("known",), lambda: b"code")
    monkeypatch.setattr(cache, "open", lambda *args: Failing(code, *args), raising=False)
    with pytest.warns(RuntimeWarning, match=f"cannot be kept in .*{os.strerror(code)}"):
        assert cached(("a",), lambda: b"code") == b"code"
    assert cached(("b",), lambda: b"again") == b"again"
    assert len(list(place.iterdir())) == 1
    monkeypatch.undo()
    monkeypatch.setenv("LATCHWORK_CACHE", str(place))
    assert cached(("known",), refuse) == b"code"


class Failing:
    """A file of which some bytes are written, and then no more."""

    def __init__(self, code: int, handle: int, mode: str) -> None:
        self.code, self.handle = code, handle

    def __enter__(self) -> Failing:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.handle)

    def write(self, data: bytes) -> None:
        os.write(self.handle, data[:5])
        raise OSError(self.code, os.strerror(self.code))


def test_a_cache_is_made_for_this_user_alone(place):
    """Neither its directory nor its files may be read or written by others, whatever the mask."""
    before = os.umask(0)
    try:
        cached(("a",), lambda: b"code")
    finally:
        os.umask(before)
    (file,) = place.iterdir()
    assert [stat.S_IMODE(each.stat().st_mode) for each in (place, file)] == [0o700, 0o600]


@needs_owners
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777, 0o720])
def test_a_directory_that_others_may_write_is_not_trusted(place, mode):
    """Nothing is taken from it, and nothing kept there; a warning says so once."""
    cached(("a",), lambda: b"poison")
    place.chmod(mode)
    with pytest.warns(RuntimeWarning, match=rf"is not used \(others may write to it, by its mode {mode:o}\)"):
        assert cached(("a",), lambda: b"code") == b"code"
    assert cached(("b",), lambda: b"more") == b"more"
    assert len(list(place.iterdir())) == 1
    place.chmod(0o700)
    assert cached(("a",), refuse) == b"poison"  # it would have been found


@needs_owners
def test_a_directory_of_another_user_is_not_trusted(place, monkeypatch):
    """Whoever owns a directory may put there what they like."""
    cached(("a",), lambda: b"poison")
    monkeypatch.setattr(os, "geteuid", lambda: place.stat().st_uid + 1)
    with pytest.warns(RuntimeWarning, match=r"is not used \(it belongs to another user\)"):
        assert cached(("a",), lambda: b"code") == b"code"


@needs_owners
def test_a_file_that_others_may_write_is_made_again(place):
    """A whole file with the right digest is not taken where others may have written it, and is replaced by our own."""
    cached(("a",), lambda: b"poison")
    (file,) = place.iterdir()
    for mode in (0o660, 0o606):
        file.chmod(mode)
        assert cached(("a",), lambda: b"code") == b"code"
        assert cached(("a",), refuse) == b"code"


@needs_owners
def test_a_file_of_another_user_is_made_again(place, monkeypatch):
    """The owner of each file is looked at, too."""
    cached(("a",), lambda: b"poison")
    own, stats = os.geteuid(), os.fstat

    def of_another(handle: int) -> os.stat_result:
        found = stats(handle)
        return os.stat_result((*found[:4], own + 1, *found[5:10]))

    monkeypatch.setattr(os, "fstat", of_another)
    assert cached(("a",), lambda: b"code") == b"code"


@needs_owners
@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "endless"])
def test_what_is_no_file_is_made_again(place, tmp_path, kind):
    """A link is not followed, not even to a good file; a pipe does not block."""
    cached(("a",), lambda: b"poison")
    (file,) = place.iterdir()
    file.rename(tmp_path / "elsewhere")
    link = {"link": tmp_path / "elsewhere", "endless": "/dev/zero"}.get(kind)
    if link:
        file.symlink_to(link)
    else:
        (os.mkfifo if kind == "pipe" else os.mkdir)(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a folder stays where it is
        assert cached(("a",), lambda: b"code") == b"code"
    assert (tmp_path / "elsewhere").read_bytes().endswith(b"poison")


def test_code_of_another_program_is_not_taken(place):
    """Two programs whose files were exchanged are compiled again, to their own code."""
    programs = random_program(1), random_program(2)
    codes = [program_code(program) for program in programs]
    files = sorted(place.iterdir())
    data = [file.read_bytes() for file in files]
    for file, other in zip(files, reversed(data), strict=True):
        file.write_bytes(other)
    assert [program_code(program) for program in programs] == codes
    assert [file.read_bytes() for file in files] == data


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
