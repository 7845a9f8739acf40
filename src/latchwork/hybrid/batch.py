"""simulate_many: one mechanism from many starts, with many parameters. Each run has the bits that it has alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.constraint.constrained import Constrained
from latchwork.constraint.constraint import Constraint
from latchwork.errors import ArgumentError, EvaluationError, Interrupted, spelled
from latchwork.hybrid.audit import Auditing, auditing, doubts
from latchwork.hybrid.designs import Simulating
from latchwork.hybrid.ensemble import Ensemble, Failure, Row
from latchwork.hybrid.event import Events
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.mechanism import Mechanism, mechanism_of
from latchwork.hybrid.smooth_batch import integrate_all, measured_starts
from latchwork.hybrid.start import USUAL, even_times, method_of, span
from latchwork.hybrid.start_table import columns_of, held_of, rows_of, start_in
from latchwork.hybrid.symbol_lookup import look_up
from latchwork.hybrid.time_stepping.settings import TimeStepping
from latchwork.hybrid.trajectory import Samples
from latchwork.integrate.methods import Method
from latchwork.kane.equations import Equations
from latchwork.model import Model
from latchwork.program.interrupt import interrupted, listening
from latchwork.program.processes import cores, shared_out

Array = NDArray[np.float64]
PORTION = 32  # runs that a process takes at a time
LOST = "the process that made this run was ended from outside, twice: by a signal, or for lack of memory"


@dataclass(frozen=True, eq=False)
class Runs:
    """Many runs: states at the same times, events, and what was asked of each.

    ``failed`` says why a run stopped or was refused, by its row; its states are nan. ``doubtful`` says what the audit
    found of runs that were to be kept. ``ends`` is when each ended.
    """

    driven: Driven = field(repr=False)
    t: Array  # (samples,)
    x: Array = field(repr=False)  # (runs, samples, states)
    rest: Array = field(repr=False)  # (runs, inputs and parameters)
    failed: dict[int, str]
    doubtful: dict[int, str] = field(default_factory=dict)
    events: tuple[Events, ...] = field(default=(), repr=False)
    outputs: Mapping[str, Array] = field(default_factory=dict, repr=False)  # (runs, ...)
    ends: Array = field(default_factory=lambda: np.zeros(0), repr=False)  # (runs,)
    udot: Array | None = field(default=None, repr=False)  # (runs, samples, speeds), where constraints act
    inputs: Array | None = field(default=None, repr=False)  # (runs, samples, inputs), where laws or rules set some

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, what: Any) -> Array:
        """Numbers for every run and sample: a name, an expression, a point, a vector or a frame, as in a Trajectory.

        An output is had by its name. Forces of constraints and contacts need the whole run: ask by ``outputs``.
        """
        if isinstance(what, str) and what in self.outputs:
            return self.outputs[what]
        runs, samples, _ = self.x.shape
        t = np.column_stack([np.full(runs, self.t[0]), self.ends]) if samples == 2 else np.tile(self.t, (runs, 1))
        rest, udot = np.repeat(self.rest, samples, axis=0), self.udot
        if self.inputs is not None:
            rest[:, : self.inputs.shape[2]] = self.inputs.reshape(runs * samples, -1)
        values = Samples(self.driven, t.ravel(), self.x.reshape(runs * samples, -1), rest,
                         udot=None if udot is None else udot.reshape(runs * samples, -1))[what]  # fmt: skip
        return values.reshape(runs, samples, *values.shape[1:])

    @property
    def final(self) -> dict[str, Array]:
        """Coordinates and speeds at the end, by name."""
        equations = self.driven.equations
        return {name: self.x[:, -1, i] for i, name in enumerate((*equations.q_names, *equations.u_names))}


@spelled
def simulate_many(model: Model | Equations | Constrained, table: Mapping[str, ArrayLike], until: float, *,
                  constraints: Sequence[Constraint] = (), method: Method | None = None,
                  inputs: Mapping[str, Any] | None = None, controllers: Sequence[Any] = (), start: float = 0.0,
                  every: float | None = None,
                  outputs: Mapping[str, Any] | None = None, stop_when: Mapping[str, Any] | None = None,
                  design: Simulating | None = None, at_once: bool | None = None,
                  thick: TimeStepping | Literal[False] | None = None, workers: int | None = None,
                  audit: Auditing = "raise") -> Runs:  # fmt: skip
    """Run a mechanism once for each row of a table, with its constraints, contacts, rules and controllers.

    The table gives arrays by the names of coordinates, speeds, inputs and parameters; a single number holds for all.
    What it leaves out is as in `simulate`, and so are all other settings. Samples are the start and the end, or even
    times with ``every``. ``outputs`` are asked of each run while it is there, by name: expressions, points, vectors at
    the samples, or functions of a run, ``{"bounces": lambda run: len(run.events)}``; the run itself is not kept.

    Each run has the bits that it has alone. Where nothing but forces acts, under `RK4`, runs share vectors and step
    together. All others share what is derived and compiled, and are made on ``workers`` cores: as many as there are.

    A run that fails is a row of nan, and ``runs.failed`` says why; so does one whose energy balance is off by far more
    than the method promises. With ``audit="warn"`` such are kept, and ``runs.doubtful`` says it; ``audit="off"`` does
    not look. Ctrl-C raises `lw.Interrupted`, whose ``run`` has those that came to their end.
    """
    method, audit = method_of(method), auditing(audit)
    t0, t_end = span(start, until)
    times = np.array([t0, t_end]) if every is None else even_times(t0, t_end, every)
    if stop_when is not None and every is not None:
        raise EvaluationError(f"every = {every} with stop_when cannot be had: runs that end at different times have no "
                              "common samples. Leave every out; states at the end are kept.")  # fmt: skip
    shared = mechanism_of(model, constraints, inputs, controllers)
    columns, count = columns_of(shared.equations, table)
    workers = _workers(workers)
    changes = (*model.contacts, *model.collisions, *model.rules) if isinstance(model, Model) else ()
    driven = bool(controllers or shared.driven.columns)
    if changes or shared.permanent or driven or outputs or stop_when or design is not None:
        settings = {"method": method, "design": design, "at_once": at_once, "thick": thick, "audit": audit}
        if audit == "warn":
            settings["audit"] = "raise"
        ensemble = Ensemble(shared, times, _outputs(shared.equations, outputs), stop_when, audit == "warn", settings)
        return _one_by_one(ensemble, columns, count, workers)
    return _smooth(shared, columns, count, method, times, workers, audit)


# --- each by itself ---------------------------------------------------------------------------------------------------


def _one_by_one(ensemble: Ensemble, columns: Mapping[str, Array], count: int, workers: int) -> Runs:
    """Runs of a mechanism whose modes change: the first here, which derives what all share, others on all cores."""
    shared = ensemble.mechanism
    starts = [start_in(shared.equations, columns, i) for i in range(count)]
    rows: list[Row | Failure | None] = [None] * count

    def work(part: slice) -> list[Row | Failure]:
        return list(ensemble.rows(starts[part]))

    def keep(part: slice, found: list[Row | Failure] | None) -> None:
        given = [Failure(LOST)] * len(starts[part]) if found is None else found
        rows[part.start : part.start + len(given)] = given

    try:
        with listening():
            first = [ensemble.row(start, like=count) for start in starts[:1]]
            keep(slice(0, 1), [] if interrupted() else first)
            portion = max(1, min(PORTION, -(-count // (4 * workers))))
            parts = [slice(i, min(i + portion, count)) for i in range(1, count, portion)]
            for part, found in () if interrupted() else shared_out(work, parts, workers):
                keep(part, found)
    except KeyboardInterrupt:
        raise _interrupted(_gathered(ensemble, columns, rows)) from None
    return _gathered(ensemble, columns, rows)


def _gathered(ensemble: Ensemble, columns: Mapping[str, Array], rows: Sequence[Row | Failure | None]) -> Runs:
    """All rows in one; what has another shape in one run than in the first that has it, fails that run."""
    shared, times = ensemble.mechanism, ensemble.times
    outputs = {name: _stacked(name, rows) for name in ensemble.outputs}
    failed = {i: row.reason for i, row in enumerate(rows) if isinstance(row, Failure)}
    for _, wrong in outputs.values():
        failed = {**wrong, **failed}
    good = {i: row for i, row in enumerate(rows) if isinstance(row, Row) and i not in failed}
    equations = shared.equations
    x = np.full((len(rows), len(times), len(equations.q) + len(equations.u) + 1), np.nan)
    ends = np.full(len(rows), np.nan)
    has_rates = any(row.udot is not None for row in good.values())
    udot = np.full((len(rows), len(times), len(equations.u)), np.nan) if has_rates else None
    has_inputs = any(row.inputs is not None for row in good.values())
    inputs = np.full((len(rows), len(times), len(equations.r)), np.nan) if has_inputs else None
    for i, row in good.items():
        x[i], ends[i] = row.x, row.end
        if udot is not None and row.udot is not None:
            udot[i] = row.udot
        if inputs is not None and row.inputs is not None:
            inputs[i] = row.inputs
    for stacked, _ in outputs.values():
        if np.issubdtype(stacked.dtype, np.floating):
            stacked[list(failed)] = np.nan
    return Runs(shared.driven, times, x, held_of(shared, columns, len(rows)), dict(sorted(failed.items())),
                {i: row.doubt for i, row in good.items() if row.doubt},
                tuple(good[i].events if i in good else Events() for i in range(len(rows))),
                {name: stacked for name, (stacked, _) in outputs.items()}, ends, udot, inputs)  # fmt: skip


def _stacked(name: str, rows: Sequence[Row | Failure | None]) -> tuple[Array, dict[int, str]]:
    """An output of all runs as one array, and the runs in which it is no numbers, or of another shape, and why."""
    found, wrong = dict[int, Array](), dict[int, str]()
    for i, row in enumerate(rows):
        if isinstance(row, Row):
            try:
                found[i] = np.asarray(row.outputs[name], dtype=float)
            except (TypeError, ValueError):
                wrong[i] = f"output '{name}' is {row.outputs[name]!r:.60}, which is no number. Let it give numbers."
    shape = next(iter(found.values())).shape if found else ()
    stacked = np.full((len(rows), *shape), np.nan)
    for i, value in found.items():
        if value.shape == shape:
            stacked[i] = value
        else:
            first = next(iter(found))
            wrong[i] = (f"output '{name}' has the shape {value.shape} in run {i}, and {shape} in run {first}. Let it "
                        "give as many numbers in every run.")  # fmt: skip
    return stacked, wrong


def _outputs(equations: Equations, outputs: Mapping[str, Any] | None) -> dict[str, Any]:
    """Outputs by name; a text that means nothing in the model is refused before anything is run."""
    if outputs is None:
        return {}
    if not isinstance(outputs, Mapping):
        raise ArgumentError(f"outputs are {outputs!r:.60}. Give them by name: outputs={{\"height\": \"q1\"}}.")
    for name, what in outputs.items():
        if what is None:
            raise ArgumentError(f"output '{name}' of '{equations.name}' is None. Give an expression or a text.")
        if isinstance(what, str):
            look_up(equations, what)
    return {str(name): what for name, what in outputs.items()}


def _workers(workers: Any) -> int:
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise ArgumentError(f"workers = {workers!r}. Give a whole number of cores, 1 or more.")
    return workers or cores()


def _interrupted(runs: Runs) -> Interrupted:
    """What came to its end before an interrupt; the others have failed."""
    name, cut = runs.driven.equations.name, np.flatnonzero(np.isnan(runs.x[:, -1]).any(axis=1)).tolist()
    why = {i: "it was interrupted" for i in cut if i not in runs.failed}
    made = replace(runs, failed=dict(sorted((why | runs.failed).items())))
    return Interrupted(f"{len(runs) - len(why)} of {len(runs)} runs of '{name}' came to their end before an interrupt. "
                       "They are in .run; .run.failed names the others.", made)  # fmt: skip



# --- without modes ----------------------------------------------------------------------------------------------------


def _smooth(shared: Mechanism, columns: Mapping[str, Array], count: int, method: Method | None, times: Array,
            workers: int, audit: Auditing) -> Runs:  # fmt: skip
    """Runs on which nothing but forces acts."""
    x0, rest = rows_of(shared, columns, count, float(times[0]))
    x = np.full((count, len(times), x0.shape[1]), np.nan)
    runs = Runs(shared.driven, times, x, rest, {}, events=(Events(),) * count, ends=np.full(count, times[-1]))
    try:
        with listening():
            failed, steps = integrate_all(shared, method, x0, rest, times, runs.x, workers)
            runs.failed.update(failed)
    except KeyboardInterrupt:
        raise _interrupted(runs) from None
    units = measured_starts(shared, float(times[0]), x0[:1], rest[:1])[0].state_units
    found = (shared.driven.energy, times, runs.x, rest, steps, method or USUAL, units)
    doubtful = {} if audit == "off" else doubts(*found)
    if audit == "warn":
        return replace(runs, doubtful=doubtful)
    runs.x[list(doubtful)] = np.nan
    return replace(runs, failed=dict(sorted((runs.failed | doubtful).items())))
