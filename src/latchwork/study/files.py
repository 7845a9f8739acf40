"""Studies of model files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from latchwork.errors import FileError, StudyError
from latchwork.formats import text_of
from latchwork.formats.model_file.study_settings import StudySettings, read_study, store_beside
from latchwork.study.points import Points, grid, points, sampled
from latchwork.study.study import Study

Value = TypeVar("Value")


def load_study(path: str | os.PathLike[str], store: Any = "beside") -> Study:
    """The study of a model file, which says so in its section ``study``; kept beside the file unless told otherwise."""
    model, run, found = read_study(text_of(path), os.fspath(path), Path(path).parent)
    if found is None:
        advice = "Add one: study: {grid: {m: [1, 2]}}."
        raise FileError(f"'{model.name}' has no section 'study'. {advice}", os.fspath(path))
    if run.until is None:
        raise FileError("it does not say how long to run. Give 'until' under 'run'.", os.fspath(path))
    varied = points_in(found)
    place = store_beside(path, found) if store == "beside" else store
    try:
        return Study(model, varied, found.outputs, place, until=run.until, start=run.start, every=run.every,
                     q=_shared(run.q, varied), u=_shared(run.u, varied), inputs=_shared(run.inputs, varied),
                     constants=_shared(run.parameters, varied), method=run.method,
                     stop_when=run.stop_when, audit=run.audit, events=found.events, chunk=found.chunk)  # fmt: skip
    except StudyError as problem:
        raise type(problem)(f"{os.fspath(path)}: {problem}") from None


def _shared(values: Mapping[str, Value], varied: Points) -> dict[str, Value]:
    """What all points share: not what is varied, in whose place a run alone has a value."""
    return {name: value for name, value in values.items() if name not in varied.names}


def points_in(found: StudySettings) -> Points:
    """The points that a file asks for."""
    if found.bounds:
        return sampled(found.count, found.bounds, sequence=found.sequence, seed=found.seed)
    return points(found.points) if found.points else grid(found.grid)
