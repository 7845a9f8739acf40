"""Layers import only to their left (docs/architecture.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "latchwork"

# Names in one row stand side by side and do not import each other.
ORDER = [
    ["symbolic"],
    ["program"],
    ["algebra"],
    ["mechanics"],
    ["kane"],
    ["constraint"],
    ["contact"],
    ["model"],
    ["integrate"],
    ["hybrid"],
    ["export", "bench", "identification"],
    ["control", "flexible"],
    ["formats"],
    ["realtime"],
    ["view"],
    ["study"],
    ["cli"],
    ["__init__", "__main__"],  # the front doors: they may import every layer, and no layer imports them
]
RANK = {layer: rank for rank, row in enumerate(ORDER) for layer in row}
SHARED = {"errors", "files"}  # outside the order: imported by all, imports none

# Imports inside a function that reach to the right: (file, layer), each a convenience in one place.
LATE = {
    ("symbolic/graph.py", "program"),  # constants are folded by the interpreter
    ("mechanics/body.py", "contact"),  # body.circle, body.box
    ("kane/equations.py", "constraint"),  # eq.embed
    ("model/model.py", "flexible"),  # model.beam
    ("constraint/linearization/linear.py", "view"),  # linear.plot
    ("hybrid/timeline.py", "view"),  # sim.timeline.plot
    ("hybrid/trajectory.py", "view"),  # run.plot
    ("hybrid/symbol_lookup.py", "formats"),  # run["u1 + u2"]
}

FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


class Import(NamedTuple):
    layer: str
    line: int
    late: bool


def layer_of(file: str) -> str:
    """The layer a file belongs to: its folder under the package, or its own name."""
    return file.split("/")[0].removesuffix(".py")


def targets(node: ast.Import | ast.ImportFrom, file: str) -> list[str]:
    """The dotted names that an import statement asks for, relative ones made absolute."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    folders = ["latchwork", *file.split("/")[:-1]]
    base = folders[: len(folders) - node.level + 1] if node.level else []
    module = ".".join([*base, *(node.module or "").split(".")]).strip(".")
    # `from latchwork import kane` names a layer, `from latchwork import Model` the front door.
    return [f"{module}.{alias.name}" for alias in node.names] if module == "latchwork" else [module]


def imported_layer(name: str) -> str | None:
    """The layer behind a dotted name, or None for what is not ours."""
    first, _, rest = name.partition(".")
    if first != "latchwork":
        return None
    layer = rest.partition(".")[0]
    return layer if layer in RANK or layer in SHARED else "__init__"


def imports(source: str, file: str) -> Iterator[Import]:
    """Every import of our own in a source text; late are those inside a function, or for types only."""
    pending: list[tuple[ast.AST, bool]] = [(ast.parse(source), False)]
    while pending:
        node, late = pending.pop()
        late = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        late = late or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        pending += [(child, late) for child in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Import | ast.ImportFrom):
            for layer in filter(None, (imported_layer(name) for name in targets(node, file))):
                yield Import(layer, node.lineno, late)


def allowed(file: str, found: Import) -> bool:
    """Within a layer, to the left, from ``errors``, or late and on the list."""
    layer = layer_of(file)
    if found.layer == layer or found.layer in SHARED:
        return True
    if layer not in SHARED and RANK.get(found.layer, len(ORDER)) < RANK[layer]:
        return True
    return found.late and (file, found.layer) in LATE


def violations(source: str, file: str) -> list[str]:
    return [
        f"{file}:{found.line}: {layer_of(file)} may not import {found.layer}"
        for found in sorted(imports(source, file), key=lambda found: found.line)
        if not allowed(file, found)
    ]


def test_every_file_has_a_layer():
    """A new folder or module takes its place in the order before anything else happens."""
    assert {layer_of(file) for file in FILES} <= RANK.keys() | SHARED


def test_layers_import_only_to_their_left():
    """Every import of a file is of its own layer, a layer to its left, or ``errors``."""
    assert [wrong for file in FILES for wrong in violations((PACKAGE / file).read_text(encoding="utf-8"), file)] == []


@pytest.mark.parametrize(("file", "layer"), sorted(LATE))
def test_late_imports_on_the_list_exist(file, layer):
    """The list of exceptions names nothing that is no longer there."""
    found = imports((PACKAGE / file).read_text(encoding="utf-8"), file)
    assert any(item.late and item.layer == layer for item in found)


@pytest.mark.parametrize(
    ("file", "source", "expected"),
    [
        ("kane/forces.py", "from latchwork.mechanics import frames", 0),
        ("kane/forces.py", "from latchwork.errors import ModelError", 0),
        ("kane/forces.py", "from latchwork import symbolic, errors", 0),
        ("kane/forces.py", "from .speeds import solve", 0),
        ("kane/forces.py", "from ..mechanics.frames import Frame", 0),
        ("kane/forces.py", "import numpy", 0),
        ("kane/forces.py", "from latchwork.model import Model", 1),
        ("kane/forces.py", "from ..model import Model", 1),
        ("kane/forces.py", "from .. import model", 1),
        ("kane/forces.py", "import latchwork.view.plot", 1),
        ("kane/forces.py", "from latchwork import Model", 1),
        ("kane/forces.py", "import latchwork", 1),
        ("kane/forces.py", "def f():\n    from latchwork.view import plot", 1),
        ("kane/forces.py", "if TYPE_CHECKING:\n    from latchwork.model import Model", 1),
        ("control/pd.py", "from latchwork.flexible import beam", 1),
        ("errors/__init__.py", "from latchwork.symbolic import graph", 1),
        ("hybrid/trajectory.py", "def plot(self):\n    from latchwork.view import plot", 0),
        ("hybrid/trajectory.py", "from latchwork.view import plot", 1),
        ("__init__.py", "from latchwork.cli import main", 0),
    ],
)
def test_the_check_sees_what_it_should(file, source, expected):
    """Absolute, relative, late and type-only imports are all judged by the same rule."""
    assert len(violations(source, file)) == expected
