"""Runs on which nothing but forces acts, many at once: in the lanes of vectors under RK4, else each by itself."""

from __future__ import annotations

import numpy as np

from latchwork.constraint.scales import measured
from latchwork.constraint.terms import Base
from latchwork.errors import IntegrationError
from latchwork.hybrid.lanes import in_lanes, lanes_pay
from latchwork.hybrid.mechanism import Mechanism
from latchwork.hybrid.right_side import unconstrained
from latchwork.hybrid.start import chosen_method
from latchwork.hybrid.table import Array
from latchwork.integrate.methods import RK4, Method, integrate
from latchwork.integrate.problem import StateScales
from latchwork.integrate.stiffness import stiffness_of
from latchwork.integrate.workspace import Memory
from latchwork.program.batch import parallel, shares
from latchwork.program.function import Function
from latchwork.program.interrupt import interrupted


def integrate_all(shared: Mechanism, method: Method | None, x0: Array, rest: Array, times: Array, x: Array,
                  workers: int) -> tuple[dict[int, str], Array]:  # fmt: skip
    """Fill in x (run, sample, state) from the rows of x0; the reasons of runs that stopped, and how many steps each
    took, 0 in lanes."""
    function, left = unconstrained(shared.driven).function, list(range(len(x0)))
    if isinstance(method, RK4) and lanes_pay(function.program, method, len(x0), times[-1] - times[0]):
        left = in_lanes(function, method, x0, rest, times, x, workers)
    return _alone(shared, function, method, x0, rest, times, left, x, workers)


def measured_starts(shared: Mechanism, t0: float, x0: Array, rest: Array) -> list[Base]:
    """Programs with the scales and units of every run, as it has them alone."""
    return [measured(shared.base, row) for row in np.column_stack([np.full(len(x0), t0), x0[:, :-1], rest])]


def _alone(shared: Mechanism, function: Function, method: Method | None, x0: Array, rest: Array, times: Array,
           which: list[int], x: Array, workers: int) -> tuple[dict[int, str], Array]:  # fmt: skip
    """Fill in these runs, each by itself, in threads: machine code holds no lock."""
    failed: dict[int, str] = {}
    steps, bases = np.zeros(len(x0)), measured_starts(shared, times[0], x0[which], rest[which])
    scales = [StateScales(base.scales.time, base.state_units) for base in bases]

    def run(part: slice) -> None:
        memory = Memory()
        for i, own in zip(which[part], scales[part], strict=True):
            if interrupted():
                return
            try:
                by = method or chosen_method(stiffness_of(function, times[0], x0[i], rest[i], own))
                found = integrate(function, x0[i], times[0], times[-1], rest[i], by, memory=memory, scales=own)
                if found.t[-1] == times[-1]:
                    x[i], steps[i] = found.at(times), found.stats.steps
            except IntegrationError as error:
                x[i], failed[i] = np.nan, str(error)

    parallel(run, shares(len(which), workers, most=64), workers)
    return failed, steps
