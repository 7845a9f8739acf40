"""Optima of designs: the parameters at which an output of a model, or of a function, is least.

    minimise  f(p)    subject to    low ≤ p ≤ high,    a_i ≤ g_i(p) ≤ b_i

A point at which a run fails, or a constraint is broken, is worse than every point at which none is: such are ordered by
how far they break them.  [Deb, Computer Methods in Applied Mechanics and Engineering 186 (2000) 311]
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import ArgumentError, Interrupted, StudyError, did_you_mean, must_be, must_measure
from latchwork.hybrid.trajectory import Trajectory
from latchwork.model import Model
from latchwork.program.interrupt import interrupted, listening
from latchwork.program.processes import copies, cores, may_copy
from latchwork.study.extras import extra
from latchwork.study.points import bounds_of
from latchwork.study.subject import Outcome, Subject
from latchwork.study.workers import compute

Array = NDArray[np.float64]
BROKEN, FAILED = 1e50, 1e60  # beyond any objective: constraints are broken, a run has failed
SIDE = 0.1  # of the box: a side of the first simplex, which points inwards
Limits = Mapping[str, tuple[float | None, float | None]]


@dataclass(frozen=True)
class Trial:
    """A point that was tried: its parameters, outputs, objective, and by how much constraints are broken."""

    point: Mapping[str, float]
    outputs: Mapping[str, Any]
    value: float
    broken: float
    reason: str = ""

    @property
    def rank(self) -> float:
        """The objective, or more than any where the point is not allowed."""
        if self.reason:
            return FAILED
        return BROKEN * (2.0 - 1.0 / (1.0 + self.broken)) if self.broken > 0.0 else self.value


@dataclass(frozen=True, eq=False)
class Minimum:
    """The best point that was found, and all that were tried."""

    best: Trial
    trials: tuple[Trial, ...]
    subject: Subject = field(repr=False)
    seconds: float = 0.0

    @property
    def point(self) -> dict[str, float]:
        return dict(self.best.point)

    @property
    def value(self) -> float:
        return self.best.value

    def run(self) -> Trajectory:
        """The run of the best point."""
        return self.subject.run(self.point)

    def __str__(self) -> str:
        where = ", ".join(f"{name} = {value:.6g}" for name, value in self.best.point.items())
        return f"{self.value:.6g} at {where}, after {len(self.trials)} trials"

    def plot(self, path: str | None = None) -> Any:
        """The objective of every trial that was allowed, and the best so far."""
        from latchwork.view.plots import COLORS, figure, save

        made = figure(7.0, 3.4)
        panel = made.subplots()
        ranks = np.array([trial.rank for trial in self.trials])
        allowed = np.flatnonzero(ranks < BROKEN)
        panel.plot(allowed, ranks[allowed], ".", color="0.7", markersize=3, label="trials")
        panel.plot(allowed, np.minimum.accumulate(ranks[allowed]), color=COLORS[0], label="the best so far")
        panel.set(xlabel="trial", ylabel="objective")
        if len(allowed) and (ranks[allowed] > 0.0).all():
            panel.set_yscale("log")
        panel.spines[["top", "right"]].set_visible(False)
        panel.legend(frameon=False)
        save(made, path)
        return made


Evaluate = Callable[[Sequence[Array]], list[float]]  # ranks of some points


class Minimizer(Protocol):
    """How a minimum is looked for."""

    def search(self, evaluate: Evaluate, low: Array, high: Array, start: Array | None) -> None:
        """Try points; whoever asked keeps the best."""
        ...


def _must_be_counts(method: Any, **least: int) -> None:
    """Refuse settings of a method that are no whole numbers, and a tolerance that is none."""
    kind = f"lw.{type(method).__name__}"
    for name, lowest in least.items():
        must_measure(getattr(method, name), f"{name} of {kind}", f"Give a whole number, {lowest} or more.", lowest,
                     whole=True)  # fmt: skip
    if hasattr(method, "tolerance"):
        must_measure(method.tolerance, f"tolerance of {kind}", "Give a number, 0 or more.", 0.0)


@dataclass(frozen=True)
class DifferentialEvolution:
    """A population that is mutated and recombined, then the best polished: for any objective, with many valleys.
    [Storn & Price, J. Global Optimization 11 (1997) 341]"""

    generations: int = 40
    population: int = 12  # for each parameter
    tolerance: float = 1e-3
    polish: int = 200  # trials of Nelder and Mead's method at the end
    seed: int = 0

    def __post_init__(self) -> None:
        _must_be_counts(self, generations=1, population=1, polish=0, seed=0)

    def search(self, evaluate: Evaluate, low: Array, high: Array, start: Array | None) -> None:
        """Generations are tried as one, on all cores."""
        from scipy.optimize import differential_evolution

        def mapped(function: Any, points: Any) -> list[float]:
            return evaluate([low + (high - low) * np.asarray(x) for x in points])

        found = differential_evolution(
            lambda x: evaluate([low + (high - low) * x])[0], [(0.0, 1.0)] * len(low), maxiter=self.generations,
            popsize=self.population, tol=self.tolerance, seed=self.seed, polish=False, updating="deferred",
            workers=mapped, x0=None if start is None else (start - low) / (high - low),
            callback=lambda *_, **__: interrupted(),
        )  # fmt: skip
        if self.polish and not interrupted():
            NelderMead(self.polish).search(evaluate, low, high, low + (high - low) * found.x)


@dataclass(frozen=True)
class NelderMead:
    """A simplex that walks downhill from a start, without derivatives: for smooth objectives of few parameters.
    [Nelder & Mead, Computer Journal 7 (1965) 308]"""

    trials: int = 400
    tolerance: float = 1e-10

    def __post_init__(self) -> None:
        _must_be_counts(self, trials=1)

    def search(self, evaluate: Evaluate, low: Array, high: Array, start: Array | None) -> None:
        from scipy.optimize import minimize as by_scipy

        middle = np.full(len(low), 0.5) if start is None else np.clip((start - low) / (high - low), 0.0, 1.0)
        simplex = np.vstack([middle, middle + SIDE * np.diag(np.where(middle > 0.5, -1.0, 1.0))])
        options = {"maxfev": self.trials, "xatol": self.tolerance, "fatol": self.tolerance, "adaptive": True,
                   "initial_simplex": simplex}  # fmt: skip
        by_scipy(lambda x: evaluate([low + (high - low) * x])[0], middle, method="Nelder-Mead",
                 bounds=[(0.0, 1.0)] * len(low), options=options, callback=_until_interrupted)  # fmt: skip


@dataclass(frozen=True)
class Optuna:
    """Optuna's sampler (``pip install latchwork[optuna]``); with ``storage="sqlite:///x.db"`` it goes on where it
    was."""

    trials: int = 200
    storage: str | None = None
    name: str = "latchwork"
    seed: int = 0

    def __post_init__(self) -> None:
        _must_be_counts(self, trials=1, seed=0)

    def search(self, evaluate: Evaluate, low: Array, high: Array, start: Array | None) -> None:
        optuna = extra("optuna", "optuna")
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        study = optuna.create_study(storage=self.storage, study_name=self.name, load_if_exists=True,
                                    sampler=optuna.samplers.TPESampler(seed=self.seed))  # fmt: skip
        if start is not None and not study.trials:
            study.enqueue_trial({f"x{k}": float(x) for k, x in enumerate((start - low) / (high - low))})

        def objective(trial: Any) -> float:
            x = np.array([trial.suggest_float(f"x{k}", 0.0, 1.0) for k in range(len(low))])
            if interrupted():
                trial.study.stop()
            return evaluate([low + (high - low) * x])[0]

        before = [trial for trial in study.trials if trial.state.is_finished()]
        if before:
            best = study.best_trial
            evaluate([low + (high - low) * np.array([best.params[f"x{k}"] for k in range(len(low))])])
        study.optimize(objective, n_trials=max(self.trials - len(before), 0))


def _until_interrupted(*_: Any, **__: Any) -> None:
    if interrupted():
        raise StopIteration


def minimize(subject: Model | Callable[..., Any], objective: str, bounds: Mapping[str, tuple[float, float]], *,
             outputs: Any = None, constraints: Limits | None = None, start: Mapping[str, float] | None = None,
             method: Minimizer | None = None, workers: int | None = None,
             progress: Callable[[Trial], None] | None = None, **settings: Any) -> Minimum:  # fmt: skip
    """The point at which an output of a model, or of a function of parameters, is least.

    ``bounds`` has the range of each parameter; ``constraints`` those of outputs, ``{"clearance": (0.01, None)}``, as a
    gap between shapes (``run.interference``) or a reaction (``run.reactions()``). ``outputs`` and ``settings`` are
    those of `lw.Study`. ``method`` is `lw.DifferentialEvolution` unless given, `lw.NelderMead` or `lw.Optuna`.
    ``progress`` hears of every trial that is the best so far. Ctrl-C raises `lw.Interrupted`, whose ``run`` is the
    minimum so far.
    """
    from latchwork.study.study import Study

    if not isinstance(bounds, Mapping) or not bounds:
        raise StudyError(f"bounds are {bounds!r:.60}. Give the range of each parameter: bounds={{\"mass\": (1, 2)}}.")
    box = {str(name): bounds_of(str(name), given) for name, given in bounds.items()}
    made = Study(subject, {name: [0.5 * (low + high)] for name, (low, high) in box.items()}, outputs, **settings)
    how = DifferentialEvolution() if method is None else method
    return search(made.subject, objective, box, constraints or {}, start, how, workers or cores(), progress)


def search(subject: Subject, objective: str, box: Mapping[str, tuple[float, float]], constraints: Limits,
           start: Mapping[str, float] | None, method: Minimizer, workers: int,
           progress: Callable[[Trial], None] | None) -> Minimum:  # fmt: skip
    """Look for a minimum, and keep the best of what was tried."""
    must_be(objective, str, "what is to be least", "Give the name of an output.")
    if isinstance(method, type) or not hasattr(method, "search"):
        raise ArgumentError(f"{method!r} looks for no minimum. Give lw.DifferentialEvolution(), lw.NelderMead() or "
                            "lw.Optuna().")  # fmt: skip
    limits = {name: _limits(name, given) for name, given in constraints.items()}
    low, high = np.array([*box.values()]).T
    trials: list[Trial] = []
    began = time.perf_counter()

    def judged(point: Mapping[str, float], outcome: Outcome) -> Trial:
        trial = _trial(point, outcome, objective, limits)
        if not any(each.rank <= trial.rank for each in trials) and progress is not None:
            progress(trial)
        trials.append(trial)
        return trial

    def many(points: Sequence[Array]) -> list[float]:
        named = [dict(zip(box, x.tolist(), strict=True)) for x in points]
        if interrupted():
            return [FAILED] * len(points)
        return [judged(point, outcome).rank for point, outcome in zip(named, spread(named), strict=True)]

    try:
        with listening(), _spread(subject, workers) as spread:
            first = None if start is None else _start_in(box, start)
            method.search(many, low, high, first)
    except KeyboardInterrupt:
        raise Interrupted(f"the minimum of '{objective}' was interrupted after {len(trials)} trials. The best is in "
                          ".run.", _best(subject, objective, trials, began)) from None  # fmt: skip
    return _best(subject, objective, trials, began)


def _start_in(box: Mapping[str, tuple[float, float]], start: Mapping[str, float]) -> Array:
    """Where to begin, within the bounds of all parameters."""
    if not isinstance(start, Mapping) or set(start) != set(box):
        given = ", ".join(map(str, start)) if isinstance(start, Mapping) else repr(start)
        raise StudyError(f"the start gives {given or 'nothing'}, and {', '.join(box)} are varied. Give a value for "
                         "each.")  # fmt: skip
    for name, (low, high) in box.items():
        if isinstance(start[name], str) or not low <= start[name] <= high:
            raise StudyError(f"the start of '{name}' is {start[name]!r}, and its bounds are {low:g} and {high:g}. "
                             "Begin between them.")  # fmt: skip
    return np.array([float(start[name]) for name in box])


def _best(subject: Subject, objective: str, trials: Sequence[Trial], began: float) -> Minimum:
    if not trials:
        raise StudyError(f"nothing was tried for the minimum of '{objective}'. Give more trials.")
    best = min(trials, key=lambda trial: trial.rank)
    if best.rank >= BROKEN:
        told = best.reason or f"constraints are broken by {best.broken:.3g} at best"
        raise StudyError(f"no allowed point was found for the minimum of '{objective}' in {len(trials)} trials: "
                         f"{told}. Widen bounds or constraints, or start at a point that is allowed.")  # fmt: skip
    return Minimum(best, tuple(trials), subject, time.perf_counter() - began)


@contextmanager
def _spread(subject: Subject, workers: int) -> Iterator[Callable[[list[dict[str, float]]], list[Outcome]]]:
    """What computes some points: this process where there is one, copies of it where there are many."""
    def one(point: dict[str, float]) -> Outcome:
        return compute(subject, {0: point})[0]

    if workers == 1 or not may_copy():
        yield lambda points: [one(point) for point in points]
        return
    with copies(one, workers) as submit:
        def many(points: list[dict[str, float]]) -> list[Outcome]:
            first = one(points[0])  # here: it makes what all copies share, before they are made
            return [first, *[future.result() for future in [*map(submit, points[1:])]]]

        yield many


def _trial(point: Mapping[str, float], outcome: Outcome, objective: str, limits: Limits) -> Trial:
    if outcome.outputs is None:
        return Trial(point, {}, math.inf, 0.0, outcome.reason)
    for name in (objective, *limits):
        if name not in outcome.outputs:
            raise StudyError(f"there is no output '{name}' to be least or kept."
                             f"{did_you_mean(str(name), [*outcome.outputs])}")  # fmt: skip
    values = {}
    for name in (objective, *limits):
        found = np.asarray(outcome.outputs[name], dtype=float)
        if found.shape != () or not np.isfinite(found):
            return Trial(point, outcome.outputs, math.inf, 0.0, f"'{name}' is {found.tolist()!r:.60}, not one number")
        values[name] = float(found)
    broken = 0.0
    for name, (least, most) in limits.items():
        size = max(abs(each) for each in (least, most, 1e-12) if each is not None)
        broken += max(0.0, 0.0 if least is None else (least - values[name]) / size,
                      0.0 if most is None else (values[name] - most) / size)  # fmt: skip
    return Trial(point, outcome.outputs, values[objective], broken)


def _limits(name: str, given: Any) -> tuple[float | None, float | None]:
    try:
        least, most = (None if each is None else float(each) for each in given)
    except (TypeError, ValueError):
        raise StudyError(f"the constraint on '{name}' is {given!r:.60}. Give two numbers, or None for a side that is "
                         f"free: {{\"{name}\": (0.0, None)}}.") from None  # fmt: skip
    if least is not None and most is not None and least > most:
        raise StudyError(f"the constraint on '{name}' is from {least:g} to {most:g}. Give the lower one first.")
    return least, most
