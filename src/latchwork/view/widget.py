"""The live page as a widget of a notebook: what the page says goes through the notebook, and no network is asked.

    page (a frame in the cell)  <-- postMessage -->  widget  <-- the notebook's own wire -->  relay  <-->  server

The server is that of ``latchwork serve``, in a thread of the kernel, at a port of this machine. Sockets of the page are
relayed one by one, so that it works wherever the kernel is: in Jupyter, VS Code and marimo. A page says now and then
that it is there. A cell that is removed closes its sockets; those of a browser that has gone are closed after a while
of silence. A mechanism that nobody has looked at for a minute ends, and begins anew when its page is opened again.
"""

from __future__ import annotations

import asyncio
import atexit
import re
import tempfile
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from latchwork.errors import EvaluationError, must_be, spelled
from latchwork.files import write_text
from latchwork.model import Model
from latchwork.view.live.files import FILES
from latchwork.view.live.server import IDLE, Server
from latchwork.view.live.serving import HOST, gate_for

HEIGHT = 620  # pixels
SILENT = 150.0  # s after which a page that says nothing is gone: browsers let hidden ones speak once a minute
Send = Callable[[dict[str, Any], list[bytes]], None]


@spelled
def show(model: Model, *, q: Mapping[str, float] | None = None, u: Mapping[str, float] | None = None,
         height: int = HEIGHT) -> Any:  # fmt: skip
    """The live page of a model as a widget: it runs in the cell, to be grabbed, stopped and looked into.

    ``q`` and ``u`` are where it starts. ``widget.stop()`` ends it; anywidget has to be installed
    (``pip install "latchwork[notebook]"``).
    """
    must_be(model, Model, "what is shown", "Give a model.")
    try:
        anywidget, traitlets = import_module("anywidget"), import_module("traitlets")
    except ImportError:
        raise EvaluationError('lw.show needs anywidget, which is not installed. Install it: pip install '
                              '"latchwork[notebook]"; or use latchwork serve.') from None  # fmt: skip
    name, source = _source(model, dict(q or {}), dict(u or {}))

    class Live(anywidget.AnyWidget):  # type: ignore[misc, name-defined]
        """A frame with the page, and the relay behind it."""

        _esm = _text("widget.js")
        page = traitlets.Unicode(page(name)).tag(sync=True)
        height = traitlets.Int(HEIGHT).tag(sync=True)

        def stop(self) -> None:
            """End the mechanism and its server."""
            relay.stop()

    widget = Live(height=height)
    relay = Relay({name: source}, lambda message, buffers: widget.send(message, buffers))
    widget.on_msg(lambda _, message, __: relay.hear(message))
    widget.relay = relay
    return widget


def _source(model: Model, q: dict[str, float], u: dict[str, float]) -> tuple[str, str]:
    """The model as a file that a loop of its own reads, and the name of its page."""
    from latchwork.formats import dump
    from latchwork.formats.model_file.run_settings import RunSettings

    name = re.sub(r"\W+", "_", model.name, flags=re.ASCII).strip("_") or "model"
    path = Path(tempfile.mkdtemp(prefix="latchwork-")) / f"{name}.yaml"
    write_text(path, dump(model, RunSettings(q=q, u=u)))
    return name, str(path)


def _text(name: str, folder: str = "") -> str:
    inside = files("latchwork.view")
    return (inside.joinpath(folder, name) if folder else inside.joinpath(name)).read_text(encoding="utf-8")


def page(name: str) -> str:
    """The live page as one text, its sockets relayed to the window around it, and a mechanism chosen."""
    text = _text("index.html", "live")
    first = f"<script>{_text('relay.js')}\nlocation.hash = {name!r};</script>"
    text = re.sub(r'<link rel="icon"[^>]*>', "", text)
    text = re.sub(r'<link rel="stylesheet" href="([^"]+)"/>', lambda found: _inlined("style", found[1]), text)
    text = re.sub(r'<script src="([^"]+)"></script>', lambda found: _inlined("script", found[1]), text)
    return text.replace("<noscript>", first + "<noscript>", 1)


def _inlined(element: str, name: str) -> str:
    folder, file = FILES[f"/{name}"]
    return f"<{element}>{_text(file, folder)}</{element}>"


class Relay:
    """A server in a thread, and a socket to it for each that the page opens."""

    def __init__(self, sources: Mapping[str, str], send: Send, *, silent: float = SILENT, idle: float = IDLE) -> None:
        self.send, self.gate = send, gate_for(HOST)
        self.sources, self.silent, self.idle = dict(sources), silent, idle
        self.sockets: dict[str, Any] = {}
        self.said: dict[str, float] = {}  # when the page of a socket was heard last
        self.port = 0
        self.loop = asyncio.new_event_loop()
        self.ready, self.ended = threading.Event(), asyncio.Event()
        self.thread = threading.Thread(target=self._run, name="latchwork live page", daemon=True)
        self.thread.start()
        self.ready.wait(30.0)
        atexit.register(self.stop)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_until_complete(self._serve())
        finally:
            self.loop.close()

    async def _serve(self) -> None:
        self.server = Server(self.sources, self.gate, idle=self.idle)
        listening = asyncio.create_task(self._listen())
        try:
            self.port = await self.server.start(0)
            self.ready.set()
            await self.ended.wait()
        finally:
            listening.cancel()
            await self.server.stop()

    async def _listen(self) -> None:
        """Close the sockets of pages that have said nothing for long."""
        while True:
            await asyncio.sleep(self.silent / 5.0)
            for number, when in list(self.said.items()):
                if number in self.sockets and self.loop.time() - when > self.silent:
                    await self.sockets[number].close()

    def stop(self) -> None:
        """End the server; what is open is closed."""
        atexit.unregister(self.stop)
        if self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.ended.set)
            self.thread.join(10.0)

    def hear(self, message: Any) -> None:
        """What the page said: a socket to be opened or closed, or words for one."""
        known = isinstance(message, dict) and message.get("latchwork") in ("open", "send", "close", "alive")
        if known and self.thread.is_alive():
            self.loop.call_soon_threadsafe(self._heard, message)

    def _heard(self, message: dict[str, Any]) -> None:
        number, socket = str(message.get("id")), self.sockets.get(str(message.get("id")))
        self.said[number] = self.loop.time()
        if message["latchwork"] == "open":
            self.loop.create_task(self._open(number, str(message.get("path", ""))))
        elif socket is not None and message["latchwork"] != "alive":
            words = str(message.get("text", ""))
            self.loop.create_task(socket.send(words) if message["latchwork"] == "send" else socket.close())

    async def _open(self, number: str, path: str) -> None:
        from websockets.asyncio.client import connect
        from websockets.exceptions import WebSocketException

        try:
            place = f"{HOST}:{self.port}"
            async with connect(f"ws://{place}{path}", origin=f"http://{place}", max_size=None) as socket:  # type: ignore[arg-type]
                self.sockets[number] = socket
                self.send({"latchwork": "opened", "id": number}, [])
                async for heard in socket:
                    told = {"latchwork": "text", "id": number, "text": heard} if isinstance(heard, str) else \
                        {"latchwork": "frame", "id": number}  # fmt: skip
                    self.send(told, [] if isinstance(heard, str) else [bytes(heard)])
        except (OSError, WebSocketException):
            pass
        finally:
            self.sockets.pop(number, None)
            self.said.pop(number, None)
            self.send({"latchwork": "closed", "id": number}, [])
