"""Closed loop: a control law inside the right-hand side, evaluated in whatever mode holds just now.

    r = law(t, q, u; M, f, B, c of the mode),   ẋ = (q̇, u̇_ind, power) at (t, x, r)

The law is a kernel that reads the memory of the mode (`EmbeddedMode`) and gives the inputs it commands. They are put in
before the mode is evaluated, watched or expanded: so a law is written once, and its equations are those of the mode. A
mechanism on which nothing holds is a mode without rows here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from latchwork.constraint.embedded import executors, sliding_executors
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.mode import Mode
from latchwork.constraint.embedded.mode_block import Frame, Watch, frame
from latchwork.constraint.terms import Base
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.table import Array
from latchwork.integrate.status import Status
from latchwork.integrate.workspace import Memory
from latchwork.program.function import Function
from latchwork.program.kernel import Kernel, bits, executor, f64p, i32p, i64, i64p, i64p_at, kernel
from latchwork.program.native import Native, native, together
from latchwork.program.records.memory import lay_out
from latchwork.program.records.record import array, record
from latchwork.program.records.view import address_of, record_at

COMMAND, RUN, EXPAND, LOOK, FORCES = range(5)  # what is asked of a mode in a closed loop
SOON = (1e-9, 1e-6)  # of the time of the model: where a law that has a value now may have none


@record
class ClosedLoop:
    """The law of a mode, and what runs the mode with its inputs held: plain executors, or those of what slides."""

    command: executor
    run: executor
    expand: executor
    look: executor
    forces: executor
    law: i64  # the address of the record of the law
    p: i64
    place: i64p = array("p")  # of the inputs commanded, among what is held
    value: f64p = array("p")


class CommandLaw(Protocol):
    """A law as a kernel: ``command(code, z, r)`` gives the inputs at ``places`` in the mode whose slots are z."""

    @property
    def command(self) -> Kernel[..., None]:
        """What gives the inputs."""
        ...

    @property
    def places(self) -> Sequence[int]:
        """Where the inputs stand among what is held."""
        ...

    @property
    def functions(self) -> tuple[Function, ...]:
        """The programs that it runs."""
        ...

    def start(self, base: Base, x: Array) -> None:
        """What it needs to know of the state x = (t, q, u, rest) in which a run starts."""
        ...

    def memory(self, mode: Mode) -> Any:
        """The record that the law reads in a mode."""
        ...

    def told(self, mode: Mode, t: float, x: Array, rest: Array) -> str:
        """Why the law has no command at states x of a mode; nothing where it has one."""
        ...


@kernel
def execute(code: i32p, z: f64p, out: f64p, what: i64) -> None:
    """The inputs that the law commands at (t, x); put in, what an executor of the mode gives."""
    mode = record_at(EmbeddedMode, z, code[0])
    loop = record_at(ClosedLoop, i64p_at(bits(mode.settings[0])), 0)  # its address stands in the settings of a mode
    loop.command(code, z, out if what == COMMAND else loop.value)
    if what != COMMAND:
        for i in range(loop.p):
            mode.rest[loop.place[i]] = loop.value[i]
    if what == RUN:
        loop.run(code, z, out)
    elif what == EXPAND:
        loop.expand(code, z, out)
    elif what == LOOK:
        loop.look(code, z, out)
    elif what == FORCES:
        loop.forces(code, z, out)


@kernel
def commands(code: i32p, z: f64p, out: f64p) -> None:
    """The inputs that the law commands at (t, x)."""
    execute(code, z, out, COMMAND)


@kernel
def run(code: i32p, z: f64p, out: f64p) -> None:
    """ẋ = (q̇, u̇_ind, power) at (t, x), the loop closed."""
    execute(code, z, out, RUN)


@kernel
def expand(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇) of all speeds at (t, x), the loop closed."""
    execute(code, z, out, EXPAND)


@kernel
def look(code: i32p, z: f64p, out: f64p) -> None:
    """Guards and their rates at (t, x), the loop closed."""
    execute(code, z, out, LOOK)


@kernel
def forces(code: i32p, z: f64p, out: f64p) -> None:
    """(u, u̇, λ) at (t, x), the loop closed."""
    execute(code, z, out, FORCES)


together(run, expand, look, forces, commands)


@dataclass(eq=False)
class ControlledMode(Mode):
    """A mode whose inputs follow a law; guards and multipliers see them too."""

    law: CommandLaw = field(kw_only=True)

    @cached_property
    def loop(self) -> tuple[ClosedLoop, Any]:
        """The record of the loop, and that of the law, which it points to."""
        law = self.law.memory(self)
        plain = executors if self.is_plain else sliding_executors
        steps = sliding_executors if self.sliders else executors
        made = lay_out(
            ClosedLoop, command=native(self.law.command).address, run=native(steps.embedded).address,
            expand=native(steps.expand).address, look=native(super().watcher).address,
            forces=native(plain.forces).address, law=address_of(law), p=len(self.law.places),
            place=np.array(self.law.places, dtype=np.int64), value=np.zeros(len(self.law.places)),
        )  # fmt: skip
        return made, law

    @cached_property
    def _frame(self) -> Frame:
        chosen = self.selection
        lost = () if self.share is None else chosen.redundant
        where = np.array([address_of(self.loop[0])], dtype=np.int64).view(np.float64)
        return frame(self.terms, len(chosen.dependent), len(chosen.independent), len(self.rest), self.sliders, lost,
                     self.share, settings=where)  # fmt: skip

    @property
    def executor(self) -> Kernel[..., None] | Native:
        """What runs it: the right-hand side, or the guards that watch it."""
        return run if self.watch is None else look

    @property
    def watcher(self) -> Kernel[..., None]:
        return look

    @property
    def expander(self) -> Kernel[..., None]:
        return expand

    @property
    def forces(self) -> Kernel[..., None]:
        return forces

    @property
    def programs(self) -> tuple[Function, ...]:
        """What is run for this mode, and by its law."""
        return (*super().programs, *self.law.functions)

    def commands(self, x: ArrayLike) -> Array:
        """The inputs that the law commands, for rows of inputs."""
        return self._each(commands, x, len(self.law.places))

    def used(self, times: int) -> None:
        super().used(times)
        for function in self.law.functions:
            function.used(times)

    def _watched(self, guards: Watch) -> Mode:
        return _controlled(self, self.law, guards)


def _controlled(mode: Mode, law: CommandLaw, watch: Watch | None = None) -> ControlledMode:
    return ControlledMode(
        mode.terms, mode.selection, mode.rest, mode.weights, mode.typical, mode.lengths, mode.usual_pivot, mode.course,
        mode.numbers, mode.limit, mode.least_pivot, watch, mode.sliders, mode.share, law=law,
    )  # fmt: skip


def controlled_mode(mode: Mode, law: CommandLaw) -> ControlledMode:
    """A mode with its loop closed by a law."""
    return _controlled(mode, law)


@dataclass(eq=False)
class ControlledDynamics(Recombined):
    """Constraints embedded by recombination, inputs by a law."""

    @property
    def _controlled(self) -> ControlledMode:
        assert isinstance(self.mode, ControlledMode), "modes of a closed loop have its modes"
        return self.mode

    @property
    def inputs(self) -> list[int]:
        """Where the inputs that the law commands stand among what is held."""
        return list(self._controlled.law.places)

    def commands(self, t: Array, x: Array, rest: Array) -> Array:
        """The inputs that the law commands at rows of states."""
        return self._controlled.commands(np.column_stack([t, x, rest]))

    def commanded(self, t: float, x: Array, rest: Array) -> Array:
        """What is held at (q, u, work), with the inputs that the law commands there."""
        law, states = self._controlled.law, self.reduced(x)
        found = self._here(commands, len(law.places), t, states, rest)
        made = rest.copy()
        made[list(law.places)] = found
        return made

    def told(self, t: float, x: Array, rest: Array, reason: Status | None) -> str:
        law, time = self._controlled.law, self.mode.terms.base.scales.time
        for later in () if reason is None else (0.0, *SOON):
            why = law.told(self.mode, t + later * time, self.reduced(x), rest)
            if why:
                return f" There, {why}" if not later else f" Shortly after, {why}"
        return super().told(t, x, rest, reason)

    def _in(self, mode: Mode) -> Recombined:
        made = mode if isinstance(mode, ControlledMode) else controlled_mode(mode, self._controlled.law)
        return ControlledDynamics(self.driven, made, self.watch, label=self.label, memory=Memory(self.memory),
                               others=self.others)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Controlled:
    """Constraints embedded on line as by `lw.Embedded`, and a law inside the right-hand side."""

    law: CommandLaw

    def dynamics(self, driven: Driven, mode: Mode, watch: Watch | None, known: bool, label: tuple[str, ...],
                 memory: Memory) -> ModeDynamics:  # fmt: skip
        return ControlledDynamics(driven, controlled_mode(mode, self.law), watch, label=label, memory=memory)
