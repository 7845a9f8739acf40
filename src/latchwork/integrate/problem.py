"""An initial value problem, prepared for the steppers: slots, stages and the derivative at the start."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from latchwork.errors import IntegrationError
from latchwork.integrate.fused import SHARED, advance_fused, fused_function, pays
from latchwork.integrate.solution import Array, Record, Stats
from latchwork.integrate.status import Status
from latchwork.integrate.steppers import derivative
from latchwork.integrate.tableau import Tableau
from latchwork.program import tiers
from latchwork.program.function import Function
from latchwork.program.native import invoke

OPERATIONS_PER_CALL = 20_000_000  # a stepper returns to Python at least this often


@dataclass(frozen=True, eq=False)
class Problem:
    """``ẋ = f(t, x)`` from x at t to t_end; ``call`` runs a kernel, as machine code or as Python."""

    function: Function
    x: Array
    t: float
    t_end: float
    rest: Array
    call: Callable[..., Any]
    progress: Callable[[float], None]

    @property
    def n(self) -> int:
        """States."""
        return len(self.x)

    def start(self, tableau: Tableau) -> tuple[Array, Array, Array]:
        """Slots with the held inputs in place, a copy of x, and stages with ẋ in the first."""
        z, x, k = self.function.workspace(), self.x.copy(), np.zeros((tableau.stages, self.n))
        z[1 + self.n : len(self.function.program.inputs)] = self.rest
        self.call(derivative, self.function.executor, self.function.code, z, self.n, self.t, x, k)
        if not np.isfinite(k[0]).all():
            self.fail(Status.NOT_FINITE, self.t, int(np.argmin(np.isfinite(k[0]))))
        return z, x, k

    def steps_per_call(self, tableau: Tableau, most: int = 4096) -> int:
        """As many steps as keep a call short, so that an interrupt is heard; decided by counts, not by the clock."""
        cost = tableau.stages * (len(self.function.program) + tableau.stages * self.n + 1)
        return max(16, min(most, OPERATIONS_PER_CALL // cost))

    def fused(self, tableau: Tableau, steps: int) -> Function | None:
        """The step as one program, where it is short and the run is long enough for machine code to pay."""
        program = self.function.program
        if self.call is not invoke or steps * (tableau.stages - 1) < tiers.pays_after(program):
            return None
        return fused_function(self.function, tableau) if pays(program, tableau) else None

    def advance_fused(self, fused: Function, span: tuple[Any, ...], x: Array, k: Array, counts: Any, rows: Any) -> int:
        """`advance_fixed` by fused steps: x and k_0 go in and come out."""
        z, y, n = fused.workspace(), np.empty(2 * self.n), self.n
        z[SHARED : SHARED + 2 * n] = np.concatenate([x, k[0]])
        z[SHARED + 2 * n : len(fused.program.inputs)] = self.rest
        status = self.call(advance_fused, fused.executor, fused.code, z, y, n, *span, counts, *rows)
        x[:], k[0] = y[:n], y[n:]
        return int(status)

    def fail(self, status: Status, t: float, component: int = -1, record: Record | None = None) -> None:
        """Say why the run stopped, where, and which state it was; ``error.solution`` holds what was computed."""
        names = self.function.program.inputs[1:]
        state = f" (of '{names[component]}')" if component >= 0 else ""
        raise IntegrationError(
            f"The run from t = {self.t!r} to {self.t_end!r} stopped at t = {t!r}: {status.value}{state}. "
            "Check the model near that time, or choose another step or tolerance.",
            solution=None if record is None else record.solution(Stats(record.steps, 0, 0)),
        )


def problem(
    function: Function, x0: ArrayLike, t0: float, t_end: float, rest: ArrayLike, call: Callable[..., Any],
    progress: Callable[[float], None] | None,
) -> Problem:  # fmt: skip
    """A problem whose sizes agree and whose time goes forward."""
    x, held = np.array(x0, dtype=float), np.array(rest, dtype=float)
    inputs, outputs = len(function.program.inputs), len(function.program.outputs)
    if x.ndim != 1 or held.ndim != 1 or inputs != 1 + len(x) + len(held) or outputs != len(x):
        raise IntegrationError(
            f"States of shape {x.shape} and held inputs of shape {held.shape} do not fit a program of {inputs} inputs "
            f"(t, states, held) and {outputs} outputs (derivatives). Give as many as the program has."
        )
    if not (np.isfinite([t0, t_end]).all() and t0 <= t_end):
        raise IntegrationError(f"Time cannot go from {t0!r} to {t_end!r}. Give finite times with t0 <= t_end.")
    if not np.isfinite(x).all():
        name = function.program.inputs[1 + int(np.argmin(np.isfinite(x)))]
        raise IntegrationError(f"The initial value of '{name}' is not finite. Give a number.")
    return Problem(function, x, float(t0), float(t_end), held, call, progress or (lambda t: None))
