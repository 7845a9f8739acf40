"""A room: one mechanism that runs, and the pages that look at it.

Frames go to all, some forty in a second. Commands come from all; the hand belongs to whoever took hold last. A loop that
nobody looks at is paused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Any, Protocol

from latchwork.errors import EvaluationError, LatchworkError
from latchwork.realtime.board import State
from latchwork.realtime.commands import parsed
from latchwork.realtime.exhibit import exhibit_of
from latchwork.view.live import aside
from latchwork.view.live.picture import picture_of
from latchwork.view.live.shown import Shown
from latchwork.view.live.visitor import HAND, Visitor, written
from latchwork.view.live.visits import Visits

FRAME = 1.0 / 40.0  # s
SELDOM = 0.25  # s between frames while nothing moves
DRAWN = 0.4  # s between two pictures of the automaton
AWAY = 3.0  # s without anybody looking, after which it is paused
MODES = 64  # whose equations are kept
TRIES = 3  # loops that end by themselves are started again so often
FORBIDDEN = frozenset({"record"})  # what a page may not ask for: files are for whoever started the server


class Looping(Protocol):
    """What a room needs of a loop."""

    @property
    def alive(self) -> bool: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def send(self, command: dict[str, Any]) -> bool: ...

    def state(self) -> State | None: ...

    def news(self) -> list[dict[str, Any]]: ...


class Room:
    """A loop with its visitors."""

    def __init__(self, source: str, looping: Callable[[str], Looping], workers: Executor) -> None:
        self.source, self._looping, self._workers = source, looping, workers
        self.visitors: dict[int, Visitor] = {}
        self.holder: int | None = None  # whose hand it is
        self.loop: Looping | None = None
        self.shown: Shown | None = None
        self.visits = Visits(source)
        self.state: State | None = None
        self.empty_since: float | None = None
        self._mode: dict[str, Any] | None = None
        self._equations: dict[tuple[str, ...], str] = {}
        self._automaton = ""
        self._told: dict[int, tuple[int, int]] = {}
        self._asked: dict[str, dict[str, Any]] = {}
        self._serial = 0
        self._tries = 0
        self._lonely: float | None = None
        self._we_paused = False
        self._tasks: set[asyncio.Task[None]] = set()
        self.ready = asyncio.Event()
        self.trouble = ""
        self._main = asyncio.create_task(self._run())

    # --- coming and going ---------------------------------------------------------------------------------------

    def enter(self, visitor: Visitor) -> None:
        """A page comes in; it is told all that it has missed."""
        self.visitors[visitor.number] = visitor
        self.empty_since = None
        if self.ready.is_set():
            self._welcome(visitor)
        self._tell({"kind": "pages", "count": len(self.visitors)})

    def leave(self, visitor: Visitor) -> None:
        """A page goes; what it held, it lets go."""
        self.visitors.pop(visitor.number, None)
        self._told.pop(visitor.number, None)
        if self.holder == visitor.number:
            self._send({"do": "drop"})
            self.holder = None
        self._tell({"kind": "pages", "count": len(self.visitors)})
        if not self.visitors:
            self.empty_since = asyncio.get_running_loop().time()

    async def close(self) -> None:
        """Stop the loop and all work for it."""
        for task in (self._main, *self._tasks):
            task.cancel()
        await asyncio.gather(self._main, *self._tasks, return_exceptions=True)
        if self.loop is not None:
            await asyncio.to_thread(self.loop.stop)

    def _welcome(self, visitor: Visitor) -> None:
        if self.shown is None:
            visitor.tell({"kind": "trouble", "why": self.trouble})
            return
        visitor.tell(self.shown.described())
        visitor.tell(self.shown.fenced())
        if self._mode is not None:
            visitor.tell(self._mode)
            visitor.tell({"kind": "equations", "html": self._equations.get(tuple(self._mode["names"]), "")})
        visitor.tell({"kind": "automaton", "svg": self._automaton})

    def _tell(self, message: dict[str, Any]) -> None:
        text = written(message)
        for visitor in self.visitors.values():
            visitor.tell(text)

    def _begin(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- commands -----------------------------------------------------------------------------------------------

    def take(self, visitor: Visitor, message: str | bytes) -> None:
        """A message of a page: checked, and sent on where it is a command."""
        found = visitor.read(message, asyncio.get_running_loop().time())
        if found is None:
            return
        if "looks" in found:
            visitor.looks = found["looks"] is True
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

    def _command(self, visitor: Visitor, command: dict[str, Any]) -> None:
        do = command["do"]
        if do in ("move", "drop"):
            if self.holder == visitor.number:
                self._move(visitor, command)
            return
        if do == "grab":
            self._flush(visitor)
            if self.holder not in (None, visitor.number):
                self.visitors[self.holder].tell({"kind": "hand", "yours": False})
            self.holder = visitor.number
        if do in ("pause", "go", "step"):
            self._we_paused = False
        self._ask(visitor, command)

    def _move(self, visitor: Visitor, command: dict[str, Any]) -> None:
        """Motions of a hand are sent on one at a time: the newest wins."""
        if visitor.motion is None:
            asyncio.get_running_loop().call_later(HAND, self._flush, visitor)
        visitor.motion = command
        if command["do"] == "drop":
            self._flush(visitor)
            self.holder = None

    def _flush(self, visitor: Visitor) -> None:
        motion, visitor.motion = visitor.motion, None
        if motion is not None:
            motion.pop("id", None)
            self._send(motion)

    def _ask(self, visitor: Visitor, command: dict[str, Any]) -> None:
        """Send a command whose answer goes back to its page."""
        self._serial += 1
        key = f"p{self._serial}"
        self._asked[key] = {"page": visitor.number, "id": command.get("id"), "command": command}
        while len(self._asked) > 1000:
            self._asked.pop(next(iter(self._asked)))
        if not self._send(command | {"id": key}):
            self._asked.pop(key, None)
            visitor.tell({"kind": "answer", "id": command.get("id"), "ok": False, "why": "The loop has no room for more "
                          "commands. Wait a moment."})  # fmt: skip

    def _send(self, command: dict[str, Any]) -> bool:
        return self.loop is not None and self.loop.send(command)

    # --- the run ------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        try:
            starting = asyncio.create_task(self._start())  # takes its time in a process of its own
            exhibit = await asyncio.to_thread(exhibit_of, self.source)
            self.shown = Shown(exhibit, await asyncio.to_thread(picture_of, exhibit))
            await asyncio.to_thread(self.shown.get_ready)
            self.visits.name = exhibit.model.name
            await starting
        except (LatchworkError, OSError, ArithmeticError, ValueError) as error:
            self.trouble, self.shown = str(error), None
        self.ready.set()
        for visitor in list(self.visitors.values()):
            self._welcome(visitor)
        if self.shown is not None:
            await self._show(self.shown)

    async def _start(self) -> None:
        self.loop = await asyncio.to_thread(self._looping, self.source)
        await asyncio.to_thread(self.loop.start)

    async def _show(self, shown: Shown) -> None:
        """Frames and news, until the end."""
        clock = asyncio.get_running_loop().time
        seen, framed, drawn = -1, 0.0, 0.0
        while True:
            now = clock()
            assert self.loop is not None
            for row in self.loop.news():
                self._heard(shown, row)
            state = self.loop.state()
            if state is not None:
                self._tries = self._tries if state.tick < 100 else 0
                self.state = state
                if state.tick != seen or now - framed > SELDOM:
                    seen, framed = state.tick, now
                    frame = shown.frame(state, self.visits.numbers.get(state.mode, 0))
                    for visitor in self.visitors.values():
                        if visitor.looks:
                            visitor.show(frame)
            if self.visits.changed and now - drawn > DRAWN:
                drawn = now
                self._automaton = self.visits.svg()
                self._tell({"kind": "automaton", "svg": self._automaton})
            self._count()
            self._mind(now)
            if not self.loop.alive:
                await self._again()
            await asyncio.sleep(max(0.002, FRAME - (clock() - now)))

    def _heard(self, shown: Shown, row: dict[str, Any]) -> None:
        """News of the loop: modes and events for all, answers for those who asked."""
        kind = row.get("kind")
        if kind == "answer":
            self._answered(shown, row)
            return
        self.visits.take(row)
        if kind == "mode":
            names = shown.enter([(name, count) for name, count in row["rows"]])
            self._mode = row | {"number": self.visits.numbers.get(row["number"], 0), "arrows": names}
            self._tell(self._mode)
            self._typeset(tuple(row["names"]))
        else:
            if kind == "event":
                known = self.visits.numbers
                row |= {side: known.get(row[side], 0) for side in ("before", "after")}
            self._tell(row)

    def _answered(self, shown: Shown, row: dict[str, Any]) -> None:
        asked = self._asked.pop(str(row.get("id")), None)
        if asked is None:
            return
        do, page = asked["command"]["do"], self.visitors.get(asked["page"])
        if row.get("ok"):
            self._done(shown, do, row)
        elif do == "grab" and self.holder == asked["page"]:
            self.holder = None
        if page is not None:
            page.tell(row | {"id": asked["id"], "do": do})

    def _done(self, shown: Shown, do: str, row: dict[str, Any]) -> None:
        """What a command that was obeyed means for all pages."""
        if isinstance(row.get("values"), dict):
            again = shown.set(row["values"])
            self._tell({"kind": "values", "values": shown.values()})
            if again:
                self._begin(self._redraw(shown))
        if do in ("rewind", "reset"):
            self.visits.again(self.state.t if self.state is not None else 0.0)
            self.holder = None
        if do in ("fence", "unfence", "reset"):
            shown.put_fence(row.get("points", ()))
            self._tell(shown.fenced())

    async def _redraw(self, shown: Shown) -> None:
        """Shapes with other sizes."""
        picture = await asyncio.to_thread(shown.redrawn)
        if picture.scene["widths"] == shown.picture.scene["widths"]:
            shown.picture = picture
            self._tell({"kind": "shapes", "shapes": picture.scene["shapes"]})

    def _typeset(self, labels: tuple[str, ...]) -> None:
        """The equations of a mode, made elsewhere when it is first met."""
        if labels in self._equations:
            self._tell({"kind": "equations", "html": self._equations[labels]})
            return

        async def make() -> None:
            try:
                html = await asyncio.wrap_future(self._workers.submit(aside.equations, self.source, labels))
            except Exception as error:  # of another process: whatever it is, frames go on
                html = f"<p>{type(error).__name__}</p>"
            while len(self._equations) >= MODES:
                self._equations.pop(next(iter(self._equations)))
            self._equations[labels] = html
            if self._mode is not None and tuple(self._mode["names"]) == labels:
                self._tell({"kind": "equations", "html": html})

        self._equations[labels] = ""
        self._begin(make())

    def _count(self) -> None:
        """Tell a page what of its messages was dropped, where that has changed."""
        for visitor in self.visitors.values():
            now = visitor.malformed, visitor.too_many
            if now != self._told.get(visitor.number, (0, 0)):
                self._told[visitor.number] = now
                visitor.tell({"kind": "dropped", "malformed": now[0], "too many": now[1]})

    def _mind(self, now: float) -> None:
        """Pause where nobody looks, and go on when someone does."""
        if any(visitor.looks for visitor in self.visitors.values()):
            self._lonely = None
            if self._we_paused:
                self._we_paused = not self._send({"do": "go"})
            return
        self._lonely = now if self._lonely is None else self._lonely
        if now - self._lonely > AWAY and not self._we_paused and self.state is not None and not self.state.paused:
            self._we_paused = self._send({"do": "pause"})

    async def _again(self) -> None:
        """A loop has ended by itself: start another, a few times."""
        assert self.loop is not None
        self._tries += 1
        why = "The loop ended by itself"
        if self._tries > TRIES:
            self._tell({"kind": "trouble", "why": f"{why} {TRIES} times. Open the mechanism again."})
            raise asyncio.CancelledError
        self._tell({"kind": "trouble", "why": f"{why}, and is started again."})
        await asyncio.to_thread(self.loop.stop)
        self.visits.again(0.0)
        self.holder = None
        await self._start()
