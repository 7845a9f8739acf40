"""The record of a run: what it has done so far, and what that took, by the clock."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from latchwork.contact.feature import Feature
from latchwork.hybrid.contacts.events import told
from latchwork.hybrid.energy_balance import Balance
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.path import Segment
from latchwork.hybrid.state import SimState
from latchwork.hybrid.timeline import Timeline, Work

if TYPE_CHECKING:
    from latchwork.hybrid.reset import KeptReset
    from latchwork.program.function import Function

RESETS, FEW = 256, 16  # resets that are kept; and where the past is forgotten


class Switch(NamedTuple):
    """A change of mode: when, the constraints before and after, and what it took from request to ready equations."""

    t: float
    before: tuple[str, ...]
    after: tuple[str, ...]
    microseconds: float


class Pending(NamedTuple):
    """A switch whose equations are not ready yet: when, the constraints before and after, and when it began."""

    t: float
    before: tuple[str, ...]
    after: tuple[str, ...]
    began: float


@dataclass(eq=False)
class Record:
    """Segments, events, switches and work of a run, in the order in which they came."""

    born: float = field(default_factory=time.perf_counter)
    segments: list[Segment] = field(default_factory=list)
    switches: list[Switch] = field(default_factory=list)
    work: list[tuple[str, tuple[str, ...], float, float, float]] = field(default_factory=list)
    backs: list[tuple[float, frozenset[Feature]]] = field(default_factory=list)  # features that are met from behind
    listed: dict[Any, tuple[tuple[str, ...], ...]] = field(default_factory=dict)  # modes made ready before they are met
    pending: Pending | None = None
    replays: bool = True  # whether resets are kept, to be replayed
    balance: Balance = field(default_factory=Balance)
    bending: Function | None = None  # slopes and places of elastic bodies; whether it was told that they are not small
    bent: bool = False
    beyond: bool = False  # or that they are beyond the ends
    _told: list[RunEvent] = field(default_factory=list)
    resets: deque[KeptReset] = field(default_factory=deque)  # the last ones, to be replayed
    _untold: list[tuple[Any, ...]] = field(default_factory=list)  # what `told` is to be asked: a run need not wait

    @property
    def events(self) -> list[RunEvent]:
        """What happened so far."""
        if self._untold:
            self._told += [event for given in self._untold for event in told(*given)]
            self._untold.clear()
        return self._told

    def tell(self, *events: RunEvent) -> RunEvent:
        """Note what has happened; gives the last of it."""
        self.events.extend(events)
        return events[-1]

    def tell_later(self, *given: Any) -> None:
        """Note what `told` makes events of, when they are asked for."""
        self._untold.append(given)

    def keep(self, reset: KeptReset) -> KeptReset | None:
        """Keep a reset, if any are kept; the oldest of many is dropped."""
        if not self.replays:
            return None
        self.resets.append(reset)
        if len(self.resets) > RESETS:
            self.resets.popleft().drop()
        return reset

    def taken(self) -> list[RunEvent]:
        """The events so far; none of them are kept."""
        events, self._told = self.events, []
        return events

    def worked(self, lane: str, names: tuple[str, ...], t: float, began: float, ended: float | None = None) -> None:
        """Note work on something from some time of the clock until another, or now."""
        self.work.append((lane, names, t, began, time.perf_counter() if ended is None else ended))

    def begin_switch(self, t: float, before: tuple[str, ...], after: tuple[str, ...], began: float) -> None:
        """Note that a switch waits for equations."""
        self.pending = Pending(t, before, after, began)

    def end_switch(self, ready: float | None = None) -> None:
        """Note what the last switch took, from the guard to equations that are ready, now or at a time of the clock."""
        if self.pending is not None:
            t, before, after, began = self.pending
            self.pending = None
            self.switched(t, before, after, began, time.perf_counter() if ready is None else ready)

    def switched(self, t: float, before: tuple[str, ...], after: tuple[str, ...], began: float, ready: float) -> None:
        """Note a switch, and what it took."""
        self.worked("embed", after, t, began, ready)
        self.switches.append(Switch(t, before, after, 1e6 * (ready - began)))

    def note_backs(self, state: SimState) -> None:
        """Note which features are met from behind from now on, where that has changed."""
        behind = state.contacts.behind
        if self.backs or behind:
            backs = frozenset(contact_point.feature for contact_point in behind)
            if backs != (self.backs[-1][1] if self.backs else frozenset()):
                self.backs.append((state.t, backs))

    def cut(self, t: float) -> None:
        """Forget what came after a time, from which the run goes on otherwise."""
        self.segments[:] = _up_to(self.segments, t)
        self._told = [event for event in self.events if event.t <= t]
        self.switches[:] = [switch for switch in self.switches if switch.t <= t]
        self.backs[:] = [back for back in self.backs if back[0] <= t]
        self.pending = None

    def forget(self, switches: int) -> None:
        """Keep nothing of the past but what the next step needs, and some of the last switches and resets."""
        del self.segments[:-1], self.work[:], self.switches[:-switches], self.backs[:-1]
        while len(self.resets) > FEW:
            self.resets.popleft().drop()

    @property
    def timeline(self) -> Timeline:
        """What was worked on so far, by the clock."""
        born = self.born
        return Timeline(tuple(Work(lane, ", ".join(names) or "free", t, began - born, ended - born)
                              for lane, names, t, began, ended in self.work), born)  # fmt: skip


def _up_to(segments: Sequence[Segment], t: float) -> list[Segment]:
    """Segments as far as they go up to a time; of one that goes on, the steps before."""
    return [segment for segment in segments if segment.solution.t[-1] <= t]
