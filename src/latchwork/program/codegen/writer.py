"""The bottom of the code generator: operands, stack places, blocks and jumps of one function."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple, NoReturn

from latchwork.program.codegen.module import Module
from latchwork.program.codegen.signature import LLVM, Signature, refuse
from latchwork.program.kernel import Kernel


class Value(NamedTuple):
    """An operand: the name of its type, and how LLVM's text calls it."""

    type: str
    ref: str


class Writer:
    """Writes the instructions of one kernel, a line at a time."""

    def __init__(self, module: Module, kernel: Kernel[..., Any], form: Signature) -> None:
        self.module, self.kernel, self.form = module, kernel, form
        self.globals: dict[str, Any] = kernel.function.__globals__
        self.variables: dict[str, Value] = {}
        self.assigned: set[str] = set()  # variables that have a value on every path to this point
        self.entry: list[str] = []
        self.lines: list[str] = []
        self.count = 0

    def refuse(self, node: ast.AST, why: str = "it is not in the language.") -> NoReturn:
        refuse(self.kernel, node, why)

    def fresh(self) -> str:
        self.count += 1
        return f"%.{self.count}"

    def assign(self, kind: str, instruction: str) -> Value:
        """``%new = instruction``."""
        value = Value(kind, self.fresh())
        self.lines.append(f"  {value.ref} = {instruction}")
        return value

    def stack(self, llvm_type: str) -> str:
        """Room on the stack, made at the entry of the function."""
        ref = self.fresh()
        self.entry.append(f"  {ref} = alloca {llvm_type}")
        return ref

    def store(self, value: Value, ref: str) -> None:
        self.lines.append(f"  store {LLVM[value.type]} {value.ref}, ptr {ref}")

    def load(self, place: Value) -> Value:
        return self.assign(place.type, f"load {LLVM[place.type]}, ptr {place.ref}")

    def mark(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def jump(self, label: str) -> None:
        self.lines.append(f"  br label %{label}")

    def branch(self, condition: Value, yes: str, no: str) -> None:
        self.lines.append(f"  br i1 {condition.ref}, label %{yes}, label %{no}")

    def labels(self, *names: str) -> list[str]:
        """Names of blocks that occur once in the function."""
        self.count += 1
        return [f"{name}.{self.count}" for name in names]
