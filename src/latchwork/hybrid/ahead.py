"""Looking ahead: equations that are likely to be needed next are prepared while integration goes on.  [Patoglu Fig. 11]

One thread works at a time: while the steppers run in machine code, symbols are worked on beside them; whoever needs
symbols waits until that is done. So the order of work, and with it every bit, is the same however fast it goes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace

from latchwork.contact.complementarity import State
from latchwork.hybrid.table import Array
from latchwork.hybrid.touching.standing import Guard, Standing, Standings
from latchwork.hybrid.touching.touch import Touch

HORIZON = 5.0  # s: gaps that may close within this time, as they close now, are prepared for
MOST = 2  # contacts at a time


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


def closing(guards: Iterable[Guard], values: Array, horizon: float = HORIZON) -> list[Touch]:
    """Contacts whose gap would close within a horizon as it closes now, the first one first.

    ``values`` are guards, then their rates.
    """
    found = []
    both = values.tolist()
    for i, (guard, g, rate) in enumerate(zip(guards, both, both[len(both) // 2 :], strict=False)):
        if guard.kind == "touch" and rate < 0.0 < g:
            found.append((-g / rate, i, guard.about))
    return [touch for time, _, touch in sorted(found, key=lambda item: item[:2]) if time <= horizon][:MOST]


def successors(standings: Standings, touch: Touch) -> list[Standings]:
    """How things may stand after a contact has closed: it sticks, or slides one way or the other."""
    if touch.contact.friction is None or not touch.tangents:
        ways = [Standing(State.SLIDE)]
    elif len(touch.tangents) == 1:
        ways = [Standing(State.STICK), Standing(State.SLIDE, (1.0,)), Standing(State.SLIDE, (-1.0,))]
    else:
        ways = [Standing(State.STICK)]
    order = {each: i for i, each in enumerate(standings.touches)}
    made = []
    for way in ways:
        closed = dict(sorted({**standings.closed, touch: way}.items(), key=lambda item: order[item[0]]))
        made.append(replace(standings, closed=closed, grazing=set(), behind=set(standings.behind)))
    return made
