"""The server: a gallery of mechanisms, and a room for each that is open. One process, one thread, no network beyond it.

    GET /                 the page, with its scripts and style beside it
    socket /gallery       cards with still pictures, as they are made
    socket /live?name=…   a room: frames and news to the page, commands from it
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import Server as Listening
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from latchwork.errors import did_you_mean
from latchwork.realtime.process import Loop
from latchwork.view.live import aside, files
from latchwork.view.live.desk import Looping
from latchwork.view.live.gate import Gate, Refused
from latchwork.view.live.picture import warm
from latchwork.view.live.room import Room
from latchwork.view.live.visitor import Visitor, written

LARGEST = 64 * 1024  # bytes of a message
MOST_PAGES = 16
MOST_ROOMS = 4
MOST_COPIES = 12  # rooms, where every page has one of its own
IDLE = 60.0  # s that a loop without pages is kept
SOCKETS = ("/gallery", "/live")
QUIET = logging.getLogger("latchwork.live")  # what strangers do wrong is counted, not printed
QUIET.addHandler(logging.NullHandler())
QUIET.propagate = False


class Server:
    """Sources by name, who may come in, and what is open.

    ``looping`` makes a loop for a source; ``workers`` makes what typesets and draws cards. With ``copies`` every page
    has a mechanism of its own; else all that open one share it.
    """

    def __init__(self, sources: Mapping[str, str], gate: Gate, *, looping: Callable[[str], Looping] = Loop,
                 workers: Callable[[], Executor] = aside.workers, idle: float = IDLE,
                 copies: bool = False) -> None:  # fmt: skip
        self.sources, self.gate, self._looping, self._idle = dict(sources), gate, looping, idle
        self.copies = copies
        self._make_workers = workers
        self.rooms: dict[str, Room] = {}
        self.cards: dict[str, str] = {}
        self.refused = 0
        self._numbers = itertools.count(1)
        self._pages = 0
        self._workers: Executor | None = None
        self._listening: Listening | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._watching: set[Visitor] = set()
        self._closing: set[asyncio.Task[None]] = set()

    # --- up and down --------------------------------------------------------------------------------------------

    async def start(self, port: int) -> int:
        """Listen; gives the port, which may have been chosen."""
        self._workers = self._make_workers()
        self._listening = await serve(
            self._handle, self.gate.host, port, process_request=self._request, max_size=LARGEST, max_queue=32,
            compression=None, server_header=None, ping_interval=20, ping_timeout=20, close_timeout=2, open_timeout=10,
            logger=QUIET,
        )  # fmt: skip
        self._tasks = [asyncio.create_task(self._tidy()), asyncio.create_task(asyncio.to_thread(warm))]
        if len(self.sources) > 1:
            self._begin_cards()  # so that there is something to see at once
        elif not self.copies:
            for name in self.sources:
                self._open(name, name)
        return int(next(iter(self._listening.sockets)).getsockname()[1])

    async def stop(self) -> None:
        """Let all pages go and stop all loops."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._listening is not None:
            self._listening.close()
            with suppress(TimeoutError):
                async with asyncio.timeout(3.0):
                    await self._listening.wait_closed()
        await asyncio.gather(*(self._close(name) for name in list(self.rooms)), *self._closing)
        if self._workers is not None:
            self._workers.shutdown(wait=False, cancel_futures=True)

    # --- at the door --------------------------------------------------------------------------------------------

    def _request(self, connection: ServerConnection, request: Request) -> Response | None:
        """Everything that asks, before it is let in; nothing where it may open a socket."""
        try:
            return self._admitted(request)
        except Refused as refused:
            self.refused += 1
            return files.words(refused.status, refused.why)

    def _admitted(self, request: Request) -> Response | None:
        headers, path, asked = request.headers, *_split(request.path)
        hosts = headers.get_all("Host")
        host = hosts[0] if len(hosts) == 1 else None
        self.gate.must_name_us(host)
        if path in SOCKETS or path == "/":
            self.gate.must_carry_token(asked.get("token"))
        if path not in SOCKETS:
            return files.answer(path)
        origins = headers.get_all("Origin")
        self.gate.must_come_from_us(origins[0] if len(origins) == 1 else None, host)
        if self._pages >= MOST_PAGES:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, f"{MOST_PAGES} pages are open already. Close one.")
        return None

    async def _handle(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        path, asked = _split(connection.request.path)
        visitor = Visitor(connection, next(self._numbers))
        self._pages += 1
        writing = asyncio.create_task(visitor.write())
        try:
            if path == "/gallery":
                await self._gallery(connection, visitor)
            else:
                await self._bench(connection, visitor, asked.get("name", ""))
        except ConnectionClosed:
            pass
        finally:
            self._pages -= 1
            visitor.gone = True
            writing.cancel()
            await asyncio.gather(writing, return_exceptions=True)

    # --- inside -------------------------------------------------------------------------------------------------

    async def _gallery(self, connection: ServerConnection, visitor: Visitor) -> None:
        """All names at once, then a card for each as it is ready."""
        visitor.tell({"kind": "gallery", "names": list(self.sources)})
        for card in self.cards.values():
            visitor.tell(card)
        self._watching.add(visitor)
        self._begin_cards()
        try:
            async for message in connection:
                visitor.read(message, asyncio.get_running_loop().time())
        finally:
            self._watching.discard(visitor)

    def _begin_cards(self) -> None:
        if not any(task.get_name() == "cards" for task in self._tasks):
            self._tasks.append(asyncio.create_task(self._make_cards(), name="cards"))

    async def _make_cards(self) -> None:
        """Still pictures, one after the other, in a process beside this one."""
        for name, source in self.sources.items():
            assert self._workers is not None
            try:
                found = await asyncio.wrap_future(self._workers.submit(aside.card, source))
            except Exception as error:  # of another process: the others are still shown
                found = {"kind": "card", "why": f"{type(error).__name__}: {error}"}
            self.cards[name] = written(found | {"name": name})
            for visitor in self._watching:
                visitor.tell(self.cards[name])

    async def _bench(self, connection: ServerConnection, visitor: Visitor, name: str) -> None:
        """A page at a mechanism, from the first frame to the last."""
        room = await self._room(visitor, name)
        if room is None:
            await asyncio.sleep(0.2)
            await connection.close(1008, "no room")
            return
        visitor.tell({"kind": "house", "count": len(self.sources)})
        scene = json.loads(self.cards[name]).get("scene") if name in self.cards and not room.state else None
        if scene:
            visitor.tell({"kind": "still", "scene": scene})
        room.enter(visitor)
        try:
            async for message in connection:
                room.desk.take(visitor, message)
                if visitor.gone:
                    await connection.close(1013, "says too much, or reads too slowly")
        finally:
            room.leave(visitor)

    async def _room(self, visitor: Visitor, name: str) -> Room | None:
        """The room of a mechanism, opened where there is one to spare."""
        if name not in self.sources:
            why = f"There is no mechanism '{name[:60]}' here.{did_you_mean(name[:60], self.sources)}"
            visitor.tell({"kind": "trouble", "why": f"{why} The arrow leads to all that there are.", "final": True})
            return None
        key = f"{name} {visitor.number}" if self.copies else name
        if key not in self.rooms:
            most = MOST_COPIES if self.copies else MOST_ROOMS
            if len(self.rooms) >= most and not await self._close_one():
                visitor.tell({"kind": "trouble", "why": f"{most} mechanisms run already. Close a page first."})
                return None
            self._open(key, name)
        return self.rooms[key]

    def _open(self, key: str, name: str) -> None:
        assert self._workers is not None
        self.rooms[key] = Room(self.sources[name], self._looping, self._workers)

    async def _close_one(self) -> bool:
        """Stop the loop that has been without pages for longest."""
        empty = {name: room.empty_since for name, room in self.rooms.items() if room.empty_since is not None}
        if not empty:
            return False
        await self._close(min(empty, key=lambda name: empty[name] or 0.0))
        return True

    async def _close(self, name: str) -> None:
        """Forget a room, and stop what runs in it; what has begun is finished, whoever waits for it is cancelled."""
        task = asyncio.create_task(self.rooms.pop(name).close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
        await asyncio.shield(task)

    async def _tidy(self) -> None:
        """Stop loops that nobody has looked at for a while, and forget rooms that could not be opened."""
        while True:
            await asyncio.sleep(min(1.0, self._idle))
            now = asyncio.get_running_loop().time()
            for name, room in list(self.rooms.items()):
                if room.empty_since is not None and (now - room.empty_since > self._idle or room.trouble):
                    await self._close(name)


def _split(path: str) -> tuple[str, dict[str, Any]]:
    """The path of an address, and what is asked behind it, each once."""
    try:
        parts = urlsplit(path)
        return parts.path, {key: values[0] for key, values in parse_qs(parts.query, max_num_fields=8).items()}
    except ValueError:
        raise Refused(HTTPStatus.BAD_REQUEST, "This is no address.") from None
