"""From kernels to LLVM's text.

``emit(roots)`` gives one self-contained module: the roots, the kernels they call, and the tables they read. No flag
permits reassociation, contraction or any other liberty with IEEE 754.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latchwork.program.codegen.module import Module
from latchwork.program.codegen.signature import LLVM, Signature
from latchwork.program.codegen.statements import Statements
from latchwork.program.elementary.functions import ELEMENTARY
from latchwork.program.kernel import PACKED, Kernel

CALLED = frozenset(ELEMENTARY.values())  # long, and seldom where time goes: called, never inlined


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
        inline = "" if kernel in shown or kernel in CALLED or writer.has_loops else " alwaysinline"
        head = f'define {linkage} {form.result} @"{form.symbol}"({arguments}) nounwind{inline} {{'
        module.functions.append("\n".join([head, *lines, "}"]))
        if kernel in shown:
            module.functions.append(_packed(form))
        written += 1
    return module


def _packed(form: Signature) -> str:
    """The same function of words: its arguments one after the other, as they are in memory; gives an integer."""
    lines, values = [f'define dso_local i64 @"{PACKED}{form.symbol}"(ptr %words) nounwind {{'], []
    for i, (_, kind) in enumerate(form.parameters):
        lines.append(f"  %p{i} = getelementptr i64, ptr %words, i64 {i}")
        lines.append(f"  %a{i} = load {LLVM[kind]}, ptr %p{i}")
        values.append(f"{LLVM[kind]} %a{i}")
    call = f'call {form.result} @"{form.symbol}"({", ".join(values)})'
    match form.results:
        case ("i64",):
            lines += [f"  %r = {call}", "  ret i64 %r", "}"]
        case ("f64",):
            lines += [f"  %r = {call}", "  %b = bitcast double %r to i64", "  ret i64 %b", "}"]
        case _:
            lines += [f"  {call}", "  ret i64 0", "}"]
    return "\n".join(lines)
