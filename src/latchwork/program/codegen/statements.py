"""Statements of the kernel language: assignment, branches, loops and returns."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from latchwork.program.codegen.calls import Calls
from latchwork.program.codegen.signature import ELEMENT, LLVM, tree
from latchwork.program.codegen.writer import Value
from latchwork.program.records.shape import SHAPES

LEAVES = (ast.Return, ast.Break, ast.Continue)


class Statements(Calls):
    """The flow of control: ``do_X`` writes the syntax node X."""

    def body(self) -> list[str]:
        """The lines of the function between its braces."""
        node = tree(self.kernel)
        self.loops: list[tuple[str, str]] = []  # where `continue` and `break` go
        self.has_loops = any(isinstance(item, ast.While | ast.For) for item in ast.walk(node))
        for name, kind in self.form.parameters:
            self.bind(node, name, Value(kind, f"%{name}"))
        self.block(node.body)
        if self.form.results and not ends(node.body, ast.Return):
            self.refuse(node.body[-1], "the kernel may end without a result. End every path with 'return'.")
        self.lines.append("  unreachable" if self.form.results else "  ret void")
        return ["entry:", *self.entry, *self.lines]

    def block(self, statements: Sequence[ast.stmt]) -> None:
        for node in statements:
            write = getattr(self, f"do_{type(node).__name__}", None)
            if write is None:
                self.refuse(node)
            write(node)

    def bind(self, node: ast.AST, name: str, value: Value) -> None:
        """``name = value``; the first assignment settles the type."""
        place = self.variables.get(name)
        if place is None:
            place = self.variables[name] = Value(value.type, self.stack(LLVM[value.type]))
        if place.type != value.type:
            self.refuse(node, f"'{name}' is {place.type} and cannot become {value.type}. Use another name.")
        self.store(value, place.ref)
        self.assigned.add(name)

    def put(self, target: ast.expr, value: Value) -> None:
        """Store into a variable, into ``p[i]`` or into ``record.field``."""
        match target:
            case ast.Name():
                self.bind(target, target.id, value)
            case ast.Subscript():
                self.put_element(target, value)
            case ast.Attribute():
                self.put_field(target, value)
            case _:
                self.refuse(target)

    def put_field(self, target: ast.Attribute, value: Value) -> None:
        whole, field, place = self.field(target)
        if not field.is_number and not field.is_address:
            self.refuse(target, "it is part of the record. Write its elements or fields.")
        if field.name in SHAPES[whole.type].given:
            self.refuse(target, "it is the size of an array: it is set when the record is laid out, and stays.")
        if value.type != field.type:
            self.refuse(target, f"it holds {field.type}, not {value.type}. Convert with float() or int().")
        self.store(value, place.ref)

    def put_element(self, target: ast.Subscript, value: Value) -> None:
        kind, place = self.element(target)
        if kind not in ELEMENT:
            self.refuse(target, "it is a record. Write its fields.")
        loaded, stored = ELEMENT[kind]
        if value.type != loaded:
            self.refuse(target, f"it holds {loaded}, not {value.type}. Convert with float() or int().")
        if stored != LLVM[loaded]:
            value = self.assign(loaded, f"trunc i64 {value.ref} to {stored}")
        self.lines.append(f"  store {stored} {value.ref}, ptr {place.ref}")

    def several(self, node: ast.expr) -> tuple[Value, ...]:
        """The values of the right side of an assignment, or of a return."""
        if isinstance(node, ast.Tuple):
            return tuple(self.value(item) for item in node.elts)
        return self.call(node) if isinstance(node, ast.Call) else (self.value(node),)

    def do_Assign(self, node: ast.Assign) -> None:
        if len(node.targets) != 1:
            self.refuse(node, "assign one target at a time.")
        target, values = node.targets[0], self.several(node.value)
        targets = target.elts if isinstance(target, ast.Tuple) else [target]
        if len(targets) != len(values):
            self.refuse(node, f"{len(values)} values do not fill {len(targets)} targets.")
        for item, value in zip(targets, values, strict=True):
            self.put(item, value)

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        old = self.on_Name(node.target) if isinstance(node.target, ast.Name) else self.value(node.target)
        self.put(node.target, self.binary(node, node.op, old, self.value(node.value)))

    def do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.call(node.value)
        elif not (isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)):
            self.refuse(node, "an expression alone has no effect. Call a kernel, or assign.")

    def do_Pass(self, node: ast.Pass) -> None:
        """Nothing."""

    def do_Return(self, node: ast.Return) -> None:
        values = self.several(node.value) if node.value else ()
        if tuple(value.type for value in values) != self.form.results:
            self.refuse(node, f"the kernel gives ({', '.join(self.form.results)}).")
        self.lines.append(f"  ret {self.pack(values)}")
        self.mark(self.labels("after")[0])

    def pack(self, values: tuple[Value, ...]) -> str:
        """The typed operand of ``ret``: void, one value, or a structure filled field by field."""
        if len(values) <= 1:
            return f"{self.form.result} {values[0].ref}" if values else "void"
        whole = "undef"
        for i, value in enumerate(values):
            text = f"insertvalue {self.form.result} {whole}, {LLVM[value.type]} {value.ref}, {i}"
            whole = self.assign(value.type, text).ref
        return f"{self.form.result} {whole}"

    def do_If(self, node: ast.If) -> None:
        yes, no, end = self.labels("then", "else", "endif")
        self.branch(self.value(node.test, "bit"), yes, no)
        before, after = self.assigned, []
        for label, statements in ((yes, node.body), (no, node.orelse)):
            self.assigned = set(before)
            self.mark(label)
            self.block(statements)
            self.jump(end)
            if not ends(statements, LEAVES):
                after.append(self.assigned)
        self.assigned = set.intersection(*after) if after else before
        self.mark(end)

    def do_While(self, node: ast.While) -> None:
        test, body, end = self.labels("test", "body", "endwhile")
        self.jump(test)
        self.mark(test)
        self.branch(self.value(node.test, "bit"), body, end)
        self.mark(body)
        self.loop(node, test, end)
        self.jump(test)
        self.mark(end)

    def loop(self, node: ast.While | ast.For, again: str, end: str) -> None:
        """The body of a loop."""
        if node.orelse:
            self.refuse(node, "a loop has no 'else' here.")
        before = set(self.assigned)  # the body may not run at all
        self.loops.append((again, end))
        self.block(node.body)
        self.loops.pop()
        self.assigned = before

    def do_For(self, node: ast.For) -> None:
        """``for i in range(start, stop, step)``: a hidden counter, copied to i at each turn."""
        start, stop, step = self.range(node)
        test, body, again, end = self.labels("test", "body", "again", "endfor")
        counter = Value("i64", self.stack("i64"))
        self.store(start, counter.ref)
        self.jump(test)
        self.mark(test)
        now = self.load(counter)
        order = "slt" if not step.ref.startswith("-") else "sgt"
        self.branch(self.assign("bit", f"icmp {order} i64 {now.ref}, {stop.ref}"), body, end)
        self.mark(body)
        before = set(self.assigned)
        self.put(node.target, now)
        self.loop(node, again, end)
        self.assigned = before
        self.jump(again)
        self.mark(again)
        self.store(self.assign("i64", f"add nsw i64 {self.load(counter).ref}, {step.ref}"), counter.ref)
        self.jump(test)
        self.mark(end)

    def range(self, node: ast.For) -> tuple[Value, Value, Value]:
        """Start, stop and constant step of a range."""
        call = node.iter
        if not (isinstance(call, ast.Call) and ast.unparse(call.func) == "range" and 1 <= len(call.args) <= 3):
            self.refuse(node, "'for' goes over range(...) only.")
        *first, stop = [self.value(arg, "i64") for arg in call.args[:2]]
        step = int(ast.unparse(call.args[2])) if len(call.args) == 3 and _is_integer(call.args[2]) else 1
        if len(call.args) == 3 and (step == 0 or not _is_integer(call.args[2])):
            self.refuse(node, "the step of a range must be a constant other than zero.")
        return first[0] if first else Value("i64", "0"), stop, Value("i64", str(step))

    def do_Break(self, node: ast.Break) -> None:
        self.leave(1)

    def do_Continue(self, node: ast.Continue) -> None:
        self.leave(0)

    def leave(self, which: int) -> None:
        self.jump(self.loops[-1][which])
        self.mark(self.labels("after")[0])


def _is_integer(node: ast.expr) -> bool:
    """Whether the text is an integer, with or without a sign."""
    return ast.unparse(node).lstrip("-").isdigit()


def ends(statements: Sequence[ast.stmt], kinds: Any) -> bool:
    """Whether every path through the statements ends in one of these kinds."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.If):
        return ends(last.body, kinds) and ends(last.orelse, kinds)
    return isinstance(last, kinds)
