"""Link: the memory that a loop shares with whoever looks at it: the board, commands to it, news from it.

It has no name in any folder, and goes with the last process that has it, however that ends: nothing is ever left to be
cleaned up. The loop's process inherits it (POSIX), or asks for it by a word that cannot be guessed (Windows).
"""

from __future__ import annotations

import errno
import mmap
import os
import secrets
import sys
import tempfile
from pathlib import Path
from typing import IO

from latchwork.errors import EvaluationError
from latchwork.realtime.board import Board
from latchwork.realtime.mailbox import Mailbox

COMMANDS, NEWS = 1 << 18, 1 << 20  # bytes
FAST = "/dev/shm"  # a folder that is no disk, where there is one


class Link:
    """Memory that processes have in common: ``memory`` is a file that is open, or a word on Windows."""

    def __init__(self, memory: int | str, width: int, file: IO[bytes] | None = None) -> None:
        self.memory, self._file = memory, file  # the file is that of whoever made it
        start, size = _sizes(width)
        self._map = mmap.mmap(memory, size) if isinstance(memory, int) else _named(memory, size)
        self._view = memoryview(self._map)
        self._parts = [self._view[:start], self._view[start : start + COMMANDS], self._view[start + COMMANDS :]]
        self.board = Board(self._parts[0], width)
        self.commands, self.news = Mailbox(self._parts[1]), Mailbox(self._parts[2])

    @staticmethod
    def made(width: int) -> Link:
        """A new one, of which only those know who are told."""
        if sys.platform == "win32":
            return Link(f"latchwork-{secrets.token_hex(16)}", width)
        file = _room(_sizes(width)[1])
        return Link(file.fileno(), width, file)

    @property
    def inherited(self) -> tuple[int, ...]:
        """What a process must inherit to have it too."""
        return (self.memory,) if isinstance(self.memory, int) else ()

    def close(self) -> None:
        """Let go of the memory."""
        for part in (*self._parts, self._view):
            part.release()
        self._map.close()
        if self._file is not None:
            self._file.close()


def _sizes(width: int) -> tuple[int, int]:
    """Bytes of the board, and of all."""
    start = -(-Board.size(width) // 64) * 64
    return start, start + COMMANDS + NEWS


def _named(word: str, size: int) -> mmap.mmap:
    return mmap.mmap(-1, size, tagname=word)  # type: ignore[call-arg, unused-ignore]  # on Windows


def _room(size: int) -> IO[bytes]:
    """A file without a name, of which every byte is written: what only claims its size may end a process later."""
    why = ""
    for folder in (FAST if Path(FAST).is_dir() else None, None):
        try:
            file = tempfile.TemporaryFile(buffering=0, dir=folder)  # noqa: SIM115
            if file.write(bytes(size)) == size:
                return file
            file.close()
            why = os.strerror(errno.ENOSPC)
        except OSError as error:
            why = error.strerror or str(error)
    raise EvaluationError(f"there is no room for {size} bytes of shared memory ({why}). Make room in {FAST} or in "
                          f"{tempfile.gettempdir()}.")  # fmt: skip
