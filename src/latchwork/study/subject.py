"""What a study does at each of its points: a model that is run, or a function that is called.

A subject can be sent to another process, and has the same bits there: a model travels as the text of a model file with
its run settings, and is made and compiled once by each process.
"""

from __future__ import annotations

import hashlib
import inspect
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import LatchworkError, StudyError, did_you_mean
from latchwork.hybrid.ensemble import Ensemble, Failure, asked, is_function
from latchwork.hybrid.mechanism import mechanism_of
from latchwork.hybrid.start import even_times, method_of, span
from latchwork.hybrid.start_table import Start
from latchwork.hybrid.trajectory import Trajectory
from latchwork.kane.units import Label, label_of
from latchwork.model import Model

if TYPE_CHECKING:
    from latchwork.formats.model_file.run_settings import RunSettings

Array = NDArray[np.float64]
Values = Mapping[str, float]


class Outcome(NamedTuple):
    """What came of a point: outputs by name or the reason that there are none; seconds of work; a table of events."""

    outputs: Mapping[str, Any] | None
    reason: str
    seconds: float
    events: tuple[tuple[float, str, str, float, str], ...] = ()  # t, kind, name, energy lost, what changed


@dataclass(frozen=True)
class ModelSubject:
    """A model file with its run settings; outputs that are functions of a run come besides those of the file."""

    text: str
    functions: Mapping[str, Callable[[Trajectory], Any]] = field(default_factory=dict)
    keeps_events: bool = False
    names: tuple[str, ...] = ()  # of the outputs of the file, in their order

    @property
    def name(self) -> str:
        return _model(self.text)[0].name

    @property
    def outputs(self) -> list[str]:
        return [*self.names, *self.functions]

    @property
    def times(self) -> Array | None:
        """The samples of outputs that are expressions, where there are several."""
        settings = _model(self.text)[1]
        return None if settings.every is None else _times(settings)

    def identity(self) -> str:
        """All that its results depend on, as text."""
        called = [f"{name}: {source_of(function)}" for name, function in self.functions.items()]
        return "\n".join([self.text, *self.names, *called, f"events: {self.keeps_events}"])

    def labels(self) -> dict[str, Label]:
        """Units and descriptions of what may be varied, of outputs that are expressions, and of time, as far as they
        are known."""
        system, settings = _model(self.text)[0].equations().system, _model(self.text)[1]
        asked = dict(zip(self.names, settings.outputs.values(), strict=True))
        symbols = {symbol.name: symbol for symbol in (*system.q, *system.u, *system.r, *system.p)}
        return {name: label_of(system, what) for name, what in ({"time": system.t} | symbols | asked).items()}

    def must_know(self, names: tuple[str, ...]) -> None:
        """Refuse points of things that the model does not have."""
        known = _kinds(self.text)
        for name in names:
            if name not in known:
                raise StudyError(f"'{name}' is nothing of '{self.name}' that could be varied."
                                 f"{did_you_mean(name, [*known])}")  # fmt: skip

    def outcomes(self, points: list[Values]) -> Iterator[Outcome]:
        """What comes of some points, one after the other."""
        made = ensemble_of(self.text, tuple(name for name in points[0] if _kinds(self.text)[name] == "r"))
        made = replace(made, outputs={**dict(zip(self.names, made.outputs.values(), strict=True)), **self.functions})
        final = self.times is None
        for point in points:
            began = time.perf_counter()
            row = made.row(self.start(point))
            taken = time.perf_counter() - began
            if isinstance(row, Failure):
                yield Outcome(None, row.reason, taken)
                continue
            found = {name: value if name in self.functions or not final else value[-1]
                     for name, value in row.outputs.items()}  # fmt: skip
            told = row.events if self.keeps_events else ()
            yield Outcome(found, "", taken, tuple((e.t, e.kind, e.name, e.energy, _changes(e)) for e in told))

    def start(self, point: Values) -> Start:
        """What the run of a point begins with."""
        settings, kinds = _model(self.text)[1], _kinds(self.text)
        found: dict[str, dict[str, float]] = {"q": {**settings.q}, "u": {**settings.u}, "r": {},
                                              "p": {**settings.parameters}}  # fmt: skip
        for name, value in point.items():
            found[kinds[name]][name] = value
        return Start(**found)

    def run(self, point: Values) -> Trajectory:
        """The run of a point, whole; with its bits."""
        inputs = tuple(name for name in point if _kinds(self.text)[name] == "r")
        return ensemble_of(self.text, inputs).run(self.start(point))


@dataclass(frozen=True)
class FunctionSubject:
    """A function of the parameters by name: it gives outputs by name, a number, or a run that outputs are asked of."""

    function: Callable[..., Any]
    asked: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", "function")

    outputs: tuple[str, ...] = ()
    times: None = None
    keeps_events: bool = False

    def identity(self) -> str:
        called = [f"{name}: {source_of(what) if is_function(what) else what}" for name, what in self.asked.items()]
        return "\n".join([source_of(self.function), f"version: {self.version}", *called])

    def labels(self) -> dict[str, Label]:
        """A function knows no units."""
        return {}

    def must_know(self, names: tuple[str, ...]) -> None:
        """Refuse points of parameters that the function does not take."""
        try:
            taken = inspect.signature(self.function).parameters
        except (TypeError, ValueError):
            return
        if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in taken.values()):
            return
        for name in names:
            if name not in taken:
                raise StudyError(f"'{self.name}' takes no '{name}'.{did_you_mean(name, [*taken])}")
        usual = inspect.Parameter.empty
        missing = [name for name, each in taken.items() if each.default is usual and name not in names
                   and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]  # fmt: skip
        if missing:
            raise StudyError(f"'{self.name}' asks for {', '.join(missing)}, which the points do not give. Add it to "
                             "the parameters, or give it a default.")  # fmt: skip

    def outcomes(self, points: list[Values]) -> Iterator[Outcome]:
        """What the function gives at some points."""
        for point in points:
            began = time.perf_counter()
            try:
                found, reason = self._outputs(self.function(**point)), ""
            except LatchworkError as error:
                found, reason = None, str(error)
            except Exception as error:
                found, reason = None, f"{type(error).__name__}: {error}"
            yield Outcome(found, reason, time.perf_counter() - began)

    def _outputs(self, found: Any) -> dict[str, Any]:
        if isinstance(found, Trajectory):
            return {name: asked(found, found.t[-1:], what) if is_function(what) else found.at(found.t[-1])[what]
                    for name, what in self.asked.items()}  # fmt: skip
        if isinstance(found, Mapping):
            return {str(name): value for name, value in found.items()}
        return {self.name if self.name.isidentifier() else "value": found}

    def run(self, point: Values) -> Trajectory:
        """The run of a point, where the function gives one."""
        found = self.function(**point)
        if not isinstance(found, Trajectory):
            raise StudyError(f"'{self.name}' gives {type(found).__name__}, and no run that could be shown. Let it give "
                             "what lw.simulate does, and ask for outputs.")  # fmt: skip
        return found


Subject = ModelSubject | FunctionSubject


def _changes(event: Any) -> str:
    return ", ".join(f"{name} {change}" for name, change in event.changes.items())


@lru_cache(maxsize=16)
def _model(text: str) -> tuple[Model, RunSettings]:
    from latchwork.formats.model_file.yaml_reader import read_model

    return read_model(text, "the model of a study")


@lru_cache(maxsize=16)
def _kinds(text: str) -> dict[str, str]:
    """What can be varied in a model: q, u, r or p, by name."""
    equations = _model(text)[0].equations()
    kinds = zip("qurp", (equations.q, equations.u, equations.r, equations.p), strict=True)
    return {symbol.name: kind for kind, symbols in kinds for symbol in symbols}


def _times(settings: RunSettings) -> Array:
    t0, t_end = span(settings.start, settings.until)
    return np.array([t0, t_end]) if settings.every is None else even_times(t0, t_end, settings.every)


@lru_cache(maxsize=16)
def ensemble_of(text: str, inputs: tuple[str, ...]) -> Ensemble:
    """A model file as runs are made of it, some inputs of which each has its own; made once by each process."""
    model, settings = _model(text)
    shared = mechanism_of(model, (), {name: law for name, law in settings.inputs.items() if name not in inputs})
    if inputs:
        shared = shared.with_inputs(dict.fromkeys(inputs, 0.0))
    options = {"method": method_of(settings.method), "audit": settings.audit}
    return Ensemble(shared, _times(settings), settings.outputs, settings.stop_when or None, settings=options)


def source_of(function: Any) -> str:
    """What a function is, as text: its code, and the plain values that it has caught or has as defaults."""
    inner = getattr(function, "func", function)  # of a partial
    code = getattr(inner, "__code__", None)
    if code is None:
        return f"{getattr(inner, '__module__', '')}.{getattr(inner, '__qualname__', type(inner).__qualname__)}"
    caught = [cell.cell_contents for cell in getattr(inner, "__closure__", None) or ()]
    given = [*caught, *(getattr(inner, "__defaults__", None) or ()), *getattr(function, "args", ()),
             *getattr(function, "keywords", {}).items()]  # fmt: skip
    plain = [repr(value) for value in given if isinstance(value, (int, float, str, tuple))]
    return "\n".join([_code(code), *plain])


def _code(code: Any) -> str:
    """Instructions, constants and names, without where they stand in a file."""
    inner = [_code(each) if hasattr(each, "co_code") else repr(each) for each in code.co_consts]
    return f"{code.co_code.hex()} {inner} {code.co_names} {code.co_varnames}"


def digest(text: str) -> str:
    """A short name for a text: the first 128 bits of its SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
