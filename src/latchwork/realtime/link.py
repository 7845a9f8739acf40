"""Link: the memory that a loop shares with whoever looks at it: the board, commands to it, news from it."""

from __future__ import annotations

import mmap
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from latchwork.realtime.board import Board
from latchwork.realtime.mailbox import Mailbox

COMMANDS, NEWS = 1 << 18, 1 << 20  # bytes
FAST = "/dev/shm"  # a folder that is no disk, where there is one


class Link:
    """A file that both processes have in their memory; whoever made it takes it away."""

    def __init__(self, path: str, width: int, own: bool = False) -> None:
        self.path, self._own = path, own
        start = -(-Board.size(width) // 64) * 64
        size = start + COMMANDS + NEWS
        with open(path, "r+b") as file:
            if own:
                file.truncate(size)
            self._map = mmap.mmap(file.fileno(), size)
        self._view = memoryview(self._map)
        self._parts = [self._view[:start], self._view[start : start + COMMANDS], self._view[start + COMMANDS :]]
        self.board = Board(self._parts[0], width)
        self.commands, self.news = Mailbox(self._parts[1]), Mailbox(self._parts[2])

    @staticmethod
    def made(width: int) -> Link:
        """A new one, readable by its owner only."""
        handle, path = tempfile.mkstemp(prefix="latchwork-", dir=FAST if Path(FAST).is_dir() else None)
        os.close(handle)
        return Link(path, width, own=True)

    def close(self) -> None:
        """Let go of the memory."""
        for part in (*self._parts, self._view):
            part.release()
        self._map.close()
        if self._own:
            with suppress(OSError):
                os.unlink(self.path)
