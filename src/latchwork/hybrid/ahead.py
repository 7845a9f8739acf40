"""Looking ahead: equations that are likely to be needed next are prepared while integration goes on.  [Patoglu Fig. 11]

One thread works at a time: while the steppers run in machine code, symbols are worked on beside them; whoever needs
symbols waits until that is done. So the order of work, and with it every bit, is the same however fast it goes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from latchwork.contact.complementarity import State
from latchwork.hybrid.table import Array
from latchwork.hybrid.touching.standing import Guard, Standing, Standings
from latchwork.hybrid.touching.touch import Touch

HORIZON = 5.0  # s: gaps that may close within this time, as they close now, are prepared for
TOGETHER = 0.02  # moments closer than this part are one
MOST = 2  # moments, and contacts at each of them


class Ahead:
    """Work beside the integration; an error in it is left to whoever does the work again."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None

    def start(self, work: Callable[[], None]) -> None:
        """Begin some work, after what was begun before."""
        self.wait()
        self._thread = threading.Thread(target=work, name="latchwork ahead", daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Wait until nothing is worked on."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None


class Coming(NamedTuple):
    """What would happen next, as things move now: when, gaps that close, and patches that end with it."""

    time: float
    touching: tuple[Touch, ...]
    leaving: tuple[Touch, ...]


def coming(guards: Sequence[Guard], values: Array, horizon: float = HORIZON) -> list[Coming]:
    """The next moments at which gaps close or patches end, each guard falling on as it falls now.

    ``values`` are guards, then their rates. What comes at nearly the same time comes together: where a patch ends,
    another begins.
    """
    g, rates = np.split(values, 2)
    times = [(-g[i] / rates[i], guard.kind == "patch", guard.about) for i, guard in enumerate(guards)
             if guard.kind in ("touch", "patch") and rates[i] < 0.0 < g[i]]  # fmt: skip
    found: list[Coming] = []
    for time, leaves, touch in sorted(times, key=lambda item: item[0]):
        if time > horizon:
            break
        if not found or time > found[-1].time * (1.0 + TOGETHER):
            found.append(Coming(time, (), ()))
        last = found[-1]
        found[-1] = Coming(last.time, (*last.touching, *([] if leaves else [touch])),
                           (*last.leaving, *([touch] if leaves else [])))  # fmt: skip
    return found[:MOST]


def successors(standings: Standings, moment: Coming) -> list[Standings]:
    """How things may stand after a moment: patches have ended, and one of the gaps is closed, sticking or sliding."""
    left = {touch: how for touch, how in standings.closed.items() if touch not in moment.leaving}
    if not moment.touching:
        return [_with(standings, left)]
    return [_with(standings, {**left, touch: way}) for touch in moment.touching[:MOST] for way in _ways(touch)]


def _ways(touch: Touch) -> list[Standing]:
    """How a contact may close: it sticks, or slides one way or the other."""
    if touch.contact.friction is None or not touch.tangents:
        return [Standing(State.SLIDE)]
    if len(touch.tangents) == 1:
        return [Standing(State.STICK), Standing(State.SLIDE, (1.0,)), Standing(State.SLIDE, (-1.0,))]
    return [Standing(State.STICK)]


def _with(standings: Standings, closed: Mapping[Touch, Standing]) -> Standings:
    order = {touch: i for i, touch in enumerate(standings.touches)}
    ordered = dict(sorted(closed.items(), key=lambda item: order[item[0]]))
    return replace(standings, closed=ordered, grazing=set(), behind=set(standings.behind))
