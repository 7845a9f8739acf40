"""Runs that step together: RK4 over the lanes of a vector, groups of runs in threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from latchwork.integrate.dense_output import Solution, Stats
from latchwork.integrate.fused import SHARED, fused, pays
from latchwork.integrate.fused_steps import FusedSteps
from latchwork.integrate.methods import RK4
from latchwork.integrate.problem import OPERATIONS_PER_CALL
from latchwork.integrate.status import Status
from latchwork.integrate.tableau import RUNGE_KUTTA_4
from latchwork.program.batch import Lanes, grouped, parallel, shares
from latchwork.program.function import Function
from latchwork.program.interrupt import interrupted
from latchwork.program.ir import Program
from latchwork.program.tiers import pays_after

Array = NDArray[np.float64]
STAGES = RUNGE_KUTTA_4.stages - 1


def lanes_pay(program: Program, method: RK4, runs: int, span: float) -> bool:
    """Whether there are enough steps in all to pay for compiling them; decided by counts."""
    evaluations = runs * method.count(span) * STAGES
    return pays(program, RUNGE_KUTTA_4) and evaluations >= pays_after(program)


def in_lanes(function: Function, method: RK4, x0: Array, rest: Array, times: Array, x: Array,
             threads: int | None) -> list[int]:  # fmt: skip
    """Fill in x (run, sample, state) from the rows of x0, where a run has come to its end; those to be taken alone."""
    group = Groups(function, method, x0, rest, times)
    parts = shares(len(group.start), threads, most=group.per_call)
    parallel(group.run_ends if len(times) == 2 else group.run_samples, parts, threads)
    found = group.x.transpose(0, 3, 1, 2).reshape(-1, len(times), x0.shape[1])[: len(x0)]
    done, stopped = (np.repeat(which, group.step.lanes)[: len(x0)] for which in (group.done, group.stopped >= 0))
    x[done] = found[done]
    return np.flatnonzero(stopped).tolist()


class Groups:
    """Groups of runs: where they start, and what they come to."""

    def __init__(self, function: Function, method: RK4, x0: Array, rest: Array, times: Array) -> None:
        self.method, self.times, self.n = method, times, x0.shape[1]
        self.step = Lanes(fused(function.program, RUNGE_KUTTA_4), shared=SHARED)
        self.last = method.count(times[-1] - times[0])
        rates = function.many(np.column_stack([np.full(len(x0), times[0]), x0, rest]))
        self.start = grouped(np.column_stack([x0, rates, rest]), self.step.lanes)
        self.x = np.empty((len(self.start), len(times), self.n, self.step.lanes))
        self.x[:, 0] = self.start[:, : self.n]
        wrong = ~np.isfinite(self.start[:, self.n : 2 * self.n]).all(axis=(1, 2))
        self.stopped, self.done = np.where(wrong, 0, -1), np.zeros(len(self.start), dtype=bool)

    @property
    def width(self) -> int:
        """States of one group."""
        return self.n * self.step.lanes

    @property
    def per_call(self) -> int:
        """Groups that keep a call short, so that an interrupt is heard."""
        return max(1, OPERATIONS_PER_CALL // (self.last * len(self.step.program) + 1))

    def calls(self, groups: int) -> Iterator[tuple[int, int]]:
        """Steps in short calls: the first, and the one where to stop; none after an interrupt."""
        most = max(1, OPERATIONS_PER_CALL // (groups * len(self.step.program) + 1))
        for first in range(0, self.last, most):
            if interrupted():
                return
            yield first, min(first + most, self.last)

    def run_ends(self, part: slice) -> None:
        """All steps of some groups; only the ends are kept."""
        state, stopped, stop = self.start[part].copy(), self.stopped[part].copy(), 0
        ends = FusedSteps(self.step, self.width, self.times[0], replace(self.method, every=max(self.last, 1)), 1)
        for first, stop in self.calls(len(state)):
            ends.advance_groups(first, float(self.times[-1]), stop - first, state, stopped)
        self.x[part, 1], self.stopped[part] = state[:, : self.n], stopped
        self.done[part] = (stopped < 0) & (stop == self.last)

    def run_samples(self, part: slice) -> None:
        """Some groups one after the other, with every step recorded and asked at the times of the samples."""
        for g in range(part.start, part.stop):
            steps = FusedSteps(self.step, self.width, self.times[0], replace(self.method, every=1), self.last + 1)
            steps.start(self.start[g].ravel())
            t, x, dx, bend = steps.workspace.rows
            t[0], (x[0], dx[0]) = self.times[0], self.start[g, : 2 * self.n].reshape(2, -1)
            steps.integration.last, status = 0, int(Status.FULL if self.last else Status.END)
            for first, stop in self.calls(1):
                status = steps.advance(float(self.times[-1]), stop - first)
                if status == Status.NOT_FINITE:
                    self.stopped[g] = steps.control.steps
                    break
            if status != Status.END:
                continue
            self.done[g] = True
            solution = Solution(t, x, dx, bend[1:], Stats(self.last, 0, 0))
            self.x[g] = solution.at(self.times).reshape(len(self.times), self.n, -1)
