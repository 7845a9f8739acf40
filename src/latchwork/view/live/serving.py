"""Serving until interrupted: the address is said, and opened where there is a screen."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from latchwork.errors import FileError
from latchwork.view.live.gate import Gate, is_loopback, new_token
from latchwork.view.live.server import Server

HOST, PORT = "127.0.0.1", 8321
Say = Callable[[str], None]


class CannotListen(OSError):
    """An address that cannot be listened on."""


def gate_for(host: str) -> Gate:
    """Loopback is open to this machine; anything else needs a token, made now."""
    return Gate(host.lower(), None if is_loopback(host) else new_token())


def address_of(gate: Gate, port: int, name: str = "") -> str:
    """What to open: a host that can be reached, the token where there is one, a mechanism."""
    anywhere = gate.host in ("0.0.0.0", "::", "")
    host = socket.gethostname().lower() if anywhere else f"[{gate.host}]" if ":" in gate.host else gate.host
    token = "" if gate.token is None else f"?token={gate.token}"
    return f"http://{host}:{port}/{token}{f'#{quote(name)}' if name else ''}"


def has_screen() -> bool:
    """Whether a browser that is opened here is seen by somebody."""
    return sys.platform in ("win32", "darwin") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def serve_until_interrupted(sources: Mapping[str, str], say: Say, *, host: str = HOST, port: int | None = None,
                            opened: bool = False, copies: bool = False) -> None:  # fmt: skip
    """Serve; say the address; open it where asked; end with Ctrl-C or a request to terminate."""
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(sources, say, gate_for(host), port, opened, forever=True, copies=copies))
    say("stopped")


def try_out(sources: Mapping[str, str], say: Say) -> None:
    """Start the server at any free port and stop it again: it works here."""
    asyncio.run(_serve(sources, say, gate_for(HOST), 0, False, forever=False))


async def _serve(sources: Mapping[str, str], say: Say, gate: Gate, port: int | None, opened: bool,
                 forever: bool, copies: bool = False) -> None:  # fmt: skip
    server = Server(sources, gate, copies=copies)
    try:
        bound = await _bound(server, gate, port)
        if not forever:
            return
        address = address_of(gate, bound, next(iter(sources)) if len(sources) == 1 else "")
        say(f"{address}  (Ctrl-C stops)")
        if opened:
            webbrowser.open(address)
        await _terminated()
    finally:
        await server.stop()


async def _bound(server: Server, gate: Gate, port: int | None) -> int:
    """Listen at the port that was asked for; where none was, at the usual one, or any that is free."""
    try:
        return await server.start(PORT if port is None else port)
    except OSError as error:
        if port is None:
            return await server.start(0)
        why = os.strerror(error.errno) if error.errno else str(error)
        raise CannotListen(f"port {port} of {gate.host} cannot be listened on: {why}. Give another with --port, or "
                           "--port 0 for any that is free.") from None  # fmt: skip


async def _terminated() -> None:
    ended = asyncio.Event()
    with suppress(NotImplementedError):  # on Windows there is only Ctrl-C
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await ended.wait()


def source_of(file: str, options: Mapping[str, Any] | None = None) -> dict[str, str]:
    """The source of a file, under its own name, with what was said of a robot; refused where it cannot be shown."""
    from latchwork.realtime.exhibit import exhibit_of, source_with

    path = Path(file)
    if not path.is_file():
        raise FileError(f"there is no file {file}. Give a model file (.yaml, .urdf, .xml) or a Python script with "
                        "live() or build().")  # fmt: skip
    source = source_with(path.resolve(), options or {})
    exhibit_of(source)
    return {path.stem: source}
