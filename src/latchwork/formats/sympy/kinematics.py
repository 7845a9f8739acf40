"""Kinematical differential equations and motion constraints of a SymPy model, solved for q̇ and dependent speeds.

    K_q q̇ + K_u u + k = 0       gives  q̇ = W u + X
    B_d u_dep + B_i u + C = 0    gives  u_dep = D u + E, so that only independent speeds are left
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.errors import ModelError, SpeedsError
from latchwork.formats.sympy.model import SympyModel
from latchwork.formats.sympy.symbols import Symbols
from latchwork.kane.linear import solve_small
from latchwork.kane.sample import numbers
from latchwork.kane.speeds import Kinematics
from latchwork.mechanics.system import System
from latchwork.symbolic.derivative import dt, tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.tidy import tidy
from latchwork.symbolic.traverse import count_shared, reachable, rebuild

RANK_TOLERANCE = 1e-9  # relative to the largest singular value, at random states of order one
TOLERANCE = 1e-9  # of constraints at random states of order one
SHORT = 1000  # operations up to which the determinants of a small block are tidied

Rows = list[list[int]]


@dataclass(frozen=True)
class Description:
    """What a SymPy model says: expressions that vanish, bodies, and pairs (point or frame, vector) of loads."""

    name: str
    frame: Any
    q: Sequence[Any]
    u: Sequence[Any]
    dependent: Sequence[Any]
    auxiliary: Sequence[Any]
    kinematics: Sequence[Any]
    velocity: Sequence[Any]
    configuration: Sequence[Any]
    acceleration: Sequence[Any]
    bodies: Sequence[Any]
    loads: Sequence[Any]


def take_speeds(model: SympyModel, symbols: Symbols, given: Description) -> dict[str, Expr]:
    """Coordinates and speeds with q̇ = W u + X; returns the dependent speeds in terms of the others."""
    g = model.graph
    q = [symbols.coordinate(item) for item in given.q]
    u = [model.speed(symbols.name(item)) for item in given.u]
    left = [Expr(g, g.symbol(symbols.name(item), "speed")) for item in given.dependent]
    for item, made in zip((*given.u, *given.dependent), (*u, *left), strict=True):
        symbols.speed(item, made)
    symbols.zero(given.auxiliary)
    rows = [e.node for e in symbols.motion(given.kinematics, "a kinematical differential equation")]
    velocity = [e.node for e in symbols.motion(given.velocity, "a velocity constraint")]
    found = None if left else definitions(g, rows, [each.node for each in u])
    if found is not None:
        model.defined({Expr(g, leaf): Expr(g, node) for leaf, node in found.items()})
        return {}
    rates, system = [dt(each).node for each in q], model.system()
    solution = solved(system, rows, rates, "the kinematical differential equations")
    rows = rebuild(g, velocity, dict(zip(rates, solution, strict=True)))
    leaves = [each.node for each in left]
    eliminated = solved(system, rows, leaves, "the velocity constraints") if left else []
    model.directly([Expr(g, node) for node in rebuild(g, solution, dict(zip(leaves, eliminated, strict=True)))])
    for item, node in zip(given.dependent, eliminated, strict=True):
        symbols.speed(item, Expr(g, node))
    return {each.name: Expr(g, node) for each, node in zip(left, eliminated, strict=True)}


def must_follow(model: SympyModel, symbols: Symbols, given: Description, kinematics: Kinematics) -> None:
    """Acceleration constraints that were given hold along the motion that the velocity constraints allow."""
    if not given.acceleration:
        return
    g, t = model.graph, symbols.time
    along = kinematics.along | {u.node: dt(u).node for u in model.system().u}
    moving = [*given.u, *given.dependent]
    rates = tangents(g, [symbols.known[u].node for u in moving], along)
    local = copy.copy(symbols)
    local.known = symbols.known | {u.diff(t): Expr(g, rate) for u, rate in zip(moving, rates, strict=True)}
    rows = [e.node for e in local.motion(given.acceleration, "an acceleration constraint")]
    values = numbers(model.system(), rebuild(g, rows, kinematics.replaced))
    if not np.abs(values).max() < TOLERANCE:
        raise ModelError(
            f"the acceleration constraints of the {given.name} are not the time derivatives of its velocity "
            f"constraints: they are off by {np.abs(values).max():.3g} at a random state. Leave them out; they are "
            "worked out."
        )


# --- linear equations ---------------------------------------------------------------------------------------------


def coefficients(g: Graph, rows: Sequence[int], unknown: Sequence[int], what: str) -> tuple[Rows, list[int]]:
    """A and b of rows = A x + b; refused where the rows are not linear in x."""
    columns = [tangents(g, rows, {x: ONE}) for x in unknown]
    nonlinear = set(reachable(g, [node for column in columns for node in column])) & set(unknown)
    if nonlinear:
        names = ", ".join(sorted(g.symbols[leaf].name for leaf in nonlinear))
        raise SpeedsError(f"{what} of '{g.name}' are not linear in {names}. Rates and speeds must enter them linearly.")
    A = [[column[i] for column in columns] for i in range(len(rows))]
    return A, rebuild(g, rows, dict.fromkeys(unknown, ZERO))


def solved(system: System, rows: Sequence[int], unknown: Sequence[int], what: str) -> list[int]:
    """x of A x + b = 0, pivots chosen on numbers at a random state."""
    g = system.graph
    A, b = coefficients(g, rows, unknown, what)
    if len(rows) != len(unknown):
        names = ", ".join(g.symbols[leaf].name for leaf in unknown)
        raise SpeedsError(f"{what} of '{g.name}' are {len(rows)}, but {len(unknown)} unknowns ({names}) hang on them.")
    values = _regular(system, A, unknown, what)
    return solve_small(g, A, [g.neg(node) for node in b], values, lambda nodes: _tidied(g, nodes))


def definitions(g: Graph, rows: Sequence[int], speeds: Sequence[int]) -> dict[int, int] | None:
    """{u: Y q̇ + Z} where each row holds one speed, times a number; else None."""
    if len(rows) != len(speeds):
        return None
    found = {}
    for row in rows:
        held = {u: d for u in speeds if (d := tangents(g, [row], {u: ONE})[0]) != ZERO}
        if len(held) != 1:
            return None
        ((u, factor),) = held.items()
        if factor >= 0 or u in found:
            return None
        rest = rebuild(g, [row], {u: ZERO})[0]
        found[u] = g.div(g.neg(rest), factor) if factor != ONE else g.neg(rest)
    return found


def _regular(system: System, A: Rows, unknown: Sequence[int], what: str) -> np.ndarray:
    """A at a random state at which it can be inverted."""
    n = len(unknown)
    values = numbers(system, [node for row in A for node in row]).reshape(-1, n, n)
    for value in values:
        if np.isfinite(value).all():
            singular = np.linalg.svd(value, compute_uv=False)
            if n == 0 or singular[-1] > RANK_TOLERANCE * singular[0]:
                return value
    names = ", ".join(system.graph.symbols[leaf].name for leaf in unknown)
    raise SpeedsError(
        f"{what} of '{system.name}' do not determine {names}: their matrix is singular at random states. "
        "Choose other dependent speeds, or independent equations."
    )


def _tidied(g: Graph, nodes: list[int]) -> list[int]:
    entries = [Expr(g, node) for node in nodes]
    return nodes if count_shared(entries).total > SHORT else [e.node for e in tidy(entries)]
