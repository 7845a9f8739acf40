"""Guards that a user gave (stops, limits of forces, rules) as programs; those of contacts are in `contacts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latchwork.constraint.rows import Rows
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.rules import Watched, rule_guards
from latchwork.hybrid.stops import Rates, guards_and_rates, rates_in_accelerations
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import rebuild

if TYPE_CHECKING:
    from latchwork.hybrid.mode_table import Holds

REMEMBERED = 4000  # programs


class UserGuards:
    """Programs of guards and their rates, of one mechanism as it is driven."""

    def __init__(self, driven: Driven) -> None:
        self.driven = driven
        self._rates: Rates = {}  # of guards, in terms of u̇
        self._free_rates: Rates = {}  # and where nothing holds
        self._known: dict[Any, Function] = {}  # by what they compute
        self._lam: list[Expr] = []

    def multipliers(self, count: int) -> list[Expr]:
        """Symbols of λ, one for each row, the same in every mode."""
        g = self.driven.equations.system.graph
        while len(self._lam) < count:
            self._lam.append(Expr(g, g.symbol(f"multiplier {len(self._lam)}", "multiplier")))
        return self._lam[:count]

    def guards(self, rows: Rows | None, holds: Holds, contact_states: ContactStates, armed: tuple[Watched, ...],
               stops: Mapping[str, Any]) -> list[Guard]:  # fmt: skip
        """Guards that a user gave, in a mode of some rows, none where nothing holds: conditions that end the run,
        limits of forces, rules that are armed."""
        found = [Guard("stop", name, value) for name, value in stops.items()]
        if rows is None:
            return [*found, *(rule_guards(armed, contact_states.forces({})) if armed else [])]
        slices, lam = rows.slices, self.multipliers(len(rows))
        for name, hold in holds.items():
            if hold.limit is not None:
                squares = sum((force**2 for force in lam[slices[name]]), start=lam[0] * 0.0)
                found.append(Guard("limit", name, 1.0 - squares / (hold.limit * hold.limit), True))
        if armed:
            forces = contact_states.forces({name: lam[part] for name, part in slices.items()})
            found += rule_guards(armed, dict(zip(rows.names, lam, strict=True)) | forces)
        return found

    def program(self, guards: Sequence[Guard], rows: int | None) -> Function | None:
        """(g, ġ) in a mode of so many rows, of (t, q, u, rest, u̇, λ); ġ = 0 where a guard is on u̇ or λ itself. Where
        nothing holds, and there are no rows at all, of (t, q, u, work, rest). None where there are no guards."""
        if not guards:
            return None
        key = rows, tuple([guard.value.node if isinstance(guard.value, Expr) else guard.value for guard in guards])
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= REMEMBERED:
                self._known.pop(next(iter(self._known)))
            found = self._known[key] = self._lowered(guards, rows)
        return found

    def _lowered(self, guards: Sequence[Guard], rows: int | None) -> Function:
        equations, laws = self.driven.equations, self.driven.laws
        named: dict[Any, Any] = {guard.about if guard.kind == "stop" else (guard.kind, i): guard.value
                                 for i, guard in enumerate(guards)}  # fmt: skip
        if rows is None:
            values, rates = guards_and_rates(equations, named, laws, self._free_rates)
        else:
            values, rates = rates_in_accelerations(equations, named, laws, self._rates)
        g = equations.system.graph
        return Function(lower(g, rebuild(g, [*values, *rates], laws), self._arguments(rows)))

    def _arguments(self, rows: int | None) -> tuple[Expr, ...]:
        if rows is None:
            return self.driven.arguments
        system = self.driven.equations.system
        return (system.t, *system.q, *system.u, *self.driven.rest, *system.u_rates, *self.multipliers(rows))
