"""An initial value problem, prepared for the steppers: slots, stages and the derivative at the start."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import IntegrationError
from latchwork.integrate.dense_output import Array, Event, Record, Solution, Stats
from latchwork.integrate.fused import SHARED, advance_fused, fused_function, pays
from latchwork.integrate.guard_location import FLOOR, memory_size
from latchwork.integrate.status import ADVICE, ELSE, Status
from latchwork.integrate.steppers import derivative
from latchwork.integrate.tableau import Tableau
from latchwork.integrate.watched import watched_fused
from latchwork.integrate.workspace import Memory
from latchwork.program import tiers
from latchwork.program.function import Executable, Function
from latchwork.program.kernel import Kernel
from latchwork.program.native import invoke

KEPT = 10_000  # numbers in rows that are kept for the next run
OPERATIONS_PER_CALL, FEWEST = 20_000_000, 16  # a stepper returns to Python at least this often, after such steps


@dataclass(frozen=True, eq=False)
class Watch:
    """The guards of a problem, and the memory that the watch needs: see `guards`."""

    function: Executable
    z: Array
    w: Array
    flags: NDArray[np.int64]

    @property
    def m(self) -> int:
        """Guards; the function gives their rates as well."""
        return len(self.flags) // 2

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What the watched steppers take."""
        return self.function.executor, self.function.code, self.z, self.m, self.w, self.flags

    def hit(self) -> tuple[int, ...]:
        """The guards that took part in the event."""
        return tuple([i for i, took_part in enumerate(self.flags[self.m :].tolist()) if took_part])


class Settle(NamedTuple):
    """What brings a state back after a step, see `settled`, on the slots of ``mode``; what is held is at ``first``.

    ``judge`` tells from these slots how good the equations are at a state, the more the better.
    """

    run: Kernel[..., None]
    mode: Executable
    first: int
    judge: Kernel[..., None] | None = None


class StateScales(NamedTuple):
    """One of time, of each state, and of each guard's value: what tolerances that were not given are parts of."""

    time: float = 1.0
    states: ArrayLike = 1.0
    guards: ArrayLike = 1.0


UNSCALED = StateScales()


@dataclass(frozen=True, eq=False)
class Problem:
    """``ẋ = f(t, x)`` from x at t to t_end; ``call`` runs a kernel, as machine code or as Python."""

    function: Executable
    x: Array
    t: float
    t_end: float
    rest: Array
    call: Callable[..., Any]
    progress: Callable[[float], None]
    watch: Watch | None = None
    samples: Array | None = None
    settle: Settle | None = None
    memory: Memory = field(default_factory=Memory)
    longest: float = math.inf  # no step that is chosen in the run is longer
    scales: StateScales = UNSCALED

    @property
    def n(self) -> int:
        """States."""
        return len(self.x)

    def steps(self, kernel: Kernel[..., Any]) -> Callable[..., Any]:
        """What runs a kernel."""
        return self.memory.caller(kernel, False) if self.call is invoke else partial(self.call, kernel)

    def quick(self, kernel: Kernel[..., Any]) -> Callable[..., Any]:
        """What runs a kernel that takes microseconds."""
        return self.memory.caller(kernel, True) if self.call is invoke else partial(self.call, kernel)

    def start(self, tableau: Tableau) -> tuple[Array, Array, Array]:
        """Slots with the held inputs in place, a copy of x, and stages with ẋ in the first."""
        f, n, memory = self.function, self.n, self.memory
        z, x, k = memory.slots("function", f), memory.room("x", n), memory.room("k", (tableau.stages, n))
        z[1 + n : 1 + n + len(self.rest)] = self.rest
        x[:] = self.x
        self.quick(derivative)(f.executor, f.code, z, n, self.t, x, k)
        if not all(map(math.isfinite, k[0].tolist())):
            self.fail(Status.NOT_FINITE, self.t, int(np.argmin(np.isfinite(k[0]))))
        return z, x, k

    def record(self, x: Array, dx: Array) -> Record:
        """A record that starts here, of every step or of the samples asked for."""
        return Record(self.t, x, dx, self.samples, self.rates)

    def rows(self, count: int) -> tuple[Array, Array, Array, Array]:
        """Rows of t, x, ẋ and bend for the first steps of a run; the record keeps a copy."""
        room, n = self.memory.room if count * self.n <= KEPT else Memory().room, self.n
        return room("t", count), room("xs", (count, n)), room("dxs", (count, n)), room("bends", (count, n))

    def rates(self, t: Array, x: Array) -> Array:
        """ẋ at many times and states."""
        return self.function.many(np.column_stack([t, x, np.tile(self.rest, (len(t), 1))]))

    def event(self, status: Status, t: float, x: Array) -> Event | None:
        """The event at which a stepper stopped, if it was one."""
        if status is Status.REWRITE:
            return Event(t, (), x.copy())
        return Event(t, self.watch.hit(), x.copy()) if status is Status.EVENT and self.watch is not None else None

    @property
    def settling(self) -> tuple[Any, ...]:
        """What the settled steppers take besides: the watch, how to settle, and room for a state and two notes."""
        assert self.settle is not None
        f, room = self.function, self.memory.room
        watch = (self.watch.arguments if self.watch is not None else
                 (f.executor, f.code, room("none", 1), 0, room("unwatched", 2 * self.n), room("unarmed", 0, np.int64)))
        return (*watch, self.settle.run, self.settle.mode.code, self.settle_slots(), room("settled", self.n + 2))

    def settle_slots(self) -> Array:
        """Slots of what settles, with the held inputs in place."""
        assert self.settle is not None
        z, first = self.memory.slots("settle", self.settle.mode), self.settle.first
        z[first : first + len(self.rest)] = self.rest
        return z

    def event_at_start(self, now: Array | None = None) -> Solution | None:
        """The run of no length of a problem in which a guard that is armed is not above zero, and falls.

        ``now`` are guards and rates here, where they are known.
        """
        if self.watch is None:
            return None
        look, m = self.watch, self.watch.m
        f, out = look.function, look.w[6 * self.n :]
        if now is None:
            self.quick(derivative)(f.executor, f.code, look.z, self.n, self.t, self.x, out)
        else:
            out[: 2 * m] = now
        values = out[: 2 * m].tolist()
        for i, (g, rate, armed) in enumerate(zip(values, values[m:], look.flags[:m].tolist(), strict=False)):
            look.flags[m + i] = g <= 0.0 and rate < 0.0 and armed > 0
        if any(map(math.isnan, values[:m])):
            look.flags[m:] = list(map(math.isnan, values[:m]))
            self.fail(Status.NO_NUMBER, self.t)
        if not look.hit():
            return None
        dx = self.function(np.concatenate([[self.t], self.x, self.rest]))
        return self.record(self.x, dx).solution(Stats(0, 0, 1), self.event(Status.EVENT, self.t, self.x))

    def fused(self, tableau: Tableau, steps: int) -> Function | None:
        """The step as one program, where it is short and the run is long enough for machine code to pay."""
        if not isinstance(self.function, Function) or self.settle is not None:
            return None
        program = self.function.program
        if self.call is not invoke or steps * (tableau.stages - 1) < tiers.pays_after(program):
            return None
        return fused_function(self.function, tableau) if pays(program, tableau) else None

    def advance_fused(self, fused: Function, z: Array, span: tuple[Any, ...], x: Array, k: Array, counts: Any,
                      rows: Any) -> int:  # fmt: skip
        """`advance_fixed`, or `watched_fixed`, by fused steps: x and k_0 go in and come out."""
        y, out, f, n = fused.workspace(), np.empty(2 * self.n), self.function, self.n
        y[SHARED : SHARED + 2 * n] = np.concatenate([x, k[0]])
        y[SHARED + 2 * n : len(fused.program.inputs)] = self.rest
        step = (fused.executor, fused.code, y, out)
        if self.watch is not None:
            self.used(0, span[4] - span[3])
            data = (*step, f.executor, f.code, z, n, *span, x, k, counts, *rows, *self.watch.arguments)
            return int(self.call(watched_fused, *data))
        status = self.call(advance_fused, *step, n, *span, counts, *rows[:3])
        x[:], k[0] = out[:n], out[n:]
        return int(status)

    def used(self, evaluations: int, steps: int) -> None:
        """Count evaluations of the program, and of the guards, so that machine code is made for them where it pays."""
        self.function.used(evaluations)
        if self.watch is not None:
            self.watch.function.used(steps)

    def fail(self, status: Status, t: float, component: int = -1, record: Record | None = None) -> None:
        """Say why the run stopped, where, and which state it was; ``error.solution`` holds what was computed."""
        self.stopped(status, t, component, None if record is None else record.solution(Stats(record.steps, 0, 0)))

    def stopped(self, status: Status, t: float, component: int, solution: Solution | None) -> None:
        """The same, with what was computed given."""
        names = self.function.inputs[1:]
        state = f" (of '{names[component]}')" if component >= 0 else ""
        if status is Status.NO_NUMBER and self.watch is not None and self.watch.hit():
            state = f" (number {self.watch.hit()[0]})"
        raise IntegrationError(
            f"The run from t = {self.t!r} to {self.t_end!r} stopped at t = {t!r}: {status.value}{state}. "
            f"{ADVICE.get(status, ELSE)}",
            solution=solution,
            reason=status,
        )


def steps_per_call(length: int, n: int, tableau: Tableau, most: int = 4096) -> int:
    """As many steps as keep a call short, so that an interrupt is heard; decided by counts, not by the clock."""
    return max(FEWEST, min(most, OPERATIONS_PER_CALL // (tableau.stages * (length + tableau.stages * n + 1))))


def problem(
    function: Executable, x0: ArrayLike, t0: float, t_end: float, rest: ArrayLike, call: Callable[..., Any],
    progress: Callable[[float], None] | None, guards: Executable | None = None, armed: ArrayLike | None = None,
    samples: ArrayLike | None = None, settle: Settle | None = None, memory: Memory | None = None,
    longest: float = math.inf, heights: ArrayLike = 0.0, scales: StateScales = UNSCALED,
) -> Problem:  # fmt: skip
    """A problem whose sizes agree and whose time goes forward."""
    memory = Memory() if memory is None else memory
    x, held = np.array(x0, dtype=float), np.array(rest, dtype=float)
    inputs, outputs = len(function.inputs), function.width
    if x.ndim != 1 or held.ndim != 1 or inputs != 1 + len(x) + len(held) or outputs != len(x):
        raise IntegrationError(
            f"States of shape {x.shape} and held inputs of shape {held.shape} do not fit a program of {inputs} inputs "
            f"(t, states, held) and {outputs} outputs (derivatives). Give as many as the program has."
        )
    if not (math.isfinite(t0) and math.isfinite(t_end) and t0 <= t_end):
        raise IntegrationError(f"Time cannot go from {t0!r} to {t_end!r}. Give finite times with t0 <= t_end.")
    if not all(map(math.isfinite, x.tolist())):
        name = function.inputs[1 + int(np.argmin(np.isfinite(x)))]
        raise IntegrationError(f"The initial value of '{name}' is not finite. Give a number.")
    watch = None if guards is None else _watch(guards, inputs, len(x), held, armed, (heights, scales.guards), memory)
    times = None if samples is None else _samples(samples, t0, t_end)
    hears = progress or (lambda t: None)
    return Problem(function, x, float(t0), float(t_end), held, call, hears, watch, times, settle, memory,
                   longest, scales)  # fmt: skip


def _watch(guards: Executable, inputs: int, n: int, rest: Array, armed: ArrayLike | None,
           numbers: tuple[ArrayLike, ArrayLike], memory: Memory) -> Watch:  # fmt: skip
    """The watch over guards whose program takes what the right-hand side takes, and gives values and rates; the
    numbers are their heights and units."""
    given, outputs = len(guards.inputs), guards.width
    m = outputs // 2
    arms = np.ones(m) if armed is None else np.asarray(armed)
    if given != inputs or outputs % 2 or arms.shape != (m,):
        raise IntegrationError(
            f"Guards with {given} inputs, {outputs} outputs and armed of shape {arms.shape} do not fit. Give a program "
            f"of {inputs} inputs (t, states, held) whose outputs are m guards and their m rates; armed has m entries."
        )
    z, flags = memory.slots("guards", guards), memory.room("flags", 2 * m, np.int64)
    w = memory.room("watch", memory_size(n, m))
    z[1 + n : inputs] = rest
    flags[:m], flags[m:] = arms != 0, 0
    w.fill(0.0)
    w[6 * n + 10 * m : 6 * n + 11 * m] = numbers[0]
    w[6 * n + 13 * m :] = np.multiply(FLOOR, numbers[1])
    return Watch(guards, z, w, flags)


def _samples(samples: ArrayLike, t0: float, t_end: float) -> Array:
    """Times to sample, in order, within the run."""
    times = np.array(samples, dtype=float)
    if times.ndim != 1 or not ((np.diff(times) > 0.0).all() and (times >= t0).all() and (times <= t_end).all()):
        raise IntegrationError(f"Samples must be times that grow from {t0!r} to {t_end!r}. Sort them, without doubles.")
    return times
