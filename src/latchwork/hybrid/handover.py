"""Handover: a change of mode that was made before in the run, made again from one lap to the next.

Who is concerned where certain guards end a certain stage does not depend on the state, nor does what holds afterwards,
for each outcome: both are remembered. What does depend on it is one kernel: the end of the lap, all gaps, and the only
contact that is near through impacts and complementarity (`passing`). Where anything is not as it was remembered,
nothing is changed, and the change is made as if it was the first of its kind (`swift`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.modes.ending import ended
from latchwork.contact.alone import OPEN
from latchwork.contact.law import Zones
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.path import Stage
from latchwork.hybrid.stages import Held
from latchwork.hybrid.table import Array
from latchwork.hybrid.touching.pacing import FAR
from latchwork.hybrid.touching.passing import (
    AS_IS,
    FORCE,
    GAINED,
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
    WAY,
    Passing,
    pass_one,
)
from latchwork.hybrid.touching.scales import CLEAR, REACH, TOUCH
from latchwork.hybrid.touching.standing import Guard, Guards, Standing
from latchwork.hybrid.touching.swift import Alone, Hit, taken
from latchwork.hybrid.touching.touch import Touch
from latchwork.integrate.again import Again
from latchwork.program.bundle import COUNT, Bundle, run_each
from latchwork.program.function import Function
from latchwork.program.kernel import divide, executor, f64, f64p, floor, i32p, i64, i64p, kernel, offset, sqrt
from latchwork.program.native import address, argument, native, together
from latchwork.program.scalar import maximum, minimum

IN_REACH, IS_CLEAR = REACH * TOUCH, CLEAR * TOUCH
FOREVER, DEEPEST = 1e300, 1e15
# what a contact is to a handover: the one that is near, closed before, hit, opened before, hit while clear, left at the
# end of its patch, behind
NEAR, CLOSED, HITS, GRAZES, CLEARED, LEAVES, BEHIND = 1, 2, 4, 8, 16, 32, 64
HEAD = 2  # outcomes: state of what is near, sign of its slip; one more than how deep each opened, 0 for others


@kernel
def _has(role: i64, bit: i64) -> i64:
    """Whether a role has a bit."""
    return role // bit % 2


@kernel
def expanded(
    held: i64, expand: executor, code: i32p, z: f64p, fresh: f64p, size: i64, out: f64p, n: i64, x: f64p, t: f64,
    n_q: i64, n_u: i64, n_rest: i64, rest: f64p, full: f64p,
) -> i64:  # fmt: skip
    """(t, q, u, rest) at the end of a stage from its n states; 0 where they may not belong to it."""
    full[0] = t
    for i in range(n_rest):
        full[1 + n_q + n_u + i] = rest[i]
    if held == 0:
        for i in range(n_q + n_u):
            full[1 + i] = x[i]
        return 1
    for i in range(size):
        z[i] = fresh[i]
    z[0] = t
    for i in range(n):
        z[1 + i] = x[i]
    for i in range(n_rest):
        z[1 + n + i] = rest[i]
    ended(expand, code, z, out)
    for i in range(n_q):
        full[1 + i] = out[i]
    for i in range(n_u):
        full[1 + n_q + i] = out[n + 3 + i]
    return 1 if out[n + 2] == 0.0 else 0


@kernel
def evaluated(code: i32p, z: f64p, out: f64p, inputs: i64, full: f64p) -> None:
    """Programs at (t, q, u, rest)."""
    read = offset(z, code[COUNT])
    for i in range(inputs):
        read[i] = full[i]
    run_each(code, z, out)


@kernel
def depth(gap: f64) -> i64:
    """How deep a contact opens, as `standing.deep_in`; one more."""
    deep = divide(-gap, TOUCH) - 0.5
    return 1 + int(-floor(-minimum(deep, DEEPEST))) if deep > 0.0 else 1


@kernel
def judged(count: i64, starts: i64p, gaps: f64p, roles: i64p, deep: i64p, notes: i64p) -> i64:
    """Whether the contact that is near is the one that was; what becomes of those that opened, or open now."""
    for i in range(count):
        role, gap, inside = roles[i], gaps[starts[i]], FOREVER
        for j in range(starts[i] + 1, starts[i + 1]):
            inside = minimum(inside, gaps[j])
        through = _has(role, HITS) == 1 and gap < -IN_REACH and inside < -gap
        if through or gap - gap != 0.0:
            return 0
        opened = _has(role, GRAZES) == 1 and _has(role, CLEARED) == 0 and not maximum(gap, -inside) > IS_CLEAR
        notes[i] = 1 + deep[i] if opened else 0
        if _has(role, LEAVES) == 1:
            notes[i] = depth(gap) if _has(role, BEHIND) == 0 else notes[i]
        elif _has(role, BEHIND) == 0:
            within = inside > 0.0 if opened else inside >= -IN_REACH
            near = 1 if _has(role, CLOSED) == 1 or (gap <= IN_REACH and within) else 0
            if near != _has(role, NEAR):
                return 0
            if near == 1 and inside < FOREVER and inside >= 0.0 and inside < -gap:  # entered from below
                notes[i] = depth(gap)
    return 1


@kernel
def hand_over(
    held: i64, expand: executor, code: i32p, z: f64p, fresh: f64p, size: i64, out: f64p, n: i64, x: f64p, t: f64,
    n_q: i64, n_u: i64, n_rest: i64, rest: f64p, full: f64p,
    gap_code: i32p, gap_z: f64p, gaps: f64p, count: i64, starts: i64p, roles: i64p, deep: i64p, notes: i64p,
    near: i64, programs: i32p, pass_z: f64p, pass_out: f64p, pass_code: i64p, w: f64p, given: f64p, found: f64p,
    turn_code: i32p, turn_z: f64p, turns: f64p, bodies: i64, after: f64p,
) -> i64:  # fmt: skip
    """From the end of a lap to where the next may begin; 0 where that is not as it was.

    ``after`` becomes (q, u, work), then the longest step that gaps can follow; ``notes`` the outcome.
    """
    inputs = 1 + n_q + n_u + n_rest
    if expanded(held, expand, code, z, fresh, size, out, n, x, t, n_q, n_u, n_rest, rest, full) == 0:
        return 0
    evaluated(gap_code, gap_z, gaps, inputs, full)
    if judged(count, starts, gaps, roles, deep, offset(notes, HEAD)) == 0:
        return 0
    notes[0], notes[1], found[GAINED], found[IMPACTS] = PARTED, 0, 0.0, 0.0
    if near >= 0:
        if pass_one(programs, pass_z, pass_out, pass_code, w, inputs, full, given, found) == 0:
            return 0
        notes[0] = int(found[STATE])
        notes[1] = 1 if found[WAY] > 0.0 else (-1 if found[WAY] < 0.0 else 0)
        if notes[0] == OPEN:
            notes[HEAD + near] = depth(gaps[starts[near]])
        elif notes[0] != PARTED:
            notes[HEAD + near] = 0
    for i in range(n_q + n_u):
        after[i] = full[1 + i]
    after[n_q + n_u] = x[n - 1] + found[GAINED]
    evaluated(turn_code, turn_z, turns, inputs, full)
    fastest = 0.0
    for i in range(bodies):
        fastest = maximum(fastest, turns[i])
    fastest = sqrt(fastest)
    after[n_q + n_u + 1] = divide(FAR, fastest) if fastest > 0.0 and fastest - fastest == 0.0 else FOREVER
    return 1


together(hand_over)


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


class Handover:
    """What follows where a lap is ended by certain guards, for each outcome that was met; one thread at a time."""

    def __init__(self, change: Change, touches: Sequence[Touch], behind: Collection[Touch], parts: Parts) -> None:
        self.hits, self.names, self.near = change.hits, change.names, change.alone.near
        self.afters: dict[bytes, After] = {}
        hit = taken(change.zones, change.hits, {})
        assert hit is not None, "what was swift is known"
        desk, (n_q, n_u), pass_near = change.again.desk, parts.sizes, parts.passing
        self.full, self.after = np.zeros(len(parts.gaps.x)), np.zeros(n_q + n_u + 2)
        self._notes, self._mode = np.zeros(HEAD + len(touches), dtype=np.int64), None
        starts = np.array(parts.gaps.starts, dtype=np.int64)
        roles = np.array([_role(touch, hit, change, behind) for touch in touches], dtype=np.int64)
        deep = np.array([change.grazing.get(touch, 0) for touch in touches], dtype=np.int64)
        expand: tuple[Any, ...] = (0,) * 7
        if isinstance(change.stage, Held):
            self._mode, self._fresh = change.stage.mode, change.stage.mode.fresh().copy()
            z, out, code = np.empty(len(self._fresh)), np.zeros(desk.n + 3 + 2 * n_u), self._mode.code
            arrays = [address(code), address(z), address(self._fresh)]
            expand = (1, argument(self._mode.expander), *arrays, len(z), address(out))
            self._room = z, out, code
        self.found, self.rows = np.zeros(RESULTS), 0
        inner: tuple[Any, ...] = (*(0,) * 6, address(self.found))
        if pass_near is not None and self.near is not None:
            self.found, self.rows = pass_near.found, pass_near.rows
            code_at, w, _, _, given, found = pass_near.arguments[3:]
            inner = *pass_near.bundle.addresses, code_at, w, given, found
            opened = OTHERS if change.closed and self.near not in change.closed else AS_IS
            self._laws = *self.near.laws(self.full, hit.zones), LAWS[self.near.contact.impact]
            self._how = self.near is hit.resting, 0.0, LETS_GO if self.near is hit.lets_go else opened
        self._bundles = [parts.gaps, parts.turning, *([] if pass_near is None else [pass_near.bundle])]
        self._given = None if pass_near is None else pass_near.given
        self._alive = change.again, starts, roles, deep, pass_near
        self._arguments = [
            *expand, desk.n, address(desk.x), 0.0, n_q, n_u, len(self.full) - 1 - n_q - n_u, 0, address(self.full),
            *parts.gaps.addresses, len(touches), *map(address, (starts, roles, deep, self._notes)),
            -1 if self.near is None else touches.index(self.near), *inner, *parts.turning.addresses,
            parts.turning.starts[-1], address(self.after),
        ]  # fmt: skip
        self._arrivals, self._call = -1, native(hand_over).brief

    def __call__(self, t: float, rest: Array, speed: float, pace: float, brief: float) -> After | None:
        """What follows at the end of a lap at t; none where that is not as it was remembered.

        ``full``, ``after`` and ``found`` have the numbers, until the next call.
        """
        if self._arrivals != Function.arrivals:
            self._ready()
        if self._given is not None:
            self._given[:] = *self._laws, speed, pace, brief, *self._how
        arguments = self._arguments
        arguments[AT], arguments[REST] = t, address(rest)
        return self.afters.get(self._notes.tobytes()) if self._call(*arguments) else None

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

    def came(self) -> tuple[float, float, dict[str, Array]]:
        """The fastest approach and motion so far, and the forces of what was near, by name."""
        assert self.near is not None
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
    """What a handover evaluates: gaps, ω · ω, and what takes the contact that is near through; sizes of q and u."""

    gaps: Bundle
    turning: Bundle
    passing: Passing | None
    sizes: tuple[int, int]


AT, REST = 9, 13  # where `hand_over` takes the time, and what is held


def can_repeat(hits: Sequence[Guard], touches: Sequence[Touch], zones: Mapping[Zones, int], near: Touch | None) -> bool:
    """Whether a change by these guards may be made again: nothing is held by the coordinates, laws are numbers."""
    plain = all([guard.kind != "slip" for guard in hits]) and not any([touch.held for touch in touches])
    return plain and (near is None or near.has_steady_laws(zones))


def _role(touch: Touch, hit: Hit, change: Change, behind: Collection[Touch]) -> int:
    bits = {NEAR: touch is change.alone.near, CLOSED: touch in change.closed, HITS: touch in hit.touching,
            GRAZES: touch in change.grazing, CLEARED: touch in hit.clear, LEAVES: touch in hit.leaving,
            BEHIND: touch in behind}  # fmt: skip
    return sum(bit for bit, has in bits.items() if has)
