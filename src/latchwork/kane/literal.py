"""The equations to read: definitions of the speeds, kinematical and dynamical equations, one line each.

Where lines would grow too long, everything becomes one list of assignments z1, z2, ... in the manner of AUTOLEV.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from latchwork.mechanics.joints import QUATERNION
from latchwork.mechanics.printing import written_sum
from latchwork.mechanics.system import System
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.printing import FORMS, latex, listing, mathml, text
from latchwork.symbolic.traverse import count_literal

if TYPE_CHECKING:
    from latchwork.kane.equations import Equations

MAX_LINE = 60  # operations in one line beyond which subexpressions get names
WRITE: dict[str, Callable[[Expr], str]] = {"text": text, "latex": latex, "mathml": lambda e: mathml(e, inner=True)}
SYSTEM = {
    "text": ("M*dt(u)", "f"),
    "latex": (r"M \dot{u}", "f"),
    "mathml": ('<mi>M</mi><mover accent="true"><mi>u</mi><mo>&#x2D9;</mo></mover>', "<mi>f</mi>"),
}


class Block(NamedTuple):
    """Equations that belong together, each a left and a right side already written."""

    title: str
    lines: list[tuple[str, str]]


def literal(equations: Equations) -> str:
    """The equations as program text."""
    blocks = equation_blocks(equations, "text")
    parts = [f"{block.title}\n" + "\n".join(f"  {a} = {b}" for a, b in block.lines) for block in blocks]
    return "\n\n".join([f"Kane's equations of '{equations.name}'", *parts])


def literal_latex(equations: Equations) -> str:
    """The equations as one ``aligned`` environment, without dollar signs."""
    blocks = [r" \\".join(f"\n{a} &= {b}" for a, b in block.lines) for block in equation_blocks(equations, "latex")]
    return r"\begin{aligned}" + r" \\[1ex]".join(blocks) + "\n" + r"\end{aligned}"


def equation_blocks(equations: Equations, form: str) -> list[Block]:
    """Definitions, constraints built in, kinematical and dynamical equations, written in a form."""
    write = WRITE[form]
    definitions = [(write(u), write(e)) for u, e in speed_definitions(equations.system).items()]
    zero = [(write(e), "<mn>0</mn>" if form == "mathml" else "0") for e in equations.system.zero]
    blocks = [Block("Definitions of the speeds", definitions), Block("Motion constraints built into the speeds", zero)]
    if _longest_line(equations) > MAX_LINE:
        blocks.append(Block("Kinematical and dynamical differential equations", _listed(equations, form)))
    else:
        qdot = zip(equations.system.q_rates, equations.qdot_expressions, strict=True)
        blocks.append(Block("Kinematical differential equations", [(write(rate), write(e)) for rate, e in qdot]))
        blocks.append(Block("Dynamical differential equations", dynamical_lines(equations, form)))
    return [block for block in blocks if block.lines]


def speed_definitions(system: System) -> dict[Expr, Expr]:
    """u = Y q̇ + Z for every speed: as the analyst gave it, or as its joint means it."""
    found = {value: rate for rate, value in system.direct.items() if value.is_symbol} | dict(system.definitions)
    for link in system.links:
        if link.joint.turns == QUATERNION:
            found |= dict(zip(link.u[-3:], link.frame.relative_spin().measures(link.frame), strict=True))
    return {u: found[u] for u in system.u if u in found}


def _longest_line(equations: Equations) -> int:
    """Operations in the longest line if every equation is written out."""
    n, M = len(equations.u), equations.M.tolist()
    solved = list(equations.udot_expressions) if equations.M.is_diagonal else []
    rows = [count_literal([*M[r], equations.f[r]]).total for r in range(n)]
    return max([count_literal([e]).total for e in (*equations.qdot_expressions, *solved)] + rows, default=0)


def dynamical_lines(equations: Equations, form: str) -> list[tuple[str, str]]:
    """u̇_r = f_r / M_rr where M is diagonal, else Σ_s M_rs u̇_s = f_r, the terms in the order of the speeds."""
    write, g = WRITE[form], equations.system.graph
    rates = [write(rate) for rate in equations.system.u_rates]
    if equations.M.is_diagonal:
        return [(rate, write(e)) for rate, e in zip(rates, equations.udot_expressions, strict=True)]
    rows = [list(zip((e.node for e in row), rates, strict=True)) for row in equations.M.tolist()]
    return [(written_sum(g, row, form), write(f)) for row, f in zip(rows, equations.f, strict=True)]


def _listed(equations: Equations, form: str) -> list[tuple[str, str]]:
    """q̇, the lower triangle of M, and f as assignments that share subexpressions; then M u̇ = f."""
    n, symbol = len(equations.u), FORMS[form].symbol
    entries = [(i, j) for i in range(n) for j in range(i + 1) if not equations.M.is_zero(i, j)]
    rates = map(WRITE[form], equations.system.q_rates)
    named = list(zip(rates, equations.qdot_expressions, strict=True))
    named += [(symbol(f"M_{i + 1}_{j + 1}", 0).body, equations.M[i, j]) for i, j in entries]
    named += [(symbol(f"f_{i + 1}", 0).body, e) for i, e in enumerate(equations.f)]
    return [*_under_names(named, form), SYSTEM[form]]


def _under_names(named: Sequence[tuple[str, Expr]], form: str) -> list[tuple[str, str]]:
    lines = listing([e for _, e in named], [f"y{i}" for i in range(len(named))], form=form)
    first = len(lines) - len(named)
    final = [(name, line[1]) for (name, _), line in zip(named, lines[first:], strict=True)]
    return lines[:first] + final
