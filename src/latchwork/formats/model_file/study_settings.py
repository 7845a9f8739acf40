"""How a file wants its model studied: the section ``study``, points of its parameters and what is asked at each."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from latchwork.errors import did_you_mean
from latchwork.formats.model_file.assemble import assembled
from latchwork.formats.model_file.build import Build
from latchwork.formats.model_file.run_settings import Output, RunSettings, output, settings
from latchwork.formats.model_file.shapes import Entry, Given, read
from latchwork.formats.model_file.tables import MODEL
from latchwork.formats.model_file.yaml_nodes import compose
from latchwork.formats.places import Text, shown
from latchwork.model import Model

VARIED = ("coordinate", "speed", "input", "parameter")


@dataclass(frozen=True)
class StudySettings:
    """Points of a study, of one of three kinds, by name; outputs by name; where results are kept."""

    grid: dict[str, list[float]] = field(default_factory=dict)
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)
    count: int = 0
    sequence: str = "sobol"
    seed: int = 0
    points: dict[str, list[float]] = field(default_factory=dict)
    outputs: dict[str, Output] = field(default_factory=dict)
    events: bool = False
    store: str | None = None
    chunk: int | None = None


def read_study(text: str, source: str, folder: Path | None = None) -> tuple[Model, RunSettings, StudySettings | None]:
    """The model of a text, how it is run, and how it is studied, where the text says so."""
    entry: Entry = read(compose(text, source), MODEL)
    build = assembled(entry, folder)
    run = settings(build, [entry["run"]] if "run" in entry else [])
    return build.model, run, study_settings(build, entry["study"], run) if "study" in entry else None


def study_settings(build: Build, entry: Entry, run: RunSettings) -> StudySettings:
    """The section as values; every name in it is one of the model."""
    kinds = [key for key in ("grid", "sampled", "points") if key in entry or (key == "grid" and "ranges" in entry)]
    if len(kinds) != 1:
        told = f"it gives {' and '.join(kinds)}" if kinds else "it gives no points"
        raise entry.place.error(f"a study has a grid (with ranges), samples or points: {told}. Give one of them.")
    columns = [*entry.get("grid", []), *entry.get("points", [])]
    ranges, sampled = entry.get("ranges", []), entry.get("sampled")
    for given in [*columns, *ranges, *(sampled["bounds"] if sampled is not None else [])]:
        _must_vary(given, build.model)
    made: dict[str, list[float]] = {given.name.value: list(given.value) for given in columns}
    for given in ranges:
        first, last, count = given.value["from"], given.value["to"], given.value["count"]
        made[given.name.value] = np.linspace(first, last, count).tolist()
    outputs = {text.value: _asked(build, text, run) for text in entry.get("outputs", [])} or run.outputs
    store = entry["store"].value if "store" in entry else None
    common = {"outputs": outputs, "events": entry.get("events", False), "store": store, "chunk": entry.get("chunk")}
    if sampled is not None:
        bounds = {given.name.value: (given.value[0], given.value[1]) for given in sampled["bounds"]}
        return StudySettings(bounds=bounds, count=sampled["count"], sequence=sampled.get("sequence", "sobol"),
                             seed=int(sampled.get("seed", 0)), **common)  # fmt: skip
    return StudySettings(points=made, **common) if "points" in entry else StudySettings(grid=made, **common)


def _must_vary(given: Given, model: Model) -> None:
    known = [name for name, symbol in model.symbols.items() if symbol.kind in VARIED]
    if given.name.value not in known:
        raise given.name.place.error(f"'{model.name}' has no '{shown(given.name.value)}' that could be varied."
                                     f"{did_you_mean(given.name.value, known)}")  # fmt: skip


def _asked(build: Build, text: Text, run: RunSettings) -> Output:
    return run.outputs[text.value] if text.value in run.outputs else output(build, text)


def store_beside(path: str | os.PathLike[str], found: StudySettings) -> Path:
    """Where the results of a file are kept: beside it, and nowhere else."""
    place = Path(path)
    return place.parent / Path(found.store).name if found.store else place.with_suffix(".zarr")
