"""Files from elsewhere are read within bounds, and files of our own are written whole or not at all."""

from __future__ import annotations

import ast
import os
import socket
import stat
from pathlib import Path

import pytest

import latchwork as lw
from contact_scenes import World
from hybrid_runs import pendulum
from latchwork.files import read_text, write_text, written
from latchwork.realtime.devices.recording import load


def included(path: Path) -> lw.Model:
    """A robot that includes a file."""
    robot = path.with_name("whole.xml")
    robot.write_text(f'<mujoco><include file="{path.name}"/></mujoco>', encoding="utf-8")
    return lw.load(robot)


READERS = {
    "model.yaml": lw.load, "robot.urdf": lw.load, "robot.xml": lw.load, "part.xml": included, "hand.jsonl": load,
    "session.jsonl": lw.replay, "mesh.stl": lambda path: World("free").bodies[0].hull(path),
}  # fmt: skip


def pipe(path: Path) -> None:
    """A pipe to which nobody writes."""
    os.mkfifo(path)


def endless(path: Path) -> None:
    """A link to a device that never ends."""
    path.symlink_to("/dev/zero")


def listening(path: Path) -> None:
    """A socket."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


def huge(path: Path) -> None:
    """A file that claims more bytes than there is memory, and takes none on the disk."""
    with path.open("wb") as file:
        file.truncate(1 << 40)


KINDS = [
    (pipe, "it is a pipe"), (endless, "it is a device|lies outside"), (listening, "cannot be read"),
    (huge, "the limit is"), (Path.mkdir, "it is a folder"),
]  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize(("make", "words"), KINDS)
@pytest.mark.parametrize("name", READERS)
def test_only_regular_files_of_a_bounded_size_are_read(tmp_path, monkeypatch, name, make, words):
    """A pipe is not waited for, a device not read, a folder told in words, wherever a path is given."""
    monkeypatch.chdir(tmp_path)
    make(tmp_path / name)
    with pytest.raises(lw.FileError, match=words):
        READERS[name](tmp_path / name)


def test_a_file_that_grows_is_read_up_to_its_limit(tmp_path):
    """What a file says of its size is not believed: one more byte than the limit is too many."""
    path = tmp_path / "grown"
    path.write_bytes(b"x" * 11)
    assert read_text(path, 11) == "x" * 11
    with pytest.raises(lw.FileError, match="has 11 bytes; the limit is 10"):
        read_text(path, 10)
    if Path("/proc/self/maps").exists():  # which says that it is empty
        with pytest.raises(lw.FileError, match="more than 10 bytes"):
            read_text("/proc/self/maps", 10)


def test_what_is_not_written_to_its_end_is_not_there(tmp_path):
    """Interrupted or failed, a writer leaves the folder as it was, with the old file where there was one."""
    path = tmp_path / "run.csv"
    for before in ([], ["run.csv"]):
        for problem in (KeyboardInterrupt("no more"), OSError(28, "no more space"), ValueError("no more")):
            with pytest.raises((KeyboardInterrupt, OSError, ValueError), match="no more"):
                half_written(path, problem)
            assert [each.name for each in tmp_path.iterdir()] == before
        write_text(path, "whole")
        assert path.read_text(encoding="utf-8") == "whole"


def half_written(path: Path, problem: BaseException) -> None:
    """A writer that fails halfway."""
    with written(path) as beside:
        beside.write_text("half", encoding="utf-8")
        raise problem


def test_what_is_replaced_stays_what_it_was(tmp_path):
    """A link still leads to its file, whose mode is kept; a pipe or a device is written to, and not replaced."""
    file, link = tmp_path / "file.txt", tmp_path / "link.txt"
    file.write_text("old", encoding="utf-8")
    file.chmod(0o640)
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    write_text(os.devnull, "gone")
    assert not Path(os.devnull).is_file()


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    """Nobody is told of the name beside it."""
    with pytest.raises(OSError, match=r"nowhere/run\.csv"):
        write_text(tmp_path / "nowhere" / "run.csv", "text")


@pytest.mark.parametrize("name", ["run.html", "run.png", "run.gif", "run.mp4"])
def test_an_interrupted_film_leaves_no_file(tmp_path, monkeypatch, name):
    """Ctrl-C while a run is drawn is heard, and the old file is still there, alone."""
    folder, path = tmp_path / "folder", tmp_path / "folder" / name
    folder.mkdir()
    path.write_bytes(b"the last one")
    monkeypatch.setattr("shutil.which", lambda _: begins_at_once(tmp_path / "ffmpeg"))
    monkeypatch.setattr("latchwork.view.animate.page", interrupt)
    with pytest.raises(KeyboardInterrupt, match="while it is drawn"):
        pendulum().animate(str(path), progress=interrupt)
    assert [each.name for each in folder.iterdir()] == [name]
    assert path.read_bytes() == b"the last one"


def interrupt(*_: object) -> None:
    """What Ctrl-C does."""
    raise KeyboardInterrupt("while it is drawn")


def begins_at_once(program: Path) -> str:
    """A program that begins to write before it has read anything, as ffmpeg does."""
    program.write_text('#!/bin/sh\nfor last; do :; done\necho half > "${last#file:}"\nexec cat > /dev/null\n',
                       encoding="utf-8")  # fmt: skip
    program.chmod(0o755)
    return str(program)


PACKAGE = Path(lw.__file__).parent
OPENING = {"read_text", "read_bytes", "write_text", "write_bytes", "open", "savefig", "fromfile", "memmap"}
# What opens files by itself: those of this package, those that it has just written, the cache, and what is no file.
OWN = {
    "files.py", "program/cache.py", "program/sources.py", "realtime/devices/hil.py", "realtime/settings.py",
    "view/film/palette.py", "view/animate.py", "view/live/files.py", "view/live/serving.py", "view/svg.py",
    "cli/bench.py", "cli/__init__.py", "control/c_export.py", "export/fmu.py", "study/page.py", "study/store.py",
    "view/demo_page.py", "view/plots.py", "view/widget.py",
}  # fmt: skip


def test_files_are_opened_in_one_place():
    """Whatever else reads or writes a file does so through `latchwork.files`; the list names nothing that does not."""
    assert {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py") if opens(path)} == OWN


def opens(path: Path) -> bool:
    """Whether a source calls what opens a file; a path that `written` gave is called ``beside``."""
    text = path.read_text(encoding="utf-8")
    if not any(word in text for word in OPENING):
        return False
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name(id="open")):
                return True
            case ast.Call(func=ast.Attribute(attr=name)) if name in OPENING and "beside" not in ast.unparse(node):
                return True
    return False
