"""A law for some equations: its program, and its record in each mode (`law_record`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latchwork.algebra.linear import singular_values
from latchwork.constraint.embedded.mode import Mode
from latchwork.constraint.terms import Array, Base
from latchwork.control import inverse_dynamics
from latchwork.control.bounded_least_squares import work_size
from latchwork.control.force_cones import most_cuts
from latchwork.control.input_metric import given_metric, length_metric
from latchwork.control.law_record import Law
from latchwork.control.tracks import Row
from latchwork.errors import ModelError
from latchwork.hybrid.closed_loop import ControlledMode, commands, controlled_mode
from latchwork.kane.equations import Equations
from latchwork.program.evaluator import evaluator_at
from latchwork.program.function import Function
from latchwork.program.kernel import Kernel
from latchwork.program.lower import lower
from latchwork.program.native import briefly
from latchwork.program.records.memory import lay_out
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import rebuild

if TYPE_CHECKING:
    from latchwork.control.projected import _Law

NEARLY_DEPENDENT = 1e-3  # outputs whose rows are as close to depending on each other are named where a run stops


class Sparse(NamedTuple):
    """Where a matrix by rows and speeds has entries."""

    rows: tuple[int, ...]
    speeds: tuple[int, ...]

    @staticmethod
    def of(nodes: Sequence[int], n: int) -> tuple[Sparse, list[int]]:
        """Of nodes row by row, n of them in each; and the entries."""
        places = [(i, node) for i, node in enumerate(nodes) if node != ZERO]
        return Sparse(tuple(i // n for i, _ in places), tuple(i % n for i, _ in places)), [node for _, node in places]


@dataclass(eq=False)
class LawProgram:
    """A law for some equations: its nodes, the inputs that it commands, and what it presses on (a `CommandLaw`)."""

    law: _Law
    equations: Equations
    inputs: tuple[str, ...]
    memory_inputs: tuple[str, ...]
    rows: tuple[Row, ...]
    G: Sparse
    J: Sparse
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
            self.weight = given_metric(self.law.name, self.inputs, given)
        else:
            self.weight = length_metric(base, x, self.actuation(base, x))

    def actuation(self, base: Base, x: Array) -> Array:
        """G at x = (t, q, u, rest): a row for each input."""
        found = np.zeros((len(self.inputs), len(self.equations.u)))
        found[list(self.G.rows), list(self.G.speeds)] = self.function(base)(x)[: len(self.G.rows)]
        return found

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
        cones = [(*places, i) for i, cone in enumerate(self.law.cones) for places in cone.places(rows, self.bilateral)]
        reads = np.ones(n) if presses or cones else np.isin(np.arange(n), self.J.speeds)
        later = range(len(self.equations.r), len(base.equations.r))  # inputs that came into the run: a hand
        function, unknown, cuts = self.function(base), (*self.unknown, *later), most_cuts(len(cones))
        stack, columns = cuts + k + presses + p, p + cuts
        assert self.weight is not None, "a law starts before it commands"
        return lay_out(
            Law, program=evaluator_at(function), n=n, p=p, k=k, presses=presses, memory=len(self.memory_inputs),
            rows=len(rows), cones=len(cones), slides=int(not mode.is_plain), bounded=int(self.bounded),
            by_force=int(self.law.by_force), slots=function.slots + 1, width=function.width, wide=max(p, k),
            most_cuts=cuts, columns=columns, limits=cuts + 2 * p, stack=stack, most=max(stack, columns, len(rows), n),
            work_words=1 + work_size(stack, columns), unknowns=len(unknown), unknown=_integers(unknown),
            entries_G=len(self.G.rows), G_input=_integers(self.G.rows), G_speed=_integers(self.G.speeds),
            entries_J=len(self.J.rows), J_row=_integers(self.J.rows), J_speed=_integers(self.J.speeds),
            reads=_integers(reads), every=_integers(np.ones(n)), place=_integers(self.places[:p]), present=present,
            source=_integers(self.sources), speed=_integers(self.speeds), pressed=pressed.ravel(),
            cone_row=_integers([row for cone in cones for row in cone[:3]]),
            cone_value=_integers([cone[3] for cone in cones]), weight=self.weight, z=function.workspace(),
            **self._parts(k, presses),
        )  # fmt: skip

    def _parts(self, k: int, presses: int) -> dict[str, int]:
        """Where the parts of the program's outputs begin."""
        wanted = len(self.G.rows) + len(self.J.rows)
        targets = wanted + k
        rates = targets + presses
        bounds = rates + 2 * len(self.memory_inputs)
        return {"at_wanted": wanted, "at_targets": targets, "at_rates": rates, "at_bounds": bounds,
                "at_cones": bounds + 2 * len(self.inputs)}  # fmt: skip

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
        return bool(values[-1] < NEARLY_DEPENDENT * values[0])

    def explained(self, record: Any) -> str:
        """What keeps the law from giving a command."""
        name, names = self.law.name, ", ".join(row.name for row in self.rows)
        out = np.asarray(record.out)
        if not np.isfinite(out).all():
            return (f"law '{name}' has no finite value. Look at its references, gains and bounds: some root, logarithm "
                    "or division has no value.")  # fmt: skip
        if record.dependent or (np.isfinite(np.asarray(record.rho)).all() and not record.lost_motion):
            least, most = singular_values(_jacobian(record))[[-1, 0]].tolist()
            return (f"the outputs {names} that law '{name}' tracks depend on each other: the singular values of their "
                    f"rows are from {least:.3g} to {most:.3g}. Track fewer of them, or keep away from this "
                    "position.")  # fmt: skip
        if record.lost_motion:
            return (f"law '{name}' cannot command {names} by {', '.join(self.inputs)} alone: "
                    f"the passive joints do not follow. Make more joints active, track less, or keep away from this "
                    "position; lw.control.controllability says what cannot be commanded.")  # fmt: skip
        return f"law '{name}' has no finite command."


def _jacobian(record: Any) -> Array:
    """J of the last command."""
    found = np.zeros((record.k, record.n))
    entries = np.asarray(record.out)[record.entries_G : record.entries_G + record.entries_J]
    found[np.asarray(record.J_row), np.asarray(record.J_speed)] = entries
    return found


def _integers(values: Any) -> Any:
    return np.array(values, dtype=np.int64)
