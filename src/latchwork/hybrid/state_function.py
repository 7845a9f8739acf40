"""State functions: expressions of a model, lowered to one program of (t, q, u, rest)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from latchwork.constraint.terms import Base
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import operand
from latchwork.symbolic.traverse import rebuild


def state_function(base: Base, expressions: Sequence[Any]) -> Function:
    """Expressions as one function of (t, q, u, rest)."""
    g, replaced = base.equations.system.graph, base.equations.derivation.kinematics.replaced
    nodes = rebuild(g, [operand(g, e) for e in expressions], replaced)
    return Function(lower(g, rebuild(g, nodes, base.laws), base.arguments))


def remembered_function(base: Base, name: Hashable, expressions: Callable[[], Sequence[Any]]) -> Function:
    """The same, made once for the same programs, by a name."""
    found: Function | None = base.remembered.get(("state function", name))
    if found is None:
        found = base.remembered["state function", name] = state_function(base, expressions())
    return found
