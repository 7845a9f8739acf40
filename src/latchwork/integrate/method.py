"""Methods of integration as frozen objects, and `integrate`, which hands a problem to one of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from latchwork.errors import IntegrationError
from latchwork.integrate.adaptive import COMPONENT, RECORDED, REJECTED, STEPS, T, advance_adaptive, first_step
from latchwork.integrate.problem import Problem, problem
from latchwork.integrate.solution import Array, Record, Solution, Stats
from latchwork.integrate.status import STATUS, Status
from latchwork.integrate.steppers import advance_fixed
from latchwork.integrate.tableau import DORMAND_PRINCE_5, RUNGE_KUTTA_4
from latchwork.program.function import Function
from latchwork.program.native import invoke

SLIVER = 1e-9  # of a step: a remainder this short joins the step before it
CALM = 1e-4  # the error assumed before the first step


class Method(Protocol):
    """What `integrate` needs of a method."""

    def solve(self, problem: Problem) -> Solution:
        """The solution of a problem."""
        ...


@dataclass(frozen=True)
class RK4:
    """The classical method of order four with a fixed step; records every so many steps, and the last."""

    step: float
    every: int = 1
    max_steps: int = 100_000_000

    def __post_init__(self) -> None:
        if not (0.0 < self.step < math.inf and self.every >= 1):
            raise IntegrationError(f"{self} cannot step. Give a positive step, and record every 1 or more steps.")

    def solve(self, problem: Problem) -> Solution:
        """``t_i = t0 + i step``; the last step is shortened to end at t_end."""
        f, tableau, last = problem.function, RUNGE_KUTTA_4, self.count(problem.t_end - problem.t)
        z, x, k = problem.start(tableau)
        record, counts = Record(problem.t, x, k[0]), np.array([0, 0, -1])
        chunk, fused = problem.steps_per_call(tableau), problem.fused(tableau, last)
        for first in range(0, last, chunk):
            stop = min(first + chunk, last)
            rows = record.room((stop - first) // self.every + 2)
            span = (problem.t, self.step, problem.t_end, first, stop, last, self.every)
            if fused is not None and fused.compiled():
                status = problem.advance_fused(fused, span, x, k, counts, rows[:3])
            else:
                status = problem.call(
                    advance_fixed, f.executor, f.code, z, problem.n, tableau.stages, tableau.packed, *span, x, k,
                    counts, *rows[:3],
                )  # fmt: skip
            record.keep(rows, int(counts[0]))
            if STATUS[status] is Status.NOT_FINITE:
                problem.fail(Status.NOT_FINITE, record.t, int(counts[2]), record)
            problem.progress(record.t)
        return record.solution(Stats(last, 0, 1 + last * (tableau.stages - 1)))

    def count(self, span: float) -> int:
        """How many steps a span of time takes."""
        steps = span / self.step
        if steps > self.max_steps:
            raise IntegrationError(
                f"{steps:.3g} steps of {self.step!r} are needed for {span!r} s, more than max_steps = "
                f"{self.max_steps}. Take longer steps, or allow more."
            )
        return max(math.ceil(steps - SLIVER), 1 if steps > 0.0 else 0)


@dataclass(frozen=True)
class DormandPrince:
    """The pair of order 5(4) with adaptive steps and dense output of order four; atol for all states, or for each."""

    rtol: float = 1e-9
    atol: float | tuple[float, ...] = 1e-12
    max_step: float = math.inf
    first_step: float | None = None
    max_steps: int = 1_000_000

    def __post_init__(self) -> None:
        first = self.first_step if self.first_step is not None else 1.0
        if not (self.rtol >= 0.0 and self.max_step > 0.0 and first > 0.0 and np.all(np.asarray(self.atol) > 0.0)):
            raise IntegrationError(f"{self} cannot step. Give rtol >= 0 and atol, max_step and first_step above 0.")

    def solve(self, problem: Problem) -> Solution:
        """Every accepted step is a sample."""
        f, tableau, atol = problem.function, DORMAND_PRINCE_5, self._atol(problem)
        z, x, k = problem.start(tableau)
        record, counts = Record(problem.t, x, k[0]), np.array([0, 0, 0, -1])
        memory = np.array([problem.t, self._first(problem, z, atol, x, k), CALM])
        capacity, scratch, status = problem.steps_per_call(tableau), np.zeros(problem.n), Status.FULL
        while status is Status.FULL:
            rows = record.room(capacity)
            number = problem.call(
                advance_adaptive, f.executor, f.code, z, problem.n, tableau.stages, tableau.packed, problem.t_end,
                self.rtol, atol, self.max_step, self.max_steps, memory, counts, x, k, scratch, capacity, *rows,
            )  # fmt: skip
            status = STATUS[number]
            record.keep(rows, int(counts[RECORDED]))
            f.used(int(counts[RECORDED]) * (tableau.stages - 1))
            problem.progress(record.t)
        if status is not Status.END:
            problem.fail(status, float(memory[T]), int(counts[COMPONENT]), record)
        steps, rejected, start = int(counts[STEPS]), int(counts[REJECTED]), 1 if self.first_step else 2
        return record.solution(Stats(steps, rejected, start + (steps + rejected) * (tableau.stages - 1)))

    def _atol(self, problem: Problem) -> Array:
        """One absolute tolerance per state."""
        if isinstance(self.atol, tuple) and len(self.atol) != problem.n:
            raise IntegrationError(f"{len(self.atol)} values of atol do not fit {problem.n} states. Give one for each.")
        return np.full(problem.n, self.atol, dtype=float)

    def _first(self, problem: Problem, z: Array, atol: Array, x: Array, k: Array) -> float:
        """The first step: as given, or from the sizes of x, ẋ and ẍ."""
        if self.first_step is not None:
            return self.first_step
        f = problem.function
        return float(problem.call(first_step, f.executor, f.code, z, problem.n, problem.t, self.rtol, atol, x, k))


def integrate(
    function: Function, x0: ArrayLike, t0: float, t_end: float, rest: ArrayLike, method: Method,
    progress: Callable[[float], None] | None = None, call: Callable[..., Any] = invoke,
) -> Solution:  # fmt: skip
    """``ẋ = f(t, x, rest)`` from x0 at t0 to t_end.

    The function's inputs are t, the states, then ``rest``, held; its outputs are ẋ. ``progress`` hears the time
    reached, several times in a long run. ``call`` runs the kernels: `native.invoke` as machine code,
    `native.interpret` as Python, with the same bits.
    """
    return method.solve(problem(function, x0, t0, t_end, rest, call, progress))
