"""The memory of a flow: modes of one scene that are laid out, and what a call of the kernel `flow` has noted.

A mode is entered under the words of its contact states when it is run for the first time. All modes of a memory belong
to the same contact points, with the same constraints held.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.terms import Base, Terms
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.reset import SAYS, Happened, Resets
from latchwork.hybrid.contacts.scene import CLEARED
from latchwork.hybrid.contacts.scene_memory import SceneMemory
from latchwork.hybrid.contacts.step_limit import Pacing
from latchwork.hybrid.flow import ASK, EVENT_WORDS, KEY, STATE_WORDS, ZONE, Flow, ModeRecord, flow, write_key
from latchwork.hybrid.laps import Lap
from latchwork.hybrid.mode_equations import Held
from latchwork.hybrid.path import Stage
from latchwork.hybrid.table import Array
from latchwork.integrate.again import Again, Samples
from latchwork.integrate.dense_output import Event, Solution
from latchwork.integrate.status import EVENT, FULL
from latchwork.program.evaluator import Evaluators
from latchwork.program.function import Function
from latchwork.program.native import address, native
from latchwork.program.records.memory import lay_out, size_of, values, write
from latchwork.program.records.view import address_of, record_at

MODES, CHANGES = 256, 64  # that there is room for
GUARDS = 8  # of each contact point
MODE_WORDS = size_of(ModeRecord)
STRUCK, IMPULSE = 10, 14  # words of an event


class Entered(NamedTuple):
    """A mode that is laid out: the lap that runs it, its stage and guards; its record, and what that points to."""

    again: Again
    stage: Stage
    guards: Guards
    record: ModeRecord
    alive: tuple[Any, ...]


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
        return replace(s, **self._fields, zones=self.memory.zones_in(s.zones, self.zones),
                       approach_scale=self.approach_scale, motion_scale=self.motion_scale,
                       shared=self.shared)  # fmt: skip


class Change(NamedTuple):
    """A change that was made: what was hit, the mode before and after, none where that is still to be laid out, the
    states of contacts after it, the state (q, u, work), what ran before it, the impact, and when it was noticed and
    over, by the clock."""

    t: float
    hits: Sequence[Guard]
    before: Entered
    after: Entered | None
    contacts: ContactWords
    x: Array
    solution: Solution
    impacts: tuple[Happened, ...]
    longest: float
    ended: float
    ready: float


class FlowMemory:
    """The record of a flow, with the modes of one scene and some constraints; one thread at a time."""

    def __init__(self, base: Base, resets: Resets, pacing: Pacing, held: Terms, contact_points: Sequence[ContactPoint],
                 stops: Mapping[str, Any], rest: int) -> None:  # fmt: skip
        resets.memory.hold(contact_points)
        self.memory, self.room, self.points = resets.memory, resets.room(held), tuple(contact_points)
        self.held, self.stops = held, tuple(stops.items())
        scene, n_q, n_u = self.memory.scene, len(base.equations.q), len(base.equations.u)
        guards = GUARDS * scene.contacts + 2 * scene.zones + len(stops)
        self.run = run = lay_out(Flow, n_q=n_q, n_u=n_u, n_rest=rest, contacts=scene.contacts, zones=scene.zones,
                                 states=n_q + n_u + 1, room=MODES, most=CHANGES, bodies=pacing.bodies,
                                 most_guards=guards)  # fmt: skip
        self._scene = scene
        run.scene, run.state_words, run.event_words = scene, self.memory.states, self.memory.events
        self._programs = Evaluators()
        if pacing.bodies:
            self._programs.put(run.turning, pacing.function)
        self.modes: list[Entered] = []
        self._places: dict[bytes, int] = {}
        self._known: Mapping[Any, Any] | None = None  # what the state knows that its modes are those of
        made = native(flow)
        self._call, self._briefly, self._at = made.function, made.brief, address_of(run)
        self._clock = 0.0, 0.0
        self._table, self._key = np.asarray(run.table), np.asarray(run.key)
        self._words = KEY * len(contact_points) + scene.zones
        count = scene.contacts
        self._noted = (np.asarray(run.after).reshape(CHANGES, -1), np.asarray(run.before).reshape(CHANGES, -1),
                       np.asarray(run.contact_states).reshape(CHANGES, count, STATE_WORDS),
                       np.asarray(run.contact_events).reshape(CHANGES, count, EVENT_WORDS),
                       np.asarray(run.hit).reshape(CHANGES, -1), np.asarray(run.zone).reshape(CHANGES, -1))  # fmt: skip

    def serves(self, resets: Resets, held: Terms, contact_points: Sequence[ContactPoint],
               stops: Mapping[str, Any]) -> bool:  # fmt: skip
        """Whether its modes are those of some contact points and constraints, as they are now, with these stops."""
        return (resets.memory.scene is self._scene and held is self.held and resets.room(held) is self.room
                and tuple(stops.items()) == self.stops
                and len(self.points) == len(contact_points)
                and all([a is b for a, b in zip(self.points, contact_points, strict=True)]))  # fmt: skip

    # --- modes --------------------------------------------------------------------------------------------------

    def know_only(self, stages: Mapping[Any, Any]) -> None:
        """Forget modes but those that a state knows: a run that goes on from an earlier one does not know what was met
        later, nor in which speeds."""
        if stages is self._known:
            return
        self._known, own = stages, {laid.stage for laid in stages.values()}
        kept = [(key, self.modes[i]) for key, i in self._places.items() if self.modes[i].stage in own]
        if len(kept) == len(self.modes):
            return
        self.modes, self._places = [mode for _, mode in kept], {key: i for i, (key, _) in enumerate(kept)}
        self._table[: len(kept)] = [address_of(mode.record) for mode in self.modes]
        self.run.modes = len(kept)

    def forget(self) -> None:
        """Forget all modes."""
        self.modes, self._places, self.run.modes = [], {}, 0

    def enter(self, lap: Lap, least: float) -> int:
        """The place of the mode that a lap runs, whose contact states are those of the scene."""
        native(write_key).brief(self._at)
        key = self._key[: self._words + 1].copy()
        known = self._places.get(key.tobytes())
        if known is not None and self.modes[known].again is lap.again:
            return known
        if known is None:
            known = len(self.modes)
            if known == MODES:
                self.forget()
                known = 0
            self.modes.append(None)  # type: ignore[arg-type]
        self._known = None
        self.modes[known] = self._entered(lap, key, least)
        self._places[key.tobytes()] = known
        self._table[known] = address_of(self.modes[known].record)
        self.run.modes = len(self.modes)
        return known

    def _entered(self, lap: Lap, key: NDArray[np.int64], least: float) -> Entered:
        said, points = [self._said(guard) for guard in lap.guards], max(len(self.memory.points), 1)
        words = np.array([*chain(*zip(*said, strict=True)), *[0] * points], dtype=np.int64)
        guards, stage, embedded = len(said), lap.stage, (0,) * 7
        rows, alive = words[3 * guards :], list[Any]([words, key])
        if isinstance(stage, Held):
            mode, n_u = stage.mode, self.run.n_u
            fresh = mode.fresh().copy()
            z, out = np.empty(len(fresh)), np.zeros(self.run.states + 3 + 2 * n_u + len(mode.terms.rows))
            embedded = (address_of(mode.expander), address_of(mode.forces), address_of(mode.code), address(z),
                        address(fresh), len(fresh), address(out))  # fmt: skip
            for point, i in self.memory.places.items():
                if point.name in mode.terms.rows.slices:
                    rows[i] = 2 * n_u + mode.terms.rows.slices[point.name].start + (0 if point.held else 1)
            alive += [mode, fresh, z, out]
        record, at = record_at(ModeRecord, np.zeros(MODE_WORDS), 0), address(words)
        write(record, lap.again.at, int(key[-1]), guards, int(isinstance(stage, Held)), least, at, at + 8 * guards,
              at + 16 * guards, address(key), at + 24 * guards, *embedded)  # fmt: skip
        return Entered(lap.again, stage, lap.guards, record, tuple(alive))

    def _said(self, guard: Guard) -> tuple[int, int, int]:
        """What a guard says, of which contact point or zone, and a step."""
        if guard.kind == "zone":
            return ZONE, self.memory.zone(guard.about), guard.step
        if guard.kind in ("turn", "skew", "law"):
            return 0, 0, 0
        if guard.kind not in SAYS or guard.about not in self.memory.places:
            return ASK, 0, 0
        cleared = CLEARED if guard.kind == "touch" and guard.height > 0.0 else 0
        return SAYS[guard.kind] | cleared, self.memory.places[guard.about], 0

    # --- running ------------------------------------------------------------------------------------------------

    def __call__(self, lap: Lap, s: ContactStates, least: float, ended: bool, until: float, rest: Array, allowed: int,
                 at_once: bool | None, brief: float) -> int:  # fmt: skip
        """Run from a lap on; the status of the stepper."""
        run, memory = self.run, self.memory
        memory.ready(self.room)
        self._programs.ready()
        if memory.current is not s:
            memory.write(s)
        memory.scene.at_once, memory.scene.shortest_hop = -1 if at_once is None else int(at_once), brief
        run.mode, run.allowed, run.ended, run.longest = self.enter(lap, least), allowed, int(ended), lap.longest
        run.rest, run.arrivals = rest, Function.arrivals
        began, call = time.perf_counter(), self._briefly if lap.again.is_brief(until) else self._call
        status: int = call(self._at, until)
        self._clock = began, time.perf_counter()
        memory.current = s if status != EVENT and not run.changes else None
        return status

    @property
    def reached(self) -> float:
        """How far it ran."""
        return self.run.reached

    @property
    def is_full(self) -> bool:
        """Whether no more changes can be noted."""
        return self.run.changes == CHANGES

    @property
    def begun(self) -> int:
        """How the last mode began: the status of `begin`, or NOT_YET."""
        return self.run.begun if self.run.changes else FULL

    def changes(self, samples: Samples | None) -> list[Change]:
        """What happened on the way, at so many samples."""
        run, made = self.run, list[Change]()
        if not run.changes:
            return made
        after, before, contacts, events, hit, zones = self._noted
        for c in range(run.changes):
            ended, entered, first, last, steps, rejected, impact, begin, ready, t, energy, *scales, longest = values(
                run.note[c]
            )
            mode = self.modes[ended]
            places = tuple(np.flatnonzero(hit[c, : len(mode.guards)]).tolist())
            event = Event(t, places, before[c, : mode.again.workspace.n].copy())
            solution = mode.again.ran(first, last, steps, rejected, event, samples)
            words = ContactWords(self.memory, self.points, contacts[c].copy(), zones[c].copy(), *scales)
            impacts = (impact_of(self.memory, self.points, events[c], energy),) if impact else ()
            following = self.modes[entered] if entered >= 0 else None
            made.append(Change(t, [mode.guards[i] for i in places], mode, following, words, after[c].copy(), solution,
                               impacts, longest, self._when(begin), self._when(ready)))  # fmt: skip
        return made

    def _when(self, count: int) -> float:
        """When something was, by the clock."""
        (began, done), first, last = self._clock, self.run.began, self.run.done
        part = (count - first) / (last - first) if last > first else 1.0
        return began + (done - began) * min(max(part, 0.0), 1.0)


def impact_of(memory: SceneMemory, points: Sequence[ContactPoint], events: NDArray[np.int64],
              energy: float) -> Happened:  # fmt: skip
    """The impact of an event: impulses of the contact points that it struck, in the order in which it did."""
    struck = sorted([(int(events[i, STRUCK]), point) for point in points if events[i := memory.places[point], STRUCK]],
                    key=lambda pair: pair[0])  # fmt: skip
    numbers = events.view(np.float64)
    return Happened({point.name: numbers[memory.places[point], IMPULSE : IMPULSE + 1 + len(point.tangents)].copy()
                     for _, point in struck}, energy)  # fmt: skip
