"""Scout: runs ahead of the loop, on what the hand is likely to do, and has made ready what it finds.  [Gillespie §4]

From time to time a copy of the state is stepped on in idle moments, a few steps at a time, the device moving on as it
moves now and the coupler pulling. Where a guard would fall within the horizon, its time is noted, and the equations
that are likely to hold from there on are prepared beside the ticks. When it happens, the two times are compared.
Nothing of the run itself is touched: symbols are only made earlier than they would be, and have the same values.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.rule import Latch
from latchwork.contact.complementarity.solution import State
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.fixed_stepper import MADE, FixedStepper, Stepper, stepper_beside
from latchwork.hybrid.mode_integration import ModeIntegrations
from latchwork.hybrid.mode_table import Hold
from latchwork.hybrid.prefetch import Coming, successors
from latchwork.realtime.board import Array
from latchwork.realtime.devices.device import Reading
from latchwork.realtime.grip import Grip
from latchwork.realtime.stepped import Stepped
from latchwork.realtime.triples import add, times

HORIZON = 0.05  # s that are looked ahead
AGAIN = 0.01  # s of the run between two looks
PIECE = 4  # steps between two looks at the clock
MAX_PREDICTIONS = 64  # predictions that are kept
TOGETHER = 1e-6  # of a step: guards that fall closer than this fall together


class Foreseen(NamedTuple):
    """Something that would happen: when that was foreseen, when it would be, and to whom."""

    made: float
    t: float
    name: str


class Scout:
    """One look ahead after the other. ``off`` is by how much the last thing that was foreseen came later."""

    def __init__(self, sim: Stepped, grip: Grip, step: float) -> None:
        self._sim, self._grip, self._step = sim, grip, step
        self._integrations = ModeIntegrations(sim.mode_table.integrations.scales)  # of its own
        self._stepper: FixedStepper | None = None
        self._of: Stepper | None = None  # that of the run that it left from
        self._from, self._reading, self._rest = -math.inf, Reading(None), np.empty(0)
        self._x = np.empty(0)  # (q, u, work) ahead, in a mode whose states are fewer
        self.foreseen: deque[Foreseen] = deque(maxlen=MAX_PREDICTIONS)
        self.off, self.lead, self.prepared, self.met = math.nan, math.nan, 0, 0

    # --- running ahead ------------------------------------------------------------------------------------------

    def look(self, until: float) -> bool:
        """Go on ahead until the clock says so; whether there was anything to do."""
        sim = self._sim
        if self._stepper is not None and self._of is not sim.stepper:
            self._stepper = None  # the run has gone another way meanwhile
        if self._stepper is None and not self._begin():
            return False
        while self._stepper is not None and time.perf_counter() < until:
            for _ in range(PIECE):
                if not self._step_on():
                    self._stepper = None
                    break
        return True

    def _begin(self) -> bool:
        """Leave from where the run is now, if the last look is a while ago and something could happen."""
        sim, stepper = self._sim, self._sim.stepper
        if sim.t < self._from:  # rewound
            self.foreseen.clear()
        elif sim.t - self._from < AGAIN:
            return False
        if stepper is None or not stepper.guards or sim.world.ahead.is_busy:
            return False
        self._from, self._of = sim.t, stepper
        self._reading, self._rest = self._grip.last, sim.state.rest_now.copy()
        self._x = sim.state.x
        self._stepper = stepper_beside(sim, self._integrations, stepper)
        return self._stepper is not None

    def _guards(self, stepper: FixedStepper, t: float, x: Array) -> Array:
        """The guards at a state ahead, then their rates."""
        assert stepper.dynamics.guards is not None, "there are guards"
        return np.asarray(stepper.dynamics.guards(np.concatenate([[t], stepper.dynamics.reduced(x), self._rest])))

    def _step_on(self) -> bool:
        """One step ahead; False at the horizon, and where something would happen."""
        stepper, sim = self._stepper, self._sim
        assert stepper is not None, "it is on its way"
        t = stepper.t
        if t - self._from > HORIZON or t + self._step > stepper.until:
            return False
        x = stepper.x.copy() if stepper.expand is None else self._x
        self._grip.foresee(self._moved(t), self._rest, x, t)
        if stepper.integration.tick(self._rest) not in MADE:
            self._found(stepper, t, x)
            return False
        if stepper.expand is not None:
            self._x = stepper.expand(stepper.t, stepper.x, self._rest)
        return sim.stepper is self._of

    def _moved(self, t: float) -> Reading:
        """What will be read, if the device moves on as it does now."""
        reading = self._reading
        return reading._replace(place=add(reading.place, times(t - self._from, reading.velocity)))

    # --- what is found ------------------------------------------------------------------------------------------

    def _found(self, stepper: FixedStepper, t: float, x: Array) -> None:
        """Note when a guard would fall, and have prepared what may come then."""
        armed = stepper.integration.armed
        if not armed:
            return
        m, now = len(armed), self._guards(stepper, t, x).tolist()
        falls = [(now[i] / -now[m + i] if now[m + i] < 0.0 < now[i] else 0.0 if now[i] <= 0.0 else math.inf, i)
                 for i in range(m) if armed[i]]  # fmt: skip
        first = min(falls, default=(math.inf, 0))[0]
        if first > 2.0 * self._step:
            return
        guards = [stepper.guards[i] for after, i in falls if after <= first + TOGETHER * self._step]
        self.foreseen += [Foreseen(self._from, t + first, _name(guard)) for guard in guards]
        self._prepare(guards, np.concatenate([[t], x[:-1], self._rest]))

    def _prepare(self, guards: Sequence[Guard], x: Array) -> None:
        """Make the symbols of what may come, beside the ticks."""
        sim = self._sim
        table, state = sim.mode_table, sim.state
        wanted = [
            (holds, contact_states)
            for holds, contact_states in likely(guards, state.holds, state.contacts, x)
            if not table.has_contents(holds, contact_states, state.rules, {})
        ]
        if not wanted or sim.world.ahead.is_busy:
            return

        def work() -> None:
            for holds, contact_states in wanted:
                table.contents(holds, contact_states, state.rules, {})
                self.prepared += 1

        sim.world.ahead.start(work)

    def happened(self, events: Iterable[RunEvent]) -> None:
        """Compare what has happened with what was foreseen first."""
        for event in events:
            names = (event.name, *event.impulses)
            found = next((f for f in self.foreseen if f.name in names and 0.0 < event.t - f.made <= HORIZON),
                         None)  # fmt: skip
            if found is not None:
                self.off, self.lead = event.t - found.t, event.t - found.made
                self.met += 1
        self.foreseen.clear()


def _name(guard: Guard) -> str:
    about = guard.about
    return str(about.rule.name if guard.kind == "rule" else about if isinstance(about, str) else
               getattr(about, "name", ""))  # fmt: skip


def likely(guards: Sequence[Guard], holds: Mapping[str, Hold], contact_states: ContactStates,
           x: Array) -> list[tuple[dict[str, Hold], ContactStates]]:  # fmt: skip
    """What may hold after some guards have fallen: constraints that rules hold or let go, contacts that change."""
    found: list[tuple[dict[str, Hold], ContactStates]] = []
    touching = tuple(g.about for g in guards if g.kind == "touch")
    leaving = tuple(g.about for g in guards if g.kind == "patch")
    if touching or leaving:
        found += [(dict(holds), each) for each in successors(contact_states, Coming(0.0, touching, leaving), x)]
    for guard in guards:
        if guard.kind == "rule":
            found += _ruled(guard.about.rule, holds, contact_states)
        elif isinstance(guard.about, ContactPoint) and guard.about in contact_states.closed:
            found += [(dict(holds), _changed(contact_states, guard.about, how)) for how in _turns(guard)]
    return found


def _ruled(
    rule: Any, holds: Mapping[str, Hold], contact_states: ContactStates
) -> list[tuple[dict[str, Hold], ContactStates]]:
    """After a rule has fired; what it latches is not known before."""
    if any(isinstance(item, Latch) for item in rule.held):
        return []
    left = {name: hold for name, hold in holds.items() if name not in rule.release}
    return [(left | {item.name: Hold(item, False, None) for item in rule.held}, contact_states)]


def _turns(guard: Guard) -> list[ContactState | None]:
    """How a closed contact may stand after its guard has fallen: open, sliding either way, or sticking."""
    flat = len(guard.about.tangents) == 1
    turns: dict[str, list[ContactState | None]] = {
        "release": [None],
        "slip": [ContactState(State.SLIDE, (way,)) for way in (1.0, -1.0)] if flat else [],
        "stick": [ContactState(State.STICK)],
    }
    return turns.get(guard.kind, [])


def _changed(contact_states: ContactStates, contact_point: ContactPoint, how: ContactState | None) -> ContactStates:
    """The same with one contact open, or closed otherwise."""
    closed = {each: how if each is contact_point else old for each, old in contact_states.closed.items()}
    return replace(contact_states, closed={each: new for each, new in closed.items() if new is not None})
