"""Handover: a change of mode that was made before in the run, made again from one lap to the next.

Who is concerned where certain guards end a certain stage does not depend on the state, nor does what holds afterwards,
for each outcome: both are remembered. What does depend on it is one kernel (`touching.handing`): the end of the lap,
all gaps, and the only contact that is near through impacts and complementarity. Machine code goes from lap to lap so
(`relay`). Where anything is not as it was remembered, nothing is changed, and the change is made as if it was the first
of its kind (`quick_reset`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.embedded.mode import Mode
from latchwork.contact.impact.planar import LAWS
from latchwork.contact.law import Zones
from latchwork.contact.tolerances import Tolerances
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.contact_state import ContactState
from latchwork.hybrid.contacts.enforced_contact_reset import Keeping
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.handover_kernel import (
    BEHIND,
    CLEARED,
    CLOSED,
    GRAZES,
    HEAD,
    HITS,
    KEEP,
    KEPT,
    LEAVES,
    NEAR,
    NOTHING,
    PASS,
    SCALES,
)
from latchwork.hybrid.contacts.quick_reset import Alone, Hit, taken
from latchwork.hybrid.contacts.single_contact_reset import (
    AS_IS,
    LETS_GO,
    OTHERS,
    PARTED,
    RESULTS,
    PassFound,
    Passing,
)
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.mode_equations import Held, Unconstrained
from latchwork.hybrid.path import Stage
from latchwork.hybrid.table import Array
from latchwork.integrate.again import Again
from latchwork.integrate.lap_memory import LapMemory
from latchwork.program.bundle import Bundle
from latchwork.program.function import Function
from latchwork.program.kernel import f64, f64p, i64, i64p
from latchwork.program.native import address, argument, words
from latchwork.program.records.memory import lay_out, write
from latchwork.program.records.record import array, pointer, record
from latchwork.program.records.view import address_of, record_at

AT, REST = 9, 13  # where `hand_over` takes the time, and what is held


@record
class Follower:
    """What follows one outcome: a lap, and how good its speeds must be."""

    outcome: i64p
    lap: LapMemory = pointer()
    least: f64


@record
class Followers:
    """What may follow a change."""

    count: i64
    each: list[Follower] = array("count")


@record
class HandoverMemory:
    """A handover, for machine code."""

    key: i64p  # which guards took part
    words: i64p  # what `hand_over` takes
    notes: i64p  # the outcome,
    noted: i64  # and how long it is
    followers: Followers = pointer()
    arrived: i64  # of which arrivals it is
    state_at: i64  # where the state after it is,
    states: i64  # and how long that is
    found: f64p
    scaled: i64  # whether that has new scales


class Change(NamedTuple):
    """A change as it was made: from which lap, by which guards, how things stood, and what came of what was near."""

    again: Again
    stage: Stage
    hits: Sequence[Guard]
    names: tuple[str, ...]
    closed: dict[ContactPoint, ContactState]
    leaving_depths: dict[ContactPoint, int]
    zones: dict[Zones, int]
    alone: Alone
    key: bytes


class Entered(NamedTuple):
    """A mode that was entered: the lap that runs it, and how contacts stand in it."""

    again: Again
    stage: Stage
    guards: Guards
    names: tuple[str, ...]
    closed: dict[ContactPoint, ContactState]
    leaving_depths: dict[ContactPoint, int]
    zones: dict[Zones, int]
    least: float  # how good its speeds must be


class After(NamedTuple):
    """What follows one outcome: a mode, and what is told of the change."""

    mode: Entered
    told: tuple[tuple[str, str], ...]  # names and kinds of events without an impact,
    besides: tuple[tuple[str, str], ...]  # and beside one


class Handover:
    """What follows where a lap is ended by certain guards, for each outcome that was met; one thread at a time."""

    def __init__(
        self, change: Change, contact_points: Sequence[ContactPoint], behind: Collection[ContactPoint], parts: Parts
    ) -> None:
        self.hits, self.names, self.near = change.hits, change.names, change.alone.near
        self.places = tuple(np.flatnonzero(np.frombuffer(change.key, dtype=np.int64)).tolist())  # of the guards
        self.afters: dict[bytes, After] = {}
        self.order: list[After] = []  # as they stand in words
        hit = taken(change.zones, change.hits, {})
        assert hit is not None, "what was swift is known"
        desk, (n_q, n_u), way = change.again.desk, parts.sizes, parts.way
        self._full, after = np.zeros(len(parts.gaps.x)), np.zeros(n_q + n_u + 2)
        notes = np.zeros(HEAD + len(contact_points), dtype=np.int64)
        starts = np.array(parts.gaps.starts, dtype=np.int64)
        roles = np.array(
            [_role(contact_point, hit, change, behind) for contact_point in contact_points], dtype=np.int64
        )
        deep = np.array(
            [change.leaving_depths.get(contact_point, 0) for contact_point in contact_points], dtype=np.int64
        )
        self._mode: Mode | None = None
        mode, slip = (0,) * 7, (-1, 0, 0)
        if isinstance(change.stage, Held):
            mode, slip = self._enter(change.stage.mode, change.again, hit.slips, n_u)
        self.rows, self._bundles = 0, [parts.gaps, parts.turning]
        found, laws = np.zeros(RESULTS), np.zeros(0)
        inner: tuple[Any, ...] = (NOTHING, -1, *(0,) * 7)
        if self.near is not None and way is not None:
            inner, laws = self._come_through(change, hit, self.near, contact_points, way)
            found = way.found if isinstance(way, Passing) else found
        given = words([
            *mode, desk.n, desk.x, 0.0, n_q, n_u, len(self._full) - 1 - n_q - n_u, 0, self._full, *slip,
            *parts.gaps.addresses, len(contact_points), starts, roles, deep, notes, *inner, found,
            *parts.turning.addresses, parts.turning.starts[-1], after, laws, len(laws), parts.scales,
            address_of(parts.small),
        ])  # fmt: skip
        key = np.frombuffer(change.key, dtype=np.int64)
        self.memory = lay_out(HandoverMemory, key=key, words=given, notes=notes, noted=len(notes), arrived=-1,
                              state_at=address(after), states=len(after), found=found,
                              scaled=int(self.rows > 0))  # fmt: skip
        self.at = address_of(self.memory)
        self._alive = change.again, starts, roles, deep, way, key, given, notes, after, found, laws, parts
        self._write()
        self.ready()

    def _enter(self, mode: Mode, again: Again, slips: ContactPoint | None, n_u: int) -> tuple[Any, Any]:
        """How the end of a lap of a mode is expanded, and the row of what begins to slip."""
        rows, n = mode.terms.rows, again.desk.n
        self._mode, self._fresh, kept = mode, mode.fresh().copy(), again.kept
        z, out = np.empty(len(self._fresh)), np.zeros(n + 3 + 2 * n_u + len(rows))
        self._room = z, out, mode.code, kept
        arrays = [address(mode.code), address(z), address(self._fresh)]
        row = -1 if slips is None else rows.slices[slips.name].stop - 1
        return (1, argument(mode.expander), *arrays, len(z), address(out)), (row, argument(mode.forces), address(kept))

    def _come_through(self, change: Change, hit: Hit, near: ContactPoint, contact_points: Sequence[ContactPoint],
                      way: Passing | Keeping) -> tuple[tuple[Any, ...], Array]:  # fmt: skip
        """How the contact that is near comes through: arguments, and its laws."""
        self._bundles.append(way.bundle)
        laws, rests = near.laws(self._full, hit.zones), float(near is hit.resting)
        if isinstance(way, Keeping):
            known, at, _, _, given, row, _ = way.arguments[3:]
            inner = KEEP, -1, *way.bundle.addresses, known, at, given, row
            return inner, np.array([*laws[1:], 0.0, rests, 0.0, 0.0])
        opened = OTHERS if change.closed and near not in change.closed else AS_IS
        self.rows, how = way.rows, float(LETS_GO if near is hit.lets_go else opened)
        known, _, _, given, _, _ = way.arguments[3:]
        inner = PASS, contact_points.index(near), *way.bundle.addresses, known, 0, given, 0
        return inner, np.array([*laws, LAWS[near.contact.impact], *(0.0,) * SCALES, rests, 0.0, how])

    def ready(self) -> None:
        """Take machine code that has arrived."""
        self.memory.arrived = Function.arrivals
        for bundle in self._bundles:
            bundle.ready()
        if self._mode is not None:
            self._fresh[:] = self._mode.fresh()

    def begin(self, after: After, t: float, rest: Array) -> int:
        """Begin the next lap where this has led: as `Again.begin_at`."""
        mode = after.mode
        if not mode.again.is_current:
            return -1
        return mode.again.begin_at(t, self.memory.state_at, address(rest), mode.least)

    def learn(self, alone: Alone, contact_points: Sequence[ContactPoint], after: After) -> None:
        """Remember what follows one outcome."""
        self.afters[outcome(alone, contact_points, after.mode)] = after
        self._write()

    def forget(self, after: After) -> None:
        """What followed can be no more."""
        self.afters = {outcome: each for outcome, each in self.afters.items() if each is not after}
        self._write()

    def _write(self) -> None:
        """What may follow, for machine code."""
        outcomes = [np.frombuffer(outcome, dtype=np.int64) for outcome in self.afters]
        self.order = list(self.afters.values())
        followers = lay_out(Followers, count=len(outcomes))
        for each, outcome, after in zip(followers.each, outcomes, self.order, strict=True):
            write(each, address(outcome), after.mode.again.at, after.mode.least)
        self._follows, self.memory.followers = (outcomes, followers), followers

    def forces(self, found: Array) -> dict[str, Array]:
        """The forces of what passed, by name."""
        passed = record_at(PassFound, found, 0)
        if self.near is None or not self.rows or passed.state == PARTED:
            return {}
        return {self.near.name: np.array(passed.force[: self.rows])}

    def events(self, t: float, after: After, found: Array) -> list[RunEvent]:
        """What happened, as `telling.told` has it."""
        impulses: dict[str, Array] = {}
        made: list[RunEvent] = []
        passed = record_at(PassFound, found, 0)
        if passed.impacts:
            impulse = np.array(passed.push[: self.rows])
            if self.near is not None and impulse.any():
                impulses[self.near.name] = impulse
            energy = -passed.struck
            made = [RunEvent(t, ", ".join(impulses), self.names, after.mode.names, impulses, "impact", energy)]
        for name, kind in after.besides if impulses else after.told:
            made.append(RunEvent(t, name, self.names, after.mode.names, kind=kind))
        return made


class Parts(NamedTuple):
    """What a handover evaluates: gaps, ω · ω, and how the contact that is near comes through; sizes of q and u.

    ``scales`` are the fastest approach and motion so far, and which hops are brief.
    """

    gaps: Bundle
    turning: Bundle
    way: Passing | Keeping | None
    sizes: tuple[int, int]
    scales: Array
    small: Tolerances


def outcome(alone: Alone, contact_points: Sequence[ContactPoint], mode: Entered) -> bytes:
    """What has come of what was near, and which contacts have opened, how deep, as `hand_over` notes it."""
    opened = [
        1 + mode.leaving_depths[contact_point] if contact_point in mode.leaving_depths else 0
        for contact_point in contact_points
    ]
    return np.array([alone.state, alone.way, *opened], dtype=np.int64).tobytes()


def can_repeat(change: Change, contact_points: Sequence[ContactPoint], zones: Mapping[Zones, int]) -> bool:
    """Whether a change may be made again: laws are numbers, and only what is near is held by the coordinates."""
    near, stage = change.alone.near, change.stage
    known = isinstance(stage, Unconstrained) or (isinstance(stage, Held) and type(stage).end is Held.end)
    held = [contact_point for contact_point in contact_points if contact_point.held and contact_point is not near]
    usual = all([contact_point.is_usual for contact_point in contact_points])
    return known and usual and not held and (near is None or isinstance(near.law_in(zones), tuple))


def _role(contact_point: ContactPoint, hit: Hit, change: Change, behind: Collection[ContactPoint]) -> int:
    bits = {
        NEAR: contact_point is change.alone.near,
        CLOSED: contact_point in change.closed,
        HITS: contact_point in hit.touching,
        GRAZES: contact_point in change.leaving_depths,
        CLEARED: contact_point in hit.clear,
        LEAVES: contact_point in hit.leaving,
        BEHIND: contact_point in behind,
        KEPT: contact_point.held,
    }
    return sum(bit for bit, has in bits.items() if has)
