"""Rules in a run: what the user says about modes, and what happens where a rule fires."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from latchwork.constraint.plastic_impact import take_up
from latchwork.constraint.rule import Rule
from latchwork.errors import LatchworkError, ModelError
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.holding import Holding
from latchwork.hybrid.mode_table import Hold
from latchwork.hybrid.rules import Effect, Watched, put_in
from latchwork.hybrid.table import Array
from latchwork.program.native import native


class Ruling(Holding):
    """The part of a simulation that follows rules."""

    def rule(self, name: str, when: Any, **changes: Any) -> Rule:
        """What the user says about modes, from now on: as ``model.rule``; the model stays as it was."""
        rule = Rule(name, when, **changes)
        self._add_rules([rule])
        return rule

    def _add_rules(self, rules: Sequence[Rule]) -> None:
        for rule in rules:
            for name in self._contact_states.contacts.intersection(rule.release):
                raise ModelError(f"rule '{rule.name}' is to release '{name}', a contact, which opens by itself where "
                                 "its force comes to zero. Only constraints are released.")  # fmt: skip
        permanent = [name for name, hold in self._holds.items() if hold.permanent]
        if any(rule.held for rule in rules):
            native(take_up)  # what holds something is met by an impact
        self._rules.add(rules, self.driven, (*self._holds, *self._contact_states.names), permanent)

    def _fire(self, due: Watched) -> bool:
        """A rule fires. What energy that takes is booked as work; the run stops there where the rule says so."""
        began, before, energy = time.perf_counter(), self.active, float(self._mode_table.energy(self._state())[0])
        self._rules.count(due, self.t, self.equations.name)
        kept = self._holds, self._x, self.driven
        try:
            impulses = self._take(due.rule, due.effect(self._mode_table.base, self._state()))
        except LatchworkError:
            self._holds, self._x, self.driven = kept
            raise
        gained = float(self._mode_table.energy(self._state())[0]) - energy
        self._x[-1] = kept[1][-1] + gained
        self._settled = not self._contact_states.members
        self._events.append(RunEvent(self.t, due.rule.name, before, self.active, impulses, "rule", 0.0 - gained))
        if self._pending is None:
            self._pending = self.t, before, self.active, began
        return due.rule.stop

    def _take(self, rule: Rule, effect: Effect) -> dict[str, Array]:
        """Let go, set speeds and inputs, hold; the impulses that make speeds consistent, by name."""
        held = {name: hold for name, hold in self._holds.items() if name not in rule.release}
        self._holds = held | {constraint.name: Hold(constraint, False, None) for constraint in effect.hold}
        self._x = self._x.copy()
        self._x[list(effect.states)] = list(effect.states.values())
        self.driven = put_in(self.driven, self._rest, self._began, self.t, effect.inputs)
        return self._impact(rule.name) if self._holds and (effect.states or effect.hold) else {}
