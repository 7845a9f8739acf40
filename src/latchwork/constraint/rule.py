"""Rule: what a user says about modes. Where a condition falls through zero, constraints begin or end, values jump.

    x⁺ = R(x⁻)    where g(x, λ) falls through zero while the rule is armed

A rule is armed while all that it needs holds, and nothing that it must be without. What it releases it needs; what it
holds must not hold yet. Armed, it fires where its condition falls through zero, be it by a jump. A condition that is
not above zero when the rule becomes armed, or when it has fired, must come above zero first. (Where a run begins, zero
will do.) Forces and accelerations jump where modes change: a condition on them fires at once where it is below zero
when the rule becomes armed, and so does a negative number. No rule fires twice at one instant; those that are due
together fire in the order in which they were given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.forces import force_of
from latchwork.errors import ConstraintError, ModelError, listed, must_be_name
from latchwork.symbolic.expr import Expr


@dataclass(frozen=True, eq=False)
class Latch:
    """A constraint that a rule engages: from that instant on the expression ``value`` keeps the value that it has then,
    as the pose of two bodies where a latch falls in.
    """

    name: str
    value: Expr

    def __post_init__(self) -> None:
        must_be_name(self.name, "a latch", ConstraintError)
        if not isinstance(self.value, Expr):
            raise ConstraintError(f"the latch '{self.name}' keeps {self.value!r}, which is no expression. Give one in "
                                  "q, t and u, such as lw.Latch(\"caster\", q4).")  # fmt: skip

    @property
    def force(self) -> Expr:
        """Its multiplier while it holds, else 0: for conditions of rules."""
        return force_of(self.value.graph, self.name)

    def at(self, value: float) -> Constraint:
        """The constraint, made where the expression has this value."""
        return Constraint(self.name, self.value - value)


@dataclass(frozen=True, eq=False)
class Rule:
    """A transition between modes that the user writes: it fires where ``when`` falls through zero.

    ``lw.Rule("let go", when=hook.force - 40.0, release=hook)`` lets a hook go where its force falls below 40.

    ``when`` is an expression (or its text) in t, q, u, parameters, inputs, and forces (``constraint.force``). Where it
    fires,

    - ``release``: these constraints are let go;
    - ``reset``: speeds, and coordinates that may jump, become expressions of the state before, ``{"u1": -0.5 * u1}``;
    - ``inputs``: inputs keep these values from then on; also expressions of the state before: ``{"n": n + 1}`` counts;
    - ``hold``: these constraints begin to hold, with the plastic impact that makes speeds consistent.

    A rule is armed, and ``when`` watched, while all of ``needs`` hold and none of ``without`` does: constraints,
    contacts that are closed ("disk on ramp"), or contacts in a state ("disk on ramp: stick"). ``once``: it fires a
    single time. ``stop``: the run ends there.
    """

    name: str
    when: Expr | str | float
    hold: Sequence[Constraint | Latch] | Constraint | Latch = ()
    release: Any = ()
    reset: Mapping[Any, Any] = field(default_factory=dict)
    inputs: Mapping[Any, Any] = field(default_factory=dict)
    needs: Any = ()
    without: Any = ()
    once: bool = False
    stop: bool = False

    def __post_init__(self) -> None:
        must_be_name(self.name, "a rule")
        if not isinstance(self.when, (Expr, str, int, float)) or isinstance(self.when, bool):
            raise ModelError(f"rule '{self.name}' watches {self.when!r}, not a scalar. Give an expression or its text; "
                             "the rule fires where it falls through zero.")  # fmt: skip
        for part in ("release", "needs", "without"):
            object.__setattr__(self, part, _names(self.name, part, getattr(self, part)))
        for part in ("reset", "inputs"):
            object.__setattr__(self, part, _by_name(self.name, part, getattr(self, part)))
        object.__setattr__(self, "hold", _held(self.name, self.hold))

    @property
    def held(self) -> tuple[Constraint | Latch, ...]:
        """What begins to hold."""
        assert isinstance(self.hold, tuple), "made so when it was checked"
        return self.hold

    @property
    def needed(self) -> frozenset[str]:
        """All that must hold for it to be armed: what it needs, and what it lets go."""
        return frozenset((*self.needs, *self.release))

    @property
    def excluded(self) -> frozenset[str]:
        """All that must not hold for it to be armed: what it is to be without, and what it will hold."""
        return frozenset((*self.without, *(item.name for item in self.held))) - frozenset(self.release)

    def is_armed(self, active: Sequence[str]) -> bool:
        """Whether it is armed while these hold."""
        return self.needed.issubset(active) and self.excluded.isdisjoint(active)


def _names(rule: str, part: str, given: Any) -> tuple[str, ...]:
    """Names of what holds: one or several, as texts or as the constraints themselves."""
    advice = "Give a name, or a list of names."
    items = [given] if isinstance(given, (str, Constraint, Latch)) else listed(given, f"'{part}' of '{rule}'", advice)
    for item in items:
        if not isinstance(item, (str, Constraint, Latch)):
            raise ModelError(f"'{part}' of rule '{rule}' has {item!r}, which is no name. Give names of constraints, or "
                             "of contacts with how they stand, such as 'ball on floor: stick'.")  # fmt: skip
    return tuple(item if isinstance(item, str) else item.name for item in items)


def _by_name(rule: str, part: str, given: Any) -> dict[str, Any]:
    """Values by the names of what they are for."""
    if not isinstance(given, Mapping):
        raise ModelError(f"'{part}' of rule '{rule}' is {given!r}. Give values by name, such as {{\"u1\": -0.5 * u1}}.")
    named = {key.name if isinstance(key, Expr) and key.is_symbol else key: value for key, value in given.items()}
    for key, value in named.items():
        if not isinstance(key, str) or not isinstance(value, (Expr, str, int, float)):
            raise ModelError(f"'{part}' of rule '{rule}' has {key!r}: {value!r}. Give a number or an expression for "
                             "the name of a single quantity.")  # fmt: skip
    return named


def _held(rule: str, given: Any) -> tuple[Constraint | Latch, ...]:
    """What begins to hold, as constraints or latches."""
    single = isinstance(given, (str, Constraint, Latch))
    items = (given,) if single else tuple(listed(given, f"what '{rule}' holds", "Give a constraint, or a list."))
    for item in items:
        if not isinstance(item, (Constraint, Latch)):
            raise ModelError(f"rule '{rule}' is to hold {item!r}. Give lw.Constraint(name, zero), or lw.Latch(name, "
                             "value) for what keeps the value it has then.")  # fmt: skip
    twice = {item.name for item in items if [other.name for other in items].count(item.name) > 1}
    if twice:
        raise ModelError(f"rule '{rule}' is to hold {', '.join(map(repr, sorted(twice)))} twice. Name each otherwise.")
    return items
