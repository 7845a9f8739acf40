"""Model files: YAML text to a model and the settings of its run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from latchwork.errors import did_you_mean
from latchwork.formats.assemble import assembled
from latchwork.formats.build import Build
from latchwork.formats.places import shown
from latchwork.formats.shapes import Entry, Given, read
from latchwork.formats.tables import MODEL
from latchwork.formats.yaml_nodes import compose
from latchwork.model import Model
from latchwork.symbolic.expr import Expr

if TYPE_CHECKING:
    from latchwork.integrate.method import RK4, DormandPrince


@dataclass(frozen=True)
class RunSettings:
    """How a file wants its model run: the arguments of ``simulate``, and what to plot."""

    until: float | None = None
    q: dict[str, float] = field(default_factory=dict)
    u: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, Expr] = field(default_factory=dict)
    parameters: dict[str, float] = field(default_factory=dict)
    every: float | None = None
    method: RK4 | DormandPrince | None = None
    plot: tuple[str, ...] = ()


def read_model(text: str, source: str = "model") -> tuple[Model, RunSettings]:
    """The model that a YAML text describes, and its run settings; every error is a FileError with line and column."""
    entry: Entry = read(compose(text, source), MODEL)
    build = assembled(entry)
    return build.model, _settings(entry["run"], build) if "run" in entry else RunSettings()


def _settings(run: Entry, build: Build) -> RunSettings:
    for key, kind in (("q", "coordinate"), ("u", "speed"), ("inputs", "input"), ("parameters", "parameter")):
        _check_names(run.get(key, []), kind, build.model)
    values = {key: {given.name.value: given.value for given in run.get(key, [])} for key in ("q", "u", "parameters")}
    return RunSettings(
        until=run.get("until"),
        **values,
        inputs={given.name.value: build.scalar(given.value) for given in run.get("inputs", [])},
        every=run.get("every"),
        method=_method(run["method"]) if "method" in run else None,
        plot=tuple(code.text.value for code in run.get("plot", []) if build.scalar(code) is not None),
    )


def _check_names(given: list[Given], kind: str, model: Model) -> None:
    known = [name for name, symbol in model.symbols.items() if symbol.kind == kind]
    for each in given:
        if each.name.value not in known:
            hint = did_you_mean(each.name.value, known)
            raise each.name.place.error(f"'{model.name}' has no {kind} '{shown(each.name.value)}'.{hint}")


def _method(entry: Entry) -> Any:
    from latchwork.integrate import method

    ((name, options),) = entry.values.items()
    with entry.place.blamed():
        return getattr(method, name)(**options.values)
