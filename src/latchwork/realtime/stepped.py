"""Stepped: a simulation that is ticked by a fixed step, and remembers nothing but the present."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from latchwork.hybrid.driven import Column, Driven
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.running import Switch
from latchwork.hybrid.simulation import Simulation
from latchwork.hybrid.table import Array, Table
from latchwork.hybrid.touching.standing import Guard
from latchwork.integrate.method import RK4
from latchwork.realtime.exhibit import Exhibit


class Stepped(Simulation):
    """A simulation whose past is drained as it goes; ``crossed`` counts how often contacts were looked at anew."""

    crossed = 0

    def _cross(self, hits: Sequence[Guard], lam: Mapping[str, Array], tell: bool = False) -> None:
        self.crossed += 1
        super()._cross(hits, lam, tell)

    def on(self, until: float) -> None:
        """One step, to a time."""
        self.advance(until)

    def drained(self) -> tuple[list[RunEvent], list[Switch]]:
        """What has happened since last asked; of the past, only that there is one is kept."""
        events, switches = self._events, self.switches
        if events:
            self._events = []
            self.driven = _cut(self.driven, self.t)
        if switches:
            self.switches = []
        del self._segments[:-1], self._backs[:-1]
        self._work.clear()
        return events, switches


def stepped(exhibit: Exhibit, step: float) -> Stepped:
    """The run of an exhibit from its start, by steps of Runge and Kutta."""
    return Stepped(exhibit.model, q=dict(exhibit.q), u=dict(exhibit.u), inputs=dict(exhibit.inputs), method=RK4(step))


def _cut(driven: Driven, t: float) -> Driven:
    """What drives a run, without the rows of tables that have passed; the last one before holds on."""
    columns = []
    for column in driven.columns:
        table = column.table
        first = max(int(np.searchsorted(table.times, t, side="right")) - 1, 0)
        if first > 8:
            column = Column(Table(table.times[first:], table.values[first:], table.kind), column.places)
        columns.append(column)
    return replace(driven, columns=tuple(columns)) if columns else driven
