"""What a kernel takes and gives, read from its annotations; and the way to refuse one."""

from __future__ import annotations

import ast
import linecache
import textwrap
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, NoReturn

from latchwork.errors import ProgramError
from latchwork.program.kernel import Kernel
from latchwork.program.records.shape import SHAPES, shape_of


class Types(dict[str, str]):
    """LLVM's types by the names of ours; records, and records one after the other, are pointers."""

    def __missing__(self, name: str) -> str:
        if name.removesuffix("[]") in SHAPES:
            return "ptr"
        raise KeyError(name)


LLVM = Types({"f64": "double", "i64": "i64", "bit": "i1", "f64p": "ptr", "i64p": "ptr", "i32p": "ptr",
              "executor": "ptr", "solver": "ptr", "routine": "ptr"})  # fmt: skip
ELEMENT = {"f64p": ("f64", "double"), "i64p": ("i64", "i64"), "i32p": ("i64", "i32")}  # loaded as, stored as


@dataclass(frozen=True)
class Signature:
    """What a kernel takes and gives, by the names of the types."""

    symbol: str
    parameters: tuple[tuple[str, str], ...]
    results: tuple[str, ...]

    @property
    def result(self) -> str:
        """The LLVM type of the result: void, a scalar, or a structure of scalars."""
        types = [LLVM[name] for name in self.results]
        return "void" if not types else types[0] if len(types) == 1 else "{ " + ", ".join(types) + " }"


def refuse(kernel: Kernel[..., Any], node: ast.AST, why: str) -> NoReturn:
    """Say which kernel, which line and which construct cannot become machine code."""
    line = getattr(node, "lineno", 0)
    shown = textwrap.shorten(ast.unparse(node), 60)
    raise ProgramError(f"Kernel '{kernel.name}', line {line}: '{shown}' cannot be compiled: {why}")


def member(node: ast.Attribute, names: dict[str, Any]) -> IntEnum | None:
    """The member of an enumeration that ``Name.MEMBER`` is, among global names; None for a field of a record."""
    kind = names.get(node.value.id) if isinstance(node.value, ast.Name) else None
    found = getattr(kind, node.attr, None) if isinstance(kind, type) and issubclass(kind, IntEnum) else None
    return found if isinstance(found, IntEnum) else None


@lru_cache(maxsize=64)
def _functions(filename: str, source: str) -> dict[int, ast.FunctionDef]:
    """The functions of a source file by the line of their first decorator."""
    found = (node for node in ast.walk(ast.parse(source, filename)) if isinstance(node, ast.FunctionDef))
    return {min([node.lineno, *(item.lineno for item in node.decorator_list)]): node for node in found}


def tree(kernel: Kernel[..., Any]) -> ast.FunctionDef:
    """The syntax tree of a kernel, with the line numbers of its file."""
    code = kernel.function.__code__
    source = "".join(linecache.getlines(code.co_filename, kernel.function.__globals__))
    return _functions(code.co_filename, source)[code.co_firstlineno]


def signature(kernel: Kernel[..., Any]) -> Signature:
    """Read the annotations of a kernel."""
    node = tree(kernel)
    given = node.args
    if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs or given.defaults:
        refuse(kernel, given, "only plain parameters are. Give each one a name and a type.")
    pairs = tuple((arg.arg, _type(kernel, arg, arg.annotation)) for arg in given.args)
    return Signature(kernel.name, pairs, _results(kernel, node))


def _type(kernel: Kernel[..., Any], where: ast.AST, annotation: ast.expr | None) -> str:
    """The name of a type, from its annotation."""
    name = annotation.id if isinstance(annotation, ast.Name) else ""
    if name in LLVM and name != "bit":
        return name
    shape = shape_of(kernel.function.__globals__.get(name))
    if shape is None:
        refuse(kernel, where, f"its type must be one of {', '.join(t for t in LLVM if t != 'bit')}, or a record.")
    return shape.name


def _results(kernel: Kernel[..., Any], node: ast.FunctionDef) -> tuple[str, ...]:
    """The names of the result types: none, one, or those of a ``tuple[...]``."""
    returns = node.returns
    if isinstance(returns, ast.Constant) and returns.value is None:
        return ()
    if isinstance(returns, ast.Subscript) and isinstance(returns.slice, ast.Tuple):
        return tuple(_type(kernel, returns, item) for item in returns.slice.elts)
    return (_type(kernel, returns or node.args, returns),)
