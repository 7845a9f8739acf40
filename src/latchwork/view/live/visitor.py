"""A visitor: one open page. What it says is a stranger's; what it is told waits in a short queue, frames do not wait.

Whoever reads too slowly gets the newest frame when it is ready for one, and is let go when words pile up.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from typing import Any, Protocol

from latchwork.view.live.gate import Bucket

RATE, AT_ONCE = 120.0, 240.0  # messages in a second, and at once
COSTLY_RATE, COSTLY_AT_ONCE = 4.0, 8.0  # of those that take the loop as long as many ticks
FLOOD, PATIENCE = 1000.0, 20_000.0  # dropped messages in a second that are borne, and at once; then a page is let go
MOST_WORDS = 400  # messages that wait for a page
STALLED = 15.0  # s that a page may take to read one message
DROP = {"do": "drop"}  # is heard however much was said before: no hand holds on because a message was one too many
SHORT = 40  # characters that may be looked at of what is one too many


class Socket(Protocol):
    """What a visitor needs of a connection."""

    async def send(self, message: str | bytes) -> None: ...

    async def close(self, code: int = 1000, reason: str = "") -> None: ...


class Visitor:
    """A page: whether it looks, what it may say, what waits for it, and what of its messages was dropped."""

    def __init__(self, socket: Socket, number: int) -> None:
        self.socket, self.number = socket, number
        self.looks = True
        self.bucket, self.patience = Bucket(RATE, AT_ONCE), Bucket(FLOOD, PATIENCE)
        self.costly = Bucket(COSTLY_RATE, COSTLY_AT_ONCE)
        self.malformed = self.too_many = 0
        self.motion: dict[str, Any] | None = None  # of its hand, not sent on yet
        self._words: deque[str] = deque()
        self._frame: bytes | None = None
        self._wake = asyncio.Event()
        self.gone = False

    # --- to the page --------------------------------------------------------------------------------------------

    def tell(self, message: dict[str, Any] | str) -> None:
        """Something that every page must hear, in its order."""
        if len(self._words) >= MOST_WORDS:
            self.gone = True
        else:
            self._words.append(message if isinstance(message, str) else written(message))
        self._wake.set()

    def show(self, frame: bytes) -> None:
        """A frame; one that was not taken yet is forgotten."""
        self._frame = frame
        self._wake.set()

    async def write(self) -> None:
        """Send what waits, until the page is gone or reads no more."""
        while not self.gone:
            await self._wake.wait()
            self._wake.clear()
            while self._words and not self.gone:
                await self._send(self._words.popleft())
            if self._frame is not None and not self.gone:
                frame, self._frame = self._frame, None
                await self._send(frame)
        await self.socket.close(1013, "says too much, or reads too slowly")

    async def _send(self, message: str | bytes) -> None:
        try:
            async with asyncio.timeout(STALLED):
                await self.socket.send(message)
        except TimeoutError:
            self.gone = True

    # --- from the page ------------------------------------------------------------------------------------------

    def read(self, message: str | bytes, now: float) -> dict[str, Any] | None:
        """The mapping that a message holds; None, and counted, where it is none or one too many."""
        if not self.bucket.takes(now):
            self.too_many += 1
            if not self.patience.takes(now):
                self.gone = True
                self._wake.set()
            return DROP if len(message) <= SHORT and _parsed(message) == DROP else None
        found = _parsed(message)
        if not isinstance(found, dict):
            self.malformed += 1
            return None
        return found


def _parsed(message: str | bytes) -> Any:
    """What a message of text holds; None where it is no JSON."""
    try:
        return json.loads(message, parse_constant=_refuse) if isinstance(message, str) else None
    except (ValueError, RecursionError):
        return None


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is no number of JSON")


def written(message: dict[str, Any]) -> str:
    """A message as JSON; numbers that JSON does not have as nothing."""
    try:
        return json.dumps(message, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps(_finite(message), separators=(",", ":"), allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return value if not isinstance(value, float) or abs(value) < float("inf") else None
