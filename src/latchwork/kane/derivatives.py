"""Derivatives of inverse and forward dynamics with respect to coordinates, speeds, inputs and parameters.

With τ = M u̇ + h - F_r (inverse dynamics) the motion u̇(x) satisfies τ(x, u̇(x)) = 0, so that for every x

    M ∂u̇/∂x = -∂τ/∂x            at the u̇ that solves M u̇ = f

Only τ is differentiated: direction by direction (forward sweeps) or row by row (reverse sweeps) over its graph,
whichever is shorter. One factorization M = Lᵀ D L serves u̇ and every column.

A direction says how leaves move, {x: δx}. Plain partial derivatives move one symbol; tangents move all coordinates
along δq = W δu, one for each speed. A quaternion stays on its unit sphere along tangents only: its plain partials mean
something in combinations ∂τ/∂q W δu; across the sphere they are whatever the form of the equations makes of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import listed, must_be
from latchwork.kane.linear import Massless, Rows, factor_ltdl, solve_factored
from latchwork.kane.solving import not_determined
from latchwork.program.function import Function
from latchwork.program.ir import Program
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import adjoints, tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import count_shared, rebuild

if TYPE_CHECKING:
    from latchwork.kane.quantities import Quantities

Direction = Mapping[int, int]
MOST_FORWARD = 100  # directions up to which forward sweeps are tried; each walks over the whole graph


@dataclass(frozen=True, eq=False)
class Blocks:
    """Matrices that stand side by side, with as many rows and these widths, as one program."""

    function: Function
    rows: int
    widths: tuple[int, ...]

    @property
    def program(self) -> Program:
        return self.function.program

    def __call__(self, x: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        whole = self.function(x).reshape(self.rows, sum(self.widths))
        edges = np.cumsum([0, *self.widths])
        return tuple(whole[:, a:b] for a, b in pairwise(edges))


# --- directions -------------------------------------------------------------------------------------------------------


def partials(symbols: Sequence[Expr]) -> list[Direction]:
    """One symbol moves, the others are held."""
    symbols = listed(symbols, "what it is differentiated by", "Give symbols: [q1, q2].")
    for symbol in symbols:
        must_be(symbol, Expr, "one of what it is differentiated by", "Give symbols: [q1, q2].")
    return [{symbol.node: ONE} for symbol in symbols]


def tangent(equations: Quantities) -> list[Direction]:
    """δq = W δu for each speed."""
    W = equations.W
    return [{q.node: W[i, r].node for i, q in enumerate(equations.q)} for r in range(len(equations.u))]


# --- derivatives on the graph -----------------------------------------------------------------------------------------


def inverse_rows(equations: Quantities, directions: Sequence[Direction]) -> Rows:
    """∂τ along each direction, in terms of u̇."""
    return derivative_rows(equations.system.graph, [e.node for e in equations.inverse_expressions], directions)


def forward_rows(equations: Quantities, directions: Sequence[Direction]) -> Rows:
    """∂u̇ along each direction: -M⁻¹ ∂τ at the solved u̇."""
    g, M = equations.system.graph, equations.derivation.M
    try:
        L, D = factor_ltdl(g, M)
    except Massless as massless:
        raise not_determined(equations.system, massless) from None
    udot = solve_factored(g, L, D, equations.derivation.f)
    solved = {rate.node: value for rate, value in zip(equations.system.u_rates, udot, strict=True)}
    rows = [rebuild(g, row, solved) for row in inverse_rows(equations, directions)]
    columns = [solve_factored(g, L, D, [g.neg(row[k]) for row in rows]) for k in range(len(directions))]
    return [[column[i] for column in columns] for i in range(len(M))]


def derivative_rows(g: Graph, roots: Sequence[int], directions: Sequence[Direction]) -> Rows:
    """∂ roots along directions, by the sweeps that give the shorter program."""
    backward = _row_by_row(g, roots, directions)
    if len(directions) > MOST_FORWARD:
        return backward
    return min(_direction_by_direction(g, roots, directions), backward, key=lambda rows: _length(g, rows))


def _direction_by_direction(g: Graph, roots: Sequence[int], directions: Sequence[Direction]) -> Rows:
    columns = [tangents(g, roots, direction, every_case=True) for direction in directions]
    return [[column[i] for column in columns] for i in range(len(roots))]


def _row_by_row(g: Graph, roots: Sequence[int], directions: Sequence[Direction]) -> Rows:
    rows = []
    for root in roots:
        bar = adjoints(g, root)
        rows.append([_along(g, bar, direction) for direction in directions])
    return rows


def _along(g: Graph, bar: Mapping[int, int], direction: Direction) -> int:
    """Σ ∂y/∂x δx."""
    total = ZERO
    for leaf, rate in direction.items():
        if leaf in bar:
            total = g.add(total, g.mul(bar[leaf], rate))
    return total


def _length(g: Graph, rows: Rows) -> int:
    return count_shared([Expr(g, node) for row in rows for node in row]).total


# --- programs ---------------------------------------------------------------------------------------------------------


def inverse_blocks(equations: Quantities, along: Sequence[Direction]) -> Blocks:
    """∂τ/∂q along given directions, ∂τ/∂u and ∂τ/∂u̇ = M, as functions of (t, q, u, r, p, u̇)."""
    directions, d = [*along, *partials(equations.u)], equations.derivation
    M, _ = d.M, d.f  # both before τ, so that terms which it has in common with f are summed in the same order
    rows = [[*row, *of_M] for row, of_M in zip(inverse_rows(equations, directions), M, strict=True)]
    n = len(equations.u)
    return _blocks(equations, rows, (len(along), n, n), (*equations.arguments, *equations.system.u_rates))


def forward_blocks(equations: Quantities, along: Sequence[Direction]) -> Blocks:
    """∂u̇/∂q along given directions, ∂u̇/∂u and ∂u̇/∂r, as functions of (t, q, u, r, p)."""
    rows = forward_rows(equations, [*along, *partials(equations.u), *partials(equations.r)])
    widths = (len(along), len(equations.u), len(equations.r))
    return _blocks(equations, rows, widths, equations.arguments)


def _blocks(equations: Quantities, rows: Rows, widths: tuple[int, ...], arguments: Sequence[Expr]) -> Blocks:
    program = lower(equations.system.graph, [node for row in rows for node in row], arguments)
    return Blocks(Function(program), len(rows), widths)
