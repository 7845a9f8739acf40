"""Watching: guards as programs. What watches one contact is lowered once, and linked with the rest for each mode."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from latchwork.hybrid.driven import Driven
from latchwork.hybrid.stops import Rates, guards_and_rates, rates_in_accelerations
from latchwork.hybrid.touching.standing import Guard
from latchwork.program.function import Function
from latchwork.program.ir import Program
from latchwork.program.linking import linked
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import rebuild

FEW = 16  # parts: of more, what they have in common should be computed once
Part = tuple[Sequence[Guard], int]  # guards, and how many multipliers they may name


class Watching:
    """Programs of guards and their rates, of one mechanism as it is driven."""

    def __init__(self, driven: Driven) -> None:
        self.driven = driven
        self._rates: Rates = {}  # of guards, in terms of u̇
        self._free_rates: Rates = {}  # and where nothing holds
        self._parts: dict[Any, Program] = {}
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

    def part(self, guards: Sequence[Guard], rows: int | None) -> Program:
        """The program of some guards, which name λ of so many rows at most; none: where nothing holds."""
        key = rows, tuple([guard.value.node if isinstance(guard.value, Expr) else guard.value for guard in guards])
        found = self._parts.get(key)
        if found is None:
            found = self._parts[key] = self._lowered(guards, rows)
        return found

    def _joined(self, parts: Sequence[Part], rows: int | None) -> Function | None:
        parts = [part for part in parts if part[0]]
        if not parts:
            return None
        if len(parts) > FEW:
            parts = [([guard for guards, _ in parts for guard in guards], rows or 0)]
        programs = [self.part(guards, None if rows is None else count) for guards, count in parts]
        names = self._names(rows)
        if len(programs) == 1 and len(programs[0].inputs) == len(names):
            return Function(programs[0])
        once = list({id(program): program for program in programs}.values())
        return Function(_values_first(linked(once, names), once, programs))

    def _names(self, rows: int | None) -> tuple[str, ...]:
        if rows not in self._inputs:
            self._inputs[rows] = tuple([symbol.name for symbol in self._arguments(rows)])
        return self._inputs[rows]

    def _arguments(self, rows: int | None) -> tuple[Expr, ...]:
        if rows is None:
            return self.driven.arguments
        system = self.driven.equations.system
        return (system.t, *system.q, *system.u, *self.driven.held, *system.u_rates, *self.multipliers(rows))

    def _lowered(self, guards: Sequence[Guard], rows: int | None) -> Program:
        equations, laws = self.driven.equations, self.driven.laws
        named: dict[Any, Any] = {guard.about if guard.kind == "stop" else (guard.kind, i): guard.value
                                 for i, guard in enumerate(guards)}  # fmt: skip
        if rows is None:
            values, rates = guards_and_rates(equations, named, laws, self._free_rates)
        else:
            values, rates = rates_in_accelerations(equations, named, laws, self._rates)
        g = equations.system.graph
        return lower(g, rebuild(g, [*values, *rates], laws), self._arguments(rows))


def _values_first(program: Program, once: Sequence[Program], parts: Sequence[Program]) -> Program:
    """The program with all guards, then all rates, of ``parts``, where it gives both part by part, each ``once``."""
    starts = dict(zip(map(id, once), accumulate([len(part.outputs) for part in once], initial=0), strict=False))
    values, rates = list[int](), list[int]()
    for part in parts:
        at, both = starts[id(part)], len(part.outputs)
        values += program.outputs[at : at + both // 2]
        rates += program.outputs[at + both // 2 : at + both]
    return Program(program.inputs, program.constants, program.code, (*values, *rates), program.sound)
