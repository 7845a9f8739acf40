"""simulate_many: one mechanism from many starts, with many parameters. Each run has the bits that it has alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.constraint.scales import measured
from latchwork.constraint.terms import Base, base_of
from latchwork.errors import EvaluationError, IntegrationError, Interrupted, ModelError, did_you_mean, spelled
from latchwork.hybrid.audit import Auditing, auditing, doubts
from latchwork.hybrid.lanes import in_lanes, lanes_pay
from latchwork.hybrid.right_side import RightSide, right_side
from latchwork.hybrid.start import even_times, mechanism, method_of, must_be_unit, span, start_of
from latchwork.hybrid.trajectory import Samples
from latchwork.integrate.methods import RK4, Method, integrate
from latchwork.integrate.problem import StateScales
from latchwork.integrate.workspace import Memory
from latchwork.kane.equations import Equations
from latchwork.model import Model
from latchwork.program.batch import parallel, shares
from latchwork.program.interrupt import interrupted, listening

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Runs:
    """Many runs: states at the same times.

    ``failed`` says why a run stopped or was refused, by its row; its states are nan. ``doubtful`` says what the audit
    found of runs that were to be kept.
    """

    side: RightSide = field(repr=False)
    t: Array  # (samples,)
    x: Array = field(repr=False)  # (runs, samples, states)
    rest: Array = field(repr=False)  # (runs, inputs and parameters)
    failed: dict[int, str]
    doubtful: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, what: Any) -> Array:
        """Numbers for every run and sample: a name, an expression, a point, a vector or a frame, as in a Trajectory."""
        runs, samples, _ = self.x.shape
        rest = np.repeat(self.rest, samples, axis=0)
        values = Samples(self.side.driven, np.tile(self.t, runs), self.x.reshape(runs * samples, -1), rest)[what]
        return values.reshape(runs, samples, *values.shape[1:])

    @property
    def final(self) -> dict[str, Array]:
        """Coordinates and speeds at the end, by name."""
        equations = self.side.equations
        return {name: self.x[:, -1, i] for i, name in enumerate((*equations.q_names, *equations.u_names))}


@spelled
def simulate_many(model: Model | Equations, table: Mapping[str, ArrayLike], until: float, *,
                  method: Method | None = None, inputs: Mapping[str, Any] | None = None, start: float = 0.0,
                  every: float | None = None, threads: int | None = None,
                  audit: Auditing = "raise") -> Runs:  # fmt: skip
    """Run a mechanism once for each row of a table.

    The table gives arrays by the names of coordinates, speeds, inputs and parameters; a single number holds for all.
    What it leaves out is as in `simulate`. Samples are the start and the end, or even times with ``every``. Under
    `RK4`, runs share vectors and step together; any other method takes each by itself, in threads. Ctrl-C raises
    `lw.Interrupted`, whose ``run`` has those that came to their end.

    Runs whose energy balance is off by far more than the method promises are refused, one by one: ``runs.failed`` says
    why. With ``audit="warn"`` they are kept, and ``runs.doubtful`` says it; ``audit="off"`` does not look.
    """
    (equations, constraints), method, audit = mechanism(model), method_of(method), auditing(audit)
    changing: tuple[Any, ...] = (*model.contacts, *model.collisions, *model.rules) if isinstance(model, Model) else ()
    if changing:
        raise ModelError(
            f"simulate_many runs no contacts and no rules, and '{equations.name}' has some "
            f"({', '.join(each.name for each in changing)}). Leave them out of the model, or use simulate for each."
        )
    if constraints:
        raise ModelError(
            f"simulate_many cannot hold the constraints of '{equations.name}' "
            f"({', '.join(k.name for k in constraints)}). Give model.constrained().equations, or use simulate for each."
        )
    t0, t_end = span(start, until)
    side, held = right_side(equations, inputs)
    if side.driven.columns:
        raise EvaluationError("simulate_many takes no lw.Table. Give numbers or expressions, or use simulate for each.")
    x0, rest = _starts(equations, table, held, t0)
    times = np.array([t0, t_end]) if every is None else even_times(t0, t_end, every)
    runs = Runs(side, times, np.full((len(x0), len(times), x0.shape[1]), np.nan), rest, {})
    try:
        with listening():
            left = list(range(len(x0)))
            if isinstance(method, RK4) and lanes_pay(side.function.program, method, len(x0), t_end - t0):
                left = in_lanes(side.function, method, x0, rest, times, runs.x, threads)
            failed, steps = _alone(side, method, x0, rest, times, left, runs.x, threads)
            runs.failed.update(failed)
    except KeyboardInterrupt:
        raise _interrupted(runs) from None
    doubtful = {} if audit == "off" else doubts(side.driven.energy, times, runs.x, rest, steps, method,
                                                 _bases(side, t0, x0[:1], rest[:1])[0].state_units)  # fmt: skip
    if audit == "warn":
        return replace(runs, doubtful=doubtful)
    runs.x[list(doubtful)] = np.nan
    return replace(runs, failed=dict(sorted((runs.failed | doubtful).items())))


def _interrupted(runs: Runs) -> Interrupted:
    """What came to its end before an interrupt; the others have failed."""
    name, cut = runs.side.equations.name, np.flatnonzero(np.isnan(runs.x[:, -1]).any(axis=1)).tolist()
    why = {i: "it was interrupted" for i in cut if i not in runs.failed}
    made = replace(runs, failed=dict(sorted((why | runs.failed).items())))
    return Interrupted(f"{len(runs) - len(why)} of {len(runs)} runs of '{name}' came to their end before an interrupt. "
                       "They are in .run; .run.failed names the others.", made)  # fmt: skip


def _starts(equations: Equations, table: Mapping[str, ArrayLike], held: Mapping[str, float],
            t0: float) -> tuple[Array, Array]:  # fmt: skip
    """States and held numbers of every run, one row each: those of the first run, with the columns put in."""
    columns = {str(name): np.asarray(values, dtype=float) for name, values in table.items()}
    runs = _length(columns)
    first = {name: float(values[0] if values.ndim else values) for name, values in columns.items()}
    q, u, r, p = _by_kind(equations, first, held)
    x, rest = start_of(equations, q, u, r, p, t0).parts
    rows = np.tile(np.concatenate([x, rest]), (runs, 1))
    n = len(x)
    place = [*equations.q_names, *equations.u_names, "", *(symbol.name for symbol in (*equations.r, *equations.p))]
    for name, values in columns.items():
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(np.broadcast_to(values, runs))))
            raise EvaluationError(f"'{name}' is not finite in row {row} of the table. Give a finite number.")
        rows[:, place.index(name)] = values
    for row in rows if equations.system.quaternions else ():
        must_be_unit(equations, row[:n])
    return rows[:, :n].copy(), rows[:, n:].copy()


def _by_kind(equations: Equations, values: Mapping[str, float], held: Mapping[str, float]) -> list[dict[str, float]]:
    """Values sorted into coordinates, speeds, inputs and parameters."""
    kinds = [{symbol.name for symbol in symbols} for symbols in (equations.q, equations.u, equations.r, equations.p)]
    for name in values:
        if not any(name in kind for kind in kinds):
            known = set().union(*kinds)
            raise EvaluationError(f"'{name}' is nothing of '{equations.name}'.{did_you_mean(name, sorted(known))}")
    q, u, r, p = ({name: value for name, value in values.items() if name in kind} for kind in kinds)
    return [q, u, {**held, **r}, p]


def _length(columns: Mapping[str, Array]) -> int:
    """How many rows the table has."""
    lengths = {name: len(values) for name, values in columns.items() if values.ndim == 1}
    if not any(lengths.values()) or len(set(lengths.values())) > 1 or any(c.ndim > 1 for c in columns.values()):
        shapes = ", ".join(f"{name} {values.shape}" for name, values in columns.items()) or "nothing"
        raise EvaluationError(f"the table has {shapes}: no common number of rows. Give each column one number per run.")
    return next(iter(lengths.values()))


def _bases(side: RightSide, t0: float, x0: Array, rest: Array) -> list[Base]:
    """Programs with the scales and units of every run, as it has them alone."""
    d, equations = side.driven, side.equations
    base = base_of(equations, d.power, d.laws, (d.arguments[0], *equations.q, *equations.u, *d.held))
    return [measured(base, row) for row in np.column_stack([np.full(len(x0), t0), x0[:, :-1], rest])]


def _alone(side: RightSide, method: Method, x0: Array, rest: Array, times: Array, which: list[int], x: Array,
           threads: int | None) -> tuple[dict[int, str], Array]:  # fmt: skip
    """Fill in these runs, each by itself; the reasons of those that stopped, and how many steps each run took."""
    failed: dict[int, str] = {}
    steps, bases = np.zeros(len(x0)), _bases(side, times[0], x0[which], rest[which])
    scales = [StateScales(base.scales.time, base.state_units) for base in bases]

    def run(part: slice) -> None:
        memory = Memory()
        for i, own in zip(which[part], scales[part], strict=True):
            if interrupted():
                return
            try:
                found = integrate(side.function, x0[i], times[0], times[-1], rest[i], method, memory=memory,
                                  scales=own)  # fmt: skip
                if found.t[-1] == times[-1]:
                    x[i], steps[i] = found.at(times), found.stats.steps
            except IntegrationError as error:
                x[i], failed[i] = np.nan, str(error)

    parallel(run, shares(len(which), threads, most=64), threads)
    return failed, steps
