"""The information report, after SD/FAST's: what was described, how it hangs together, what its equations cost.

[Buffinton §6.7.1]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from latchwork.kane import information
from latchwork.kane.literal import literal, literal_latex
from latchwork.kane.page import body, html
from latchwork.kane.table import Table, cell_text

if TYPE_CHECKING:
    from latchwork.kane.equations import Equations

__all__ = ["html", "literal", "literal_latex", "report"]


class Report(str):
    """The text of an information report; a notebook shows it as tables."""

    equations: Equations

    def _repr_html_(self) -> str:
        return body(self.equations)


def report(equations: Equations) -> Report:
    """Sizes, bodies and tree, q/u map, loads, the equations, operation counts, the mass matrix, energies."""
    parts = [
        f"{equations.name}\n{'=' * len(equations.name)}",
        str(information.sizes(equations)),
        _section(information.quantities(equations)),
        _section(information.bodies(equations)),
        _section(information.coordinates(equations)),
        _section(information.loads(equations)),
        literal(equations),
        f"Form kept: {equations.derivation.form}\n\n{information.operations(equations)}",
        _mass_matrix(equations),
        "Energies\n" + "\n".join(f"  {name} = {cell_text(cell)}" for name, cell in information.energies(equations)),
    ]
    made = Report("\n\n".join(part for part in parts if part) + "\n")
    made.equations = equations
    return made


def _section(table: Table) -> str:
    """A table, left out where it has no rows."""
    return str(table) if table.labels else ""


def _mass_matrix(equations: Equations) -> str:
    picture = information.pattern(equations.M).replace("\n", "\n  ")
    facts = f"Mass matrix: {information.mass_matrix_text(equations.M)}"
    return f"{facts}\n  {picture}" if picture else facts
