"""Placeholders for the forces of constraints and contacts, for conditions such as "lets go above a torque".

A run puts the multiplier of the row in their place while it acts, and 0 while it does not.
"""

from __future__ import annotations

from collections.abc import Iterable

from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.traverse import reachable

KIND, PREFIX = "multiplier", "force of "


def force_of(g: Graph, row: str) -> Expr:
    """The placeholder for the multiplier of a row; always the same one for one name."""
    name = PREFIX + row
    known = next((node for node, symbol in g.symbols.items() if symbol.kind == KIND and symbol.name == name), None)
    return Expr(g, g.symbol(name, KIND) if known is None else known)


def forces_in(g: Graph, nodes: Iterable[int]) -> dict[int, str]:
    """The placeholders in some expressions, with the rows they stand for."""
    symbols = {node: g.symbols[node] for node in reachable(g, list(nodes)) if node in g.symbols}
    return {node: symbol.name.removeprefix(PREFIX) for node, symbol in symbols.items()
            if symbol.kind == KIND and symbol.name.startswith(PREFIX)}  # fmt: skip
