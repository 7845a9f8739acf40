"""Kane's equations of a system: several forms are written down, and the shortest is kept.

A form is where vectors are written (mixed frames, the frame they ride on, the Newtonian frame), and for f whether loads
and inertia are handed down the tree together or apart. All forms are equal; which is kept is decided by counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from latchwork.kane.composite import composite_mass_matrix, is_nested
from latchwork.kane.forces import generalized_forces, inertia_wrenches, load_wrenches, mass_matrix, net_wrenches
from latchwork.kane.motion import Local, Motion, Settle, mixed, newtonian
from latchwork.kane.speeds import Kinematics, solve_speeds
from latchwork.mechanics.system import System
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.tidy import tidy
from latchwork.symbolic.traverse import count_shared

FEW_SPEEDS = 12  # up to here every form is tried; beyond, the one form that suits long chains
SHORT = 400  # operations up to which a form is tidied
TRIG_COST = 10  # multiplications that a sine or cosine is worth


@dataclass(frozen=True)
class Derivation:
    """M and f of M u̇ = f as nodes, with the motion they came from and the name of the form."""

    system: System
    kinematics: Kinematics
    motion: Motion
    settle: Settle
    M: list[list[int]]
    f: list[int]
    form: str


def derive(system: System) -> Derivation:
    """The shortest form of Kane's equations, F_r + F_r* = 0 as M u̇ = f.  [Gillespie Eq. 34]"""
    kinematics = solve_speeds(system)
    motion = Motion(system, kinematics)
    columns = composite_mass_matrix if is_nested(motion) else mass_matrix
    places = _places(system)
    M = min((columns(motion, settle) for settle in places.values()), key=lambda rows: _cost(system, *rows))
    best: tuple[int, Derivation] | None = None
    for (name, settle), (manner, write) in _forms(places):
        rows, f = _tidied(system, M, write(motion, settle))
        price = _cost(system, *rows, f)
        if best is None or price < best[0]:
            best = price, Derivation(system, kinematics, motion, settle, rows, f, f"{name}, {manner}")
    assert best is not None
    return best[1]


def _places(system: System) -> dict[str, Settle]:
    """Where vectors may be written. Long chains that turn about one axis are shortest in N, others where they ride."""
    if len(system.u) <= FEW_SPEEDS:
        return {"mixed frames": mixed, "Newtonian frame": newtonian, "local frames": Local(system)}
    return {"local frames": Local(system)}


def _forms(places: dict[str, Settle]) -> Iterable[tuple[tuple[str, Settle], tuple[str, Callable[..., list[int]]]]]:
    manners = (("loads and inertia apart", _forces_apart), ("loads and inertia together", _forces_together))
    for place in places.items():
        for manner in manners if len(places) > 1 else manners[1:]:
            yield place, manner


def _forces_apart(motion: Motion, settle: Settle) -> list[int]:
    """f = F_r - h."""
    F = generalized_forces(load_wrenches(motion, settle), settle)
    h = generalized_forces(inertia_wrenches(motion, settle), settle)
    return [motion.g.sub(a, b) for a, b in zip(F, h, strict=True)]


def _forces_together(motion: Motion, settle: Settle) -> list[int]:
    """f by handing loads less inertia down the tree."""
    return generalized_forces(net_wrenches(motion, settle), settle)


def _tidied(system: System, M: list[list[int]], f: list[int]) -> tuple[list[list[int]], list[int]]:
    g, n = system.graph, len(f)
    entries = [Expr(g, M[i][j]) for i in range(n) for j in range(i + 1)] + [Expr(g, node) for node in f]
    if count_shared(entries).total > SHORT:
        return M, f
    nodes = iter([e.node for e in tidy(entries)])
    lower = [[next(nodes) for _ in range(i + 1)] for i in range(n)]
    return [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)], list(nodes)


def _cost(system: System, *rows: list[int]) -> int:
    """Operations of some rows of nodes, a sine or cosine counted as several."""
    count = count_shared([Expr(system.graph, node) for row in rows for node in row])
    return count.total + (TRIG_COST - 1) * count.trig
