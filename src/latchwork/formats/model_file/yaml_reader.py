"""Model files: YAML text to a model and the settings of its run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from latchwork.formats.model_file.assemble import assembled
from latchwork.formats.model_file.run_settings import RunSettings, run_entry, settings
from latchwork.formats.model_file.shapes import Entry, read
from latchwork.formats.model_file.tables import MODEL
from latchwork.formats.model_file.yaml_nodes import compose
from latchwork.model import Model


def read_model(text: str, source: str = "model", run: Sequence[str] = (),
               folder: Path | None = None) -> tuple[Model, RunSettings]:  # fmt: skip
    """The model that a YAML text describes, and its run settings; every error is a FileError with line and column.

    ``run`` holds more of what may stand under ``run``, which goes before what the text says there. Meshes are read from
    inside the ``folder``.
    """
    entry: Entry = read(compose(text, source), MODEL)
    build = assembled(entry, folder)
    own = [entry["run"]] if "run" in entry else []
    return build.model, settings(build, [*own, *map(run_entry, run)])
