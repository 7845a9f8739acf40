"""u̇ in symbols, by sweeps over the tree or from M u̇ = f, whichever takes less time: decided by counts."""

from __future__ import annotations

import math

from latchwork.errors import EvaluationError
from latchwork.kane.articulated import Swept, swept_udot
from latchwork.kane.carriers import NotATree
from latchwork.kane.columns import column, tidied
from latchwork.kane.coupling import coupled_turns, fewest_by_solving, fewest_in_a_row, ltdl_operations
from latchwork.kane.derive import Derivation
from latchwork.kane.linear import Massless, solve_ltdl
from latchwork.kane.motion import FEW_SPEEDS
from latchwork.mechanics.loads import Load
from latchwork.mechanics.system import System
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import chain_of_nodes, count_nodes, reachable

WAITING = 4.2  # operations in the time that one takes which waits for the one before it
MUCH_SHORTER = 3  # times fewer operations, so that what waits for what does not matter
FEWEST_FOR_SWEEPS = 4  # speeds below which solving M u̇ = f is always shorter, and reads better


def solved(d: Derivation, added: tuple[Load, ...]) -> Matrix:
    """u̇ of M u̇ = f, in terms of t, q, u, r, p.

    Beyond a few speeds M and f are not there yet, and stay away where the sweeps take less time than they could.
    """
    g, found = d.system.graph, _swept(d, added)
    if found is None:
        return by_elimination(d)
    if _is_surely_faster(d, found) or found.operations < _operations_to_solve(d) / MUCH_SHORTER:
        return column(g, found.udot)
    eliminated = by_elimination(d)
    reached = reachable(g, [e.node for e in eliminated])
    solving = _time(count_nodes(g, reached).total, chain_of_nodes(g, reached))
    return eliminated if solving <= _time(found.operations, found.chain) else column(g, found.udot)


def by_elimination(d: Derivation) -> Matrix:
    """u̇ from M u̇ = f with M = Lᵀ D L; tidied where M is diagonal."""
    g = d.system.graph
    try:
        nodes = solve_ltdl(g, d.M, d.f)
    except Massless as massless:
        raise not_determined(d.system, massless) from None
    diagonal = all(r == s or node == ZERO for r, row in enumerate(d.M) for s, node in enumerate(row))
    return column(g, tidied(g, nodes) if diagonal else nodes)


def not_determined(system: System, massless: Massless) -> EvaluationError:
    """The error that names a speed without mass."""
    name = system.u[massless.k].name
    return EvaluationError(
        f"speed '{name}' of '{system.name}' moves no mass, so dt({name}) is not determined. Give mass or inertia "
        "to a body that it moves, or remove the coordinate."
    )


def _swept(d: Derivation, added: tuple[Load, ...]) -> Swept | None:
    """u̇ by sweeps over the tree, where there is a tree of rigid bodies with a few speeds at least."""
    if len(d.system.u) < FEWEST_FOR_SWEEPS or d.system.elastic_bodies:
        return None
    try:
        return swept_udot(d.motion, added)
    except NotATree:
        return None


def _is_surely_faster(d: Derivation, found: Swept) -> bool:
    """Whether sweeps are faster than M u̇ = f, judged without M and f; where speeds are few, these are there."""
    if len(d.system.u) <= FEW_SPEEDS:
        return False
    rows = coupled_turns(d.motion)
    fewest = fewest_by_solving(rows, found.operations_of_loads)
    if found.operations < fewest / MUCH_SHORTER:
        return True
    return _time(found.operations, found.chain) < _time(fewest, fewest_in_a_row(rows))


def _operations_to_solve(d: Derivation) -> int:
    """Operations of M, f and the elimination, which is not done."""
    g = d.system.graph
    lower = [{s for s in range(r) if row[s] != ZERO} for r, row in enumerate(d.M)]
    reached = reachable(g, [node for row in (*d.M, d.f) for node in row])
    return count_nodes(g, reached).total + ltdl_operations(lower)


def _time(operations: int, chain: int) -> float:
    """How long a program takes, in operations: bound by their number, or by those that wait for each other."""
    return math.hypot(operations, WAITING * chain)
