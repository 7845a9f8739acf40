"""``latchwork derive``: the equations of a model file, in the form asked for."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from latchwork.cli.terminal import Progress, write

if TYPE_CHECKING:
    from latchwork.formats.run_settings import RunSettings
    from latchwork.kane.equations import Equations


def derive(options: argparse.Namespace) -> None:
    """Derive, and write the equations."""
    progress = Progress(options.progress)
    equations, _ = derived(options.file, progress)
    progress("writing")
    text = FORMS[options.form](equations)
    progress.done()
    write(text, options.output)


def derived(
    file: str, progress: Progress, run: Sequence[str] = (), **options: Any,
) -> tuple[Equations, RunSettings]:  # fmt: skip
    """The equations of a model file, and its run settings with more from ``run``; a robot takes options of `load`."""
    from latchwork.formats import read_file

    progress(f"reading {file}")
    model, settings = read_file(file, run, **options)
    progress(f"deriving the equations of {model.name}")
    equations = model.equations()
    progress.done()
    return equations, settings


def as_json(equations: Equations) -> str:
    """Names and assignments: z1, z2, ... are what the others share; every line uses only names of lines before it."""
    from latchwork.symbolic.printing import listing

    n = len(equations.u)
    named = {f"qdot[{i}]": e for i, e in enumerate(equations.qdot_expressions)}
    named |= {f"M[{i}][{j}]": equations.M[i, j] for i in range(n) for j in range(n)}
    named |= {f"f[{i}]": e for i, e in enumerate(equations.f)}
    facts = {
        "name": equations.name,
        **{letter: [symbol.name for symbol in getattr(equations, letter)] for letter in "qurp"},
        "assignments": listing(list(named.values()), list(named)),
        "operations": dataclasses.asdict(equations.operations),
    }
    return json.dumps(facts, indent=2)


def as_sympy(equations: Equations) -> str:
    """Python that makes the matrices again, whatever the names of the symbols."""
    from sympy import Matrix, srepr

    from latchwork.symbolic.sympy_bridge import to_sympy

    def column(expressions: Any) -> Any:
        return Matrix(to_sympy(list(expressions)))

    n = len(equations.u)
    matrices = {letter: column(getattr(equations, letter)) for letter in "qu"}
    matrices["qdot"] = column(equations.qdot_expressions)
    matrices["M"] = Matrix(n, n, to_sympy([equations.M[i, j] for i in range(n) for j in range(n)]))
    matrices["f"] = column(equations.f)
    lines = ["from sympy import *", "", *(f"{name} = {srepr(matrix)}" for name, matrix in matrices.items())]
    return "\n".join(lines)


FORMS: dict[str | None, Callable[[Equations], str]] = {
    None: str,
    "latex": lambda equations: equations.latex(),
    "html": lambda equations: equations.html(),
    "sympy": as_sympy,
    "json": as_json,
}
