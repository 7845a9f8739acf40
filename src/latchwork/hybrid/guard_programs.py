"""Watching: guards as programs. What watches one contact is lowered once, and linked with the rest for each mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latchwork.hybrid.contacts.contact_point import Fixed
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.stops import Rates, guards_and_rates, rates_in_accelerations
from latchwork.program.function import Function
from latchwork.program.linking import Linked
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import rebuild

FEW = 16  # parts: of more, what they have in common should be computed once
REMEMBERED = 4000  # programs of what watches one contact, or many
Part = tuple[Sequence[Guard], int]  # guards, and how many multipliers they may name


class Watching:
    """Programs of guards and their rates, of one mechanism as it is driven."""

    def __init__(self, driven: Driven) -> None:
        self.driven = driven
        self._rates: Rates = {}  # of guards, in terms of u̇
        self._free_rates: Rates = {}  # and where nothing holds
        self._parts: dict[Any, Function] = {}  # by what they compute
        self._known: dict[tuple[int, int | None], tuple[Guards, Function]] = {}  # by the guards themselves
        self._inputs: dict[int | None, tuple[str, ...]] = {}
        self._lam: list[Expr] = []

    def multipliers(self, count: int) -> list[Expr]:
        """Symbols of λ, one for each row, the same in every mode."""
        g = self.driven.equations.system.graph
        while len(self._lam) < count:
            self._lam.append(Expr(g, g.symbol(f"multiplier {len(self._lam)}", "multiplier")))
        return self._lam[:count]

    def free(self, parts: Sequence[Part]) -> Function | None:
        """(g, ġ) where nothing holds, of (t, q, u, work, rest); none where there are no guards."""
        return self._joined(parts, None)

    def held(self, parts: Sequence[Part], rows: int) -> Function | None:
        """(g, ġ) in a mode of so many rows, of (t, q, u, rest, u̇, λ); ġ = 0 where a guard is on u̇ or λ itself."""
        return self._joined(parts, rows)

    def part(self, guards: Sequence[Guard], rows: int | None) -> Function:
        """The function of some guards, which name λ of so many rows at most; none: where nothing holds."""
        known = self._known.get((id(guards), rows))
        return self._part(guards, rows, fixed_in([guards])) if known is None else known[1]

    def _part(self, guards: Sequence[Guard], rows: int | None, fixed: Fixed) -> Function:
        key = rows, tuple([guard.value.node if isinstance(guard.value, Expr) else guard.value for guard in guards])
        found = self._parts.get(key)
        if found is None:
            if len(self._parts) >= REMEMBERED:
                self._parts.pop(next(iter(self._parts)))
            found = self._parts[key] = self._lowered(guards, rows, fixed[0])
        if fixed[1]:
            found = found.bound(fixed[1])
        if isinstance(guards, Guards):  # those of a contact, which keeps them
            self._known[id(guards), rows] = guards, found
        return found

    def _joined(self, parts: Sequence[Part], rows: int | None) -> Function | None:
        parts = [part for part in parts if part[0]]
        if not parts:
            return None
        if len(parts) > FEW:
            every, fixed = [guard for guards, _ in parts for guard in guards], fixed_in([guards for guards, _ in parts])
            functions = [self._part(every, rows, fixed)]
        else:
            functions = [self.part(guards, None if rows is None else count) for guards, count in parts]
        names = self._names(rows)
        if len(functions) == 1 and len(functions[0].inputs) == len(names):
            return functions[0]
        return Linked(functions, names, fit=True)

    def _names(self, rows: int | None) -> tuple[str, ...]:
        if rows not in self._inputs:
            self._inputs[rows] = tuple([symbol.name for symbol in self._arguments(rows)])
        return self._inputs[rows]

    def _arguments(self, rows: int | None) -> tuple[Expr, ...]:
        if rows is None:
            return self.driven.arguments
        system = self.driven.equations.system
        return (system.t, *system.q, *system.u, *self.driven.held, *system.u_rates, *self.multipliers(rows))

    def _lowered(self, guards: Sequence[Guard], rows: int | None, symbols: tuple[Expr, ...]) -> Function:
        equations, laws = self.driven.equations, self.driven.laws
        named: dict[Any, Any] = {guard.about if guard.kind == "stop" else (guard.kind, i): guard.value
                                 for i, guard in enumerate(guards)}  # fmt: skip
        if rows is None:
            values, rates = guards_and_rates(equations, named, laws, self._free_rates)
        else:
            values, rates = rates_in_accelerations(equations, named, laws, self._rates)
        self._names(rows)
        g = equations.system.graph
        return Function(lower(g, rebuild(g, [*values, *rates], laws), (*self._arguments(rows), *symbols)))


def fixed_in(parts: Sequence[Sequence[Guard]]) -> Fixed:
    """All symbols in some guards that stand for numbers, and these."""
    every = [guards.fixed for guards in parts if isinstance(guards, Guards)]
    return (tuple([symbol for symbols, _ in every for symbol in symbols]),
            tuple([value for _, values in every for value in values]))  # fmt: skip

