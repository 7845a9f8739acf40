"""Integrations of modes, each set up once and begun again at every change of mode that leads there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from latchwork.errors import ConstraintError, IntegrationError
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.contacts.rooms import Sleeping
from latchwork.hybrid.path import ModeDynamics, Segment
from latchwork.hybrid.table import Array
from latchwork.integrate.integration import NOT_BELOW, PATIENT, STRICT
from latchwork.integrate.methods import RK4, Adaptive
from latchwork.integrate.problem import StateScales
from latchwork.integrate.reusable_integration import ReusableIntegration, Samples, SharedWorkspace, few_rows
from latchwork.integrate.status import Status

REMEMBERED, GUARDS, FEWER = 400, 32, 12  # stages; guards, and speeds that are held, that memory is made for


class FlowResult(NamedTuple):
    """Segments, the last dynamics, the full state at the end, and the guards that ended the run, if any, by number;
    of the mode that it ended in: its guards, and when it was entered, by the clock and t. What sleeps, and how much of
    its rooms is spent, is none where nothing may sleep."""

    segments: list[Segment]
    dynamics: ModeDynamics
    x: Array
    hit: tuple[int, ...]
    guards: Guards
    began: float
    t: float
    sleeping: Sleeping | None = None

    @property
    def hits(self) -> list[Guard]:
        """The guards that ended it."""
        return [self.guards[i] for i in self.hit]

    @property
    def end(self) -> float:
        """The time reached."""
        return float(self.segments[-1].solution.t[-1])


class Broken(IntegrationError):
    """A run that could not go on, with the segments up to there."""

    def __init__(self, message: str, segments: list[Segment], reason: Status | None = None) -> None:
        super().__init__(message, reason=reason)
        self.segments = segments


class Departed(Broken):
    """A run whose state has left some rows at time t: redundant where the mode begins, they contradict the others
    later."""

    def __init__(self, message: str, segments: list[Segment], t: float, x: Array) -> None:
        super().__init__(message, segments)
        self.t, self.x = t, x


class ModeIntegration(NamedTuple):
    """A mode that has begun: what runs and watches it, its longest step, and when it began, by the clock and t."""

    integration: ReusableIntegration
    dynamics: ModeDynamics
    guards: Guards
    longest: float
    began: float
    t: float


class ModeIntegrations:
    """The modes of one mode table that were begun, by one method at a time."""

    def __init__(self, scales: StateScales) -> None:
        self.scales = scales  # of full states
        self._known: dict[ModeDynamics, ReusableIntegration] = {}
        self.workspaces: dict[int, SharedWorkspace] = {}  # by how many states there are
        self.made = 0  # workspaces, ever
        self._method: Adaptive | RK4 | None = None

    def begun(self, dynamics: ModeDynamics, guards: Guards, method: Adaptive | RK4, t: float, x: Array,
              rest: Array, grid: float, kinds: Sequence[int] | None) -> tuple[ReusableIntegration, int]:  # fmt: skip
        """A mode that stands at (t, x), and how it began: the status of `stepper.begin`. Fixed steps are counted from
        ``grid``; ``kinds`` of its guards where they are not as always."""
        known = self._known.get(dynamics) if method is self._method else None
        if known is None or not known.is_current:
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            known = self._known[dynamics] = self._made(dynamics, guards, method, len(x), rest)
        return known, known.begin(t, x, rest, grid, kinds)

    def take(self, dynamics: ModeDynamics, integration: ReusableIntegration) -> None:
        """A mode that machine code laid out, and has begun."""
        if len(self._known) >= REMEMBERED:
            self._known.pop(next(iter(self._known)))
        self._known[dynamics] = integration

    def get_ready(self, method: Any, states: int, fewer: int, guards: int) -> None:
        """Make now the memory that modes with so many states, or up to so many fewer, and guards need."""
        if is_ours(method) and not isinstance(getattr(method, "atol", None), tuple):
            for n in range(max(states - min(fewer, FEWER), 1), states + 1):
                self.workspace(method, n, max(GUARDS, guards))

    def make_room(self, running: ReusableIntegration, samples: Samples | None) -> None:
        """Take new pages where few rows are left: what runs goes on on one, others will begin on one."""
        running.make_room(samples)
        for workspace in self.workspaces.values():
            if workspace is not running.workspace and workspace.is_full(2 * few_rows()):
                workspace.turn_page()

    def workspace(self, method: Adaptive | RK4, n: int, guards: int) -> SharedWorkspace:
        """Memory for n states and as many guards or more."""
        if method is not self._method:
            self._known, self.workspaces, self._method = {}, {}, method
        found = self.workspaces.get(n)
        if found is None or found.guards < guards:
            room = max(GUARDS, guards + guards // 2)
            found, self.made = SharedWorkspace(method, n, room, self.scales), self.made + 1
            self.workspaces[n] = found
        return found

    def _made(self, dynamics: ModeDynamics, guards: Guards, method: Adaptive | RK4, full: int,
              rest: Array) -> ReusableIntegration:  # fmt: skip
        kept = dynamics.places(full)
        workspace = self.workspace(method, len(kept), len(guards))
        watched = guards if dynamics.guards is not None else ()
        return ReusableIntegration(workspace, dynamics.function, dynamics.guards, dynamics.settle, len(rest), kept,
                     [usual_kind(guard) for guard in watched], [guard.height for guard in watched],
                     [guard.unit for guard in watched])  # fmt: skip


def usual_kind(guard: Guard) -> int:
    """Where a guard is armed, as `integration` has it; rules apart."""
    return NOT_BELOW if guard.by_force else STRICT if guard.kind in ("stop", "lost", "rule") else PATIENT


def is_ours(method: Any) -> TypeGuard[Adaptive | RK4]:
    """Whether the stepper makes the steps of a method."""
    return isinstance(method, Adaptive | RK4)


def integration_end(current: ModeIntegration, status: int, until: float, rest: Array,
                    samples: Samples | None) -> FlowResult:  # fmt: skip
    """What an integration gave that ran until a time or an event; where it asks for other speeds, it ends in these."""
    integration, dynamics = current.integration, current.dynamics
    try:
        if status not in (Status.END, Status.EVENT, Status.REWRITE):
            integration.fail(status, until, True, samples)
    except IntegrationError as error:
        raise broken(error, dynamics, until, rest) from None
    return ended(Segment(integration.solution(status, samples), dynamics), current.guards, current.began, current.t,
                 rest)  # fmt: skip


def ended(segment: Segment, guards: Guards, began: float, entered: float, rest: Array) -> FlowResult:
    """A run that ended with a segment: in other speeds, where the event names no guards."""
    solution, dynamics = segment
    t, event = float(solution.t[-1]), solution.event
    x, belongs = dynamics.end(t, solution.x[-1], rest)
    try:
        if not belongs:
            dynamics.verify(t, x, rest)
    except ConstraintError as error:
        raise Departed(str(error), [segment], t, x) from None
    hit = () if event is None else event.guards
    rewrites = event is not None and not hit
    return FlowResult([segment], dynamics.rewritten(t, x, rest) if rewrites else dynamics, x, hit, guards, began,
                      entered)  # fmt: skip


def broken(error: IntegrationError, dynamics: ModeDynamics, t: float, rest: Array, x: Array | None = None) -> Broken:
    """A run of a mode that could not go on, or not begin at (t, x), and what is worth knowing of it."""
    known = [] if error.solution is None else [Segment(error.solution, dynamics)]
    if known:
        t, x, _ = end_of(known[0], rest)
    told = "" if x is None else dynamics.told(t, x, rest, error.reason)
    return Broken(f"{error}{told}", known, error.reason)


def end_of(segment: Segment, rest: Array) -> tuple[float, Array, bool]:
    """Time and state (q, u, work) at the end of a segment, as far as it is finite; whether it surely belongs."""
    solution = segment.solution
    last = len(solution.t) - 1
    if not math.isfinite(sum(solution.x[last].tolist())):
        last = int(np.flatnonzero(np.isfinite(solution.x).all(axis=1))[-1])
    t = float(solution.t[last])
    return t, *segment.dynamics.end(t, solution.x[last], rest)
