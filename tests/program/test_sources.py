"""Machine code is found by the sources of its kernels, so these must lie where they are looked for."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest

import latchwork
from latchwork.program.kernel import Kernel
from latchwork.program.native import folders

PACKAGE = Path(latchwork.__file__).parent
WITH_KERNELS = [path for path in sorted(PACKAGE.glob("*/**/*.py")) if "\n@kernel\n" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", WITH_KERNELS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_kernels_are_named_by_all_that_they_are_made_from(path):
    """Kernels and numbers that a kernel uses lie in folders that are in the name of its code."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    ours = [node for node in imports if (node.module or "").startswith("latchwork.")]
    came = {name.asname or name.name: node.module for node in ours for name in node.names}
    module = import_module(".".join(["latchwork", *path.relative_to(PACKAGE).with_suffix("").parts]))
    for function in (node for node in tree.body if isinstance(node, ast.FunctionDef)):
        kernel = getattr(module, function.name)
        if isinstance(kernel, Kernel):
            used = {name.id for name in ast.walk(function) if isinstance(name, ast.Name)}
            needed = {came[name].split(".")[1] for name in used & came.keys()}
            assert needed <= {folder.name for folder in folders([kernel])}, function.name
