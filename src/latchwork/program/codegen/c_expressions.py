"""Expressions of the kernel language as C99, fully parenthesised: a table row per operator."""

from __future__ import annotations

import ast
import math
import textwrap
from collections.abc import Callable
from typing import Any

from latchwork.program import kernel as language
from latchwork.program.codegen.c_records import FUNCTIONS, access, c_type, structure_name
from latchwork.program.codegen.signature import ELEMENT, Signature, member, refuse, signature
from latchwork.program.kernel import Kernel
from latchwork.program.naming import KEYWORDS
from latchwork.program.records.shape import SHAPES
from latchwork.program.records.view import local_record, record_at

BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
          ast.LShift: "<<", ast.RShift: ">>"}  # fmt: skip
FLOORED = {ast.Mod: "lw_mod", ast.FloorDiv: "lw_div"}
COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.Gt: ">", ast.GtE: ">=", ast.NotEq: "!="}
UNARY = {ast.USub: "-", ast.Invert: "~", ast.Not: "!"}
INTRINSIC: dict[Callable[..., Any], str] = {
    language.divide: "({} / {})", language.sqrt: "sqrt({})", language.fabs: "fabs({})", language.floor: "floor({})",
    language.copysign: "copysign({}, {})", language.bits: "lw_bits({})", language.from_bits: "lw_from_bits({})",
    language.offset: "({} + {})", language.executor_at: "((lw_executor)(intptr_t){})",
    language.solver_at: "((lw_solver)(intptr_t){})", language.routine_at: "((lw_routine)(intptr_t){})",
    language.f64p_at: "((double *)(intptr_t){})", language.i64p_at: "((int64_t *)(intptr_t){})",
    language.i32p_at: "((int32_t *)(intptr_t){})", language.counter: "((int64_t)0)",
}  # fmt: skip
RECORDS = (record_at, local_record)
LOCAL = {language.local_f64: "double", language.local_i64: "int64_t"}
# What C does not have under one name. Quotients of integers are rounded down, as in Python.
HELPERS = FUNCTIONS | {
    "lw_bits": "static int64_t lw_bits(double x)\n{\n    int64_t i;\n    memcpy(&i, &x, sizeof i);\n    return i;\n}",
    "lw_from_bits": "static double lw_from_bits(int64_t i)\n"
    "{\n    double x;\n    memcpy(&x, &i, sizeof x);\n    return x;\n}",
    "lw_mod": "static int64_t lw_mod(int64_t a, int64_t b)\n{\n    return (a % b + b) % b;\n}",
    "lw_div": "static int64_t lw_div(int64_t a, int64_t b)\n{\n    return (a - (a % b + b) % b) / b;\n}",
}


def literal(x: float) -> str:
    """A number that C reads as the same bits."""
    if math.isnan(x):
        return "NAN"
    text = "INFINITY" if math.isinf(x) else repr(abs(x))
    return f"(-{text})" if math.copysign(1.0, x) < 0.0 else text


def bare(text: str) -> str:
    """An expression without brackets around the whole of it."""
    depth = 0
    for i, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0 and i + 1 < len(text):
            return text
    return text[1:-1] if text.startswith("(") else text


def c_name(kernel: Kernel[..., Any]) -> str:
    """The name of a kernel in C: that of its function; above the layer ``program``, behind that of its module."""
    package, layer, *modules = kernel.name.split(".")
    inner = package != "latchwork" or layer == "program"
    return f"lw_{modules[-1] if modules else layer}" if inner else f"lw_{'_'.join(modules[-2:])}"


def variable(name: str) -> str:
    """A variable of a kernel in C, where some names are keywords."""
    return f"{name}_" if name in KEYWORDS else name


class CExpressions:
    """An expression of C for every expression of a kernel: ``on_X`` writes the syntax node X."""

    def __init__(self, kernel: Kernel[..., Any], variables: dict[str, str]) -> None:
        self.kernel, self.variables, self.form = kernel, variables, signature(kernel)
        self.globals: dict[str, Any] = kernel.function.__globals__
        self.calls: dict[Kernel[..., Any], Signature] = {}
        self.tables: dict[str, str] = {}
        self.scratch: list[str] = []

    def value(self, node: ast.expr) -> str:
        write = getattr(self, f"on_{type(node).__name__}", None)
        text: str = write(node) if write else refuse(self.kernel, node, "it is not in the language.")
        return text

    def on_Constant(self, node: ast.Constant) -> str:
        if isinstance(node.value, bool):
            return str(int(node.value))
        return literal(node.value) if isinstance(node.value, float) else str(node.value)

    def on_Name(self, node: ast.Name) -> str:
        if node.id in self.variables:
            return variable(node.id)
        item = self.globals[node.id]
        if isinstance(item, tuple):
            kind = "double" if isinstance(item[0], float) else "int64_t"
            entries = ", ".join(literal(entry) if isinstance(entry, float) else str(entry) for entry in item)
            rows = textwrap.fill(entries, 110, initial_indent="    ", subsequent_indent="    ")
            name = f"lw_{self.kernel.function.__module__.rpartition('.')[2]}_{node.id}"
            self.tables[name] = f"static const {kind} {name}[] = {{\n{rows}\n}};"
            return name
        return literal(item) if isinstance(item, float) else str(item)

    def on_BinOp(self, node: ast.BinOp) -> str:
        a, b = self.value(node.left), self.value(node.right)
        floored = FLOORED.get(type(node.op))
        return f"{floored}({a}, {b})" if floored else f"({a} {BINARY[type(node.op)]} {b})"

    def on_UnaryOp(self, node: ast.UnaryOp) -> str:
        return f"({UNARY[type(node.op)]}{self.value(node.operand)})"

    def on_Compare(self, node: ast.Compare) -> str:
        return f"({self.value(node.left)} {COMPARE[type(node.ops[0])]} {self.value(node.comparators[0])})"

    def on_BoolOp(self, node: ast.BoolOp) -> str:
        return f"({(' && ' if isinstance(node.op, ast.And) else ' || ').join(map(self.value, node.values))})"

    def on_IfExp(self, node: ast.IfExp) -> str:
        return f"({self.value(node.test)} ? {self.value(node.body)} : {self.value(node.orelse)})"

    def on_Subscript(self, node: ast.Subscript) -> str:
        text = f"{self.value(node.value)}[{self.value(node.slice)}]"
        return f"(&{text})" if self.kind(node) in SHAPES else text

    def on_Attribute(self, node: ast.Attribute) -> str:
        known = member(node, self.globals)
        if known is not None:
            return str(int(known))
        return access(self.value(node.value), SHAPES[self.kind(node.value)].fields[node.attr])

    def kind(self, node: ast.expr) -> str:
        """The type of what can be assigned to, and of what has fields or elements."""
        match node:
            case ast.Name():
                return self.variables.get(node.id, "")
            case ast.Attribute() if member(node, self.globals) is None:
                return SHAPES[self.kind(node.value)].fields[node.attr].type
            case ast.Subscript():
                whole = self.kind(node.value)
                return whole[:-2] if whole.endswith("[]") else ELEMENT[whole][0] if whole else ""
            case ast.Call(args=[ast.Name(id=name), *_]) if self.globals.get(ast.unparse(node.func)) in RECORDS:
                return f"{self.globals[name].__module__}.{self.globals[name].__qualname__}"
        return ""

    def on_Call(self, node: ast.Call) -> str:
        """A call that gives one number, or a place for scratch."""
        name = ast.unparse(node.func)
        target = self.globals.get(name)
        if target is local_record:
            self.scratch.append(f"{structure_name(self.kind(node))} scratch{len(self.scratch)};")
            return f"(&scratch{len(self.scratch) - 1})"
        if target is record_at:
            kind, p, i = self.kind(node), *map(self.value, node.args[1:])
            return f"(({c_type(kind)})(({p}) + {i}))"
        arguments = [self.value(arg) for arg in node.args]
        if isinstance(node.func, ast.Attribute) or name in self.variables:
            return f"{self.value(node.func)}({', '.join(arguments)})"
        if target is None and name in ("float", "int"):
            return f"({'double' if name == 'float' else 'int64_t'})({arguments[0]})"
        if target in LOCAL:
            self.scratch.append(f"{LOCAL[target]} scratch{len(self.scratch)}[{arguments[0]}];")
            return f"scratch{len(self.scratch) - 1}"
        if target in INTRINSIC:
            return INTRINSIC[target].format(*arguments)
        return f"{self.callee(node, target)}({', '.join(arguments)})"

    def callee(self, node: ast.AST, target: Any) -> str:
        """The name of a kernel."""
        if not isinstance(target, Kernel):
            refuse(self.kernel, node, "only kernels and intrinsics are called in C.")
        self.calls[target] = signature(target)
        return c_name(target)
