"""What a text means in a model."""

from __future__ import annotations

from typing import Any

from latchwork.errors import EvaluationError, did_you_mean
from latchwork.kane.equations import Equations


def named(equations: Equations, name: str) -> Any:
    """What a text means in a model: a symbol, a point, or an expression of them."""
    system = equations.system
    symbols = {symbol.name: symbol for symbol in equations.arguments}
    points = system.tree.points
    if name in symbols:
        return symbols[name]
    if name in points:
        return points[name]
    if name.isidentifier():
        hint = did_you_mean(name, [*symbols, *points])
        raise EvaluationError(f"'{name}' is not in the run of '{system.name}'.{hint}")
    from latchwork.formats.expressions import parse_in

    return parse_in(name, symbols, system.tree)
