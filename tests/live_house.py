"""A server in a thread of its own, for tests; with real loops, or with mechanisms that are ticked when looked at."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from websockets.sync.client import ClientConnection, connect

from latchwork.realtime.devices.device import Device
from latchwork.realtime.exhibit import exhibit_of
from latchwork.realtime.live import Live
from latchwork.view.live.frames import HEAD
from latchwork.view.live.gate import Gate
from latchwork.view.live.server import Server

FEEDER = str(Path(__file__).with_name("live_feeder.py"))
SOURCES = {"double_pendulum": "double_pendulum", "caster": "caster", "feeder": FEEDER}


class Ticked:
    """A loop without a clock and without a process: some ticks whenever its state is asked for."""

    def __init__(self, source: str, device: Device | None = None) -> None:
        self.live = Live(exhibit_of(source), device=device, source=source)
        self.alive = False

    def start(self) -> None:
        self.alive = True

    def stop(self) -> None:
        self.alive = False

    def send(self, command: dict[str, Any]) -> bool:
        self.live.do(command)
        return True

    def state(self) -> Any:
        for _ in range(0 if self.live.paused else 25):
            self.live.tick()
        return self.live.state()

    def wait(self, seconds: float) -> Any:
        return self.live.state()

    def news(self) -> list[dict[str, Any]]:
        return self.live.news()


def in_a_thread() -> Executor:
    """What typesets and draws cards, without a process."""
    return ThreadPoolExecutor(1)


class House:
    """A server that listens at some port of this machine until it is stopped."""

    def __init__(self, sources: Mapping[str, str] = SOURCES, port: int = 0, gate: Gate | None = None,
                 **more: Any) -> None:  # fmt: skip
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.server = self.call(self._made(sources, gate or Gate("127.0.0.1"), more))
        self.port = self.call(self.server.start(port))
        self.origin = f"http://127.0.0.1:{self.port}"

    @staticmethod
    async def _made(sources: Mapping[str, str], gate: Gate, more: Any) -> Server:
        return Server(sources, gate, **({"workers": in_a_thread} if more.get("looping") is Ticked else {}) | more)

    def call(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def stop(self) -> None:
        self.call(self.server.stop())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()

    def __enter__(self) -> House:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def socket(self, path: str = "/live?name=double_pendulum", **more: Any) -> ClientConnection:
        """A socket as a page opens it."""
        given = {"origin": self.origin, "max_size": None, "compression": None} | more
        return connect(f"ws://127.0.0.1:{self.port}{path}", **given)


def until(found: Callable[[], Any], seconds: float = 30.0, what: str = "", pause: float = 0.01) -> Any:
    """Wait for something to be true, and give it."""
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, f"waited {seconds:g} s for {what or found}"
        time.sleep(pause)
    return value


class Listener:
    """A page without a screen: its messages by kind, and its last frame."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.words: list[dict[str, Any]] = []
        self.head: dict[str, float] = {}
        self.frame = np.zeros(0)
        self.frames = 0

    def hear(self, seconds: float = 0.0) -> None:
        """Take what has come, for a while."""
        end = time.monotonic() + seconds
        while True:
            try:
                message = self.socket.recv(timeout=max(0.0, end - time.monotonic()))
            except TimeoutError:
                return
            if isinstance(message, str):
                self.words.append(json.loads(message))
            else:
                self.frame = np.frombuffer(message, "<f8")
                self.head = dict(zip(HEAD, self.frame.tolist(), strict=False))
                self.frames += 1
            if time.monotonic() >= end:
                return

    def told(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.words if message["kind"] == kind]

    def wait(self, found: Callable[[], Any], seconds: float = 30.0) -> Any:
        """Listen until something is true."""
        def heard() -> Any:
            self.hear(0.02)
            return found()

        return until(heard, seconds)

    def say(self, **command: Any) -> None:
        self.socket.send(json.dumps(command))
