"""Placeholders for the forces of constraints and contacts, for conditions such as "lets go above a torque".

A run puts the multiplier of the row in their place while it acts, and 0 while it does not. What a joint, a constraint
or a contact exerts is three of them along N.x, N.y and N.z, for its force and for its torque.
"""

from __future__ import annotations

from collections.abc import Iterable

from latchwork.mechanics.tree import Tree
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.traverse import reachable

KIND, PREFIX, REACTION = "multiplier", "force of ", "reaction of "
PARTS = ("force", "torque")


def force_of(g: Graph, row: str) -> Expr:
    """The placeholder for the multiplier of a row; always the same one for one name."""
    return _placeholder(g, PREFIX + row)


def _placeholder(g: Graph, name: str) -> Expr:
    known = next((node for node, symbol in g.symbols.items() if symbol.kind == KIND and symbol.name == name), None)
    return Expr(g, g.symbol(name, KIND) if known is None else known)


def reaction_of(tree: Tree, name: str, part: str) -> Vector:
    """The force or torque that something exerts, as a vector of placeholders in N."""
    x, y, z = (_placeholder(tree.graph, f"{REACTION}{name}.{part}.{axis}") for axis in "xyz")
    return tree.newtonian.vector(x, y, z)


def reactions_in(g: Graph, nodes: Iterable[int]) -> dict[int, tuple[str, str, int]]:
    """The placeholders of reactions in some expressions: the name, force or torque, and which component."""
    found = {}
    for node in reachable(g, list(nodes)):
        symbol = g.symbols.get(node)
        if symbol is not None and symbol.kind == KIND and symbol.name.startswith(REACTION):
            name, part, axis = symbol.name.removeprefix(REACTION).rsplit(".", 2)
            found[node] = name, part, "xyz".index(axis)
    return found


def forces_in(g: Graph, nodes: Iterable[int]) -> dict[int, str]:
    """The placeholders in some expressions, with the rows they stand for."""
    symbols = {node: g.symbols[node] for node in reachable(g, list(nodes)) if node in g.symbols}
    return {node: symbol.name.removeprefix(PREFIX) for node, symbol in symbols.items()
            if symbol.kind == KIND and symbol.name.startswith(PREFIX)}  # fmt: skip
