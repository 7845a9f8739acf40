"""Kernels as C99: the second backend of the kernel language, for exported code with the same bits.

``c_functions([sincos])`` gives static functions, those that are called first. A kernel with several results writes them
through pointers, its last parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from latchwork.program.codegen.c_expressions import HELPERS, TYPE, CExpressions, bare, c_name
from latchwork.program.codegen.module import Module
from latchwork.program.codegen.signature import ELEMENT, refuse, signature, tree
from latchwork.program.codegen.statements import Statements
from latchwork.program.kernel import Kernel


def c_functions(roots: Iterable[Kernel[..., Any]]) -> list[str]:
    """Helpers, tables and functions, each before its first use."""
    texts: dict[Kernel[..., Any], str] = {}
    tables: dict[str, str] = {}
    pending = [*roots][::-1]
    while pending:
        writer = CStatements(pending[-1])
        text = writer.function()
        missing = [kernel for kernel in writer.calls if kernel not in texts]
        if missing:
            pending += missing
            continue
        tables |= writer.tables
        texts.setdefault(pending.pop(), text)
    whole = "\n".join(texts.values())
    return [*(text for name, text in HELPERS.items() if name in whole), *tables.values(), *texts.values()]


class CStatements(CExpressions):
    """The statements of one kernel: ``do_X`` writes the syntax node X."""

    def __init__(self, kernel: Kernel[..., Any]) -> None:
        reader = Statements(Module(), kernel, signature(kernel))  # checks the kernel, and knows its types
        reader.body()
        super().__init__(kernel, {name: value.type for name, value in reader.variables.items()})
        self.lines: list[str] = []
        self.depth = 1

    def function(self) -> str:
        """The kernel as a static function, with its docstring as comment."""
        node = tree(self.kernel)
        self.block(node.body)
        form = self.form
        parameters = [_declared(TYPE[kind], name) for name, kind in form.parameters]
        several = len(form.results) > 1
        parameters += [f"{TYPE[kind]} *out{i}" for i, kind in enumerate(form.results)] if several else []
        result = "void" if several or not form.results else TYPE[form.results[0]]
        local = [f"    {TYPE[kind]} {', '.join(names)};" for kind, names in self.inside().items()]
        head = f"static {result} {c_name(self.kernel)}({', '.join(parameters)})"
        scratch = [f"    {text}" for text in self.scratch]
        meaning = (ast.get_docstring(node) or "").replace("``", "").replace("`", "'")
        lines = self.lines[:-1] if self.lines[-1] == "    return;" else self.lines
        return "\n".join([f"/* {meaning} */", head, "{", *local, *scratch, *lines, "}"])

    def inside(self) -> dict[str, list[str]]:
        """Names that are not parameters, by type; pointers are declared where they point."""
        found: dict[str, list[str]] = {}
        for name, kind in self.variables.items():
            if name not in dict(self.form.parameters):
                found.setdefault(kind, []).append(f"*{name}" if kind.endswith("p") and found.get(kind) else name)
        return found

    def write(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def block(self, statements: Sequence[ast.stmt]) -> None:
        for node in statements:
            getattr(self, f"do_{type(node).__name__}")(node)

    def nested(self, head: str, statements: Sequence[ast.stmt]) -> None:
        self.write(f"{head} {{")
        self.depth += 1
        self.block(statements)
        self.depth -= 1
        self.write("}")

    def do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.write(f"{self.value(node.value)};")

    def do_Pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def do_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        targets = [self.value(item) for item in (target.elts if isinstance(target, ast.Tuple) else [target])]
        if len(targets) > 1 and isinstance(node.value, ast.Call):
            self.into(node.value, [f"&{item}" for item in targets])
        elif isinstance(node.value, ast.Tuple):
            self.together(targets, node.value.elts)
        else:
            self.write(f"{targets[0]} = {bare(self.value(node.value))};")

    def into(self, call: ast.Call, places: list[str]) -> None:
        """A call of a kernel that writes its results through pointers."""
        name = self.callee(call, self.globals.get(ast.unparse(call.func)))
        self.write(f"{name}({', '.join([*map(self.value, call.args), *places])});")

    def together(self, targets: list[str], values: list[ast.expr]) -> None:
        """``a, b = x, y``: all values before the first target where one of them reads a target."""
        names = {item.id for value in values[1:] for item in ast.walk(value) if isinstance(item, ast.Name)}
        if names.isdisjoint(target.partition("[")[0] for target in targets):
            for target, value in zip(targets, values, strict=True):
                self.write(f"{target} = {bare(self.value(value))};")
            return
        self.write("{")
        for i, (target, value) in enumerate(zip(targets, values, strict=True)):
            name, subscript, _ = target.partition("[")
            kind = ELEMENT[self.variables[name]][0] if subscript else self.variables[name]
            self.write(f"    const {TYPE[kind]} new{i} = {bare(self.value(value))};")
        for i, target in enumerate(targets):
            self.write(f"    {target} = new{i};")
        self.write("}")

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        value = self.on_BinOp(ast.BinOp(node.target, node.op, node.value))
        self.write(f"{self.value(node.target)} = {bare(value)};")

    def do_Return(self, node: ast.Return) -> None:
        results = len(self.form.results)
        if results <= 1:
            self.write(f"return {bare(self.value(node.value))};" if node.value else "return;")
            return
        if isinstance(node.value, ast.Tuple):
            for i, value in enumerate(node.value.elts):
                self.write(f"*out{i} = {bare(self.value(value))};")
        elif isinstance(node.value, ast.Call):
            self.into(node.value, [f"out{i}" for i in range(results)])
        self.write("return;")

    def do_If(self, node: ast.If) -> None:
        self.nested(f"if ({bare(self.value(node.test))})", node.body)
        if node.orelse:
            self.nested("else", node.orelse)

    def do_While(self, node: ast.While) -> None:
        self.nested(f"while ({bare(self.value(node.test))})", node.body)

    def do_For(self, node: ast.For) -> None:
        """``for i in range(...)``; the body must not change i, which Python would forget."""
        if not isinstance(node.iter, ast.Call) or not isinstance(node.target, ast.Name):
            refuse(self.kernel, node, "'for' goes over range(...) only.")
        i, bounds = node.target.id, [self.value(arg) for arg in node.iter.args]
        start, stop = bounds[:2] if len(bounds) > 1 else ("0", bounds[0])
        step = int(ast.unparse(node.iter.args[2])) if len(bounds) == 3 else 1
        self.nested(f"for ({i} = {start}; {i} {'<' if step > 0 else '>'} {stop}; {i} += {step})", node.body)

    def do_Break(self, node: ast.Break) -> None:
        self.write("break;")

    def do_Continue(self, node: ast.Continue) -> None:
        self.write("continue;")


def _declared(kind: str, name: str) -> str:
    return f"{kind}{name}" if kind.endswith("*") else f"{kind} {name}"
