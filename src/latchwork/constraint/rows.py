"""Rows of constraints: Φ(q, t) = 0 where there is one, B u + C = 0, and its rate B u̇ + c = 0.

    ψ = Φ̇ or the motion constraint itself;  B = ∂ψ/∂u,  C = ψ at u = 0,  c = Ḃ u + Ċ = ψ̇ at u̇ = 0
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, chain

import numpy as np

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.errors import ConstraintError
from latchwork.kane.equations import Equations
from latchwork.kane.sample import numbers
from latchwork.symbolic.derivative import adjoints, tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.tidy import SHORT, tidy
from latchwork.symbolic.traverse import count_shared, reachable, rebuild

MOVERS = {"coordinate", "speed", "acceleration", "input", "time"}
NONLINEAR = 1e-12  # of the largest entry of a row: second derivatives in u below this, at random states, are rounding


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of some constraints for a set of equations, as nodes."""

    equations: Equations
    constraints: tuple[Constraint, ...]
    names: tuple[str, ...]
    phi: tuple[int | None, ...]  # none for a motion constraint
    B_nodes: tuple[tuple[int, ...], ...]
    C_nodes: tuple[int, ...]
    c_nodes: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def tidied(self) -> Rows:
        """The same rows as they would be written by hand, where they are short: to read, and to embed in symbols."""
        B, C, c = _tidied(self.equations, [list(row) for row in self.B_nodes], list(self.C_nodes), list(self.c_nodes))
        return replace(self, B_nodes=tuple(map(tuple, B)), C_nodes=tuple(C), c_nodes=tuple(c))

    @cached_property
    def B(self) -> Matrix:
        """∂ψ/∂u."""
        return self._matrix(self.tidied.B_nodes, len(self.equations.u))

    @cached_property
    def C(self) -> Matrix:
        """ψ at u = 0."""
        return self._matrix([[node] for node in self.tidied.C_nodes], 1)

    @cached_property
    def c(self) -> Matrix:
        """Ḃ u + Ċ."""
        return self._matrix([[node] for node in self.tidied.c_nodes], 1)

    @cached_property
    def pulls(self) -> tuple[Pull | None, ...]:
        """The unit force or torque of each row, where it is known."""
        return tuple(pull for constraint in self.constraints for pull in constraint.pulls)

    @property
    def configuration(self) -> list[int]:
        """The rows that have a Φ."""
        return [i for i, node in enumerate(self.phi) if node is not None]

    @cached_property
    def slices(self) -> dict[str, slice]:
        """The rows of each constraint by its name."""
        ends = list(accumulate([len(constraint.zero) for constraint in self.constraints], initial=0))
        return {k.name: slice(a, b) for k, a, b in zip(self.constraints, ends, ends[1:], strict=False)}

    def _matrix(self, nodes: Sequence[Sequence[int]], width: int) -> Matrix:
        g = self.equations.system.graph
        rows = [[Expr(g, node) for node in row] for row in nodes]
        return Matrix(rows) if rows and width else Matrix.zeros(g, len(rows), width)


def rows_of(equations: Equations, constraints: Sequence[Constraint], laws: Mapping[int, int] | None = None) -> Rows:
    """The rows of constraints, in their order; what is not linear in u is refused with the reason.

    Inputs in them are held over a step: their rates are zero, unless they follow ``laws``, which are put in first.
    """
    _names_differ(equations, constraints)
    g, kinematics = equations.system.graph, equations.derivation.kinematics
    names = [name for constraint in constraints for name in constraint.row_names]
    given = rebuild(g, [operand(g, e) for constraint in constraints for e in constraint.zero], kinematics.replaced)
    given = rebuild(g, rebuild(g, given, dict(laws)), kinematics.replaced) if laws else given
    kinds = [_kinds(g, node) for node in given]
    _something_moves(equations, constraints, given, kinds)
    phi = [None if _moves(equations, name, held) else node
           for name, node, held in zip(names, given, kinds, strict=True)]  # fmt: skip
    psi = [node if still is None else _rate(g, still, kinematics.along) for node, still in zip(given, phi, strict=True)]
    u = [symbol.node for symbol in equations.u]
    B = [[bar.get(node, ZERO) for node in u] for bar in (adjoints(g, node, u) for node in psi)]
    none = dict.fromkeys(u, ZERO)
    if not none.keys().isdisjoint(reachable(g, [node for row in B for node in row])):
        _must_be_linear(equations, names, B, set(u))
        B = [rebuild(g, row, none) for row in B]
    C, c = rebuild(g, psi, none), tangents(g, psi, kinematics.along)
    return Rows(equations, tuple(constraints), tuple(names), tuple(phi), tuple(map(tuple, B)), tuple(C), tuple(c))


def joined(parts: Sequence[Rows]) -> Rows:
    """The rows of several, in their order."""
    if len(parts) == 1:
        return parts[0]
    constraints = tuple(k for part in parts for k in part.constraints)
    _names_differ(parts[0].equations, constraints)
    names, phi, B, C, c = (tuple(chain.from_iterable(column)) for column in zip(
        *((part.names, part.phi, part.B_nodes, part.C_nodes, part.c_nodes) for part in parts), strict=True))
    return Rows(parts[0].equations, constraints, names, phi, B, C, c)


def _rate(g: Graph, phi: int, along: dict[int, int]) -> int:
    """Φ̇ = Σ ∂Φ/∂q_i q̇_i + ∂Φ/∂t, by one sweep backwards."""
    bar, total = adjoints(g, phi), ZERO
    for leaf, rate in along.items():
        total = g.add(total, g.mul(bar.get(leaf, ZERO), rate))
    return total


def _names_differ(equations: Equations, constraints: Sequence[Constraint]) -> None:
    for constraint in constraints:
        if not isinstance(constraint, Constraint):
            raise ConstraintError(
                f"{constraint!r} is no constraint of '{equations.name}'. Give lw.Constraint(name, what must be zero), "
                "or what model.close, model.roll and the like return."
            )
    names = [constraint.name for constraint in constraints]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ConstraintError(f"'{equations.name}' has two constraints named {', '.join(twice)}. Name each otherwise.")
    for constraint in constraints:
        for e in constraint.zero:
            operand(equations.system.graph, e)  # refuses expressions of another model, naming both


def _kinds(g: Graph, node: int) -> dict[str, str]:
    """The kinds of symbols in a row, each with the name of one of them."""
    return {g.symbols[i].kind: g.symbols[i].name for i in reachable(g, [node]) if i in g.symbols}


def _moves(equations: Equations, name: str, kinds: dict[str, str]) -> bool:
    """Whether a row is a motion constraint: it contains u. Accelerations are refused."""
    if "acceleration" in kinds:
        raise ConstraintError(
            f"constraint '{name}' of '{equations.name}' contains {kinds['acceleration']}. Constraints are on "
            "coordinates or linear in speeds; give an integral of this one."
        )
    return "speed" in kinds


def _something_moves(equations: Equations, constraints: Sequence[Constraint], given: Sequence[int],
                     kinds: Sequence[dict[str, str]]) -> None:  # fmt: skip
    """Refuse a constraint that holds nothing; of its rows some may be constant (a plane mechanism closed in space)."""
    g, rows = equations.system.graph, iter(zip(given, kinds, strict=True))
    for constraint in constraints:
        own = [next(rows) for _ in constraint.zero]
        if not any(held.keys() & MOVERS for _, held in own):
            shown = ", ".join(f"{Expr(g, node)} = 0" for node, _ in own)
            raise ConstraintError(
                f"constraint '{constraint.name}' of '{equations.name}' is {shown}, which holds nothing that moves. "
                "Give an expression in coordinates, speeds or t."
            )


def _must_be_linear(equations: Equations, names: Sequence[str], B: list[list[int]], u: set[int]) -> None:
    g = equations.system.graph
    for name, row in zip(names, B, strict=True):
        seen = sorted(set(reachable(g, row)) & u)
        if not seen:
            continue
        slopes = [node for i in seen for node in tangents(g, row, {i: ONE}) if node != ZERO]
        largest = float(np.abs(numbers(equations.system, row)).max())
        if slopes and float(np.abs(numbers(equations.system, slopes)).max()) > NONLINEAR * largest:
            among = ", ".join(g.symbols[i].name for i in seen)
            raise ConstraintError(
                f"constraint '{name}' of '{equations.name}' is not linear in {among}: it is no sum B u + C with B and "
                "C in q and t. Kane's method embeds linear motion constraints; split it, or write it as a force."
            )


Nodes = tuple[list[list[int]], list[int], list[int]]


def _tidied(equations: Equations, B: list[list[int]], C: list[int], c: list[int]) -> Nodes:
    """Short rows as they would be written by hand."""
    g, n = equations.system.graph, len(equations.u)
    entries = [Expr(g, node) for node in (*(node for row in B for node in row), *C, *c)]
    if not entries or count_shared(entries).total > SHORT:
        return B, C, c
    nodes = [e.node for e in tidy(entries)]
    m = len(B)
    return [nodes[n * i : n * (i + 1)] for i in range(m)], nodes[n * m : n * m + m], nodes[n * m + m :]
