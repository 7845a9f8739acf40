"""Files from elsewhere, read within bounds; files of our own, written whole or not at all.

What is read may be anything that a path leads to. Only regular files of a bounded size are: a pipe would be waited for
without end, and a device such as /dev/zero never ends.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from latchwork.errors import FileError

Name = str | os.PathLike[str]
READING = sum(getattr(os, flag, 0) for flag in ("O_RDONLY", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY"))
OTHERS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def read_bytes(path: Name, most: int) -> bytes:
    """What stands in a regular file of at most so many bytes; anything else is refused, and nothing is waited for."""
    name = os.fspath(path)
    try:
        data = _read(name, most)
    except FileNotFoundError:
        raise FileError("there is no such file. Check its name.", name) from None
    except (OSError, ValueError) as problem:  # ValueError: a path with a zero in it
        what = "it is a folder" if os.path.isdir(name) else f"it cannot be read: {_why(problem)}"
        raise FileError(f"{what}. Check that it is a file you may read.", name) from None
    if len(data) > most:
        raise FileError(f"it has more than {most} bytes, the limit. Give a smaller file.", name)
    return data


def _read(name: str, most: int) -> bytes:
    """A byte more than the limit, where there is one."""
    handle = os.open(name, READING)
    try:
        must_be_regular(os.fstat(handle), name, most)
    except BaseException:
        os.close(handle)
        raise
    with open(handle, "rb") as file:
        return file.read(most + 1)


def read_text(path: Name, most: int) -> str:
    """The same as text, which has to be UTF-8; line ends are as they are."""
    data = read_bytes(path, most)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        before = data[: problem.start]
        line, column = before.count(b"\n") + 1, problem.start - before.rfind(b"\n")
        raise FileError("this is not UTF-8 text. Save it as UTF-8.", os.fspath(path), line, column) from None


def must_be_regular(found: os.stat_result, name: str, most: int) -> None:
    """Refuse what is no regular file, or larger."""
    if not stat.S_ISREG(found.st_mode):
        kind = OTHERS.get(stat.S_IFMT(found.st_mode), "a device")
        raise FileError(f"it is {kind}, and no regular file. Give the path of a file.", name)
    if found.st_size > most:
        raise FileError(f"it has {found.st_size} bytes; the limit is {most}. Give a smaller file.", name)


@contextmanager
def written(path: Name) -> Iterator[Path]:
    """A path beside ``path`` to write to. It takes its place at the end; where that is not reached, nothing changed.

    A link is followed; what is no regular file, such as a pipe, is written to as it is.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        yield target
        return
    beside = target.with_name(f".latchwork-{secrets.token_hex(6)}{target.suffix}")
    try:
        yield beside
        with suppress(OSError):  # a new file has the usual mode
            shutil.copymode(target, beside)
        beside.replace(target)
    except OSError as problem:
        if problem.filename in (beside, str(beside)):
            problem.filename, problem.filename2 = os.fspath(path), None
        raise
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def write_text(path: Name, text: str) -> Path:
    """Write a text as UTF-8, whole or not at all; the path."""
    with written(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")
    return Path(path)


def made_folder(path: Name) -> Path:
    """A folder, made with those above it where it is not there."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        why = "a file is there" if isinstance(problem, FileExistsError) else _why(problem)
        raise FileError(f"it cannot be made a folder: {why}. Give another folder.", os.fspath(path)) from None
    return Path(path)


def _why(problem: Exception) -> str:
    return (problem.strerror if isinstance(problem, OSError) else None) or str(problem)
