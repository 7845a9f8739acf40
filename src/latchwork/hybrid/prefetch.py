"""Looking ahead: equations that are likely to be needed next are prepared while integration goes on.  [Patoglu Fig. 11]

One thread works at a time: while the steppers run in machine code, symbols are worked on beside them; whoever needs
symbols waits until that is done. So the order of work, and with it every bit, is the same however fast it goes.
"""

from __future__ import annotations

import _thread
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from latchwork.algebra.products import dot
from latchwork.contact.complementarity.solution import State
from latchwork.errors import LatchworkError
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.table import Array

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

HORIZON = 5.0  # s: gaps that may close within this time, as they close now, are prepared for
TOGETHER = 0.02  # moments closer than this part are one
MAX_PREFETCHED = 2  # moments, and contacts at each of them


class Ahead:
    """Work beside the integration; an error in it is left to whoever does the work again.

    ``began`` is called in the thread before it works, for what a thread does not inherit.
    """

    def __init__(self) -> None:
        self._busy = _thread.allocate_lock()
        self.began: Callable[[], None] | None = None

    def start(self, work: Callable[[], None]) -> None:
        """Begin some work, after what was begun before. It gets to work where the stepper lets go of Python's lock."""
        self._busy.acquire()

        def run() -> None:
            with suppress(LatchworkError):
                try:
                    if self.began is not None:
                        self.began()
                    work()
                finally:
                    self._busy.release()

        try:
            _thread.start_new_thread(run, ())  # threading.Thread would wait until it runs, and so for Python's lock
        except RuntimeError:  # no thread can be had: whoever needs the work does it
            self._busy.release()

    @property
    def is_busy(self) -> bool:
        """Whether something is worked on."""
        return self._busy.locked()

    def wait(self) -> None:
        """Wait until nothing is worked on."""
        if self._busy.locked():
            with self._busy:
                pass


class Coming(NamedTuple):
    """What would happen next, as things move now: when, gaps that close, and patches that end with it."""

    time: float
    touching: tuple[ContactPoint, ...]
    leaving: tuple[ContactPoint, ...]


def coming(guards: Sequence[Guard], values: Array, horizon: float = HORIZON) -> list[Coming]:
    """The next moments at which gaps close or patches end, each guard falling on as it falls now.

    ``values`` are guards, then their rates. What comes at nearly the same time comes together: where a patch ends,
    another begins.
    """
    both = values.tolist()
    times = [(-g / rate, guard.kind == "patch", guard.about)
             for guard, g, rate in zip(guards, both, both[len(both) // 2 :], strict=False)
             if guard.kind in ("touch", "patch") and guard.height >= 0.0 and rate < 0.0 < g]  # fmt: skip
    found: list[Coming] = []
    for after, leaves, contact_point in sorted(times, key=lambda item: item[0]):
        if after > horizon:
            break
        if not found or after > found[-1].time * (1.0 + TOGETHER):
            found.append(Coming(after, (), ()))
        last = found[-1]
        found[-1] = Coming(last.time, (*last.touching, *([] if leaves else [contact_point])),
                           (*last.leaving, *([contact_point] if leaves else [])))  # fmt: skip
    return found[:MAX_PREFETCHED]


def successors(contact_states: ContactStates, moment: Coming, x: Array) -> list[ContactStates]:
    """How things may stand after a moment: patches have ended, and one of the gaps is closed.

    It sticks, or slides on as it moves at x = (t, q, u, rest); one that rebounds does neither.
    """
    left = {
        contact_point: how
        for contact_point, how in contact_states.closed.items()
        if contact_point not in moment.leaving
    }
    if not moment.touching:
        return [_with(contact_states, left)]
    stay = [point for point in moment.touching if point.laws.at(x, contact_states.zones)[0] == 0.0]
    return [
        _with(contact_states, {**left, contact_point: how})
        for contact_point in stay[:MAX_PREFETCHED]
        for how in _closings(contact_point, x)
    ]


def _closings(contact_point: ContactPoint, x: Array) -> list[ContactState]:
    if contact_point.contact.friction is None or not contact_point.tangents:
        return [ContactState(State.SLIDE)]
    if len(contact_point.tangents) == 1:
        return [ContactState(State.SLIDE, (_sense(contact_point, x),)), ContactState(State.STICK)]
    return [ContactState(State.STICK)]


def _sense(contact_point: ContactPoint, x: Array) -> float:
    """The sign of slip along the only tangent, as it is now."""
    (B, C), (n_q, n, _) = contact_point.terms.place(x)[1:], contact_point.terms.sizes
    return 1.0 if float(dot(B[-1], x[1 + n_q : 1 + n_q + n]) + C[-1]) > 0.0 else -1.0


def _with(contact_states: ContactStates, closed: Mapping[ContactPoint, ContactState]) -> ContactStates:
    """The same with others closed; what is closed with another opens with it."""
    order, features = {}, {contact_point.feature for contact_point in closed}
    for i, contact_point in enumerate(contact_states.contact_points):
        if contact_point.feature.closed_with is None or contact_point.feature.closed_with in features:
            order[contact_point] = i
    ordered = dict(sorted(((point, how) for point, how in closed.items() if point in order),
                          key=lambda item: order[item[0]]))  # fmt: skip
    return replace(contact_states, closed=ordered, leaving_depths={}, behind=set(contact_states.behind))


def prepare_successors(sim: Simulation, guards: Sequence[Guard], stops: Mapping[str, Any], values: Array) -> None:
    """Prepare, beside the integration, what is likely to come when the next gaps close."""
    moments = coming(guards, values) if sim.world.looks_ahead else ()
    if not moments:
        return
    sim.world.ahead.wait()  # what may come is looked up in symbols
    state, table, record = sim.state, sim.mode_table, sim.record
    x, holds, rules = state.row, state.holds, state.rules
    work = [contact_states for moment in moments for contact_states in successors(state.contacts, moment, x)]
    work = [contact_states for contact_states in work if not table.has_contents(holds, contact_states, rules, stops)]
    if work:

        def prepare() -> None:
            for contact_states in work:
                began = time.perf_counter()
                table.contents(holds, contact_states, rules, stops)
                record.worked("embed", (*holds, *contact_states.labels), state.t, began)

        sim.world.ahead.start(prepare)
