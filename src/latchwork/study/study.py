"""Study: a model, or a function, at many points; computed once each, kept in a store, gone on with after anything."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version as version_of
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import (
    ArgumentError,
    Incomplete,
    Interrupted,
    LatchworkError,
    StudyError,
    answering,
    did_you_mean,
    spelled,
)
from latchwork.hybrid.ensemble import is_function
from latchwork.hybrid.start import even_times, span
from latchwork.hybrid.symbol_lookup import look_up
from latchwork.hybrid.trajectory import Trajectory
from latchwork.model import Model
from latchwork.program.interrupt import interrupted, listening
from latchwork.program.processes import cores
from latchwork.study.points import Points, points_of
from latchwork.study.progress import Progress, duration, listener
from latchwork.study.store import DONE, FAILED, MISSING, Waiting, facts_of, opened
from latchwork.study.subject import FunctionSubject, ModelSubject, Outcome, Subject, digest
from latchwork.study.workers import Computed, by_futures, compute, on_dask, on_this_machine

if TYPE_CHECKING:
    from latchwork.study.minimum import Minimum

Array = NDArray[np.float64]
PILOTS = 20  # points tried for the shapes of outputs before the rest is shared out


@answering
@spelled
class Study:
    """Results of a model at many points.

    ``subject`` is a model, which is run ``until`` a time at each point, or a function of the parameters by name, which
    gives outputs by name, one number, or a run. ``parameters`` are values by name (a grid), or `lw.grid`,
    `lw.sampled`, `lw.points`; of a model they may be parameters, coordinates, speeds and inputs. ``outputs`` are asked
    of each run, by name: texts, expressions, points, vectors (at the end, or at the samples with ``every``), and
    functions of a run. ``events=True`` keeps a table of all events.

    With ``store="study.zarr"`` results last, and a study that was cut off goes on where it was: ``study.run()``
    computes what is missing or failed. Results are known by the model, outputs, settings, points and the version of
    Latchwork; a store of anything else is refused. What a function calls is not looked at: give ``version`` where that
    changes.
    """

    def __init__(self, subject: Model | Callable[..., Any], parameters: Any, outputs: Any = None, store: Any = None, *,
                 until: float | None = None, start: float = 0.0, every: float | None = None,
                 q: Mapping[str, float] | None = None, u: Mapping[str, float] | None = None,
                 inputs: Mapping[str, Any] | None = None, constants: Mapping[str, float] | None = None,
                 method: Any = None, stop_when: Mapping[str, Any] | None = None, audit: str = "raise",
                 events: bool = False, version: str = "", chunk: int | None = None) -> None:  # fmt: skip
        self.points: Points = points_of(parameters)
        given = {"until": until, "start": start, "every": every, "q": q, "u": u, "inputs": inputs,
                 "constants": constants, "method": method, "stop_when": stop_when, "audit": audit}  # fmt: skip
        if isinstance(subject, Model):
            _must_differ(subject.name, self.points.names, given)
            self.subject: Subject = _model_subject(subject, _named(outputs), given, events)
        elif callable(subject):
            usual = {"start": 0.0, "audit": "raise"}
            wrong = [name for name, value in given.items() if value != usual.get(name)]
            if wrong or events:
                raise StudyError(f"{', '.join(wrong or ['events'])}: settings of a run go with a model. Let the "
                                 "function make the run with them.")  # fmt: skip
            self.subject = FunctionSubject(subject, _named(outputs), version)
        else:
            raise StudyError(f"a study cannot be made of {subject!r:.60}. Give a model, or a function of parameters.")
        self.subject.must_know(self.points.names)
        if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1):
            raise StudyError(f"chunk = {chunk!r}. Give a whole number of points for a task, 1 or more.")
        self.identity = digest(self.subject.identity())
        facts = facts_of(self.subject.name, self.identity, version_of("latchwork"), self.subject.outputs)
        self.store = opened(store, facts, self.points, chunk)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"<Study of '{self.subject.name}': {self.progress}>"

    @property
    def progress(self) -> Progress:
        """How many points are done, failed and missing."""
        status = self.store.status
        return Progress(*(int((status == kind).sum()) for kind in (DONE, FAILED, MISSING)))

    # --- computing ----------------------------------------------------------------------------------------------

    def run(self, *, workers: int | None = None, client: Any = None, executor: Any = None,
            progress: Callable[[Progress], None] | bool | None = None) -> Study:  # fmt: skip
        """Compute what is missing or failed, on so many cores of this machine, a Dask ``client``, or an ``executor``.

        A task is written as it comes back; those that took no time, together. Ctrl-C, a full disk or the end of a
        cluster lose no more than the tasks that are under way: ``run`` again goes on. ``progress=True`` tells on
        standard error how far it is.
        """
        tell, chosen = listener(progress), [each for each in (workers, client, executor) if each is not None]
        if len(chosen) > 1:
            raise ArgumentError("workers, client and executor were given together. Give one of them.")
        if executor is not None and not hasattr(executor, "submit"):
            raise ArgumentError(f"executor is {executor!r:.60}. Give one of concurrent.futures, which has `submit`.")
        if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
            raise ArgumentError(f"workers = {workers!r}. Give a whole number of cores, 1 or more.")
        todo = np.flatnonzero(self.store.status != DONE).tolist()
        if not todo:
            return self
        try:
            with self.store.locked(), listening():
                self._run(todo, tell, workers, client, executor)
        except KeyboardInterrupt:
            raise Interrupted(f"the study of '{self.subject.name}' was interrupted: {self.progress}. They are kept; "
                              "run it again to go on.", self) from None  # fmt: skip
        return self

    def _run(self, todo: list[int], tell: Callable[[Progress], None], workers: int | None, client: Any,
             executor: Any) -> None:  # fmt: skip
        began, before, failed = time.perf_counter(), self.progress, 0
        waiting = Waiting(self.store)
        try:
            left = self._pilot(todo, waiting)
            done = len(todo) - len(left)
            for _, outcomes in self._computed(left, workers, client, executor):
                checked = {i: self._checked(i, outcome) for i, outcome in outcomes.items()}
                waiting.add(checked)
                done += len(checked)
                failed += sum(each.outputs is None for each in checked.values())
                seconds = time.perf_counter() - began
                rest = seconds / max(done, 1) * (len(todo) - done)
                tell(Progress(before.done + done - failed, failed, len(todo) - done, seconds, rest))
        finally:
            waiting.write()

    def _computed(self, left: Sequence[int], workers: int | None, client: Any, executor: Any) -> Computed:
        """Tasks of the points that are left, as they are computed."""
        tasks: dict[int, dict[int, dict[str, float]]] = {}
        for i in left:
            tasks.setdefault(i // self.store.chunk, {})[i] = self.points.at(i)
        if client is not None:
            return on_dask(self.subject, tasks, client)
        if executor is not None:
            return by_futures(self.subject, tasks, executor.submit)
        return on_this_machine(self.subject, tasks, workers or cores())

    def _pilot(self, todo: list[int], waiting: Waiting) -> list[int]:
        """Compute points here until one has told the shapes of outputs, and what all processes share is made; those
        that are left. What was computed waits to be written."""
        tried = 0
        while tried < min(len(todo), PILOTS if self.store.shapes is None else 1):
            i = todo[tried]
            outcome = compute(self.subject, {i: self.points.at(i)})[i]
            if interrupted():
                return []
            if self.store.shapes is None and outcome.outputs is not None:
                self._shape(i, outcome)
            waiting.add({i: self._checked(i, outcome)})
            tried += 1
            if self.store.shapes is not None:
                break
        return todo[tried:]

    def _shape(self, i: int, outcome: Outcome) -> None:
        assert outcome.outputs is not None, "only what was computed has shapes"
        found = {name: _numbers(value) for name, value in outcome.outputs.items()}
        shapes = {name: array.shape for name, array in found.items() if array is not None}
        if len(shapes) < max(len(found), 1):
            wrong = next((name for name in found if name not in shapes), None)
            what = "nothing" if wrong is None else f"{outcome.outputs[wrong]!r:.60} for '{wrong}', which is no number,"
            raise StudyError(f"'{self.subject.name}' gives {what} at point {i} ({_told(self.points.at(i))}). Let it "
                             "give numbers by name, or ask for outputs.")  # fmt: skip
        clash = [name for name in shapes if name in self.points.names]
        if clash:
            raise StudyError(f"'{clash[0]}' names a parameter and an output. Call the output otherwise.")
        self.store.shape_outputs(shapes)

    def _checked(self, i: int, outcome: Outcome) -> Outcome:
        """An outcome whose outputs are finite, with the names and shapes of those of the first point; else why not."""
        shapes = self.store.shapes
        if outcome.outputs is None:
            return outcome
        if shapes is None:
            self._shape(i, outcome)
            shapes = self.store.shapes or {}
        values = {name: _numbers(value) for name, value in outcome.outputs.items()}
        if values.keys() != shapes.keys():
            reason = f"its outputs are {', '.join(values)}, and those of the first point {', '.join(shapes)}"
            return outcome._replace(outputs=None, reason=f"{reason}. Give the same in all.")
        for name, value in values.items():
            if value is None or value.shape != shapes[name]:
                what = f"{outcome.outputs[name]!r:.40}, no number" if value is None else f"of the shape {value.shape}"
                reason = f"output '{name}' is {what}, and at the first point of the shape {shapes[name]}"
                return outcome._replace(outputs=None, reason=f"{reason}. Give as many numbers at all.")
            if not np.isfinite(value).all():
                return outcome._replace(outputs=None, reason=f"output '{name}' is not finite: {value.tolist()!r:.40}.")
        return outcome

    # --- results ------------------------------------------------------------------------------------------------

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of outputs, once a point has told."""
        return tuple(self.store.shapes or self.subject.outputs)

    @property
    def failed(self) -> dict[int, str]:
        """Why points have failed, by number."""
        return self.store.reasons()

    def __getitem__(self, name: str) -> Array:
        """An output of all points, or a parameter, by name; of a complete study."""
        return self.values(name)

    def values(self, name: str, incomplete: bool = False) -> Array:
        """An output, or a parameter, one row per point; of a study that is not complete only where that is asked for,
        and nan where there is none."""
        if name in self.points.names:
            return self.points.values[:, self.points.names.index(name)].copy()
        self.must_be_complete(incomplete)
        if name not in self.outputs:
            known = [*self.outputs, *self.points.names]
            raise StudyError(f"the study of '{self.subject.name}' has no '{name}'.{did_you_mean(str(name), known)}")
        return self.store.output(name)

    def must_be_complete(self, incomplete: bool = False) -> None:
        """Refuse results where points are missing, unless they are asked for all the same."""
        now = self.progress
        if incomplete and now.done:
            return
        if now.failed or now.missing:
            why = f" The first that failed: {next(iter(self.failed.values()))!r:.200}." if now.failed else ""
            raise Incomplete(f"the study of '{self.subject.name}' is not complete: {now.done} of {now.total} points "
                             f"are done, {now.failed} failed, {now.missing} are missing.{why} Run it, or ask with "
                             "incomplete=True for what there is.")  # fmt: skip

    def dataset(self, incomplete: bool = False) -> Any:
        """Results as an xarray Dataset with names; a grid has its axes as dimensions."""
        from latchwork.study.tables import dataset

        return dataset(self, incomplete)

    def statistics(self, incomplete: bool = False) -> dict[str, dict[str, float]]:
        """Count, mean, standard deviation, least, median and largest of every output that is one number."""
        from latchwork.study.tables import statistics

        return statistics(self, incomplete)

    def sensitivity(self, output: str) -> dict[str, dict[str, float]]:
        """Sobol's indices of an output for each parameter, first and total, with their bounds; of Saltelli's points."""
        from latchwork.study.tables import sensitivity

        return sensitivity(self, output)

    def events(self) -> list[dict[str, Any]]:
        """The table of events: point, t, kind, name, energy, changes."""
        return self.store.events()

    def extreme(self, output: str, count: int = 5, largest: bool = True) -> list[tuple[int, float, dict[str, float]]]:
        """The points with the largest values of an output, or the least: number, value and parameters."""
        values = self.values(output, incomplete=True)
        if values.ndim > 1:
            raise StudyError(f"output '{output}' has {values[0].size} numbers at a point. Ask for one of them.")
        order = np.argsort(-values if largest else values, kind="stable")
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise StudyError(f"{count!r} extreme points cannot be told. Give a whole number, 1 or more.")
        good = [int(i) for i in order if np.isfinite(values[i])][:count]
        return [(i, float(values[i]), self.points.at(i)) for i in good]

    def rerun(self, index: int) -> Trajectory:
        """The run of a point, whole: to be plotted, drawn and animated."""
        return self.subject.run(self.points.at(index))

    def animate(self, index: int, path: str, *args: Any, **options: Any) -> None:
        """The motion at a point as a file, as ``run.animate``."""
        self.rerun(index).animate(path, *args, **options)

    def explain(self, workers: int | None = None) -> str:
        """What the study is, and what it will cost: measured by what is there, or by its first point."""
        from latchwork.study.tables import explained

        return explained(self, workers or cores(), duration)

    def plot(self, *what: str, path: str | None = None, kind: str | None = None, incomplete: bool = False) -> Any:
        """A picture of outputs over the points: see `latchwork.study.figures`."""
        from latchwork.study.figures import plot_study

        return plot_study(self, what, path, kind, incomplete)

    def minimize(self, objective: str, *, constraints: Any = None, method: Any = None, workers: int | None = None,
                 progress: Any = None) -> Minimum:  # fmt: skip
        """The least value of an output within the box of the points, from the best of them on, as `lw.minimize`."""
        from latchwork.study.minimum import NelderMead, search

        low, high = self.points.values.min(axis=0), self.points.values.max(axis=0)
        flat = [name for name, a, b in zip(self.points.names, low, high, strict=True) if not a < b]
        if flat:
            raise StudyError(f"'{flat[0]}' has one value in this study, and no range to look in. Use lw.minimize.")
        box = dict(zip(self.points.names, zip(low.tolist(), high.tolist(), strict=True), strict=True))
        best = self.extreme(objective, len(self), largest=False)
        start = next((point for i, _, point in best if self._is_allowed(i, constraints or {})), best[0][2])
        return search(self.subject, objective, box, constraints or {}, start, method or NelderMead(), workers or 1,
                      progress)  # fmt: skip

    def _is_allowed(self, i: int, constraints: Mapping[str, Any]) -> bool:
        """Whether outputs of a point are within constraints."""
        return all((a is None or self.store.output(name)[i] >= a) and (b is None or self.store.output(name)[i] <= b)
                   for name, (a, b) in constraints.items())  # fmt: skip

    def page(self, path: str, incomplete: bool = False) -> None:
        """The study as one file for any browser, without a network: sliders through its results."""
        from latchwork.study.page import write_page

        write_page(self, path, incomplete)


def _named(outputs: Any) -> dict[str, Any]:
    """Outputs by name; of a list, each by its own."""
    if outputs is None:
        return {}
    if isinstance(outputs, str):
        outputs = [outputs]
    if isinstance(outputs, Sequence):
        outputs = {str(getattr(what, "name", None) or getattr(what, "__name__", what)): what for what in outputs}
    if isinstance(outputs, Mapping) and None not in outputs.values():
        return {str(name): what for name, what in outputs.items()}
    raise StudyError(f"outputs are {outputs!r:.60}. Give them by name: outputs={{\"height\": \"q1\"}}.")


def _must_differ(model: str, varied: Sequence[str], given: Mapping[str, Any]) -> None:
    """Refuse what all points share by a number that is none, or that is varied as well."""
    for what in ("q", "u", "inputs", "constants"):
        values = given[what] or {}
        if not isinstance(values, Mapping):
            raise StudyError(f"{what} of the study of '{model}' is {values!r:.60}. Give values by name.")
        for key, value in values.items():
            name = str(getattr(key, "name", key))
            if name in varied:
                raise StudyError(f"'{name}' of '{model}' is varied, and {what} gives it the value {value!r:.40} at all "
                                 "points. Leave it out of one of them.")  # fmt: skip
            if isinstance(value, float) and not math.isfinite(value):
                raise StudyError(f"{what} of the study of '{model}' gives '{name}' the value {value}. Give a finite "
                                 "number.")  # fmt: skip


def _model_subject(model: Model, outputs: Mapping[str, Any], given: Mapping[str, Any], events: bool) -> ModelSubject:
    """A model, settings and outputs as the text of a model file, which reads back to the same bits."""
    from latchwork.formats import dump
    from latchwork.formats.model_file.run_settings import RunSettings

    if given["until"] is None:
        raise StudyError(f"the study of '{model.name}' does not say how long to run. Give until=5.0.")
    times = span(given["start"], given["until"])
    if given["every"] is not None:
        even_times(*times, given["every"])
    if not outputs and not events:
        raise StudyError(f"the study of '{model.name}' asks for nothing. Give outputs={{\"angle\": \"q1\"}}, or "
                         "events=True.")  # fmt: skip
    functions = {name: what for name, what in outputs.items() if is_function(what)}
    equations = model.equations()
    asked = {name: look_up(equations, what) if isinstance(what, str) else what
             for name, what in outputs.items() if name not in functions}  # fmt: skip
    prefix = "out_"
    while any(name.startswith(prefix) for name in model.symbols):
        prefix += "_"
    settings = RunSettings(
        until=times[1], start=times[0], every=given["every"], q=dict(given["q"] or {}),
        u=dict(given["u"] or {}), inputs=dict(given["inputs"] or {}), parameters=dict(given["constants"] or {}),
        method=given["method"], stop_when=dict(given["stop_when"] or {}), audit=given["audit"],
        outputs={f"{prefix}{i}": what for i, what in enumerate(asked.values())},
    )  # fmt: skip
    try:
        text = dump(model, settings)
    except LatchworkError as error:
        raise StudyError(f"'{model.name}' cannot be written as a model file, by which studies know and send it: "
                         f"{error} Give a function that makes it instead.") from None  # fmt: skip
    return ModelSubject(text, functions, events, tuple(asked))


def _numbers(value: Any) -> Array | None:
    try:
        return None if value is None or np.iscomplexobj(value) else np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return None


def _told(point: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:.6g}" for name, value in point.items())
