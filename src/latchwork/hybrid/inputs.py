"""The inputs of a simulation, by name: what they are now, and numbers that they are held at from now on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.errors import EvaluationError, undeclared
from latchwork.hybrid.rules import put_in
from latchwork.program.function import Function
from latchwork.program.lower import lower

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation


class Inputs(Mapping[str, float]):
    """``sim.inputs["F"]`` is what an input is now; ``sim.inputs["F"] = 2.0`` holds it at a number from now on.

    What it was before stays part of the run. An input that was given as an expression or as a linear table follows it,
    one that a controller commands follows that, and is not set.
    """

    def __init__(self, sim: Simulation) -> None:
        self._sim = sim

    def __iter__(self) -> Iterator[str]:
        return iter(symbol.name for symbol in self._sim.equations.r)

    def __len__(self) -> int:
        return len(self._sim.equations.r)

    def __repr__(self) -> str:
        return repr(dict(self))

    def __getitem__(self, name: str) -> float:
        sim, place = self._sim, self._place(name)
        law, row = self._law(place), sim.state.row
        if law is None:
            return float(row[len(sim.state.x) + place])
        system = sim.equations.system
        arguments = (system.t, *system.q, *system.u, *sim.driven.rest)
        return float(Function(lower(system.graph, [law], arguments))(row)[0])

    def __setitem__(self, name: str, value: float) -> None:
        sim, place, number = self._sim, self._place(name), _number(name, value)
        if self._law(place) is not None:
            raise EvaluationError(f"input '{name}' of '{sim.equations.name}' follows an expression or a linear table, "
                                  "and cannot be set. Give it a number where the simulation is made.")  # fmt: skip
        if (owner := self._commanded_by(name)) is not None:
            raise EvaluationError(f"input '{name}' of '{sim.equations.name}' is commanded by '{owner}', which would "
                                  "take back what is set. Give the law a parameter to set, or another input beside "
                                  "it.")  # fmt: skip
        state, remembered = sim.state, bool(sim.record.segments) and sim.stepper is None
        if remembered or any(place in column.places for column in sim.driven.columns):
            state = state.but(driven=put_in(state.driven, state.rest, state.began, state.t, {place: number}))
        else:  # nothing of the past is kept
            rest = state.rest.copy()
            rest[place] = number
            state = state.but(rest=rest)
        sim.state = state.but(settled=state.settled and not state.contacts.members)

    def _place(self, name: str) -> int:
        names = list(self)
        if name not in names:
            raise EvaluationError(f"'{name}' is not an input of '{self._sim.equations.name}'."
                                  f"{undeclared(str(name), names)}")  # fmt: skip
        return names.index(name)

    def _commanded_by(self, name: str) -> str | None:
        """The controller that commands an input, if any."""
        plan = self._sim.world.shared.plan
        sampled = [law.name for law in self._sim.state.controllers.laws if name in law.inputs]
        continuous = [plan.law_name] if plan.law is not None and plan.owners.get(name) == plan.law_name else []
        return next(iter([*sampled, *continuous]), None)

    def _law(self, place: int) -> int | None:
        """The expression that an input follows, if any."""
        return self._sim.driven.laws.get(self._sim.equations.r[place].node)


def _number(name: str, value: Any) -> float:
    """A finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number) or isinstance(value, str):
        raise EvaluationError(f"input '{name}' cannot be held at {value!r}. Give a finite number.")
    return number
