"""Loop: the handle on a loop that runs in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from latchwork.errors import EvaluationError
from latchwork.program.parent import OWN_PATH
from latchwork.realtime.board import State
from latchwork.realtime.exhibit import exhibit_of
from latchwork.realtime.link import Link
from latchwork.realtime.telling import Row

START = "import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline()); \
from latchwork.realtime.loop import serve; serve()"


class Loop:
    """A mechanism that runs in real time in a process of its own, at a fixed step: commands go there, states and events
    come back, through shared memory.

    Neither process waits for the other. The loop ends with ``stop``, or with this process.
    """

    def __init__(self, source: str, *, step: float | None = None, device: str | None = "pointer",
                 record: str | Path | None = None, script: Any = None) -> None:  # fmt: skip
        self.source, self.exhibit = source, exhibit_of(source)
        self._settings = {"step": step, "device": device, "record": None if record is None else str(record),
                          "script": script}  # fmt: skip
        self._link: Link | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._words: IO[bytes] | None = None  # a file: a pipe that nobody reads would fill, and stop the loop
        self.refused = 0  # commands for which there was no room

    def __enter__(self) -> Loop:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start the process; its first state is there as soon as it ticks."""
        if self.alive:
            raise EvaluationError(f"the loop of '{self.source}' runs already. Stop it first.")
        self.stop()
        self._link, self._words = Link.made(self.exhibit.width), tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen([sys.executable, OWN_PATH, "-c", START], stdin=subprocess.PIPE,
                                         stdout=subprocess.DEVNULL, stderr=self._words,
                                         pass_fds=self._link.inherited)  # fmt: skip
        given = {"source": self.source, "memory": self._link.memory, "parent": os.getpid(), **self._settings}
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.write(f"{json.dumps(sys.path)}\n{json.dumps(given)}\n".encode())
            self._process.stdin.flush()

    def wait(self, seconds: float = 30.0) -> State:
        """The first state, waited for."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            state = self.state()
            if state is not None:
                return state
            if not self.alive:
                break
            time.sleep(0.005)
        raise EvaluationError(f"the loop of '{self.source}' did not begin within {seconds:g} s.{self._said()}")

    def _said(self) -> str:
        """What the process left behind, where it has ended."""
        if self._process is None or self._process.poll() is None or self._words is None:
            return ""
        self._words.seek(0)
        lines = self._words.read().decode(errors="replace").strip().splitlines()
        return f" It ended with code {self._process.returncode}{': ' + lines[-1] if lines else '.'}"

    def stop(self) -> None:
        """End the process, and take its memory away."""
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()
            try:
                process.wait(timeout=5.0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._link is not None:
            self._link.close()
            self._link = None
        if self._words is not None:
            self._words.close()
            self._words = None

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    def send(self, command: dict[str, Any]) -> bool:
        """Send a command; False, and counted, where there is no room for it. Never waits."""
        sent = self._link is not None and self._link.commands.send(command)
        self.refused += not sent
        return sent

    def state(self) -> State | None:
        """The state as it was a few milliseconds ago; None before the first."""
        return None if self._link is None else self._link.board.read()

    def news(self) -> list[Row]:
        """What has happened since last asked."""
        return [] if self._link is None else self._link.news.take()
