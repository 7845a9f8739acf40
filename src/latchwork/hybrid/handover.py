"""Handover: a change of mode that was made before in the run, made again from one lap to the next.

Who is concerned where certain guards end a certain stage does not depend on the state, nor does what holds afterwards,
for each outcome: both are remembered. What does depend on it is one kernel (`touching.handing`): the end of the lap,
all gaps, and the only contact that is near through impacts and complementarity. Where anything is not as it was
remembered, nothing is changed, and the change is made as if it was the first of its kind (`swift`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.modes.mode import Mode
from latchwork.contact.law import Zones
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.path import Stage
from latchwork.hybrid.stages import Held, Unconstrained
from latchwork.hybrid.table import Array
from latchwork.hybrid.touching.handing import (
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
    hand_over,
)
from latchwork.hybrid.touching.keeping import Keeping
from latchwork.hybrid.touching.passing import (
    AS_IS,
    FORCE,
    IMPACTS,
    LAWS,
    LETS_GO,
    OTHERS,
    PACE_AFTER,
    PARTED,
    PUSH,
    RESULTS,
    SPEED_AFTER,
    STATE,
    STRUCK,
    Passing,
)
from latchwork.hybrid.touching.scales import LEFT
from latchwork.hybrid.touching.standing import Guard, Guards, Standing
from latchwork.hybrid.touching.swift import Alone, Hit, taken
from latchwork.hybrid.touching.touch import Touch
from latchwork.integrate.again import Again
from latchwork.program.bundle import Bundle
from latchwork.program.function import Function
from latchwork.program.native import address, argument, native

AT, REST = 9, 13  # where `hand_over` takes the time, and what is held
USUAL = 2  # times that a change was made before it is learned


class Change(NamedTuple):
    """A change as it was made: from which lap, by which guards, how things stood, and what came of what was near."""

    again: Again
    stage: Stage
    hits: Sequence[Guard]
    names: tuple[str, ...]
    closed: dict[Touch, Standing]
    grazing: dict[Touch, int]
    zones: dict[Zones, int]
    alone: Alone
    key: bytes


class After(NamedTuple):
    """What follows one outcome: a lap, and how contacts stand in it."""

    again: Again
    stage: Stage
    guards: Guards
    names: tuple[str, ...]
    closed: dict[Touch, Standing]
    grazing: dict[Touch, int]
    zones: dict[Zones, int]
    told: tuple[tuple[str, str], ...]  # names and kinds of events without an impact,
    besides: tuple[tuple[str, str], ...]  # and beside one
    least: float  # how good its speeds must be


class Handover:
    """What follows where a lap is ended by certain guards, for each outcome that was met; one thread at a time."""

    def __init__(self, change: Change, touches: Sequence[Touch], behind: Collection[Touch], parts: Parts) -> None:
        self.hits, self.names, self.near = change.hits, change.names, change.alone.near
        self.places = tuple(np.flatnonzero(np.frombuffer(change.key, dtype=np.int64)).tolist())  # of the guards
        self.afters: dict[bytes, After] = {}
        hit = taken(change.zones, change.hits, {})
        assert hit is not None, "what was swift is known"
        desk, (n_q, n_u), way = change.again.desk, parts.sizes, parts.way
        self.full, self.after = np.zeros(len(parts.gaps.x)), np.zeros(n_q + n_u + 2)
        self._notes = np.zeros(HEAD + len(touches), dtype=np.int64)
        starts = np.array(parts.gaps.starts, dtype=np.int64)
        roles = np.array([_role(touch, hit, change, behind) for touch in touches], dtype=np.int64)
        deep = np.array([change.grazing.get(touch, 0) for touch in touches], dtype=np.int64)
        self._mode: Mode | None = None
        mode, slip = (0,) * 7, (-1, 0, 0)
        if isinstance(change.stage, Held):
            mode, slip = self._enter(change.stage.mode, change.again, hit.slips, n_u)
        self.found, self.rows, self._bundles = np.zeros(RESULTS), 0, [parts.gaps, parts.turning]
        self._given: Array | None = None
        self._laws: tuple[float, ...] = ()
        inner: tuple[Any, ...] = (NOTHING, -1, *(0,) * 8, address(self.found))
        if self.near is not None and way is not None:
            inner = self._come_through(change, hit, self.near, touches, way)
        self._alive = change.again, starts, roles, deep, way
        self._arguments = [
            *mode, desk.n, address(desk.x), 0.0, n_q, n_u, len(self.full) - 1 - n_q - n_u, 0, address(self.full), *slip,
            *parts.gaps.addresses, len(touches), *map(address, (starts, roles, deep, self._notes)), *inner,
            *parts.turning.addresses, parts.turning.starts[-1], address(self.after),
        ]  # fmt: skip
        self._arrivals, self._call, self._rest = -1, native(hand_over).brief, self.after  # not yet what is held

    def _enter(self, mode: Mode, again: Again, slips: Touch | None, n_u: int) -> tuple[Any, Any]:
        """How the end of a lap of a mode is expanded, and the row of what begins to slip."""
        rows, n = mode.terms.rows, again.desk.n
        self._mode, self._fresh, kept = mode, mode.fresh().copy(), again.kept
        z, out = np.empty(len(self._fresh)), np.zeros(n + 3 + 2 * n_u + len(rows))
        self._room = z, out, mode.code, kept
        arrays = [address(mode.code), address(z), address(self._fresh)]
        row = -1 if slips is None else rows.slices[slips.name].stop - 1
        return (1, argument(mode.expander), *arrays, len(z), address(out)), (row, argument(mode.forces), address(kept))

    def _come_through(self, change: Change, hit: Hit, near: Touch, touches: Sequence[Touch],
                      way: Passing | Keeping) -> tuple[Any, ...]:  # fmt: skip
        """How the contact that is near comes through."""
        self._bundles.append(way.bundle)
        self._given, laws = way.given, near.laws(self.full, hit.zones)
        rests = float(near is hit.resting)
        if isinstance(way, Keeping):
            self._laws, self._how = laws[1:], (rests, 0.0, 0.0)
            code, at, w, _, _, given, row = way.arguments[3:]
            return KEEP, -1, *way.bundle.addresses, code, at, w, given, row, address(self.found)
        opened = OTHERS if change.closed and near not in change.closed else AS_IS
        self._laws = *laws, LAWS[near.contact.impact]
        self._how = rests, 0.0, float(LETS_GO if near is hit.lets_go else opened)
        self.found, self.rows = way.found, way.rows
        code, w, _, _, given, found = way.arguments[3:]
        return PASS, touches.index(near), *way.bundle.addresses, code, 0, w, given, 0, found

    def __call__(self, t: float, rest: Array, speed: float, pace: float, brief: float) -> After | None:
        """What follows at the end of a lap at t; none where that is not as it was remembered.

        ``full``, ``after`` and ``found`` have the numbers, until the next call.
        """
        if self._arrivals != Function.arrivals:
            self._ready()
        if self._given is not None:
            scales = (speed, pace, brief) if self.rows else (max(speed, LEFT * pace),)
            self._given[:] = *self._laws, *scales, *self._how
        arguments = self._arguments
        arguments[AT] = t
        if rest is not self._rest:
            self._rest = rest
            arguments[REST] = address(rest)
        return self.afters.get(self._notes.tobytes()) if self._call(*arguments) else None

    def begin(self, after: After, t: float) -> bool:
        """Begin the next lap where this has led; whether it can be begun as always."""
        again, begun = after.again, -1
        if again.is_current:
            begun = again.begin_at(t, self._arguments[-1], self._arguments[REST], after.least)
        if begun < 0:
            self.forget(after)
        return begun > 0

    def _ready(self) -> None:
        """Take machine code that has arrived."""
        self._arrivals = Function.arrivals
        for bundle in self._bundles:
            bundle.ready()
        if self._mode is not None:
            self._fresh[:] = self._mode.fresh()

    def learn(self, alone: Alone, touches: Sequence[Touch], after: After) -> None:
        """Remember what follows one outcome."""
        opened = [1 + after.grazing[touch] if touch in after.grazing else 0 for touch in touches]
        self.afters[np.array([alone.state, alone.way, *opened], dtype=np.int64).tobytes()] = after

    def forget(self, after: After) -> None:
        """What followed can be no more."""
        self.afters = {outcome: each for outcome, each in self.afters.items() if each is not after}

    def came(self, speed: float, pace: float) -> tuple[float, float, dict[str, Array]]:
        """The fastest approach and motion so far, and the forces of what passed, by name."""
        if self.near is None or not self.rows:
            return speed, pace, {}
        found = self.found.tolist()
        parted = found[STATE] == PARTED
        lam = {} if parted else {self.near.name: np.array(found[FORCE : FORCE + self.rows])}
        return found[SPEED_AFTER], found[PACE_AFTER], lam

    def events(self, t: float, after: After) -> list[RunEvent]:
        """What happened, as `telling.told` has it."""
        impulses: dict[str, Array] = {}
        made: list[RunEvent] = []
        if self.found[IMPACTS]:
            impulse = self.found[PUSH : PUSH + self.rows].copy()
            if self.near is not None and impulse.any():
                impulses[self.near.name] = impulse
            energy = -float(self.found[STRUCK])
            made = [RunEvent(t, ", ".join(impulses), self.names, after.names, impulses, "impact", energy)]
        for name, kind in after.besides if impulses else after.told:
            made.append(RunEvent(t, name, self.names, after.names, kind=kind))
        return made


class Parts(NamedTuple):
    """What a handover evaluates: gaps, ω · ω, and how the contact that is near comes through; sizes of q and u."""

    gaps: Bundle
    turning: Bundle
    way: Passing | Keeping | None
    sizes: tuple[int, int]


def is_usual(again: Again, key: bytes) -> bool:
    """Whether a lap was ended by the same guards often enough before: to learn what follows takes some time."""
    if key in again.handovers:
        return True
    again.ends[key] = again.ends.get(key, 0) + 1
    return again.ends[key] > USUAL


def can_repeat(change: Change, touches: Sequence[Touch], zones: Mapping[Zones, int]) -> bool:
    """Whether a change may be made again: laws are numbers, and only what is near is held by the coordinates."""
    near, stage = change.alone.near, change.stage
    known = isinstance(stage, Unconstrained) or (isinstance(stage, Held) and type(stage).end is Held.end)
    held = [touch for touch in touches if touch.held and touch is not near]
    return known and not held and (near is None or isinstance(near.law_in(zones), tuple))


def _role(touch: Touch, hit: Hit, change: Change, behind: Collection[Touch]) -> int:
    bits = {NEAR: touch is change.alone.near, CLOSED: touch in change.closed, HITS: touch in hit.touching,
            GRAZES: touch in change.grazing, CLEARED: touch in hit.clear, LEAVES: touch in hit.leaving,
            BEHIND: touch in behind, KEPT: touch.held}  # fmt: skip
    return sum(bit for bit, has in bits.items() if has)
