"""Sampled: a law on a grid of its own, as a computer runs it.

    at t_k = began + offset + k period:   sensors → noise → quantisation → law → quantisation → saturation
    from t_k + delay on:                  inputs are held

The law is any that acts continuously, or a Python function ``law(t, q, u, memory)`` that gives inputs by name. Noise is
drawn by the seed and the number of the look alone, so that a run in pieces, rewound or replayed, has the same. What a
function keeps in ``memory``, a dictionary, is part of the state of the run: it gets a copy of its own at each look.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.constraint.terms import Array, Base
from latchwork.control.command import must_be_controllable
from latchwork.control.law import Law
from latchwork.control.law_program import LawProgram
from latchwork.control.projected import _Law
from latchwork.control.sensors import Readings
from latchwork.control.tracks import name_of
from latchwork.errors import ArgumentError, EvaluationError, ModelError, did_you_mean, spelled
from latchwork.hybrid.controllers import Plan
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.rules import scalars
from latchwork.hybrid.stops import scalar
from latchwork.program.function import Function

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

PythonLaw = Callable[..., Mapping[str, float]]
ALL = None


@spelled
@dataclass(frozen=True, eq=False)
class Sampled:
    """A law that looks every ``period`` seconds, ``offset`` after the start; its inputs act ``delay`` later, and hold.

    ``inputs`` names what a Python function commands. ``quantum`` rounds inputs to multiples of itself, ``bounds`` keeps
    them within (least, most): one for all, or by name. ``sensors`` are expressions by name, as `lw.control` makes them,
    with ``noise``, a standard deviation, and ``resolution``, for all or by name: of these, and of coordinates and
    speeds. A function that takes ``sensors`` gets their readings. ``memory`` is what it remembers at first.
    """

    law: Any
    period: float
    inputs: Sequence[Any] | None = None
    offset: float = 0.0
    delay: float = 0.0
    quantum: Any = 0.0
    bounds: Any = None
    sensors: Mapping[str, Any] | None = None
    noise: Any = 0.0
    resolution: Any = 0.0
    seed: int = 0
    memory: Mapping[str, Any] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        own = self.name or getattr(self.law, "name", "") or getattr(self.law, "__name__", "sampled")
        object.__setattr__(self, "name", own)
        for what, value, least in (("period", self.period, 0.0), ("offset", self.offset, 0.0),
                                   ("delay", self.delay, 0.0)):  # fmt: skip
            number = value if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan
            if not (math.isfinite(number) and number >= least) or (what == "period" and number == 0.0):
                raise ModelError(f"the {what} of '{own}' is {value!r}. Give seconds: period=1e-3.")
        if self.sensors is not None and not isinstance(self.sensors, Mapping):
            raise ModelError(f"the sensors of '{own}' are {self.sensors!r:.60}. Give them by name: "
                             "sensors={\"tilt\": \"q1 + q2\"}.")  # fmt: skip
        if not isinstance(self.seed, int):
            raise ModelError(f"the seed of '{own}' is {self.seed!r}. Give a whole number.")
        if isinstance(self.law, (Law, _Law)):
            if self.inputs is not None:
                raise ArgumentError(f"'{own}' has inputs of its own. Leave inputs out of lw.control.Sampled.")
        elif not callable(self.law):
            raise ModelError(f"'{own}' samples {self.law!r}, which is no law. Give lw.control.Projected(...), "
                             "lw.control.Law({...}) or a function law(t, q, u, memory).")  # fmt: skip
        elif not self.inputs:
            raise ModelError(f"the function '{own}' commands no inputs. Name them: lw.control.Sampled(law, period, "
                             "inputs=['F']).")  # fmt: skip

    def prepared(self, plan: Plan) -> Plan:
        """The plan of a run in which this law is sampled."""
        program = None
        if isinstance(self.law, _Law):
            plan, program = self.law.bound(plan)
            names: tuple[str, ...] = (*program.inputs, *program.memory_inputs)
        else:
            names = tuple(self.law.expressions) if isinstance(self.law, Law) else tuple(map(name_of, self.inputs or ()))
            plan = plan.owning(self.name, names)
        self._must_shape(names)
        return replace(plan, sampled=(*plan.sampled, SampledProgram(self, names, program)))


    def _must_shape(self, inputs: Sequence[str]) -> None:
        """Refuse quanta and bounds that are none, or of inputs that it does not command."""
        for what, given in (("quantum", self.quantum), ("bounds", self.bounds)):
            named = {name_of(key): each for key, each in given.items()} if isinstance(given, Mapping) else {"": given}
            if unknown := [name for name in named if name and name not in inputs]:
                raise ModelError(f"'{self.name}' has {what} for {', '.join(unknown)}, which it does not command."
                                 f"{did_you_mean(unknown[0], inputs)}")  # fmt: skip
            for each in named.values():
                if what == "quantum" and not (_is_number(each) and 0.0 <= each < math.inf):
                    raise ModelError(f"the quantum of '{self.name}' is {given!r:.60}. Give numbers that are not "
                                     "negative.")  # fmt: skip
                if what == "bounds" and not (each is None or _is_interval(each)):
                    raise ModelError(f"the bounds of '{self.name}' are {given!r:.60}. Give (least, most), for all or "
                                     "by name.")  # fmt: skip


def _is_number(given: Any) -> bool:
    return isinstance(given, (int, float)) and not isinstance(given, bool)


def _is_interval(pair: Any) -> bool:
    is_pair = isinstance(pair, (list, tuple)) and len(pair) == 2
    return is_pair and all(map(_is_number, pair)) and bool(pair[0] <= pair[1])


@dataclass(eq=False)
class SampledProgram:
    """A sampled law in a run (a `SampledLaw`)."""

    given: Sampled
    inputs: tuple[str, ...]
    program: LawProgram | None
    _made: tuple[Base, Function | None, Readings] | None = None

    @property
    def name(self) -> str:
        return self.given.name

    @property
    def period(self) -> float:
        return float(self.given.period)

    @property
    def offset(self) -> float:
        return float(self.given.offset)

    @property
    def delay(self) -> float:
        return float(self.given.delay)

    def start(self, base: Base, x: Array) -> None:
        """What it reads, and how its inputs are weighed."""
        if self.program is not None:
            self.program.start(base, x)
        self._programs(base)

    def begin(self) -> Any:
        """A copy of the memory that was given."""
        return copy.deepcopy(dict(self.given.memory or {}))

    def look(self, sim: Simulation, dynamics: ModeDynamics, number: int, memory: Any) -> tuple[dict[str, float], Any]:
        """Inputs by name, and the memory from now on."""
        state, base = sim.state, sim.mode_table.base
        function, readings = self._programs(base)
        random = np.random.Generator(np.random.Philox(key=self.given.seed, counter=number))
        row, sensed = readings.read(sim, dynamics, state.row, random)
        if self.program is not None:
            commanded = self._commanded(sim, dynamics, row)
        elif function is not None:
            commanded = dict(zip(self.inputs, function(row).tolist(), strict=True))
        else:
            commanded, memory = self._asked(sim, row, sensed, memory)
        return {name: self._shaped(name, value) for name, value in commanded.items()}, memory

    def _programs(self, base: Base) -> tuple[Function | None, Readings]:
        """Expressions of the law, and what it reads, for the equations of a run."""
        if self._made is None or self._made[0] is not base:
            given, function = self.given, None
            if isinstance(given.law, Law):
                expressions = given.law.expressions
                function = scalars(base, [scalar(base.equations, _expr(base, each), f"input '{name}'")
                                          for name, each in expressions.items()])  # fmt: skip
            readings = Readings.of(base, given.name, given.sensors or {}, given.noise, given.resolution)
            self._made = base, function, readings
        return self._made[1], self._made[2]

    def _commanded(self, sim: Simulation, dynamics: ModeDynamics, row: Array) -> dict[str, float]:
        """What a law that reads the mode commands at a row (t, q, u, rest)."""
        assert self.program is not None, "it has one"
        knows = isinstance(dynamics, Recombined) and not self.program.law.blind
        mode = dynamics.mode if knows and isinstance(dynamics, Recombined) else sim.mode_table.free_mode
        n_q, n = len(sim.equations.q), len(sim.equations.u)
        x = np.append(row[1 : 1 + n_q + n], sim.state.x[-1])[mode.kept_states]
        found, record = self.program.at(mode, float(row[0]), x, row[1 + n_q + n :])
        if not np.isfinite(found).all():
            raise EvaluationError(self.program.explained(record))
        if record.singular:
            must_be_controllable(self.program, mode, row)
        return dict(zip(self.inputs, found.tolist(), strict=True))

    def _asked(self, sim: Simulation, row: Array, sensed: dict[str, float],
               memory: Any) -> tuple[dict[str, float], Any]:  # fmt: skip
        """What a function of the user's commands."""
        n_q, n = len(sim.equations.q), len(sim.equations.u)
        q = dict(zip(sim.equations.q_names, row[1 : 1 + n_q].tolist(), strict=True))
        u = dict(zip(sim.equations.u_names, row[1 + n_q : 1 + n_q + n].tolist(), strict=True))
        own = copy.deepcopy(memory)
        options = {"sensors": sensed} if self.given.sensors else {}
        answer = self.given.law(sim.t, q, u, own, **options)
        if not isinstance(answer, Mapping) or set(map(name_of, answer)) != set(self.inputs):
            raise EvaluationError(f"it returned {answer!r:.80}. Return a dictionary with {', '.join(self.inputs)}.")
        try:
            return {name_of(name): float(value) for name, value in answer.items()}, own
        except (TypeError, ValueError):
            raise EvaluationError(f"it returned {answer!r:.80}. Return numbers.") from None

    def _shaped(self, name: str, value: float) -> float:
        """Rounded to quanta, then kept within bounds; memory is left as it is."""
        if self.program is not None and name in self.program.memory_inputs:
            return value
        quantum, bounds = _by_name(self.given.quantum, name, 0.0), self.given.bounds
        if quantum and math.isfinite(value):
            value = quantum * math.floor(value / quantum + 0.5)
        if isinstance(bounds, Mapping):
            bounds = {name_of(key): pair for key, pair in bounds.items()}.get(name)
        return value if bounds is None else min(max(value, float(bounds[0])), float(bounds[1]))


def _by_name(given: Any, name: str, usual: float) -> float:
    """One number for all, or that of a name."""
    if isinstance(given, Mapping):
        return float({name_of(key): value for key, value in given.items()}.get(name, usual))
    return float(given)


def _expr(base: Base, what: Any) -> Any:
    return 0.0 * base.equations.system.t + what if isinstance(what, (int, float)) else what
