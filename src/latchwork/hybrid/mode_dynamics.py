"""Equations of a mode: unconstrained, as one program, or with constraints embedded, recombined or written out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from latchwork.constraint.embed import Embedding
from latchwork.constraint.embedded.all_speeds_kernels import settle_all, settle_units
from latchwork.constraint.embedded.evaluate_at import Here
from latchwork.constraint.embedded.final_state import pivot
from latchwork.constraint.embedded.mode import Mode, in_units_of, mode_of, selected_mode, suits_better
from latchwork.constraint.embedded.mode_block import Watch
from latchwork.constraint.embedded.projection import WORST_D, settle
from latchwork.constraint.embedded.redundant_forces import share_at
from latchwork.constraint.residuals import closeness, must_hold
from latchwork.constraint.selection import Selection, conditioning, select, select_speeds
from latchwork.constraint.selection_kernel import selected_speeds
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.right_side import RightSide
from latchwork.hybrid.row_inputs import inputs_in_rows
from latchwork.hybrid.table import Array
from latchwork.hybrid.undefined import cause, steepest, undefined_at
from latchwork.integrate.problem import Settle
from latchwork.integrate.status import Status
from latchwork.integrate.workspace import Memory
from latchwork.program.function import Executable, Function
from latchwork.program.kernel import Kernel
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import rebuild

if TYPE_CHECKING:
    from latchwork.hybrid.path import Path

PATIENCE = 4.0  # where there are no better speeds, none are asked for until D is worse by this factor
BETTER = 0.5  # other speeds are taken where the worst entry of D, or the pivot, improves by this factor
SHORT = 1500  # operations up to which a mode that is known before the run is written out
GOOD = 0.1  # of the usual pivot: speeds that were chosen before are taken again where they are as good as this
EARLY = 0.05  # of the usual pivot: closer to a singular position than this, equations are recombined with care


@cache
def _every(count: int) -> NDArray[np.intp]:
    """0, 1, 2 and so on."""
    return np.arange(count, dtype=np.intp)


def settling(mode: Mode, kernel: Kernel[..., None] = settle) -> Settle:
    """How states of a mode are settled, by a kernel that reads its memory."""
    return Settle(kernel, mode, 1 + mode.width, pivot)


def looked(guards: Executable | None, memory: Memory, t: float, x: Array, rest: Array) -> Array:
    """Guards and their rates at states x of a mode; none where nothing watches it."""
    if not isinstance(guards, Mode):
        return np.empty(0) if guards is None else guards(np.concatenate([[t], x, rest]))
    z, n = memory.slots("guards", guards), 1 + guards.states
    z[0], z[1:n], z[n : n + len(rest)] = t, x, rest
    out = np.empty(guards.width)
    memory.caller(guards.watcher, True)(guards.code, z, out)
    return out


class LateMode(Protocol):
    """A mode that is made where it is asked for, and what watches it."""

    @property
    def mode(self) -> Mode:
        """The mode; where nothing holds, what watches it."""
        ...

    @property
    def watch(self) -> Watch:
        """What watches it."""
        ...


@dataclass(eq=False)
class Unconstrained:
    """M u̇ = f as it is."""

    side: RightSide
    watched: Mode | Function | LateMode | None
    settle: None = None
    names: tuple[str, ...] = ()
    memory: Memory = field(default_factory=Memory, repr=False)

    @cached_property
    def guards(self) -> Executable | None:
        given = self.watched
        return given if given is None or isinstance(given, Mode | Function) else given.mode

    @property
    def function(self) -> Executable:
        return self.side.function

    def reduced(self, x: Array) -> Array:
        return x

    def places(self, full: int) -> NDArray[np.intp]:
        return _every(full)

    def full(self, t: Array, x: Array, rest: Array) -> tuple[Array, Array | None]:
        return x, None

    def get_ready(self) -> None:
        """Nothing is needed where a run of it ends."""

    def end(self, t: float, x: Array, rest: Array) -> tuple[Array, bool]:
        return x, True

    def look(self, t: float, x: Array, rest: Array) -> Array:
        return looked(self.guards, self.memory, t, x, rest)

    def accelerations(self, t: Array, x: Array, rest: Array) -> Array:
        """From ẋ = (q̇, u̇, power)."""
        n = len(self.side.driven.equations.u)
        return self.side.function.many(np.column_stack([t, x, rest]))[:, -1 - n : -1]

    def off(self, t: Array, x: Array, rest: Array) -> dict[str, float]:
        return {}

    def verify(self, t: float, x: Array, rest: Array) -> None:
        """Every state belongs to it."""

    def told(self, t: float, x: Array, rest: Array, reason: Status | None) -> str:
        if reason not in (Status.NOT_FINITE, Status.TOO_SMALL):
            return ""
        found = undefined_at(self.function, t, x, rest)
        why = "" if found is None else cause(self.side.driven, *found, rest)
        return f" There, {why}" if why else steepest(self.side.driven, t, x, rest)

    def rewritten(self, t: float, x: Array, rest: Array) -> Unconstrained:
        return self


@dataclass(eq=False)
class Recombined:
    """Constraints embedded by recombination: a mode, and the guards that watch it."""

    driven: Driven
    given: Mode | LateMode
    watched: Watch | None = None
    label: tuple[str, ...] | None = field(default=None, kw_only=True)
    memory: Memory = field(default_factory=Memory, kw_only=True, repr=False)
    # the same in other speeds
    others: dict[Selection, Recombined] = field(default_factory=dict, kw_only=True, repr=False)

    @cached_property
    def mode(self) -> Mode:
        """The mode."""
        return self.given if isinstance(self.given, Mode) else self.given.mode

    @cached_property
    def watch(self) -> Watch | None:
        """What watches it."""
        return self.watched if isinstance(self.given, Mode) else self.given.watch

    @property
    def function(self) -> Executable:
        return self.mode

    @cached_property
    def guards(self) -> Executable | None:
        return None if self.watch is None else self.mode.watching(self.watch)

    @property
    def settle(self) -> Settle:
        return settling(self.mode)

    @cached_property
    def follows_inputs(self) -> bool:
        """Whether an input stands in one of its rows."""
        return bool(inputs_in_rows(self.driven, self.mode.terms.rows))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.mode.terms.rows.slices) if self.label is None else self.label

    def reduced(self, x: Array) -> Array:
        return x[self.mode.kept_states]

    def places(self, full: int) -> NDArray[np.intp]:
        return self.mode.kept_states

    def full(self, t: Array, x: Array, rest: Array) -> tuple[Array, Array | None]:
        n_q = len(self.driven.equations.q)
        times = t[:, None]
        x = self.mode.settled(np.concatenate([times, x, rest], axis=1))
        u, udot = self.mode.expanded(np.concatenate([times, x, rest], axis=1))
        return np.concatenate([x[:, :n_q], u, x[:, -1:]], axis=1), udot

    def get_ready(self) -> None:
        """Make now what is needed where a run of it ends."""
        self._here.get_ready()

    def end(self, t: float, x: Array, rest: Array) -> tuple[Array, bool]:
        return self._here.whole(t, x, rest)

    def look(self, t: float, x: Array, rest: Array) -> Array:
        return looked(self.guards, self.memory, t, self.reduced(x), rest)

    def pivot(self, x: Array) -> float:
        """The least pivot of the dependent speeds at (t, q, u, rest): to be compared with the usual one."""
        n_q, n, _ = self.mode.terms.sizes
        return float(self._here(pivot, 1, x[0], x[1 : 1 + n_q], x[1 + n_q + n :])[0])

    def forces(self, t: float, x: Array, rest: Array) -> Array:
        """λ of all rows at (q, u, work); for redundant rows what they share, else 0."""
        _, n, rows = self.mode.terms.sizes
        return self._here(self.mode.forces, 2 * n + rows, t, self.reduced(x), rest)[2 * n :].copy()

    @cached_property
    def _here(self) -> Here:
        """What is asked where a run of this dynamics begins or ends."""
        return Here(self.mode)

    def accelerations(self, t: Array, x: Array, rest: Array) -> Array:
        return self.mode.expanded(np.column_stack([t, self.mode.settled(np.column_stack([t, x, rest])), rest]))[1]

    def off(self, t: Array, x: Array, rest: Array) -> dict[str, float]:
        """For each row the largest Φ, or B u + C, over its length."""
        full, _ = self.full(t, x, rest)
        off = self.mode.terms.off(np.column_stack([t, full[:, :-1], rest]), self.mode.typical)
        return dict(zip(self.mode.terms.rows.names, off.tolist(), strict=True))

    def unresolved(self, t: Array, x: Array, rest: Array) -> float:
        """The widest gap between circuits that were taken to cross."""
        return self.mode.unresolved(np.column_stack([t, x, rest]))

    def verify(self, t: float, x: Array, rest: Array) -> None:
        """Every row holds, also those that say nothing new."""
        must_hold(self.mode, np.concatenate([[t], x[:-1], rest]))

    def told(self, t: float, x: Array, rest: Array, reason: Status | None) -> str:
        why = self._undefined(t, x, rest) if reason in (Status.NOT_FINITE, Status.TOO_SMALL) else ""
        return f" There, {why}" if why else " " + closeness(self.mode, np.concatenate([[t], x[:-1], rest]))

    def _undefined(self, t: float, x: Array, rest: Array) -> str:
        """Which term of the equations, or of the rows, has no value at (q, u, work) or shortly after it."""
        found = undefined_at(self.function, t, self.reduced(x), rest)
        if found is None:
            return ""
        at, moved = found[0], x.copy()
        moved[self.mode.kept_states] = found[1]
        rows, g = self.mode.terms.rows, self.driven.equations.system.graph
        entries = {name: [Expr(g, node) for node in (*B, C, c)] for name, B, C, c in
                   zip(rows.names, rows.B_nodes, rows.C_nodes, rows.c_nodes, strict=True)}  # fmt: skip
        return cause(self.driven, at, moved, rest, entries)

    def rewritten(self, t: float, x: Array, rest: Array) -> Recombined:
        """Other rows and speeds of the same rank, where they are better; else the same, with more patience."""
        state = np.concatenate([[t], x[:-1], rest])
        return self._reselected(state) or self._rewritten(state)

    def _reselected(self, x: Array) -> Recombined | None:
        """Other speeds that one kernel finds, those that were chosen before as they were; none where it takes more
        care."""
        terms, old = self.mode.terms, self.mode
        if type(self) is not Recombined or old.selection.redundant or old.share is not None:
            return None
        found = selected_speeds(terms, x)
        if found is None or found.selection.redundant or found.selection == old.selection:
            return None
        fresh = in_units_of(old, selected_mode(terms, found, x, old.rest, old.sliders))
        if not suits_better(fresh, terms.motion(x).M, old.selection, BETTER):
            return None
        self.others.setdefault(old.selection, self)
        known = self.others.get(found.selection)
        if known is None or not fresh.usual_pivot > GOOD * known.mode.usual_pivot:
            usual = max(fresh.usual_pivot, old.usual_pivot)
            known = self.others[found.selection] = self._in(replace(fresh, usual_pivot=usual))
        return known

    def _in(self, mode: Mode) -> Recombined:
        """The same constraints in another mode."""
        return Recombined(self.driven, mode, self.watch, label=self.label, memory=Memory(self.memory),
                          others=self.others)  # fmt: skip

    def _rewritten(self, state: Array) -> Recombined:
        """The same with care: rows may say nothing new, and share forces."""
        terms, old = self.mode.terms, self.mode
        (n_q, n, _), place, motion = terms.sizes, terms.place(state), terms.motion(state)
        for chosen in self._choices(place.B, motion.M):
            if chosen.rank < old.selection.rank:  # at a singular position rows seem to say less
                continue
            share = None if old.is_plain else share_at(place.B, old.share, old.selection, chosen)
            fresh = in_units_of(old, mode_of(terms, chosen, state, old.rest, old.sliders, share))
            if chosen != old.selection and suits_better(fresh, motion.M, old.selection, BETTER):
                return self._in(replace(fresh, usual_pivot=max(fresh.usual_pivot, old.usual_pivot)))
        worst = conditioning(place.B, motion.M, old.selection, terms.base.units.u)
        patient = replace(old, limit=PATIENCE * max(WORST_D, worst), course=state[1 + n_q : 1 + n_q + n].copy())
        return self._in(patient)

    def _choices(self, B: Array, M: Array) -> list[Selection]:
        """Rows and speeds of the same rank; the same rows first where it matters which ones carry the forces."""
        old, terms = self.mode.selection, self.mode.terms
        first, unit, rows = terms.rows.configuration, terms.base.units.u, self.mode.typical
        same = [] if self.mode.is_plain or not old.redundant else [select_speeds(B, M, old, unit, rows)]
        return [*same, select(B, M, old.rank, first=first, unit=unit, rows=rows)]


@dataclass(eq=False)
class Written(Recombined):
    """Constraints embedded in symbols: M̃ u̇_ind = f̃ and its solution as one program; recombined near singularities."""

    program: Function = field(kw_only=True)

    @property
    def function(self) -> Executable:
        return self.program

    @cached_property
    def settle(self) -> Settle:
        return settling(replace(self.mode, least_pivot=EARLY))


@dataclass(eq=False)
class ByAcceleration(Recombined):
    """Constraints held by accelerations only, all speeds integrated; projected after each step with ``onto``."""

    onto: Mode | None = None

    @property
    def settle(self) -> Settle:
        if self.onto is None:
            return settling(self.mode, settle_units)
        return settling(self.onto, settle_all)

    @cached_property
    def guards(self) -> Executable | None:
        return None if self.onto is None or self.watch is None else self.onto.watching(self.watch)

    def get_ready(self) -> None:
        """Nothing is kept for where a run of it ends."""

    def end(self, t: float, x: Array, rest: Array) -> tuple[Array, bool]:
        """Accelerations are held; coordinates and speeds drift."""
        return self.full(np.array([t]), x[None], rest[None])[0][0], True

    def verify(self, t: float, x: Array, rest: Array) -> None:
        """Every state will do."""

    def rewritten(self, t: float, x: Array, rest: Array) -> Recombined:
        return self


def unresolved(path: Path) -> float:
    """The widest gap between circuits that a run took to cross, in units of the coordinates; 0 where there was none."""
    widest = 0.0
    for segment in path.segments:
        dynamics, t = segment.dynamics, segment.solution.t
        if isinstance(dynamics, Recombined) and not isinstance(dynamics, ByAcceleration):
            widest = max(widest, dynamics.unresolved(t, segment.solution.x, path.driven.rest_at(path.rest, t)))
    return widest


def embedded(driven: Driven, mode: Mode, watch: Watch | None, label: tuple[str, ...], memory: Memory) -> Recombined:
    """A mode that is known before the run: written out where it is short, else recombined. Decided by counts."""
    terms, system = mode.terms, driven.equations.system
    if mode.length > SHORT or mode.sliders:
        return Recombined(driven, mode, watch, label=label, memory=memory)
    ind = mode.selection.independent
    embedding = Embedding(terms.rows, mode.selection, mode.numbers, lambda nodes: nodes)
    nodes = rebuild(system.graph, embedding.rates(driven.power), driven.laws)
    if driven.laws:  # laws may be in dependent speeds as well
        nodes = rebuild(system.graph, nodes, embedding.back)
    arguments = (system.t, *system.q, *(system.u[j] for j in ind), driven.work, *driven.rest)
    program = lower(system.graph, nodes, arguments)
    if len(program) > SHORT:
        return Recombined(driven, mode, watch, label=label, memory=memory)
    return Written(driven, mode, watch, label=label, memory=memory, program=Function(program))
