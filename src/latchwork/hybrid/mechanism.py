"""Mechanism: what is derived from a model once, and serves all its runs.

Equations, permanent constraints, what drives them, their programs, and mode tables by scales of the start. Runs that
share a mechanism have the bits that they have alone: a mode table is a cache, and decides nothing. One run at a time
uses its memory; `beside` is the same mechanism with memory of its own, for another thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from latchwork.constraint.constrained import Constrained
from latchwork.constraint.constraint import Constraint
from latchwork.constraint.terms import Base
from latchwork.hybrid.contacts.initial_contacts import contacts_of, must_run_contacts
from latchwork.hybrid.controllers import Plan, plan_of
from latchwork.hybrid.input_laws import Driven, driven
from latchwork.hybrid.interference.watch import Scenes
from latchwork.hybrid.mode_table import ModeTable, programs_of
from latchwork.hybrid.start import given_constraints, mechanism
from latchwork.kane.equations import Equations
from latchwork.model import Model

if TYPE_CHECKING:
    from latchwork.constraint.scales import Measure

Tables = dict[tuple[Equations, "Measure | None"], ModeTable]


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A model as its runs share it. ``held`` are inputs that are plain numbers; others follow laws or tables."""

    model: Model | Equations | Constrained
    permanent: tuple[Constraint, ...]
    plan: Plan  # what controllers ask for
    driven: Driven
    held: Mapping[str, float]
    base: Base
    tables: Tables = field(default_factory=dict, repr=False)
    scenes: Scenes = field(default_factory=Scenes, repr=False)

    @property
    def equations(self) -> Equations:
        return self.driven.equations

    def with_inputs(self, inputs: Mapping[str, float]) -> Mechanism:
        """The same with other numbers for some inputs."""
        return replace(self, held={**self.held, **inputs})

    def beside(self) -> Mechanism:
        """The same with memory of its own."""
        return replace(self, base=replace(self.base), tables={}, scenes=Scenes())


def mechanism_of(model: Any, constraints: Sequence[Constraint] = (),
                 inputs: Mapping[str, Any] | None = None, controllers: Sequence[Any] = ()) -> Mechanism:  # fmt: skip
    """What runs of a model share, with constraints that hold besides its own, what drives its inputs, and its
    controllers."""
    equations, own = mechanism(model)
    must_run_contacts(model, equations)
    permanent = (*own, *given_constraints(equations.name, constraints))
    plan = plan_of(controllers, equations, [each.name for each in permanent],
                   [each.name for each in contacts_of(model)])  # fmt: skip
    drives, held = driven(plan.equations, plan.all_inputs(inputs))
    return Mechanism(model, permanent, plan, drives, held, programs_of(drives))
