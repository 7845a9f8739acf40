"""Stepped: a simulation that is ticked by a fixed step, and remembers nothing but the present."""

from __future__ import annotations

from typing import Any

from latchwork.contact.law import Contact
from latchwork.hybrid.event import Events, RunEvent
from latchwork.hybrid.running import Switch
from latchwork.hybrid.simulation import Simulation
from latchwork.hybrid.time_stepping.settings import TimeStepping
from latchwork.integrate.methods import RK4
from latchwork.realtime.exhibit import Exhibit

MOST = 500  # events within ten steps: more are too thick


class Stepped(Simulation):
    """A simulation whose past is drained as it goes."""

    looks_ahead = False  # not within a tick: the scout does it between them
    _told: tuple[RunEvent, ...] = ()

    def advance(self, until: float, **options: Any) -> Events:
        """Run until a time, once nobody else works on symbols."""
        self._ahead.wait()
        return super().advance(until, **options)

    def _may_sleep(self, contact: Contact) -> bool:
        """Only what cannot be watched whole: nothing is to be made within a tick."""
        return not contact.is_eager

    def on(self, step: float) -> None:
        """One tick."""
        events = self.tick(step)
        if events:
            self._told = (*self._told, *events)

    def interrupt(self, unsettled: bool = False) -> None:
        """Something was changed from outside: look at everything anew before the next step, contacts as well."""
        self._course = None
        if unsettled and self._contact_states.members:
            self._settled = False

    def drained(self) -> tuple[tuple[RunEvent, ...], list[Switch]]:
        """What has happened since last asked."""
        if not (self._told or self._events or self.switches):
            return (), []
        events, switches = (*self._told, *self._events), self.switches
        if self._events:
            self.interrupt()
        self._told, self._events, self.switches = (), [], []
        return events, switches


def stepped(exhibit: Exhibit, step: float) -> Stepped:
    """The run of an exhibit from its start, by steps of Runge and Kutta; where events come too thick, by time steps."""
    thick = TimeStepping(step, most=MOST) if exhibit.model.contacts or exhibit.fence else None
    made = Stepped(exhibit.model, q=dict(exhibit.q), u=dict(exhibit.u), inputs=dict(exhibit.inputs), method=RK4(step),
                   thick=exhibit.thick or thick)  # fmt: skip
    made.brief = step
    return made
