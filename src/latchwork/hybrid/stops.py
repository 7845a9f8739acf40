"""Conditions that end a run or a mode, as guards for the steppers: expressions, and their rates along the motion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from latchwork.constraint.forces import forces_in
from latchwork.errors import EvaluationError, must_be_name
from latchwork.hybrid.symbol_lookup import look_up
from latchwork.kane.equations import Equations
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import COMPARISONS, ONE
from latchwork.symbolic.traverse import reachable, rebuild

Rates = dict[int, tuple[int, int]]  # guards as given: what they are in t, q, u (u̇, λ), and their rates


def stops_of(stop_when: Any) -> dict[str, Any]:
    """The conditions asked for, by name."""
    if stop_when is not None and not isinstance(stop_when, Mapping):
        raise EvaluationError(
            f"stop_when is {stop_when!r}. Give expressions by name, such as stop_when={{\"touch\": y - x}}; the run "
            "ends where the first of them falls through zero."
        )
    for name, value in (stop_when or {}).items():
        must_be_name(name, "a condition of stop_when")
        rows = forces_in(value.graph, [value.node]).values() if isinstance(value, Expr) else ()
        for row in rows:
            raise EvaluationError(f"stop_when '{name}' depends on the force of '{row}', which jumps where modes "
                                  f"change. Say it as a rule: model.rule('{name}', when, stop=True).")  # fmt: skip
    return dict(stop_when or {})


def guards_and_rates(equations: Equations, stop_when: Mapping[Any, Any], laws: dict[int, int],
                     known: Rates | None = None) -> tuple[list[int], list[int]]:  # fmt: skip
    """g and ġ of some expressions along the unconstrained motion, one of each; inputs without a law are held."""
    g = equations.system.graph
    given = [operand(g, scalar(equations, e, f"stop_when '{name}'")) for name, e in stop_when.items()]
    known = {} if known is None else known
    fresh = [node for node in dict.fromkeys(given) if node not in known]
    if fresh:
        values = rebuild(g, equations.in_states(fresh), laws)
        along = _along(equations, [e.node for e in equations.udot_expressions])
        rates = tangents(g, values, dict(zip(along, rebuild(g, list(along.values()), laws), strict=True)))
        known.update(zip(fresh, zip(values, rates, strict=True), strict=True))
    return [known[node][0] for node in given], [known[node][1] for node in given]


def expressions_of(equations: Equations, stop_when: Mapping[str, Any]) -> list[int]:
    """Conditions as nodes in t, q, u and what is held; u̇ as without constraints."""
    g = equations.system.graph
    scalars = (scalar(equations, e, f"stop_when '{name}'") for name, e in stop_when.items())
    return equations.in_states([operand(g, e) for e in scalars])


def _along(equations: Equations, udot: list[int]) -> dict[int, int]:
    """The rates of t, q and u along the motion."""
    system, kinematics = equations.system, equations.derivation.kinematics
    states = [symbol.node for symbol in (*system.q, *system.u)]
    return {system.t.node: ONE} | dict(zip(states, [*kinematics.q_rates, *udot], strict=True))


def rates_in_accelerations(equations: Equations, stop_when: Mapping[Any, Any], laws: dict[int, int],
                           known: Rates) -> tuple[list[int], list[int]]:  # fmt: skip
    """Guards and their rates, in terms of u̇; 0 for the rate of what contains u̇ or λ."""
    g, system, kinematics = equations.system.graph, equations.system, equations.derivation.kinematics
    given = [operand(g, scalar(equations, e, f"stop_when '{name}'")) for name, e in stop_when.items()]
    fresh = [node for node in dict.fromkeys(given) if node not in known]
    if fresh:
        along = _along(equations, [rate.node for rate in system.u_rates])
        values = rebuild(g, rebuild(g, fresh, kinematics.replaced), laws)
        moving = values
        if _has_forces(g, values):
            moving = [ONE if _has_forces(g, [value]) else value for value in values]
        known.update(zip(fresh, zip(values, tangents(g, moving, along), strict=True), strict=True))
    return [known[node][0] for node in given], [known[node][1] for node in given]


def _has_forces(g: Graph, nodes: list[int]) -> bool:
    """Whether there is u̇ or λ in some nodes."""
    kinds = {g.symbols[i].kind for i in reachable(g, nodes) if i in g.symbols}
    return not kinds.isdisjoint(("acceleration", "multiplier"))


def scalar(equations: Equations, what: Any, whose: str) -> Expr:
    """A condition, or another scalar, as an expression of the model."""
    what = look_up(equations, what) if isinstance(what, str) else what
    if not isinstance(what, Expr):
        raise EvaluationError(
            f"{whose} of '{equations.name}' is {what!r}, not a scalar. Give an expression or its text; it acts where "
            "it falls through zero."
        )
    if what.node >= 0 and what.graph.nodes[what.node][0] in COMPARISONS:
        raise EvaluationError(f"{whose} of '{equations.name}' is {what}, which is true or false. Give an expression "
                              "that falls through zero there: 1.0 - q where q > 1.0 is meant.")  # fmt: skip
    return what
