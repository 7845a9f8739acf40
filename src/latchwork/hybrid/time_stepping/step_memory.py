"""The memory of a time-stepped interval: records laid out and filled, and more room where it is asked for."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from latchwork.constraint.consistency import assemble_q, assemble_u
from latchwork.constraint.terms import Array, Terms
from latchwork.contact.feature import Feature
from latchwork.contact.law import Zones
from latchwork.contact.time_stepping.cone_problem import ConeProblem
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.free_motion import left_over
from latchwork.hybrid.contacts.scene_memory import SceneMemory
from latchwork.hybrid.state_function import remembered_function
from latchwork.hybrid.stops import expressions_of
from latchwork.hybrid.time_stepping.clearances import ClearanceMemory
from latchwork.hybrid.time_stepping.contact_programs import (
    GAP,
    MOTION,
    SPREAD,
    ContactPrograms,
    ContactRows,
    KnownPrograms,
    programs_for,
    run_programs,
)
from latchwork.hybrid.time_stepping.near_pairs import NearPairs
from latchwork.hybrid.time_stepping.time_step import Asked, Given, NearContacts, Reason, TimeStep
from latchwork.program.evaluator import Evaluators
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.program.records.memory import lay_out, where, write
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import rebuild

FIRST_ROOM = 8  # contacts that may be near at once, to begin with
PAGE = 64  # steps that are written down at once
GIVEN = 4  # answers that there is room for, to begin with

# What a record goes on with where it is laid out again
SCALARS = ("measured", "most_energy", "depth", "open", "impacts", "calm", "lost", "kept", "off", "deepest")
ARRAYS = ("udot", "part", "halvings", "stop_before", "stop_now")
BY_CONTACT = {"warm": 3, "before": 1, "inside": 1, "listed_now": 1, "mode": 1, "real": 1}
NOWHERE = np.empty(0, dtype=int)


def _above_bounds(zone: Zones) -> list[Any]:
    """x − bound for every bound of a zone."""
    return [zone.x - bound for bound in zone.bounds]


class StepMemory:
    """The records of a time-stepped interval, and what keeps their programs alive."""

    def __init__(self, scene: SceneMemory, held: Terms, pairs: NearPairs, x: Array, work: float, step: float,
                 calm: float, stops: Mapping[str, Any], clearances: ClearanceMemory,
                 kept: dict[KnownPrograms, ContactPrograms]) -> None:  # fmt: skip
        self.scene, self.held, self.pairs_near, self.contacts = scene, held, pairs, pairs.s
        self._stops, self._step, self._calm = stops, step, 0 if math.isinf(calm) else int(calm)
        self.clearances, self._kept = clearances, kept
        features = [feature for contact in pairs.members for feature in contact.features]
        self._drifts = [feature for feature in features if feature.drift is not None]
        equations = held.base.equations
        self.energy = remembered_function(
            held.base, "K + V", lambda: [equations.kinetic_energy + equations.potential_energy]
        )
        self._split(True)
        pairs.make(x)
        self.record = self._lay_out(x, work)
        self._make_room(FIRST_ROOM)
        self._give_room(GIVEN)

    def _split(self, split: bool) -> None:
        """Programs for blocks with their branches, or for whole blocks."""
        self.known = programs_for(self.held, split)
        self.contact_programs = run_programs(self._kept, self.known)
        self.blocks, self._rows = self.known.blocks, self.known.rows

    def _lay_out(self, x: Array, work: float) -> TimeStep:
        """The record, for the contact points there are."""
        scene, held, s, stops = self.scene, self.held, self.contacts, self._stops
        scene.hold(s.contact_points)
        base, programs = held.base, Evaluators()
        (n_q, n, m), zones = held.sizes, dict.fromkeys(zone for point in s.contact_points for zone in point.zones)
        bounds = {zone: remembered_function(base, zone, partial(_above_bounds, zone)) for zone in zones}
        widest = max([len(zone.bounds) for zone in zones], default=0)
        blocks, spread_place, ways = self.blocks, self.blocks.spread[1], self.blocks.ways
        widest_block = max(map(len, blocks.members), default=0)
        room = max(widest_block * (widest_block + 2), 2 * n * m + m * m + 3 * m, widest)
        fours = [i for four in held._fours for i in four]
        record = lay_out(
            TimeStep, n_x=len(x), n_q=n_q, n=n, held=m, contacts=scene.scene.contacts, zones=len(zones),
            stops=len(stops), fours=len(fours) // 4, n_work=room, page=PAGE,
            blocks=len(blocks.members), n_square=blocks.square_at[-1], n_packed=blocks.packed_at[-1],
            branches=len(blocks.branches), branch_start=blocks.branch_start, row_at=blocks.row_at,
            n_ways=sum(map(len, ways)), way=[place for way in ways for place in way],
            way_at=list(accumulate(map(len, ways), initial=0)),
            n_spread=len(spread_place), most_touched=self._most_touched(),
            block_start=blocks.start, square_at=blocks.square_at, packed_at=blocks.packed_at, speed=blocks.speeds,
            spread_place=spread_place,
            still=int(is_still(held, s, self._drifts)), step=self._step, until=float(x[0]), calm_steps=self._calm,
            scene=scene.scene, broad=self.pairs_near.lay_out(scene),
            clearances=self.clearances.record, four=fours, has_phi=list(held.still),
            unit=held.base.units.u, length=held.base.scales.length, x=x, work=work,
            zone_place=[scene.zone(zone) for zone in zones],
        )  # fmt: skip
        programs.put(record.energy, self.energy)
        self._write_programs(record)
        if m:
            programs.put(record.held_place, held.place_function)
            programs.put(record.held_bias, held.bias_function)
        if stops:
            g = base.equations.system.graph
            nodes = rebuild(g, expressions_of(base.equations, stops), base.laws)
            programs.put(record.stop, Function(lower(g, nodes, base.arguments)))
        for place, function in zip(record.zone, bounds.values(), strict=True):
            programs.put(place, function)
        self.programs = programs
        scene.write(s)
        scene.current = None
        return record

    def _most_touched(self) -> int:
        """Branches of any contact whose rows are known."""
        return max([2, *[len(rows.branches) for rows in self._rows.values()]])

    def _write_programs(self, record: TimeStep) -> None:
        """The programs of motion and of all contact points."""
        programs, points = self.contact_programs, self.scene.points
        write(record.motion, *programs.words((MOTION, None), self.blocks.motion))
        write(record.spread, *programs.words((SPREAD, None), self.blocks.spread[0]))
        write_all(record, "gaps", range(len(points)), [programs.gap(point) for point in points])
        some = [i for i, point in enumerate(points) if point in self._rows]
        for i in some:
            self.scene.put_slip(i)
        write_all(record, "rows", some, [programs.row(points[i]) for i in some])
        np.asarray(record.ready)[some] = 1
        touched = np.asarray(record.touched)[: len(record.ready) * record.most_touched].reshape(-1, record.most_touched)
        branches = [self._rows[points[i]].branches for i in some]
        np.asarray(record.touches)[some] = [len(each) for each in branches]
        for k in range(record.most_touched):
            touched[some, k] = [each[k] if k < len(each) else 0 for each in branches]

    def _write_arrived(self) -> None:
        """The programs that have got machine code."""
        programs, places, record = self.contact_programs, self.scene.places, self.record
        for which, point in programs.arrived():
            if which == MOTION:
                write(record.motion, *programs.words((MOTION, None), self.blocks.motion))
            elif which == SPREAD:
                write(record.spread, *programs.words((SPREAD, None), self.blocks.spread[0]))
            elif point in places and which == GAP:
                write(record.gaps[places[point]], *programs.gap(point))
            elif point in places:
                write(record.rows[places[point]], *programs.row(point))

    def _write_touched(self, record: TimeStep, i: int, rows: ContactRows) -> None:
        """The branches that a contact point touches."""
        record.touches[i] = len(rows.branches)
        for k, branch in enumerate(rows.branches):
            record.touched[i * record.most_touched + k] = branch

    def _make_ready(self, i: int) -> None:
        """Compile the rows of a contact point."""
        point, record = self.scene.points[i], self.record
        rows = self.known.make_ready(point)
        self.scene.put_slip(i)
        if len(rows.branches) > record.most_touched:
            self._lay_out_again()
        else:
            write(record.rows[i], *self.contact_programs.row(point))
            record.ready[i] = 1
            self._write_touched(record, i, rows)
        if self._entries_of(point, rows) > self.most_entries or self.record.most_touched > self.most_touched:
            self._make_room(self.near.most_contacts)

    def _entries(self) -> int:
        """Entries of all rows of the widest contact that is known."""
        return max([12, *[self._entries_of(point, rows) for point, rows in self._rows.items()]])

    def _entries_of(self, point: ContactPoint, rows: ContactRows) -> int:
        """Entries of the rows of a contact."""
        return (1 + len(point.tangents)) * rows.wide

    def _make_points(self) -> None:
        """The contact points of pairs that have come near."""
        zones, before = self.zones(), list(self.scene.points)
        self.pairs_near.make(self.x)
        self.contacts.zones |= zones
        self._lay_out_again(before)

    def _lay_out_again(self, before: Sequence[ContactPoint] | None = None) -> None:
        """The record with all that it knew, of contact points that had these places."""
        old, x, before = self.record, self.x, list(self.scene.points) if before is None else before
        self.record = new = self._lay_out(x, float(old.work))
        new.near, new.given, new.until = self.near, self.given, old.until
        for name in SCALARS:
            setattr(new, name, getattr(old, name))
        for name in ARRAYS:
            np.asarray(getattr(new, name))[:] = np.asarray(getattr(old, name))
        places = self.scene.places
        pairs = [(i, places[point]) for i, point in enumerate(before) if point in places]
        at, to = (np.array(side, dtype=int) for side in zip(*pairs, strict=True)) if pairs else (NOWHERE, NOWHERE)
        for name, wide in BY_CONTACT.items():
            a, b = np.asarray(getattr(old, name)), np.asarray(getattr(new, name))
            for j in range(wide):
                b[wide * to + j] = a[wide * at + j]

    def look_with(self, clearances: ClearanceMemory) -> None:
        """The broad phase has looked again."""
        self.clearances, self.record.clearances = clearances, clearances.record

    def go_on_from(self, before: StepMemory, places: Mapping[ContactPoint, int]) -> None:
        """Take over what the last step of another memory left, whose contact points had these places."""
        new, old = self.record, before.record
        for name in ("calm", "impacts", "lost", "kept", "off", "deepest", "most_energy"):
            setattr(new, name, getattr(old, name))
        np.asarray(new.udot)[:] = np.asarray(old.udot)
        warm, known = np.asarray(new.warm).reshape(-1, 3), np.asarray(old.warm).reshape(-1, 3)
        for point, i in places.items():
            if point in self.scene.places:
                warm[self.scene.places[point]] = known[i]

    def _make_room(self, contacts: int) -> None:
        """Records for so many contacts that are near."""
        rows, blocks = 3 * contacts, self.blocks
        self.most_entries, self.most_touched = self._entries(), self.record.most_touched
        entries = contacts * self.most_entries
        self.cones = lay_out(ConeProblem, most_contacts=contacts, most_rows=rows, n=self.record.n,
                             most_touched=contacts * self.most_touched, most_entries=entries,
                             blocks=len(blocks.branches), block_start=blocks.branch_start)  # fmt: skip
        self.near = lay_out(NearContacts, most_contacts=contacts, most_rows=rows, most_entries=entries,
                            cones=self.cones)  # fmt: skip
        self.record.near = self.near

    def _give_room(self, most: int) -> None:
        """Room for so many answers."""
        self.given = self.record.given = lay_out(Given, most=most, n=self.record.n, n_x=self.record.n_x)

    def ready(self) -> None:
        """Take machine code that has arrived; what was evaluated in the steps of a page asks for it."""
        self.energy.used(PAGE)
        self.contact_programs.used(PAGE)
        self._write_arrived()
        self.programs.ready()
        self.pairs_near.ready()
        self.clearances.ready()
        self.scene.take_code()

    def provide(self, reason: Reason) -> bool:
        """What the steps came back for, where it is something that can be made; the same step is taken again then."""
        match reason:
            case Reason.NO_ROOM:
                self._make_room(2 * self.near.most_contacts)
            case Reason.NOT_MADE:
                self._make_points()
            case Reason.NOT_READY:
                self._make_ready(self.scene.scene.trouble)
            case Reason.CAREFUL:
                self._give()
            case _:
                return False
        return True

    def _give(self) -> None:
        """An answer at the state that is asked about, by the algorithms for singular positions."""
        if self.blocks.is_split and Asked(self.record.asked) is Asked.FREE_MOTION:  # P is not the inverse of M there
            self._split(False)
            self._lay_out_again()
            self._make_room(self.near.most_contacts)
            return
        record, held, given = self.record, self.held, self.given
        x = np.array(record.asked_x[: record.n_x])
        match Asked(record.asked):
            case Asked.FREE_MOTION:
                motion, B = held.motion(x), held.place(x).B
                inverse, free = left_over(held.base, motion.M, motion.f, B, motion.c, B, held.typical(x))
                answers = {"P": inverse, "udot": free}
            case Asked.PLACE:
                answers = {"state": assemble_q(held, x)}
            case Asked.SPEEDS:
                answers = {"state": assemble_u(held, x)[0]}
        if given.count == given.most:
            before = given
            self._give_room(2 * before.most)
            given = self.given
            given.count = before.count
            for name in ("kind", "x", "P", "udot", "state"):
                old = np.asarray(getattr(before, name))
                np.asarray(getattr(given, name))[: len(old)] = old
        given.kind[given.count] = record.asked
        for name, values in {"x": x, **answers}.items():
            np.asarray(getattr(given, name)).reshape(given.most, -1)[given.count] = np.ravel(values)
        given.count += 1

    @property
    def is_autonomous(self) -> bool:
        """Whether no load depends on time by itself, so that what rests does so for good."""
        return 0 not in np.asarray(self.blocks.motion.inputs)

    @property
    def x(self) -> Array:
        """The state reached."""
        return np.array(self.record.x[: self.record.n_x])

    def set_rest(self, rest: Array) -> None:
        """Inputs and the numbers of tables for the next steps."""
        record = self.record
        record.x[record.n_x - len(rest) :] = array("d", rest.tolist())

    def points_near(self) -> list[ContactPoint]:
        """The contact points that are near."""
        return [self.scene.points[i] for i in self.near.who[: self.near.contacts]]

    def zones(self) -> dict[Zones, int]:
        """The zones as they are now."""
        return self.scene.zones_in(self.contacts.zones, self.scene.scene.zone)


def is_still(held: Terms, s: ContactStates, drifts: Sequence[Feature]) -> bool:
    """Whether nothing moves by itself: no constraint, and no surface, which ``drifts`` are of."""
    known = {point.feature for point in s.contact_points}
    rows = [held.rows, *(point.terms.rows for point in s.contact_points if point.feature.drift is not None)]
    return all(feature in known for feature in drifts) and all(node == ZERO for row in rows for node in row.C_nodes)


def write_all(record: Any, field: str, places: Sequence[int], words: Sequence[tuple[int, ...]]) -> None:
    """Records of an array, word by word."""
    if words:
        first, wide = where(record, field)
        every = np.frombuffer(record._words, dtype=np.int64)[first:]
        every[np.asarray(places)[:, None] * wide + np.arange(wide)] = np.array(words, dtype=np.uint64).view(np.int64)
