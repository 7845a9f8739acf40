"""From kernels to LLVM's text.

``emit(roots)`` gives one self-contained module: the roots, the kernels they call, and the tables they read. No flag
permits reassociation, contraction or any other liberty with IEEE 754.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latchwork.program.codegen.module import Module
from latchwork.program.codegen.signature import LLVM
from latchwork.program.codegen.statements import Statements
from latchwork.program.kernel import Kernel


def emit(roots: Sequence[Kernel[..., Any]], visible: bool = True) -> Module:
    """One module with the roots visible from outside, or not, and every other function internal to it."""
    module = Module()
    for kernel in roots:
        module.add(kernel)
    shown, written = set(module.kernels) if visible else set(), 0
    while written < len(module.kernels):  # writing one body may add kernels
        kernel, form = list(module.kernels.items())[written]
        linkage = "dso_local" if kernel in shown else "internal"
        arguments = ", ".join(f"{LLVM[kind]} %{name}" for name, kind in form.parameters)
        writer = Statements(module, kernel, form)
        lines = writer.body()
        inline = "" if kernel in shown or writer.has_loops else " alwaysinline"
        head = f'define {linkage} {form.result} @"{form.symbol}"({arguments}) nounwind{inline} {{'
        module.functions.append("\n".join([head, *lines, "}"]))
        written += 1
    return module
