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
from latchwork.integrate.integration import Integration
from latchwork.integrate.methods import RK4, DormandPrince
from latchwork.integrate.problem import Settle, hits, steps_per_call, stopped
from latchwork.integrate.status import EVENT, FULL, REWRITE, STATUS
from latchwork.integrate.stepper import begin
from latchwork.integrate.tableau import DORMAND_PRINCE_5, RUNGE_KUTTA_4
from latchwork.integrate.workspace import Workspace
from latchwork.program.function import Executable, Function
from latchwork.program.kernel import i64
from latchwork.program.native import address, entry, native
from latchwork.program.records.memory import block_of, size_of, write
from latchwork.program.records.record import record
from latchwork.program.records.view import record_at

OFTEN = 2000  # steps after which they are counted
KEPT = 200  # numbers of guards
FEWEST_ROWS, MOST_ROWS, NUMBERS = 200, 2000, 40_000  # rows of a page, and how many numbers they may take


@record
class LapMemory:
    """An integration, and how it is called."""

    integration: Integration
    arrived: i64  # of which arrivals it is
    most: i64  # steps of a call


WORDS, OWN = size_of(LapMemory), size_of(Integration)


def few_rows() -> int:
    """Rows that are needed to begin."""
    return FEWEST_ROWS // 4


@lru_cache(KEPT)
def _packing(guards: int) -> Struct:
    """Kinds, then heights."""
    return Struct(f"={guards}q{guards}d")


def workspace_of(method: DormandPrince | RK4, n: int, guards: int) -> Workspace:
    """Memory for problems of n states and so many guards at most, of which one is run at a time, by one method."""
    made = Workspace(n, guards)
    method.put(made.plain.control)
    if isinstance(method, DormandPrince):
        made.atol[:] = method.atol
    made.plain.guards.arms = 1
    turn(made)
    return made


def turn(workspace: Workspace) -> None:
    """Take a new page; solutions are views of the old one."""
    workspace.turn(max(FEWEST_ROWS, min(MOST_ROWS, NUMBERS // max(workspace.n, 1))))


def is_full(workspace: Workspace, rows: int) -> bool:
    """Whether fewer rows are left on the page."""
    return workspace.page.room - workspace.page.free < rows


class Again:
    """A problem with guards, run again and again, one run at a time; ``kept`` says where its states stand in full ones.

    ``kinds`` and ``heights`` say of each guard where it is armed. Its record ``lap`` stands in one block with all that
    is its own: kinds, heights, ``kept``, slots as they are fresh, and slots of what steps, watches and projects.
    """

    def __init__(self, workspace: Workspace, method: DormandPrince | RK4, function: Executable, guards: Executable,
                 settle: Settle | None, held: int, kept: NDArray[np.int64], kinds: Sequence[int],
                 heights: Sequence[float]) -> None:  # fmt: skip
        self.workspace, self.function, self.guards, self.settle = workspace, function, guards, settle
        self.is_brief = isinstance(method, RK4)  # calls take microseconds, as in ticks: see `native.briefly`
        self._tableau = RUNGE_KUTTA_4 if self.is_brief else DORMAND_PRINCE_5
        n, m, uses = workspace.n, len(kinds), 2 if settle is None else 3
        self.m, self.now, self._held = m, workspace.first[: 2 * m], held
        parts = self._parts_of()
        sizes = [len(part) for part in parts] if len(parts) > 1 else [len(parts[0])] * uses
        self._own, self._size = WORDS + 2 * m, sum(sizes[: len(parts)])  # words before ``kept``; fresh slots
        self.table = table = np.empty(self._own + n + self._size + sum(sizes), dtype=np.int64)  # one memory for all
        table[:OWN], table[OWN:WORDS] = block_of(workspace.plain).view(np.int64), 0
        _packing(m).pack_into(table.data, 8 * WORDS, *kinds, *heights)
        self.kept[:] = kept
        self._fresh[:] = parts[0] if len(parts) == 1 else np.concatenate(parts)
        self.at = address(table)
        self.lap = lap = record_at(LapMemory, table, 0)
        lap.arrived, lap.most = Function.arrivals, steps_per_call(function.length, n, self._tableau)
        integration = self.integration = lap.integration
        integration.held, integration.kept = held, self.kept
        watch = integration.guards
        watch.m, watch.kinds, watch.heights = m, table[WORDS:], table.view(float)[WORDS + m :]
        self._run_by = run_by, look_by = entry(function.executor), entry(guards.executor)
        fresh = self.at + 8 * (self._own + n)
        slots, apart = fresh + 8 * self._size, 0 if len(parts) == 1 else 8
        write(integration.equations, run_by, address(function.code), slots, 1 + n, fresh, sizes[0])
        write(watch.program, look_by, address(guards.code), slots + 8 * sizes[0], 1 + n, fresh + apart * sizes[0],
              sizes[1])  # fmt: skip
        if settle is not None:
            projection, before = integration.projection, sizes[0] + sizes[1]
            write(projection.program, entry(settle.run), address(settle.mode.code), slots + 8 * before, settle.first,
                  fresh + apart * before, sizes[2])  # fmt: skip
            projection.given = 1
            if settle.judge is not None:
                projection.judge = settle.judge
        self._begin = native(begin).brief
        self._pages: list[tuple[Array, ...]] = []  # rows on pages before this
        self._owed = 0  # steps that are not counted yet

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
        if is_full(self.workspace, few_rows()):
            turn(self.workspace)
        self._pages = []
        status = self._begin(self.at, t, x, rest, least)
        return 1 if status == FULL else -1 if status == REWRITE else 0

    def make_room(self) -> None:
        """Go on on a new page where few rows are left on this one: what follows may begin on it."""
        workspace, last = self.workspace, self.integration.last
        if workspace.page.room - 1 - last < 2 * few_rows():
            self._pages.append(self._written(self.integration.first, last))
            values = [row[last].copy() for row in workspace.rows]
            turn(workspace)
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
        columns, later = self._written(first, last), self._tableau.stages - 1
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
