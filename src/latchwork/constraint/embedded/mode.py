"""Mode: a set of constraints held, embedded by recombination, ready to be stepped. A mode is data; nothing is compiled.

Its state is x = (q, u_ind, work). Full speeds and accelerations follow from it (`expanded`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.algebra.elimination import lu_in_units
from latchwork.constraint.embedded import executors, sliding_executors
from latchwork.constraint.embedded.embedded_mode import UNKNOWN, EmbeddedMode
from latchwork.constraint.embedded.mode_block import Block, Frame, Watch, block, frame, frame_of
from latchwork.constraint.embedded.near_singular import beside
from latchwork.constraint.embedded.projection import WORST_D, WORST_PIVOT, settle
from latchwork.constraint.embedded.slider import Slider
from latchwork.constraint.selection import Selection, conditioning
from latchwork.constraint.selection_kernel import SelectedSpeeds
from latchwork.constraint.terms import Array, Terms
from latchwork.errors import ConstraintError, EvaluationError
from latchwork.program.function import Function
from latchwork.program.kernel import Kernel
from latchwork.program.native import Native, briefly, invoke, native
from latchwork.program.records.memory import write
from latchwork.program.records.view import record_at

FEW_ROWS = 8  # rows that are evaluated in microseconds
KEPT_STATES = 1000  # places of states


@dataclass(eq=False)
class Mode:
    """Rows kept, speeds chosen, programs: what `integrate` needs to step it (an `Executable`).

    ``limit``: where D passes it other speeds are asked for. It is above ``WORST_D`` where no better ones were found,
    until these have been good again; the pivot is not looked at meanwhile.
    """

    terms: Terms
    selection: Selection
    rest: tuple[str, ...]  # names of what is held
    weights: Array  # of the speeds: the diagonal of M where they were chosen
    typical: Array  # largest entries of the rows
    lengths: Array  # of the rows where the mode was made first, in the kinetic metric: units of pivots
    usual_pivot: float
    course: Array  # all speeds where the mode begins
    numbers: Array  # B where speeds were chosen
    limit: float = WORST_D
    least_pivot: float = WORST_PIVOT  # of the usual one: below it other rows and speeds are asked for
    watch: Watch | None = None
    sliders: tuple[Slider, ...] = ()  # contacts that slide with friction
    share: Array | None = None  # [R c], (redundant, kept + 1): λ_red = R λ_kept + c; 0 where it is not given
    _slots: dict[str, Any] = field(default_factory=dict, init=False, repr=False)  # as they are at first, and since when

    def __post_init__(self) -> None:
        if self.share is None:
            return
        fits = len(self.selection.redundant), self.selection.rank + 1
        if self.share.shape != fits:
            raise ConstraintError(
                f"the share of redundant rows is of shape {self.share.shape}; {fits[0]} rows are redundant, "
                f"{fits[1] - 1} are kept. Give one row for each redundant row, in the order of the selection: a column "
                "for each row that is kept, and one for what it carries besides."
            )

    @property
    def executor(self) -> Kernel[..., None] | Native:
        """What runs it: the right-hand side, or the guards that watch it."""
        if self.watch is not None:
            return self.watcher
        return sliding_executors.embedded if self.sliders else executors.embedded

    @property
    def watcher(self) -> Kernel[..., None]:
        """What runs the guards that watch it."""
        if self.is_free:
            return executors.look_freely
        return executors.look if self.is_plain else sliding_executors.look

    @property
    def is_free(self) -> bool:
        """Whether nothing holds."""
        return self.is_plain and not self.terms.sizes[2]

    @property
    def is_plain(self) -> bool:
        """Whether forces lie along the rows kept: nothing slides, and nothing is shared."""
        return not self.sliders and self.share is None

    @property
    def programs(self) -> tuple[Function, ...]:
        """What is run for this mode: place, bias, motion, spread, and friction."""
        return (*self.terms.functions, *self._slider_functions)

    @cached_property
    def _slider_functions(self) -> list[Function]:
        return [function for slider in self.sliders for function in slider.functions]

    @cached_property
    def _block(self) -> Block:
        return block(self._frame, self.selection, self.weights, self.typical, self.course, self.lengths,
                     self.sliders, self.watch)  # fmt: skip

    @cached_property
    def _frame(self) -> Frame:
        given = len(self.selection.dependent), len(self.selection.independent), len(self.rest), self.sliders
        if self.share is None:
            return frame_of(self.terms, *given)
        return frame(self.terms, *given, self.selection.redundant, self.share)

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """What is called by address."""
        return self.programs if self.watch is None else (*self.programs, *self.watch.functions)

    @property
    def _solver(self) -> int:
        """Where a solver of u̇ is, 0 where none is called."""
        return 0

    def watching(self, guards: Watch) -> Mode:
        """The guards of this mode as an executable of (t, x, rest)."""
        twin: Mode | None = self._slots.get("twin")
        if twin is not None and twin.watch is guards:
            return twin
        made = self._watched(guards)
        if "_block" not in self.__dict__:  # one memory for both: what watches lies behind what steps
            self._block, self._frame = made._block, made._frame
            self._slots["twin"] = made
        return made

    def _watched(self, guards: Watch) -> Mode:
        """The same with guards, on memory of its own."""
        given = (self.terms, self.selection, self.rest, self.weights, self.typical, self.lengths, self.usual_pivot,
                 self.course, self.numbers, self.limit, self.least_pivot)  # fmt: skip
        return Mode(*given, guards, self.sliders, self.share)

    def stand_on(self, block: Block, arrivals: int, watch: Watch | None = None) -> None:
        """Take memory that is laid out, and was filled at so many `Function.arrivals`; guards that watch this mode lie
        in it as well."""
        self._block = block
        if watch is None:
            self._slots["z"], self._slots["arrivals"] = block.z, arrivals
            return
        made = self._watched(watch)
        made.stand_on(block, arrivals)
        self._slots["twin"] = made

    @property
    def code(self) -> NDArray[np.int32]:
        return self._block.code

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The names of t, the states and what is held."""
        equations = self.terms.rows.equations
        speeds = [equations.u_names[j] for j in self.selection.independent]
        return ("t", *equations.q_names, *speeds, "work", *self.rest)

    @cached_property
    def _wide(self) -> int:
        """How many inputs there are."""
        return 2 + len(self.terms.rows.equations.q) + len(self.selection.independent) + len(self.rest)

    @property
    def width(self) -> int:
        """States, or guards and their rates."""
        return self.states if self.watch is None else self.watch.width

    @cached_property
    def states(self) -> int:
        """Coordinates, independent speeds, and work."""
        return len(self.terms.rows.equations.q) + len(self.selection.independent) + 1

    @property
    def length(self) -> int:
        """Operations of an evaluation, about."""
        return self._frame.length

    @cached_property
    def _often(self) -> tuple[Function, ...]:
        """What every evaluation runs: place, bias, motion, friction, and guards."""
        often = () if self.watch is not None and self.is_free else self.terms.often
        return (*often, *self._slider_functions, *(() if self.watch is None else self.watch.functions))

    def workspace(self) -> Array:
        """Fresh slots with everything but the inputs in place."""
        return self.fresh().copy()

    def refill(self, z: Array) -> None:
        """Slots that were used before as fresh ones."""
        z[:] = self.fresh()

    def fresh(self) -> Array:
        """The slots that fresh ones are copies of."""
        twin: Mode | None = self._slots.get("twin")
        if twin is not None:
            return twin.fresh()
        arrivals = Function.arrivals
        if self._slots.get("arrivals") != arrivals:  # the first time, or machine code has arrived
            self._slots["z"], self._slots["arrivals"] = self._filled(), arrivals
        z: Array = self._slots["z"]
        return z

    def _filled(self) -> Array:
        """Slots with notes in place: addresses of what runs, and limits."""
        (_, z, start), floor = self._block, self.least_pivot * self.usual_pivot
        motion, spread = self.terms.base.motion, self.terms.base.spread
        limit, pivot = self.limit, 0.0 if self.limit > WORST_D else floor
        guards = 0 if self.watch is None else native(self.watch.kernel).address
        write(
            record_at(EmbeddedMode, z, start).notes, motion.entry, spread.entry, guards, 0.0, 0.0, self.usual_pivot,
            math.inf, 0.0, 0.0, 0.0, limit, pivot, floor, self._solver, UNKNOWN, 0.0, 0.0,
        )  # fmt: skip
        return z

    def used(self, times: int) -> None:
        """Count evaluations; programs that are used often get machine code."""
        for function in self._often:
            function.used(times)

    def __call__(self, x: ArrayLike) -> Array:
        """ẋ for one row of inputs."""
        return np.asarray(self.many(np.asarray(x, dtype=float)[None])[0])

    def many(self, x: ArrayLike) -> Array:
        """ẋ for rows of inputs."""
        return self._each(self.executor, x, self.width)

    def expanded(self, x: ArrayLike) -> tuple[Array, Array]:
        """u and u̇ of all speeds for rows of inputs."""
        n = self.terms.sizes[1]
        both = self._each(self.expander, x, 2 * n)
        return both[:, :n], both[:, n:]

    @property
    def expander(self) -> Kernel[..., None]:
        """What gives all speeds and their rates."""
        return (sliding_executors if self.sliders else executors).expand

    def settled(self, x: ArrayLike) -> Array:
        """States on Φ = 0 for rows of inputs, as after a step: between the steps, they are only close to it."""
        rows = np.ascontiguousarray(x, dtype=np.float64)
        states = len(self.terms.rows.equations.q) + len(self.selection.independent) + 1
        out = np.zeros((len(rows), states + 2))
        out[:, :states] = rows[:, 1 : 1 + states]
        call = briefly if len(rows) <= FEW_ROWS else invoke
        call(executors.at_each, settle, len(rows), rows.shape[1], states + 2, self.code, rows, self.workspace(), out)
        return out[:, :states]

    def unresolved(self, x: ArrayLike) -> float:
        """The widest gap between circuits that were taken to cross on the way through rows of inputs."""
        rows, z = np.ascontiguousarray(x, dtype=np.float64), self.workspace()
        out = np.zeros((len(rows), self.states + 2))
        out[:, : self.states] = rows[:, 1 : 1 + self.states]
        invoke(executors.at_each, settle, len(rows), rows.shape[1], self.states + 2, self.code, rows, z, out)
        return record_at(EmbeddedMode, z, self._block.start).notes.unresolved

    def multipliers(self, x: ArrayLike) -> Array:
        """λ of all rows for rows of inputs; for redundant rows what they share, else 0."""
        _, n, rows = self.terms.sizes
        return self._each(self.forces, x, 2 * n + rows)[:, 2 * n :]

    def beside(self, x: Array) -> tuple[bool, *tuple[Array, ...]]:
        """Whether values at one row of inputs are a limit along the branch; then (q, u) of the states beside it."""
        n_q, n, _ = self.terms.sizes
        out = self._each(beside, x[None], 1 + 6 * (n_q + n))[0]
        return bool(out[0]), *out[1:].reshape(6, n_q + n)

    @property
    def forces(self) -> Kernel[..., None]:
        """What gives all speeds, their rates, and the multipliers."""
        return (executors if self.is_plain else sliding_executors).forces

    def _each(self, executor: Kernel[..., None] | Native, x: ArrayLike, width: int) -> Array:
        rows = np.ascontiguousarray(x, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self._wide:
            raise EvaluationError(
                f"Inputs of shape {rows.shape} do not fit. Give rows of {len(self.inputs)}: {', '.join(self.inputs)}."
            )
        out = np.empty((len(rows), width))
        call = briefly if len(rows) <= FEW_ROWS else invoke
        call(executors.at_each, executor, len(rows), rows.shape[1], width, self.code, rows, self.workspace(), out)
        return out

    def reduced(self, x: Array) -> Array:
        """(q, u_ind, work) of (q, u, work)."""
        return np.asarray(x[self.kept_states])

    @property
    def kept_states(self) -> NDArray[np.intp]:
        """Where (q, u_ind, work) stand in (q, u, work)."""
        n_q, n, _ = self.terms.sizes
        return _kept_states(n_q, n, self.selection.independent)


@lru_cache(KEPT_STATES)
def _kept_states(n_q: int, n: int, independent: tuple[int, ...]) -> NDArray[np.intp]:
    return np.array([*range(n_q), *[n_q + j for j in independent], n_q + n], dtype=np.intp)


def mode_of(
    terms: Terms,
    selection: Selection,
    x: Array,
    rest: tuple[str, ...],
    sliders: tuple[Slider, ...] = (),
    share: Array | None = None,
) -> Mode:
    """The mode of a selection made at x = (t, q, u, rest), with what slides and how redundant rows share."""
    B, weights, lengths = terms.place(x).B, terms.weights(x), terms.lengths(x)
    n_q, n, _ = terms.sizes
    course, pivot = x[1 + n_q : 1 + n_q + n].copy(), usual_pivot(B, selection, lengths, weights)
    return Mode(
        terms,
        selection,
        rest,
        weights,
        terms.typical(x),
        lengths,
        pivot,
        course,
        B,
        sliders=sliders,
        share=share,
    )


def selected_mode(
    terms: Terms, found: SelectedSpeeds, x: Array, rest: tuple[str, ...], sliders: tuple[Slider, ...] = ()
) -> Mode:
    """The same of what the selection kernel has chosen at x."""
    n_q, n, _ = terms.sizes
    course = x[1 + n_q : 1 + n_q + n].copy()
    return Mode(terms, found.selection, rest, found.weights, found.typical, found.lengths, found.pivot, course, found.B,
                sliders=sliders)  # fmt: skip


def in_units_of(old: Mode, fresh: Mode) -> Mode:
    """A mode of the same rows, its pivot in the units of another one, so that the two compare."""
    pivot = usual_pivot(fresh.numbers, fresh.selection, old.lengths, fresh.weights)
    return replace(fresh, lengths=old.lengths, usual_pivot=pivot)


def suits_better(fresh: Mode, M: Array, old: Selection, factor: float) -> bool:
    """Whether the speeds of a mode suit the state where it was made clearly better than others."""
    B, pivot = fresh.numbers, usual_pivot(fresh.numbers, old, fresh.lengths, fresh.weights)
    if factor * fresh.usual_pivot > pivot:
        return True
    unit = fresh.terms.base.units.u
    return conditioning(B, M, fresh.selection, unit) < factor * conditioning(B, M, old, unit)


def usual_pivot(B: Array, selection: Selection, lengths: Array, weights: Array) -> float:
    """The least |u_ii| of P B1 = L U, rows of unit length in the kinetic metric: what is compared with in the run."""
    m, kept, dependent = selection.rank, list(selection.kept), list(selection.dependent)
    A = np.ascontiguousarray(B[np.ix_(kept, dependent)])
    return float(briefly(lu_in_units, m, A, np.zeros(m), lengths[kept], np.sqrt(weights[dependent])))
