"""Ctrl-C, heard where a run can stop: between two calls of machine code, with all that was computed in its place.

While a run listens, the first interrupt is noted and ends it after its next steps, as if it had been asked to run no
further; a second one is Python's own, at once. Handlers of the user's own are left alone, and other threads are never
interrupted, except those that a run works in.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType


class Ear:
    """Whether an interrupt was heard since a run began to listen."""

    def __init__(self) -> None:
        self.heard = False

    def hear(self, number: int, frame: FrameType | None) -> None:
        """What SIGINT does."""
        if self.heard:
            signal.default_int_handler(number, frame)
        self.heard = True


_ear: ContextVar[Ear | None] = ContextVar("ear", default=None)


@contextmanager
def listening() -> Iterator[None]:
    """While this lasts, Ctrl-C is noted; at its end it is raised. Inside another one, that one listens."""
    if _ear.get() is not None:
        yield
        return
    ear = Ear()
    token, usual = _ear.set(ear), _is_usual()
    try:
        if usual:
            signal.signal(signal.SIGINT, ear.hear)
        yield
    finally:
        if usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        _ear.reset(token)
    if ear.heard:
        raise KeyboardInterrupt


def interrupted() -> bool:
    """Whether what runs here should stop soon."""
    ear = _ear.get()
    return ear is not None and ear.heard


def hearing(call: Callable[[float], None]) -> Callable[[float], None]:
    """A call in a run, such as one that shows progress: where it is interrupted, the run is."""

    def hears(t: float) -> None:
        try:
            call(t)
        except KeyboardInterrupt:
            ear = _ear.get()
            if ear is None:
                raise
            ear.heard = True

    return hears


def _is_usual() -> bool:
    """Whether interrupts come here, and do what they usually do."""
    return (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)  # fmt: skip
