"""The right-hand side of a run: ẋ for the state x = (q, u, work), one Program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.errors import EvaluationError, did_you_mean
from latchwork.kane import energy
from latchwork.kane.equations import Equations
from latchwork.kane.sample import numbers
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import reachable, rebuild

ROUNDING = 1e-11  # a power below this at random states of order one is nothing


@dataclass(frozen=True)
class RightSide:
    """ẋ as a function of (t, x, r, p); the laws that some inputs follow; the power that changes the energy, or none."""

    equations: Equations
    function: Function
    laws: dict[int, int]
    power: int
    work: Expr


def right_side(equations: Equations, inputs: Mapping[str, Any] | None) -> tuple[RightSide, dict[str, float]]:
    """The program of (q̇, u̇, power), and the inputs that are plain numbers."""
    system = equations.system
    g = system.graph
    laws, held = _split_inputs(equations, inputs or {})
    power = _power(equations, laws)
    rates = [*equations.derivation.kinematics.q_rates, *(e.node for e in equations.udot_expressions)]
    outputs = rebuild(g, [*rates, power], laws)
    work = Expr(g, g.symbol("work", "auxiliary"))
    arguments = [system.t, *system.q, *system.u, work, *system.r, *system.p]
    function = Function(lower(g, outputs, arguments))
    return RightSide(equations, function, laws, power, work), held


def _split_inputs(equations: Equations, inputs: Mapping[Any, Any]) -> tuple[dict[int, int], dict[str, float]]:
    """Inputs that follow a law (an expression in t, q, u) and inputs that are held at a number."""
    system = equations.system
    by_name = {symbol.name: symbol for symbol in system.r}
    laws, held = {}, {}
    for key, value in inputs.items():
        name = key.name if isinstance(key, Expr) and key.is_symbol else str(key)
        if name not in by_name:
            raise EvaluationError(f"'{name}' is not an input of '{system.name}'.{did_you_mean(name, by_name)}")
        if isinstance(value, Expr):
            laws[by_name[name].node] = rebuild(system.graph, [operand(system.graph, value)],
                                               equations.derivation.kinematics.replaced)[0]  # fmt: skip
        elif callable(value):
            raise EvaluationError(
                f"input '{name}' of '{system.name}' is a Python function. Give a number, or an expression in t, q "
                "and u (it is compiled with the equations); for anything else advance in pieces, holding the input."
            )
        else:
            held[name] = value
    return _without_each_other(equations, laws), held


def _without_each_other(equations: Equations, laws: dict[int, int]) -> dict[int, int]:
    """Laws that mention inputs which follow laws themselves, with those put in."""
    g = equations.system.graph
    for _ in laws:
        laws = dict(zip(laws, rebuild(g, list(laws.values()), laws), strict=True))
    circular = [g.symbols[node].name for node, law in laws.items() if not laws.keys().isdisjoint(reachable(g, [law]))]
    if circular:
        raise EvaluationError(
            f"the laws of {', '.join(circular)} of '{equations.name}' depend on each other in a circle. "
            "Write one of them in terms of t, q and u only."
        )
    return laws


def _power(equations: Equations, laws: dict[int, int]) -> int:
    """Rate of K + V: power of the loads that have no potential, and of prescribed motion; 0 where there is none."""
    motion = equations.derivation.motion
    g = equations.system.graph
    total = equations.power + energy.drive_power(equations)
    rate = tangents(g, [equations.potential_energy.node], motion.kinematics.along)[0]
    node = g.add(total.node, rate)
    u_rates = {rate.node: e.node for rate, e in zip(equations.system.u_rates, equations.udot_expressions, strict=True)}
    node = rebuild(g, [node], motion.kinematics.replaced | u_rates)[0]
    if node == ZERO:
        return ZERO
    values = numbers(equations.system, [node])
    return ZERO if np.isfinite(values).all() and np.abs(values).max() < ROUNDING else node
