"""Again: one problem with guards, run again and again from other states by adaptive steps, while everything stays in
place.

What `problem` and `DormandPrince` set up for one run is set up once; a run then begins in one call. The steps are the
same, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from latchwork.integrate.adaptive import COMPONENT, RECORDED, T, first_step
from latchwork.integrate.method import BEGIN, CALM, DormandPrince
from latchwork.integrate.problem import Problem
from latchwork.integrate.settled import settled_adaptive
from latchwork.integrate.solution import Array, Event, Solution, Stats
from latchwork.integrate.status import EVENT, FULL, REWRITE, STATUS
from latchwork.integrate.steppers import derivative, not_finite
from latchwork.integrate.tableau import DORMAND_PRINCE_5
from latchwork.integrate.watched import watched_adaptive
from latchwork.program.function import Function
from latchwork.program.kernel import executor, f64, f64p, i32p, i64, i64p, kernel, offset
from latchwork.program.native import address, argument, native, together

CARE = -1.0  # in place of a first step: a run from there takes more care
NOT_BELOW, STRICT, PATIENT = -1, 0, 1  # guards that must not be below zero; armed where they are not; armed anywhere
AT = 11  # where `begin` takes the time
UNTIL, LONGEST, CAPACITY, ROWS = 6, 9, 16, 17  # where steppers take the end, the longest step, and where to write
LATER = DORMAND_PRINCE_5.stages - 1  # evaluations of a step
OFTEN = 64  # steps after which they are counted
NONE_YET = np.array([0, 0, 0, -1])


@kernel
def begin(
    run: executor, code: i32p, z: f64p, n: i64, look_run: executor, look_code: i32p, look_z: f64p, m: i64, w: f64p,
    flags: i64p, kinds: i64p, t: f64, rtol: f64, atol: f64p, x: f64p, k: f64p,
) -> f64:  # fmt: skip
    """Guards armed, ẋ, and a first step, at (t, x); `CARE` where a guard falls at once or something is no number."""
    for i in range(6 * n + 10 * m):
        w[i] = 0.0
    now = offset(w, 6 * n)
    derivative(look_run, look_code, look_z, n, t, x, now)
    for i in range(m):
        g, armed = now[i], 1 if now[i] >= 0.0 or kinds[i] == PATIENT else 0
        if g != g or (g < 0.0 and kinds[i] == NOT_BELOW) or (armed == 1 and g <= 0.0 and now[m + i] < 0.0):
            return CARE
        flags[i], flags[m + i] = armed, 0
    derivative(run, code, z, n, t, x, k)
    if not_finite(n, k) >= 0:
        return CARE
    return first_step(run, code, z, n, t, rtol, atol, x, k)


together(begin)


class Again:
    """A problem with guards and its method; ``kinds`` says of each guard where it is armed. One run at a time."""

    def __init__(self, given: Problem, method: DormandPrince, kinds: Sequence[int]) -> None:
        watch, f, n, tableau = given.watch, given.function, given.n, DORMAND_PRINCE_5
        assert watch is not None, "what is run again is watched"
        room = given.memory.room
        self.given, self.method, self.t = given, method, given.t
        self.x, self.k, z = room("x", n), room("k", (tableau.stages, n)), given.memory.slots("function", f)
        self._counts, self._step = room("counts", 4, np.int64), room("step", 3)
        self._flags, self._m = watch.flags, watch.m
        self.now = watch.w[6 * n : 6 * n + 2 * watch.m]  # guards, then their rates, where a run began
        atol = room("atol", n)
        atol[:] = method.atol
        self._most = min(given.steps_per_call(tableau), BEGIN)  # steps of a call
        rows = {"t of laps": BEGIN + 1} | dict.fromkeys(("x of laps", "dx of laps", "bend of laps"), (BEGIN + 1, n))
        self._rows = tuple([room(name, shape) for name, shape in rows.items()])
        kernel, more = ((watched_adaptive, watch.arguments) if given.settle is None else
                        (settled_adaptive, given.settling))  # fmt: skip
        data = (
            f.executor, f.code, z, n, tableau.stages, tableau.packed, 0.0, method.rtol, atol, 0.0, method.max_steps,
            self._step, self._counts, self.x, self.k, room("scratch", n), 0, *self._rows, *more,
        )  # fmt: skip
        start = (f.executor, f.code, z, n, *watch.arguments, np.array(kinds, dtype=np.int64), 0.0, method.rtol, atol,
                 self.x, self.k)  # fmt: skip
        self._alive = data, start  # what the addresses below point to
        self._data, self._start = [argument(item) for item in data], [argument(item) for item in start]
        self._run, self._begin = native(kernel).function, native(begin).brief
        self._sizes = tuple([address(row) for row in self._rows]), (8, 8 * n, 8 * n, 8 * n)  # where rows are, and bytes
        self._functions = (*f.functions, *watch.function.functions)
        self._executors = [function.executor for function in self._functions]
        self._places, self._fresh = self._held_places(z), self._refilled(z)
        self._parts: list[tuple[Array, ...]] = []
        self._last = 0  # the last row that was written
        self._owed = 0  # steps that are not counted yet

    def _held_places(self, z: Array) -> list[Array]:
        """Where what is held stands, for each of the programs."""
        given, n, held = self.given, self.given.n, len(self.given.rest)
        assert given.watch is not None
        places = [z[1 + n : 1 + n + held], given.watch.z[1 + n : 1 + n + held]]
        if given.settle is not None:
            places.append(given.settle_slots()[given.settle.first : given.settle.first + held])
        return places

    def _refilled(self, z: Array) -> list[tuple[Array, Array]]:
        """Slots that runs leave otherwise than they were, and how they were."""
        given = self.given
        assert given.watch is not None
        used = [(given.function, z), (given.watch.function, given.watch.z)]
        if given.settle is not None:
            used.append((given.settle.mode, given.settle_slots()))
        return [(slots, executable.fresh()) for executable, slots in used if not isinstance(executable, Function)]

    @property
    def is_current(self) -> bool:
        """Whether the programs are executed as they were when this was made: machine code may arrive."""
        return [function.executor for function in self._functions] == self._executors

    def begin(self, t: float, x: Array, rest: Array) -> bool:
        """Stand at (t, x); whether a run can begin there as always."""
        for slots, fresh in self._fresh:
            slots[:] = fresh
        for place in self._places:
            place[:] = rest
        self.x[:] = x
        self._start[AT] = t
        h = self._begin(*self._start)
        if h == CARE:
            return False
        first = self.method.first_step
        self.t, self._counts[:] = t, NONE_YET
        self._step[:] = t, h if first is None else first, CALM
        times, states, rates, _ = self._rows
        times[0], states[0], rates[0] = t, self.x, self.k[0]
        return True

    def run(self, until: float, longest: float, progress: Callable[[float], None] | None) -> int:
        """Steps until a time, an event, or a failure; the status of the stepper."""
        data, counts = self._data, self._counts
        data[UNTIL], data[LONGEST] = until, min(self.method.max_step, longest)
        self._parts, self._last = [], 0
        while True:
            left = BEGIN - self._last
            data[CAPACITY] = left if left < self._most else self._most
            data[ROWS : ROWS + 4] = [at + (self._last + 1) * size for at, size in zip(*self._sizes, strict=True)]
            status: int = self._run(*data)
            self._last += int(counts[RECORDED])
            if progress is not None:
                progress(float(self._rows[0][self._last]))
            if status != FULL:
                return status
            if self._last == BEGIN:
                self._parts.append(self._kept())
                for row in self._rows:
                    row[0] = row[BEGIN]
                self._last = 0

    def _kept(self) -> tuple[Array, ...]:
        """Copies of the rows at hand; of the first ones, with the start."""
        first, last = 1 if self._parts else 0, self._last + 1
        t, x, dx, bend = self._rows
        return t[first:last].copy(), x[first:last].copy(), dx[first:last].copy(), bend[1:last].copy()

    def solution(self, status: int) -> Solution:
        """What the run gave, and the event that ended it, if it was one."""
        columns = self._kept()
        if self._parts:
            columns = tuple(np.concatenate(column) for column in zip(*self._parts, columns, strict=True))
        _, steps, rejected, _ = self._counts.tolist()
        event = None
        if status in (EVENT, REWRITE):
            hit = self.hits() if status == EVENT else ()
            event = Event(float(columns[0][-1]), hit, self.x.copy())
        start = 2 if self.method.first_step is None else 1
        evaluations = start + (steps + rejected) * LATER + (event is not None)
        self._owed += steps
        if self._owed > OFTEN:
            self.given.used(self._owed * LATER, self._owed)
            self._owed = 0
        t, x, dx, bend = columns
        return Solution(t, x, dx, bend, Stats(steps, rejected, evaluations), event)

    def hits(self) -> tuple[int, ...]:
        """The guards that took part in the event."""
        return tuple([i for i, took_part in enumerate(self._flags[self._m :].tolist()) if took_part])

    def fail(self, status: int, until: float) -> None:
        """Say why a run stopped that could not go on."""
        given = replace(self.given, t=self.t, t_end=until)
        given.stopped(STATUS[status], float(self._step[T]), int(self._counts[COMPONENT]), self.solution(status))
