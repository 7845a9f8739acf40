"""Controllers of a run: laws inside the right-hand side, and laws that are sampled.

A continuous law is part of the equations: expressions for inputs, or a kernel that reads the mode (`closed_loop`). A
sampled law looks at the run at times of its own grid, began + offset + k period, and its inputs are held until the next
one. What it remembers is part of the state: `ControllerState`. Looks are horizons of the run; nothing else stops there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from latchwork.constraint.terms import Base
from latchwork.contact.closest_point.states import with_coordinates
from latchwork.errors import ControlError, LatchworkError, ModelError, did_you_mean, listed
from latchwork.hybrid.closed_loop import CommandLaw, Controlled
from latchwork.hybrid.designs import Embedded, Simulating
from latchwork.hybrid.rules import put_in
from latchwork.hybrid.table import Array
from latchwork.kane.equations import Equations
from latchwork.symbolic.expr import Expr

if TYPE_CHECKING:
    from latchwork.hybrid.path import ModeDynamics
    from latchwork.hybrid.simulation import Simulation
    from latchwork.hybrid.state import SimState

AT_ONCE = 1e-9  # of a period: looks as close as this are one instant


class Extended(NamedTuple):
    """Equations with the memory of a law: further coordinates, each with an input that is its rate."""

    equations: Equations
    symbols: tuple[Expr, ...]
    rates: tuple[str, ...]

    @staticmethod
    def of(equations: Equations, names: Sequence[str]) -> Extended:
        """Equations with coordinates of these names, made of letters, digits and _."""
        if not names:
            return Extended(equations, (), ())
        g, symbols, rates = equations.system.graph, [], []
        for name in names:
            plain = "".join(c if c.isalnum() or c == "_" else "_" for c in name)
            node = g.symbol(plain, "auxiliary")
            g.symbol(f"dt({plain})", "rate", node)
            symbols.append(Expr(g, node))
            rates.append(Expr(g, g.symbol(f"{plain}_rate", "input", value=0.0)))
        made = with_coordinates(equations, symbols, [rate.node for rate in rates], rates)
        return Extended(made, tuple(symbols), tuple(rate.name for rate in rates))


class ControllerState(NamedTuple):
    """How a sampled controller stands: the number of its next look, commands that wait, and what it remembers.

    ``waiting`` are (time, inputs by name) in the order in which they act.
    """

    look: int = 0
    waiting: tuple[tuple[float, tuple[tuple[str, float], ...]], ...] = ()
    memory: Any = None


class Controller(Protocol):
    """What a run is given in ``controllers``."""

    @property
    def name(self) -> str: ...

    def prepared(self, plan: Plan) -> Plan:
        """The plan of a run with this controller in it."""
        ...


class SampledLaw(Protocol):
    """A law that is looked at on a grid of its own."""

    @property
    def name(self) -> str: ...

    @property
    def period(self) -> float: ...

    @property
    def offset(self) -> float: ...

    @property
    def delay(self) -> float: ...

    @property
    def inputs(self) -> tuple[str, ...]: ...

    def start(self, base: Base, x: Array) -> None:
        """What it needs to know of the state x = (t, q, u, rest) in which a run starts."""
        ...

    def begin(self) -> Any:
        """What it remembers at first."""
        ...

    def look(self, sim: Simulation, dynamics: ModeDynamics, number: int, memory: Any) -> tuple[dict[str, float], Any]:
        """Inputs by name, and what it remembers from now on."""
        ...


@dataclass(frozen=True, eq=False)
class Plan:
    """What controllers ask of a run: equations with their memory, inputs that follow expressions, a law inside the
    right-hand side, sampled laws; and the names that they may use."""

    equations: Equations
    constraints: tuple[str, ...]
    contacts: tuple[str, ...]
    expressions: Mapping[str, Any] = field(default_factory=dict)
    law: CommandLaw | None = None
    law_name: str = ""
    sampled: tuple[SampledLaw, ...] = ()
    owners: Mapping[str, str] = field(default_factory=dict)  # of inputs
    memory_inputs: tuple[str, ...] = ()  # of those: rates of what laws remember

    def owning(self, name: str, inputs: Sequence[str]) -> Plan:
        """With inputs that one controller commands, and no other."""
        known = [symbol.name for symbol in self.equations.r]
        for each in inputs:
            if each not in known:
                raise ModelError(f"'{each}', which controller '{name}' commands, is no input of "
                                 f"'{self.equations.name}'.{did_you_mean(each, known)}")  # fmt: skip
            if each in self.owners:
                raise ModelError(f"input '{each}' of '{self.equations.name}' is commanded by '{self.owners[each]}' and "
                                 f"by '{name}'. Let one of them command it.")  # fmt: skip
        return replace(self, owners={**self.owners, **dict.fromkeys(inputs, name)})

    def closed_by(self, name: str, law: CommandLaw) -> Plan:
        """With a law inside the right-hand side."""
        if self.law is not None:
            raise ModelError(f"'{self.law_name}' and '{name}' are both to act continuously by what holds in "
                             f"'{self.equations.name}'. Make one law with all tracks and forces, or sample one of "
                             "them.")  # fmt: skip
        return replace(self, law=law, law_name=name)

    def all_inputs(self, given: Any) -> Any:
        """The inputs of a run with expressions of controllers among them."""
        if not isinstance(given, Mapping) and given is not None:
            return given
        for key, value in (given or {}).items():
            name = getattr(key, "name", str(key))
            starts = isinstance(value, (int, float)) and name not in self.expressions  # a number to begin with
            if name in self.owners and not starts:
                raise ModelError(f"input '{name}' of '{self.equations.name}' is given in inputs, and commanded by "
                                 f"'{self.owners[name]}'. Leave it out of one of them.")  # fmt: skip
        return {**(given or {}), **self.expressions} if self.expressions else given

    def design(self, given: Simulating | None, usual: Simulating) -> Simulating:
        """The design of the run: embedding with the law in it, where there is one."""
        if self.law is None:
            return usual
        if given is not None and not isinstance(given, Embedded):
            raise ModelError(f"law '{self.law_name}' acts continuously by what holds, which lw.Embedded() alone knows; "
                             f"got the design {given!r}. Leave design out, or sample the law.")  # fmt: skip
        return Controlled(self.law)


def plan_of(controllers: Any, equations: Equations, constraints: Sequence[str], contacts: Sequence[str]) -> Plan:
    """What controllers ask of a run."""
    plan = Plan(equations, tuple(constraints), tuple(contacts))
    given = listed(controllers, f"'controllers' of '{equations.name}'", "Give a list: controllers=[law].")
    for each in given:
        if not hasattr(each, "prepared"):
            hint = " A Python function is sampled: lw.control.Sampled(function, period, inputs=[...])."
            raise ModelError(
                f"{each!r} is no controller of '{equations.name}'. Give lw.control.Projected(...), "
                f"lw.control.Law({{input: expression}}) or lw.control.Sampled(law, period).{hint * callable(each)}"
            )
        plan = each.prepared(plan)
    names = [each.name for each in given]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(f"'{equations.name}' has two controllers named {', '.join(twice)}. Name each otherwise.")
    return plan


# --- looks ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Controllers:
    """The sampled controllers of a run, and how each stands."""

    laws: tuple[SampledLaw, ...] = ()
    states: tuple[ControllerState, ...] = ()
    began: float = 0.0

    def __bool__(self) -> bool:
        return bool(self.laws)

    def time_of(self, i: int) -> float:
        """When a controller looks next."""
        law = self.laws[i]
        return self.began + law.offset + float(self.states[i].look) * law.period

    def next_time(self, after: float, grid: float = 0.0, step: float | None = None) -> float:
        """When one of them looks, or acts, next after a time; at the fixed step from a grid that is as close as
        rounding."""
        if not self.laws:
            return math.inf
        times = [self.time_of(i) for i in range(len(self.laws))]
        times += [state.waiting[0][0] for state in self.states if state.waiting]
        found = min((time for time in times if time > after), default=math.inf)
        if step is None or not math.isfinite(found):
            return found
        near = grid + float(round((found - grid) / step)) * step
        return near if abs(near - found) <= AT_ONCE * step else found

    def is_due(self, t: float) -> bool:
        """Whether one of them looks or acts by now."""
        if not self.laws:
            return False
        times = [min(self.time_of(i), state.waiting[0][0] if state.waiting else math.inf)
                 for i, state in enumerate(self.states)]  # fmt: skip
        return any([time <= t + AT_ONCE * law.period for time, law in zip(times, self.laws, strict=True)])

    def but(self, i: int, state: ControllerState) -> Controllers:
        """With one of them in another state."""
        return replace(self, states=(*self.states[:i], state, *self.states[i + 1 :]))


def begun(plan: Plan, t: float) -> Controllers:
    """All sampled controllers where a run begins."""
    return Controllers(plan.sampled, tuple(ControllerState(memory=law.begin()) for law in plan.sampled), t)


def looked(sim: Simulation, dynamics: ModeDynamics) -> SimState:
    """The state after all looks that are due, and commands that are to act now, have been taken.

    All see the same state; inputs change afterwards.
    """
    state = sim.state
    controllers, t, inputs = state.controllers, state.t, dict[str, float]()
    for i, law in enumerate(controllers.laws):
        own = controllers.states[i]
        if controllers.time_of(i) <= t + AT_ONCE * law.period:
            commanded, memory = _one_look(sim, dynamics, law, own)
            waiting = (*own.waiting, (t + law.delay, tuple(commanded.items())))
            own = ControllerState(own.look + 1, waiting, memory)
        acts = [each for each in own.waiting if each[0] <= t + AT_ONCE * law.period]
        for _, commanded_now in acts:
            inputs.update(commanded_now)
        controllers = controllers.but(i, own._replace(waiting=own.waiting[len(acts) :]))
    state = state.but(controllers=controllers)
    return with_inputs(sim, state, inputs) if inputs else state


def _one_look(sim: Simulation, dynamics: ModeDynamics, law: SampledLaw,
              own: ControllerState) -> tuple[dict[str, float], Any]:  # fmt: skip
    """What a controller commands now; an error of its own is told with the run so far."""
    try:
        commanded, memory = law.look(sim, dynamics, own.look, own.memory)
    except LatchworkError as error:
        raise _failed(sim, law, str(error)) from error
    except Exception as error:
        raise _failed(sim, law, f"it failed with {type(error).__name__}: {error}.") from error
    for name, value in commanded.items():
        if not math.isfinite(value):
            raise _failed(sim, law, f"it gives '{name}' the value {value}. Look at its law there.")
    return commanded, memory


def _failed(sim: Simulation, law: SampledLaw, why: str) -> ControlError:
    """A law that has no command where the run stands, with the run so far."""
    run = sim.known
    where = f"t = {sim.t:.9g}, q = {_shown(sim.q)}, u = {_shown(sim.u)}"
    kept = "" if run is None else " The error's run holds what was computed until then."
    return ControlError(f"controller '{law.name}' of '{sim.equations.name}' at {where}: {why}{kept}",
                        None if run is None else run.path, run)  # fmt: skip


def _shown(values: Mapping[str, float]) -> str:
    return "{" + ", ".join(f"{name}: {value:.6g}" for name, value in values.items()) + "}"


def with_inputs(sim: Simulation, state: SimState, values: Mapping[str, float]) -> SimState:
    """Inputs held at numbers from now on; what they were before stays part of the run."""
    names = [symbol.name for symbol in state.driven.equations.r]
    places = {names.index(name): value for name, value in values.items()}
    if sim.stepper is None:
        return state.but(driven=put_in(state.driven, state.rest, state.began, state.t, places))
    rest = state.rest.copy()
    rest[list(places)] = list(places.values())
    return state.but(rest=rest)


def observed(dynamics: ModeDynamics, state: SimState) -> Array:
    """The states (t, x) of a mode and what is held now."""
    return np.concatenate([[state.t], dynamics.reduced(state.x), state.rest_now])
