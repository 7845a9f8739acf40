"""What texts of the sources name in single backticks, and what of it there is."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import latchwork as lw

NAMED = re.compile(r"(?<![`\\\w])`([A-Za-z_][\w./]*)(?:\([^`]*\))?`(?!`)")
FILE = re.compile(r"\.(?:py|js|c|h|css|html|md|toml|yaml)$")
DEFINED = ast.FunctionDef | ast.ClassDef
Names = dict[str, set[str]]


def texts(path: Path, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The docstrings and comments of a file, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | DEFINED):
            yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""
    for i, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        yield i, line.partition("#")[2]


def define(scope: str, body: list[ast.stmt], found: Names) -> None:
    """The names that a module or a class defines: functions, classes, constants, fields and attributes."""
    for node in body:
        if isinstance(node, DEFINED):
            found[scope].add(node.name)
        if isinstance(node, ast.ClassDef):
            define(node.name, node.body, found)
            continue
        for part in ast.walk(node):
            match part:
                case ast.Attribute(ast.Name("self" | "cls"), name) if isinstance(node, ast.FunctionDef):
                    found[scope].add(name)
                case ast.Name(name, ast.Store()) if not isinstance(node, DEFINED):
                    found[scope].add(name)
                case ast.alias(name, known):
                    found[scope].add((known or name).rpartition(".")[2])


def stale_names(package: Path) -> list[str]:
    """What is named in the docstrings and comments of a package, and is nowhere: ``file:line name``.

    A name is there where a module, a class, or the file itself has it; ``a.b`` where a is a module or a class that has
    b, or a variable of the file.
    """
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(package.rglob("*.py"))}
    found: Names = defaultdict(set)
    for path, tree in trees.items():
        define(path.parent.name if path.stem == "__init__" else path.stem, tree.body, found)
    found["lw"] |= set(lw.__all__)
    files = {path.name for path in package.rglob("*")} | {path.stem for path in package.rglob("*")}
    every = set().union(files, dir(builtins), keyword.kwlist, {"lw"}, *found.values())

    def is_there(name: str, tree: ast.Module) -> bool:
        if "/" in name or FILE.search(name):
            return any(path.as_posix().endswith(f"/{name.rstrip('/')}") for path in package.rglob(Path(name).name))
        *_, scope, last = ["", *name.split(".")]
        if scope in found:
            return last in found[scope] or last in files
        if not scope and last in every:
            return True
        own = {getattr(node, kind) for node in ast.walk(tree) for kind in ("id", "attr", "arg") if hasattr(node, kind)}
        return (last in own or last in every) and (not scope or scope in own or scope in files)

    return [f"{path.relative_to(package)}:{line} {name}" for path, tree in trees.items()
            for line, text in texts(path, tree) if "`" in text
            for name in NAMED.findall(text) if not is_there(name.rstrip("."), tree)]  # fmt: skip
