"""World: what a run knows besides its state. Settings; mode tables; and what watches, remembers and prepares for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from latchwork.constraint.forces import forces_in
from latchwork.constraint.rule import Rule
from latchwork.constraint.scales import Measure, measure_at
from latchwork.constraint.units import angles_of
from latchwork.contact.broad_phase.spheres import radius_of
from latchwork.contact.law import Contact
from latchwork.hybrid.contacts.broad_phase import BroadPhase
from latchwork.hybrid.contacts.rooms import Rooms, Sleeping
from latchwork.hybrid.contacts.watch_set import WatchSet
from latchwork.hybrid.designs import Automaton, Simulating
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.interference.watch import Watch
from latchwork.hybrid.mechanism import Mechanism
from latchwork.hybrid.mode_table import ModeTable, make_room
from latchwork.hybrid.prefetch import Ahead
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.hybrid.time_stepping.contact_programs import ContactPrograms, KnownPrograms
from latchwork.integrate.methods import Method
from latchwork.symbolic.graph import Graph

Grid = tuple[float, float]  # from when fixed steps are counted, and how long they are
TABLES = 64  # mode tables that are kept: tracked curves that come and go change the equations


@dataclass(eq=False)
class World:
    """Settings of a run, and what is derived from the model; nothing in it decides how the run goes on.

    ``brief``: hops shorter than this (s) end in contact. ``keeps_awake``: contacts sleep only where they cannot be
    watched whole, for nothing is to be made within a tick. ``looks_ahead``: modes that may come next are prepared
    beside the integration.
    """

    method: Method | None  # none where it is chosen as a run begins
    design: Simulating
    at_once: bool | None
    progress: Callable[[float], None] | None
    shared: Mechanism
    brief: float = 0.0
    keeps_awake: bool = False
    looks_ahead: bool = True
    broad_phase: BroadPhase = field(default_factory=BroadPhase)
    watch_set: WatchSet = field(default_factory=WatchSet)
    watch: Watch = field(init=False)
    ahead: Ahead = field(default_factory=Ahead)
    step_programs: dict[KnownPrograms, ContactPrograms] = field(default_factory=dict)  # of time steps

    def __post_init__(self) -> None:
        self._asked: tuple[Driven, ModeTable] | None = None  # which table was asked for last
        self.watch = Watch(self.shared.scenes)

    def table(self, driven: Driven) -> ModeTable:
        """The mode table of some equations, measured by some scales and units."""
        if self._asked is not None and self._asked[0] is driven:
            return self._asked[1]
        tables = self.shared.tables
        found = tables.get((driven.equations, driven.measure))
        if found is None:
            make_room(tables, TABLES)
            found = tables[driven.equations, driven.measure] = ModeTable(driven, self.design)
        self._asked = driven, found
        return found

    def measured(self, driven: Driven, x: Array, contacts: Sequence[Contact]) -> Driven:
        """What drives a run, with scales and units of its start at x = (t, q, u, rest), which shapes that move tell as
        well."""
        base, N = self.shared.base, driven.equations.system.tree.newtonian
        shapes = [*(shape for contact in contacts for shape in contact.shapes), *self.broad_phase.shapes]
        moving = [shape for shape in shapes if getattr(shape, "frame", N) is not N]
        measure = measure_at(base, x, [2.0 * size for size in map(radius_of, moving)])
        made = replace(driven, measure=measure)
        self.table(made).measure(base)
        return made

    def extended(self, driven: Driven) -> Driven:
        """What drives a run with other coordinates, of which those that are new have no speeds: their units are radians
        or the length of the run."""
        assert driven.measure is not None, "a run is measured at its start"
        scales, _, u = driven.measure
        q = [1.0 if is_angle else scales.length for is_angle in angles_of(driven.equations)]
        return replace(driven, measure=Measure(scales, tuple(q), u))

    def may_sleep(self, contact: Contact) -> bool:
        """Whether a contact may be left unwatched while it is far away: not where all modes are to be known before."""
        return not contact.is_eager if self.keeps_awake else not isinstance(self.design, Automaton)

    def seen(self, state: SimState, grid: Grid | None = None) -> SimState:
        """The state with contacts of pairs that have come near, and those watched from here on that may touch soon;
        others sleep. It is looked only where what was seen last may not be relied on any more; by whole steps of a
        ``grid`` where they are fixed."""
        base = self.table(state.driven).base
        if self.broad_phase.is_idle and self.watch_set.is_idle(state.contacts, base):
            return state
        x, place, (pairs, contacts, curves) = state.row, state.place, state.sleeping.rooms
        is_elsewhere, late = state.sleeping.place != place, math.inf if state.event_rate.is_thick else state.t
        if not self.broad_phase.is_idle:
            self.broad_phase.take_up(base)
            if is_elsewhere or late >= pairs.until or not pairs.is_of(state.asleep_with[0]):
                near, pairs = self.broad_phase.see(base, x, state.presence)
                state = self.joined(state, near)
                pairs = replace(pairs.by_steps(grid), of=state.asleep_with[0])
        self.watch_set.take_up(state.contacts, base, x, self.may_sleep)
        of = state.asleep_with[1]
        is_new = is_elsewhere or not contacts.is_of(of)
        if is_new or late >= contacts.until:
            s = state.contacts.copied()
            contacts = replace(self.watch_set.see(s, base, x, is_new).by_steps(grid), of=of)
            state = state.but(contacts=s)
        if (pairs, contacts, curves) == state.sleeping.rooms and not is_elsewhere:
            return state
        return state.but(sleeping=Sleeping(pairs, contacts, Rooms() if is_elsewhere else curves, place))

    def paces(self, state: SimState, rows: Array) -> tuple[Array, Array, Array]:
        """How fast the rooms of what sleeps are used up at states (t, q, u, rest), (rows, k): of pairs, of contacts,
        and of curves."""
        pairs, contacts, curves = state.sleeping.rooms
        nothing, tracked = np.zeros((len(rows), 0)), state.contacts.tracked if curves.sleeps else ()
        return (self.broad_phase.along(rows) if pairs.sleeps else nothing,
                self.watch_set.along(contacts, rows) if contacts.sleeps else nothing,
                np.column_stack([nothing, *[point.tracked_place.paces(rows) for point in tracked]]))  # fmt: skip

    def with_pairs_of(self, state: SimState, rules: Iterable[Rule]) -> SimState:
        """The state with contacts of pairs that rules name: what they are told of is there, near or far."""
        graph = state.driven.equations.system.graph
        told = [name for rule in rules for name in (*rule.needs, *rule.without, *_forces(graph, rule))]
        names = [name.partition(":")[0] for name in told]
        found = [pair for name in dict.fromkeys(names) if (pair := self.broad_phase.named(name)) is not None]
        return self.joined(state, [pair for pair in found if pair not in state.presence])

    def joined(self, state: SimState, near: Sequence[Contact]) -> SimState:
        """The state with contacts of pairs that come near, and have been apart so far; their order is that of pairs."""
        if not near:
            return state
        members = tuple(sorted((*state.contacts.members, *near), key=self.broad_phase.place))
        presence = {**state.presence, **dict.fromkeys(near, (state.began, np.inf))}
        return state.but(contacts=state.contacts.but(members=members), presence=presence)


def _forces(graph: Graph, rule: Rule) -> list[str]:
    """What has forces in the condition of a rule."""
    node = getattr(rule.when, "node", None)
    return [] if node is None else list(forces_in(graph, [node]).values())
