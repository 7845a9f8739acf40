"""A pointer, until the devices are there."""

from __future__ import annotations

from latchwork.realtime.devices.device import FREE, NULL, Reading, Triple


class Pointer:
    """A pointer that commands move."""

    damping: float | None = None

    def __init__(self, step: float) -> None:
        self._reading = FREE

    def grab(self, tick: int, body: str, arm: Triple, place: Triple) -> None:
        self._reading = Reading(body, arm, place, NULL)

    def move(self, tick: int, place: Triple) -> None:
        self._reading = self._reading._replace(place=place)

    def drop(self) -> None:
        self._reading = FREE

    def read(self, tick: int, t: float) -> Reading:
        return self._reading

    def write(self, tick: int, t: float, force: Triple, torque: Triple) -> None:
        """Nothing feels the force."""

    def close(self) -> None:
        """Nothing is open."""
