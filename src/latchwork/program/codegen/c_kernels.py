"""Kernels as C99: the second backend of the kernel language, for exported code with the same bits.

``c_functions([sincos])`` gives static functions, those that are called first. A kernel with several results writes them
through pointers, its last parameters.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any

from latchwork.errors import ProgramError
from latchwork.program.codegen.c_expressions import HELPERS, CExpressions, bare, c_name, variable
from latchwork.program.codegen.c_records import add_structures, c_type, declared
from latchwork.program.codegen.module import Module
from latchwork.program.codegen.signature import refuse, signature, tree
from latchwork.program.codegen.statements import Statements
from latchwork.program.kernel import Kernel
from latchwork.program.records.shape import SHAPES


def c_functions(roots: Iterable[Kernel[..., Any]]) -> list[str]:
    """Helpers, tables and functions, each before its first use."""
    texts: dict[Kernel[..., Any], str] = {}
    tables: dict[str, str] = {}
    records: dict[str, str] = {}
    written: dict[Kernel[..., Any], tuple[CStatements, str]] = {}  # also those that wait for what they call
    pending = [*roots][::-1]
    while pending:
        kernel = pending[-1]
        if kernel not in written:
            writer = CStatements(kernel)
            written[kernel] = writer, writer.function()
        writer, text = written[kernel]
        missing = [called for called in writer.calls if called not in texts]
        if missing:
            pending += missing
            continue
        tables |= writer.tables
        add_structures(records, writer.records)
        texts.setdefault(pending.pop(), text)
    names: dict[str, Kernel[..., Any]] = {}
    for kernel in texts:
        other = names.setdefault(c_name(kernel), kernel)
        if other is not kernel:
            raise ProgramError(f"'{other.name}' and '{kernel.name}' have one name in C. Rename one of them.")
    whole = "\n".join([*records.values(), *texts.values()])
    helpers = [text for name, text in HELPERS.items() if name in whole]
    return [*helpers, *records.values(), *tables.values(), *texts.values()]


class CStatements(CExpressions):
    """The statements of one kernel: ``do_X`` writes the syntax node X."""

    def __init__(self, kernel: Kernel[..., Any]) -> None:
        reader = Statements(Module(), kernel, signature(kernel))  # checks the kernel, and knows its types
        reader.body()
        super().__init__(kernel, {name: value.type for name, value in reader.variables.items()})
        self.records = [kind for kind in (*reader.module.structures, *self.variables.values()) if kind in SHAPES]
        self.lines: list[str] = []
        self.depth = 1

    def function(self) -> str:
        """The kernel as a static function, with its docstring as comment."""
        node = tree(self.kernel)
        self.block(node.body)
        form = self.form
        parameters = [declared(kind, variable(name)) for name, kind in form.parameters]
        several = len(form.results) > 1
        parameters += [f"{c_type(kind)} *out{i}" for i, kind in enumerate(form.results)] if several else []
        result = "void" if several or not form.results else c_type(form.results[0])
        local = [f"    {declared(kind, ', '.join(names))};" for kind, names in self.inside().items()]
        head = f"static {result} {c_name(self.kernel)}({', '.join(parameters)})"
        scratch = [f"    {text}" for text in self.scratch]
        read = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
        unused = [f"    (void){variable(name)};" for name, _ in form.parameters if name not in read]
        meaning = (ast.get_docstring(node) or "").replace("``", "").replace("`", "'")
        lines = self.lines[:-1] if self.lines[-1] == "    return;" else self.lines
        return "\n".join([f"/* {meaning} */", head, "{", *local, *scratch, *unused, *lines, "}"])

    def inside(self) -> dict[str, list[str]]:
        """Names that are not parameters, by type; pointers are declared where they point."""
        found: dict[str, list[str]] = {}
        for name, kind in self.variables.items():
            if name not in dict(self.form.parameters):
                star = "*" if c_type(kind).endswith("*") and found.get(kind) else ""
                found.setdefault(kind, []).append(star + variable(name))
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
        elif isinstance(node.value, ast.Tuple) and isinstance(target, ast.Tuple):
            self.together(target.elts, targets, node.value.elts)
        else:
            self.write(f"{targets[0]} = {bare(self.value(node.value))};")

    def into(self, call: ast.Call, places: list[str]) -> None:
        """A call of a kernel that writes its results through pointers."""
        name = self.callee(call, self.globals.get(ast.unparse(call.func)))
        self.write(f"{name}({', '.join([*map(self.value, call.args), *places])});")

    def together(self, nodes: list[ast.expr], targets: list[str], values: list[ast.expr]) -> None:
        """``a, b = x, y``: all values before the first target where one of them may read a target."""
        if not _may_read(values[1:], nodes):
            for target, value in zip(targets, values, strict=True):
                self.write(f"{target} = {bare(self.value(value))};")
            return
        self.write("{")
        for i, (node, value) in enumerate(zip(nodes, values, strict=True)):
            self.write(f"    {_constant(self.kind(node))} new{i} = {bare(self.value(value))};")
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
        i, bounds = variable(node.target.id), [self.value(arg) for arg in node.iter.args]
        start, stop = bounds[:2] if len(bounds) > 1 else ("0", bounds[0])
        step = int(ast.unparse(node.iter.args[2])) if len(bounds) == 3 else 1
        self.nested(f"for ({i} = {start}; {i} {'<' if step > 0 else '>'} {stop}; {i} += {step})", node.body)

    def do_Break(self, node: ast.Break) -> None:
        self.write("break;")

    def do_Continue(self, node: ast.Continue) -> None:
        self.write("continue;")


def _may_read(values: list[ast.expr], targets: list[ast.expr]) -> bool:
    """Whether some value reads a variable that is a target, or memory where a target is memory."""
    read = [item for value in values for item in ast.walk(value)]
    names = {item.id for item in read if isinstance(item, ast.Name)}
    memory = any(isinstance(item, ast.Subscript | ast.Attribute | ast.Call) for item in read)
    return any(target.id in names if isinstance(target, ast.Name) else memory for target in targets)


def _constant(kind: str) -> str:
    """A type whose variables stay as they begin."""
    return f"{c_type(kind)}const" if c_type(kind).endswith("*") else f"const {c_type(kind)}"
