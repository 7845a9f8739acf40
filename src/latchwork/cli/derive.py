"""``latchwork derive``: the equations of a model file, in the form asked for."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from latchwork.cli.terminal import Progress, write

if TYPE_CHECKING:
    from latchwork.constraint.constrained import Constrained
    from latchwork.constraint.constraint import Constraint
    from latchwork.formats.run_settings import RunSettings
    from latchwork.kane.equations import Equations


def derive(options: argparse.Namespace) -> None:
    """Derive, and write the equations."""
    progress = Progress(options.progress)
    found = derived(options.file, progress)
    progress("writing")
    text = str(found.embedded()) if options.form is None else FORMS[options.form](found.embedded_equations())
    progress.done()
    write(text, options.output)


@dataclasses.dataclass(frozen=True)
class Derived:
    """The unconstrained equations of a model file, its constraints, and its run settings."""

    equations: Equations
    constraints: tuple[Constraint, ...]
    settings: RunSettings

    def embedded(self) -> Equations | Constrained:
        """The equations with the constraints of the file, embedded at the coordinates that it starts from."""
        if not self.constraints:
            return self.equations
        start = self.settings.arguments(self.equations)
        return self.equations.embed(*self.constraints, at=start.get("q") or None, p=start.get("parameters"))

    def embedded_equations(self) -> Equations:
        """The same, derived in independent speeds where there are constraints."""
        from latchwork.constraint.constrained import Constrained

        found = self.embedded()
        return found.equations if isinstance(found, Constrained) else found


def derived(file: str, progress: Progress, run: Sequence[str] = (), **options: Any) -> Derived:
    """What a model file gives, with more run settings from ``run``; a robot takes options of `load`."""
    from latchwork.formats import read_file

    progress(f"reading {file}")
    model, settings = read_file(file, run, **options)
    progress(f"deriving the equations of {model.name}")
    equations = model.equations()
    progress.done()
    return Derived(equations, model.constraints, settings)


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


FORMS: dict[str, Callable[[Equations], str]] = {
    "latex": lambda equations: equations.latex(),
    "html": lambda equations: equations.html(),
    "sympy": as_sympy,
    "json": as_json,
}
