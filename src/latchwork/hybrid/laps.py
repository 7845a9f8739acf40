"""Laps: stages as problems that are run again and again, from one change of mode to the next.

For runs by adaptive steps, or ticks, under guards, of what nothing drives from a table, without rules and tracked
curves: others are planned piece by piece (`plan`). The bits are the same.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from latchwork.errors import ConstraintError, IntegrationError
from latchwork.hybrid.contacts.guards import Guards
from latchwork.hybrid.path import Segment, Stage
from latchwork.hybrid.plan import Broken, Departed, Ran, end_of
from latchwork.hybrid.table import Array
from latchwork.integrate.again import Again, SharedWorkspace, few_rows
from latchwork.integrate.integration import NOT_BELOW, PATIENT, STRICT
from latchwork.integrate.methods import RK4, DormandPrince
from latchwork.integrate.problem import StateScales
from latchwork.integrate.status import END, EVENT, REWRITE

REMEMBERED, GUARDS = 400, 32  # stages, and guards that memory is made for
FEW = 8.0  # fixed steps: of more, a program of a whole step may be made


class Laps:
    """The stages of one workshop that were begun, by one method at a time."""

    def __init__(self, scales: StateScales) -> None:
        self.scales = scales  # of full states
        self._known: dict[Stage, Again] = {}
        self._workspaces: dict[int, SharedWorkspace] = {}  # by how many states there are
        self._method: DormandPrince | RK4 | None = None

    def begun(self, stage: Stage, guards: Guards, method: DormandPrince | RK4, t: float, x: Array,
              rest: Array) -> Again | None:  # fmt: skip
        """A stage that stands at (t, x), ready to run; none where that takes more care."""
        known = self._known.get(stage) if method is self._method else None
        if known is None or not known.is_current:
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            known = self._known[stage] = self._made(stage, guards, method, len(x), rest)
        return known if known.begin(t, x, rest) else None

    def get_ready(self, method: Any, states: int) -> None:
        """Make now the memory that stages with so many states, or up to two fewer, need."""
        if type(method) is DormandPrince and can_lap(method, 0.0):
            for n in range(max(states - 2, 1), states + 1):
                self._workspace(method, n, GUARDS)

    def make_room(self, running: Again) -> None:
        """Take new pages where few rows are left: what runs goes on on one, others will begin on one."""
        running.make_room()
        for workspace in self._workspaces.values():
            if workspace is not running.workspace and workspace.is_full(2 * few_rows()):
                workspace.turn_page()

    def _workspace(self, method: DormandPrince | RK4, n: int, guards: int) -> SharedWorkspace:
        """Memory for n states and as many guards or more."""
        if method is not self._method:
            self._known, self._workspaces, self._method = {}, {}, method
        found = self._workspaces.get(n)
        if found is None or found.guards < guards:
            room = max(GUARDS, guards + guards // 2)
            found = self._workspaces[n] = SharedWorkspace(method, n, room, self.scales)
        return found

    def _made(self, stage: Stage, guards: Guards, method: DormandPrince | RK4, full: int, rest: Array) -> Again:
        assert stage.guards is not None, "what is run in laps is watched"
        kept = stage.places(full)
        workspace = self._workspace(method, len(kept), len(guards))
        kinds = [NOT_BELOW if guard.by_force else STRICT if guard.kind == "stop" else PATIENT for guard in guards]
        return Again(workspace, stage.function, stage.guards, stage.settle, len(rest), kept, kinds,
                     [guard.height for guard in guards], [guard.unit for guard in guards])  # fmt: skip


class Lap(NamedTuple):
    """A stage that has begun: what runs and watches it, its longest step, and when it began, by the clock and t."""

    again: Again
    stage: Stage
    guards: Guards
    longest: float
    began: float
    t: float


def can_lap(method: Any, span: float) -> bool:
    """Whether a method runs in laps: adaptive steps of one tolerance, or a few fixed steps, as in a tick."""
    if type(method) is DormandPrince:
        return not isinstance(method.atol, tuple)
    return type(method) is RK4 and method.every == 1 and span <= FEW * method.step


def lap_end(again: Again, stage: Stage, status: int, until: float, rest: Array) -> Ran:
    """What a lap gave that ran until a time or an event; where it asks for other speeds, it ends in these."""
    try:
        if status not in (END, EVENT, REWRITE):
            again.fail(status, until)
    except IntegrationError as error:
        known = [] if error.solution is None else [Segment(error.solution, stage)]
        t, x, _ = end_of(known[0], rest)
        raise Broken(f"{error}{stage.told(t, x, rest, error.reason)}", known, error.reason) from None
    segment = Segment(again.solution(status), stage)
    t = float(segment.solution.t[-1])
    x, belongs = stage.end(t, segment.solution.x[-1], rest)
    try:
        if not belongs:
            stage.verify(t, x, rest)
    except ConstraintError as error:
        raise Departed(str(error), [segment], t, x) from None
    event = segment.solution.event
    return Ran([segment], stage.rewritten(t, x, rest) if status == REWRITE else stage, x,
               () if event is None else event.guards)  # fmt: skip
