"""Vectors as texts that read back as they are: measure numbers times unit vectors."""

from __future__ import annotations

from latchwork.formats.expressions.literal import Literal, is_sum, quoted
from latchwork.mechanics.frame import AXES
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import MINUS_ONE, ONE, ZERO


def vector_text(literal: Literal, v: Vector) -> str:
    """Measure numbers times unit vectors, in the order they stand in."""
    terms = [(part[k], f"{quoted(f.name)}.{AXES[k]}") for f, part in v.parts.items() for k in range(3)]
    signed = [_term(literal, node, unit) for node, unit in terms if node != ZERO]
    total = "".join(f" {sign} {term}" for sign, term in signed).removeprefix(" + ")
    return "-" + total.removeprefix(" - ") if total.startswith(" - ") else total or "0"


def _term(literal: Literal, node: int, unit: str) -> tuple[str, str]:
    """The sign and the rest of one measure number times its unit vector."""
    if node in (ONE, MINUS_ONE):
        return "+" if node == ONE else "-", unit
    written = literal.scalar(Expr(literal.graph, node))
    if is_sum(written):
        return "+", f"({written})*{unit}"
    rest = written.removeprefix("-")
    if rest != written and literal.reads_as(f"-({rest})", node):
        return "-", f"{rest}*{unit}"
    return "+", f"{written}*{unit}"
