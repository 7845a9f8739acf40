"""Machine code is found by the sources of its kernels, so these must lie where they are looked for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import latchwork

PACKAGE = Path(latchwork.__file__).parent
WITH_KERNELS = [path for path in sorted(PACKAGE.glob("*/**/*.py")) if "\n@kernel\n" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", WITH_KERNELS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_kernels_are_made_from_their_own_folder_and_from_program(path):
    """A kernel calls kernels and reads numbers of its own folder and of `program`: both are in the name of its code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = [node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module]
    folders = {module.split(".")[1] for module in modules if module.startswith("latchwork.")}
    assert folders <= {path.relative_to(PACKAGE).parts[0], "program", "errors"}
