"""Kane's equations of a system: several forms are written down, and the shortest is kept.

A form is where vectors are written (mixed frames, the frame they ride on, the Newtonian frame), and for f whether loads
and inertia are handed down the tree together or apart; where masses are numbers there is one more form, link by link.
All forms are equal; which is kept is decided by counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from latchwork.kane.composite import composite_mass_matrix, is_nested
from latchwork.kane.forces import generalized_forces, inertia_wrenches, load_wrenches, mass_matrix, net_wrenches
from latchwork.kane.link_masses import mass_matrix_by_links
from latchwork.kane.moments import Links, base_links
from latchwork.kane.motion import FEW_SPEEDS, Local, Motion, Settle, mixed, newtonian
from latchwork.kane.newton_euler import link_forces
from latchwork.kane.speeds import Kinematics, solve_speeds
from latchwork.mechanics.system import System
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.tidy import SHORT, tidy
from latchwork.symbolic.traverse import count_shared

BY_LINKS = "link by link"
BRIEF = 80  # cost of f up to which both manners are tidied
TRIG_COST = 10  # multiplications that a sine or cosine is worth


Form = tuple[int, str, str, Settle, list[int]]  # cost, place, manner, where vectors are written, f


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
    places, links = _places(system), base_links(motion)
    if len(places) == 1:
        (name, settle), = places.items()
        if links is not None:
            M, f, manner = mass_matrix_by_links(links), link_forces(motion, links), BY_LINKS
        else:
            M, f, manner = _columns(motion)(motion, settle), _forces_together(motion, settle), "together"
        return Derivation(system, kinematics, motion, settle, M, f, f"{name}, loads and inertia {manner}")
    matrices = [_columns(motion)(motion, settle) for settle in places.values()]
    if links is not None:
        matrices.append(mass_matrix_by_links(links))
    M = min(matrices, key=lambda rows: _cost(system, *rows))
    forms = [(_cost(system, f), name, manner, settle, f) for name, manner, settle, f in _forms(motion, places, links)]
    best: tuple[int, Derivation] | None = None
    for _, name, manner, settle, f in _promising(forms):
        rows, f = _tidied(system, M, f)
        if rows is M:  # too long to be tidied: what M and f have in common decides
            rows = _shortest_with(system, matrices, f)
        price = _cost(system, *rows, f)
        if best is None or price < best[0]:
            best = price, Derivation(system, kinematics, motion, settle, rows, f, f"{name}, loads and inertia {manner}")
    assert best is not None
    return best[1]


def _columns(motion: Motion) -> Callable[[Motion, Settle], list[list[int]]]:
    """How M is formed: from composite bodies where the points allow it."""
    return composite_mass_matrix if is_nested(motion) else mass_matrix


def _shortest_with(system: System, matrices: list[list[list[int]]], f: list[int]) -> list[list[int]]:
    """The form of M that is shortest together with f."""
    return min(matrices, key=lambda rows: _cost(system, *rows, f))


def _promising(forms: list[Form]) -> list[Form]:
    """The shortest forms of two manners where they are short, or where one, link by link, shares less with M."""
    ranked = sorted(forms, key=lambda form: form[0])
    other = next((form for form in ranked if form[2] != ranked[0][2]), None)
    if other is None or (ranked[0][0] > BRIEF and ranked[0][2] != BY_LINKS):
        return ranked[:1]
    return [ranked[0], other]


def _places(system: System) -> dict[str, Settle]:
    """Where vectors may be written. Long chains that turn about one axis are shortest in N, others where they ride."""
    if len(system.u) <= FEW_SPEEDS:
        return {"mixed frames": mixed, "Newtonian frame": newtonian, "local frames": Local(system)}
    return {"local frames": Local(system)}


def _forms(motion: Motion, places: dict[str, Settle],
           links: Links | None) -> Iterable[tuple[str, str, Settle, list[int]]]:  # fmt: skip
    for manner, write in MANNERS.items():
        for name, settle in places.items():
            yield name, manner, settle, write(motion, settle)
    if links is not None:
        yield "local frames", BY_LINKS, places["local frames"], link_forces(motion, links)


def _forces_apart(motion: Motion, settle: Settle) -> list[int]:
    """f = F_r - h."""
    F = generalized_forces(load_wrenches(motion, settle), settle)
    h = generalized_forces(inertia_wrenches(motion, settle), settle)
    return [motion.g.sub(a, b) for a, b in zip(F, h, strict=True)]


def _forces_together(motion: Motion, settle: Settle) -> list[int]:
    """f by handing loads less inertia down the tree."""
    return generalized_forces(net_wrenches(motion, settle), settle)


MANNERS: dict[str, Callable[[Motion, Settle], list[int]]] = {"apart": _forces_apart, "together": _forces_together}


def shortened(derivation: Derivation) -> Derivation:
    """The same equations with everything tidied that can be, however long that takes."""
    M, f = _tidied(derivation.system, derivation.M, derivation.f, limit=None)
    return replace(derivation, M=M, f=f, form=f"{derivation.form}, shortened")


def _tidied(system: System, M: list[list[int]], f: list[int],
            limit: int | None = SHORT) -> tuple[list[list[int]], list[int]]:  # fmt: skip
    g, n = system.graph, len(f)
    entries = [Expr(g, M[i][j]) for i in range(n) for j in range(i + 1)] + [Expr(g, node) for node in f]
    if limit is not None and count_shared(entries).total > limit:
        return M, f
    nodes = iter([e.node for e in tidy(entries)])
    lower = [[next(nodes) for _ in range(i + 1)] for i in range(n)]
    return [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)], list(nodes)


def _cost(system: System, *rows: list[int]) -> int:
    """Operations of some rows of nodes, a sine or cosine counted as several."""
    count = count_shared([Expr(system.graph, node) for row in rows for node in row])
    return count.total + (TRIG_COST - 1) * count.trig
