"""Models from elsewhere and back: model files (YAML), robots (URDF, MJCF), and SymPy's mechanics."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latchwork.errors import FileError, did_you_mean, must_be, spelled
from latchwork.files import read_text

if TYPE_CHECKING:
    from latchwork.formats.model_file.run_settings import RunSettings
    from latchwork.model import Model

__all__ = ["dump", "load", "loads", "read_file"]

ROBOT_SUFFIXES = (".urdf", ".mjcf", ".xml")
SUFFIXES = (".yaml", ".yml", *ROBOT_SUFFIXES)
MOST_BYTES = 20_000_000  # of a model file


def load(source: Any, **options: Any) -> Model:
    """A model from a file (``.yaml``, ``.urdf``, MJCF as ``.xml``), or from a SymPy ``KanesMethod`` or ``System``.

    Robots take options: ``losses=False`` leaves damping and friction out, ``parameters=True`` keeps masses, inertias
    and offsets as parameters, ``limits=True`` gives joints their stops, ``gravity=(x, y, z)`` replaces the usual one;
    URDF's ``floating=True`` frees the base.
    """
    if isinstance(source, str | os.PathLike):
        return _robot(source, options) if _is_robot(source) else read_file(source, **options)[0]
    if options:
        raise FileError(f"{_named(options)}: only robots from files take options. Leave them out.")
    if type(source).__module__.partition(".")[0] == "sympy":
        return _from_sympy(source)
    raise FileError(
        f"a model cannot be loaded from {source!r:.80} ({type(source).__name__}). Give the path of a file "
        f"({', '.join(SUFFIXES)}), or a SymPy KanesMethod or System."
    )


@spelled
def loads(text: str, source: str = "text") -> Model:
    """A model from the text of a model file; ``source`` is what errors call it."""
    from latchwork.formats.model_file.yaml_reader import read_model

    must_be(text, str, "the text of a model file", "Give its text; lw.load(path) reads a file.")
    return read_model(text, source)[0]


@spelled
def dump(model: Model, run: RunSettings | None = None) -> str:
    """A model as the text of a model file, which reads back to the same equations."""
    from latchwork.formats.model_file.run_settings import RunSettings
    from latchwork.formats.model_file.yaml_writer import dump
    from latchwork.model import Model

    must_be(model, Model, "what is to be written", "Give a model; equations do not say how they were described.")
    must_be(run, (RunSettings, type(None)), "the run settings", "Give what lw.formats.read_file returned, or none.")
    return dump(model, run)


def read_file(path: str | os.PathLike[str], run: Sequence[str] = (), **options: Any) -> tuple[Model, RunSettings]:
    """A model file's model and its run settings; ``run`` holds more of these, and a robot has no others."""
    if _is_robot(path):
        model = _robot(path, options)
        return model, _settings(model, run)
    from latchwork.formats.model_file.yaml_reader import read_model

    text, name = text_of(path), os.fspath(path)
    if options:
        raise FileError(f"{_named(options)}: only robots take options. Leave them out.", name)
    return read_model(text, name, run, Path(path).parent)


def _settings(model: Model, run: Sequence[str]) -> RunSettings:
    """The run settings of a model that comes without a section ``run``."""
    from latchwork.formats.expressions.scope import Scope
    from latchwork.formats.model_file.build import Build
    from latchwork.formats.model_file.run_settings import run_entry, settings

    return settings(Build(model, Scope.of(model)), [*map(run_entry, run)])


def _is_robot(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() in ROBOT_SUFFIXES


def _robot(path: str | os.PathLike[str], options: dict[str, Any]) -> Model:
    """The robot of a file; the machinery of model files is not imported for it."""
    from latchwork.formats.robot.files import read_robot

    return read_robot(text_of(path), os.fspath(path), **options)


def _named(options: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r:.20}" for name, value in options.items())


def text_of(path: str | os.PathLike[str]) -> str:
    """The text of a model file, or one error that says why it cannot be had."""
    name = os.fspath(path)
    if Path(name).suffix.lower() not in SUFFIXES:
        raise FileError(f"this is not a model file: names of those end in {' or '.join(SUFFIXES)}. Rename it.", name)
    if not os.path.lexists(name):
        raise FileError(f"there is no such file.{_nearby(Path(name))}", name)
    return read_text(name, MOST_BYTES)


def _nearby(path: Path) -> str:
    """A hint from the other model files of the folder."""
    folder = path.parent
    found = sorted(p.name for p in folder.iterdir() if p.suffix in SUFFIXES) if folder.is_dir() else []
    return did_you_mean(path.name, found)


def _from_sympy(source: Any) -> Model:
    from latchwork.formats.sympy import mechanics as sympy_mechanics

    readers = {"KanesMethod": sympy_mechanics.from_kanes_method, "System": sympy_mechanics.from_system}
    for base in type(source).__mro__:
        if base.__name__ in readers:
            return readers[base.__name__](source)
    raise FileError(
        f"SymPy's {type(source).__name__} is not a model of a mechanism. Give a KanesMethod or a System of "
        "sympy.physics.mechanics."
    )
