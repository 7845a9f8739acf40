"""Conditions that end a run, as guards for the steppers: expressions, and their rates along the motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from latchwork.errors import EvaluationError
from latchwork.hybrid.right_side import RightSide
from latchwork.hybrid.trajectory import named
from latchwork.kane.equations import Equations
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.ops import ONE
from latchwork.symbolic.traverse import rebuild


def stop_guards(side: RightSide, stop_when: Mapping[str, Any]) -> Function | None:
    """``(g, ġ)`` of some expressions as one function of (t, x, rest); none where there are none.

    ``ġ = ∂g/∂t + ∂g/∂q q̇ + ∂g/∂u u̇``, with q̇ and u̇ as the equations have them.
    """
    if not stop_when:
        return None
    equations, g = side.equations, side.equations.system.graph
    nodes = equations._closed([operand(g, _scalar(equations, name, e)) for name, e in stop_when.items()])
    system, kinematics = equations.system, equations.derivation.kinematics
    udot = [e.node for e in equations.udot_expressions]
    states = [symbol.node for symbol in (*system.q, *system.u)]
    leaves = {system.t.node: ONE} | dict(zip(states, [*kinematics.q_rates, *udot], strict=True))
    values = rebuild(g, nodes, side.laws)
    along = dict(zip(leaves, rebuild(g, list(leaves.values()), side.laws), strict=True))
    return Function(lower(g, [*values, *tangents(g, values, along)], side.arguments))


def _scalar(equations: Equations, name: str, what: Any) -> Expr:
    """A condition as an expression of the model."""
    what = named(equations, what) if isinstance(what, str) else what
    if not isinstance(what, Expr):
        raise EvaluationError(
            f"stop_when '{name}' of '{equations.name}' is {what!r}, not a scalar. Give an expression or its text; the "
            "run stops where it falls through zero."
        )
    return what
