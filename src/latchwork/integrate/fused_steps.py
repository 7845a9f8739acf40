"""Steps of RK4 that are one program each, over lanes or not: an integration without guards and projection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from latchwork.integrate.fused import SHARED
from latchwork.integrate.integration import Integration
from latchwork.integrate.methods import RK4
from latchwork.integrate.status import Status
from latchwork.integrate.step import copy
from latchwork.integrate.stepper import steps
from latchwork.integrate.workspace import Workspace
from latchwork.program.batch import Lanes
from latchwork.program.function import Function
from latchwork.program.kernel import f64, f64p, i64, i64p, kernel, offset
from latchwork.program.native import address, entry, invoke
from latchwork.program.records.memory import write

Array = NDArray[np.float64]


@kernel
def steps_of_groups(
    integration: Integration, until: f64, most: i64, groups: i64, inputs: i64, state: f64p, stopped: i64p
) -> None:
    """So many steps of each group in turn, in place: ``state`` is its (x, ẋ, inputs).

    ``stopped`` is −1, or receives the steps taken by a group whose derivative became not finite, which stays there.
    """
    control, n, z = integration.control, integration.n, integration.fused.slots
    first = control.made
    for g in range(groups):
        if stopped[g] >= 0:
            continue
        group = offset(state, g * inputs)
        control.made, control.t, integration.last = first, control.origin + float(first) * control.step, -1
        copy(2 * n, group, integration.x)
        copy(inputs - 2 * n, offset(group, 2 * n), offset(z, SHARED + 2 * n))
        if steps(integration, until, most) == Status.NOT_FINITE:
            stopped[g] = control.made
        copy(2 * n, integration.x, group)


class FusedSteps:
    """Steps of n numbers from t by a fused program, recorded on a page of so many rows."""

    def __init__(self, step: Function | Lanes, n: int, t: float, method: RK4, rows: int) -> None:
        self.workspace, self._alive = Workspace(n, 0), (step, step.workspace())
        self.workspace.turn(rows)
        self.integration = self.workspace.plain
        self.control, z = self.integration.control, self._alive[1]
        method.put(self.control)
        self.control.origin, self.integration.is_fused = float(t), 1
        write(self.integration.fused, entry(step.executor), address(step.code), address(z), SHARED + 2 * n, 0, 0)
        self._rest = z[SHARED + 2 * n :]

    def start(self, state: Array) -> None:
        """Stand at (x, ẋ, inputs), where the steps begin, with no row written."""
        n = self.workspace.n
        self.control.made, self.control.steps, self.integration.last = 0, 0, -1
        self.control.t = self.control.origin
        self.workspace.x[:], self.workspace.dx[:] = state[:n], state[n : 2 * n]
        self._rest[: len(state) - 2 * n] = state[2 * n :]

    def advance(self, until: float, most: int) -> int:
        """So many steps at most: the stepper's status."""
        return int(invoke(steps, self.integration, until, most))

    def advance_groups(self, first: int, until: float, most: int, state: Array, stopped: NDArray[np.int64]) -> None:
        """So many steps of each group, from step ``first`` on; see `steps_of_groups`."""
        self.control.made = first
        invoke(steps_of_groups, self.integration, until, most, len(state), state[0].size, state, stopped)
