"""Python scripts that describe mechanisms: the examples, which an installed package carries along, and a user's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from latchwork.errors import FileError

FIRST = "gillespie_1_disk.py"


def folder() -> Path:
    """Where the examples are: inside an installed package, or beside the sources of a checkout."""
    package = Path(__file__).resolve().parents[1]
    for place in (package / "examples", package.parents[1] / "examples"):
        if (place / FIRST).is_file():
            return place
    raise FileError(
        f"the examples are neither in {package / 'examples'} nor beside the sources. Install latchwork again."
    )


def module_at(path: Path, name: str) -> ModuleType:
    """A script, executed as a module under a name of its own."""
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileError(f"there is no script {path}. Check its name.")
    module = module_from_spec(spec)
    with _siblings(path.parent):
        spec.loader.exec_module(module)
    return module


@contextmanager
def _siblings(place: Path) -> Iterator[None]:
    """While a script is loaded, the modules beside it can be imported, as when it is run."""
    sys.path.insert(0, str(place))
    try:
        yield
    finally:
        sys.path.remove(str(place))
