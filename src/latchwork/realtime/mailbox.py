"""Mailbox: messages from one process to another through shared memory; whoever sends never waits.

A ring of bytes with one writer and one reader. A message is its length, a checksum and its JSON; it is written before
the place up to which the ring is full is moved on. Where there is no room, it is refused.
"""

from __future__ import annotations

import json
import struct
import zlib
from typing import Any

WORD = struct.Struct("<Q")
FRAME = struct.Struct("<II")  # length, checksum
READ, WRITTEN, HEAD = 0, 8, 16


class Mailbox:
    """Messages in the order in which they were sent."""

    def __init__(self, memory: memoryview) -> None:
        self._memory, self._room = memory, len(memory) - HEAD

    def send(self, message: Any) -> bool:
        """Put a message in; False where there is no room for it."""
        data = json.dumps(message, separators=(",", ":")).encode()
        frame = FRAME.pack(len(data), zlib.crc32(data)) + data
        read, written = self._word(READ), self._word(WRITTEN)
        if len(frame) > self._room - (written - read):
            return False
        self._put(written, frame)
        WORD.pack_into(self._memory, WRITTEN, written + len(frame))
        return True

    def take(self, most: int = 1000) -> list[Any]:
        """The messages that have come since last asked; what is not whole yet comes later."""
        found: list[Any] = []
        read, written = self._word(READ), self._word(WRITTEN)
        while len(found) < most and written - read >= FRAME.size:
            length, check = FRAME.unpack(self._get(read, FRAME.size))
            if length > written - read - FRAME.size:
                break
            data = self._get(read + FRAME.size, length)
            if zlib.crc32(data) != check:
                break
            read += FRAME.size + length
            found.append(json.loads(data))
        if found:
            WORD.pack_into(self._memory, READ, read)
        return found

    def _word(self, at: int) -> int:
        return int(WORD.unpack_from(self._memory, at)[0])

    def _put(self, at: int, data: bytes) -> None:
        start = at % self._room
        first = min(len(data), self._room - start)
        self._memory[HEAD + start : HEAD + start + first] = data[:first]
        self._memory[HEAD : HEAD + len(data) - first] = data[first:]

    def _get(self, at: int, size: int) -> bytes:
        start = at % self._room
        first = min(size, self._room - start)
        return b"".join((self._memory[HEAD + start : HEAD + start + first], self._memory[HEAD : HEAD + size - first]))
