"""Changes that `flow` has made, as it has noted them: from which mode to which, and what is known after each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.reset_requests import Happened, impulse_of
from latchwork.hybrid.contacts.scene import ContactEvent
from latchwork.hybrid.contacts.scene_memory import SceneMemory
from latchwork.hybrid.mode_layout.laid_out_mode import LaidOutMode
from latchwork.hybrid.mode_layout.mode_record import ModeRecord
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.table import Array
from latchwork.integrate.dense_output import Event, Solution, Stats
from latchwork.integrate.reusable_integration import STEPS_PER_COUNT, ReusableIntegration, Samples, SharedWorkspace
from latchwork.program.records.shape import words_of

STRUCK, IMPULSE = words_of(ContactEvent, "struck", "impulse")


class FlowMode:
    """A mode that is laid out: its workspace, equations and guards; its record, its key, and what these need. Its
    integration is made where Python steps it, if machine code has laid it out."""

    def __init__(self, workspace: SharedWorkspace, dynamics: ModeDynamics, guards: Guards, record: ModeRecord,
                 key: NDArray[np.int64], alive: tuple[Any, ...],
                 integration: ReusableIntegration | Callable[[], ReusableIntegration]) -> None:  # fmt: skip
        self.workspace, self.dynamics, self.guards, self.record = workspace, dynamics, guards, record
        self.key, self._alive, self._integration = key, alive, integration
        self._steps = 0  # that no integration knows of

    @property
    def integration(self) -> ReusableIntegration:
        """What steps it."""
        if not isinstance(self._integration, ReusableIntegration):
            self._integration = self._integration()
            self._integration.owe(self._steps)
        return self._integration

    def last_solution(self) -> Solution:
        """What it has run since it began, or since a tick did."""
        rows = self.record.block.integration
        return self.workspace.solution_of(rows.first, rows.last, Stats(0, 0, 0), None)

    def is_stepped_by(self, integration: ReusableIntegration) -> bool:
        """Whether this is its integration."""
        return self._integration is integration

    def solution_of(self, first: int, last: int, stats: Stats, event: Event, samples: Samples | None) -> Solution:
        """What is in some rows of the page; all of them where no samples are asked for."""
        is_made = isinstance(self._integration, ReusableIntegration)
        if samples is None and not is_made and self._steps + stats.steps <= STEPS_PER_COUNT:
            self._steps += stats.steps
            return self.workspace.solution_of(first, last, stats, event)
        return self.integration.solution_of(first, last, stats, event, samples)


@dataclass(frozen=True, eq=False)
class ContactWords:
    """States of contact points as words of their records; what they say is read where it is asked for."""

    memory: SceneMemory
    points: tuple[ContactPoint, ...]
    states: NDArray[np.int64]
    zones: NDArray[np.int64]
    approach_scale: float
    motion_scale: float
    shared: float

    @cached_property
    def _fields(self) -> dict[str, Any]:
        return self.memory.decoded(self.points, self.states)

    @property
    def closed(self) -> Mapping[ContactPoint, ContactState]:
        """The contacts that are closed, and how."""
        closed: Mapping[ContactPoint, ContactState] = self._fields["closed"]
        return closed

    def after(self, s: ContactStates) -> ContactStates:
        """The states of a run with these."""
        return s.but(**self._fields, zones=self.memory.zones_in(s.zones, self.zones),
                       approach_scale=self.approach_scale, motion_scale=self.motion_scale,
                       shared=self.shared)  # fmt: skip


class Change(NamedTuple):
    """A change that was made: what was hit, the mode before and after, none where that is still to be laid out, the
    states of contacts after it, the state (q, u, work), what ran before it, nothing where forces were below zero as the
    mode began, the impact, and when it was noticed and over, by the clock."""

    t: float
    hits: Sequence[Guard]
    before: FlowMode
    after: FlowMode | None
    contacts: ContactWords
    x: Array
    solution: Solution | None
    impacts: tuple[Happened, ...]
    longest: float
    ended: float
    ready: float
    conditions: Array  # of rules, each with its rate, where the mode after it began
    laid: tuple[Any, LaidOutMode] | None  # where machine code has laid out the mode after it: what it is known by


def impact_of(memory: SceneMemory, points: Sequence[ContactPoint], events: NDArray[np.int64],
              energy: float) -> Happened:  # fmt: skip
    """The impact of an event: impulses of the contact points that it struck, in the order in which it did."""
    struck = sorted([(int(events[i, STRUCK]), point) for point in points if events[i := memory.places[point], STRUCK]],
                    key=lambda pair: pair[0])  # fmt: skip
    numbers = events.view(np.float64)
    return Happened({point.name: impulse_of(point, numbers[memory.places[point], IMPULSE:]) for _, point in struck},
                    energy)  # fmt: skip
