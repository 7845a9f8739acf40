"""What a rule may say in a run: its names are known, and what it changes can be changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from latchwork.constraint.forces import forces_in
from latchwork.constraint.rule import Latch, Rule
from latchwork.errors import ModelError, did_you_mean
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.stops import scalar
from latchwork.kane.equations import Equations
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.traverse import reachable


def check_rule(rule: Rule, value: Expr, driven: Driven, known: set[str], permanent: set[str]) -> None:
    """Refuse names that mean nothing, and changes that cannot be made."""
    equations, g = driven.equations, driven.equations.system.graph
    rows = forces_in(g, [value.node]).values()
    for part, names in (("release", rule.release), ("needs", rule.needs), ("without", rule.without), ("when", rows)):
        for name in names:
            if (name if part != "when" else name.split("[")[0]) not in known:
                raise ModelError(f"'{part}' of rule '{rule.name}' names '{name}', which '{equations.name}' does not "
                                 f"have.{did_you_mean(name, sorted(known))}")  # fmt: skip
    for name in (*rule.release, *(item.name for item in rule.held)):
        if name in permanent:
            raise ModelError(f"rule '{rule.name}' changes '{name}', which holds in every run of '{equations.name}'. "
                             "Leave it out of the model, and let a rule hold it.")  # fmt: skip
    places(equations.q_names + equations.u_names, rule.reset, f"rule '{rule.name}' resets", equations)
    inputs = input_names(equations)
    for place in places(inputs, rule.inputs, f"rule '{rule.name}' sets the input", equations):
        if equations.system.r[place].node in driven.laws:
            raise ModelError(f"rule '{rule.name}' sets the input '{inputs[place]}', which follows a law in this run. "
                             "Give it a number to begin with, or let the law depend on another input.")  # fmt: skip
    for key, what in (*rule.reset.items(), *rule.inputs.items(), *((h.name, h.value) for h in rule.held
                                                                    if isinstance(h, Latch))):  # fmt: skip
        node = operand(g, rule_scalar(equations, rule, what))
        if kinds_in(equations, Expr(g, node)) & {"multiplier", "acceleration"}:
            raise ModelError(f"rule '{rule.name}' makes '{key}' depend on a force or an acceleration, which jump "
                             "there. Use t, q, u, parameters and inputs.")  # fmt: skip


def places(known: Sequence[str], wanted: Iterable[str], what: str = "",
            equations: Equations | None = None) -> list[int]:  # fmt: skip
    """Where names stand; those that are not there are refused."""
    for name in wanted:
        if name not in known:
            owner = "" if equations is None else f" of '{equations.name}'"
            kinds = "inputs" if "input" in what else "coordinates and speeds"
            raise ModelError(f"{what} '{name}', which is not among the {kinds}{owner}.{did_you_mean(name, known)}")
    return [known.index(name) for name in wanted]


def rule_scalar(equations: Equations, rule: Rule, what: Any) -> Expr:
    """A number, an expression or its text, as an expression of the model."""
    if isinstance(what, (int, float)):
        return Expr(equations.system.graph, equations.system.graph.constant(float(what)))
    found = scalar(equations, what, f"rule '{rule.name}'")
    operand(equations.system.graph, found)  # refuses expressions of another model, naming both
    return found


def kinds_in(equations: Equations, value: Expr) -> set[str]:
    """The kinds of symbols in an expression."""
    g = equations.system.graph
    return {g.symbols[i].kind for i in reachable(g, [value.node]) if i in g.symbols}


def input_names(equations: Equations) -> tuple[str, ...]:
    return tuple(symbol.name for symbol in equations.r)
