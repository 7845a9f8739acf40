"""Again: one problem with guards, run again and again from other states, while everything stays in place.

What `problem` and a method set up for one run is set up once, in words that machine code reads; a run then begins in
one call, and machine code may go on from one problem to the next by itself. The steps are those of `DormandPrince` and
`RK4`, to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.integrate.adaptive import BEFORE, COMPONENT, RECORDED, REJECTED, STEPS, H, T, first_step
from latchwork.integrate.dense_output import Array, Event, Solution, Stats
from latchwork.integrate.guard_location import FLOOR, memory_size
from latchwork.integrate.lap_memory import DeskMemory, LapMemory
from latchwork.integrate.methods import CALM, RK4, SLIVER, DormandPrince
from latchwork.integrate.problem import Problem, Settle, StateScales, Watch, steps_per_call
from latchwork.integrate.settled import settled_adaptive, settled_fixed
from latchwork.integrate.status import EVENT, REWRITE, STATUS
from latchwork.integrate.steppers import derivative, not_finite, record
from latchwork.integrate.tableau import DORMAND_PRINCE_5, RUNGE_KUTTA_4
from latchwork.integrate.watched import watched_adaptive, watched_fixed
from latchwork.program.function import Executable, Function
from latchwork.program.kernel import (
    Kernel,
    bits,
    divide,
    executor,
    f64,
    f64p,
    f64p_at,
    floor,
    i32p,
    i64,
    i64p,
    i64p_at,
    kernel,
    offset,
    routine_at,
)
from latchwork.program.native import address, entry, invoke, native, together, words
from latchwork.program.records.memory import block_of
from latchwork.program.records.memory import lay_out as laid_out
from latchwork.program.records.view import record_at
from latchwork.program.scalar import maximum, minimum

NOT_BELOW, STRICT, PATIENT = -1, 0, 1  # guards that must not be below zero; armed where they are not; armed anywhere
LOOK, KINDS, AT = 4, 10, 12  # where `begin` takes the guards, their kinds and heights, the time,
STAND, REST, FULL_STATE, RECORD, JUDGE, WORST = 17, 24, 26, 30, 33, 37  # slots, what is held, the state, rows, a judge
UNTIL, LONGEST, CAPACITY = 6, 9, 16  # where adaptive steppers take the end, the longest step, and how many rows
BEGIN, END_AT, NEXT, STOP, TOTAL = 6, 8, 9, 10, 11  # where fixed ones take the start, the end, and which steps to make
SETTLED = 6  # of a stepper: behind the guards stands what settles
OFTEN = 2000  # steps after which they are counted
KEPT = 200  # numbers of guards
FEWEST_ROWS, MOST_ROWS, NUMBERS = 200, 2000, 40_000  # rows of a desk, and how many numbers they may take


@kernel
def stand(
    size: i64, copies: i64, fresh: f64p, slots: f64p, uses: i64, places: i64p, held: i64, rest: f64p, n: i64,
    kept: i64p, full: f64p, x: f64p,
) -> None:  # fmt: skip
    """Slots as they are fresh, so many times, with what is held in its places, and x from the full state."""
    for copy in range(copies):
        for i in range(size):
            slots[copy * size + i] = fresh[i]
    for j in range(uses):
        for i in range(held):
            slots[places[j] + i] = rest[i]
    for i in range(n):
        x[i] = full[kept[i]]


@kernel
def begin(
    run: executor, code: i32p, z: f64p, n: i64, look_run: executor, look_code: i32p, look_z: f64p, m: i64, w: f64p,
    flags: i64p, kinds: i64p, heights: f64p, t: f64, rtol: f64, atol: f64p, x: f64p, k: f64p,
    size: i64, copies: i64, fresh: f64p, slots: f64p, uses: i64, places: i64p, held: i64, rest: f64p, kept: i64p,
    full: f64p, first: f64, memory: f64p, counts: i64p, out_t: f64p, out_x: f64p, out_dx: f64p,
    judge: executor, judge_code: i32p, judge_z: f64p, looked: f64p, least: f64, absolute: f64p, unit: f64,
) -> i64:  # fmt: skip
    """Guards armed, ẋ, and a first step, at (t, x); 0 where a guard falls at once or something is no number.

    ``looked`` become guards, then their rates; ``first`` is the first step, 0 to choose one. Where ``least`` is above 0
    and the state is judged no better, −1. ``heights`` are followed by what is little of each guard; ``absolute`` are
    tolerances of all states, and ``unit`` is that of time.
    """
    stand(size, copies, fresh, slots, uses, places, held, rest, n, kept, full, x)
    if least > 0.0:
        judge_z[0] = t
        for i in range(n):
            judge_z[1 + i] = x[i]
        judge(judge_code, judge_z, w)
        if not w[0] > least:
            return -1
        stand(size, copies, fresh, slots, uses, places, held, rest, n, kept, full, x)
    for i in range(6 * n + 10 * m):
        w[i] = 0.0
    now = offset(w, 6 * n)
    derivative(look_run, look_code, look_z, n, t, x, now)
    for i in range(m):
        g, armed, height = now[i], 1 if now[i] >= 0.0 or kinds[i] == PATIENT else 0, heights[i]
        if height > 0.0:
            armed = 1 if g > height else 0
        elif height < 0.0:
            armed = 0 if g > -height else 1
        w[6 * n + 10 * m + i], w[6 * n + 13 * m + i] = height, heights[m + i]
        looked[i], looked[m + i] = g, now[m + i]
        if g != g or (g < 0.0 and kinds[i] == NOT_BELOW) or (armed == 1 and g <= 0.0 and now[m + i] < 0.0):
            return 0
        flags[i], flags[m + i] = armed, 0
    for i in range(n):
        atol[i] = absolute[kept[i]]
    derivative(run, code, z, n, t, x, k)
    if not_finite(n, k) >= 0:
        return 0
    memory[T], memory[H], memory[BEFORE] = t, first, CALM
    if first == 0.0:
        memory[H] = first_step(run, code, z, n, t, rtol, atol, x, k, unit)
    counts[RECORDED], counts[STEPS], counts[REJECTED], counts[COMPONENT] = 0, 0, 0, -1
    record(0, n, t, x, k, out_t, out_x, out_dx)
    return 1


@kernel
def steps_in(span: f64, step: f64) -> i64:
    """`RK4.count`, of not too many."""
    steps = divide(span, step)
    whole = -floor(SLIVER - steps)
    return int(maximum(whole, 1.0 if steps > 0.0 else 0.0))


@kernel
def run_lap(lap: LapMemory, until: f64, longest: f64, most: i64) -> i64:
    """Steps of a problem that has begun, on the same page: its stepper's status. Fixed steps are never too long."""
    desk, run, last = lap.desk, lap.run, lap.last
    most = most if most < desk.room - 1 - last else desk.room - 1 - last
    if desk.fixed == 1:
        began, made = lap.began, lap.made
        total = steps_in(until - began, desk.step)
        stop = made + most if made + most < total else total
        run[BEGIN], run[END_AT], run[NEXT], run[STOP], run[TOTAL] = bits(began), bits(until), made, stop, total
        lap.made = stop
    else:
        run[UNTIL], run[LONGEST], run[CAPACITY] = bits(until), bits(minimum(desk.step, longest)), most
    rows, bytes_before = offset(run, desk.rows_at), desk.wide * (last + 1)
    rows[0], rows[1] = desk.t_at + 8 * (last + 1), desk.x_at + bytes_before
    rows[2], rows[3] = desk.dx_at + bytes_before, desk.bend_at + bytes_before
    stepper = routine_at(lap.runs)
    status = stepper(run)
    lap.last = last + desk.counts[RECORDED]
    return status


@kernel
def begin_lap(lap: LapMemory, t: f64, full: i64, rest: i64, least: f64) -> i64:
    """`begin` at a full state and what is held, by address; its first row is the first that is free."""
    desk, start = lap.desk, lap.start
    first = desk.free
    lap.first, lap.last, lap.made, lap.began = first, first, 0, t
    start[AT], start[REST], start[FULL_STATE], start[WORST] = bits(t), rest, full, bits(least)
    start[RECORD] = desk.t_at + 8 * first
    start[RECORD + 1], start[RECORD + 2] = desk.x_at + desk.wide * first, desk.dx_at + desk.wide * first
    starts = routine_at(lap.begins)
    return starts(start)


@kernel
def lay_out(
    here: i64, plain: i64p, head: i64, run: i64, start: i64, look: i64, n: i64, flags: i64, m: i64, uses: i64,
    copies: i64, size: i64, second: i64, third: i64, held: i64, first: i64, kept: i64p, fresh: f64p,
    run_by: i64, code: i64, look_by: i64, look_code: i64, settle_by: i64, settle_code: i64, judge_by: i64,
    stepper: i64, arrivals: i64, most: i64,
) -> None:  # fmt: skip
    """The words of a problem: those of its desk, with its own in place.

    Behind them stand kinds, heights and what is little of m guards, where what is held goes in slots, ``kept``, fresh
    slots, and slots of what steps, watches and settles; the latter two begin at ``second`` and ``third``.
    """
    word, kinds = i64p_at(here), head
    heights, places = kinds + m, kinds + 3 * m
    keeps = places + uses
    news = keeps + n
    slots = here + 8 * (news + size)
    for i in range(head):
        word[i] = plain[i]
    ran, begun, looked = offset(word, run), offset(word, start), offset(word, look)
    ran[0], ran[1], ran[2] = run_by, code, slots
    begun[0], begun[1], begun[2] = run_by, code, slots
    looked[0], looked[1], looked[2], looked[3] = look_by, look_code, slots + 8 * second, m
    begun[LOOK], begun[LOOK + 1], begun[LOOK + 2], begun[LOOK + 3] = look_by, look_code, slots + 8 * second, m
    begun[KINDS], begun[KINDS + 1] = here + 8 * kinds, here + 8 * heights
    begun[STAND], begun[STAND + 1], begun[STAND + 2], begun[STAND + 3] = size, copies, here + 8 * news, slots
    begun[STAND + 4], begun[STAND + 5], begun[STAND + 6] = uses, here + 8 * places, held
    begun[REST + 1] = here + 8 * keeps
    word[places], word[places + 1] = 1 + n, second + 1 + n
    if uses == 3:
        looked[SETTLED], looked[SETTLED + 1], looked[SETTLED + 2] = settle_by, settle_code, slots + 8 * third
        begun[JUDGE], begun[JUDGE + 1], begun[JUDGE + 2] = judge_by, settle_code, slots + 8 * third
        word[places + 2] = third + first
    lap = record_at(LapMemory, word, 0)
    lap.runs, lap.run, lap.start = stepper, ran, begun
    lap.guards, lap.hit, lap.arrived, lap.most = m, i64p_at(flags + 8 * m), arrivals, most
    for i in range(n):
        word[keeps + i] = kept[i]
    numbers = f64p_at(here + 8 * news)
    for i in range(size):
        numbers[i] = fresh[i]


together(begin, begin_lap, lay_out)

STEPPERS: dict[tuple[Any, bool], Kernel[..., int]] = {
    (DormandPrince, False): watched_adaptive, (DormandPrince, True): settled_adaptive,
    (RK4, False): watched_fixed, (RK4, True): settled_fixed,
}  # fmt: skip
BAD = 2  # where fixed steppers count which state is no number


def few_rows() -> int:
    """Rows that are needed to begin."""
    return FEWEST_ROWS // 4


@lru_cache(KEPT)
def _packing(guards: int) -> Struct:
    """Kinds, then heights and what is little of each."""
    return Struct(f"={guards}q{2 * guards}d")


def _step(method: DormandPrince | RK4) -> float:
    """The longest step, or the fixed one."""
    return method.step if isinstance(method, RK4) else method.max_step


class Desk:
    """Memory for problems of n states and so many guards at most, of which one is run at a time, by one method.

    ``scales`` are those of full states, of which the n are some.
    """

    def __init__(self, method: DormandPrince | RK4, n: int, guards: int, scales: StateScales) -> None:
        fixed = isinstance(method, RK4)
        self.tableau = RUNGE_KUTTA_4 if fixed else DORMAND_PRINCE_5
        self.method, self.n, self.guards, self.is_fixed = method, n, guards, fixed
        self.x, self.k = np.zeros(n), np.zeros((self.tableau.stages, n))
        self.counts, self.step = np.zeros(4, dtype=np.int64), np.zeros(3)
        w, self.flags = np.zeros(memory_size(n, guards)), np.zeros(2 * guards, dtype=np.int64)
        self.looked = np.zeros(2 * guards)  # guards, then their rates, where a run began
        nothing, watch, rows = (0, 0, 0), (0, 0, 0, guards, w, self.flags), (0, 0, 0, 0)
        front = (*nothing, n, self.tableau.stages, self.tableau.packed)
        units = np.array(scales.states, dtype=float)
        rtol, atol, first, absolute = 0.0, np.zeros(n), 1.0, np.zeros(len(units))
        if isinstance(method, RK4):
            steps: tuple[Any, ...] = (0.0, method.step, 0.0, 0, 0, 0, 1, self.x, self.k, self.counts)
        else:
            rtol, first, absolute[:] = method.rtol, method.first_step or 0.0, method.absolute(units)
            steps = (0.0, rtol, atol, 0.0, method.max_steps, self.step, self.counts, self.x, self.k, np.zeros(n), 0)
        rows_at = len(front) + len(steps)  # where steppers take the rows, and then the guards
        run = (*front, *steps, *rows, *watch, *nothing, np.zeros(n + 2))
        start = (*nothing, n, *watch, 0, 0, 0.0, rtol, atol, self.x, self.k, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, first,
                 self.step, self.counts, *rows[:3], *nothing, self.looked, 0.0, absolute, scales.time)  # fmt: skip
        self._alive = run, start  # what the addresses in it point to
        room = max(FEWEST_ROWS, min(MOST_ROWS, NUMBERS // max(n, 1)))
        self.memory = laid_out(DeskMemory, room=room, wide=8 * n, counts=self.counts, states=n, state=self.x,
                              rows_at=rows_at, fixed=int(fixed), step=float(_step(method)))  # fmt: skip
        lap = block_of(laid_out(LapMemory, begins=native(begin).packed, desk=self.memory)).view(np.int64)
        self.words = np.concatenate([lap, words([*run, *start])])  # of a problem, but for what is its own
        self.layout = (address(self.words), len(self.words), len(lap), len(lap) + len(run),
                       len(lap) + rows_at + len(rows), n, address(self.flags))  # fmt: skip
        chosen = fixed or getattr(method, "first_step", None) is not None
        self.evaluations = 1 if chosen else 2, self.tableau.stages - 1  # where it begins, and of a step
        self.steppers = [native(STEPPERS[type(method), settled]).packed for settled in (False, True)]
        self.turn()

    @property
    def room(self) -> int:
        """Rows of a page."""
        return self.memory.room

    def is_full(self, rows: int) -> bool:
        """Whether fewer rows are left on this page."""
        return self.memory.room - self.memory.free < rows

    def turn(self) -> None:
        """Take new pages for rows of t, x, ẋ and bend; solutions are views of the old ones."""
        room = self.room
        shape = room, self.n
        self.rows = np.empty(room), np.empty(shape), np.empty(shape), np.zeros(shape)  # fixed steps have no bend
        desk, desk.free = self.memory, 0
        desk.t_at, desk.x_at, desk.dx_at, desk.bend_at = map(address, self.rows)


class Again:
    """A problem with guards, run again and again, one run at a time; ``kept`` says where its states stand in full ones.

    ``kinds`` and ``heights`` say of each guard where it is armed, ``units`` are of their values. ``lap`` has all that
    for `run_lap`.
    """

    def __init__(self, desk: Desk, function: Executable, guards: Executable, settle: Settle | None, held: int,
                 kept: NDArray[np.int64], kinds: Sequence[int], heights: Sequence[float],
                 units: Sequence[float]) -> None:  # fmt: skip
        self.desk, self.function, self.guards, self.settle = desk, function, guards, settle
        n, m, uses = desk.n, len(kinds), 2 if settle is None else 3
        self.m, self.now, self._held = m, desk.looked[: 2 * m], held
        parts = self._parts_of()
        copies, fresh = uses // len(parts), parts[0] if len(parts) == 1 else np.concatenate(parts)
        self._size, second = len(fresh), len(parts[0])
        third = second + (len(parts[1]) if copies == 1 else second)
        self._watch_at = second, third
        self._own = own = len(desk.words) + 3 * m + uses  # where words are followed by ``kept``, then fresh slots
        self.table = table = np.empty(own + n + self._size * (1 + copies), dtype=np.int64)  # one memory for all
        self.at, steps, looks = address(table), function.code, guards.code
        self.lap = record_at(LapMemory, table, 0)
        self._run_by = run_by, look_by = entry(function.executor), entry(guards.executor)
        code = settle_code = address(steps)
        settle_by = judge_by = first = 0
        if settle is not None:
            settle_by, judge_by = entry(settle.run), 0 if settle.judge is None else entry(settle.judge)
            settle_code, first = code if settle.mode is function else address(settle.mode.code), settle.first
        native(lay_out).brief(
            self.at, *desk.layout, m, uses, copies, self._size, second, third, held, first, address(kept),
            address(fresh), run_by, code, look_by, code if looks is steps else address(looks), settle_by, settle_code,
            judge_by, desk.steppers[settle is not None], Function.arrivals,
            steps_per_call(function.length, n, desk.tableau),
        )  # fmt: skip
        _packing(m).pack_into(table.data, 8 * len(desk.words), *kinds, *heights, *[FLOOR * unit for unit in units])
        self._begin = native(begin_lap).brief
        self.handovers: dict[bytes, Any] = {}  # what follows where certain guards end it, by ``hit`` as bytes
        self.following: list[Any] = []  # the same, as they stand in words
        self._parts: list[tuple[Array, ...]] = []  # rows on pages before this
        self._owed = 0  # steps that are not counted yet

    @property
    def hit(self) -> NDArray[np.int64]:
        """Which guards took part in the event."""
        return self.desk.flags[self.m : 2 * self.m]

    @property
    def kept(self) -> NDArray[np.int64]:
        """Where states stand in full ones."""
        return self.table[self._own : self._own + self.desk.n]

    @property
    def _fresh(self) -> Array:
        """Slots as they are fresh, each once."""
        first = self._own + self.desk.n
        return self.table.view(float)[first : first + self._size]

    @property
    def _slots(self) -> Array:
        """Slots of what steps, watches and settles."""
        return self.table.view(float)[self._own + self.desk.n + self._size :]

    @property
    def is_current(self) -> bool:
        """Whether the programs are executed as they were when this was made: machine code may arrive."""
        arrivals = Function.arrivals
        if self.lap.arrived != arrivals:
            fresh = np.concatenate(self._parts_of())
            run_by = entry(self.function.executor), entry(self.guards.executor)
            if run_by != self._run_by or fresh.tobytes() != self._fresh.tobytes():
                return False
            self.lap.arrived = arrivals
        return True

    def _parts_of(self) -> list[Array]:
        """Slots of what steps, watches and settles, as they are fresh; once where they are the same."""
        first, second = self.function.fresh(), self.guards.fresh()
        if self.settle is None:
            return [first, second]
        third = first if self.settle.mode is self.function else self.settle.mode.fresh()
        return [first] if first is second is third else [first, second, third]

    def follow(self, key: bytes, handover: Any) -> None:
        """Remember what follows where certain guards end it; it is at ``handover.at``."""
        self.handovers[key] = handover
        self.following = list(self.handovers.values())
        self._tables = np.array([each.at for each in self.following], dtype=np.int64)
        self.lap.follows, self.lap.following = len(self._tables), self._tables

    @property
    def is_brief(self) -> bool:
        """Whether a call takes microseconds, as in ticks: Python's lock is kept then, see `native.briefly`."""
        return self.desk.is_fixed

    @property
    def reached(self) -> float:
        """How far it ran."""
        return float(self.desk.rows[0][self.lap.last])

    def begin(self, t: float, x: Array, rest: Array) -> bool:
        """Stand at (t, x), of a full state x; whether a run can begin there as always."""
        return self.begin_at(t, address(x), address(rest)) == 1

    def begin_at(self, t: float, x: int, rest: int, least: float = 0.0) -> int:
        """The same by addresses: 1 where it can, 0 where it cannot, −1 where the state is judged no better."""
        if self.desk.is_full(few_rows()):
            self.desk.turn()
        self._parts = []
        return int(self._begin(self.at, t, x, rest, least))

    def make_room(self) -> None:
        """Go on on a new page where few rows are left on this one: what follows may begin on it."""
        desk, last = self.desk, self.lap.last
        if desk.room - 1 - last < 2 * few_rows():
            self._parts.append(self._written(self.lap.first, last))
            values = [row[last].copy() for row in desk.rows]
            desk.turn()
            for row, value in zip(desk.rows, values, strict=True):
                row[0] = value
            self.lap.first, self.lap.last = 1, 0

    def _written(self, first: int, last: int) -> tuple[Array, ...]:
        """Rows on this page; the first of a run has no bend."""
        t, x, dx, bend = self.desk.rows
        end = last + 1
        return t[first:end], x[first:end], dx[first:end], bend[first if self._parts else first + 1 : end]

    def solution(self, status: int, hits: tuple[int, ...] | None = None) -> Solution:
        """What the run gave, and the event that ended it, if it was one; ``hits`` where they are known."""
        event, desk = None, self.desk
        first, last = self.lap.first, self.lap.last
        desk.memory.free = last + 1
        if status in (EVENT, REWRITE):
            hits = () if status == REWRITE else self.hits() if hits is None else hits
            event = Event(float(desk.rows[0][last]), hits, desk.x.copy())
        _, steps, rejected, _ = desk.counts.tolist()
        return self.ran(first, last, steps, rejected, event)

    def ran(self, first: int, last: int, steps: int, rejected: int, event: Event | None) -> Solution:
        """What is in some rows of this page, and of those before it."""
        columns, desk = self._written(first, last), self.desk
        rejected = 0 if self.is_brief else rejected  # fixed steps count something else there
        if self._parts:
            columns = tuple(np.concatenate(column) for column in zip(*self._parts, columns, strict=True))
            self._parts = []
        start, later = desk.evaluations
        evaluations = start + (steps + rejected) * later + (event is not None)
        self._owed += steps
        if self._owed > OFTEN:
            self.function.used(self._owed * later)
            self.guards.used(self._owed)
            self._owed = 0
        t, x, dx, bend = columns
        return Solution(t, x, dx, bend, Stats(steps, rejected, evaluations), event)

    def hits(self) -> tuple[int, ...]:
        """The guards that took part in the event."""
        return tuple([i for i, took_part in enumerate(self.hit.tolist()) if took_part])

    def fail(self, status: int, until: float) -> None:
        """Say why a run stopped that could not go on."""
        slots = self._slots[slice(*self._watch_at)]
        watch = Watch(self.guards, slots, self.now, self.desk.flags[: 2 * self.m])
        first, began = 1 + self.desk.n, self.lap.began
        rest = self._slots[first : first + self._held]
        given = Problem(self.function, self.desk.x, began, until, rest, invoke, lambda t: None, watch)
        t, component = float(self.desk.step[T]), int(self.desk.counts[COMPONENT])
        if self.desk.is_fixed:
            t, component = self.reached, int(self.desk.counts[BAD])
        given.stopped(STATUS[status], t, component, self.solution(status))
