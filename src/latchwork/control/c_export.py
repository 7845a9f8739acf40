"""Laws as C99, next to the C of their model.

Laws of expressions (`Law`, `lqr`) are programs like any output of a model, with the bits of the run: a function
``command_NAME(t, q, u, r, p)`` for each input. Laws that read a mode (`Projected`, `Impedance`) are their kernel, with
the memory of the mode in which a simulation stands (`law_c`). A Python function is refused by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from latchwork.control.actuation import inputs_of
from latchwork.control.command import bound_to, mode_of
from latchwork.control.law import Law
from latchwork.control.law_c import write_law
from latchwork.control.projected import _Law
from latchwork.control.sampled import Sampled
from latchwork.control.tracks import name_of
from latchwork.errors import ModelError, must_be, undeclared
from latchwork.export.equations import export_c as export_model
from latchwork.files import write_text
from latchwork.hybrid.simulation import Simulation
from latchwork.kane.equations import Equations
from latchwork.model import Model
from latchwork.program.naming import KEYWORDS, legal
from latchwork.symbolic.expr import Expr, operand

RULE = """
{name}.o: {name}.c {name}.h
\t$(CC) $(CFLAGS) $(STRICT) -fno-strict-aliasing -Wno-unused-function -c -o $@ {name}.c
"""


def export_c(law: Any, model: Model | Equations | Simulation, directory: str | Path, *,
             outputs: Mapping[str, Any] | None = None,
             stop_when: Mapping[str, Any] | None = None) -> list[Path]:  # fmt: skip
    """Write the C of a model and of a law; the paths of the files. A `Simulation` says in which mode it acts."""
    equations = equations_of(model)
    inner = law.law if isinstance(law, Sampled) else law
    name = getattr(law, "name", str(law))
    if isinstance(inner, _Law):
        return _export_projected(inner, model, directory, outputs=outputs, stop_when=stop_when)
    if not isinstance(inner, Law):
        raise ModelError(f"controller '{name}' is the Python function {inner!r}, which cannot become C. Write it as "
                         "expressions: lw.control.Law({input: expression}).")  # fmt: skip
    return export_model(equations, directory, outputs={**_commands(inner, equations), **(outputs or {})},
                        stop_when=stop_when)  # fmt: skip


def equations_of(model: Model | Equations | Simulation) -> Equations:
    """The equations of what a law is exported with."""
    must_be(model, (Model, Equations, Simulation), "what a law is exported with", "Give a model or a simulation.")
    if isinstance(model, Model):
        return model.equations()
    return model.equations if isinstance(model, Simulation) else model


def commanded(law: Any, equations: Equations) -> list[str]:
    """The inputs that an exported law commands, in their order."""
    inner = law.law if isinstance(law, Sampled) else law
    if isinstance(inner, Law):
        return [*inner.expressions]
    return [*inputs_of(equations, inner.inputs, f"law '{inner.name}'", [name_of(each) for each in inner.unknown])]


def _commands(law: Law, equations: Equations) -> dict[str, Any]:
    """Expressions of inputs by the names of their functions."""
    known, g = [symbol.name for symbol in equations.r], equations.system.graph
    for each in law.expressions:
        if each not in known:
            raise ModelError(f"'{each}', which law '{law.name}' commands, is no input of '{equations.name}'."
                             f"{undeclared(each, known)}")  # fmt: skip
    return {f"command_{each}": value if isinstance(value, (Expr, str)) else Expr(g, operand(g, value))
            for each, value in law.expressions.items()}  # fmt: skip


def _export_projected(law: _Law, model: Any, directory: str | Path, **more: Any) -> list[Path]:
    """A law that reads a mode: the one in which a simulation stands, or a model starts."""
    sim = model if isinstance(model, Simulation) else Simulation(model, controllers=[law])
    source = sim.world.shared.model
    files = export_model(source.equations() if isinstance(source, Model) else sim.equations, directory, **more)
    program, mode = bound_to(law, sim), mode_of(sim)
    name = legal(f"{files[0].stem}_{law.name.lower()}", KEYWORDS)
    write_text(files[3], files[3].read_text(encoding="utf-8") + RULE.format(name=name))
    return [*files, *write_law(program, program.controlled(mode), name, Path(directory))]
