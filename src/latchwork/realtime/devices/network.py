"""A device on the network: packets on a loopback port (`protocol`), from a haptic device, a robot, or another program.

Nothing blocks: of the packets that wait at the beginning of a tick the newest good one counts. What is malformed, comes
late, or comes from a second client is dropped and counted. A client that falls silent has let go.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from latchwork.errors import EvaluationError, did_you_mean
from latchwork.realtime.devices.device import FREE, NULL, Motion, Reading, Triple
from latchwork.realtime.devices.protocol import HAND, ForcePacket, HandPacket, newer, pack_force, unpack_hand
from latchwork.realtime.triples import minus, quaternion, times

LOOPBACK = "127.0.0.1"
AT_ONCE = 32  # packets looked at in a tick, so that a flood costs no more than this
Address = tuple[str, int]
OPTIONS: dict[str, tuple[type, float, float]] = {
    "port": (int, 0, 65535), "damping": (float, 0.0, 1e6), "damping_turn": (float, 0.0, 1e6),
    "stale": (float, 1e-3, 60.0), "display": (str, 0, 0),
}  # fmt: skip


@dataclass
class Counts:
    """What became of the packets."""

    accepted: int = 0
    malformed: int = 0
    late: int = 0  # older than one that was accepted
    strangers: int = 0  # from another address than the client's
    lost: int = 0  # force packets that could not be sent
    silences: int = 0  # times that the client fell silent


class NetworkDevice:
    """A hand that talks by packets; ``port`` 0 takes any that is free. ``stale`` seconds without a packet let go."""

    def __init__(self, bodies: Sequence[str], port: int = 0, damping: float | None = None,
                 damping_turn: float | None = None, stale: float = 0.1,
                 display: str = "impedance") -> None:  # fmt: skip
        self.bodies, self.stale, self.display = tuple(bodies), stale, display
        self.damping, self.damping_turn = damping, damping_turn
        self.counts = Counts()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        try:
            self._socket.bind((LOOPBACK, port))
        except (OSError, OverflowError) as error:
            self._socket.close()
            raise EvaluationError(f"port {port} on {LOOPBACK} cannot be used ({error}). Give another, or 0.") from None
        self.port: int = self._socket.getsockname()[1]
        self._client: Address | None = None
        self._last: HandPacket | None = None
        self._reading, self._heard = FREE, 0.0
        self._motion: Motion | None = None

    def read(self, tick: int, t: float) -> Reading:
        """What the newest packet says; nothing is held where the last one is too old."""
        fresh = self._newest()
        if fresh is not None:
            self._reading, self._heard = self._understood(fresh, t), t
        elif self._client is not None and t - self._heard > self.stale:
            self.counts.silences += 1
            self._client, self._last, self._reading = None, None, FREE
        return self._reading

    def show(self, tick: int, t: float, motion: Motion) -> None:
        """Keep the handle's motion for the packet of this tick."""
        self._motion = motion

    def write(self, tick: int, t: float, force: Triple, torque: Triple) -> None:
        """Tell the client what it feels, and how the handle moves."""
        motion, self._motion = self._motion, None
        if self._client is None or self._last is None:
            return
        told = ForcePacket(self._last.sequence, tick, t, self._last.body, force, torque)
        if motion is not None and self._last.body >= 0:
            told = told._replace(place=motion.place, velocity=motion.velocity, turn=quaternion(motion.rotation),
                                 omega=motion.omega)  # fmt: skip
        try:
            self._socket.sendto(pack_force(told), self._client)
        except OSError:
            self.counts.lost += 1

    def close(self) -> None:
        """Close the port."""
        self._socket.close()

    # --- packets ------------------------------------------------------------------------------------------------

    def _newest(self) -> HandPacket | None:
        """The newest good packet that waits."""
        newest = None
        for _ in range(AT_ONCE):
            try:
                data, address = self._socket.recvfrom(HAND.size + 1)
            except OSError:  # none waits; or, on Windows, what was sent met a closed port, or is longer
                break
            newest = self._accepted(data, address) or newest
        return newest

    def _accepted(self, data: bytes, address: Address) -> HandPacket | None:
        counts, found = self.counts, unpack_hand(data, len(self.bodies))
        if found is None:
            counts.malformed += 1
        elif self._client is not None and address != self._client:
            counts.strangers += 1
        elif self._last is not None and not newer(found.sequence, self._last.sequence):
            counts.late += 1
        else:
            counts.accepted += 1
            self._client, self._last = address, found
            return found
        return None

    def _understood(self, hand: HandPacket, t: float) -> Reading:
        """A packet as a reading; the velocity by differences where it is not told."""
        if hand.body < 0:
            return FREE
        before, velocity = self._reading, hand.velocity
        if velocity is None:
            same = before.body == self.bodies[hand.body] and t > self._heard
            velocity = times(1.0 / (t - self._heard), minus(hand.place, before.place)) if same else NULL
        return Reading(self.bodies[hand.body], hand.arm, hand.place, velocity, hand.turn, hand.spin, hand.force,
                       hand.torque)  # fmt: skip


def network_device(text: str, bodies: Sequence[str]) -> NetworkDevice:
    """A device from a text such as ``5005,damping=2,display=admittance``: a port, and options by name; all may miss."""
    port, *options = text.split(",")
    given: dict[str, Any] = {}
    for option in options:
        name, _, value = (part.strip() for part in option.partition("="))
        if name not in OPTIONS:
            raise EvaluationError(f"a network device has no option '{name}'.{did_you_mean(name, OPTIONS)}")
        given[name] = _option(name, value)
    return NetworkDevice(bodies, int(_option("port", port.strip() or "0")), **given)


def _option(name: str, value: str) -> Any:
    """A value of the kind that an option has, within its range."""
    kind, least, most = OPTIONS[name]
    try:
        found = kind(value)
        if kind is str or least <= found <= most:
            return found
    except ValueError:
        pass
    raise EvaluationError(f"{name} of a network device is '{value}'. Give a number from {least:g} to {most:g}.")
