"""Ticks: a problem that is stepped one fixed step a call, while what is held changes from step to step.

Everything a step needs stays in place: a call writes what is held, looks at the guards there, and steps. The steps are
those of `RK4`, and have its bits; nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latchwork.integrate.dense_output import Array
from latchwork.integrate.problem import Problem
from latchwork.integrate.settled import settled_fixed
from latchwork.integrate.status import STATUS, Status
from latchwork.integrate.steppers import advance_fixed, derivative
from latchwork.integrate.tableau import RUNGE_KUTTA_4
from latchwork.integrate.watched import watched_fixed
from latchwork.program.kernel import Kernel
from latchwork.program.native import argument, native

MADE = (Status.FULL, Status.REWRITE)  # how a step ends that was made
ENDLESS = 2**40  # steps: a problem that is ticked has no last one
FIRST, STOP = 9, 10  # where the steppers take which step to make


class Ticks:
    """A problem from its time on, in steps of h: ``tick(rest)`` makes the next one.

    Where its time is that of step ``i`` from ``origin``, the times are ``origin + i h``, wherever it was taken up.
    ``patient`` guards may be below zero as long as they rise: see `guards`.
    """

    def __init__(self, given: Problem, h: float, patient: Sequence[bool], origin: float | None = None,
                 i: int = 0) -> None:  # fmt: skip
        self.given, self.h, self.i = given, h, i
        self.origin = given.t if origin is None else origin
        n, tableau = given.n, RUNGE_KUTTA_4
        self.z, self.x, self.k = given.start(tableau)
        f, rows = given.function, (np.zeros(2), np.zeros((2, n)), np.zeros((2, n)), np.zeros((2, n)))
        counts = np.array([0, 0, -1])
        span = (self.origin, h, given.t_end, 0, 1, ENDLESS, 1)
        data = (f.executor, f.code, self.z, n, tableau.stages, tableau.packed, *span, self.x, self.k, counts)
        extra: tuple[object, ...] = rows[:3]
        kernel: Kernel[..., int] = advance_fixed
        if given.settle is not None:
            kernel, extra = settled_fixed, (*rows, *given.settling)
        elif given.watch is not None:
            kernel, extra = watched_fixed, (*rows, *given.watch.arguments)
        self._alive = (data, extra)  # what the addresses below point to
        self._arguments = [argument(item) for item in (*data, *extra)]
        self._step, self._rate = native(kernel).brief, native(derivative).brief
        self._executors = self._running()
        self._places = self._held_places()
        self._start = [argument(item) for item in (f.executor, f.code, self.z, n, 0.0, self.x, self.k)]
        look, self._look, self._now = given.watch, None, np.empty(0)
        if look is not None:
            self._now = look.w[6 * n : 6 * n + 2 * look.m]
            g = look.function
            self._look = [argument(item) for item in (g.executor, g.code, look.z, n, 0.0, self.x, self._now)]
        self._patient = list(patient)

    def restart(self, x: Array, armed: Sequence[bool], patient: Sequence[bool], origin: float, i: int) -> None:
        """Stand at step i from an origin, in another state, with these guards armed."""
        given, look = self.given, self.given.watch
        given.memory.slots("function", given.function)  # as fresh as they were
        if given.settle is not None:
            given.settle_slots()
        if look is not None:
            given.memory.slots("guards", look.function)
            look.flags[: look.m], look.flags[look.m :], self._patient = armed, 0, list(patient)
            look.w[: 6 * given.n + 10 * look.m] = 0.0
        self.x[:], self.origin, self.i = x, origin, i

    def _held_places(self) -> list[Array]:
        """Where what is held stands, for each of the programs."""
        n, held, given = self.given.n, len(self.given.rest), self.given
        places = [self.z[1 + n : 1 + n + held]]
        if given.watch is not None:
            places.append(given.watch.z[1 + n : 1 + n + held])
        if given.settle is not None:
            places.append(given.settle_slots()[given.settle.first : given.settle.first + held])
        return places

    def _running(self) -> list[object]:
        """What executes the programs now: machine code may arrive."""
        watch = () if self.given.watch is None else self.given.watch.function.functions
        return [function.executor for function in (*self.given.function.functions, *watch)]

    @property
    def is_current(self) -> bool:
        """Whether the programs are executed as they were when this was made."""
        return self._running() == self._executors

    @property
    def t(self) -> float:
        """The time reached: ``t_i = t0 + i h``, as `RK4` has it."""
        return self.origin + float(self.i) * self.h

    def tick(self, rest: Array) -> Status:
        """Make the next step with this held, and say how it went: it was made where that is one of `MADE`.

        Where something stood in its way, nothing more can be made of this.
        """
        for place in self._places:
            place[:] = rest
        t = self.t
        self._start[4] = t
        self._rate(*self._start)
        if self._look is not None:
            self._look[4] = t
            self._rate(*self._look)
            if self._falls():
                return Status.EVENT
        self._arguments[FIRST], self._arguments[STOP] = self.i, self.i + 1
        status = STATUS[self._step(*self._arguments)]
        self.i += status in MADE
        return status

    def _falls(self) -> bool:
        """Whether a guard that is armed is below zero now, or falls from there: what is held has changed."""
        watch = self.given.watch
        assert watch is not None
        m, now = watch.m, self._now.tolist()
        for i, armed in enumerate(watch.flags[:m].tolist()):
            g = now[i]
            if g != g or (armed and ((g < 0.0 and not self._patient[i]) or (g <= 0.0 and now[m + i] < 0.0))):
                return True
        return False

    def used(self, steps: int) -> None:
        """Count steps, so that machine code is made where it pays."""
        self.given.used(steps * (RUNGE_KUTTA_4.stages - 1), steps)
