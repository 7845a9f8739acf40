"""Kinematical differential equations and motion constraints of a SymPy model, solved for q̇ and dependent speeds.

    K_q q̇ + K_u u + k = 0       gives  q̇ = W u + X
    B_d u_dep + B_i u + C = 0    gives  u_dep = D u + E, so that only independent speeds are left
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latchwork.errors import SpeedsError
from latchwork.kane.linear import solve_small
from latchwork.kane.sample import numbers
from latchwork.mechanics.system import System
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.tidy import tidy
from latchwork.symbolic.traverse import count_shared, reachable, rebuild

RANK_TOLERANCE = 1e-9  # relative to the largest singular value, at random states of order one
SHORT = 1000  # operations up to which the determinants of a small block are tidied

Rows = list[list[int]]


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
