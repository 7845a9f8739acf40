"""Methods of integration as frozen objects, and `integrate`, which hands a problem to one of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from latchwork.errors import IntegrationError, spelled
from latchwork.integrate.adaptive import COMPONENT, RECORDED, REJECTED, STEPS, T, advance_adaptive, first_step
from latchwork.integrate.checks import must_be_numbers
from latchwork.integrate.dense_output import Array, Solution, Stats
from latchwork.integrate.problem import UNSCALED, Problem, Settle, StateScales, problem, steps_per_call
from latchwork.integrate.settled import settled_adaptive, settled_fixed
from latchwork.integrate.status import STATUS, Status
from latchwork.integrate.steppers import advance_fixed
from latchwork.integrate.tableau import DORMAND_PRINCE_5, RUNGE_KUTTA_4
from latchwork.integrate.watched import watched_adaptive, watched_fixed
from latchwork.integrate.workspace import Memory
from latchwork.program.function import Executable
from latchwork.program.interrupt import interrupted
from latchwork.program.native import invoke

SLIVER = 1e-9  # of a step: a remainder this short joins the step before it
BEGIN = 200  # rows of the first call: many runs are short, and room takes time
CALM = 1e-4  # the error assumed before the first step
ATOL = 1e-12  # of the unit of each state, where no atol is given


class Method(Protocol):
    """What `integrate` needs of a method."""

    def solve(self, problem: Problem) -> Solution:
        """The solution of a problem."""
        ...


@spelled
@dataclass(frozen=True)
class RK4:
    """The classical method of order four with a fixed step; records every so many steps, and the last."""

    step: float
    every: int = 1
    max_steps: int = 100_000_000

    def __post_init__(self) -> None:
        must_be_numbers(self)
        if not (0.0 < self.step < math.inf and self.every >= 1):
            raise IntegrationError(f"{self} cannot step. Give a positive step, and record every 1 or more steps.")

    def solve(self, problem: Problem) -> Solution:
        """``t_i = t0 + i step``; the last step is shortened to end at t_end."""
        f, tableau, last = problem.function, RUNGE_KUTTA_4, self.count(problem.t_end - problem.t)
        z, x, k = problem.start(tableau)
        record, counts, status = problem.record(x, k[0]), np.array([0, 0, -1]), 0
        chunk, fused = steps_per_call(f.length, problem.n, tableau), problem.fused(tableau, last)
        settling = () if problem.settle is None else problem.settling
        for first in range(0, last, chunk):
            stop = min(first + chunk, last)
            rows = record.room((stop - first) // self.every + 2)
            span = (problem.t, self.step, problem.t_end, first, stop, last, self.every)
            if fused is not None and fused.compiled():
                status = problem.advance_fused(fused, z, span, x, k, counts, rows)
            else:
                data = (f.executor, f.code, z, problem.n, tableau.stages, tableau.packed, *span, x, k, counts)
                if problem.settle is not None:
                    status = problem.steps(settled_fixed)(*data, *rows, *settling)
                elif problem.watch is not None:
                    status = problem.steps(watched_fixed)(*data, *rows, *problem.watch.arguments)
                else:
                    status = problem.steps(advance_fixed)(*data, *rows[:3])
                problem.used((stop - first) * (tableau.stages - 1) if fused is None else 0, stop - first)
            record.keep(rows, int(counts[0]))
            if STATUS[status] in (Status.NOT_FINITE, Status.NO_NUMBER, Status.ELSEWHERE):
                problem.fail(STATUS[status], record.t, int(counts[2]), record)
            problem.progress(record.t)
            if STATUS[status] in (Status.EVENT, Status.REWRITE) or interrupted():
                break
        steps, event = int(counts[1]), problem.event(STATUS[status], record.t, x)
        return record.solution(Stats(steps, 0, 1 + steps * (tableau.stages - 1) + (event is not None)), event)

    def count(self, span: float) -> int:
        """How many steps a span of time takes."""
        steps = span / self.step
        if steps > self.max_steps:
            raise IntegrationError(
                f"{steps:.3g} steps of {self.step!r} are needed for {span!r} s, more than max_steps = "
                f"{self.max_steps}. Take longer steps, or allow more."
            )
        return max(math.ceil(steps - SLIVER), 1 if steps > 0.0 else 0)


@spelled
@dataclass(frozen=True)
class DormandPrince:
    """The pair of order 5(4) with adaptive steps and dense output of order four; atol for all states, or for each.

    Where none is given, it is 1e-12 of the unit of each state: a radian or the length of the mechanism, and the same
    over its time (`Scales`).
    """

    rtol: float = 1e-9
    atol: float | tuple[float, ...] | None = None
    max_step: float = math.inf
    first_step: float | None = None
    max_steps: int = 1_000_000

    def __post_init__(self) -> None:
        must_be_numbers(self)
        first = self.first_step if self.first_step is not None else 1.0
        atol = 1.0 if self.atol is None else self.atol
        if not (self.rtol >= 0.0 and self.max_step > 0.0 and first > 0.0 and np.all(np.asarray(atol) > 0.0)):
            raise IntegrationError(f"{self} cannot step. Give rtol >= 0 and atol, max_step and first_step above 0.")

    def solve(self, problem: Problem) -> Solution:
        """Every accepted step is a sample."""
        f, n, tableau, atol = problem.function, problem.n, DORMAND_PRINCE_5, self._atol(problem)
        z, x, k = problem.start(tableau)
        room = problem.memory.room
        record, counts, memory = problem.record(x, k[0]), room("counts", 4, np.int64), room("step", 3)
        counts[:] = 0, 0, 0, -1
        memory[:] = problem.t, self._first(problem, z, atol, x, k), CALM
        most, scratch, status = steps_per_call(f.length, n, tableau), room("scratch", n), Status.FULL
        capacity = min(most, BEGIN)
        stepper, more, longest = *self._stepper(problem), min(self.max_step, problem.longest)
        rows = problem.rows(capacity)
        while status is Status.FULL:
            status = STATUS[stepper(
                f.executor, f.code, z, n, tableau.stages, tableau.packed, problem.t_end, self.rtol, atol, longest,
                self.max_steps, memory, counts, x, k, scratch, capacity, *rows, *more,
            )]  # fmt: skip
            record.keep(rows, int(counts[RECORDED]))
            problem.used(int(counts[RECORDED]) * (tableau.stages - 1), int(counts[RECORDED]))
            problem.progress(record.t)
            if status is Status.FULL:
                if interrupted():
                    status = Status.END
                capacity, rows = most, record.room(most)
        if status not in (Status.END, Status.EVENT, Status.REWRITE):
            problem.fail(status, float(memory[T]), int(counts[COMPONENT]), record)
        steps, rejected, start = int(counts[STEPS]), int(counts[REJECTED]), 1 if self.first_step else 2
        event = problem.event(status, record.t, x)
        evaluations = start + (steps + rejected) * (tableau.stages - 1) + (event is not None)
        return record.solution(Stats(steps, rejected, evaluations), event)

    def _stepper(self, problem: Problem) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """What runs the steps, and what it takes besides."""
        if problem.settle is not None:
            return problem.steps(settled_adaptive), problem.settling
        if problem.watch is not None:
            return problem.steps(watched_adaptive), problem.watch.arguments
        return problem.steps(advance_adaptive), ()

    def _atol(self, problem: Problem) -> Array:
        """One absolute tolerance per state."""
        if isinstance(self.atol, tuple) and len(self.atol) != problem.n:
            raise IntegrationError(f"{len(self.atol)} values of atol do not fit {problem.n} states. Give one for each.")
        tolerances = problem.memory.room("atol", problem.n)
        tolerances[:] = self.absolute(problem.scales.states)
        return tolerances

    def absolute(self, units: ArrayLike) -> Any:
        """atol of states in these units: as given, or a part of each."""
        return np.multiply(ATOL, units) if self.atol is None else self.atol

    def _first(self, problem: Problem, z: Array, atol: Array, x: Array, k: Array) -> float:
        """The first step: as given, or from the sizes of x, ẋ and ẍ."""
        if self.first_step is not None:
            return self.first_step
        f = problem.function
        return float(problem.quick(first_step)(f.executor, f.code, z, problem.n, problem.t, self.rtol, atol, x, k,
                                                 problem.scales.time))  # fmt: skip


def integrate(
    function: Executable, x0: ArrayLike, t0: float, t_end: float, rest: ArrayLike, method: Method,
    progress: Callable[[float], None] | None = None, call: Callable[..., Any] = invoke, *,
    guards: Executable | None = None, armed: ArrayLike | None = None, samples: ArrayLike | None = None,
    settle: Settle | None = None, now: Array | None = None, memory: Memory | None = None,
    longest: float = math.inf, heights: ArrayLike = 0.0, scales: StateScales = UNSCALED,
) -> Solution:  # fmt: skip
    """``ẋ = f(t, x, rest)`` from x0 at t0 to t_end, or to the first event.

    The function's inputs are t, the states, then ``rest``, held; its outputs are ẋ. ``progress`` hears the time
    reached, several times in a long run. ``call`` runs the kernels: `native.invoke` as machine code,
    `native.interpret` as Python, with the same bits.

    ``guards`` has the same inputs; its outputs are m guards, then their m rates along the motion. The run ends where
    the first of them falls through zero, located to ``max(4 ulp(t), 1e-12 step)``; ``solution.event`` says when, which,
    and the state there, the last sample. A guard that starts at or below zero and falls is an event at once; one that
    rises or rests there is none. To go on through an event, where nothing turned the guard around, leave it out of
    ``armed``: it is armed again when it has been above zero, or above its height: see `guards`.

    ``samples`` are the times to keep; of all else only the steps of one call are held at a time, however long the run.

    ``settle`` brings the state back to where it belongs after each step (module `settled`). Where it asks for other
    equations, the run ends with an event that names no guard.

    ``now`` are guards and rates at the start, where they are known. ``memory`` is used again by runs of the same
    function, guards and settle, one after the other, which then start sooner. No step is ``longest`` than that, where a
    method chooses its steps. ``scales`` are units of time, states and guards: what is not given of a method, and what
    counts as zero of a guard, are parts of them. An interrupt that is listened for (`program.interrupt`) ends the run
    after its next steps.
    """
    given = problem(function, x0, t0, t_end, rest, call, progress, guards, armed, samples, settle, memory, longest,
                    heights, scales)  # fmt: skip
    return given.event_at_start(now) or method.solve(given)
