"""The rules of a run: which are armed, which are due, and what happens when one fires. See `constraint.rule`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.forces import forces_in
from latchwork.constraint.rule import Latch, Rule
from latchwork.constraint.terms import Base
from latchwork.errors import EvaluationError, IntegrationError, ModelError
from latchwork.hybrid.condition_unit import unit_of_condition
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.input_laws import Column, Driven
from latchwork.hybrid.mode_integration import usual_kind
from latchwork.hybrid.rule_checks import check_rule, input_names, kinds_in, places, rule_scalar
from latchwork.hybrid.rule_state import AT_ZERO, RuleState, same_instant
from latchwork.hybrid.table import Array, Table
from latchwork.integrate.integration import SPENT, STRICT
from latchwork.model import Model
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import rebuild

MAX_FIRED, SOON = 100, 1e-9  # so many firings within this part of the time, or of that of the model, are chattering


def rules_of(model: Any) -> tuple[Rule, ...]:
    """The rules of a model; equations have none."""
    return model.rules if isinstance(model, Model) else ()


@dataclass(frozen=True, eq=False)
class Effect:
    """What a rule changes, as numbers at one state: coordinates and speeds by place, inputs by place, constraints."""

    states: Mapping[int, float]
    inputs: Mapping[int, float]
    hold: tuple[tuple[Constraint, float | None], ...]  # with the values that are latched


@dataclass(eq=False)
class Watched:
    """A rule in a run: its number, and its condition.

    ``jumps``: the condition is on forces or accelerations, which jump where modes change, or on nothing that moves.
    """

    rule: Rule
    number: int
    value: Expr
    jumps: bool
    _made: tuple[Base, Function] | None = field(default=None, repr=False)
    _unit: tuple[Base, float] | None = field(default=None, repr=False)

    def small(self, base: Base, x: Array) -> float:
        """What is zero of its condition."""
        return AT_ZERO * self.unit(base, x)

    @property
    def forces(self) -> set[str]:
        """Rows and contacts whose forces stand in its condition."""
        return set(forces_in(self.value.graph, [self.value.node]).values())

    def unit(self, base: Base, x: Array) -> float:
        """One of its condition, in a run that is at x = (t, q, u, rest)."""
        if self._unit is None or self._unit[0] is not base:
            rest = x[1 + len(base.equations.q) + len(base.equations.u) :]
            self._unit = base, unit_of_condition(self.value, base, rest)
        return self._unit[1]

    def effect(self, base: Base, x: Array) -> Effect:
        """What it changes at a state (t, q, u, rest): all of it from the state before."""
        equations, rule = base.equations, self.rule
        latches = [item for item in rule.held if isinstance(item, Latch)]
        if self._made is None or self._made[0] is not base:
            wanted = [*rule.reset.values(), *rule.inputs.values(), *(latch.value for latch in latches)]
            self._made = base, scalars(base, [rule_scalar(equations, rule, e) for e in wanted])
        values = self._made[1](x)
        if not np.isfinite(values).all():
            names = [*rule.reset, *rule.inputs, *(latch.name for latch in latches)]
            bad = names[int(np.flatnonzero(~np.isfinite(values))[0])]
            raise EvaluationError(
                f"rule '{rule.name}' of '{equations.name}' gives '{bad}' no finite value at t = {x[0]:.9g}. Look at "
                "its expression: some root, logarithm or division has no value there."
            )
        n, k = len(rule.reset), len(rule.inputs)
        kept = iter(values[n + k :].tolist())
        hold = tuple((item.at(value := next(kept)), value) if isinstance(item, Latch) else (item, None)
                     for item in rule.held)  # fmt: skip
        return Effect(dict(zip(places(equations.q_names + equations.u_names, rule.reset), values[:n], strict=True)),
                      dict(zip(places(input_names(equations), rule.inputs), values[n : n + k], strict=True)),
                      hold)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Rules:
    """All rules of a run, in the order in which they were given, how each stands, and those that fired last."""

    watched: tuple[Watched, ...] = ()
    states: tuple[RuleState, ...] = ()
    fired: tuple[tuple[float, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.watched)

    def __getitem__(self, each: Watched) -> RuleState:
        """How a rule stands."""
        return self.states[each.number]

    @property
    def pending(self) -> bool:
        """Whether some rule is due."""
        return any(state.due for state in self.states)

    @property
    def held(self) -> set[str]:
        """All that some rule may hold."""
        return {item.name for each in self.watched for item in each.rule.held}

    def add(self, rules: Sequence[Rule], driven: Driven, known: Iterable[str], permanent: Iterable[str]) -> Rules:
        """With more rules; what they name must be known, or held by one of them."""
        names = {*known, *self.held, *(item.name for rule in rules for item in rule.held)}
        more, taken = list[Watched](), {each.rule.name for each in self.watched}
        for rule in rules:
            if rule.name in taken:
                raise ModelError(f"'{driven.equations.name}' has a rule named '{rule.name}' already. Choose another "
                                 "name.")  # fmt: skip
            taken.add(rule.name)
            more.append(_watched(rule, len(self.watched) + len(more), driven, names, set(permanent)))
        return Rules((*self.watched, *more), (*self.states, *[RuleState()] * len(more)), self.fired)

    def is_armed(self, each: Watched, active: Sequence[str]) -> bool:
        """Whether a rule is armed while these hold."""
        return each.rule.is_armed(active) and not (each.rule.once and self[each].last > -np.inf)

    def armed(self, active: Sequence[str]) -> tuple[Watched, ...]:
        """The rules that are armed while these hold."""
        return tuple(each for each in self.watched if self.is_armed(each, active))

    def look(self, x: Array, base: Base, active: Sequence[str], guards: Sequence[Guard], values: Array,
             begins: bool) -> Rules:  # fmt: skip
        """How the rules stand at x = (t, q, u, rest), where the guards and their rates have these values."""
        m, t, scale = len(values) // 2, float(x[0]), base.scales.time
        states = [state.arm(self.is_armed(each, active)) for each, state in zip(self.watched, self.states, strict=True)]
        for i, guard in enumerate(guards):
            if guard.kind == "rule":
                k = guard.about.number
                unit, jumps = guard.about.unit(base, x), guard.about.jumps
                states[k] = states[k].look(t, scale, float(values[i]), float(values[m + i]), unit, begins, jumps)
        return replace(self, states=tuple(states))

    def follows(self, contacts: Iterable[str]) -> bool:
        """Whether what some contacts do decides which rules are armed."""
        names = {name for each in self.watched for name in (*each.rule.needed, *each.rule.excluded)}
        return any([name.startswith(tuple(contacts)) for name in names])

    def hit(self, guards: Sequence[Guard]) -> Rules:
        """These fell through zero: their rules are due."""
        states = list(self.states)
        for guard in guards:
            if guard.kind == "rule":
                k = guard.about.number
                states[k] = states[k]._replace(due=True, sure=True, spent=False)
        return replace(self, states=tuple(states))

    @property
    def first(self) -> Watched | None:
        """The first rule that is due."""
        return next((each for each in self.watched if self[each].due), None)

    def count(self, each: Watched, t: float, scale: float, model: str) -> Rules:
        """After a rule has fired; what would go on for ever is refused."""
        if same_instant(t, self[each].last, scale):
            names = dict.fromkeys(name for when, name in self.fired if same_instant(t, when, scale))
            raise IntegrationError(_circle(names, each.rule.name, model, t))
        states = [state._replace(sure=False) for state in self.states]
        states[each.number] = states[each.number]._replace(due=False, spent=True, last=t, since=t)
        fired = (*self.fired[-MAX_FIRED:], (t, each.rule.name))
        if len(fired) > MAX_FIRED and t - fired[0][0] < SOON * max(scale, abs(t)):
            names = dict.fromkeys(name for _, name in fired)
            raise IntegrationError(
                f"the rules {_quoted(names)} of '{model}' fire {MAX_FIRED} times within {t - fired[0][0]:.3g} s at t = "
                f"{t:.9g}: they chatter. Leave a gap between their conditions, or hold a constraint there instead."
            )
        return Rules(self.watched, tuple(states), fired)


def _watched(rule: Rule, number: int, driven: Driven, known: set[str], permanent: set[str]) -> Watched:
    equations = driven.equations
    value = rule_scalar(equations, rule, rule.when)
    check_rule(rule, value, driven, known, permanent)
    kinds = kinds_in(equations, value)
    return Watched(rule, number, value, not kinds or bool(kinds & {"multiplier", "acceleration"}))


def _circle(names: Iterable[str], again: str, model: str, t: float) -> str:
    """What is wrong where a rule would fire twice at one instant."""
    others = [name for name in names if name != again]
    if not others:
        return (f"rule '{again}' of '{model}' fires again and again at t = {t:.9g}, ever faster. Let another rule end "
                "that, such as one that holds a constraint where the speed is small.")  # fmt: skip
    return (f"the rules {_quoted([*others, again])} of '{model}' fire in a circle at t = {t:.9g}: '{again}' would fire "
            "again at the same instant. Leave a gap between their conditions, or say with needs and without when each "
            "is meant.")  # fmt: skip


def rule_guards(armed: Iterable[Watched], forces: Mapping[str, Expr]) -> list[Guard]:
    """The conditions of rules, with the forces that act put in, and 0 for all others."""
    return [Guard("rule", each, _with_forces(each.value, forces)) for each in armed]


def guard_kind(guard: Guard, rules: Rules, ended: Iterable[str]) -> int:
    """Where a guard is armed: rules and stops that have fallen must have been above zero first, as those ``ended``."""
    if guard.kind == "stop":
        return SPENT if guard.about in ended else STRICT
    if guard.kind == "rule":
        return rules[guard.about].kind
    return usual_kind(guard)


def put_in(driven: Driven, rest: Array, began: float, t: float, values: Mapping[int, float]) -> Driven:
    """Inputs that keep new values from t on; what they were before is kept, as a table."""
    for place, value in values.items():
        old = next((column for column in driven.columns if column.places == (place,)), None)
        times, numbers = ([began], [rest[place]]) if old is None else (old.table.times, old.table.values)
        before = int(np.searchsorted(times, t, side="left"))
        table = Table(np.append(times[:before], t), np.append(numbers[:before], value))
        others = tuple(column for column in driven.columns if column is not old)
        driven = replace(driven, columns=(*others, Column(table, (place,))))
    return driven


def scalars(base: Base, expressions: Sequence[Expr]) -> Function:
    """Expressions of the model as one function of (t, q, u, rest)."""
    g, replaced = base.equations.system.graph, base.equations.derivation.kinematics.replaced
    nodes = rebuild(g, rebuild(g, [operand(g, e) for e in expressions], replaced), base.laws)
    return Function(lower(g, nodes, base.arguments))


def _with_forces(value: Expr, forces: Mapping[str, Expr]) -> Expr:
    g = value.graph
    put = {node: forces[row].node if row in forces else ZERO for node, row in forces_in(g, [value.node]).items()}
    return Expr(g, rebuild(g, [value.node], put)[0]) if put else value


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)
