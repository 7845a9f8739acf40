"""The memory of a flow: modes of one scene that are laid out, and what a call of the kernel `flow` has noted.

A mode is entered under the words of its contact states when it is run for the first time. All modes of a memory belong
to contact points of the same scene, with the same constraints held; which of them are watched is part of a mode.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.scene import Scene
from latchwork.hybrid.designs import Embedded
from latchwork.hybrid.flow import EVENT_WORDS, KEY, NO_ROW, STATE_WORDS, Flow, flow, write_key
from latchwork.hybrid.flow_changes import Change, ContactWords, FlowMode, impact_of
from latchwork.hybrid.flow_tick import tick
from latchwork.hybrid.mode_dynamics import Recombined, Unconstrained
from latchwork.hybrid.mode_integration import ModeIntegration
from latchwork.hybrid.mode_layout.laid_out_mode import LaidOutMode, LaidOutModes, MachineMode, SharedParts, shared_parts
from latchwork.hybrid.mode_layout.mode_memory import ModeMemory
from latchwork.hybrid.mode_layout.mode_record import ModeRecord
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.rules import Rules, Watched
from latchwork.hybrid.table import Array
from latchwork.integrate.dense_output import Event, Stats
from latchwork.integrate.reusable_integration import ReusableIntegration, Samples
from latchwork.integrate.status import Status
from latchwork.program.evaluator import Evaluators
from latchwork.program.function import Function
from latchwork.program.native import address, native
from latchwork.program.records.memory import lay_out, size_of, values, write
from latchwork.program.records.view import address_of, record_at

if TYPE_CHECKING:
    from latchwork.hybrid.mode_table import Holds, ModeTable
    from latchwork.hybrid.state import SimState

MODES, CHANGES, KNOWN = 256, 64, 1024  # that there is room for
GUARDS = 8  # of each contact point
MODE_WORDS = size_of(ModeRecord)
OF_EMBEDDED = "expand", "forces", "size", "code", "z", "fresh", "out"  # of a `ModeRecord`: 0 where nothing holds


def are_same(points: Sequence[ContactPoint], others: Sequence[ContactPoint]) -> bool:
    """Whether these are the same contact points, in the same order."""
    return len(points) == len(others) and all([a is b for a, b in zip(points, others, strict=True)])


def words_of_key(scene: Scene) -> int:
    """The words of a key of what a scene watches now, see `write_key`."""
    return 1 + KEY * scene.watched + scene.zones


class FlowMemory:
    """The record of a flow, with the modes of one scene and some constraints; one thread at a time."""

    def __init__(self, table: ModeTable, holds: Holds, contact_points: Sequence[ContactPoint], stops: Mapping[str, Any],
                 armed: tuple[Watched, ...], rest: int) -> None:  # fmt: skip
        resets, pacing, held = table.resets, table.pacing, table.constraint_terms(holds)
        resets.memory.hold(contact_points)
        self.mode_table, self.holds = table, holds
        self.memory, self.points = resets.memory, tuple(contact_points)  # those that are watched now
        self.held, self.stops, self.armed = held, tuple(stops.items()), armed
        self._user = table.user.guards(held.rows if holds else None, holds, ContactStates([]), armed, stops)
        scene, (n_q, n_u, _) = self.memory.scene, held.sizes
        guards = GUARDS * scene.contacts + 2 * scene.zones + len(self._user)
        self.run = run = lay_out(Flow, n_q=n_q, n_u=n_u, n_rest=rest, contacts=scene.contacts, zones=scene.zones,
                                 states=n_q + n_u + 1, room=MODES, most=CHANGES, bodies=pacing.bodies,
                                 most_guards=guards, most_known=KNOWN, rules=len(armed),
                                 unit_time=table.base.scales.time,
                                 limited=int(any([hold.limit is not None for hold in holds.values()])))  # fmt: skip
        self._scene = scene
        run.scene, run.state_words, run.event_words = scene, self.memory.states, self.memory.events
        self._programs = Evaluators()
        if pacing.bodies:
            self._programs.put(run.turning, pacing.function)
        self.layout = ModeMemory(self.memory, held, bool(holds), self.points, self._user, rest)
        by_contacts = any([not each.forces <= {*held.rows.names} for each in armed])  # their programs are of one mode
        run.programs, self.lays_out = self.layout.programs, type(table.design) is Embedded and not by_contacts
        if table.is_free_ready:
            self.layout.put_side(table.side.function)
        run.known = 0 if self.lays_out else KNOWN + 1
        self.modes: list[FlowMode] = []
        self._places: dict[bytes, int] = {}
        self._parts: dict[tuple[bytes, tuple[Any, ...]], SharedParts] = {}
        self._known: LaidOutModes | None = None  # what the state knows that its modes are those of,
        self._own: set[ModeDynamics] = set()  # their equations,
        self._entered_dynamics: set[ModeDynamics] = set()  # those that are entered,
        self._current: ModeDynamics | None = None  # and the one that the run is in
        self._rewritten: FlowMode | None = None  # a mode that goes on in other speeds
        self._elsewhere: dict[ModeDynamics, int | None] = {}  # equations that the state knows, and that are not entered
        self._contacts: ContactStates | None = None  # where a call began
        made = native(flow)
        self._call, self._briefly, self._at = made.function, made.brief, address_of(run)
        self._ticks = native(tick).brief
        self.ticker: Any = None  # what ticks, where it was that which ran last
        self._clock = 0.0, 0.0
        self._table, self._key, self._state = np.asarray(run.table), np.asarray(run.key), np.asarray(run.state)
        self._rules = np.asarray(run.rule_small), np.asarray(run.rule_spent), np.asarray(run.rule_since)
        self._conditions = np.asarray(run.conditions).reshape(CHANGES, len(armed), 2)
        count = scene.contacts
        self._noted = (np.asarray(run.after).reshape(CHANGES, -1), np.asarray(run.before).reshape(CHANGES, -1),
                       np.asarray(run.contact_states).reshape(CHANGES, count, STATE_WORDS),
                       np.asarray(run.contact_events).reshape(CHANGES, count, EVENT_WORDS),
                       np.asarray(run.hit).reshape(CHANGES, -1), np.asarray(run.zone).reshape(CHANGES, -1))  # fmt: skip

    def serves(self, holds: Holds, contact_points: Sequence[ContactPoint], stops: Mapping[str, Any],
               armed: tuple[Watched, ...]) -> bool:  # fmt: skip
        """Whether its modes are those of some contact points and constraints, as they are now, with these stops: points
        of its scene, all of them as before where there are zones, which belong to what is watched."""
        resets, held = self.mode_table.resets, self.mode_table.constraint_terms(holds)
        return (resets.memory.scene is self._scene and held is self.held
                and (holds is self.holds or tuple(holds.items()) == tuple(self.holds.items()))
                and tuple(stops.items()) == self.stops and armed == self.armed
                and (not self._scene.zones or are_same(self.points, contact_points)))  # fmt: skip

    def watch(self, contact_points: Sequence[ContactPoint]) -> None:
        """Watch these contact points of the scene from now on."""
        if not are_same(self.points, contact_points):
            self.points = tuple(contact_points)
            self.layout.take_in(self.points)

    # --- modes --------------------------------------------------------------------------------------------------

    def know_only(self, known: LaidOutModes, current: ModeDynamics) -> None:
        """Forget modes but those that a state knows: a run that goes on from an earlier one does not know what was met
        later, nor in which speeds. What the state knows besides is not laid out again;
        the ``current`` one is about to be entered."""
        if known is self._known and (current is self._current or self._current in self._entered_dynamics):
            self._current = current
            return
        self._known, self._current, self._own = known, current, {laid.dynamics for laid in known.values()}
        kept = [(key, self.modes[i]) for key, i in self._places.items() if self.modes[i].dynamics in self._own]
        if len(kept) != len(self.modes):
            self.modes, self._places = [mode for _, mode in kept], {key: i for i, (key, _) in enumerate(kept)}
            self._entered_dynamics = {mode.dynamics for mode in self.modes}
            self._table[: len(kept)] = [address_of(mode.record) for mode in self.modes]
            self.run.modes = len(kept)
        self._know_elsewhere(known)

    def _know_elsewhere(self, known: LaidOutModes) -> None:
        """Note the modes of these contact points that a state knows, and that are not entered: they are not laid out
        here, for the state knows in which speeds they were met."""
        entered, mine = {self._current, *self._entered_dynamics}, (tuple(self.holds.items()), self.stops, self.armed)
        others = {dynamics: number for dynamics, number in self._elsewhere.items()
                  if dynamics in self._own and dynamics not in entered}  # fmt: skip
        for (held, contacts, stops, armed), laid in known.items():
            if laid.dynamics not in others and laid.dynamics not in entered:
                is_mine = (held, stops, armed) == mine and all([point in self.memory.places for point in contacts[-1]])
                others[laid.dynamics] = self._key_of(*contacts) if is_mine else None
        self._elsewhere, numbers = others, [number for number in others.values() if number is not None]
        np.asarray(self.run.known_hash)[: min(len(numbers), KNOWN)] = numbers[:KNOWN]
        self.run.known = len(numbers) if self.lays_out else KNOWN + 1

    def _key_of(self, closed: Any, leaving: Any, behind: Any, zones: Any, points: Any) -> int:
        """The number that is made of some contact states."""
        s = ContactStates([*points], {point: how for point, how, *_ in closed}, dict(leaving), set(behind), dict(zones))
        self.memory.write(s)
        self.memory.current = None
        return int(self._written_key()[-1])

    def forget(self) -> None:
        """Forget all modes; those that the state knows are not laid out again."""
        self._elsewhere |= {mode.dynamics: int(mode.key[-1]) for mode in self.modes}
        self.modes, self._places, self._entered_dynamics, self.run.modes, self._known = [], {}, set(), 0, None
        self.run.known = KNOWN + 1  # until the state is asked what it knows

    def _written_key(self) -> NDArray[np.int64]:
        """What equations and guards depend on, of the contact states in the scene, as words."""
        native(write_key).brief(self._at)
        return self._key[: 1 + words_of_key(self._scene)].copy()

    def enter(self, current: ModeIntegration, least: float) -> int:
        """The place of the mode of an integration, whose contact states are those of the scene. Where it goes on in
        other speeds than those that the state knows, it is found by nobody else."""
        key = self._written_key()
        known = self._places.get(key.tobytes())
        if known is not None and self.modes[known].is_stepped_by(current.integration):
            return known
        entered = entered_in(self, current, key, least)
        if current.dynamics not in self._own:
            self._rewritten = entered
            self._table[MODES] = address_of(entered.record)
            return MODES
        if known is None:
            if len(self.modes) == MODES:
                self.forget()
            known = len(self.modes)
            self.modes.append(entered)
        self.modes[known], self._places[key.tobytes()] = entered, known
        self._entered_dynamics.add(current.dynamics)
        self._table[known] = address_of(entered.record)
        self.run.modes = len(self.modes)
        self._learn(current)
        return known

    def _learn(self, current: ModeIntegration) -> None:
        """Enter the programs of a mode that Python has laid out: others are made of them as well."""
        dynamics = current.dynamics
        if isinstance(dynamics, Unconstrained):
            self.layout.put_side(dynamics.side.function)
        elif type(dynamics) is not Recombined:
            return
        rows = len(dynamics.mode.terms.rows) if isinstance(dynamics, Recombined) else None
        assert self._contacts is not None, "contact states are given where a call begins"
        self.layout.enter(self._contacts, rows, self.mode_table.user.program(self._user, rows))

    def look_at(self, x: Array) -> None:
        """See how much is zero of the conditions of rules, at x = (t, q, u, rest)."""
        for k, each in enumerate(self.armed):
            self._rules[0][k] = each.small(self.mode_table.base, x)

    # --- running ------------------------------------------------------------------------------------------------

    def prepare(self, current: ModeIntegration, s: ContactStates, rules: Rules, least: float, ended: bool, rest: Array,
                allowed: int, at_once: bool | None, brief: float) -> None:  # fmt: skip
        """See to all that a call from a mode that has begun needs."""
        run, memory, self._contacts, self.ticker = self.run, self.memory, s, None
        memory.ready(self.mode_table.resets.room(self.held))
        self._programs.ready()
        if memory.current is not s:
            memory.write(s)
        memory.scene.at_once, memory.scene.shortest_hop = -1 if at_once is None else int(at_once), brief
        run.mode, run.allowed, run.ended, run.longest = self.enter(current, least), allowed, int(ended), current.longest
        run.rest, run.arrivals = rest, Function.arrivals
        for k, each in enumerate(self.armed):
            self._rules[1][k], self._rules[2][k] = int(rules[each].spent), rules[each].since
        if self.lays_out:
            self.layout.ready(self.mode_table.integrations)

    def __call__(self, current: ModeIntegration, s: ContactStates, rules: Rules, least: float, ended: bool,
                 until: float, rest: Array, allowed: int, at_once: bool | None, brief: float) -> int:  # fmt: skip
        """Run from a mode that has begun on; the status of the stepper."""
        self.prepare(current, s, rules, least, ended, rest, allowed, at_once, brief)
        run, memory = self.run, self.memory
        began, call = time.perf_counter(), self._briefly if current.integration.is_brief(until) else self._call
        status: int = call(self._at, until)
        self._clock = began, time.perf_counter()
        memory.current = s if status != Status.EVENT and not run.changes else None
        return status

    # --- ticks --------------------------------------------------------------------------------------------------

    def begin_ticks(self, current: ModeIntegration, state: SimState, least: float, at_once: bool | None,
                    brief: float) -> None:  # fmt: skip
        """Get ready to tick from a mode that has begun where a run stands."""
        allowed = int(min(CHANGES, state.event_rate.left))
        self.prepare(current, state.contacts, state.rules, least, False, state.rest_now, allowed, at_once, brief)
        self.memory.current, self._state[:] = state.contacts, state.x

    def tick(self, rest: Array) -> int:
        """A tick with this held: the status of the kernel `tick`."""
        began = time.perf_counter()
        status: int = self._ticks(self._at, address(rest))
        if self.run.changes:
            self._clock = began, time.perf_counter()
        return status

    def forget_tick(self) -> None:
        """Machine code has not made a tick whole: forget what it has done."""
        self.memory.current, self._known, self.run.modes = None, None, len(self.modes)

    @property
    def mode(self) -> FlowMode:
        """The mode that a run is in."""
        found = self._rewritten if self.run.mode == MODES else self.modes[self.run.mode]
        assert found is not None, "it was entered"
        return found

    def go_on(self, state: SimState) -> None:
        """Get ready to tick on after changes that are put down."""
        run, self._contacts, self.memory.current = self.run, state.contacts, state.contacts
        run.allowed = int(min(CHANGES, state.event_rate.left))
        if run.arrivals != Function.arrivals:
            self.memory.ready(self.mode_table.resets.room(self.held))
            self._programs.ready()
            run.arrivals = Function.arrivals
        self.layout.ready(self.mode_table.integrations)

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
        return self.run.begun if self.run.changes else Status.FULL

    def changes(self, samples: Samples | None, rest: Array) -> list[Change]:
        """What happened on the way, at so many samples, with this held."""
        return [change_of(self, c, samples, rest) for c in range(self.run.changes)]

    def contacts_after(self, words: ContactWords) -> ContactStates:
        """The contact states of the run with those that machine code has written."""
        assert self._contacts is not None, "contact states are given where a call begins"
        return words.after(self._contacts)

    def take_over(self, place: int, words: ContactWords, t: float, x: Array,
                    rest: Array) -> tuple[Any, LaidOutMode]:  # fmt: skip
        """A mode that machine code has laid out after a change to (q, u, work): what it is known by, and what it is."""
        table, row = self.mode_table, np.concatenate([[t], x[:-1], rest])
        record = record_at(ModeRecord, self.layout.words_at(int(self._table[place]), MODE_WORDS), 0)
        own = self.layout.words_at(values(record).key, words_of_key(self._scene) + 1)
        parts = self._parts_of(own.tobytes(), words)
        made = MachineMode(table, self.layout, record, parts, row)
        dynamics = made.dynamics()

        def integration() -> ReusableIntegration:
            found = made.integration(dynamics)
            table.integrations.take(dynamics, found)
            return found

        workspace = table.integrations.workspaces[made.states]
        self.modes.append(FlowMode(workspace, dynamics, parts.guards, record, own, (self.layout.arena,), integration))
        self._places[own.tobytes()] = place
        self._own.add(dynamics)
        self._entered_dynamics.add(dynamics)
        return parts.key, LaidOutMode(dynamics, parts.guards, row)

    def _parts_of(self, key: bytes, words: ContactWords) -> SharedParts:
        """What modes of some contact states have in common; runs of one mechanism meet the same again and again."""
        assert self._contacts is not None, "contact states are given where a call begins"
        known = key, tuple(self._contacts.zones.items()) if self._contacts.zones else ()
        found = self._parts.get(known)
        if found is None:
            if len(self._parts) >= MODES:
                self._parts.pop(next(iter(self._parts)))
            s = self.contacts_after(words)
            found = self._parts[known] = shared_parts(self.mode_table, self.holds, s, dict(self.stops), self.armed,
                                                      self._user)  # fmt: skip
        return found

    def _when(self, count: int) -> float:
        """When something was, by the clock."""
        (began, done), first, last = self._clock, self.run.began, self.run.done
        part = (count - first) / (last - first) if last > first else 1.0
        return began + (done - began) * min(max(part, 0.0), 1.0)


def change_of(flow: FlowMemory, c: int, samples: Samples | None, rest: Array) -> Change:
    """One of the changes that a flow has noted, with its segment and its impact; the mode that was laid out for it is
    taken over."""
    after, before, contacts, events, hit, zones = flow._noted
    note = values(flow.run.note[c])
    t = note.t
    ended, entered, last = note.before, note.after, note.last
    scales = note.approach_scale, note.motion_scale, note.shared
    words = ContactWords(flow.memory, flow.points, contacts[c].copy(), zones[c].copy(), *scales)
    laid = flow.take_over(entered, words, t, after[c], rest) if entered >= len(flow.modes) else None
    mode = flow._rewritten if ended == MODES else flow.modes[ended]
    assert mode is not None, "it was entered"
    places = tuple([i for i, took_part in enumerate(hit[c, : len(mode.guards)].tolist()) if took_part])
    solution = None
    if last != NO_ROW:
        event = Event(t, places, before[c, : mode.workspace.n].copy())
        stats = Stats(note.steps, note.rejected, note.evaluations)
        solution = mode.solution_of(note.first, last, stats, event, samples)
    impacts = (impact_of(flow.memory, flow.points, events[c], note.energy),) if note.impacts else ()
    following = flow.modes[entered] if entered >= 0 else None
    return Change(t, [mode.guards[i] for i in places], mode, following, words, after[c].copy(), solution, impacts,
                  note.longest, flow._when(note.ended), flow._when(note.ready), flow._conditions[c].copy(),
                  laid)  # fmt: skip


def entered_in(flow: FlowMemory, current: ModeIntegration, key: NDArray[np.int64], least: float) -> FlowMode:
    """The mode of an integration that Python has laid out, as a flow knows it."""
    said = [flow.layout.said(guard) for guard in current.guards]
    says, about, step = np.array(said, dtype=np.int64).reshape(-1, 3).T.copy()
    dynamics, rows = current.dynamics, np.zeros(max(len(flow.memory.points), 1), dtype=np.int64)
    embedded, alive = dict.fromkeys(OF_EMBEDDED, 0), list[Any]([says, about, step, rows, key])
    if isinstance(dynamics, Recombined):
        mode, n_u = dynamics.mode, flow.run.n_u
        fresh = mode.fresh().copy()
        z, out = np.zeros(len(fresh)), np.zeros(flow.run.states + 3 + 2 * n_u + len(mode.terms.rows))
        embedded = {"expand": address_of(mode.expander), "forces": address_of(mode.forces), "size": len(fresh),
                    "code": address_of(mode.code), "z": address(z), "fresh": address(fresh),
                    "out": address(out)}  # fmt: skip
        for point, i in flow.memory.places.items():
            if point.name in mode.terms.rows.slices:
                rows[i] = 2 * n_u + mode.terms.rows.slices[point.name].start + (0 if point.without_normal else 1)
        alive += [mode, fresh, z, out]
    record = record_at(ModeRecord, np.zeros(MODE_WORDS), 0)
    write(record, block=current.integration.at, hash=int(key[-1]), guards=len(said), least=least, choice=0,
          embedded=int(isinstance(dynamics, Recombined)), says=address(says), about=address(about),
          step=address(step), key=address(key), row=address(rows), **embedded)  # fmt: skip
    integration = current.integration
    return FlowMode(integration.workspace, dynamics, current.guards, record, key, tuple(alive), integration)
