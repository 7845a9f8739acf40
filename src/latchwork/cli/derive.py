"""``latchwork derive``: the equations of a model file, in the form asked for."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from latchwork.cli.terminal import Progress, Usage, say, write

if TYPE_CHECKING:
    from latchwork.constraint.constrained import Constrained
    from latchwork.constraint.constraint import Constraint
    from latchwork.formats.model_file.run_settings import RunSettings
    from latchwork.kane.equations import Equations
    from latchwork.model import Model


MAX_NAMES = 8  # names in a note


def derive(options: argparse.Namespace) -> None:
    """Derive, and write the equations."""
    progress = Progress(options.progress)
    found = derived(options.file, progress, **robot_options(options))
    progress("writing")
    text = str(found.embedded()) if options.form is None else FORMS[options.form](found.embedded_equations())
    progress.done()
    say(left_out(found.model))
    write(text, options.output)


@dataclasses.dataclass(frozen=True)
class Derived:
    """A model file: its model, the unconstrained equations, and its run settings."""

    model: Model
    equations: Equations
    settings: RunSettings

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """What must hold in every run."""
        return self.model.constraints

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

    if file.endswith(".py"):
        raise Usage(f"{file} is a Python script. Run it with 'python {file}', or look at what it builds with "
                    f"'latchwork serve {file}'.")  # fmt: skip
    progress(f"reading {file}")
    model, settings = read_file(file, run, **options)
    progress(f"deriving the equations of {model.name}")
    equations = model.equations()
    progress.done()
    return Derived(model, equations, settings)


def robot_options(options: argparse.Namespace) -> dict[str, Any]:
    """What was said of a robot, as `lw.load` takes it."""
    said = {"floating": options.floating or None, "ground": options.ground or None, "limits": options.limits or None,
            "losses": options.losses}  # fmt: skip
    return {name: value for name, value in said.items() if value is not None}


def left_out(model: Model) -> str:
    """What changes in a run and is no part of any equations: contacts and rules."""
    changing: tuple[Any, ...] = (*model.contacts, *model.collisions)
    kinds = {
        "contacts": [each.name for each in changing],
        "rules": [rule.name for rule in model.rules],
    }
    named = [f"the {kind} {', '.join(map(repr, names[:MAX_NAMES]))}{', ...' * (len(names) > MAX_NAMES)}"
             for kind, names in kinds.items() if names]  # fmt: skip
    if not named:
        return ""
    return f"latchwork: note: {' and '.join(named)} of '{model.name}' are left out of these equations; runs have them."


def assignments(equations: Equations) -> list[tuple[str, str]]:
    """q̇, M and f by name; z1, z2, ... are what they share, and every line uses only names of lines before it.

    Sums and products are nested as they are evaluated: read back, the assignments give the same bits. What is printed
    for people gathers them (``m*L**2`` for ``L*(m*L)``), and gives the same value.
    """
    from latchwork.formats.expressions.literal import Literal

    n = len(equations.u)
    named = {f"qdot[{i}]": e for i, e in enumerate(equations.qdot_expressions)}
    named |= {f"M[{i}][{j}]": equations.M[i, j] for i in range(n) for j in range(n)}
    named |= {f"f[{i}]": e for i, e in enumerate(equations.f)}
    literal = Literal(equations.system.graph)
    written = {name: literal.scalar(e) for name, e in named.items()}
    return [*literal.let.items(), *written.items()]


def as_assignments(equations: Equations) -> str:
    """A line for each of the assignments."""
    return "\n".join(f"{name} = {text}" for name, text in assignments(equations))


def as_json(equations: Equations) -> str:
    """Names of all symbols, assignments and counts, for a program."""
    facts = {
        "name": equations.name,
        **{letter: [symbol.name for symbol in getattr(equations, letter)] for letter in "qurp"},
        "assignments": assignments(equations),
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
    "exact": as_assignments,
    "json": as_json,
}
