"""The page's pointer: told of by messages that come as they like, read smoothly once a tick.

A message says where the pointer is; the hand goes there from where it is, at a steady speed, in as many ticks as have
passed since the message before. Messages at 60 Hz so give a motion without jumps at 1 kHz, one message late; and the
same messages at the same ticks give the same motion, to the last bit.
"""

from __future__ import annotations

from latchwork.realtime.devices.device import FREE, NULL, Reading, Triple
from latchwork.realtime.triples import add, minus, times

USUAL = 0.017  # s between messages of a page: how long the first move after a rest takes
LONGEST = 0.05  # s that any move takes


class Pointer:
    """A mouse, a pen or a finger on the page. Nothing feels the force, so that no device limits the coupler."""

    damping: float | None = None

    def __init__(self, step: float) -> None:
        self.step = step
        self._usual, self._longest = (max(1, round(span / step)) for span in (USUAL, LONGEST))
        self._body: str | None = None
        self._arm = self._start = self._end = NULL
        self._began, self._ticks = 0, 1

    # --- what messages say --------------------------------------------------------------------------------------

    def grab(self, tick: int, body: str, arm: Triple, place: Triple) -> None:
        """Take a body at an arm; the hand begins at a place, where the handle is."""
        self._body, self._arm = body, arm
        self._start = self._end = place
        self._began, self._ticks = tick, self._usual

    def move(self, tick: int, place: Triple) -> None:
        """Go to a place."""
        since = tick - self._began
        start = self._place(tick)
        self._ticks = since if 1 <= since <= self._longest else self._usual if since > 0 else self._ticks
        self._start, self._end, self._began = start, place, tick

    def drop(self) -> None:
        """Let go."""
        self._body = None

    # --- what the loop reads ------------------------------------------------------------------------------------

    def read(self, tick: int, t: float) -> Reading:
        """Place at a tick, and the velocity with which the hand goes on until the next."""
        if self._body is None:
            return FREE
        here = self._place(tick)
        velocity = times(1.0 / self.step, minus(self._place(tick + 1), here))
        return Reading(self._body, self._arm, here, velocity)

    def write(self, tick: int, t: float, force: Triple, torque: Triple) -> None:
        """Nothing feels it; the page draws it."""

    def close(self) -> None:
        """There is nothing to give back."""

    def _place(self, tick: int) -> Triple:
        share = (tick - self._began) / self._ticks
        if share >= 1.0:
            return self._end
        return add(self._start, times(max(share, 0.0), minus(self._end, self._start)))
