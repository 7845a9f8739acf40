"""Calls of the kernel language: kernels, intrinsics, conversions, and executors given as arguments."""

from __future__ import annotations

import ast
import platform
from collections.abc import Callable
from typing import Any

from latchwork.program import kernel as language
from latchwork.program.codegen.expressions import Expressions
from latchwork.program.codegen.signature import LLVM, Signature
from latchwork.program.codegen.writer import Value
from latchwork.program.kernel import Kernel

CONVERT = {
    ("float", "i64"): "sitofp i64 {} to double", ("float", "bit"): "uitofp i1 {} to double",
    ("int", "f64"): "fptosi double {} to i64", ("int", "bit"): "zext i1 {} to i64",
}  # fmt: skip
COUNTS = platform.machine().lower() in ("x86_64", "amd64")  # elsewhere a program may not read the counter
COUNTER = "call i64 @llvm.readcyclecounter()" if COUNTS else "add i64 0, 0"
INTRINSIC: dict[Callable[..., Any], tuple[tuple[str, ...], str, str]] = {
    language.divide: (("f64", "f64"), "f64", "fdiv double {}, {}"),
    language.sqrt: (("f64",), "f64", "call double @llvm.sqrt.f64(double {})"),
    language.fabs: (("f64",), "f64", "call double @llvm.fabs.f64(double {})"),
    language.floor: (("f64",), "f64", "call double @llvm.floor.f64(double {})"),
    language.copysign: (("f64", "f64"), "f64", "call double @llvm.copysign.f64(double {}, double {})"),
    language.bits: (("f64",), "i64", "bitcast double {} to i64"),
    language.from_bits: (("i64",), "f64", "bitcast i64 {} to double"),
    language.executor_at: (("i64",), "executor", "inttoptr i64 {} to ptr"),
    language.solver_at: (("i64",), "solver", "inttoptr i64 {} to ptr"),
    language.routine_at: (("i64",), "routine", "inttoptr i64 {} to ptr"),
    language.f64p_at: (("i64",), "f64p", "inttoptr i64 {} to ptr"),
    language.i64p_at: (("i64",), "i64p", "inttoptr i64 {} to ptr"),
    language.i32p_at: (("i64",), "i32p", "inttoptr i64 {} to ptr"),
    language.counter: ((), "i64", COUNTER),
}
LOCAL = {language.local_f64: ("f64p", "double"), language.local_i64: ("i64p", "i64")}
THROUGH = {  # what a pointer to a function takes
    "executor": (("code", "i32p"), ("z", "f64p"), ("out", "f64p")),
    "routine": (("words", "i64p"),),
    "solver": (("n", "i64"), ("m", "i64"), *((name, "f64p") for name in "M f B c psi phi settings udot work".split())),
}


class Calls(Expressions):
    """The results of a call: none, one or several."""

    def on_Call(self, node: ast.Call) -> Value:
        values = self.call(node)
        if len(values) != 1:
            self.refuse(node, f"it gives {len(values)} values where one is needed. Unpack them.")
        return values[0]

    def call(self, node: ast.Call) -> tuple[Value, ...]:
        """Find what the name calls: a variable, a conversion, or a global of the kernel's module."""
        if node.keywords or not isinstance(node.func, ast.Name):
            self.refuse(node, "calls take a plain name and positional arguments.")
        name = node.func.id
        if name in self.variables:
            return self.through(node, self.variables[name])
        if name in ("float", "int") and name not in self.globals:
            return (self.convert(node, name),)
        return self.direct(node, self.globals.get(name))

    def direct(self, node: ast.Call, target: Any) -> tuple[Value, ...]:
        """A call of a kernel or of an intrinsic."""
        if isinstance(target, Kernel):
            form = self.module.add(target)
            return self.invoke(node, form, f'@"{form.symbol}"')
        if target is language.offset and len(node.args) == 2:
            return (self.shift(self.value(node.args[0]), self.value(node.args[1], "i64")),)
        if not callable(target):
            self.refuse(node, "nothing of this name can be called.")
        if target in LOCAL:
            return (self.local(node, *LOCAL[target]),)
        if target in INTRINSIC:
            kinds, result, instruction = INTRINSIC[target]
            return (self.assign(result, instruction.format(*(v.ref for v in self.arguments(node, kinds)))),)
        self.refuse(node, "it is neither a kernel nor an intrinsic.")

    def arguments(self, node: ast.Call, kinds: tuple[str, ...]) -> list[Value]:
        """The arguments of a call, as many and of such types as it takes."""
        if len(node.args) != len(kinds):
            self.refuse(node, f"it takes {len(kinds)} arguments, not {len(node.args)}.")
        return [self.value(arg, kind) for arg, kind in zip(node.args, kinds, strict=True)]

    def invoke(self, node: ast.Call, form: Signature, address: str) -> tuple[Value, ...]:
        """``call result address(arguments)``, with several results taken out of their structure."""
        values = self.arguments(node, tuple(kind for _, kind in form.parameters))
        text = f"call {form.result} {address}({', '.join(f'{LLVM[v.type]} {v.ref}' for v in values)})"
        if not form.results:
            self.lines.append(f"  {text}")
            return ()
        whole = self.assign(form.results[0], text)
        if len(form.results) == 1:
            return (whole,)
        parts = enumerate(form.results)
        return tuple(self.assign(kind, f"extractvalue {form.result} {whole.ref}, {i}") for i, kind in parts)

    def through(self, node: ast.Call, place: Value) -> tuple[Value, ...]:
        """A call through a pointer to a function."""
        if place.type not in THROUGH:
            self.refuse(node, f"{place.type} cannot be called.")
        gives = ("i64",) if place.type == "routine" else ()
        return self.invoke(node, Signature("", THROUGH[place.type], gives), self.load(place).ref)

    def convert(self, node: ast.Call, name: str) -> Value:
        """``float(i)``, ``int(x)``: rounding to nearest, and toward zero."""
        if len(node.args) != 1:
            self.refuse(node, "it takes one argument.")
        a = self.value(node.args[0])
        row = CONVERT.get((name, a.type))
        if row is None:
            self.refuse(node, f"it is already {a.type}, or cannot become a number.")
        return self.assign("f64" if name == "float" else "i64", row.format(a.ref))

    def local(self, node: ast.Call, kind: str, element: str) -> Value:
        """Scratch on the stack, of constant size."""
        size = self.arguments(node, ("i64",))[0].ref
        if not size.isdigit():
            self.refuse(node, "the size must be a constant.")
        return Value(kind, self.stack(f"[{size} x {element}]"))
