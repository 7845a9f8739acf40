"""A room: one mechanism that runs, and the pages that look at it.

Frames go to all, some forty in a second. A loop that nobody looks at is paused; one that ended by itself is started
again.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np

from latchwork.errors import LatchworkError
from latchwork.realtime.board import State
from latchwork.realtime.exhibit import exhibit_of
from latchwork.view.live import aside
from latchwork.view.live.desk import Desk, Looping
from latchwork.view.live.picture import picture_of
from latchwork.view.live.shown import Shown
from latchwork.view.live.visitor import Visitor, written
from latchwork.view.live.visits import Visits

FRAME = 1.0 / 40.0  # s
SELDOM = 0.25  # s between frames while nothing moves
DRAWN = 0.4  # s between two pictures of the automaton
AWAY = 3.0  # s without anybody looking, after which it is paused
MODES = 64  # whose equations are kept
TRIES = 3  # loops that end by themselves are started again so often
Row = dict[str, Any]


class Room:
    """A loop with its visitors. ``looping`` makes the loop of a source; ``workers`` typeset."""

    def __init__(self, source: str, looping: Callable[[str], Looping], workers: Executor) -> None:
        self.source, self._looping, self._workers = source, looping, workers
        self.visitors: dict[int, Visitor] = {}
        self.desk = Desk(self.visitors)
        self.shown: Shown | None = None
        self.visits = Visits(source)
        self.state: State | None = None
        self.empty_since: float | None = asyncio.get_running_loop().time()
        self.trouble = ""
        self._is_ready = False
        self._mode: Row | None = None
        self._equations: dict[tuple[str, ...], str] = {}
        self._automaton = ""
        self._told: dict[int, tuple[int, int]] = {}
        self._tries = 0
        self._lonely: float | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._starting: asyncio.Task[None] | None = None
        self._begin(self._run())

    # --- coming and going ---------------------------------------------------------------------------------------

    def enter(self, visitor: Visitor) -> None:
        """A page comes in; it is told all that it has missed."""
        self.visitors[visitor.number] = visitor
        self.empty_since = None
        if self._is_ready:
            self._welcome(visitor)
        elif self.shown is not None:
            visitor.tell(self._still())
        self._tell({"kind": "pages", "count": len(self.visitors)})

    def leave(self, visitor: Visitor) -> None:
        """A page goes; what it held, it lets go."""
        self.visitors.pop(visitor.number, None)
        self._told.pop(visitor.number, None)
        self.desk.left(visitor)
        self._tell({"kind": "pages", "count": len(self.visitors)})
        if not self.visitors:
            self.empty_since = asyncio.get_running_loop().time()

    async def close(self) -> None:
        """Stop the loop and all work for it."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        starting = [] if self._starting is None else [self._starting]  # what has begun to start is stopped
        await asyncio.gather(*tasks, *starting, return_exceptions=True)
        if self.desk.loop is not None:
            try:
                await asyncio.to_thread(self.desk.loop.stop)
            except RuntimeError:  # the interpreter ends, and gives no threads any more
                self.desk.loop.stop()

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

    def _still(self) -> Row:
        """The start, to be looked at until the first frame comes."""
        return {"kind": "still", "scene": {} if self.shown is None else self.shown.picture.scene}

    def _tell(self, message: Row) -> None:
        text = written(message)
        for visitor in self.visitors.values():
            visitor.tell(text)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- the run ------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        try:
            exhibit = await asyncio.to_thread(exhibit_of, self.source)
            self.shown = Shown(exhibit, await asyncio.to_thread(picture_of, exhibit))
            self._tell(self._still())
            self._starting = asyncio.create_task(self._start())  # a process of its own, which leaves the picture time
            await asyncio.to_thread(self.shown.get_ready)
            self.visits.name = exhibit.model.name
            await asyncio.shield(self._starting)
        except (LatchworkError, OSError, ArithmeticError, ValueError) as error:
            self.trouble, self.shown = str(error), None
        except Exception as error:  # of the script that describes the mechanism
            last = traceback.extract_tb(error.__traceback__)[-1]
            self.trouble = f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
            self.shown = None
        self._is_ready = True
        for visitor in list(self.visitors.values()):
            self._welcome(visitor)
        if self.shown is not None:
            await self._show(self.shown)

    async def _start(self) -> None:
        loop = await asyncio.to_thread(self._looping, self.source)
        self.desk.loop = loop
        await asyncio.to_thread(loop.start)

    async def _show(self, shown: Shown) -> None:
        """Frames and news, until the end."""
        clock = asyncio.get_running_loop().time
        framed = drawn = 0.0
        loop = self.desk.loop
        while loop is not None:
            now = clock()
            for row in loop.news():
                self._heard(shown, row)
            state = loop.state()
            if state is not None and (self.state is None or _differ(state, self.state) or now - framed > SELDOM):
                framed, self.state = now, state
                self._frame(shown, state)
            if self.visits.changed and now - drawn > DRAWN:
                drawn, self._automaton = now, self.visits.svg()
                self._tell({"kind": "automaton", "svg": self._automaton})
            self._count()
            self._mind(now)
            if not loop.alive:
                loop = await self._again(loop)
            await asyncio.sleep(max(0.002, FRAME - (clock() - now)))

    def _frame(self, shown: Shown, state: State) -> None:
        frame = shown.frame(self.desk.seen(state), self.visits.numbers.get(state.mode, 0))
        for visitor in self.visitors.values():
            if visitor.looks:
                visitor.show(frame)

    async def _again(self, loop: Looping) -> Looping | None:
        """A loop has ended by itself: start another, a few times; one that never began is given up, and says why."""
        self._tries += 1
        try:
            loop.wait(0.0)
        except LatchworkError as error:
            self.trouble = str(error)
        else:
            self.trouble = f"The loop ended by itself {TRIES} times. Open it again." if self._tries > TRIES else ""
        if self.trouble:
            self._tell({"kind": "trouble", "why": self.trouble})
            return None
        self._tell({"kind": "trouble", "why": "The loop ended by itself, and is started again."})
        await asyncio.to_thread(loop.stop)
        self.visits.again(0.0)
        self.desk.holder = None
        self._starting = asyncio.create_task(self._start())
        await asyncio.shield(self._starting)
        return self.desk.loop

    def _mind(self, now: float) -> None:
        """Pause where nobody looks, and go on when someone does."""
        looked = any(visitor.looks for visitor in self.visitors.values())
        self._lonely = None if looked else now if self._lonely is None else self._lonely
        if looked:
            self.desk.wake()
        elif self._lonely is not None and now - self._lonely > AWAY and self.state and not self.state.paused:
            self.desk.rest()

    def _count(self) -> None:
        """Tell a page what of its messages was dropped, where that has changed."""
        for visitor in self.visitors.values():
            now = visitor.malformed, visitor.too_many
            if now != self._told.get(visitor.number, (0, 0)):
                self._told[visitor.number] = now
                visitor.tell({"kind": "dropped", "malformed": now[0], "too many": now[1]})

    # --- news ---------------------------------------------------------------------------------------------------

    def _heard(self, shown: Shown, row: Row) -> None:
        """News of the loop: modes and events for all, answers for those who asked."""
        if row.get("kind") == "answer":
            answered = self.desk.answered(row)
            if answered is not None and row.get("ok"):
                self._done(shown, answered, row)
            return
        self.visits.take(row)
        numbers = self.visits.numbers
        if row.get("kind") == "mode":
            names = shown.enter([(name, count) for name, count in row["rows"]])
            self._mode = row | {"number": numbers.get(row["number"], 0), "arrows": names}
            self._tell(self._mode)
            self._typeset(tuple(row["names"]))
        elif row.get("kind") == "event":
            self._tell(row | {side: numbers.get(row[side], 0) for side in ("before", "after")})
        else:
            self._tell(row)

    def _done(self, shown: Shown, do: str, row: Row) -> None:
        """What a command that was obeyed means for all pages."""
        if isinstance(row.get("values"), dict):
            again = shown.set(row["values"])
            self._tell({"kind": "values", "values": shown.values()})
            if again:
                self._begin(self._redraw(shown))
        t = self.state.t if self.state is not None else 0.0
        if do in ("rewind", "reset"):
            t = t - float(row.get("seconds", t))
            self.visits.again(t)
            if shown.back_to(t):
                self._tell(shown.fenced())
        if do in ("fence", "unfence"):
            shown.put_fence(row.get("points", ()), t)
            self._tell(shown.fenced())

    async def _redraw(self, shown: Shown) -> None:
        """Shapes with other sizes."""
        picture = await asyncio.to_thread(shown.redrawn)
        if picture.scene["widths"] == shown.picture.scene["widths"]:
            shown.picture = picture
            self._tell({"kind": "shapes"} | {key: picture.scene[key] for key in ("shapes", "members", "meshes")})

    def _typeset(self, labels: tuple[str, ...]) -> None:
        """The equations of a mode, made elsewhere when it is first met."""
        if labels in self._equations:
            self._tell({"kind": "equations", "html": self._equations[labels]})
            return
        while len(self._equations) >= MODES:
            self._equations.pop(next(iter(self._equations)))
        self._equations[labels] = ""
        self._tell({"kind": "equations", "html": ""})
        self._begin(self._make_equations(labels))

    async def _make_equations(self, labels: tuple[str, ...]) -> None:
        try:
            html = await asyncio.wrap_future(self._workers.submit(aside.equations, self.source, labels))
        except Exception as error:  # of another process: whatever it is, frames go on
            html = f"<p>{type(error).__name__}</p>"
        self._equations[labels] = html
        if self._mode is not None and tuple(self._mode["names"]) == labels:
            self._tell({"kind": "equations", "html": html})


def _differ(one: State, other: State) -> bool:
    """Whether anything has moved."""
    return one.tick != other.tick or not np.array_equal(one.x, other.x)
