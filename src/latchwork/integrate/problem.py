"""An initial value problem, laid out as an `Integration` for the stepper."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import IntegrationError
from latchwork.integrate.dense_output import Array, Event, Record, Solution, Stats
from latchwork.integrate.fused import SHARED, fused_function, pays
from latchwork.integrate.guard_location import FLOOR
from latchwork.integrate.integration import PATIENT, Integration, StateFunction
from latchwork.integrate.status import ADVICE, ELSE, Status
from latchwork.integrate.stepper import begin, steps
from latchwork.integrate.tableau import Tableau
from latchwork.integrate.workspace import Memory, Workspace
from latchwork.program import tiers
from latchwork.program.function import Executable, Function
from latchwork.program.kernel import Kernel, i64, kernel
from latchwork.program.native import address, briefly, entry, invoke
from latchwork.program.records.memory import write

KEPT_NUMBERS = 50_000  # numbers in rows that are kept for the next run
MOST_STEPS = 4096  # of a call
OPERATIONS_PER_CALL, FEWEST = 20_000_000, 16  # a stepper returns to Python at least this often, after such steps


class Settle(NamedTuple):
    """What projects a state after a step, see `Projection`, on the slots of ``mode``; inputs are at ``first``.

    ``judge`` tells from these slots how good the equations are at a state, the more the better.
    """

    run: Kernel[..., None]
    mode: Executable
    first: int
    judge: Kernel[..., None] | None = None


class StateScales(NamedTuple):
    """One of time, of each state, and of each guard's value: what tolerances that were not given are parts of; and
    which states are ``still``: they change at events only, and no step is wrong in them."""

    time: float = 1.0
    states: ArrayLike = 1.0
    guards: ArrayLike = 1.0
    still: tuple[int, ...] = ()


UNSCALED = StateScales()


@dataclass(frozen=True, eq=False)
class Problem:
    """``ẋ = f(t, x)`` from x at t to t_end; ``call`` runs a kernel, as machine code or as Python."""

    function: Executable
    x: Array
    t: float
    t_end: float
    rest: Array
    call: Callable[..., Any]
    progress: Callable[[float], None]
    guards: Executable | None
    samples: Array | None
    settle: Settle | None
    memory: Memory
    longest: float  # no step that is chosen in the run is longer
    scales: StateScales
    workspace: Workspace
    integration: Integration

    @property
    def n(self) -> int:
        """States."""
        return len(self.x)

    def begin(self, rows: int = 1) -> Solution | None:
        """Begin where the problem does, on a page of so many rows; the run of no length where a guard falls at once."""
        if self.workspace.page.room < rows:
            self.workspace.turn(rows)
        self.integration.control.grid = self.t
        call = briefly if self.call is invoke else self.call
        status = Status(call(begin, self.integration, self.t, self.x, self.rest, 0.0))
        if status is Status.EVENT:
            dx = self.function(np.concatenate([[self.t], self.x, self.rest]))
            return self.record(dx).solution(Stats(0, 0, 1), self.event(status, self.t))
        if status is not Status.FULL:
            self.fail(status, self.t, self.integration.control.component)
        return None

    def step(self, most: int, record: Record) -> Status:
        """So many steps at most, kept in a record."""
        integration = self.integration
        integration.last = -1
        status = Status(self.call(steps, integration, self.t_end, most))
        record.keep(self.workspace.rows, integration.last + 1)
        return status

    def turn(self, rows: int) -> None:
        """See to a page of so many rows for the next steps: the record has a copy of those before."""
        if self.workspace.page.room < rows:
            self.workspace.turn(rows)

    def finish(self) -> None:
        """Keep no large page."""
        if self.workspace.page.room * self.n > KEPT_NUMBERS:
            self.workspace.turn(0)

    def record(self, dx: Array) -> Record:
        """A record that starts here, of every step or of the samples asked for."""
        return Record(self.t, self.x, dx, self.samples, self.rates)

    def rates(self, t: Array, x: Array) -> Array:
        """ẋ at many times and states."""
        return self.function.many(np.column_stack([t, x, np.tile(self.rest, (len(t), 1))]))

    def event(self, status: Status, t: float, x: Array | None = None) -> Event | None:
        """The event at which a stepper stopped, if it was one."""
        if status not in (Status.EVENT, Status.REWRITE):
            return None
        at = self.workspace.x if x is None else x
        return Event(t, self.hit() if status is Status.EVENT else (), at.copy())

    def hit(self) -> tuple[int, ...]:
        """The guards that took part in the event."""
        return hits(self.workspace.hit[: self.integration.guards.m])

    def fused(self, tableau: Tableau, count: int) -> Function | None:
        """The step as one program, where it is short and the run is long enough for machine code to pay."""
        return fused_step(self.function, self.settle, tableau, count) if self.call is invoke else None

    def fuse(self, fused: Function) -> None:
        """Take fused steps from here on, once machine code for them is there."""
        if fused.compiled():
            first = SHARED + 2 * self.n
            z = self.memory.slots("fused", fused)
            z[first : first + len(self.rest)] = self.rest
            _put(self.integration.fused, fused, z, first)
            self.integration.is_fused = 1

    def used(self, evaluations: int, count: int) -> None:
        """Count evaluations of the program, and of the guards, so that machine code is made for them where it pays."""
        self.function.used(evaluations)
        if self.guards is not None:
            self.guards.used(count)

    def fail(self, status: Status, t: float, component: int = -1, record: Record | None = None) -> NoReturn:
        """Say why the run stopped, where, and which state it was; ``error.solution`` holds what was computed."""
        solution = None if record is None else record.solution(Stats(record.steps, 0, 0))
        stopped(self.function, (self.t, self.t_end), status, t, component, self.hit(), solution)


def fused_step(function: Executable, settle: Settle | None, tableau: Tableau, count: float) -> Function | None:
    """A step as one program, where it is short and so many are ahead that machine code pays."""
    if not isinstance(function, Function) or settle is not None:
        return None
    program = function.program
    worthwhile = count * (tableau.stages - 1) >= tiers.pays_after(program) and pays(program, tableau)
    return fused_function(function, tableau) if worthwhile else None


def hits(hit: NDArray[np.int64]) -> tuple[int, ...]:
    """The guards that took part, by number."""
    return tuple([i for i, took_part in enumerate(hit.tolist()) if took_part])


def stopped(function: Executable, span: tuple[float, float], status: Status, t: float, component: int,
            hit: tuple[int, ...], solution: Solution | None) -> NoReturn:  # fmt: skip
    """Refuse a run over a span that stopped at t, by the name of a state or the number of a guard."""
    names = function.inputs[1:]
    state = f" (of '{names[component]}')" if component >= 0 else ""
    if status is Status.NO_NUMBER and hit:
        state = f" (number {hit[0]})"
    raise IntegrationError(
        f"The run from t = {span[0]!r} to {span[1]!r} stopped at t = {t!r}: {status.message}{state}. "
        f"{ADVICE.get(status, ELSE)}",
        solution=solution,
        reason=status,
    )


@kernel
def steps_within(operations: i64, fewest: i64, most: i64, length: i64, n: i64, stages: i64) -> i64:
    """How many steps so many operations make, where the equations of n states take ``length``."""
    steps = operations // (stages * (length + stages * n + 1))
    steps = steps if steps < most else most
    return steps if steps > fewest else fewest


def steps_per_call(length: int, n: int, stages: int, most: int = MOST_STEPS) -> int:
    """As many steps as keep a call short, so that an interrupt is heard; decided by counts, not by the clock."""
    return steps_within(OPERATIONS_PER_CALL, FEWEST, most, length, n, stages)


def problem(
    function: Executable, x0: ArrayLike, t0: float, t_end: float, rest: ArrayLike, call: Callable[..., Any],
    progress: Callable[[float], None] | None, guards: Executable | None = None, armed: ArrayLike | None = None,
    samples: ArrayLike | None = None, settle: Settle | None = None, memory: Memory | None = None,
    longest: float = math.inf, heights: ArrayLike = 0.0, scales: StateScales = UNSCALED,
) -> Problem:  # fmt: skip
    """A problem whose sizes agree and whose time goes forward."""
    memory = Memory() if memory is None else memory
    x, given = np.array(x0, dtype=float), np.array(rest, dtype=float)
    inputs, outputs = len(function.inputs), function.width
    if x.ndim != 1 or given.ndim != 1 or inputs != 1 + len(x) + len(given) or outputs != len(x):
        raise IntegrationError(
            f"States of shape {x.shape} and inputs of shape {given.shape} do not fit a program of {inputs} inputs "
            f"(t, states, inputs) and {outputs} outputs (derivatives). Give as many as the program has."
        )
    if not (math.isfinite(t0) and math.isfinite(t_end) and t0 <= t_end):
        raise IntegrationError(f"Time cannot go from {t0!r} to {t_end!r}. Give finite times with t0 <= t_end.")
    if not all(map(math.isfinite, x.tolist())):
        name = function.inputs[1 + int(np.argmin(np.isfinite(x)))]
        raise IntegrationError(f"The initial value of '{name}' is not finite. Give a number.")
    m = 0 if guards is None else guards.width // 2
    workspace = memory.workspace(len(x), m)
    integration = memory.integration(workspace)
    if guards is not None:
        _watch(guards, inputs, workspace, armed, (heights, scales.guards))
    _lay_out(integration, memory, function, guards, settle, len(given))
    times = None if samples is None else _samples(samples, t0, t_end)
    hears = progress or (lambda t: None)
    return Problem(function, x, float(t0), float(t_end), given, call, hears, guards, times, settle, memory, longest,
                   scales, workspace, integration)  # fmt: skip


def _lay_out(integration: Integration, memory: Memory, function: Executable, guards: Executable | None,
             settle: Settle | None, n_rest: int) -> None:  # fmt: skip
    """The programs of a problem, where they are not those of the last run, or machine code has arrived since."""
    integration.is_fused = 0
    projects = (None, None) if settle is None else (settle.run, settle.mode)
    if memory.knows("programs", integration, function, guards, *projects, n_rest, Function.arrivals):
        return
    first = 1 + integration.n
    integration.n_rest = n_rest
    _put(integration.equations, function, memory.slots("function", function), first)
    integration.guards.m, integration.projection.given = 0, 0
    if guards is not None:
        integration.guards.m = guards.width // 2
        _put(integration.guards.program, guards, memory.slots("guards", guards), first)
    if settle is not None:
        projection, mode = integration.projection, settle.mode
        projection.given = 1
        _put(projection.program, mode, memory.slots("settle", mode), settle.first, settle.run)
        if settle.judge is not None:
            projection.judge = settle.judge


def _put(
    program: StateFunction, function: Executable, z: Array, rest_at: int, run: Kernel[..., None] | None = None
) -> None:
    """A function on its slots, and where the inputs begin in them."""
    fresh = np.empty(0) if isinstance(function, Function) else function.fresh()
    write(program, entry(function.executor if run is None else run), address(function.code), address(z), rest_at,
          address(fresh), len(fresh))  # fmt: skip


def _watch(guards: Executable, inputs: int, workspace: Workspace, armed: ArrayLike | None,
           numbers: tuple[ArrayLike, ArrayLike]) -> None:  # fmt: skip
    """Guards whose program takes what the right-hand side takes, and gives values and rates; the numbers are their
    heights and units."""
    given, outputs = len(guards.inputs), guards.width
    m = outputs // 2
    arms = np.ones(m) if armed is None else np.asarray(armed)
    if given != inputs or outputs % 2 or arms.shape != (m,):
        raise IntegrationError(
            f"Guards with {given} inputs, {outputs} outputs and armed of shape {arms.shape} do not fit. Give a program "
            f"of {inputs} inputs (t, states, inputs) whose outputs are m guards and their m rates; armed has m entries."
        )
    workspace.armed[:m] = arms != 0
    workspace.heights[:m], workspace.kinds[:m] = numbers[0], PATIENT
    workspace.floors[:m] = np.multiply(FLOOR, numbers[1])


def _samples(samples: ArrayLike, t0: float, t_end: float) -> Array:
    """Times to sample, in order, within the run."""
    times = np.array(samples, dtype=float)
    if times.ndim != 1 or not ((np.diff(times) > 0.0).all() and (times >= t0).all() and (times <= t_end).all()):
        raise IntegrationError(f"Samples must be times that grow from {t0!r} to {t_end!r}. Sort them, without doubles.")
    return times
