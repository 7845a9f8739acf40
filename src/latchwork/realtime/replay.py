"""A recorded session, run again without a clock: the same inputs at the same ticks, the same states bit for bit."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from latchwork.errors import IntegrationError, spelled
from latchwork.realtime.board import Array
from latchwork.realtime.devices.device import FREE, Device, Reading, Triple
from latchwork.realtime.exhibit import Exhibit, exhibit_of
from latchwork.realtime.live import Live
from latchwork.realtime.session import Session, load_session

POINTER = "pointer"


@dataclass(frozen=True, eq=False)
class Replay:
    """What a session was: its exhibit, times and states (q, u) tick by tick, and the news; all checksums agreed."""

    exhibit: Exhibit
    t: Array
    x: Array
    news: list[dict[str, Any]]
    checksum: str


class Replayed:
    """A device that reads what was read."""

    def __init__(self, rows: list[tuple[int, Reading]], damping: tuple[float | None, float | None]) -> None:
        self.damping, self.damping_turn = damping
        self._rows, self._ticks = rows, [tick for tick, _ in rows]

    def read(self, tick: int, t: float) -> Reading:
        i = bisect_right(self._ticks, tick) - 1
        return self._rows[i][1] if i >= 0 else FREE

    def write(self, tick: int, t: float, force: Triple, torque: Triple) -> None:
        """Nobody feels it any more."""

    def close(self) -> None:
        """There is nothing to give back."""


@spelled
def replay(path: str | Path, script: str | Path | None = None) -> Replay:
    """Run a recorded session again; an error says from where on it differs, where it does.

    A session names an example or a model file. One that was recorded from a script names none: it is executed only
    where it is given here.
    """
    session = load_session(path, script)
    exhibit = exhibit_of(session.source)
    device: Device | None = None if session.device == POINTER else Replayed(session.hand, session.damping)
    live = Live(exhibit, device=device, step=session.step, display=session.display)
    rows = [np.append(live.sim.t, live.x)]  # memory grows with ticks that were made, not with those that are claimed
    news: list[dict[str, Any]] = live.news()
    for k in range(session.ticks):
        for command in session.commands.get(k, ()):
            live.do(command)
        live.tick()
        rows.append(np.append(live.sim.t, live.x))
        news += live.news()
        _must_agree(session, k + 1, live.log.checksum, live.sim.t)
    states = np.array(rows)
    return Replay(exhibit, states[:, 0], states[:, 1:], news, live.log.checksum)


def _must_agree(session: Session, tick: int, checksum: str, t: float) -> None:
    if session.sums.get(tick, checksum) != checksum:
        made = ", ".join(f"{name} {version}" for name, version in session.made_by.items())
        raise IntegrationError(f"the replay of '{session.source}' differs from the recording within the ticks before "
                               f"{tick}, t = {t:.6g} s. It was made by {made}; use the same.")  # fmt: skip
