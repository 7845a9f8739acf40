"""Ticks: a problem that is stepped one fixed step a call, while what is held changes from step to step.

The steps are those of `RK4`, and have its bits; nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

from latchwork.integrate.dense_output import Array
from latchwork.integrate.integration import PATIENT, STRICT
from latchwork.integrate.methods import RK4
from latchwork.integrate.problem import Problem
from latchwork.integrate.status import STATUS, Status
from latchwork.integrate.stepper import stand, tick
from latchwork.integrate.tableau import RUNGE_KUTTA_4
from latchwork.program.native import address, invoke, native
from latchwork.program.records.view import address_of

MADE = (Status.FULL, Status.REWRITE)  # how a step ends that was made
ROWS = 2  # of a page: nothing is kept, but there must be room


class Ticks:
    """A problem from its time on, in steps of h: ``tick(held)`` makes the next one.

    Where its time is that of step ``i`` from ``origin``, the times are ``origin + i h``, wherever it was taken up.
    ``patient`` guards may be below zero as long as they rise.
    """

    def __init__(self, given: Problem, h: float, patient: Sequence[bool], origin: float | None = None,
                 i: int = 0) -> None:  # fmt: skip
        self.given, self.h, self.x = given, h, given.workspace.x
        given.workspace.turn(ROWS)
        self._control = given.integration.control
        RK4(h).put(self._control)
        self._at, self._step = address_of(given.integration), native(tick).brief
        self._executors = self._running()
        self._place(given.x, patient, given.t if origin is None else origin, i)

    def restart(self, x: Array, armed: Sequence[bool], patient: Sequence[bool], origin: float, i: int) -> None:
        """Stand at step i from an origin, in another state, with these guards armed."""
        self.given.workspace.armed[: self.given.integration.guards.m] = armed
        self._place(x, patient, origin, i)

    def _place(self, x: Array, patient: Sequence[bool], origin: float, i: int) -> None:
        given = self.given
        kinds = [PATIENT if may_rise else STRICT for may_rise in patient]
        given.workspace.kinds[: given.integration.guards.m] = kinds
        self._control.origin, self._control.made = float(origin), i
        invoke(stand, given.integration, x, given.rest)

    def _running(self) -> list[object]:
        """What executes the programs now: machine code may arrive."""
        watch = () if self.given.guards is None else self.given.guards.functions
        return [function.executor for function in (*self.given.function.functions, *watch)]

    @property
    def is_current(self) -> bool:
        """Whether the programs are executed as they were when this was made."""
        return self._running() == self._executors

    @property
    def armed(self) -> list[int]:
        """1 for each guard that is armed."""
        armed: list[int] = self.given.workspace.armed[: self.given.integration.guards.m].tolist()
        return armed

    @property
    def i(self) -> int:
        """Steps from the origin."""
        return self._control.made

    @property
    def t(self) -> float:
        """The time reached: ``t_i = t0 + i h``, as `RK4` has it."""
        return self._control.origin + float(self.i) * self.h

    def tick(self, held: Array) -> Status:
        """Make the next step with this held, and say how it went: it was made where that is one of `MADE`.

        Where something stood in its way, nothing more can be made of this.
        """
        return STATUS[self._step(self._at, address(held))]

    def used(self, count: int) -> None:
        """Count steps, so that machine code is made where it pays."""
        self.given.used(count * (RUNGE_KUTTA_4.stages - 1), count)
