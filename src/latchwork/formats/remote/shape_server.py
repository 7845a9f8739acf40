"""A process that describes shapes to those who ask: the other end of `remote`.

    with lw.ShapeServer({"fence": {"shape": "arc", ..., "bound": {"shape": "circle", ...}}}) as server:
        server.address          # for lw.Remote

``python -m latchwork.formats.remote.shape_server`` reads such a table as one line of JSON, says its address, and serves
until its input ends.
"""

from __future__ import annotations

import json
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from latchwork.errors import FileError, ModelError, did_you_mean, must_be
from latchwork.formats.remote.remote_shape import LARGEST, Address, local, message
from latchwork.program.parent import OWN_PATH, watch_parent

PATIENCE = 5.0  # s: a connection on which nothing comes is closed


class ShapeServer:
    """Answers questions about some shapes on a local address; each is a description, with a bound of its own."""

    def __init__(self, shapes: Mapping[str, Mapping[str, Any]], address: Address = ("127.0.0.1", 0)) -> None:
        local(address)
        must_be(shapes, Mapping, "what a server answers for", 'Give shapes by name: {"tray": {"shape": ...}}.')
        for name, shape in shapes.items():
            if not isinstance(shape, Mapping) or "shape" not in shape or "bound" not in shape:
                raise ModelError(f"'{name}' is described by {shape!r}. Give a shape and a bound that holds all of it.")
        self.shapes = json.loads(json.dumps(dict(shapes), allow_nan=False))
        self.asked: list[tuple[str, str]] = []  # every question that was answered
        self._server = _server(address, self._answer)
        port = 0 if isinstance(address, str) else int(self._server.socket.getsockname()[1])
        self.address: Address = address if isinstance(address, str) else (address[0], port)

    def __enter__(self) -> ShapeServer:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        if isinstance(self.address, str):
            Path(self.address).unlink(missing_ok=True)

    def _answer(self, line: bytes) -> dict[str, Any]:
        """The answer to one line."""
        try:
            question = message(line, "question")
        except FileError as problem:
            return {"error": str(problem)}
        what, name = question.get("ask"), question.get("name")
        if what == "shapes":
            return {"shapes": list(self.shapes)}
        if what not in ("bound", "shape"):
            return {"error": f"'{str(what)[:40]}' cannot be asked. Ask for shapes, bound or shape"}
        if not isinstance(name, str) or name not in self.shapes:
            return {"error": f"there is no shape '{str(name)[:40]}' here.{did_you_mean(str(name), self.shapes)}"}
        self.asked.append((what, name))
        whole = self.shapes[name]
        return {what: whole["bound"] if what == "bound" else {k: v for k, v in whole.items() if k != "bound"}}

    @staticmethod
    @contextmanager
    def elsewhere(shapes: Mapping[str, Mapping[str, Any]]) -> Iterator[Address]:
        """The address of such a server in a process of its own, as long as the block lasts."""
        package = str(Path(__file__).resolve().parents[3])
        paths = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        with subprocess.Popen([sys.executable, OWN_PATH, "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              env={**os.environ, "PYTHONPATH": paths}) as process:  # fmt: skip
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps(dict(shapes), allow_nan=False).encode() + b"\n")
            process.stdin.flush()
            said = process.stdout.readline()
            if not said:
                raise ModelError("the process that was to describe shapes ended at once. Look at the descriptions.")
            host, port = json.loads(said)
            yield host, port
            process.stdin.close()


def _server(address: Address, answer: Any) -> socketserver.TCPServer:
    class Handler(socketserver.StreamRequestHandler):
        timeout = PATIENCE

        def handle(self) -> None:
            """Line after line until one is too long, wrong, or does not come."""
            try:
                while line := self.rfile.readline(LARGEST + 1):
                    whole = len(line) <= LARGEST and line.endswith(b"\n")
                    told = answer(line) if whole else {"error": f"a question is one line of at most {LARGEST} bytes"}
                    self.wfile.write(json.dumps(told).encode() + b"\n")
                    if "error" in told:
                        return
            except OSError:  # gone, or too slow
                return

    kind: Any = socketserver.ThreadingTCPServer
    if isinstance(address, str):
        kind = getattr(socketserver, "ThreadingUnixStreamServer", None)
        if kind is None:
            raise ModelError(f"this machine has no Unix sockets, so nobody can be asked at '{address}'. Give a port.")
    made: socketserver.TCPServer = type("Server", (kind,), {"daemon_threads": True})(address, Handler)
    return made


def main() -> None:
    """Serve what stands on the first line of the input, until the input ends."""
    with ShapeServer(message(sys.stdin.buffer.readline(), "input")) as server:
        sys.stdout.write(json.dumps(server.address) + "\n")
        sys.stdout.flush()
        watch_parent(os.getppid(), lambda: os._exit(0))
        sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
