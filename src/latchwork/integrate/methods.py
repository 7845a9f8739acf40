"""Methods of integration as frozen objects, and `integrate`, which hands a problem to one of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike

from latchwork.errors import IntegrationError, spelled
from latchwork.integrate.checks import must_be_numbers
from latchwork.integrate.dense_output import Solution, Stats
from latchwork.integrate.integration import StepControl
from latchwork.integrate.problem import UNSCALED, Problem, Settle, StateScales, problem, steps_per_call
from latchwork.integrate.radau import ITERATIONS
from latchwork.integrate.status import Status
from latchwork.integrate.stepper import SLIVER
from latchwork.integrate.tableau import DORMAND_PRINCE_5, RUNGE_KUTTA_4, Tableau
from latchwork.integrate.workspace import Memory
from latchwork.program.function import Executable
from latchwork.program.interrupt import interrupted
from latchwork.program.native import invoke

BEGIN = 200  # rows of the first call: many runs are short, and room takes time
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
    tableau: ClassVar[Tableau] = RUNGE_KUTTA_4
    stages: ClassVar[int] = RUNGE_KUTTA_4.stages

    def __post_init__(self) -> None:
        must_be_numbers(self)
        if not (0.0 < self.step < math.inf and self.every >= 1):
            raise IntegrationError(f"{self} cannot step. Give a positive step, and record every 1 or more steps.")

    def solve(self, problem: Problem) -> Solution:
        """``t_i = t0 + i step``; the last step is shortened to end at t_end."""
        count = self.count(problem.t_end - problem.t)
        if not problem.memory.knows("method", problem.integration, self):
            self.put(problem.integration.control)
        return _solved(problem, self.stages, count)

    def put(self, control: StepControl) -> None:
        """Put the method into a step control."""
        control.fixed, control.implicit, control.stages, control.tableau = 1, 0, self.stages, self.tableau.packed
        control.step, control.every, control.first = float(self.step), self.every, 1.0

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
class Adaptive:
    """A method that chooses its steps by the errors it estimates; atol for all states, or for each.

    Where none is given, it is 1e-12 of the unit of each state: a radian or the length of the mechanism, and the same
    over its time (`Scales`).
    """

    rtol: float = 1e-9
    atol: float | tuple[float, ...] | None = None
    max_step: float = math.inf
    first_step: float | None = None
    max_steps: int = 1_000_000
    stages: ClassVar[int]  # evaluations of a step, and one
    implicit: ClassVar[bool] = False
    tableau: ClassVar[Tableau | None] = None  # of explicit ones

    def __post_init__(self) -> None:
        must_be_numbers(self)
        first = self.first_step if self.first_step is not None else 1.0
        atol = 1.0 if self.atol is None else self.atol
        if not (self.rtol >= 0.0 and self.max_step > 0.0 and first > 0.0 and np.all(np.asarray(atol) > 0.0)):
            raise IntegrationError(f"{self} cannot step. Give rtol >= 0 and atol, max_step and first_step above 0.")

    def solve(self, problem: Problem) -> Solution:
        """Every accepted step is a sample."""
        if isinstance(self.atol, tuple) and len(self.atol) != problem.n:
            raise IntegrationError(f"{len(self.atol)} values of atol do not fit {problem.n} states. Give one for each.")
        workspace, units = problem.workspace, np.broadcast_to(problem.scales.states, problem.n)
        workspace.atol[:], workspace.units[:] = self.absolute(units), units
        if self.implicit:
            problem.integration.collocation = workspace.collocate()
        if not problem.memory.knows("method", problem.integration, self):
            self.put(problem.integration.control)
        control = problem.integration.control
        control.longest, control.unit = problem.longest, float(problem.scales.time)
        return _solved(problem, self.stages, None)

    def absolute(self, units: ArrayLike) -> Any:
        """atol of states in these units: as given, or a part of each."""
        return np.multiply(ATOL, units) if self.atol is None else self.atol

    def put(self, control: StepControl) -> None:
        """Put the method into a step control, but for the absolute tolerances."""
        control.fixed, control.implicit, control.stages = 0, int(self.implicit), self.stages
        control.step, control.every, control.first = float(self.max_step), 1, float(self.first_step or 0.0)
        control.rtol, control.max_steps = float(self.rtol), self.max_steps
        if self.tableau is not None:
            control.tableau = self.tableau.packed


@spelled
@dataclass(frozen=True)
class DormandPrince(Adaptive):
    """The explicit pair of order 5(4) with dense output of order four."""

    tableau: ClassVar[Tableau | None] = DORMAND_PRINCE_5
    stages: ClassVar[int] = DORMAND_PRINCE_5.stages


@spelled
@dataclass(frozen=True)
class Radau(Adaptive):
    """Radau IIA of order 5, implicit: for stiff motions, whose fast parts have died out (`radau`)."""

    stages: ClassVar[int] = 3 * ITERATIONS // 2 + 1  # as usually many as half of the iterations take
    implicit: ClassVar[bool] = True


def _solved(problem: Problem, stages: int, count: int | None) -> Solution:
    """Call after call of the stepper, of so many fixed steps in all, or of as many as are accepted."""
    control, later = problem.integration.control, stages - 1
    most = steps_per_call(problem.function.length, problem.n, stages)
    calls = most if control.fixed else min(most, BEGIN)
    ended = problem.begin(calls // control.every + 2)
    if ended is not None:
        return ended
    fused = None if count is None else problem.fused(RUNGE_KUTTA_4, count)
    record, status = problem.record(problem.workspace.dx), Status.FULL
    while status is Status.FULL:
        if fused is not None:
            problem.fuse(fused)
        before = control.steps
        status = problem.step(calls, record)
        made = control.steps - before
        problem.used(made * later if fused is None else 0, made)
        problem.progress(record.t)
        if status is Status.FULL:
            if interrupted():
                status = Status.END
            calls = most
            problem.turn(calls // control.every + 2)
    if status not in (Status.END, Status.EVENT, Status.REWRITE):
        problem.fail(status, control.t, control.component, record)
    event, stats = problem.event(status, record.t), Stats(control.steps, control.rejected, control.evaluations)
    problem.finish()
    return record.solution(stats, event)


def integrate(
    function: Executable, x0: ArrayLike, t0: float, t_end: float, rest: ArrayLike, method: Method,
    progress: Callable[[float], None] | None = None, call: Callable[..., Any] = invoke, *,
    guards: Executable | None = None, armed: ArrayLike | None = None, samples: ArrayLike | None = None,
    settle: Settle | None = None, memory: Memory | None = None, longest: float = math.inf,
    heights: ArrayLike = 0.0, scales: StateScales = UNSCALED,
) -> Solution:  # fmt: skip
    """``ẋ = f(t, x, rest)`` from x0 at t0 to t_end, or to the first event.

    The function's inputs are t, the states, then ``rest``, inputs; its outputs are ẋ. ``progress`` hears the time
    reached, several times in a long run. ``call`` runs the kernels: `native.invoke` as machine code,
    `native.interpret` as Python, with the same bits.

    ``guards`` has the same inputs; its outputs are m guards, then their m rates along the motion. The run ends where
    the first of them falls through zero, located to ``max(4 ulp(t), 1e-12 step)``; ``solution.event`` says when, which,
    and the state there, the last sample. A guard that starts at or below zero and falls is an event at once; one that
    rises or rests there is none. To go on through an event, where nothing turned the guard around, leave it out of
    ``armed``: it is armed again when it has been above zero, or above its height: see `guards`.

    ``samples`` are the times to keep; of all else only the steps of one call are held at a time, however long the run.

    ``settle`` brings the state back to where it belongs after each step (`Projection`). Where it asks for other
    equations, the run ends with an event that names no guard.

    ``memory`` is used again by runs of the same function, guards and settle, one after the other, which then start
    sooner. No step is ``longest`` than that, where a method chooses its steps. ``scales`` are units of time, states
    and guards: what is not given of a method, and what counts as zero of a guard, are parts of them. An interrupt that
    is listened for (`program.interrupt`) ends the run after its next steps.
    """
    return method.solve(problem(function, x0, t0, t_end, rest, call, progress, guards, armed, samples, settle, memory,
                                longest, heights, scales))  # fmt: skip
