"""Laws as C99, next to the C of their model: a function ``command_NAME(t, q, u, r, p)`` for each input.

Laws of expressions (`Law`, `lqr`) are programs like any output of a model, with the bits of the run. What reads the
mode of a run, or is a Python function, has no such program and is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from latchwork.control.law import Law
from latchwork.control.projected import _Law
from latchwork.control.sampled import Sampled
from latchwork.errors import ModelError, undeclared
from latchwork.export.equations import export_c as export_model
from latchwork.kane.equations import Equations
from latchwork.model import Model
from latchwork.symbolic.expr import Expr, operand


def export_c(law: Law | Sampled, model: Model | Equations, directory: str | Path, *,
             outputs: Mapping[str, Any] | None = None) -> list[Path]:  # fmt: skip
    """Write the C of a model with the commands of a law among its functions; the paths of the files."""
    equations = model.equations() if isinstance(model, Model) else model
    inner = law.law if isinstance(law, Sampled) else law
    name = getattr(law, "name", str(law))
    if isinstance(inner, _Law):
        raise ModelError(f"law '{name}' reads the mode that '{equations.name}' is in, and there are no modes in its C. "
                         "Linearize it (lw.control.lqr), or write it as expressions (lw.control.Law).")  # fmt: skip
    if not isinstance(inner, Law):
        raise ModelError(f"controller '{name}' is the Python function {inner!r}, which cannot become C. Write it as "
                         "expressions: lw.control.Law({input: expression}).")  # fmt: skip
    known, g = [symbol.name for symbol in equations.r], equations.system.graph
    for each in inner.expressions:
        if each not in known:
            raise ModelError(f"'{each}', which law '{name}' commands, is no input of '{equations.name}'."
                             f"{undeclared(each, known)}")  # fmt: skip
    commands = {f"command_{each}": value if isinstance(value, (Expr, str)) else Expr(g, operand(g, value))
                for each, value in inner.expressions.items()}  # fmt: skip
    return export_model(equations, directory, outputs={**commands, **(outputs or {})})
