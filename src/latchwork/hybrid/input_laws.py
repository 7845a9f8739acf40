"""What drives a run: inputs that are held, follow laws or come from tables, and the power that changes the energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from latchwork.constraint.scales import Measure
from latchwork.errors import EvaluationError, undeclared
from latchwork.hybrid.stops import scalar
from latchwork.hybrid.table import Array, Table
from latchwork.kane import energy
from latchwork.kane.equations import Equations
from latchwork.kane.sample import vanish
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import reachable, rebuild


@dataclass(frozen=True)
class Column:
    """An input that comes from a table: its numbers, and where they stand in ``rest``."""

    table: Table
    places: tuple[int, ...]


@dataclass(frozen=True)
class Driven:
    """Equations and what drives them: laws that some inputs follow, inputs from tables, all arguments (t, x, rest).

    ``rest`` holds r, p and the numbers of linear tables; ``power``, in terms of u̇, changes the energy; ZERO for none.
    A run measures them by ``measure``, from its start on; elsewhere one of each is a unit of the model.
    """

    equations: Equations
    laws: dict[int, int]
    power: int
    work: Expr
    arguments: tuple[Expr, ...]
    columns: tuple[Column, ...]
    measure: Measure | None = None
    functions: dict[Any, Function] = field(default_factory=dict, repr=False, compare=False)  # see `lowered`

    def lowered(self, nodes: tuple[int, ...]) -> Function:
        """Nodes of the model as one function of (t, q, u, rest); made once for all runs that are driven so."""
        found = self.functions.get((self.equations, nodes))
        if found is None:
            system, replaced = self.equations.system, self.equations.derivation.kinematics.replaced
            g, arguments = system.graph, (system.t, *system.q, *system.u, *self.rest)
            found = Function(lower(g, rebuild(g, rebuild(g, list(nodes), replaced), self.laws), arguments))
            self.functions[self.equations, nodes] = found
        return found

    @cached_property
    def energy(self) -> Function:
        """K + V of (t, q, u, rest)."""
        equations, g = self.equations, self.equations.system.graph
        if not (self.laws or self.columns):
            return equations.energy_function
        nodes = equations.in_states([(equations.kinetic_energy + equations.potential_energy).node])
        system = equations.system
        return Function(lower(g, rebuild(g, nodes, self.laws), (system.t, *system.q, *system.u, *self.rest)))

    def rest_at(self, rest: Array, t: ArrayLike) -> Array:
        """What is held at some times: ``rest`` with the numbers of the tables in place."""
        if not self.columns and isinstance(t, float):
            return rest
        held = np.empty((*np.shape(t), rest.shape[-1]))
        held[...] = rest
        for column in self.columns:
            held[..., column.places] = column.table.numbers(t)
        return held

    def pieces(self, t0: float, t_end: float) -> Array:
        """The start, the rows of the tables in between, and the end."""
        if not self.columns:
            return np.array([t0, t_end])
        rows = np.concatenate([np.empty(0), *(column.table.times for column in self.columns)])
        return np.array([t0, *np.unique(rows[(rows > t0) & (rows < t_end)]), t_end])

    def next_row(self, t: float) -> float:
        """The time of the next row of a table after t."""
        rows = (column.table.times for column in self.columns)
        later = [times[i] for times in rows if (i := int(np.searchsorted(times, t, side="right"))) < len(times)]
        return float(min(later, default=np.inf))

    @property
    def rest(self) -> tuple[Expr, ...]:
        """What stands behind (t, q, u, work)."""
        system = self.equations.system
        return self.arguments[2 + len(system.q) + len(system.u) :]


def driven(equations: Equations, inputs: Mapping[str, Any] | None) -> tuple[Driven, dict[str, float]]:
    """What drives the equations, and the inputs that are plain numbers."""
    system = equations.system
    g = system.graph
    laws, held, columns, extra = _split_inputs(equations, inputs or {})
    work = Expr(g, g.symbol("work", "auxiliary"))
    arguments = (system.t, *system.q, *system.u, work, *system.r, *system.p, *extra)
    return Driven(equations, laws, power_of(equations), work, arguments, columns), held


def _split_inputs(
    equations: Equations, inputs: Mapping[Any, Any],
) -> tuple[dict[int, int], dict[str, float], tuple[Column, ...], list[Expr]]:  # fmt: skip
    """Inputs that follow a law (an expression in t, q, u), inputs that are held at a number, inputs from tables.

    A linear table is the law ``value + slope (t − since)`` in three symbols more.
    """
    system = equations.system
    by_name = {symbol.name: symbol for symbol in system.r}
    laws: dict[int, int] = {}
    held: dict[str, float] = {}
    columns: list[Column] = []
    extra: list[Expr] = []
    fixed = len(system.r) + len(system.p)
    if not isinstance(inputs, Mapping):
        raise EvaluationError(f"inputs are {inputs!r}. Give them by name: inputs={{\"F\": 2.0}}; "
                              f"'{system.name}' has {', '.join(by_name) or 'none'}.")  # fmt: skip
    for key, value in inputs.items():
        name = key.name if isinstance(key, Expr) and key.is_symbol else str(key)
        if name not in by_name:
            raise EvaluationError(f"'{name}' is not an input of '{system.name}'.{undeclared(name, by_name)}")
        if isinstance(value, str):
            value = scalar(equations, value, f"input '{name}'")
        if isinstance(value, Expr):
            laws[by_name[name].node] = rebuild(system.graph, [operand(system.graph, value)],
                                               equations.derivation.kinematics.replaced)[0]  # fmt: skip
        elif isinstance(value, Table) and value.kind == "held":
            held[name] = float(value.values[0])
            columns.append(Column(value, ([*by_name].index(name),)))
        elif isinstance(value, Table):
            held[name] = float(value.values[0])
            place, g = fixed + len(extra), system.graph
            v, since, slope = (Expr(g, g.symbol(f"{name} {part}", "auxiliary")) for part in ("value", "since", "slope"))
            laws[by_name[name].node] = (v + slope * (system.t - since)).node
            columns.append(Column(value, (place, place + 1, place + 2)))
            extra += [v, since, slope]
        elif callable(value):
            raise EvaluationError(
                f"input '{name}' of '{system.name}' is a Python function. Give a number, an expression in t, q "
                "and u (it is compiled with the equations), or lw.Table(times, values) with its values."
            )
        else:
            held[name] = value
    return _without_each_other(equations, laws), held, tuple(columns), extra


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


def power_of(equations: Equations) -> int:
    """Rate of K + V: power of the loads that have no potential, and of prescribed motion; in terms of u̇."""
    g, replaced = equations.system.graph, equations.derivation.kinematics.replaced
    parts = energy.energy_rates(equations)
    power = rebuild(g, [g.add(*parts)], replaced)[0]
    return ZERO if power == ZERO or vanish(equations.system, rebuild(g, list(parts), replaced)) else power
