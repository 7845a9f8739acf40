"""Methods for stiff systems, from SciPy and SUNDIALS, on our right-hand side, Jacobian and guard watch.

A solver takes its steps; each is asked at five even points of its own dense output, and their quartic is what the
solution keeps. Near a fast decay ẋ amplifies every error of x, so the slopes are those of the quartic, not ẋ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from latchwork.algebra.products import dot
from latchwork.errors import IntegrationError, spelled
from latchwork.integrate.checks import must_be_numbers
from latchwork.integrate.dense_output import Array, Event, Solution, Stats, dense
from latchwork.integrate.guard_location import NO_INSTANT, watch
from latchwork.integrate.jacobian import differences, evaluated, jacobian_function, pays
from latchwork.integrate.problem import Problem
from latchwork.integrate.status import Status
from latchwork.program.function import Function
from latchwork.program.interrupt import interrupted

METHODS = ("Radau", "BDF", "LSODA")
SLIVER = 100 * 2.0**-52  # a span this short against t, as between nearly equal rows of two tables, is a step of Euler
EVEN = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
# Slopes at both ends and the leading coefficient of the quartic through five even points on [0, 1].
START = np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / 3.0
END = np.array([3.0, -16.0, 36.0, -48.0, 25.0]) / 3.0
LEADING = np.array([1.0, -4.0, 6.0, -4.0, 1.0]) * 32.0 / 3.0

ATOL = 1e-10  # of the unit of each state, where no atol is given
DRIFT, TOLERATED = 1e-6, 1e3  # the solver starts again from the settled state where its own is this far from it, and
# so many times what it may be off in a step: a start is of first order, and worse than a little drift

Advance = Callable[[], tuple[float, Array]]  # one step: its end, and x at five even points (5, n)
Start = Callable[[float, Array, float | None], Advance]  # from a time and a state, with a first step or none


@spelled
@dataclass(frozen=True)
class SciPy:
    """A stiff method of SciPy: ``"Radau"``, ``"BDF"`` or ``"LSODA"``.

    J is derived where the system is small, and found by differences where it is not. SciPy does not say which steps it
    rejected, so ``stats.rejected`` is 0.
    """

    name: str = "Radau"
    rtol: float = 1e-8
    atol: float | tuple[float, ...] | None = None
    max_step: float = math.inf
    max_steps: int = 1_000_000

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or self.name not in METHODS:
            raise IntegrationError(f"SciPy has no stiff method '{self.name}'. Choose one of {', '.join(METHODS)}.")
        _must_step(self, self.rtol, self.atol, self.max_step)

    def absolute(self, units: ArrayLike) -> Any:
        """atol of states in these units: as given, or a part of each."""
        return _absolute(self.atol, units)

    def solve(self, problem: Problem) -> Solution:
        """Every step that SciPy takes is a sample."""
        from scipy import integrate

        side = _Side(problem)
        longest = min(self.max_step, problem.longest)
        settings = {"rtol": self.rtol, "atol": _atol(problem, self.atol), "max_step": longest}

        def start(t: float, x: Array, h: float | None) -> Advance:
            first = {} if h is None else {"first_step": min(h, problem.t_end - t)}
            solver = getattr(integrate, self.name)(side.rates, t, x, problem.t_end, jac=side.jacobian,
                                                 **settings, **first)  # fmt: skip

            def advance() -> tuple[float, Array]:
                if solver.step() is not None:
                    raise _Stuck
                points = solver.dense_output()(solver.t_old + EVEN * (solver.t - solver.t_old)).T
                points[-1] = solver.y
                return float(solver.t), points

            return advance

        return _march(problem, side, start, self.max_steps, self.rtol)


@spelled
@dataclass(frozen=True)
class Sundials:
    """CVODE of SUNDIALS, backward differences of order 1 to 5; needs ``pip install latchwork[sundials]``."""

    rtol: float = 1e-8
    atol: float | tuple[float, ...] | None = None
    max_step: float = math.inf
    max_steps: int = 1_000_000

    def __post_init__(self) -> None:
        _must_step(self, self.rtol, self.atol, self.max_step)

    def absolute(self, units: ArrayLike) -> Any:
        """atol of states in these units: as given, or a part of each."""
        return _absolute(self.atol, units)

    def solve(self, problem: Problem) -> Solution:
        """Every step that CVODE takes is a sample."""
        try:
            from sksundae.cvode import CVODE
        except ImportError:
            raise IntegrationError(
                "lw.Sundials needs scikit-sundae, which is not installed. Run: pip install latchwork[sundials]; or use "
                'lw.SciPy("Radau").'
            ) from None
        side = _Side(problem)
        settings = {"rtol": self.rtol, "atol": _atol(problem, self.atol), "max_num_steps": self.max_steps}
        settings["jacfn"] = side.fill_jacobian
        if min(self.max_step, problem.longest) < math.inf:
            settings["max_step"] = min(self.max_step, problem.longest)

        def start(t: float, x: Array, _: float | None) -> Advance:
            solver = CVODE(side.fill_rates, **settings)
            solver.init_step(t, x)
            reached = [t]

            def one_step() -> tuple[float, Array]:
                found = solver.step(problem.t_end, method="onestep", tstop=problem.t_end)
                if not found.success:
                    raise _Stuck
                return float(found.t), np.array(found.y, dtype=float)

            def advance() -> tuple[float, Array]:
                before = reached[0]
                t, x = one_step()
                if t <= before:  # it was asked about the past, and first comes back to where it is
                    t, x = one_step()
                if t <= before:
                    raise _Stuck
                inside = [np.array(solver.step(before + c * (t - before)).y, dtype=float) for c in EVEN[1:-1]]
                reached[0] = t
                return t, np.stack([x, *inside, x])

            return advance

        return _march(problem, side, start, self.max_steps, self.rtol)


class _Stuck(Exception):
    """The solver cannot go on."""


class _Side:
    """ẋ and J as the solvers call them, and how often ẋ was asked for."""

    def __init__(self, problem: Problem) -> None:
        self.function, self.n, self.calls = problem.function, problem.n, 0
        self.z = np.concatenate([[problem.t], problem.x, problem.rest])
        f = problem.function
        self.derived = jacobian_function(f) if isinstance(f, Function) and pays(f.program) else None
        if problem.settle is not None:
            self.settle_slots = problem.memory.slots("settle", problem.settle.mode)

    def at(self, t: float, x: Array) -> Array:
        """The inputs of the program."""
        self.z[0], self.z[1 : 1 + self.n] = t, x
        return self.z

    def rates(self, t: float, x: Array) -> Array:
        """ẋ."""
        self.calls += 1
        return self.function(self.at(t, x))

    def jacobian(self, t: float, x: Array) -> Array:
        """J, derived or by differences."""
        if self.derived is not None:
            return evaluated(self.derived, self.at(t, x), self.n)
        self.calls += self.n + 1
        return differences(self.function, self.at(t, x), self.n)

    def settled(self, problem: Problem, t: float, x: Array) -> tuple[Array, int]:
        """The state where it belongs, and what is noted of it: see `Projection`."""
        assert problem.settle is not None
        run, code, z = problem.settle.run, problem.settle.mode.code, self.settle_slots
        w = np.append(x, np.zeros(2))
        z[0] = t
        problem.call(run, code, z, w)
        return w[: self.n], int(w[self.n + 1])

    def fill_rates(self, t: float, x: Array, dx: Array) -> None:
        """ẋ, written in place."""
        dx[:] = self.rates(t, x)

    def fill_jacobian(self, t: float, x: Array, dx: Array, J: Array) -> None:
        """J, written in place."""
        J[:] = self.jacobian(t, x)


@dataclass
class _Steps:
    """The steps of a run while it goes on: ends, and for each interval slopes at both ends and the leading term."""

    t: list[float]
    x: list[Array]
    starts: list[Array]
    ends: list[Array]
    bends: list[Array]

    def add(self, t: float, points: Array) -> None:
        """A step to t through five even points."""
        h = t - self.t[-1]
        self.starts.append(dot(START, points) / h)
        self.ends.append(dot(END, points) / h)
        self.bends.append(dot(LEADING, points))
        self.t.append(t)
        self.x.append(points[-1])

    def cut(self, theta: float) -> None:
        """End the last step at θ; at θ = 0 it never was."""
        t1, x1 = self.t.pop(), self.x.pop()
        start, end, bend = self.starts.pop(), self.ends.pop(), self.bends.pop()
        if theta > 0.0:
            h = t1 - self.t[-1]
            points = dense((theta * EVEN)[:, None], np.array(h), self.x[-1], x1, start, end, bend)
            self.add(self.t[-1] + theta * h if theta < 1.0 else t1, points)

    def solution(self, rates: Array, stats: Stats, event: Event | None = None) -> Solution:
        """All steps together."""
        n = len(self.x[0])
        ends, bends = (np.array(column).reshape(-1, n) for column in (self.ends, self.bends))
        return Solution(np.array(self.t), np.array(self.x), np.array([*self.starts, rates]), bends, stats, event, ends)


def _march(problem: Problem, side: _Side, start: Start, max_steps: int, rtol: float) -> Solution:
    """Step after step until the end, an event or a failure."""
    ended = problem.begin()
    if ended is not None:
        return ended
    steps, first = _Steps([problem.t], [problem.x.copy()], [], [], []), side.rates(problem.t, problem.x)
    if problem.settle is not None:
        side.settled(problem, problem.t, problem.x)  # where it begins
    event, taken, span = None, 0, problem.t_end - problem.t
    if span > SLIVER * max(abs(problem.t), abs(problem.t_end)):
        advance = start(problem.t, problem.x, None)
    else:
        advance = partial(_euler, problem, first)
    while event is None and steps.t[-1] < problem.t_end:
        status = Status.TOO_MANY if taken == max_steps else _one(advance, steps)
        taken += 1
        moved, asks = _settled(problem, side, steps) if status is Status.FULL and problem.settle else (0.0, 0)
        status = Status.ELSEWHERE if asks == 2 else status
        theta = _watched(problem, steps) if status is Status.FULL and problem.guards is not None else NO_INSTANT
        if status is not Status.FULL or math.isnan(theta):
            _fail(problem, side, steps, status if status is not Status.FULL else Status.NO_NUMBER)
        if theta < NO_INSTANT:
            steps.cut(theta)
            event = problem.event(Status.EVENT, steps.t[-1], steps.x[-1])
        elif asks != 0 and steps.t[-1] < problem.t_end:
            event = problem.event(Status.REWRITE, steps.t[-1], steps.x[-1])
        elif moved > max(DRIFT, TOLERATED * rtol) and steps.t[-1] < problem.t_end:
            advance = start(steps.t[-1], steps.x[-1], steps.t[-1] - steps.t[-2])
        problem.progress(steps.t[-1])
        if interrupted():
            break
    solution = _solution(side, steps, event)
    return solution if problem.samples is None else _sampled(problem, solution)


def _euler(problem: Problem, rates: Array) -> tuple[float, Array]:
    """A step so short that no solver starts on it."""
    return problem.t_end, problem.x + EVEN[:, None] * (problem.t_end - problem.t) * rates


def _one(advance: Advance, steps: _Steps) -> Status:
    """Take one step; FULL where it can go on."""
    try:
        t, points = advance()
    except _Stuck:
        return Status.TOO_SMALL
    except (ValueError, np.linalg.LinAlgError):  # SciPy's way of saying that J is not finite
        return Status.NOT_FINITE
    points[0] = steps.x[-1]
    if not np.isfinite(points).all():
        return Status.NOT_FINITE
    steps.add(t, points)
    return Status.FULL


def _settled(problem: Problem, side: _Side, steps: _Steps) -> tuple[float, int]:
    """Settle the end of the last step: by how much it moved, and what is noted of it."""
    x, asks = side.settled(problem, steps.t[-1], steps.x[-1])
    moved = float(np.abs(x - steps.x[-1]).max())
    steps.x[-1] = x
    return moved, asks


def _watched(problem: Problem, steps: _Steps) -> float:
    """θ of the first event in the last step, as `guard_location.watch`."""
    step = problem.workspace.step
    columns = steps.x[-2], steps.starts[-1], steps.x[-1], steps.ends[-1], steps.bends[-1]
    for place, column in zip((step.x0, step.dx0, step.x1, step.dx1, step.bend), columns, strict=True):
        np.asarray(place)[:] = column
    return float(problem.call(watch, problem.integration.guards, steps.t[-2], steps.t[-1]))


def _solution(side: _Side, steps: _Steps, event: Event | None = None) -> Solution:
    rates = side.rates(steps.t[-1], steps.x[-1])
    return steps.solution(rates, Stats(len(steps.t) - 1, 0, side.calls), event)


def _fail(problem: Problem, side: _Side, steps: _Steps, status: Status) -> None:
    """Say why the run stopped, with what was computed."""
    try:
        problem.fail(status, steps.t[-1])
    except IntegrationError as error:
        raise IntegrationError(str(error), _solution(side, steps), reason=status) from None


def _sampled(problem: Problem, solution: Solution) -> Solution:
    """The samples asked for and the end, with cubics in between."""
    assert problem.samples is not None
    t = np.unique([*problem.samples[problem.samples <= solution.t[-1]], solution.t[-1]])
    x = solution.at(t)
    return Solution(t, x, problem.rates(t, x), np.zeros((len(t) - 1, problem.n)), solution.stats, solution.event)


def _must_step(method: Any, rtol: float, atol: float | tuple[float, ...] | None, max_step: float) -> None:
    must_be_numbers(method)
    if not (rtol > 0.0 and max_step > 0.0 and np.all(np.asarray(1.0 if atol is None else atol) > 0.0)):
        raise IntegrationError(f"{method} cannot step. Give rtol, atol and max_step above 0.")


def _absolute(atol: float | tuple[float, ...] | None, units: ArrayLike) -> Any:
    """atol of states in these units: as given, or a part of each."""
    return np.multiply(ATOL, units) if atol is None else atol


def _atol(problem: Problem, atol: float | tuple[float, ...] | None) -> Array:
    """One absolute tolerance per state."""
    if isinstance(atol, tuple) and len(atol) != problem.n:
        raise IntegrationError(f"{len(atol)} values of atol do not fit {problem.n} states. Give one for each.")
    return np.full(problem.n, _absolute(atol, problem.scales.states), dtype=float)
