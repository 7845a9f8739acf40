"""Kane's equations of a system: several forms are written down, and the shortest is kept.

A form is where vectors are written (mixed frames, the frame they ride on, the Newtonian frame) and whether loads and
inertia are handed down the tree together or apart. All forms are equal; which is kept is decided by counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from latchwork.kane.forces import generalized_forces, inertia_wrenches, load_wrenches, mass_matrix
from latchwork.kane.motion import Local, Motion, Settle, mixed, newtonian
from latchwork.kane.speeds import Kinematics, solve_speeds
from latchwork.mechanics.system import System
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.tidy import tidy
from latchwork.symbolic.traverse import count_shared

FEW_SPEEDS = 12  # up to here every form is tried
SHORT = 3000  # operations up to which a form is tidied
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
    best: Derivation | None = None
    for name, settle, together in _forms(system):
        M = mass_matrix(motion, settle)
        f = _forces_together(motion, settle) if together else _forces_apart(motion, settle)
        M, f = _tidied(system, M, f)
        candidate = Derivation(system, kinematics, motion, settle, M, f, name)
        if best is None or cost(candidate) < cost(best):
            best = candidate
    assert best is not None
    return best


def _forms(system: System) -> Iterable[tuple[str, Settle, bool]]:
    local = Local(system)
    if len(system.u) <= FEW_SPEEDS:
        for name, settle in (("mixed frames", mixed), ("Newtonian frame", newtonian), ("local frames", local)):
            yield f"{name}, loads and inertia apart", settle, False
            yield f"{name}, loads and inertia together", settle, True
    else:
        yield "local frames, loads and inertia together", local, True
        yield "Newtonian frame, loads and inertia together", newtonian, True


def _forces_apart(motion: Motion, settle: Settle) -> list[int]:
    """f = F_r - h."""
    F = generalized_forces(load_wrenches(motion, settle), settle)
    h = generalized_forces(inertia_wrenches(motion, settle), settle)
    return [motion.g.sub(a, b) for a, b in zip(F, h, strict=True)]


def _forces_together(motion: Motion, settle: Settle) -> list[int]:
    """f by handing loads less inertia down the tree."""
    return generalized_forces(inertia_wrenches(motion, settle, onto=load_wrenches(motion, settle)), settle)


def _tidied(system: System, M: list[list[int]], f: list[int]) -> tuple[list[list[int]], list[int]]:
    g, n = system.graph, len(f)
    entries = [Expr(g, M[i][j]) for i in range(n) for j in range(i + 1)] + [Expr(g, node) for node in f]
    if count_shared(entries).total > SHORT:
        return M, f
    nodes = iter([e.node for e in tidy(entries)])
    lower = [[next(nodes) for _ in range(i + 1)] for i in range(n)]
    return [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)], list(nodes)


def cost(derivation: Derivation) -> int:
    """Operations of M and f, a sine or cosine counted as several."""
    g = derivation.system.graph
    count = count_shared([Expr(g, node) for row in derivation.M for node in row] + [Expr(g, node) for node in derivation.f])
    return count.total + (TRIG_COST - 1) * count.trig
