"""Expressions as texts that read back as the very same node: as a person would write them, or literally where not.

The usual printer gathers sums and products; where that would change how they are nested, and with it what is shared,
the graph is written out as it stands. What is long, deep or shared gets a name of its own under ``let``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from latchwork.constraint.forces import KIND, PREFIX
from latchwork.errors import FileError
from latchwork.formats.expressions.evaluate import evaluated
from latchwork.formats.expressions.functions import BINDS, BINDS_PREFIX, SCALAR
from latchwork.formats.expressions.postfix import Code, compiled
from latchwork.formats.expressions.scope import Held, Scope, Value
from latchwork.formats.expressions.tokens import TOKEN
from latchwork.formats.places import Place, Text
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import OPS, SYMBOL
from latchwork.symbolic.printing import text
from latchwork.symbolic.printing.layout import conditions
from latchwork.symbolic.printing.numbers import plain
from latchwork.symbolic.traverse import reachable, use_counts

LONGEST = 600  # characters in one piece
SHARED = 60  # characters worth a name when used more than once
DEEP = 40  # parentheses inside parentheses

ATOM = 9
# How an operation is written and how tightly that binds; what stands on its right must bind more tightly.
FORMS = {
    "add": ("{} + {}", BINDS["+"]), "sub": ("{} - {}", BINDS["-"]), "mul": ("{}*{}", BINDS["*"]),
    "div": ("{}/{}", BINDS["/"]), "neg": ("-{}", BINDS_PREFIX["-"]), "pow": ("{}**{}", BINDS["**"]),
    "lt": ("{} < {}", BINDS["<"]), "le": ("{} <= {}", BINDS["<="]),
}  # fmt: skip
LOGICAL = {"min": ("{} & {}", BINDS["&"]), "max": ("{} | {}", BINDS["|"]), "sub": ("~{1}", BINDS_PREFIX["~"])}
FROM_THE_LEFT = frozenset({"add", "sub", "mul", "div", "min", "max"})
WORDS = {"eq": "equal", "select": "where"}


class Piece(NamedTuple):
    """Something written: its text, how tightly it binds, how many operations deep it is, whether it has forces."""

    body: str
    binds: int = ATOM
    depth: int = 0
    forced: bool = False

    def held(self, tighter_than: int) -> str:
        return self.body if self.binds > tighter_than else f"({self.body})"


@dataclass
class Literal:
    """A writer of the expressions of one graph; ``let`` collects the names it had to give."""

    graph: Graph
    let: dict[str, str] = field(default_factory=dict)
    _named: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._twin = copied(self.graph)
        symbols = {s.name: Value(SCALAR, Expr(self._twin, i)) for i, s in self.graph.symbols.items()}
        self._rows = {i: s.name.removeprefix(PREFIX) for i, s in self.graph.symbols.items() if s.kind == KIND}
        held = {row: Held(row, {"force": partial(Expr, self._twin, i)}) for i, row in self._rows.items()}
        self._scope = Scope(self._twin, symbols=symbols, held=held)

    def scalar(self, value: Expr | float) -> str:
        """An expression or number as text."""
        if not isinstance(value, Expr) or value.is_constant:
            return plain(float(value))
        written = text(value)
        return written if len(written) <= LONGEST and self.reads_as(written, value.node) else self._literal(value.node)

    def reads_as(self, written: str, node: int) -> bool:
        """Does the text give this very node?"""
        try:
            return bool(evaluated(_code(written), self._scope).it.node == node)
        except FileError:
            return False

    # --- node by node -------------------------------------------------------------------------------------------

    def _literal(self, root: int) -> str:
        nodes = reachable(self.graph, [root])
        logical, uses = conditions(self.graph, nodes), use_counts(self.graph, [root])
        pieces: dict[int, Piece] = {}
        for i in nodes:
            pieces[i] = piece = self._piece(i, i in logical, pieces)
            shared = uses[i] > 1 and len(piece.body) > SHARED
            if i != root and not piece.forced and (shared or len(piece.body) > LONGEST or piece.depth > DEEP):
                pieces[i] = Piece(self._name(i, piece.body))
        return pieces[root].body

    def _piece(self, i: int, is_condition: bool, pieces: dict[int, Piece]) -> Piece:
        op, *args = self.graph.nodes[i]
        if i in self._named:
            return Piece(self._named[i])
        if i in self._rows:
            return Piece(f"force({quoted(self._rows[i])})", ATOM, 0, True)
        if op == SYMBOL:
            return Piece(text(Expr(self.graph, i)))
        name = OPS[op].name
        parts = [pieces[a] if a >= 0 else self._constant(a) for a in args]
        depth, forced = 1 + max(part.depth for part in parts), any(part.forced for part in parts)
        form = LOGICAL.get(name) if is_condition and name in LOGICAL else FORMS.get(name)
        if form is None:
            return Piece(f"{WORDS.get(name, name)}({', '.join(part.body for part in parts)})", ATOM, depth, forced)
        first, *rest = parts
        held = [first.held(form[1] - (name in FROM_THE_LEFT)), *(part.held(form[1]) for part in rest)]
        return Piece(form[0].format(*held), form[1], depth, forced)

    def _constant(self, a: int) -> Piece:
        written = plain(self.graph.value(a))
        if set(written) & set("*/"):
            return Piece(written, BINDS["*"])
        return Piece(written, BINDS_PREFIX["-"] if written[0] == "-" else ATOM)

    def _name(self, i: int, written: str) -> str:
        """A name that no symbol has, for a node that is written once and used by name."""
        taken = {symbol.name for symbol in self.graph.symbols.values()} | self.let.keys()
        number = len(self.let) + 1
        while f"z{number}" in taken:
            number += 1
        self._named[i] = name = f"z{number}"
        self.let[name] = written
        return name


def _code(written: str) -> Code:
    return compiled(Text(written, Place("text")))


def is_sum(written: str) -> bool:
    """Does a factor need parentheses around this text?"""
    last = _code(written).steps[-1]
    return last.action == "infix" and BINDS[last.value] < BINDS["*"]


def quoted(name: str) -> str:
    """The name of a frame or point inside an expression."""
    found = TOKEN.match(name)
    if found and found.lastgroup == "name" and found.end() == len(name):
        return name
    if "`" in name:
        raise FileError(f"the name '{name}' cannot be written in an expression. Choose one without backquotes.")
    return f"`{name}`"


def copied(graph: Graph) -> Graph:
    """A graph with the same nodes at the same places, to try things in."""
    twin = Graph(graph.name)
    for value in graph.constants:
        twin.constant(value)
    twin.nodes, twin.index, twin.symbols = [*graph.nodes], dict(graph.index), dict(graph.symbols)
    return twin
