"""Kinematical differential equations: from u = Y q̇ + Z to q̇ = W u + X.  [Gillespie Eqs. 1, 2]"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latchwork.errors import SpeedsError
from latchwork.kane.linear import solve_small
from latchwork.kane.sample import numbers
from latchwork.mechanics.system import System
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.tidy import SHORT, tidy
from latchwork.symbolic.traverse import count_shared, reachable, rebuild

RANK_TOLERANCE = 1e-9  # relative to the largest singular value, at random states of order one


@dataclass(frozen=True)
class Kinematics:
    """q̇ as nodes in terms of u, and the rate of every leaf along the motion with u̇ = 0."""

    q_rates: tuple[int, ...]
    replaced: dict[int, int]
    along: dict[int, int]


def solve_speeds(system: System) -> Kinematics:
    """q̇ in terms of u from the definitions of the speeds, the joints, and the motion constraints built in."""
    g = system.graph
    known = {rate.node: value.node for rate, value in system.direct.items()}
    unknown = [rate for rate in system.q_rates if rate.node not in known]
    names = [u.name for u in system.definitions] + [f"zero[{i}]" for i in range(len(system.zero))]
    rows = rebuild(g, [e.node for e in (*system.definitions.values(), *system.zero)], known)
    _must_be_square(system, unknown)
    targets = [u.node for u in system.definitions] + [ZERO] * len(system.zero)
    if set(rows) == {rate.node for rate in unknown}:  # every u is a q̇
        known.update(zip(rows, targets, strict=True))
    else:
        A, Z = _linear_in_rates(system, names, rows, unknown)
        values = _regular_values(system, A, unknown, names)
        b = [g.sub(u, z) for u, z in zip(targets, Z, strict=True)]
        solved = solve_small(g, A, b, values, lambda nodes: _tidy_nodes(system, nodes))
        known.update(zip((rate.node for rate in unknown), _tidy_nodes(system, solved), strict=True))
    q_rates = tuple(known[rate.node] for rate in system.q_rates)
    along = {q.node: rate for q, rate in zip(system.q, q_rates, strict=True)} | {system.t.node: ONE}
    known.update({former.node: value.node for former, value in system.former_speeds.items()})
    return Kinematics(q_rates, known, along)


def matrices(system: System, kinematics: Kinematics) -> tuple[Matrix, Matrix, Matrix, Matrix]:
    """Y, Z of the definitions as they were given; W, X of what follows from them."""
    g = system.graph
    definitions = [e.node for e in _all_definitions(system).values()]
    rates = [rate.node for rate in system.q_rates]
    Y = [tangents(g, definitions, {rate: ONE}) for rate in rates]
    Z = rebuild(g, definitions, dict.fromkeys(rates, ZERO))
    W = [tangents(g, kinematics.q_rates, {u.node: ONE}) for u in system.u]
    X = rebuild(g, kinematics.q_rates, {u.node: ZERO for u in system.u})
    n, m = len(definitions), len(rates)
    return _from_columns(system, Y, n), _column(system, Z), _from_columns(system, W, m), _column(system, X)


def _all_definitions(system: System) -> dict[Expr, Expr]:
    """Definitions in the order of u; a joint's own speeds read off its coordinates where they are plain rates."""
    plain = {value: rate for rate, value in system.direct.items() if value.is_symbol}
    return {u: system.definitions.get(u, plain.get(u, u)) for u in system.u}


def _from_columns(system: System, columns: list[list[int]], height: int) -> Matrix:
    rows = [[Expr(system.graph, column[i]) for column in columns] for i in range(height)]
    return Matrix(rows) if rows and columns else Matrix.zeros(system.graph, height, len(columns))


def _column(system: System, nodes: list[int]) -> Matrix:
    return Matrix.column([Expr(system.graph, node) for node in nodes]) if nodes else Matrix.zeros(system.graph, 0, 1)


def _must_be_square(system: System, unknown: list[Expr]) -> None:
    given = len(system.definitions) + len(system.zero)
    if given != len(unknown):
        rates = ", ".join(rate.name for rate in unknown)
        raise SpeedsError(
            f"'{system.name}': {len(system.definitions)} speeds and {len(system.zero)} motion constraints are given, "
            f"but there are {len(unknown)} coordinate rates to determine ({rates}). Give as many independent "
            "definitions as coordinates; speeds that a motion constraint removes go into zero=[...]."
        )


def _linear_in_rates(system: System, names: list[str], rows: list[int],
                     unknown: list[Expr]) -> tuple[list[list[int]], list[int]]:  # fmt: skip
    """A and Z of rows = A q̇ + Z; a row that is not linear is refused by name."""
    g = system.graph
    columns = [tangents(g, rows, {rate.node: ONE}) for rate in unknown]
    A = [[column[i] for column in columns] for i in range(len(rows))]
    rates = {rate.node for rate in unknown}
    for name, entries in zip(names, A, strict=True):
        seen = set(reachable(g, entries)) & rates
        if seen and not _vanishes_in(system, entries, seen):
            among = ", ".join(sorted(g.symbols[i].name for i in seen))
            raise SpeedsError(
                f"speed '{name}' of '{system.name}' is not linear in {among}. Generalized speeds are linear "
                "combinations of coordinate rates; the coefficients may depend on q and t."
            )
    A = [rebuild(g, entries, dict.fromkeys(rates, ZERO)) for entries in A]
    return A, rebuild(g, rows, dict.fromkeys(rates, ZERO))


def _vanishes_in(system: System, entries: list[int], rates: set[int]) -> bool:
    """Whether entries depend on rates in form only: their derivatives vanish at random states."""
    g = system.graph
    slopes = [node for rate in rates for node in tangents(g, entries, {rate: ONE}) if node != ZERO]
    return not slopes or bool(np.abs(numbers(system, slopes)).max() < 1e-12)


def _regular_values(system: System, A: list[list[int]], unknown: list[Expr], names: list[str]) -> np.ndarray:
    """A at a random state; refused where it is singular at every one of them."""
    n, entries = len(unknown), [node for row in A for node in row]
    if all(node < 0 for node in entries):
        values = np.array([[system.graph.value(node) for node in entries]]).reshape(1, n, n)
    else:
        values = numbers(system, entries).reshape(-1, n, n)
    for value in values:
        if np.isfinite(value).all():
            singular = np.linalg.svd(value, compute_uv=False)
            if singular[-1] > RANK_TOLERANCE * singular[0]:
                return value
    _, _, vt = np.linalg.svd(np.nan_to_num(values[0]))
    u, _, _ = np.linalg.svd(np.nan_to_num(values[0]))
    free = [rate.name for rate, weight in zip(unknown, vt[-1], strict=True) if abs(weight) > 1e-6]
    tied = [name for name, weight in zip(names, u[:, -1], strict=True) if abs(weight) > 1e-6]
    raise SpeedsError(
        f"the speeds of '{system.name}' do not determine the motion: {', '.join(tied)} are linearly dependent at every "
        f"state, so {', '.join(free)} cannot be solved for. Replace one of {', '.join(tied)} by an independent "
        "combination of coordinate rates."
    )


def _tidy_nodes(system: System, nodes: list[int]) -> list[int]:
    entries = [Expr(system.graph, node) for node in nodes]
    return [e.node for e in tidy(entries)] if 0 < count_shared(entries).total <= SHORT else nodes
