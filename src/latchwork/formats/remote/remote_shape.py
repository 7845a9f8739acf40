"""Shapes that another process describes, over a local socket; asked for only when something is near.

One JSON object to a line, at most 64 kB, each way:

    {"ask": "shapes"}                        →  {"shapes": ["fence"]}
    {"ask": "bound", "name": "fence"}        →  {"bound": {"shape": "circle", "center": [5, 1], "radius": 5.2}}
    {"ask": "shape", "name": "fence"}        →  {"shape": {"shape": "arc", "center": [0, 20], ...}}
    anything else                            →  {"error": "..."}

Numbers and expressions are all that comes in (`described`); nothing that arrives is executed.
"""

from __future__ import annotations

import ipaddress
import json
import socket
import time
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from latchwork.errors import FileError, ModelError
from latchwork.formats.places import shown
from latchwork.formats.remote.described import BOUNDS, Home, described
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point

Address: TypeAlias = tuple[str, int] | str  # host and port, or the path of a Unix socket
LARGEST = 65536  # bytes of a message
TIMEOUT = 2.0  # s, for a question and its answer


@dataclass(frozen=True, eq=False)
class Remote:
    """A shape that another process describes, over a local socket: ``lw.Remote(("127.0.0.1", 5005), "fence", P, A)``;
    `lw.ShapeServer` is the other side.

    Its numbers are measured from ``point`` along the axes of ``frame`` (default: N). Give it to ``sim.contact``: at
    first only its bound is asked for, and the shape itself where a body enters that. No answer takes longer than
    ``timeout``.
    """

    address: Address
    name: str
    point: Point
    frame: Frame | None = None
    timeout: float = TIMEOUT
    _home: Home = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.point, Point):
            raise ModelError(f"the point of the remote shape '{self.name}' is {self.point!r}. Give a point, such as "
                             "model.origin, from which its numbers are measured.")  # fmt: skip
        source, frame = local(self.address), self.frame or self.point.tree.newtonian
        object.__setattr__(self, "_home", Home(self.point, frame, str(self.name), source))

    def bound(self) -> Any:
        """A circle, sphere, line or plane that holds all of it, asked for now."""
        return described(self._home, self._asked("bound"), only=BOUNDS)

    def fetched(self) -> Any:
        """The shape itself, asked for now."""
        return described(self._home, self._asked("shape"))

    def _asked(self, what: str) -> Any:
        answer = ask(self.address, {"ask": what, "name": self.name}, self.timeout)
        if what not in answer:
            raise FileError(f"the answer about '{self.name}' has no '{what}'. Look at the process there.",
                            self._home.source)  # fmt: skip
        return answer[what]


def local(address: Any) -> str:
    """An address in words; one that is not on this machine is refused."""
    if isinstance(address, str) and address:
        return address
    match address:
        case (str(host), int(port)) if 0 <= port < 65536 and not isinstance(port, bool):
            if host == "localhost" or _is_loopback(host):
                return f"{host}:{port}"
    raise ModelError(
        f"{address!r} is no local address. Give (\"127.0.0.1\", port), or the path of a Unix socket; shapes are not "
        "fetched from other machines."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def ask(address: Address, question: Any, timeout: float = TIMEOUT) -> dict[str, Any]:
    """One question and its answer, over a connection of its own."""
    source, until = local(address), time.monotonic() + timeout
    try:
        with _connected(address, timeout) as connection:
            connection.sendall(json.dumps(question).encode() + b"\n")
            line = _line(connection, until, source)
    except TimeoutError:
        raise FileError(f"nothing was answered within {timeout:g} s. Look at the process there, or give a longer "
                        "timeout.", source) from None  # fmt: skip
    except OSError as problem:
        raise FileError(f"nobody answers there: {problem.strerror or problem}. Start the process that describes the "
                        "shapes, or look at the address.", source) from None  # fmt: skip
    answer = message(line, source)
    if "error" in answer:
        raise FileError(f"the answer is an error: {shown(str(answer['error'])[:400])}.", source)
    return answer


def _connected(address: Address, timeout: float) -> socket.socket:
    if not isinstance(address, str):
        return socket.create_connection(address, timeout)
    if not hasattr(socket, "AF_UNIX"):
        raise ModelError(f"this machine has no Unix sockets, so '{address}' cannot be reached. Give a host and a port.")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(timeout)
        connection.connect(address)
    except OSError:
        connection.close()
        raise
    return connection


def _line(connection: socket.socket, until: float, source: str) -> bytes:
    """A whole line, however slowly it drips, before a time and up to a size."""
    received = b""
    while not received.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0.0:
            raise TimeoutError
        connection.settimeout(left)
        part = connection.recv(4096)
        if not part:
            raise FileError(f"the answer ends after {len(received)} bytes, before its line does. Look at the process "
                            "there.", source)  # fmt: skip
        received += part
        if len(received) > LARGEST:
            raise FileError(f"the answer is longer than {LARGEST} bytes. Describe the shape in fewer words.", source)
    return received


def message(line: bytes, source: str) -> dict[str, Any]:
    """The object that a line holds; what is not JSON, or not finite, is refused."""
    try:
        found = json.loads(line, parse_constant=_refused)
    except (ValueError, RecursionError) as problem:
        raise FileError(f"what arrived is no JSON object: {problem}. Look at the process there.", source) from None
    if not isinstance(found, dict):
        raise FileError(f"what arrived is a {type(found).__name__}, and no JSON object. Look at the process there.",
                        source)  # fmt: skip
    return found


def _refused(text: str) -> Any:
    raise ValueError(f"{text} is no number")
