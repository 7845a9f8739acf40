"""Projected: a law that moves outputs along references, and presses, in whatever mode holds just now.

    Projected     θ̈ = θ̈_d + G_D ė + G_P e        projected inverse dynamics; computed torque where nothing holds
    Impedance     forces Jᵀ (K e + D ė), static loads taken up: a spring and damper to the reference, inertia as it is

Both command the least inputs that do it (`inverse_dynamics`), and need no word about what holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from latchwork.control.command import Command, command_at
from latchwork.control.cone import Cone
from latchwork.control.law_nodes import law_program
from latchwork.control.law_program import LawProgram
from latchwork.control.press import Press
from latchwork.control.tracks import name_of
from latchwork.errors import ModelError, spelled
from latchwork.hybrid.controllers import Extended, Plan
from latchwork.kane.equations import Equations
from latchwork.symbolic.expr import Expr


@dataclass(frozen=True, eq=False)
class _Law:
    """What the two laws have in common."""

    tracks: Mapping[Any, Any] = field(default_factory=dict)
    gains: Any = None
    inputs: Sequence[Any] | None = None
    forces: Sequence[Press] = ()
    bounds: Mapping[Any, tuple[Any, Any]] | None = None
    cones: Sequence[Cone] = ()
    metric: Mapping[Any, float] | None = None
    unknown: Sequence[Any] = ()
    blind: bool = False
    name: str = "control"

    by_force = False

    def __post_init__(self) -> None:
        forces = [self.forces] if isinstance(self.forces, Press) else self.forces
        if not isinstance(forces, (list, tuple)) or not all(isinstance(each, Press) for each in forces):
            raise ModelError(f"the forces of law '{self.name}' are {self.forces!r}. Give a list of "
                             "lw.control.Press(name, force).")  # fmt: skip
        object.__setattr__(self, "forces", tuple(forces))
        kept = [(frozenset(each.factors.items()), name_of(each.speed)) for each in forces]
        if twice := [each.name for i, each in enumerate(forces) if kept[i] in kept[:i]]:
            raise ModelError(f"law '{self.name}' is to keep the force in '{twice[0]}' twice. Give one lw.control.Press "
                             "for it.")  # fmt: skip
        cones = [self.cones] if isinstance(self.cones, Cone) else self.cones
        if not isinstance(cones, (list, tuple)) or not all(isinstance(each, Cone) for each in cones):
            raise ModelError(f"the cones of law '{self.name}' are {self.cones!r}. Give a list of "
                             "lw.control.Cone(contact, friction).")  # fmt: skip
        object.__setattr__(self, "cones", tuple(cones))
        if not self.tracks and not forces:
            raise ModelError(f"law '{self.name}' is to do nothing. Give tracks={{what: reference}}, or forces.")

    def prepared(self, plan: Plan) -> Plan:
        """The plan of a run in which this law acts continuously."""
        if self.blind:
            raise ModelError(f"law '{self.name}' is blind to what holds, and is sampled: "
                             f"lw.control.Sampled(law, period).")  # fmt: skip
        plan, program = self.bound(plan)
        return plan.closed_by(self.name, program)

    def at(self, model: Any, q: Any = None, u: Any = None, *, t: float = 0.0,
           parameters: Mapping[str, float] | None = None,
           inputs: Mapping[str, Any] | None = None) -> Command:  # fmt: skip
        """What the law commands at a state of a model, or where a simulation stands."""
        return command_at(self, model, q, u, t, parameters, inputs)

    def bound(self, plan: Plan) -> tuple[Plan, LawProgram]:
        """The law for the equations of a plan, which get its memory, and the plan with its inputs taken."""
        extended = self.extended(plan.equations)
        program = self.program(extended, plan.constraints, plan.contacts)
        remembered = (*plan.memory_inputs, *program.memory_inputs)
        plan = replace(plan, equations=extended.equations, memory_inputs=remembered)
        return plan.owning(self.name, (*program.inputs, *program.memory_inputs)), program

    def extended(self, equations: Equations) -> Extended:
        """The equations with the memory of the law as further coordinates, whose rates it commands."""
        names = []
        for press in self.forces:
            names += [f"{self.name}_integral_{press.name}"] if press.integrates else []
            names += [f"{self.name}_filtered_{press.name}"] if press.lags else []
        return Extended.of(equations, names)

    def program(self, extended: Extended, constraints: Sequence[str], contacts: Sequence[str]) -> LawProgram:
        """The law for some equations, in which these hold and may touch."""
        return law_program(self, extended, constraints, contacts)


@spelled
@dataclass(frozen=True, eq=False)
class Projected(_Law):
    """Projected inverse dynamics.  [Aghili Eqs. 43, 44, 47-62]

    ``tracks`` are coordinates, expressions in q, points and frames with their references in t and parameters; ``gains``
    (G_P, G_D) are numbers, expressions, matrices, or pairs by track. ``inputs`` names the motors; all inputs of the
    model that act by a force are taken otherwise, and joints without one are passive. ``forces`` are kept by
    `Press`, as far as motion leaves room. ``bounds`` of inputs and ``cones`` of contact forces (`Cone`) are kept, and
    motion gives way to them. ``metric`` says what one of each input is worth, such as the limits of the motors;
    otherwise forces are weighed with torques by the longest part of the mechanism. Inputs that are ``unknown`` act, and
    the law counts on none of them: disturbances. A ``blind`` law knows nothing of what holds: computed torque of the
    open mechanism, to compare with; it is sampled.
    """


@spelled
@dataclass(frozen=True, eq=False)
class Impedance(_Law):
    """A spring and damper from each output to its reference, (K, D) in ``gains``; what loads the mechanism at rest is
    taken up. For coordinates this is PD with gravity; for points and frames, impedance in space."""

    by_force = True


def gain_matrices(law: _Law, names: Sequence[str], tracks: Sequence[int]) -> tuple[list[list[Any]], list[list[Any]]]:
    """G_P and G_D, as rows of numbers and expressions."""
    given, k = law.gains, len(names)
    if not k:
        return [], []
    shown = ", ".join(names)
    if given is None:
        raise ModelError(f"law '{law.name}' tracks {shown} and has no gains. Give gains=(G_P, G_D), such as "
                         "(100.0, 20.0).")  # fmt: skip
    if isinstance(given, Mapping):
        keys = list(law.tracks)
        if set(map(id, given)) != set(map(id, keys)) and set(map(str, given)) != set(map(str, keys)):
            raise ModelError(f"law '{law.name}' has gains for {', '.join(map(str, given))} and tracks "
                             f"{', '.join(map(str, keys))}. Give a pair for each track.")  # fmt: skip
        by_name = {str(key): pair for key, pair in given.items()}
        pairs = [by_name[str(keys[i])] for i in tracks]
        for pair in pairs:
            _must_be_pair(law, pair, shown)
        both = [[pair[which] for pair in pairs] for which in (0, 1)]
    else:
        _must_be_pair(law, given, shown)
        both = [given[0], given[1]]
    proportional, derivative = (_matrix(law, letter, part, k, shown)
                                for letter, part in zip(("G_P", "G_D"), both, strict=True))  # fmt: skip
    return proportional, derivative


def _must_be_pair(law: _Law, pair: Any, shown: str) -> None:
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise ModelError(f"the gains of law '{law.name}' are {pair!r}. Give two for {shown}: (G_P, G_D).")


def _matrix(law: _Law, letter: str, part: Any, k: int, shown: str) -> list[list[Any]]:
    """A number for all, one for each, or a square of them."""
    zero = [[0.0] * k for _ in range(k)]
    if isinstance(part, (int, float, Expr)) and not isinstance(part, bool):
        part = [part] * k
    rows = part.tolist() if isinstance(part, np.ndarray) else part
    flat = isinstance(rows, (list, tuple)) and len(rows) == k
    if flat and not any(isinstance(each, (list, tuple)) for each in rows):
        for i, each in enumerate(rows):
            zero[i][i] = _finite(law, letter, each)
        return zero
    if flat and all(isinstance(row, (list, tuple)) and len(row) == k for row in rows):
        return [[_finite(law, letter, each) for each in row] for row in rows]
    if not isinstance(rows, (list, tuple)):
        raise ModelError(f"{letter} of law '{law.name}' is {part!r:.60}. Give a finite number or an expression; one "
                         f"for each of {shown}; or a {k} × {k} matrix.")  # fmt: skip
    shape = np.shape(part)
    raise ModelError(f"{letter} of law '{law.name}' has the shape {shape}, and {k} rows are tracked: {shown}. Give one "
                     f"number, {k} of them, or a {k} × {k} matrix.")  # fmt: skip


def _finite(law: _Law, letter: str, each: Any) -> Any:
    if isinstance(each, Expr):
        return each
    try:
        number = float(each)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise ModelError(f"{letter} of law '{law.name}' contains {each!r}. Give finite numbers or expressions.")
    return number
