"""Workspaces: the memory of integrations, of which one runs at a time; and what a mode keeps from run to run."""

from __future__ import annotations

from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.integrate.integration import Collocation, Integration, Page, WatchedStep
from latchwork.integrate.tableau import DORMAND_PRINCE_5, RUNGE_KUTTA_4
from latchwork.program.function import Executable
from latchwork.program.kernel import Kernel
from latchwork.program.native import Caller
from latchwork.program.records.memory import copied, lay_out

Array = NDArray[np.float64]
STAGES = max(tableau.stages for tableau in (RUNGE_KUTTA_4, DORMAND_PRINCE_5))
FEWEST_PARTS, LOOKS = 16, 1 << 14  # parts of a step at which all guards are kept, and how many guards are


class Workspace:
    """State and stages, a watched step, and a page of rows, for n states and so many guards at most.

    ``plain`` is an integration that knows of these, and of nothing else.
    """

    def __init__(self, n: int, guards: int) -> None:
        self.n, self.guards = n, guards
        self._stages, self.atol = np.zeros((1 + STAGES, n)), np.zeros(n)
        self.x, self.dx = self._stages[0], self._stages[1]
        self.armed, self.hit = np.zeros(guards, dtype=np.int64), np.zeros(guards, dtype=np.int64)
        self.kinds, self.heights = np.zeros(guards, dtype=np.int64), np.zeros(guards)
        self.floors = np.zeros(guards)
        self.first = np.zeros(2 * guards)  # guards, then their rates, where a run began
        self.step = lay_out(WatchedStep, n=n, m=guards, kept=max(FEWEST_PARTS, LOOKS // max(guards, 1)))
        self._room = np.zeros(n), np.zeros(n + 2), np.arange(n, dtype=np.int64)
        self.page, self.rows = lay_out(Page), self._rows_of(0)
        self.plain = plain = lay_out(Integration, n=n)
        plain.x, plain.page, plain.control.atol = self._stages, self.page, self.atol
        plain.scratch, plain.projection.state, plain.kept = self._room
        self.units, self.collocation = np.ones(n), lay_out(Collocation, n=0)
        plain.control.absolute, plain.control.unit, plain.control.units = self.atol, 1.0, self.units
        plain.collocation = self.collocation
        plain.control.every, plain.control.component = 1, -1
        watch = plain.guards
        watch.armed, watch.hit, watch.first, watch.step = self.armed, self.hit, self.first, self.step
        watch.kinds, watch.heights, watch.floors = self.kinds, self.heights, self.floors

    def collocate(self) -> Collocation:
        """Memory for implicit steps, made once it is asked for."""
        if self.collocation.n < self.n:
            self.collocation = self.plain.collocation = lay_out(Collocation, n=self.n)
        return self.collocation

    def _rows_of(self, room: int) -> tuple[Array, Array, Array, Array]:
        shape = room, self.n
        return np.zeros(room), np.zeros(shape), np.zeros(shape), np.zeros(shape)

    def turn(self, room: int) -> None:
        """Take a new page for rows of t, x, ẋ and bend; what was written stays where it is."""
        self.rows, page = self._rows_of(room), self.page
        page.room, page.free = room, 0
        page.t, page.x, page.dx, page.bend = self.rows


class Memory:
    """What the runs of one mode use one after the other: a workspace, an integration, slots of functions.

    Modes of which one runs at a time may share their workspaces, and what runs kernels; not the slots.
    """

    def __init__(self, shared: Memory | None = None) -> None:
        self._workspaces: dict[int, Workspace] = {} if shared is None else shared._workspaces  # by states
        self._callers: dict[tuple[Kernel[..., Any], bool], Caller] = {} if shared is None else shared._callers
        self._slots: dict[str, tuple[Executable, Array]] = {}
        self._integration: tuple[Workspace, Integration] | None = None
        self._known: dict[str, tuple[Any, ...]] = {}

    def workspace(self, n: int, guards: int) -> Workspace:
        """Memory for n states and as many guards or more."""
        found = self._workspaces.get(n)
        if found is None or found.guards < guards:
            found = self._workspaces[n] = Workspace(n, guards)
        return found

    def integration(self, workspace: Workspace) -> Integration:
        """An integration on a workspace: the last one, where it is that."""
        known = self._integration
        if known is None or known[0] is not workspace:
            known = self._integration = workspace, copied(workspace.plain)
        return known[1]

    def knows(self, name: str, *given: Any) -> bool:
        """Whether these very things were given the last time; they are kept."""
        known = self._known.get(name, ())
        self._known[name] = given
        return len(known) == len(given) and all(map(is_, known, given))

    def slots(self, name: str, function: Executable) -> Array:
        """The slots of a function, as fresh as those of `workspace`, but for inputs and intermediate results."""
        known = self._slots.get(name)
        if known is None or known[0] is not function:
            known = self._slots[name] = function, function.workspace()
        else:
            function.refill(known[1])
        return known[1]

    def caller(self, kernel: Kernel[..., Any], brief: bool) -> Caller:
        """What runs a kernel; ``brief`` as `native.briefly`."""
        found = self._callers.get((kernel, brief))
        if found is None:
            found = self._callers[kernel, brief] = Caller(kernel, brief)
        return found
