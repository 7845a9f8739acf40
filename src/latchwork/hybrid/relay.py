"""Relay: machine code that runs from lap to lap by itself, wherever the change between them was made before.

Laps (`integrate.again`) and changes (`handover`) are read in words. What happened on the way is noted, and accounted
for afterwards.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from latchwork.hybrid.handover import (
    ARRIVED,
    AT,
    FOLLOWING,
    FOLLOWS,
    FOUND,
    KEY,
    LAP,
    LEAST,
    NOTED,
    NOTES,
    OUTCOME,
    REST,
    SCALED,
    STATE_AFTER,
    STATES_AFTER,
    WIDTH,
    WORDS,
    After,
    Handover,
)
from latchwork.hybrid.laps import Lap
from latchwork.hybrid.table import Array
from latchwork.hybrid.touching.handing import SCALES, hand_over
from latchwork.hybrid.touching.passing import PACE_AFTER, RESULTS, SPEED_AFTER
from latchwork.integrate.adaptive import REJECTED, STEPS
from latchwork.integrate.again import ARRIVED as LAP_ARRIVED
from latchwork.integrate.again import (
    COUNTS,
    DESK,
    FREE,
    GUARDS,
    HIT,
    ROOM,
    STATE,
    STATES,
    T_AT,
    begin_lap,
    few_rows,
    run_lap,
)
from latchwork.integrate.again import FIRST as FIRST_ROW
from latchwork.integrate.again import FOLLOWING as CHANGES
from latchwork.integrate.again import FOLLOWS as CHANGES_KNOWN
from latchwork.integrate.again import LAST as LAST_ROW
from latchwork.integrate.again import MOST as MOST_STEPS
from latchwork.integrate.solution import Event, Solution
from latchwork.integrate.status import EVENT
from latchwork.program.function import Function
from latchwork.program.kernel import (
    bits,
    counter,
    divide,
    f64,
    f64p,
    f64p_at,
    from_bits,
    i64,
    i64p,
    i64p_at,
    kernel,
    offset,
    routine_at,
)
from latchwork.program.native import address, native, together

MOST = 64  # changes in one call
# a note: which change, and what followed; rows of the lap that ended, its steps, those rejected; when it ended and when
# the next one was ready, by the counter
CHANGE, FOLLOWED, FIRST, LAST, MADE, REFUSED, ENDED, READY, NOTE = range(9)
TIME, SPEED, PACE, NUMBERS = range(4)  # its numbers: when, scales after it; what was found, the state after, x before
# marks: notes; how the last lap began; a change to be made ready; how far it ran; when it began and was done
COUNT, BEGUN, STALE, REACHED, BEGAN, DONE, MARKS = range(7)
NOT_YET = -2  # the next lap is to be made ready


@kernel
def same(n: i64, a: i64p, b: i64p) -> i64:
    """Whether n words are the same."""
    for i in range(n):
        if a[i] != b[i]:
            return 0
    return 1


@kernel
def change_of(guards: i64, hit: i64p, known: i64, changes: i64p) -> i64:
    """Which change was made before where these guards took part; −1 for none."""
    for i in range(known):
        change = i64p_at(changes[i])
        if same(guards, hit, i64p_at(change[KEY])) == 1:
            return i
    return -1


@kernel
def follower_of(change: i64p) -> i64:
    """Which lap followed the outcome of a change; −1 for none."""
    afters, outcome = i64p_at(change[FOLLOWING]), i64p_at(change[NOTES])
    for i in range(change[FOLLOWS]):
        if same(change[NOTED], outcome, i64p_at(afters[WIDTH * i + OUTCOME])) == 1:
            return i
    return -1


@kernel
def noted(change: i64p, n: i64, x: f64p, scales: f64p, numbers: f64p) -> None:
    """The numbers of a note; scales as they are after it."""
    found, after = f64p_at(change[FOUND]), f64p_at(change[STATE_AFTER])
    if change[SCALED] == 1:
        scales[0], scales[1] = found[SPEED_AFTER], found[PACE_AFTER]
    numbers[SPEED], numbers[PACE] = scales[0], scales[1]
    rest = offset(numbers, NUMBERS)
    for i in range(RESULTS):
        rest[i] = found[i]
    rest = offset(rest, RESULTS)
    for i in range(change[STATES_AFTER]):
        rest[i] = after[i]
    rest = offset(rest, change[STATES_AFTER])
    for i in range(n):
        rest[i] = x[i]


@kernel
def relay(
    at: i64, ended: i64, until: f64, longest: f64, rest: i64, arrivals: i64, hand: i64, most: i64, few: i64,
    scales: f64p, marks: i64p, notes: i64p, numbers: f64p, wide: i64,
) -> i64:  # fmt: skip
    """From lap to lap, until a time, an event after which nothing is known, or a full record: the stepper's status.

    ``at`` is the lap, which was ended by an event already where ``ended`` is 1. At most ``most`` changes are made, and
    as many steps as one lap makes in a call, but at least one in each. ``few`` rows are needed to begin.
    """
    marks[COUNT], marks[BEGUN], marks[STALE], marks[BEGAN] = 0, 1, -1, counter()
    left, status = 1.0, EVENT
    while True:
        lap = i64p_at(at)
        desk = i64p_at(lap[DESK])
        if ended == 0:
            before, steps = lap[LAST_ROW], int(left * float(lap[MOST_STEPS]))
            status = run_lap(lap, until, longest, steps if steps > 0 else 1)
            left -= divide(float(lap[LAST_ROW] - before), float(lap[MOST_STEPS]))
        times, last, ended = f64p_at(desk[T_AT]), lap[LAST_ROW], 0
        marks[REACHED] = bits(times[last])
        if status != EVENT or marks[COUNT] == most or times[last] >= until:
            break
        note, number = offset(notes, NOTE * marks[COUNT]), offset(numbers, wide * marks[COUNT])
        changes = i64p_at(lap[CHANGES])
        note[ENDED] = counter()
        note[CHANGE] = change_of(lap[GUARDS], i64p_at(lap[HIT]), lap[CHANGES_KNOWN], changes)
        if note[CHANGE] < 0:
            break
        change = i64p_at(changes[note[CHANGE]])
        if change[ARRIVED] != arrivals:
            marks[STALE] = note[CHANGE]
            break
        words = i64p_at(change[WORDS])
        number[TIME] = times[last]
        words[AT], words[REST] = bits(times[last]), rest
        hands = routine_at(hand)
        if hands(words) == 0:
            break
        note[FOLLOWED] = follower_of(change)
        if note[FOLLOWED] < 0:
            break
        noted(change, desk[STATES], f64p_at(desk[STATE]), scales, number)
        counts = i64p_at(desk[COUNTS])
        note[FIRST], note[LAST], note[MADE], note[REFUSED] = lap[FIRST_ROW], last, counts[STEPS], counts[REJECTED]
        desk[FREE] = last + 1
        marks[COUNT] += 1
        afters = i64p_at(change[FOLLOWING])
        after = offset(afters, WIDTH * note[FOLLOWED])
        at = after[LAP]
        lap = i64p_at(at)
        desk = i64p_at(lap[DESK])
        marks[BEGUN] = NOT_YET
        if lap[LAP_ARRIVED] == arrivals and desk[ROOM] - desk[FREE] >= few:
            marks[BEGUN] = begin_lap(lap, number[TIME], change[STATE_AFTER], rest, from_bits(after[LEAST]))
        note[READY] = counter()
        if marks[BEGUN] != 1:
            break
        state = f64p_at(change[STATE_AFTER])
        longest = state[change[STATES_AFTER] - 1]
    marks[DONE] = counter()
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
        self._marks, self._notes = np.zeros(MARKS, dtype=np.int64), np.zeros((MOST, NOTE), dtype=np.int64)
        self._numbers = np.zeros((MOST, NUMBERS + RESULTS + 2 * states + 1))
        self._memory = *map(address, (self.scales, self._marks, self._notes, self._numbers)), self._numbers.shape[1]
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
        self._count, self.begun, self.stale = self._marks[: STALE + 1].tolist()
        return status

    @property
    def reached(self) -> float:
        """How far it ran."""
        return float(self._marks.view(float)[REACHED])

    @property
    def is_full(self) -> bool:
        """Whether no more can be noted."""
        return self._count == MOST

    def notes(self, lap: Lap) -> list[Note]:
        """What happened on the way, from the lap on with which it began."""
        if not self._count:
            return []
        runs, before, made = lap.again, NUMBERS + RESULTS + self._states + 1, list[Note]()  # where x before stands
        for note, numbers in zip(self._notes[: self._count].tolist(), self._numbers, strict=False):
            handover: Handover = runs.following[note[CHANGE]]
            after, (t, speed, pace) = handover.order[note[FOLLOWED]], numbers[:NUMBERS].tolist()
            found, state = numbers[NUMBERS : NUMBERS + RESULTS], numbers[NUMBERS + RESULTS : before]
            event = Event(t, handover.places, numbers[before : before + runs.desk.n].copy())
            solution = runs.ran(note[FIRST], note[LAST], note[MADE], note[REFUSED], event)
            made.append(Note(handover, after, t, speed, pace, found, state, solution, self._when(note[ENDED]),
                             self._when(note[READY])))  # fmt: skip
            runs = after.mode.again
        return made

    def _when(self, count: int) -> float:
        """When something was, by the clock."""
        (began, done), first, last = self._clock, int(self._marks[BEGAN]), int(self._marks[DONE])
        part = (count - first) / (last - first) if last > first else 1.0
        return began + (done - began) * min(max(part, 0.0), 1.0)
