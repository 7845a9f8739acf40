"""Reusable integrations: one problem, with guards or without, begun again and again from other states, in place.

What `problem` and a method set up for one run is set up once, in a record that machine code reads; a run then begins in
one call, and machine code may go on from one problem to the next by itself. The steps are those of `stepper`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import IntegrationError
from latchwork.integrate.adaptive import ENDLESS
from latchwork.integrate.dense_output import Array, Event, Record, Solution, Stats
from latchwork.integrate.fused import SHARED
from latchwork.integrate.guard_location import FLOOR
from latchwork.integrate.integration import Integration, StateFunction
from latchwork.integrate.methods import RK4, Adaptive
from latchwork.integrate.problem import Settle, StateScales, fused_step, hits, steps_per_call, stopped
from latchwork.integrate.status import Status
from latchwork.integrate.stepper import begin, steps, tick
from latchwork.integrate.tableau import RUNGE_KUTTA_4
from latchwork.integrate.workspace import Workspace
from latchwork.program.function import Executable, Function
from latchwork.program.kernel import executor_at, f64p, f64p_at, i32p_at, i64, i64p, i64p_at, kernel
from latchwork.program.native import address, entry, native
from latchwork.program.records import memory as records
from latchwork.program.records.memory import blank, size_of, write
from latchwork.program.records.record import array, record
from latchwork.program.records.shape import words_of
from latchwork.program.records.view import address_of, record_at

STEPS_PER_COUNT = 2000  # steps after which they are counted
BRIEF = 8.0  # fixed steps that are made in microseconds
NO_SLOTS = np.empty(0)
FEWEST_ROWS, MOST_ROWS, NUMBERS = 200, 2000, 40_000  # rows of a page, and how many numbers they may take


@record
class IntegrationBlock:
    """An integration with all that is its own, and how it is called."""

    integration: Integration
    arrived: i64  # of which arrivals it is
    most: i64  # steps of a call
    guards: i64
    states: i64
    fresh: i64
    used: i64
    kinds: i64p = array("guards")  # of each guard: where it is armed,
    heights: f64p = array("guards")  # above what,
    floors: f64p = array("guards")  # and what is little of it
    kept: i64p = array("states")  # where each state stands in full ones
    fresh_slots: f64p = array("fresh")  # slots of its programs as they begin, each once,
    slots: f64p = array("used")  # and those that they run on, unless these are elsewhere


@record
class Program:
    """What a `StateFunction` is made of."""

    run: i64
    code: i64
    rest_at: i64
    size: i64


@record
class Programs:
    """The programs of a problem that step, watch and project; the last is none where its size is 0."""

    m: i64
    n_rest: i64
    arrived: i64
    most: i64
    judge: i64
    shared: i64  # whether fresh slots are the same for all
    slots: i64  # where slots are; 0 for those of the block
    each: list[Program] = array(3)


OWN = size_of(Integration)
INTEGRATION, FRESH_SLOTS, SLOTS = words_of(IntegrationBlock, "integration", "fresh_slots", "slots")


@kernel
def put(program: StateFunction, given: Program, slots: i64, fresh: i64) -> None:
    """A program with slots and fresh ones at addresses."""
    program.run, program.code, program.slots = executor_at(given.run), i32p_at(given.code), f64p_at(slots)
    program.rest_at, program.fresh, program.size = given.rest_at, f64p_at(fresh), given.size


@kernel
def lay_out(here: i64, plain: i64p, programs: Programs, kept: i64p, slots: f64p, count: i64) -> None:
    """A problem in a block at an address, whose arrays are placed: the integration of its workspace with its own
    programs, guards and so many fresh slots; ``kept`` as in `IntegrationBlock`."""
    word, block = i64p_at(here), record_at(IntegrationBlock, i64p_at(here), 0)
    for i in range(OWN):
        word[INTEGRATION + i] = plain[i]
    integration = block.integration
    guards, projection = integration.guards, integration.projection
    block.arrived, block.most = programs.arrived, programs.most
    integration.n_rest, integration.kept, guards.m = programs.n_rest, block.kept, programs.m
    guards.kinds, guards.heights, guards.floors = block.kinds, block.heights, block.floors
    for i in range(integration.n):
        block.kept[i] = kept[i]
    fresh, apart = here + 8 * word[FRESH_SLOTS], 0 if programs.shared == 1 else 8
    own = here + 8 * word[SLOTS] if programs.slots == 0 else programs.slots
    for i in range(count):
        block.fresh_slots[i] = slots[i]
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


class SharedWorkspace(Workspace):
    """Memory of problems that are run by one method again and again, one of them at a time.

    ``scales`` are those of full states, of which the n are some.
    """

    def __init__(self, method: Adaptive | RK4, n: int, guards: int, scales: StateScales) -> None:
        super().__init__(n, guards)
        self.tableau, self.stages, self.is_fixed = method.tableau, method.stages, isinstance(method, RK4)
        method.put(self.plain.control)
        self.full_units = np.array(scales.states, dtype=float)
        self.absolute = self.full_units.copy()
        if isinstance(method, Adaptive):
            if isinstance(method.atol, tuple) and len(method.atol) != n:
                raise IntegrationError(f"{len(method.atol)} values of atol do not fit {n} states. Give one for each.")
            self.absolute[:] = method.absolute(self.absolute)
            self.absolute[list(scales.still)] = ENDLESS
            if method.implicit:
                self.collocate()
        control = self.plain.control
        control.absolute, control.units, control.unit = self.absolute, self.full_units, float(scales.time)
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

    def solution_of(self, first: int, last: int, stats: Stats, event: Event | None) -> Solution:
        """What is in some rows of the page, of which the first has no bend."""
        t, x, dx, bend = self.rows
        end = last + 1
        return Solution(t[first:end], x[first:end], dx[first:end], bend[first + 1 : end], stats, event)


class Samples(NamedTuple):
    """Times to keep of a run, in order; all else is forgotten page by page. ``rest`` are the inputs meanwhile."""

    times: Array
    rest: Array

    def within(self, first: float, last: float = np.inf) -> Array:
        """Those up to a time, after a first one, which is kept as well."""
        inside = self.times[slice(*np.searchsorted(self.times, [first, last], side="right"))]
        return np.append(first, inside)


class ReusableIntegration:
    """A problem that is run again and again, one run at a time; ``kept`` says where its states stand in full ones.

    ``kinds`` and ``heights`` say of each guard where it is armed, ``units`` are of their values. Its record ``block``
    has all that is its own.
    """

    def __init__(self, workspace: SharedWorkspace, function: Executable, guards: Executable | None,
                 settle: Settle | None, n_rest: int, kept: NDArray[np.int64], kinds: Sequence[int],
                 heights: Sequence[float], units: Sequence[float]) -> None:  # fmt: skip
        self._know(workspace, function, guards, settle, kinds)
        n, m = workspace.n, len(kinds)
        parts = self._parts_of()
        fresh, shared = (parts[0], 1) if len(parts) == 1 else (np.concatenate(parts), 0)
        one = len(parts[0])
        two, three = (one, one) if shared else (len(parts[1]), 0 if settle is None else len(parts[2]))
        empty = blank(IntegrationBlock, guards=m, states=n, fresh=len(fresh), used=one + two + three)
        self._stand(empty.words())
        code, first, (run_by, look_by) = address(function.code), 1 + n, self._run_by
        looks = 0 if guards is None else code if guards.code is function.code else address(guards.code)
        projects, judge = (0, 0, 0), 0
        if settle is not None:
            projects = entry(settle.run), address(settle.mode.code), settle.first
            judge = 0 if settle.judge is None else entry(settle.judge)
        programs = workspace.programs
        programs.m, programs.n_rest, programs.arrived = m, n_rest, Function.arrivals
        programs.most = steps_per_call(function.length, n, workspace.stages)
        programs.judge, programs.shared, programs.slots = judge, shared, 0
        for each, given in zip(programs.each, ((run_by, code, first, one), (look_by, looks, first, two),
                                               (*projects, three)), strict=True):  # fmt: skip
            write(each, *given)
        plain, given_at = workspace.at
        native(lay_out).brief(self.at, plain, given_at, address(kept), address(fresh), len(fresh))
        self._kinds_at[:] = kinds
        np.asarray(self.block.heights)[:] = heights
        np.asarray(self.block.floors)[:] = [FLOOR * unit for unit in units]

    @classmethod
    def laid_out(cls, workspace: SharedWorkspace, function: Executable, guards: Executable, settle: Settle | None,
                 kinds: Sequence[int], table: NDArray[np.int64]) -> ReusableIntegration:  # fmt: skip
        """A problem that machine code has laid out in some words, and may have begun."""
        made = cls.__new__(cls)
        made._know(workspace, function, guards, settle, kinds)
        made._stand(table)
        return made

    def _know(self, workspace: SharedWorkspace, function: Executable, guards: Executable | None, settle: Settle | None,
              kinds: Sequence[int]) -> None:  # fmt: skip
        """What the problem consists of."""
        self.workspace, self.function, self.guards, self.settle = workspace, function, guards, settle
        self.m, self.now = len(kinds), workspace.first[: 2 * len(kinds)]
        self._run_by = self._executors()
        self._kinds = tuple(kinds)
        self._begin, self._tick = native(begin).brief, native(tick).brief
        self._pages: list[tuple[Array, ...]] = []  # rows on pages before this
        self._record: Record | None = None  # samples of pages before this
        self._owed, self._counted = 0, 0  # steps that are not counted yet; steps of this run that are noted
        self._fused: tuple[Function, Array] | None = None  # a whole step as one program, and its slots

    def _stand(self, table: NDArray[np.int64]) -> None:
        """One memory for all."""
        self.table, self.at = table, address(table)
        self.block = record_at(IntegrationBlock, table, 0)
        self.record, self._kinds_at = self.block.integration, np.asarray(self.block.kinds)

    def _executors(self) -> tuple[int, int]:
        """What executes the equations and the guards now."""
        return entry(self.function.executor), 0 if self.guards is None else entry(self.guards.executor)

    def is_brief(self, until: float) -> bool:
        """Whether a run until a time takes microseconds, as a tick: Python's lock is kept, see `native.briefly`."""
        control = self.record.control
        return self.workspace.is_fixed and until - control.t <= BRIEF * control.step

    @property
    def armed(self) -> list[int]:
        """1 for each guard that is armed."""
        armed: list[int] = self.workspace.armed[: self.m].tolist()
        return armed

    @property
    def hit(self) -> NDArray[np.int64]:
        """Which guards took part in the event."""
        return self.workspace.hit[: self.m]

    @property
    def kept(self) -> NDArray[np.int64]:
        """Where states stand in full ones."""
        return np.asarray(self.block.kept)

    @property
    def is_current(self) -> bool:
        """Whether the programs are executed as they were when this was made: machine code may arrive."""
        arrivals = Function.arrivals
        if self.block.arrived != arrivals:
            fresh = np.concatenate(self._parts_of())
            if self._executors() != self._run_by or fresh.tobytes() != bytes(self.block.fresh_slots):
                return False
            self.block.arrived = arrivals
        return True

    def _parts_of(self) -> list[Array]:
        """Slots of what steps, watches and projects, as they are fresh; once where they are the same."""
        first, second = self.function.fresh(), NO_SLOTS if self.guards is None else self.guards.fresh()
        if self.settle is None:
            return [first, second]
        third = first if self.settle.mode is self.function else self.settle.mode.fresh()
        return [first] if first is second is third else [first, second, third]

    def begin(self, t: float, x: Array, rest: Array, grid: float, kinds: Sequence[int] | None = None) -> int:
        """Stand at (t, x), of a full state x: the status of `stepper.begin`.

        Fixed steps are counted from ``grid``; ``kinds`` of guards are for this run alone.
        """
        self.record.control.grid = grid
        if kinds is None:
            return self.begin_at(t, address(x), address(rest))
        self._kinds_at[:] = kinds
        status = self.begin_at(t, address(x), address(rest))
        self._kinds_at[:] = self._kinds
        return status

    def begin_at(self, t: float, x: int, rest: int, least: float = 0.0) -> int:
        """The same by addresses; REWRITE where the speeds are judged no better than that."""
        if self.workspace.is_full(few_rows()):
            self.workspace.turn_page()
        self._pages, self._record, self._counted = [], None, 0
        status: int = self._begin(self.at, t, x, rest, least)
        return status

    def steps(self, until: float, longest: float) -> int:
        """Steps until a time: the status of the stepper."""
        self.record.control.longest = longest
        call = native(steps)
        status: int = (call.brief if self.is_brief(until) else call.function)(self.at, until, self.block.most)
        return status

    def tick(self, rest: Array) -> int:
        """One fixed step on with these inputs, as `stepper.tick`."""
        status: int = self._tick(self.at, address(rest))
        return status

    def fuse(self, until: float, rest: Array) -> None:
        """Where so many fixed steps are ahead that it pays, take each as one program, once machine code is there."""
        integration, control = self.record, self.record.control
        if not self.workspace.is_fixed or integration.is_fused == 1:
            return
        if self._fused is None:
            count = (until - control.t) / control.step
            made = fused_step(self.function, self.settle, RUNGE_KUTTA_4, count)
            self._fused = None if made is None else (made, made.workspace())
        if self._fused is not None and self._fused[0].compiled():
            made, z = self._fused
            first = SHARED + 2 * self.workspace.n
            z[first : first + len(rest)] = rest
            write(integration.fused, entry(made.executor), address(made.code), address(z), first, 0, 0)
            integration.is_fused = 1

    def make_room(self, samples: Samples | None = None) -> None:
        """Go on on a new page where few rows are left on this one: what follows may begin on it."""
        workspace, integration = self.workspace, self.record
        first, last = integration.first, integration.last
        self.count()
        if workspace.page.room - 1 - last < 2 * few_rows():
            if samples is None:
                self._pages.append(self._written(first, last))
            else:
                self._keep(first, last, samples, np.inf)
            values = [row[last].copy() for row in workspace.rows]
            workspace.turn_page()
            for row, value in zip(workspace.rows, values, strict=True):
                row[0] = value
            integration.first, integration.last = 1, 0

    def count(self) -> None:
        """Count the steps of this run so far, so that machine code is made where it pays."""
        self._count(self.record.control.steps)

    def owe(self, steps: int) -> None:
        """Count steps that machine code has made before this was there."""
        self._owed += steps

    def _count(self, steps: int) -> None:
        self._owed += steps - self._counted
        self._counted = steps
        if self._owed > STEPS_PER_COUNT:
            self.function.used(0 if self.record.is_fused else self._owed * (self.workspace.stages - 1))
            if self.guards is not None:
                self.guards.used(self._owed)
            self._owed = 0

    def _written(self, first: int, last: int) -> tuple[Array, ...]:
        """Rows on this page; the first of a run has no bend."""
        t, x, dx, bend = self.workspace.rows
        end = last + 1
        return t[first:end], x[first:end], dx[first:end], bend[first if self._pages else first + 1 : end]

    def _keep(self, first: int, last: int, samples: Samples, until: float) -> Record:
        """The samples in some rows of this page, after those of pages before it."""
        t, x, dx, bend = self.workspace.rows
        if self._record is None:

            def rates(when: Array, states: Array) -> Array:
                return self.function.many(np.column_stack([when, states, np.tile(samples.rest, (len(when), 1))]))

            self._record = Record(float(t[first]), x[first], dx[first], samples.within(float(t[first]), until), rates)
            first += 1
        end = last + 1
        self._record.keep((t[first:end], x[first:end], dx[first:end], bend[first:end]), end - first)
        return self._record

    def at_once(self, rest: Array) -> Solution:
        """The run of no length, where guards fall as it begins."""
        t, x = self.record.control.t, self.workspace.x.copy()
        dx = self.function(np.concatenate([[t], x, rest]))
        return Solution(np.array([t]), x[None], dx[None], np.empty((0, len(x))), Stats(0, 0, 1),
                        Event(t, self.hits(), x))  # fmt: skip

    def solution(self, status: int, samples: Samples | None = None) -> Solution:
        """What the run gave, and the event that ended it, if it was one."""
        event, integration, workspace = None, self.record, self.workspace
        first, last = integration.first, integration.last
        workspace.page.free = last + 1
        if status in (Status.EVENT, Status.REWRITE):
            hit = () if status == Status.REWRITE else self.hits()
            event = Event(float(workspace.rows[0][last]), hit, workspace.x.copy())
        control = integration.control
        stats = Stats(control.steps, control.rejected, control.evaluations)
        return self.solution_of(first, last, stats, event, samples)

    def solution_of(self, first: int, last: int, stats: Stats, event: Event | None,
                    samples: Samples | None) -> Solution:  # fmt: skip
        """What is in some rows of this page, and of those before it."""
        self._count(stats.steps)
        self._counted = 0
        if samples is not None:
            record = self._keep(first, last, samples, float(self.workspace.rows[0][last]))
            self._record = None
            return record.solution(stats, event)
        columns = self._written(first, last)
        if self._pages:
            columns = tuple(np.concatenate(column) for column in zip(*self._pages, columns, strict=True))
            self._pages = []
        t, x, dx, bend = columns
        return Solution(t, x, dx, bend, stats, event)

    def hits(self) -> tuple[int, ...]:
        """The guards that took part in the event."""
        return hits(self.hit)

    def fail(self, status: int, until: float, begun: bool, samples: Samples | None = None) -> None:
        """Say why a run stopped that could not go on, or could not begin."""
        control = self.record.control
        stopped(self.function, (control.since, until), Status(status), control.t, control.component, self.hits(),
                self.solution(status, samples) if begun else None)  # fmt: skip
