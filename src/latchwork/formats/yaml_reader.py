"""Model files: YAML text to a model and the settings of its run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from latchwork.errors import did_you_mean
from latchwork.formats.assemble import assembled
from latchwork.formats.build import Build
from latchwork.formats.places import shown
from latchwork.formats.shapes import Entry, Given, read
from latchwork.formats.tables import MODEL
from latchwork.formats.yaml_nodes import compose
from latchwork.model import Model


@dataclass(frozen=True)
class RunSettings:
    """How a file wants its model run."""

    until: float | None = None
    q: dict[str, float] = field(default_factory=dict)
    u: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, float] = field(default_factory=dict)
    parameters: dict[str, float] = field(default_factory=dict)
    method: str | None = None
    plot: tuple[str, ...] = ()


def read_model(text: str, source: str = "model") -> tuple[Model, RunSettings]:
    """The model that a YAML text describes, and its run settings; every error is a FileError with line and column."""
    entry: Entry = read(compose(text, source), MODEL)
    build = assembled(entry)
    return build.model, _settings(entry.get("run"), build)


KIND_OF = {"q": "coordinate", "u": "speed", "inputs": "input", "parameters": "parameter"}


def _settings(run: Entry | None, build: Build) -> RunSettings:
    if run is None:
        return RunSettings()
    chosen: dict[str, Any] = {key: _values(run.get(key, []), kind, build.model) for key, kind in KIND_OF.items()}
    plot = tuple(code.text.value for code in run.get("plot", []) if build.scalar(code) is not None)
    return RunSettings(run.get("until"), **chosen, method=run["method"].value if "method" in run else None, plot=plot)


def _values(given: list[Given], kind: str, model: Model) -> dict[str, float]:
    known = [name for name, symbol in model.symbols.items() if symbol.kind == kind]
    for each in given:
        if each.name.value not in known:
            raise each.name.place.error(
                f"'{model.name}' has no {kind} '{shown(each.name.value)}'.{did_you_mean(each.name.value, known)}"
            )
    return {each.name.value: each.value for each in given}
