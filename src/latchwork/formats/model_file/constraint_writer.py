"""Constraints to model files: the word and the arguments they were made with, or the rows themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from latchwork.constraint.constraint import Constraint
from latchwork.formats.expressions.literal import Literal, copied
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import reachable, rebuild


class Texts(Protocol):
    """What writes expressions."""

    def scalar(self, value: Expr | float) -> str: ...
    def vector(self, v: Vector) -> str: ...


def constraint_text(texts: Texts, constraint: Constraint) -> dict[str, Any]:
    """The entry of a constraint."""
    for word, made in constraint.recipe.items():
        written = {key: _text(texts, value) for key, value in made.items() if key != "places"}
        if "places" not in made:
            return {word: written}
        function = _function(made["zero"], made["places"])
        if function is not None:
            return {word: written | {"zero": function}}
    rows = [texts.scalar(e) for e in constraint.zero]
    return {"zero": rows[0] if len(rows) == 1 else rows}


def _function(f: Expr, places: Sequence[Expr]) -> str | None:
    """f with its places called x, y, z; none where other symbols have these names, or where it is too long."""
    g = copied(f.graph)
    own = {place.node for place in places}
    if {g.symbols[i].name for i in reachable(g, [f.node]) if i in g.symbols and i not in own} & set("xyz"):
        return None
    named = {place.node: g.symbol(name, "parameter") for place, name in zip(places, "xyz", strict=True)}
    literal = Literal(g)
    written = literal.scalar(Expr(g, rebuild(g, [f.node], named)[0]))
    return None if literal.let else written


def _text(texts: Texts, value: Any) -> Any:
    """A frame, point or joint by its name; expressions and vectors as texts."""
    if isinstance(value, list):
        return [_text(texts, each) for each in value]
    if isinstance(value, Vector):
        return texts.vector(value)
    if isinstance(value, (Expr, float, int)):
        return texts.scalar(value)
    return value if isinstance(value, str) else value.name
