"""Expressions of the kernel language as LLVM instructions: a table row per operator."""

from __future__ import annotations

import ast

from latchwork.program.codegen.module import number
from latchwork.program.codegen.signature import ELEMENT, LLVM, member
from latchwork.program.codegen.writer import Value, Writer
from latchwork.program.records.shape import SHAPES, Field

BINARY = {
    (ast.Add, "f64"): "fadd double", (ast.Sub, "f64"): "fsub double", (ast.Mult, "f64"): "fmul double",
    (ast.Add, "i64"): "add i64", (ast.Sub, "i64"): "sub i64", (ast.Mult, "i64"): "mul i64",
    (ast.BitAnd, "i64"): "and i64", (ast.BitOr, "i64"): "or i64", (ast.BitXor, "i64"): "xor i64",
    (ast.LShift, "i64"): "shl i64", (ast.RShift, "i64"): "ashr i64",
}  # fmt: skip
COMPARE = {
    (ast.Lt, "f64"): "fcmp olt double", (ast.LtE, "f64"): "fcmp ole double", (ast.Eq, "f64"): "fcmp oeq double",
    (ast.Gt, "f64"): "fcmp ogt double", (ast.GtE, "f64"): "fcmp oge double", (ast.NotEq, "f64"): "fcmp une double",
    (ast.Lt, "i64"): "icmp slt i64", (ast.LtE, "i64"): "icmp sle i64", (ast.Eq, "i64"): "icmp eq i64",
    (ast.Gt, "i64"): "icmp sgt i64", (ast.GtE, "i64"): "icmp sge i64", (ast.NotEq, "i64"): "icmp ne i64",
}  # fmt: skip
UNARY = {
    (ast.USub, "f64"): "fneg double {}", (ast.USub, "i64"): "sub i64 0, {}",
    (ast.Invert, "i64"): "xor i64 {}, -1", (ast.Not, "bit"): "xor i1 {}, true",
}  # fmt: skip
WHY = {
    ast.Div: "'/' raises on zero in Python. Write divide(a, b).",
    ast.Pow: "'**' is not in the language. Multiply, or call the kernel pow.",
}


class Expressions(Writer):
    """An operand for every expression: ``on_X`` writes the syntax node X."""

    def value(self, node: ast.expr, kind: str = "") -> Value:
        """The operand that an expression becomes, of the given type where one is asked for."""
        write = getattr(self, f"on_{type(node).__name__}", None)
        value: Value = write(node) if write else self.refuse(node)
        if kind and value.type != kind:
            self.refuse(node, f"it is {value.type} where {kind} is needed. Convert with float(), int() or compare.")
        return value

    def on_Constant(self, node: ast.Constant) -> Value:
        return self.constant(node, node.value)

    def constant(self, node: ast.AST, item: object) -> Value:
        """A number, a truth value, or a table of numbers of one type."""
        match item:
            case bool():
                return Value("bit", str(item).lower())
            case int() if -(2**63) <= item < 2**63:
                return Value("i64", str(int(item)))
            case float():
                return Value("f64", number(item))
            case tuple() if item and {type(entry) for entry in item} in ({int}, {float}):
                return Value("i64p" if isinstance(item[0], int) else "f64p", self.module.table(item))
        self.refuse(node, "a constant is a float, a 64-bit integer, or a tuple of either.")

    def on_Name(self, node: ast.Name) -> Value:
        if node.id in self.assigned:
            return self.load(self.variables[node.id])
        if node.id in self.globals and node.id not in self.variables:
            return self.constant(node, self.globals[node.id])
        self.refuse(node, "it has no value here. Assign it first, on every path.")

    def on_BinOp(self, node: ast.BinOp) -> Value:
        a, b = self.value(node.left), self.value(node.right)
        return self.binary(node, node.op, a, b)

    def binary(self, node: ast.AST, op: ast.operator, a: Value, b: Value) -> Value:
        """``a op b`` for two operands of one type."""
        if a.type != b.type:
            self.refuse(node, f"it mixes {a.type} and {b.type}. Convert with float() or int().")
        if isinstance(op, ast.Mod | ast.FloorDiv) and a.type == "i64":
            return self.floored(op, a, b)
        row = BINARY.get((type(op), a.type))
        if row is None:
            self.refuse(node, WHY.get(type(op), f"the operator is not defined for {a.type}."))
        return self.assign(a.type, f"{row} {a.ref}, {b.ref}")

    def floored(self, op: ast.operator, a: Value, b: Value) -> Value:
        """``a % b = rem(rem(a, b) + b, b)`` has the sign of b; ``a // b = (a − a % b) / b`` is exact."""
        first = self.assign("i64", f"srem i64 {a.ref}, {b.ref}")
        shifted = self.assign("i64", f"add i64 {first.ref}, {b.ref}")
        rest = self.assign("i64", f"srem i64 {shifted.ref}, {b.ref}")
        if isinstance(op, ast.Mod):
            return rest
        whole = self.assign("i64", f"sub i64 {a.ref}, {rest.ref}")
        return self.assign("i64", f"sdiv i64 {whole.ref}, {b.ref}")

    def on_UnaryOp(self, node: ast.UnaryOp) -> Value:
        a = self.value(node.operand)
        row = UNARY.get((type(node.op), a.type))
        if row is None:
            self.refuse(node, f"the operator is not defined for {a.type}.")
        return self.assign(a.type, row.format(a.ref))

    def on_Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1:
            self.refuse(node, "comparisons do not chain here. Join them with 'and'.")
        a, b = self.value(node.left), self.value(node.comparators[0])
        row = COMPARE.get((type(node.ops[0]), a.type))
        if a.type != b.type or row is None:
            self.refuse(node, f"{a.type} and {b.type} do not compare this way. Convert with float() or int().")
        return self.assign("bit", f"{row} {a.ref}, {b.ref}")

    def on_BoolOp(self, node: ast.BoolOp) -> Value:
        """Left to right; stops at the first operand that decides."""
        place, end = self.stack("i1"), self.labels("decided")[0]
        for operand in node.values:
            value = self.value(operand, "bit")
            self.store(value, place)
            more = self.labels("more")[0]
            self.branch(value, *((more, end) if isinstance(node.op, ast.And) else (end, more)))
            self.mark(more)
        self.jump(end)
        self.mark(end)
        return self.load(Value("bit", place))

    def on_IfExp(self, node: ast.IfExp) -> Value:
        yes, no, end = self.labels("yes", "no", "end")
        self.branch(self.value(node.test, "bit"), yes, no)
        self.mark(yes)
        a = self.value(node.body)
        place = self.stack(LLVM[a.type])
        self.store(a, place)
        self.jump(end)
        self.mark(no)
        self.store(self.value(node.orelse, a.type), place)
        self.jump(end)
        self.mark(end)
        return self.load(Value(a.type, place))

    def on_Subscript(self, node: ast.Subscript) -> Value:
        kind, place = self.element(node)
        if kind not in ELEMENT:
            return Value(kind.removesuffix("[]"), place.ref)
        loaded, stored = ELEMENT[kind]
        value = self.assign(loaded, f"load {stored}, ptr {place.ref}")
        return value if stored == LLVM[loaded] else self.assign(loaded, f"sext {stored} {value.ref} to i64")

    def element(self, node: ast.Subscript) -> tuple[str, Value]:
        """The pointer's type and the address of ``p[i]``."""
        p = self.value(node.value)
        if p.type not in ELEMENT and not p.type.endswith("[]"):
            self.refuse(node, f"{p.type} has no elements. Subscript a pointer or a table.")
        return p.type, self.shift(p, self.value(node.slice, "i64"))

    def shift(self, p: Value, i: Value) -> Value:
        """``p + i``."""
        kind = ELEMENT[p.type][1] if p.type in ELEMENT else self.module.structure(p.type.removesuffix("[]"))
        return self.assign(p.type, f"getelementptr inbounds {kind}, ptr {p.ref}, i64 {i.ref}")

    def on_Attribute(self, node: ast.Attribute) -> Value:
        """A field: a number or an address is loaded; an array, or a record inside, is where it is. Or the member of an
        enumeration."""
        known = member(node, self.globals)
        if known is not None:
            return self.constant(node, known)
        whole, field, place = self.field(node)
        if field.is_number or field.is_address:
            return self.load(place)
        if not field.size:
            return place
        words = self.load(Value("i64", place.ref))
        return self.assign(field.type, f"getelementptr inbounds i64, ptr {whole.ref}, i64 {words.ref}")

    def field(self, node: ast.Attribute) -> tuple[Value, Field, Value]:
        """The record, the field, and where its word is."""
        whole = self.value(node.value)
        if whole.type not in SHAPES:
            self.refuse(node, f"{whole.type} has no fields. Only records have.")
        fields = SHAPES[whole.type].fields
        if node.attr not in fields:
            self.refuse(node, f"{whole.type} has no field '{node.attr}'. It has {', '.join(fields)}.")
        field, index = fields[node.attr], [*fields].index(node.attr)
        structure = self.module.structure(whole.type)
        text = f"getelementptr inbounds {structure}, ptr {whole.ref}, i32 0, i32 {index}"
        return whole, field, self.assign(field.type, text)
