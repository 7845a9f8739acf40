"""Kernels over lanes: the same source, with a vector for each number; every lane computes what it would alone.

A kernel over lanes is a scalar one whose text is widened: ``double`` becomes ``<4 x double>``, and so on. Where lanes
could part (``if``, loops) it is refused; a conditional expression computes both sides and selects. Integers of lanes
have 32 bits.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from latchwork.program.codegen.module import Module
from latchwork.program.codegen.signature import LLVM
from latchwork.program.codegen.statements import Statements
from latchwork.program.codegen.writer import Value
from latchwork.program.kernel import Kernel

ELEMENT = {"double": "double", "i64": "i32", "i1": "i1"}
WORD = re.compile(r"\b(double|i64|i1)\b|(#)([\w-]+)|\.(f64)\b|@(latchwork_\w+)|@\"([^\"]+)\"")


def widen(text: str, width: int) -> str:
    """Scalar text over lanes. Constants are marked: ``#0x3FF0000000000000``, ``#1``, ``#true``."""

    def word(found: re.Match[str]) -> str:
        kind, mark, constant, suffix, foreign, symbol = found.groups()
        if kind:
            return f"<{width} x {ELEMENT[kind]}>"
        if mark:
            return splat(constant, width)
        return f".v{width}f64" if suffix else f'@"{foreign or symbol}.{width}"'

    return WORD.sub(word, text)


def splat(constant: str, width: int) -> str:
    """A constant in every lane."""
    kind = "double" if constant.startswith("0x") else "i1" if constant in ("true", "false") else "i32"
    return f"<{', '.join([f'{kind} {constant}'] * width)}>"


class Lanes(Statements):
    """Writes a kernel that takes one path, marking its constants."""

    def constant(self, node: ast.AST, item: object) -> Value:
        value = super().constant(node, item)
        return Value(value.type, f"#{value.ref}")

    def on_IfExp(self, node: ast.IfExp) -> Value:
        test, a = self.value(node.test, "bit"), self.value(node.body)
        kind, b = LLVM[a.type], self.value(node.orelse, a.type)
        return self.assign(a.type, f"select i1 {test.ref}, {kind} {a.ref}, {kind} {b.ref}")

    def on_BoolOp(self, node: ast.BoolOp) -> Value:
        first, *others = [self.value(operand, "bit") for operand in node.values]
        for other in others:
            name = "and" if isinstance(node.op, ast.And) else "or"
            first = self.assign("bit", f"{name} i1 {first.ref}, {other.ref}")
        return first

    def part(self, node: ast.AST) -> None:
        self.refuse(node, "lanes may part here. Write a conditional expression.")

    do_If = do_While = do_For = part


def emit_lanes(roots: Sequence[Kernel[..., Any]], width: int) -> list[str]:
    """The roots and what they call over so many lanes, as functions to be inlined; symbols end in ``.width``."""
    module, written = Module(), 0
    for kernel in roots:
        module.add(kernel)
    while written < len(module.kernels):
        kernel, form = list(module.kernels.items())[written]
        arguments = ", ".join(f"{LLVM[kind]} %{name}" for name, kind in form.parameters)
        head = f'define internal {form.result} @"{form.symbol}"({arguments}) nounwind alwaysinline {{'
        module.functions.append(widen("\n".join([head, *Lanes(module, kernel, form).body(), "}"]), width))
        written += 1
    return module.functions
