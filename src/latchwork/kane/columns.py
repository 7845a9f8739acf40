"""Nodes of the graph as columns and matrices to read, written as short as is quickly found."""

from __future__ import annotations

from collections.abc import Sequence

from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.tidy import SHORT, tidy
from latchwork.symbolic.traverse import count_shared


def column(g: Graph, nodes: Sequence[int]) -> Matrix:
    """Nodes as a column."""
    return Matrix.column([Expr(g, node) for node in nodes]) if nodes else Matrix.zeros(g, 0, 1)


def rows(g: Graph, nodes: Sequence[Sequence[int]], width: int) -> Matrix:
    """Rows of nodes as a matrix; ``width`` is for those without rows."""
    entries = [[Expr(g, node) for node in row] for row in nodes]
    return Matrix(entries) if entries and width else Matrix.zeros(g, len(entries), width)


def tidied(g: Graph, nodes: Sequence[int]) -> list[int]:
    """The same values in fewer operations; what is long stays as it is."""
    entries = [Expr(g, node) for node in nodes]
    return [e.node for e in tidy(entries)] if 0 < count_shared(entries).total <= SHORT else list(nodes)


def tidied_column(g: Graph, nodes: Sequence[int]) -> Matrix:
    """Nodes as a column, tidied together."""
    return column(g, tidied(g, nodes))


def tidied_rows(g: Graph, nodes: Sequence[Sequence[int]], width: int) -> Matrix:
    """Rows of nodes as a matrix, tidied together."""
    entries = tidied(g, [node for row in nodes for node in row])
    return rows(g, [entries[width * i : width * (i + 1)] for i in range(len(nodes))], width)
