"""The desk of a room: where commands of pages are checked and sent on, and answers find their way back.

The hand belongs to the page that took hold last, and to nobody once that page is gone. Its motions are not queued: the
newest is sent on, some hundreds in a second; that it lets go is sent until the loop has taken it.

While nobody looks, the loop rests: it is paused by the desk. That is no pause of any page, and none is shown one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from latchwork.errors import EvaluationError
from latchwork.files import read_text
from latchwork.realtime.board import State
from latchwork.realtime.commands import parsed
from latchwork.realtime.session import MOST_BYTES
from latchwork.view.live.visitor import Visitor

HAND = 0.003  # s between two motions of a hand
AGAIN = 0.05  # s until what a loop had no room for is sent once more
WOKEN = "woken"  # the name of the command that ends a rest; those of pages have numbers
MOST_ASKED = 1000  # commands that wait for an answer
SAVE = "save"  # what a page asks for instead: the session itself
FORBIDDEN = frozenset({"record"})  # what a page may not ask for: files are for whoever started the server
COSTLY = frozenset({"rewind", "reset", "fence", "unfence", "hold", "release"})  # each may take as long as many ticks
LETTING_GO = frozenset({"rewind", "reset"})  # after these, no hand holds anything
Row = dict[str, Any]


class Looping(Protocol):
    """What a room needs of a loop."""

    @property
    def alive(self) -> bool: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def send(self, command: dict[str, Any]) -> bool: ...

    def state(self) -> State | None: ...

    def wait(self, seconds: float) -> State: ...

    def news(self) -> list[dict[str, Any]]: ...


class Asked(NamedTuple):
    """A command that waits for its answer: whose it is, the page's own name for it, and what it does."""

    page: int
    id: Any
    do: str


class Desk:
    """Commands from pages to a loop."""

    def __init__(self, visitors: Mapping[int, Visitor]) -> None:
        self._visitors = visitors
        self.loop: Looping | None = None
        self.holder: int | None = None  # whose hand it is
        self._asked: dict[str, Asked] = {}
        self._serial = 0
        self._resting = False  # paused by ourselves, since nobody looks
        self._waking = False  # told to go on, and not seen to yet

    def take(self, visitor: Visitor, message: str | bytes) -> None:
        """A message of a page: checked, and sent on where it is a command."""
        found = visitor.read(message, asyncio.get_running_loop().time())
        if found is None:
            return
        if "looks" in found:
            visitor.looks = found["looks"] is True
            return
        if found.get("do") == SAVE:
            self._save(visitor)
            return
        try:
            command = parsed(found)
            if command["do"] in FORBIDDEN:
                raise EvaluationError(f"a page may not {command['do']}. Ask whoever started the server.")
        except EvaluationError as error:
            visitor.malformed += 1
            visitor.tell({"kind": "answer", "id": None, "ok": False, "why": str(error)[:400]})
            return
        self._command(visitor, command)

    def _command(self, visitor: Visitor, command: Row) -> None:
        do = command["do"]
        if do in COSTLY and not visitor.costly.takes(asyncio.get_running_loop().time()):
            visitor.too_many += 1
            why = f"'{do}' takes the loop some time, and was asked for too often. Wait a moment."
            visitor.tell({"kind": "answer", "id": command.get("id"), "do": do, "ok": False, "why": why})
            return
        if do in ("move", "drop"):
            if self.holder == visitor.number:
                self._move(visitor, command)
            return
        if do == "grab":
            self._flush(visitor)
            self._take_over(visitor)
        if do in ("pause", "go", "step"):
            self._resting = self._waking = False
        self._ask(visitor, command)

    def _save(self, visitor: Visitor) -> None:
        """The session until now as a file for one page: the loop writes it, and the page is told its text."""
        why = ""
        if not visitor.costly.takes(asyncio.get_running_loop().time()):
            why = "The run was asked for too often. Wait a moment."
        elif self.loop is not None and (state := self.loop.state()) is not None and state.recording:
            why = "The run is being recorded by whoever started the server. Ask there."
        if why:
            visitor.tell({"kind": "answer", "id": None, "do": SAVE, "ok": False, "why": why})
            return
        self.send({"do": "record", "on": True})
        self._ask(visitor, {"do": "record", "on": False})

    def _take_over(self, visitor: Visitor | None) -> None:
        """The hand is this page's from now on, or nobody's."""
        other = self._visitors.get(self.holder) if self.holder is not None else None
        if other is not None and other is not visitor:
            other.tell({"kind": "hand", "yours": False})
        self.holder = None if visitor is None else visitor.number

    def _move(self, visitor: Visitor, command: Row) -> None:
        if command["do"] == "drop":
            visitor.motion = None
            self._let_go()
            return
        if visitor.motion is None:
            asyncio.get_running_loop().call_later(HAND, self._flush, visitor)
        visitor.motion = command

    def _let_go(self) -> None:
        """The hand is nobody's, and holds nothing; where the loop has no room for that now, it is told again."""
        self.holder = None
        if self.loop is not None and self.loop.alive and not self.loop.send({"do": "drop"}):
            asyncio.get_running_loop().call_later(AGAIN, self._let_go_again)

    def _let_go_again(self) -> None:
        if self.holder is None:
            self._let_go()

    def _flush(self, visitor: Visitor) -> None:
        motion, visitor.motion = visitor.motion, None
        if motion is not None and self.holder == visitor.number:
            motion.pop("id", None)
            self.send(motion)

    def _ask(self, visitor: Visitor, command: Row) -> None:
        """Send a command whose answer goes back to its page."""
        self._serial += 1
        key = f"p{self._serial}"
        self._asked[key] = Asked(visitor.number, command.get("id"), command["do"])
        while len(self._asked) > MOST_ASKED:
            self._asked.pop(next(iter(self._asked)))
        if not self.send(command | {"id": key}):
            self._asked.pop(key, None)
            why = "The loop has no room for more commands. Wait a moment."
            visitor.tell({"kind": "answer", "id": command.get("id"), "ok": False, "why": why})

    def answered(self, row: Row) -> str | None:
        """Hand an answer to the page that asked; gives what the command was."""
        self._waking = self._waking and row.get("id") != WOKEN
        asked = self._asked.pop(str(row.get("id")), None)
        if asked is None:
            return None
        if asked.do in LETTING_GO and row.get("ok"):
            self._take_over(None)
        elif asked.do == "grab" and not row.get("ok") and self.holder == asked.page:
            self.holder = None
        page = self._visitors.get(asked.page)
        if asked.do == "record":
            told = session_of(row)
            if page is not None:
                page.tell(told)
            return None
        if page is not None:
            page.tell(row | {"id": asked.id, "do": asked.do})
        return asked.do

    def send(self, command: Row) -> bool:
        """Send on; False where there is no loop, or no room."""
        return self.loop is not None and self.loop.send(command)

    def left(self, visitor: Visitor) -> None:
        """A page is gone: its hand lets go."""
        visitor.motion = None
        if self.holder == visitor.number:
            self._let_go()

    def rest(self) -> None:
        """Pause, until someone looks again."""
        if not self._resting:
            self._resting = self.send({"do": "pause"})

    def wake(self) -> None:
        """Go on, where the pause was ours."""
        if self._resting:
            self._waking = self.send({"do": "go", "id": WOKEN})
            self._resting = not self._waking

    def seen(self, state: State) -> State:
        """A state as pages see it: a pause that none of them asked for is none."""
        self._waking = self._waking and state.paused
        return state._replace(paused=False) if self._resting or self._waking else state


def session_of(row: Row) -> Row:
    """What a page is told of a session that the loop has written down; the file is taken away."""
    if not row.get("ok") or not row.get("path"):
        return {"kind": "answer", "id": None, "do": SAVE, "ok": False, "why": row.get("why") or "There is no run yet."}
    path = Path(row["path"])
    try:
        return {"kind": "session", "text": read_text(path, MOST_BYTES)}
    finally:
        path.unlink(missing_ok=True)
