"""Relay: machine code that runs from lap to lap by itself, wherever the change between them was made before.

Laps (`integrate.again`) and changes (`handover`) are read in words. What happened on the way is noted, and accounted
for afterwards.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from latchwork.hybrid.contacts.handover_kernel import SCALES, hand_over
from latchwork.hybrid.contacts.single_contact_reset import RESULTS, PassFound
from latchwork.hybrid.handover import AT, REST, After, Handover, HandoverMemory
from latchwork.hybrid.laps import Lap
from latchwork.hybrid.table import Array
from latchwork.integrate.again import LapMemory, few_rows
from latchwork.integrate.dense_output import Event, Solution
from latchwork.integrate.status import EVENT, FULL, REWRITE
from latchwork.integrate.stepper import begin, steps
from latchwork.program.function import Function
from latchwork.program.kernel import (
    bits,
    counter,
    divide,
    f64,
    f64p,
    f64p_at,
    i64,
    i64p,
    i64p_at,
    kernel,
    offset,
    routine_at,
)
from latchwork.program.native import address, argument, native, together
from latchwork.program.records.memory import lay_out, values
from latchwork.program.records.record import array, record
from latchwork.program.records.view import record_at

MOST = 64  # changes in one call
NOT_YET = -2  # the next lap is to be made ready


@record
class NoteMemory:
    """A change that was made: which, and what followed; the lap that ended; what was found."""

    change: i64
    followed: i64
    first: i64  # rows of the lap
    last: i64
    made: i64  # its steps
    refused: i64
    ended: i64  # when, by the counter
    ready: i64  # and when the next one was
    t: f64
    speed: f64  # scales after it
    pace: f64
    found: f64p = array(RESULTS)


@record
class Marks:
    """What happened on the way."""

    count: i64  # changes
    begun: i64  # how the last lap began
    stale: i64  # a change to be made ready
    reached: f64  # how far it ran
    began: i64  # when it began and was done, by the counter
    done: i64
    notes: list[NoteMemory] = array(MOST)


@kernel
def same(n: i64, a: i64p, b: i64p) -> i64:
    """Whether n words are the same."""
    for i in range(n):
        if a[i] != b[i]:
            return 0
    return 1


@kernel
def change_of(lap: LapMemory) -> i64:
    """Which change was made before where the guards took part that have ended a lap; −1 for none."""
    guards = lap.integration.guards
    for i in range(lap.follows):
        change = record_at(HandoverMemory, i64p_at(lap.following[i]), 0)
        if same(guards.m, guards.hit, change.key) == 1:
            return i
    return -1


@kernel
def follower_of(change: HandoverMemory) -> i64:
    """Which lap followed the outcome of a change; −1 for none."""
    followers = change.followers
    for i in range(followers.count):
        if same(change.noted, change.notes, followers.each[i].outcome) == 1:
            return i
    return -1


@kernel
def noted(change: HandoverMemory, n: i64, x: f64p, scales: f64p, note: NoteMemory, states: f64p) -> None:
    """What was found, and scales as they are after it; the state after it, then x before it."""
    found, after = change.found, f64p_at(change.state_at)
    if change.scaled == 1:
        passed = record_at(PassFound, found, 0)
        scales[0], scales[1] = passed.speed, passed.pace
    note.speed, note.pace = scales[0], scales[1]
    for i in range(RESULTS):
        note.found[i] = found[i]
    for i in range(change.states):
        states[i] = after[i]
    for i in range(n):
        states[change.states + i] = x[i]


@kernel
def relay(
    lap: LapMemory, ended: i64, until: f64, longest: f64, rest: i64, arrivals: i64, hand: i64, most: i64, few: i64,
    scales: f64p, marks: Marks, states: f64p, wide: i64,
) -> i64:  # fmt: skip
    """From lap to lap, until a time, an event after which nothing is known, or a full record: the stepper's status.

    The first lap was ended by an event already where ``ended`` is 1. At most ``most`` changes are made, and
    as many steps as one lap makes in a call, but at least one in each. ``few`` rows are needed to begin.
    """
    marks.count, marks.begun, marks.stale, marks.began = 0, 1, -1, counter()
    left, status = 1.0, EVENT
    while True:
        running = lap.integration
        control, page = running.control, running.page
        if ended == 0:
            before, count = running.last, int(left * float(lap.most))
            control.longest = longest
            status = steps(running, until, count if count > 0 else 1)
            left -= divide(float(running.last - before), float(lap.most))
        last, t, ended = running.last, page.t[running.last], 0
        marks.reached = t
        if status != EVENT or marks.count == most or t >= until:
            break
        note = marks.notes[marks.count]
        note.ended, note.change = counter(), change_of(lap)
        if note.change < 0:
            break
        change = record_at(HandoverMemory, i64p_at(lap.following[note.change]), 0)
        if change.arrived != arrivals:
            marks.stale = note.change
            break
        words = change.words
        note.t = t
        words[AT], words[REST] = bits(t), rest
        hands = routine_at(hand)
        if hands(words) == 0:
            break
        note.followed = follower_of(change)
        if note.followed < 0:
            break
        noted(change, running.n, running.x, scales, note, offset(states, wide * marks.count))
        note.first, note.last, note.made, note.refused = running.first, last, control.steps, control.rejected
        page.free = last + 1
        marks.count += 1
        after = change.followers.each[note.followed]
        lap = after.lap
        following = lap.integration
        marks.begun = NOT_YET
        if lap.arrived == arrivals and following.page.room - following.page.free >= few:
            begun = begin(following, note.t, f64p_at(change.state_at), f64p_at(rest), after.least)
            marks.begun = 1 if begun == FULL else (-1 if begun == REWRITE else 0)
        note.ready = counter()
        if marks.begun != 1:
            break
        state = f64p_at(change.state_at)
        longest = state[change.states - 1]
    marks.done = counter()
    return status


together(relay)


class Note(NamedTuple):
    """A change that was made on the way: what it was, what followed, and the lap that it ended; when, by the clock."""

    handover: Handover
    after: After
    t: float
    speed: float
    pace: float
    found: Array
    state: Array  # q, u, work, then the longest step
    solution: Solution
    ended: float
    ready: float


class Relay:
    """Runs laps of one simulation, whose full states are so many; one thread at a time."""

    def __init__(self, states: int) -> None:
        self._states = states
        self.scales = np.zeros(SCALES)  # the fastest approach and motion so far, and which hops are brief
        self._marks = lay_out(Marks)
        self._numbers = np.zeros((MOST, 2 * states + 1))  # of each change: the state after it, then x before it
        self._memory = *map(argument, (self.scales, self._marks, self._numbers)), self._numbers.shape[1]
        made = native(relay)
        self._call, self._briefly, self._hand = made.function, made.brief, native(hand_over).packed
        self._clock = 0.0, 0.0
        self._count = 0  # changes that were made
        self.begun = 1  # how the last lap began: as always, 0 where it cannot, −1 where speeds are no good, or NOT_YET
        self.stale = -1  # which change of the last lap is to be made ready, if any

    def __call__(self, lap: Lap, ended: bool, until: float, rest: Array, most: int = MOST) -> int:
        """Run a lap, and others after it; the status of the stepper."""
        began, call = time.perf_counter(), self._briefly if lap.again.is_brief else self._call
        status: int = call(lap.again.at, ended, until, lap.longest, address(rest), Function.arrivals, self._hand, most,
                           few_rows(), *self._memory)  # fmt: skip
        self._clock = began, time.perf_counter()
        marks = self._marks
        self._count, self.begun, self.stale = marks.count, marks.begun, marks.stale
        return status

    @property
    def reached(self) -> float:
        """How far it ran."""
        return self._marks.reached

    @property
    def is_full(self) -> bool:
        """Whether no more can be noted."""
        return self._count == MOST

    def notes(self, lap: Lap) -> list[Note]:
        """What happened on the way, from the lap on with which it began."""
        if not self._count:
            return []
        runs, before, made = lap.again, self._states + 1, list[Note]()  # where x before stands
        for note, numbers in zip(self._marks.notes, self._numbers[: self._count], strict=False):
            change, followed, first, last, steps, refused, ended, ready, t, speed, pace, *found = values(note)
            handover: Handover = runs.following[change]
            after, state = handover.order[followed], numbers[:before]
            event = Event(t, handover.places, numbers[before : before + runs.workspace.n].copy())
            solution = runs.ran(first, last, steps, refused, event)
            made.append(Note(handover, after, t, speed, pace, np.array(found), state, solution, self._when(ended),
                             self._when(ready)))  # fmt: skip
            runs = after.mode.again
        return made

    def _when(self, count: int) -> float:
        """When something was, by the clock."""
        (began, done), first, last = self._clock, self._marks.began, self._marks.done
        part = (count - first) / (last - first) if last > first else 1.0
        return began + (done - began) * min(max(part, 0.0), 1.0)
