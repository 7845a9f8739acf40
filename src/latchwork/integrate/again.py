"""Again: one problem with guards, run again and again from other states, while everything stays in place.

What `problem` and a method set up for one run is set up once, in a record that machine code reads; a run then begins in
one call, and machine code may go on from one problem to the next by itself. The steps are those of `stepper`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from latchwork.integrate.dense_output import Array, Event, Solution, Stats
from latchwork.integrate.guard_location import FLOOR
from latchwork.integrate.integration import Evaluator, Integration
from latchwork.integrate.methods import RK4, DormandPrince
from latchwork.integrate.problem import Settle, StateScales, hits, steps_per_call, stopped
from latchwork.integrate.status import EVENT, FULL, REWRITE, STATUS
from latchwork.integrate.stepper import begin
from latchwork.integrate.workspace import Workspace
from latchwork.program.function import Executable, Function
from latchwork.program.kernel import executor_at, f64p, f64p_at, i32p_at, i64, i64p, i64p_at, kernel, offset
from latchwork.program.native import address, entry, native
from latchwork.program.records import memory as records
from latchwork.program.records.memory import size_of, write
from latchwork.program.records.record import array, record
from latchwork.program.records.view import address_of, record_at

OFTEN = 2000  # steps after which they are counted
KEPT = 200  # numbers of guards
FEWEST_ROWS, MOST_ROWS, NUMBERS = 200, 2000, 40_000  # rows of a page, and how many numbers they may take


@record
class LapMemory:
    """An integration, and how it is called."""

    integration: Integration
    arrived: i64  # of which arrivals it is
    most: i64  # steps of a call


@record
class Program:
    """What an `Evaluator` is made of."""

    run: i64
    code: i64
    held: i64
    size: i64


@record
class Programs:
    """The programs of a problem that step, watch and project; the last is none where its size is 0."""

    m: i64
    held: i64
    arrived: i64
    most: i64
    judge: i64
    shared: i64  # whether fresh slots are the same for all
    each: list[Program] = array(3)


WORDS, OWN = size_of(LapMemory), size_of(Integration)


@kernel
def put(program: Evaluator, given: Program, slots: i64, fresh: i64) -> None:
    """A program with slots and fresh ones at addresses."""
    program.run, program.code, program.slots = executor_at(given.run), i32p_at(given.code), f64p_at(slots)
    program.held, program.fresh, program.size = given.held, f64p_at(fresh), given.size


@kernel
def lay_out(here: i64, plain: i64p, programs: Programs, kept: i64p, slots: f64p, count: i64) -> None:
    """A problem at an address: the integration of its workspace with its own programs, guards and slots.

    Behind the record stand kinds, heights and what is little of its guards, then ``kept``, fresh slots, so many, and
    slots.
    """
    word, lap = i64p_at(here), record_at(LapMemory, i64p_at(here), 0)
    for i in range(WORDS):
        word[i] = plain[i] if i < OWN else 0
    integration, m = lap.integration, programs.m
    n, guards, projection = integration.n, integration.guards, integration.projection
    lap.arrived, lap.most, integration.held, guards.m = programs.arrived, programs.most, programs.held, m
    guards.kinds, guards.heights = offset(word, WORDS), f64p_at(here + 8 * (WORDS + m))
    guards.floors, integration.kept = f64p_at(here + 8 * (WORDS + 2 * m)), offset(word, WORDS + 3 * m)
    for i in range(n):
        integration.kept[i] = kept[i]
    fresh = here + 8 * (WORDS + 3 * m + n)
    first, own, apart = f64p_at(fresh), fresh + 8 * count, 0 if programs.shared == 1 else 8
    for i in range(count):
        first[i] = slots[i]
    put(integration.equations, programs.each[0], own, fresh)
    before = programs.each[0].size
    put(guards.program, programs.each[1], own + 8 * before, fresh + apart * before)
    before += programs.each[1].size
    if programs.each[2].size > 0:
        put(projection.program, programs.each[2], own + 8 * before, fresh + apart * before)
        projection.given = 1
        if programs.judge != 0:
            projection.judge = executor_at(programs.judge)


def few_rows() -> int:
    """Rows that are needed to begin."""
    return FEWEST_ROWS // 4


@lru_cache(KEPT)
def _packing(guards: int) -> Struct:
    """Kinds, then heights and what is little of each."""
    return Struct(f"={guards}q{2 * guards}d")


class SharedWorkspace(Workspace):
    """Memory of problems that are run by one method again and again, one of them at a time.

    ``scales`` are those of full states, of which the n are some.
    """

    def __init__(self, method: DormandPrince | RK4, n: int, guards: int, scales: StateScales) -> None:
        super().__init__(n, guards)
        self.tableau, self.is_fixed = method.tableau, isinstance(method, RK4)
        method.put(self.plain.control)
        self.absolute = np.array(scales.states, dtype=float)
        if isinstance(method, DormandPrince):
            self.absolute[:] = method.absolute(self.absolute)
        self.plain.control.absolute, self.plain.control.unit = self.absolute, float(scales.time)
        self.plain.guards.arms = 1
        self.programs = records.lay_out(Programs)  # of the problem that is being laid out
        self.at = address_of(self.plain), address_of(self.programs)
        self.turn_page()

    def turn_page(self) -> None:
        """Take a new page; solutions are views of the old one."""
        self.turn(max(FEWEST_ROWS, min(MOST_ROWS, NUMBERS // max(self.n, 1))))

    def is_full(self, rows: int) -> bool:
        """Whether fewer rows are left on the page."""
        return self.page.room - self.page.free < rows


class Again:
    """A problem with guards, run again and again, one run at a time; ``kept`` says where its states stand in full ones.

    ``kinds`` and ``heights`` say of each guard where it is armed, ``units`` are of their values. Its record ``lap``
    stands in one block with all that is its own, see `lay_out`.
    """

    def __init__(self, workspace: SharedWorkspace, function: Executable, guards: Executable, settle: Settle | None,
                 held: int, kept: NDArray[np.int64], kinds: Sequence[int],
                 heights: Sequence[float], units: Sequence[float]) -> None:  # fmt: skip
        self.workspace, self.function, self.guards, self.settle = workspace, function, guards, settle
        n, m = workspace.n, len(kinds)
        self.m, self.now = m, workspace.first[: 2 * m]
        parts = self._parts_of()
        fresh, shared = (parts[0], 1) if len(parts) == 1 else (np.concatenate(parts), 0)
        one = len(parts[0])
        two, three = (one, one) if shared else (len(parts[1]), 0 if settle is None else len(parts[2]))
        self._own, self._size = WORDS + 3 * m, len(fresh)  # words before ``kept``; fresh slots
        self.table = np.empty(self._own + n + self._size + one + two + three, dtype=np.int64)  # one memory for all
        self.at, code, first = address(self.table), address(function.code), 1 + n
        self._run_by = run_by, look_by = entry(function.executor), entry(guards.executor)
        looks = code if guards.code is function.code else address(guards.code)
        projects, judge = (0, 0, 0), 0
        if settle is not None:
            projects = entry(settle.run), address(settle.mode.code), settle.first
            judge = 0 if settle.judge is None else entry(settle.judge)
        write(workspace.programs, m, held, Function.arrivals, steps_per_call(function.length, n, workspace.tableau),
              judge, shared, run_by, code, first, one, look_by, looks, first, two, *projects, three)  # fmt: skip
        plain, programs = workspace.at
        native(lay_out).brief(self.at, plain, programs, address(kept), address(fresh), len(fresh))
        _packing(m).pack_into(self.table.data, 8 * WORDS, *kinds, *heights, *[FLOOR * unit for unit in units])
        self.lap = record_at(LapMemory, self.table, 0)
        self.integration = self.lap.integration
        self._begin = native(begin).brief
        self._pages: list[tuple[Array, ...]] = []  # rows on pages before this
        self._owed = 0  # steps that are not counted yet

    @property
    def is_brief(self) -> bool:
        """Whether a call takes microseconds, as in ticks: Python's lock is kept then, see `native.briefly`."""
        return self.workspace.is_fixed

    @property
    def hit(self) -> NDArray[np.int64]:
        """Which guards took part in the event."""
        return self.workspace.hit[: self.m]

    @property
    def kept(self) -> NDArray[np.int64]:
        """Where states stand in full ones."""
        return self.table[self._own : self._own + self.workspace.n]

    @property
    def _fresh(self) -> Array:
        """Slots as they are fresh, each once."""
        first = self._own + self.workspace.n
        return self.table.view(float)[first : first + self._size]

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
        """Slots of what steps, watches and projects, as they are fresh; once where they are the same."""
        first, second = self.function.fresh(), self.guards.fresh()
        if self.settle is None:
            return [first, second]
        third = first if self.settle.mode is self.function else self.settle.mode.fresh()
        return [first] if first is second is third else [first, second, third]

    def begin(self, t: float, x: Array, rest: Array) -> bool:
        """Stand at (t, x), of a full state x; whether a run can begin there as always."""
        return self.begin_at(t, address(x), address(rest)) == 1

    def begin_at(self, t: float, x: int, rest: int, least: float = 0.0) -> int:
        """The same by addresses: 1 where it can, 0 where it cannot, −1 where the speeds are judged no better."""
        if self.workspace.is_full(few_rows()):
            self.workspace.turn_page()
        self._pages = []
        status = self._begin(self.at, t, x, rest, least)
        return 1 if status == FULL else -1 if status == REWRITE else 0

    def make_room(self) -> None:
        """Go on on a new page where few rows are left on this one: what follows may begin on it."""
        workspace, last = self.workspace, self.integration.last
        if workspace.page.room - 1 - last < 2 * few_rows():
            self._pages.append(self._written(self.integration.first, last))
            values = [row[last].copy() for row in workspace.rows]
            workspace.turn_page()
            for row, value in zip(workspace.rows, values, strict=True):
                row[0] = value
            self.integration.first, self.integration.last = 1, 0

    def _written(self, first: int, last: int) -> tuple[Array, ...]:
        """Rows on this page; the first of a run has no bend."""
        t, x, dx, bend = self.workspace.rows
        end = last + 1
        return t[first:end], x[first:end], dx[first:end], bend[first if self._pages else first + 1 : end]

    def solution(self, status: int, hit: tuple[int, ...] | None = None) -> Solution:
        """What the run gave, and the event that ended it, if it was one; ``hit`` where they are known."""
        event, integration, workspace = None, self.integration, self.workspace
        first, last = integration.first, integration.last
        workspace.page.free = last + 1
        if status in (EVENT, REWRITE):
            hit = () if status == REWRITE else self.hits() if hit is None else hit
            event = Event(float(workspace.rows[0][last]), hit, workspace.x.copy())
        return self.ran(first, last, integration.control.steps, integration.control.rejected, event)

    def ran(self, first: int, last: int, steps: int, rejected: int, event: Event | None) -> Solution:
        """What is in some rows of this page, and of those before it."""
        columns, later = self._written(first, last), self.workspace.tableau.stages - 1
        if self._pages:
            columns = tuple(np.concatenate(column) for column in zip(*self._pages, columns, strict=True))
            self._pages = []
        start = 2 if self.integration.control.first == 0.0 else 1
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
        return hits(self.hit)

    def fail(self, status: int, until: float) -> None:
        """Say why a run stopped that could not go on."""
        control = self.integration.control
        stopped(self.function, (control.origin, until), STATUS[status], control.t, control.component, self.hits(),
                self.solution(status))  # fmt: skip
