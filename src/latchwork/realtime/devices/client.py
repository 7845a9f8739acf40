"""A client for `NetworkDevice`: the reference for the protocol, and all that a device's driver in Python needs.

    with Client(port) as client:
        client.send(body=0, place=(0.1, 0.0, 0.0))
        felt = client.receive(timeout=0.1)

It uses the standard library alone.
"""

from __future__ import annotations

import socket
from types import TracebackType
from typing import Any

from latchwork.realtime.devices.protocol import FORCE, ForcePacket, HandPacket, pack_hand, unpack_force


class Client:
    """Sends hand packets to a port of this machine, numbered one after another, and gets force packets back."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.sequence = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect((host, port))

    def send(self, **hand: Any) -> int:
        """Send the fields of a `HandPacket`; the sequence number that it got."""
        self.sequence = (self.sequence + 1) & 0xFFFFFFFF
        self._socket.send(pack_hand(HandPacket(self.sequence, **hand)))
        return self.sequence

    def drop(self) -> int:
        """Let go."""
        return self.send()

    def receive(self, timeout: float = 0.0) -> ForcePacket | None:
        """The newest good force packet that is there, waited for if asked; None where there is none."""
        newest = None
        self._socket.settimeout(timeout)
        try:
            while True:
                newest = unpack_force(self._socket.recv(FORCE.size + 1)) or newest
                self._socket.settimeout(0.0)
        except OSError:  # no more of them, or nobody listens there
            return newest

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:  # fmt: skip
        self.close()
