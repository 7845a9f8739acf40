"""The loop: a live mechanism ticked by the clock, in a process of its own. It never waits for anybody.

Commands come from a mailbox and news go to one; the state goes to the board. Ticks that are late are counted, and of
those that were missed only a few are made up for.
"""

from __future__ import annotations

import gc
import json
import math
import os
import signal
import sys
import threading
import time
from typing import Any

from latchwork.errors import EvaluationError
from latchwork.program.parent import watch_parent
from latchwork.realtime.devices.device import Device
from latchwork.realtime.devices.network import network_device
from latchwork.realtime.devices.recording import load
from latchwork.realtime.devices.scripted import scripted
from latchwork.realtime.exhibit import Exhibit, exhibit_of
from latchwork.realtime.link import Link
from latchwork.realtime.live import Live
from latchwork.realtime.pace import Pace
from latchwork.realtime.settings import freeze_garbage, raise_priority, resident, soft_real_time

SHOWN = 0.004  # s between two looks at the state
MEASURED = 0.2  # s between two looks at the figures of the beat
REST = 0.002  # s between two looks at the commands while nothing moves
MOST_COMMANDS = 64  # in one tick
SLACK = 0.0003  # s that must be left for work beside the ticks


class Beating:
    """A live mechanism, its link to others, and how it keeps time."""

    def __init__(self, live: Live, link: Link) -> None:
        self.live, self.link, self.pace = live, link, Pace()
        self.dropped = 0
        self.ended = self.done = False  # asked for; and made
        self._shown = self._measured = -math.inf
        self._rss = resident()

    def run(self) -> None:
        """Tick until the end is asked for."""
        self.live.compile()
        while not self.ended:
            for command in self.link.commands.take(MOST_COMMANDS):
                self.live.do(command)
            now = time.perf_counter()
            if self.live.paused and not self.live.steps:
                self._rest(now)
            elif now < self.pace.due:
                self._wait(now)
            else:
                self._tick(now)

    def _tick(self, now: float) -> None:
        live, period = self.live, self.live.step / self.live.speed
        self.pace.begins(now, period)
        live.tick()
        live.steps = max(live.steps - 1, 0)
        self.pace.ends(now, time.perf_counter(), period)

    def _wait(self, now: float) -> None:
        """Until the next tick is due: first what others want to know, then what can wait."""
        if now - self._shown > SHOWN:
            self._show(now)
        elif now - self._measured > MEASURED and self.pace.due - now > SLACK:
            self._measured = now
            self.pace.measure()
            self._rss = resident()
            gc.collect(0)
        elif self.pace.due - now < SLACK or not self.live.scout.look(self.pace.due - SLACK):
            time.sleep(max(self.pace.due - time.perf_counter(), 0.0))

    def _rest(self, now: float) -> None:
        """While the mechanism is paused."""
        self.pace.rests(now)
        if now - self._shown > SHOWN:
            self._show(now)
        if now - self._measured > MEASURED:
            self._measured = now
            gc.collect()
        time.sleep(REST)
        self.pace.rests(time.perf_counter())

    def _show(self, now: float) -> None:
        """Put the state on the board and the news in the mailbox; what finds no room there is dropped and counted."""
        self._shown = now
        live = self.live
        beat = self.pace.beat(live.switches, live.switch, self.dropped, self._rss, live.scout.off)
        self.link.board.write(live.state(beat))
        for row in live.news():
            self.dropped += not self.link.news.send(row)


def serve() -> None:
    """What the process of a loop does: the first line of its input says what to run, its end says when to end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    given: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    exhibit = exhibit_of(given["source"])
    link = Link(given["memory"], exhibit.width)
    record = given["record"]
    device = device_of(given["device"], given["script"], exhibit)
    live = Live(exhibit, device=device, step=given["step"], source=given["source"], record=record is not None)
    beating = Beating(live, link)
    threading.Thread(target=_listen, args=(beating,), daemon=True).start()
    watch_parent(given["parent"], lambda: _end(beating))
    freeze_garbage()
    if "priority" in soft_real_time():
        live.prepare_first(raise_priority)
    beating.pace.rests(time.perf_counter())
    beating.run()
    beating.done = True
    if record is not None:
        live.save(record)


def device_of(name: str | None, script: Any, exhibit: Exhibit) -> Device | None:
    """The device of a loop: None for the pointer; a script; a port of the network; or a file of a recording."""
    if script is not None:
        return scripted(script)
    if name in (None, "pointer"):
        return None
    kind, _, rest = str(name).partition(":")
    if kind == "network":
        return network_device(rest, exhibit.bodies)
    if kind == "recording":
        return load(rest)
    raise EvaluationError(f"there is no device '{name}'. Choose pointer, network, network:PORT or recording:FILE.")


def _listen(beating: Beating) -> None:
    """When there is no more input, the parent is gone, or wants an end."""
    while sys.stdin.buffer.read(1):
        pass
    _end(beating)


def _end(beating: Beating) -> None:
    """Ask for an end, and make one where a tick does not end."""
    beating.ended = True
    time.sleep(2.0)
    if not beating.done:
        os._exit(1)
