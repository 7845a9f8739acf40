"""Expressions for people to read: program text, LaTeX, MathML, and lists of assignments for the long ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latchwork.errors import ExpressionError
from latchwork.symbolic.expr import Expr, graph_of, operand
from latchwork.symbolic.graph import KINDS, Graph
from latchwork.symbolic.ops import SYMBOL
from latchwork.symbolic.printing.as_latex import LATEX
from latchwork.symbolic.printing.as_mathml import MATHML, in_brackets, table
from latchwork.symbolic.printing.as_text import TEXT
from latchwork.symbolic.printing.compose import compose, symbol_piece
from latchwork.symbolic.printing.names import natural
from latchwork.symbolic.printing.style import Piece, Style
from latchwork.symbolic.traverse import count_shared, reachable, use_counts

__all__ = ["FORMS", "latex", "listing", "mathml", "mathml_table", "text"]

FORMS: dict[str, Style] = {"text": TEXT, "latex": LATEX, "mathml": MATHML}
LONGEST = 2000  # operations written out before a summary takes their place
LONGEST_LINE = 200  # operations in one line of a listing
SHOWN_SYMBOLS = 6


def text(expression: Expr) -> str:
    """Program text that reads back as the same value: ``m*L**2*(3 + 2*cos(q2))``; a summary where it would be huge."""
    return _written(expression, TEXT)


def latex(expression: Expr) -> str:
    """LaTeX, without dollar signs."""
    return _written(expression, LATEX)


def mathml(expression: Expr, inner: bool = False) -> str:
    """A MathML element for a page of its own line; ``inner`` leaves out the enclosing ``<math>``."""
    body = _written(expression, MATHML)
    return body if inner else f'<math display="block">{body}</math>'


def mathml_table(rows: Sequence[Sequence[str]]) -> str:
    """Entries written as MathML set as a matrix in brackets."""
    return in_brackets(table(rows))


def listing(
    expressions: Sequence[Any], names: Sequence[str], limit: int = 4, form: str = "text"
) -> list[tuple[str, str]]:
    """Assignments in the manner of AUTOLEV: (z1, ...), (z2, ...), and then one for each expression under its name.

    A subexpression becomes a z when it is used more than once and takes more than ``limit`` operations, or when its
    line would grow too long. Each line uses only names of lines before it. Forms: text, latex, mathml.
    """
    if len(names) != len(expressions):
        raise ExpressionError(
            f"a listing needs one name for each expression: {len(expressions)} expressions, {len(names)} names."
        )
    style, graph = FORMS[form], graph_of(expressions) or Graph("numbers")
    roots = [operand(graph, expression) for expression in expressions]
    named = _named(graph, roots, limit)
    written = compose(graph, roots, style, named)
    lines = [(style.symbol(name, 0).body, written[node].body) for node, name in named.items()]
    for name, root in zip(names, roots, strict=True):
        piece = style.symbol(named[root], 0) if root in named else written[root]
        lines.append((style.symbol(name, 0).body, piece.body))
    return lines


def _written(expression: Expr, style: Style) -> str:
    graph, root = expression.graph, expression.node
    if _costs(graph, [root]).get(root, 0) > LONGEST:
        return _summary(expression, style).body
    return compose(graph, [root], style, {})[root].body


def _summary(expression: Expr, style: Style) -> Piece:
    """How large an expression is and what it depends on."""
    leaves = sorted(expression.free_symbols, key=lambda s: (KINDS.index(s.kind), natural(s.name)))
    pieces = [symbol_piece(s.graph, s.node, style) for s in leaves[:SHOWN_SYMBOLS]]
    pieces += [Piece("...", 0)] * (len(leaves) > SHOWN_SYMBOLS)
    return style.summary(count_shared([expression]).total, pieces)


def _costs(graph: Graph, roots: Sequence[int]) -> dict[int, int]:
    """Operations in each node written out in full, counted no further than the longest that is ever written."""
    costs: dict[int, int] = {}
    for i in reachable(graph, roots):
        op, *args = graph.nodes[i]
        costs[i] = 0 if op == SYMBOL else min(1 + sum(costs.get(a, 0) for a in args), LONGEST + 1)
    return costs


def _named(graph: Graph, roots: Sequence[int], limit: int) -> dict[int, str]:
    """The nodes that get a line of their own, with their names, arguments before what uses them."""
    prefix = _free_prefix(graph)
    costs: dict[int, int] = {}
    named: dict[int, str] = {}
    for i, uses in use_counts(graph, roots).items():
        op, *args = graph.nodes[i]
        costs[i] = 0 if op == SYMBOL else 1 + sum(costs.get(a, 0) for a in args)
        if costs[i] > LONGEST_LINE or (uses > 1 and costs[i] > limit):
            named[i] = f"{prefix}{len(named) + 1}"
            costs[i] = 0
    return named


def _free_prefix(graph: Graph) -> str:
    """z, or zz, zzz, ... where the model has symbols that would be mistaken for it."""
    prefix = "z"
    while any(s.name.removeprefix(prefix).isdigit() for s in graph.symbols.values()):
        prefix += "z"
    return prefix
