"""Again: one problem with guards, run again and again from other states, while everything stays in place.

What `problem` and a method set up for one run is set up once; a run then begins in one call. The steps are those of
`DormandPrince` and `RK4`, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.integrate.adaptive import BEFORE, COMPONENT, RECORDED, REJECTED, STEPS, H, T, first_step
from latchwork.integrate.guards import memory_size
from latchwork.integrate.method import CALM, RK4, DormandPrince
from latchwork.integrate.problem import Problem, Settle, Watch, steps_per_call
from latchwork.integrate.settled import settled_adaptive, settled_fixed
from latchwork.integrate.solution import Array, Event, Solution, Stats
from latchwork.integrate.status import EVENT, FULL, REWRITE, STATUS
from latchwork.integrate.steppers import derivative, not_finite, record
from latchwork.integrate.tableau import DORMAND_PRINCE_5, RUNGE_KUTTA_4
from latchwork.integrate.watched import watched_adaptive, watched_fixed
from latchwork.program.function import Executable, Function
from latchwork.program.kernel import Kernel, executor, f64, f64p, i32p, i64, i64p, kernel, offset
from latchwork.program.native import address, argument, invoke, native, together

NOT_BELOW, STRICT, PATIENT = -1, 0, 1  # guards that must not be below zero; armed where they are not; armed anywhere
LOOK, KINDS, AT = 4, 10, 12  # where `begin` takes the guards, their kinds and heights, the time,
STAND, REST, FULL_STATE, RECORD, JUDGE = 17, 23, 25, 29, 32  # slots, what is held, the state, rows, and who judges
UNTIL, LONGEST, CAPACITY = 6, 9, 16  # where adaptive steppers take the end, the longest step, and how many rows
BEGIN, END_AT, FIRST, STOP, LAST = 6, 8, 9, 10, 11  # where fixed ones take the start, the end, and which steps to make
SETTLED = 6  # of a stepper: behind the guards stands what settles
OFTEN = 2000  # steps after which they are counted
FEWEST_ROWS, MOST_ROWS, NUMBERS = 200, 2000, 40_000  # rows of a desk, and how many numbers they may take


@kernel
def stand(
    size: i64, fresh: f64p, slots: f64p, uses: i64, places: i64p, held: i64, rest: f64p, n: i64, kept: i64p, full: f64p,
    x: f64p,
) -> None:  # fmt: skip
    """Slots as they are fresh, with what is held in its places, and x from the full state."""
    for i in range(size):
        slots[i] = fresh[i]
    for j in range(uses):
        for i in range(held):
            slots[places[j] + i] = rest[i]
    for i in range(n):
        x[i] = full[kept[i]]


@kernel
def begin(
    run: executor, code: i32p, z: f64p, n: i64, look_run: executor, look_code: i32p, look_z: f64p, m: i64, w: f64p,
    flags: i64p, kinds: i64p, heights: f64p, t: f64, rtol: f64, atol: f64p, x: f64p, k: f64p,
    size: i64, fresh: f64p, slots: f64p, uses: i64, places: i64p, held: i64, rest: f64p, kept: i64p, full: f64p,
    first: f64, memory: f64p, counts: i64p, out_t: f64p, out_x: f64p, out_dx: f64p,
    judge: executor, judge_code: i32p, judge_z: f64p, least: f64,
) -> i64:  # fmt: skip
    """Guards armed, ẋ, and a first step, at (t, x); 0 where a guard falls at once or something is no number.

    ``first`` is the first step, 0 to choose one. Where ``least`` is above 0 and the state is judged no better, −1.
    """
    stand(size, fresh, slots, uses, places, held, rest, n, kept, full, x)
    if least > 0.0:
        judge_z[0] = t
        for i in range(n):
            judge_z[1 + i] = x[i]
        judge(judge_code, judge_z, w)
        if not w[0] > least:
            return -1
        stand(size, fresh, slots, uses, places, held, rest, n, kept, full, x)
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
        w[6 * n + 10 * m + i] = height
        if g != g or (g < 0.0 and kinds[i] == NOT_BELOW) or (armed == 1 and g <= 0.0 and now[m + i] < 0.0):
            return 0
        flags[i], flags[m + i] = armed, 0
    derivative(run, code, z, n, t, x, k)
    if not_finite(n, k) >= 0:
        return 0
    memory[T], memory[H], memory[BEFORE] = t, first, CALM
    if first == 0.0:
        memory[H] = first_step(run, code, z, n, t, rtol, atol, x, k)
    counts[RECORDED], counts[STEPS], counts[REJECTED], counts[COMPONENT] = 0, 0, 0, -1
    record(0, n, t, x, k, out_t, out_x, out_dx)
    return 1


together(begin)

STEPPERS: dict[tuple[Any, bool], Kernel[..., int]] = {
    (DormandPrince, False): watched_adaptive, (DormandPrince, True): settled_adaptive,
    (RK4, False): watched_fixed, (RK4, True): settled_fixed,
}  # fmt: skip
BAD = 2  # where fixed steppers count which state is no number


class Desk:
    """Memory for problems of n states and so many guards at most, of which one is run at a time, by one method."""

    def __init__(self, method: DormandPrince | RK4, n: int, guards: int) -> None:
        self.tableau = RUNGE_KUTTA_4 if isinstance(method, RK4) else DORMAND_PRINCE_5
        self.method, self.n, self.guards = method, n, guards
        self.x, self.k = np.zeros(n), np.zeros((self.tableau.stages, n))
        self.counts, self.step = np.zeros(4, dtype=np.int64), np.zeros(3)
        self.room, self.wide = max(FEWEST_ROWS, min(MOST_ROWS, NUMBERS // max(n, 1))), 8 * n  # rows, bytes of one
        self.turn()
        w, self.flags = np.zeros(memory_size(n, guards)), np.zeros(2 * guards, dtype=np.int64)
        self.looked = w[6 * n :]  # guards, then their rates, where a run began
        nothing, watch, rows = (0, 0, 0), (0, 0, 0, guards, w, self.flags), (0, 0, 0, 0)
        front = (*nothing, n, self.tableau.stages, self.tableau.packed)
        rtol, atol, first = 0.0, np.zeros(n), 1.0
        if isinstance(method, RK4):
            steps: tuple[Any, ...] = (0.0, method.step, 0.0, 0, 0, 0, 1, self.x, self.k, self.counts)
        else:
            rtol, atol, first = method.rtol, np.full(n, method.atol), method.first_step or 0.0
            steps = (0.0, rtol, atol, 0.0, method.max_steps, self.step, self.counts, self.x, self.k, np.zeros(n), 0)
        self.rows_at = len(front) + len(steps)  # where steppers take the rows, and then the guards
        data = (*front, *steps, *rows, *watch, *nothing, np.zeros(n + 2))
        start = (*nothing, n, *watch, 0, 0, 0.0, rtol, atol, self.x, self.k, 0, 0, 0, 0, 0, 0, 0, 0, 0, first,
                 self.step, self.counts, *rows[:3], *nothing, 0.0)  # fmt: skip
        self._alive = data, start  # what the addresses below point to
        self.data, self.start = [argument(item) for item in data], [argument(item) for item in start]

    def turn(self) -> None:
        """Take new pages for rows of t, x, ẋ and bend; solutions are views of the old ones."""
        shape = self.room, self.n
        self.rows = np.empty(self.room), np.empty(shape), np.empty(shape), np.zeros(shape)  # fixed steps have no bend
        self.t_at, self.x_at, self.dx_at, self.bend_at = map(address, self.rows)
        self.free = 0  # the first row that nobody keeps


class Again:
    """A problem with guards, run again and again, one run at a time; ``kept`` says where its states stand in full ones.

    ``kinds`` and ``heights`` say of each guard where it is armed.
    """

    def __init__(self, desk: Desk, function: Executable, guards: Executable, settle: Settle | None, held: int,
                 kept: NDArray[np.int64], kinds: Sequence[int], heights: Sequence[float]) -> None:  # fmt: skip
        self.desk, self.function, self.guards, self.settle = desk, function, guards, settle
        n, m = desk.n, len(kinds)
        self.t = self.reached = 0.0  # where it began, and how far it ran
        self.m, self.now, self.kept = m, desk.looked[: 2 * m], kept
        self.hit = desk.flags[m : 2 * m]  # which guards took part in the event
        self._functions = tuple({*function.functions, *guards.functions})
        self._arrivals, self._executors = Function.arrivals, [each.executor for each in self._functions]
        used = [(function, 1 + n), (guards, 1 + n)] + ([] if settle is None else [(settle.mode, settle.first)])
        parts = [executable.fresh() for executable, _ in used]
        fresh, ends = np.concatenate(parts), list(accumulate([len(part) for part in parts], initial=0))
        places = np.array([a + first for a, (_, first) in zip(ends, used, strict=False)], dtype=np.int64)
        self._slots = np.empty(len(fresh))
        self._alive = fresh, np.array(kinds, dtype=np.int64), np.array(heights, dtype=float), places, kept
        self._ends, self._held = ends, held
        slots = [address(self._slots) + 8 * at for at in ends]
        run = argument(function.executor), address(function.code), slots[0]
        look = argument(guards.executor), address(guards.code), slots[1], m
        self._data, self._start = desk.data.copy(), desk.start.copy()
        at = desk.rows_at + len(desk.rows)
        self._data[:3], self._data[at : at + 4] = run, look
        self._start[:3], self._start[LOOK : LOOK + 4] = run, look
        self._start[KINDS:AT] = map(address, self._alive[1:3])
        self._start[STAND:REST] = len(fresh), address(fresh), slots[0], len(used), address(places), held
        self._start[REST + 1] = address(kept)
        if settle is None:
            del self._data[at + SETTLED :]
        else:
            self._data[at + SETTLED : at + SETTLED + 3] = argument(settle.run), address(settle.mode.code), slots[2]
            if settle.judge is not None:
                self._start[JUDGE : JUDGE + 3] = argument(settle.judge), address(settle.mode.code), slots[2]
        self._run = native(STEPPERS[type(desk.method), settle is not None]).function
        self._begin, self._most = native(begin).brief, steps_per_call(function.length, n, desk.tableau)
        self.ends: dict[bytes, int] = {}  # how often guards ended it, by ``hit`` as bytes
        self.handovers: dict[bytes, Any] = {}  # what follows where certain guards end it, by ``hit`` as bytes
        self._parts: list[tuple[Array, ...]] = []  # rows on pages before this
        self._first = self._last = 0  # the rows on it
        self._owed = 0  # steps that are not counted yet

    @property
    def is_current(self) -> bool:
        """Whether the programs are executed as they were when this was made: machine code may arrive."""
        if self._arrivals != Function.arrivals:
            if [function.executor for function in self._functions] != self._executors:
                return False
            self._arrivals = Function.arrivals
        return True

    def begin(self, t: float, x: Array, rest: Array) -> bool:
        """Stand at (t, x), of a full state x; whether a run can begin there as always."""
        return self.begin_at(t, address(x), address(rest)) == 1

    def begin_at(self, t: float, x: int, rest: int, least: float = 0.0) -> int:
        """The same by addresses: 1 where it can, 0 where it cannot, −1 where the state is judged no better."""
        self.t, start, desk = t, self._start, self.desk
        if desk.room - desk.free < FEWEST_ROWS // 4:
            desk.turn()
        self._parts, self._first, wide = [], desk.free, desk.wide * desk.free
        self._last = self._first
        start[AT], start[REST], start[FULL_STATE] = t, rest, x
        start[RECORD:JUDGE] = desk.t_at + 8 * self._first, desk.x_at + wide, desk.dx_at + wide
        start[-1] = least
        return int(self._begin(*start))

    def run(self, until: float, longest: float, progress: Callable[[float], None] | None) -> int:
        """Steps until a time, an event, or a failure; the status of the stepper. Fixed steps are never too long."""
        data, desk, method, made = self._data, self.desk, self.desk.method, 0
        if isinstance(method, RK4):
            data[BEGIN], data[END_AT], data[LAST] = self.t, until, method.count(until - self.t)
        else:
            data[UNTIL], data[LONGEST] = until, min(method.max_step, longest)
        at = desk.rows_at
        while True:
            most = min(desk.room - 1 - self._last, self._most)
            if isinstance(method, RK4):
                data[FIRST], data[STOP] = made, min(made + most, data[LAST])
                made = data[STOP]
            else:
                data[CAPACITY] = most
            first, wide = self._last + 1, desk.wide * (self._last + 1)
            data[at : at + 4] = desk.t_at + 8 * first, desk.x_at + wide, desk.dx_at + wide, desk.bend_at + wide
            status: int = self._run(*data)
            self._last += int(desk.counts[RECORDED])
            self.reached = float(desk.rows[0][self._last])
            if progress is not None:
                progress(self.reached)
            if status != FULL:
                return status
            if self._last == desk.room - 1:
                self._parts.append(self._written())
                last = [row[self._last].copy() for row in desk.rows]
                desk.turn()
                for row, value in zip(desk.rows, last, strict=True):
                    row[0] = value
                self._first, self._last = 1, 0

    def _written(self) -> tuple[Array, ...]:
        """The rows on this page; the first of a run has no bend."""
        first, last = self._first, self._last + 1
        t, x, dx, bend = self.desk.rows
        return t[first:last], x[first:last], dx[first:last], bend[first if self._parts else first + 1 : last]

    def solution(self, status: int, hits: tuple[int, ...] | None = None) -> Solution:
        """What the run gave, and the event that ended it, if it was one; ``hits`` where they are known."""
        columns = self._written()
        self.desk.free = self._last + 1
        if self._parts:
            columns = tuple(np.concatenate(column) for column in zip(*self._parts, columns, strict=True))
        _, steps, rejected, _ = self.desk.counts.tolist()
        fixed, later = isinstance(self.desk.method, RK4), self.desk.tableau.stages - 1  # evaluations of a step
        event = None
        if status in (EVENT, REWRITE):
            hits = () if status == REWRITE else self.hits() if hits is None else hits
            event = Event(self.reached, hits, self.desk.x.copy())
        rejected, start = 0 if fixed else rejected, 1 if fixed or getattr(self.desk.method, "first_step", None) else 2
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
        watch = Watch(self.guards, self._slots[self._ends[1] : self._ends[2]], self.now, self.desk.flags[: 2 * self.m])
        first = 1 + self.desk.n
        rest = self._slots[first : first + self._held]
        given = Problem(self.function, self.desk.x, self.t, until, rest, invoke, lambda t: None, watch)
        t, component = float(self.desk.step[T]), int(self.desk.counts[COMPONENT])
        if isinstance(self.desk.method, RK4):
            t, component = self.reached, int(self.desk.counts[BAD])
        given.stopped(STATUS[status], t, component, self.solution(status))
