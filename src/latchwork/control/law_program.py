"""The program of a law, and its record in a mode: what `inverse_dynamics` reads at (t, q, u, held).

    G (p × n) · J (k × n) · a (k) · λ* (presses) · rates of the memory, α and β of α + β λ · bounds (2 p)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.algebra.linear import singular_values
from latchwork.constraint.embedded.mode import Mode
from latchwork.constraint.terms import Array, Base
from latchwork.control import inverse_dynamics
from latchwork.control.bounded_least_squares import work_size
from latchwork.control.inverse_dynamics import DEPENDENT, MOTION, Law
from latchwork.control.tracks import Row, motion_nodes, name_of, rows_of
from latchwork.errors import EvaluationError, ModelError, did_you_mean
from latchwork.hybrid.closed_loop import ControlledMode, commands, controlled_mode
from latchwork.hybrid.controllers import Extended
from latchwork.hybrid.symbol_lookup import look_up
from latchwork.kane.equations import Equations
from latchwork.program.evaluator import evaluator_at
from latchwork.program.function import Function
from latchwork.program.kernel import Kernel
from latchwork.program.lower import lower
from latchwork.program.records.memory import lay_out
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import reachable, rebuild

if TYPE_CHECKING:
    from latchwork.control.projected import _Law

UNBOUNDED = 1e300
CLOSE = 1e-3  # outputs whose rows are as close to depending on each other are named where a run stops


@dataclass(eq=False)
class LawProgram:
    """A law for some equations: its nodes, the inputs that it commands, and what it presses on (a `CommandLaw`)."""

    law: _Law
    equations: Equations
    inputs: tuple[str, ...]
    memory_inputs: tuple[str, ...]
    rows: tuple[Row, ...]
    nodes: tuple[int, ...]
    bounded: bool
    bilateral: frozenset[str]
    sources: tuple[int, ...]  # the press of each memory
    unknown: tuple[int, ...]  # places of inputs that it does not know of
    speeds: tuple[int, ...]  # on which each press acts by a generalized force; −1 where it is a multiplier
    weight: Array | None = None
    _functions: dict[Base, Function] = field(default_factory=dict, repr=False)
    _modes: dict[Mode, ControlledMode] = field(default_factory=dict, repr=False)

    @property
    def command(self) -> Kernel[..., None]:
        return inverse_dynamics.command

    @cached_property
    def places(self) -> tuple[int, ...]:
        names = [symbol.name for symbol in self.equations.r]
        return tuple(names.index(name) for name in (*self.inputs, *self.memory_inputs))

    @property
    def functions(self) -> tuple[Function, ...]:
        return tuple(self._functions.values())

    def function(self, base: Base) -> Function:
        """Its program of (t, q, u, held)."""
        found = self._functions.get(base)
        if found is None:
            g = self.equations.system.graph
            found = self._functions[base] = Function(lower(g, rebuild(g, list(self.nodes), base.laws), base.arguments))
        return found

    def start(self, base: Base, x: Array) -> None:
        """Weigh inputs at x = (t, q, u, rest), where a run starts: forces beside torques by the longest part."""
        if self.weight is not None:
            return
        given = self.law.metric
        if given is not None:
            self.weight = _given_metric(self, given)
            return
        n, p = len(self.equations.u), len(self.inputs)
        G = self.function(base)(x)[: p * n].reshape(p, n)
        lengths = _speeds_of_lengths(base, x)
        forces = np.array([bool(np.any(row)) and not np.any(row[~lengths]) for row in G])
        kappa = _longest(base, x) if forces.any() and not forces.all() else 1.0
        self.weight = np.where(forces, 1.0 / kappa, 1.0)

    def memory(self, mode: Mode) -> Any:
        """The record of the law in a mode."""
        base, rows = mode.terms.base, mode.terms.rows
        self._must_be_free(mode)
        n, p, k, presses = len(self.equations.u), len(self.inputs), len(self.rows), len(self.law.forces)
        pressed, present = np.zeros((presses, len(rows))), np.zeros(presses, dtype=np.int64)
        for i, press in enumerate(self.law.forces):
            weights = press.weights(rows, self.bilateral)
            if weights is not None:
                pressed[i], present[i] = weights, 1
        later = range(len(self.equations.r), len(base.equations.r))  # inputs that came into the run: a hand
        function, stack, unknown = self.function(base), k + presses + p, (*self.unknown, *later)
        most = max(stack, p, len(rows), n)
        assert self.weight is not None, "a law starts before it commands"
        return lay_out(
            Law, program=evaluator_at(function), n=n, p=p, k=k, presses=presses, memory=len(self.memory_inputs),
            rows=len(rows), slides=int(not mode.is_plain), bounded=int(self.bounded), by_force=int(self.law.by_force),
            slots=function.slots + 1, width=function.width, stack=stack, most=most, work_words=1 + work_size(stack, p),
            unknowns=len(unknown), unknown=np.array(unknown, dtype=np.int64),
            place=np.array(self.places[:p], dtype=np.int64), present=present,
            source=np.array(self.sources, dtype=np.int64), speed=np.array(self.speeds, dtype=np.int64),
            pressed=pressed.ravel(), weight=self.weight, z=function.workspace(),
        )  # fmt: skip

    def _must_be_free(self, mode: Mode) -> None:
        """Refuse more outputs than constraints leave freedoms; contacts may leave fewer, and outputs give way."""
        names, freedoms = mode.terms.rows.slices, len(mode.selection.independent)
        if not self.law.by_force and set(names) <= self.bilateral and len(self.rows) > freedoms:
            raise ModelError(f"law '{self.law.name}' tracks {len(self.rows)} outputs, "
                             f"{', '.join(row.name for row in self.rows)}, and '{self.equations.name}' has {freedoms} "
                             f"degrees of freedom under {', '.join(names)}. Track no more than that.")  # fmt: skip

    def controlled(self, mode: Mode) -> ControlledMode:
        """A mode with the loop closed by this law, remembered."""
        found = self._modes.get(mode)
        if found is None:
            if len(self._modes) > 100:
                self._modes.pop(next(iter(self._modes)))
            found = self._modes[mode] = controlled_mode(mode, self)
        return found

    def at(self, mode: Mode, t: float, x: Array, rest: Array) -> tuple[Array, Any]:
        """The command at states x of a mode, and the record that says what gave way."""
        closed = self.controlled(mode)
        z, out = closed.workspace(), np.zeros(len(self.places))
        first = 1 + closed.states
        z[0], z[1:first], z[first : first + len(rest)] = t, x, rest
        from latchwork.program.native import briefly

        briefly(commands, closed.code, z, out)
        return out, closed.loop[1]

    def told(self, mode: Mode, t: float, x: Array, rest: Array) -> str:
        """Why the law has no command at states x of a mode."""
        if not np.isfinite(x).all():
            return ""
        found, record = self.at(mode, t, x, rest)
        if np.isfinite(found).all() and not self._is_close_to_dependent(record, mode.terms.base):
            return ""
        return self.explained(record)

    def _is_close_to_dependent(self, record: Any, base: Base) -> bool:
        """Whether outputs nearly depend on each other: commands then grow without bound."""
        values = singular_values(_jacobian(record) * base.units.u) if len(self.rows) else np.ones(1)
        return bool(values[-1] < CLOSE * values[0])

    def explained(self, record: Any) -> str:
        """What keeps the law from giving a command."""
        name, names = self.law.name, ", ".join(row.name for row in self.rows)
        out = np.asarray(record.out)
        if not np.isfinite(out).all():
            return (f"law '{name}' has no finite value. Look at its references, gains and bounds: some root, logarithm "
                    "or division has no value.")  # fmt: skip
        if record.gives_way >= DEPENDENT or (np.isfinite(np.asarray(record.rho)).all() and not record.gives_way % 2):
            least, most = singular_values(_jacobian(record))[[-1, 0]].tolist()
            return (f"the outputs {names} that law '{name}' tracks depend on each other: the singular values of their "
                    f"rows are from {least:.3g} to {most:.3g}. Track fewer of them, or keep away from this "
                    "position.")  # fmt: skip
        if record.gives_way % 2 == MOTION:
            return (f"law '{name}' cannot command {names} by {', '.join(self.inputs)} alone: "
                    f"the passive joints do not follow. Make more joints active, track less, or keep away from this "
                    "position; lw.control.controllability says what cannot be commanded.")  # fmt: skip
        return f"law '{name}' has no finite command."


def _jacobian(record: Any) -> Array:
    """J of the last command."""
    k, n, p = record.k, record.n, record.p
    return np.asarray(record.out)[p * n : p * n + k * n].reshape(k, n)


def law_program(law: _Law, extended: Extended, constraints: Sequence[str], contacts: Sequence[str]) -> LawProgram:
    """The nodes of a law for equations that have its memory."""
    from latchwork.control.projected import gain_matrices

    equations, g = extended.equations, extended.equations.system.graph
    for press in law.forces:
        press.must_be_known(equations.name, [*constraints, *contacts], contacts)
    others = (*extended.rates, *map(name_of, law.unknown))
    inputs = inputs_of(equations, law.inputs, f"law '{law.name}'", others if law.inputs is None else extended.rates)
    G = actuation(equations, inputs, f"law '{law.name}'")
    rows = rows_of(equations, law.tracks)
    _must_be_few(law, equations, rows)
    J, bias = motion_nodes(equations, rows)
    proportional, derivative = gain_matrices(law, [row.name for row in rows], [row.track for row in rows])
    demand = [_feedback(g, rows, proportional[i], derivative[i]) for i in range(len(rows))]
    if law.by_force:
        J, wanted = _force_demand(equations, rows, J, demand)
    else:
        wanted = [g.sub(g.add(row.forward, d), b) for row, d, b in zip(rows, demand, bias, strict=True)]
    targets, alpha, beta, sources = _forces(law, extended)
    low, high = _bounds(law, equations, inputs)
    nodes = rebuild(g, [*G, *J, *wanted, *targets, *alpha, *beta, *low, *high],
                    equations.derivation.kinematics.replaced)  # fmt: skip
    shown = tuple(rows)
    if law.by_force:
        shown = tuple(Row(u.name, i, u.node, ZERO, ZERO, ZERO) for i, u in enumerate(equations.u))
    return LawProgram(law, equations, inputs, extended.rates, shown, tuple(nodes), law.bounds is not None,
                      frozenset(constraints), tuple(sources), _unknown(law, equations, inputs),
                      tuple(_speeds(law, equations)))  # fmt: skip


def _unknown(law: _Law, equations: Equations, inputs: Sequence[str]) -> tuple[int, ...]:
    """Where inputs stand that the law does not know of."""
    names, known = [symbol.name for symbol in equations.r], [name_of(each) for each in law.unknown]
    for name in known:
        if name not in names or name in inputs:
            raise ModelError(f"'{name}', which law '{law.name}' is not to know of, is no input of '{equations.name}' "
                             f"besides those that it commands.{did_you_mean(name, names)}")  # fmt: skip
    return tuple(names.index(name) for name in known)


def inputs_of(equations: Equations, given: Sequence[Any] | None, whose: str,
              without: Sequence[str] = ()) -> tuple[str, ...]:  # fmt: skip
    """The inputs that are commanded: those named, or all that act by a force, ``without`` some."""
    known = [symbol.name for symbol in equations.r if symbol.name not in without]
    if given is None:
        g = equations.system.graph
        acting = set(reachable(g, rebuild(g, list(equations.derivation.f), equations.derivation.kinematics.replaced)))
        chosen = tuple(symbol.name for symbol in equations.r if symbol.name in known and symbol.node in acting)
        if not chosen:
            raise ModelError(f"'{equations.name}' has no input that {whose} could command. Declare motors: "
                             "T = model.input('T'); model.actuate(link, T).")  # fmt: skip
        return chosen
    names = tuple(name_of(each) for each in given)
    for name in names:
        if name not in known:
            raise ModelError(f"'{name}', which {whose} is to command, is no input of '{equations.name}'."
                             f"{did_you_mean(name, known)}")  # fmt: skip
    if len(set(names)) < len(names):
        raise ModelError(f"{whose} is to command {', '.join(names)}, some of them twice. Name each once.")
    return names


def actuation(equations: Equations, inputs: Sequence[str], whose: str) -> list[int]:
    """G by inputs, ∂f/∂r; inputs act linearly."""
    g, replaced = equations.system.graph, equations.derivation.kinematics.replaced
    symbols = {symbol.name: symbol.node for symbol in equations.r}
    f = rebuild(g, list(equations.derivation.f), replaced)
    found, every = [], {symbols[name] for name in inputs}
    for name in inputs:
        column = rebuild(g, tangents(g, f, {symbols[name]: ONE}), replaced)
        if all(node == ZERO for node in column):
            raise ModelError(f"input '{name}' of '{equations.name}' acts by no force, so {whose} cannot use "
                             "it. Name inputs that stand in a force or torque.")  # fmt: skip
        if every & set(reachable(g, column)):
            raise ModelError(f"input '{name}' of '{equations.name}' does not act linearly, so {whose} cannot "
                             "invert it. Let the input be the force or torque itself.")  # fmt: skip
        found += column
    return found


def _must_be_few(law: _Law, equations: Equations, rows: Sequence[Row]) -> None:
    if len(rows) > len(equations.u):
        raise ModelError(f"law '{law.name}' tracks {len(rows)} outputs, {', '.join(row.name for row in rows)}, and "
                         f"'{equations.name}' has {len(equations.u)} speeds. Track no more than it has "
                         "freedoms.")  # fmt: skip


def _feedback(g: Any, rows: Sequence[Row], proportional: Sequence[Any], derivative: Sequence[Any]) -> int:
    """G_P e + G_D ė, one row."""
    total = ZERO
    for row, gain, damping in zip(rows, proportional, derivative, strict=True):
        total = g.add(total, g.mul(operand(g, gain), row.error))
        total = g.add(total, g.mul(operand(g, damping), row.rate))
    return int(total)


def _force_demand(equations: Equations, rows: Sequence[Row], J: Sequence[int],
                  demand: Sequence[int]) -> tuple[list[int], list[int]]:  # fmt: skip
    """J = 1, and Jᵀ (K e + D ė) − f at rest with no inputs: a generalized force on every speed."""
    g, n = equations.system.graph, len(equations.u)
    still = {s.node: ZERO for s in (*equations.u, *equations.r)}
    loads = rebuild(g, rebuild(g, list(equations.derivation.f), equations.derivation.kinematics.replaced), still)
    wanted = []
    for j in range(n):
        total = g.neg(loads[j])
        for r in range(len(rows)):
            total = g.add(total, g.mul(J[r * n + j], demand[r]))
        wanted.append(total)
    return [ONE if i == j else ZERO for i in range(n) for j in range(n)], wanted


def _forces(law: _Law, extended: Extended) -> tuple[list[int], list[int], list[int], list[int]]:
    """λ* of each press; α, β of the rate α + β λ of each memory, and its press."""
    equations, g = extended.equations, extended.equations.system.graph
    memory = iter(extended.symbols)
    targets, alpha, beta, sources = [], [], [], []
    for i, press in enumerate(law.forces):
        wanted = _scalar(equations, press.force, f"the force in '{press.name}'", law)
        proportional, integral = (_scalar(equations, gain, f"a gain of the force in '{press.name}'", law)
                                  for gain in press.gains)  # fmt: skip
        summed = next(memory) if press.integrates else None
        seen = next(memory) if press.lags else None
        target = wanted
        if seen is not None:
            target = target + proportional * (wanted - seen)
        if summed is not None:
            target = target + integral * summed / (1.0 if seen is not None else 1.0 + proportional)
            alpha.append((wanted if seen is None else wanted - seen).node)
            beta.append(g.constant(-1.0) if seen is None else ZERO)
            sources.append(i)
        if seen is not None:
            alpha.append((-1.0 / press.filter * seen).node)
            beta.append(g.constant(1.0 / press.filter))
            sources.append(i)
        targets.append(operand(g, target))
    return targets, alpha, beta, sources


def _speeds(law: _Law, equations: Equations) -> list[int]:
    """The speed on which each press acts by a generalized force; −1 where it is a multiplier."""
    found = []
    for press in law.forces:
        name = getattr(press.speed, "name", press.speed)
        if name is not None and name not in equations.u_names:
            raise ModelError(f"'{name}', on which the force in '{press.name}' is to act, is no speed of "
                             f"'{equations.name}'.{did_you_mean(str(name), equations.u_names)}")  # fmt: skip
        found.append(-1 if name is None else list(equations.u_names).index(name))
    return found


def _bounds(law: _Law, equations: Equations, inputs: Sequence[str]) -> tuple[list[int], list[int]]:
    """The bounds of all inputs; far away where there are none."""
    g, bounds = equations.system.graph, dict.fromkeys(inputs, (-UNBOUNDED, UNBOUNDED))
    for key, pair in (law.bounds or {}).items():
        name = name_of(key)
        if name not in bounds:
            raise ModelError(f"law '{law.name}' bounds '{name}', which it does not command."
                             f"{did_you_mean(name, inputs)}")  # fmt: skip
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ModelError(f"the bounds of '{name}' in law '{law.name}' are {pair!r}. Give (least, most).")
        if all(isinstance(each, (int, float)) for each in pair) and not pair[0] <= pair[1]:
            raise ModelError(f"the bounds of '{name}' in law '{law.name}' are {pair!r}. Give the smaller one first.")
        bounds[name] = pair
    sides = [[operand(g, _scalar(equations, bounds[name][i], f"a bound of '{name}'", law)) for name in inputs]
             for i in (0, 1)]  # fmt: skip
    return sides[0], sides[1]


def _scalar(equations: Equations, what: Any, whose: str, law: _Law) -> Expr:
    g = equations.system.graph
    if isinstance(what, str):
        what = look_up(equations, what)
    if not isinstance(what, (int, float, Expr)) or isinstance(what, bool):
        raise ModelError(f"{whose} in law '{law.name}' is {what!r}. Give a number or an expression.")
    if isinstance(what, (int, float)) and not np.isfinite(what):
        raise ModelError(f"{whose} in law '{law.name}' is {what!r}. Give a finite number.")
    return Expr(g, operand(g, what))


def _given_metric(program: LawProgram, given: Mapping[Any, float]) -> Array:
    """W^(1/2) as it was given: what one of each input is worth."""
    law = program.law
    values = {name_of(key): value for key, value in given.items()}
    if set(values) != set(program.inputs):
        raise ModelError(f"the metric of law '{law.name}' weighs {', '.join(values)}; it commands "
                         f"{', '.join(program.inputs)}. Give a positive number for each.")  # fmt: skip
    weight = np.array([float(values[name]) for name in program.inputs])
    if not (np.isfinite(weight).all() and (weight > 0.0).all()):
        raise ModelError(f"the metric of law '{law.name}' is {values}. Give positive numbers.")
    return weight


def _speeds_of_lengths(base: Base, x: Array) -> np.ndarray:
    """Which speeds move only coordinates that are lengths."""
    W = np.abs(base.spread(x).reshape(len(base.equations.q), -1))
    turning = W[~base.lengths].any(axis=0) if (~base.lengths).any() else np.zeros(W.shape[1], dtype=bool)
    return np.asarray(~turning & W.any(axis=0))


def _longest(base: Base, x: Array) -> float:
    """The longest way from one point of a body to the next, in any unit."""
    sizes = base.offsets.sizes(x)
    found = float(np.max(sizes, initial=0.0))
    if not found > 0.0:
        raise EvaluationError(f"forces and torques of '{base.equations.name}' cannot be weighed: nothing in it has a "
                              "length. Give the law a metric={input: worth}.")  # fmt: skip
    return found
