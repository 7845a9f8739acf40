"""Stepped: a simulation that is ticked by a fixed step, and remembers nothing but the present."""

from __future__ import annotations

from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.fixed_stepper import stepping
from latchwork.hybrid.record import Switch
from latchwork.hybrid.simulation import Simulation
from latchwork.hybrid.time_stepping.settings import TimeStepping
from latchwork.realtime.exhibit import Exhibit

THICK = 100  # events within ten steps: more are too thick, and are stepped through


class Stepped(Simulation):
    """A simulation whose past is drained as it goes."""

    looks_ahead = False  # not within a tick: the scout does it between them
    keeps_awake = True
    _told: tuple[RunEvent, ...] = ()

    def on(self, step: float) -> None:
        """One tick."""
        events = self.tick(step)
        if events:
            self._told = (*self._told, *events)

    def interrupt(self, unsettled: bool = False) -> None:
        """Something was changed from outside: look at everything anew before the next step, contacts as well."""
        self.stepper = None
        if unsettled and self.state.contacts.members:
            self.state = self.state.but(settled=False)

    def drained(self) -> tuple[tuple[RunEvent, ...], list[Switch]]:
        """What has happened since last asked."""
        record = self.record
        if not (self._told or record.events or record.switches):
            return (), []
        since, switches = record.taken(), record.switches
        events = (*self._told, *since)
        if since:
            self.interrupt()
        self._told, record.switches = (), []
        return events, switches


def stepped(exhibit: Exhibit, step: float) -> Stepped:
    """The run of an exhibit from its start, by steps of Runge and Kutta; where events come too thick, by time steps."""
    thick = (
        TimeStepping(step, most=THICK) if exhibit.model.contacts or exhibit.model.collisions or exhibit.fence else None
    )
    thick = None if exhibit.controllers else thick  # laws inside the equations are evaluated by them
    made = Stepped(exhibit.model, q=dict(exhibit.q), u=dict(exhibit.u), inputs=dict(exhibit.inputs),
                   method=stepping(step), controllers=exhibit.controllers, thick=exhibit.thick or thick)  # fmt: skip
    made.world.brief = step
    return made
