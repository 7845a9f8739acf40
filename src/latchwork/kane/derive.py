"""Kane's equations of a system: several forms are written down, and the shortest is kept.

A form is the frames in which vectors are expressed (mixed, those of the bodies, the Newtonian frame), and for f the
recursion down the tree: loads and inertia forces summed apart, together, or, where masses are numbers, link by link
with base parameters. All forms are equal; which is kept is decided by counts of operations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property, partial

from latchwork.kane.composite import composite_mass_matrix, is_nested
from latchwork.kane.elastic_inertia import mass_matrix_of_elastic
from latchwork.kane.forces import inertia_wrenches, load_wrenches, mass_matrix, net_wrenches
from latchwork.kane.link_masses import mass_matrix_by_links
from latchwork.kane.moments import Links, base_links
from latchwork.kane.motion import FEW_SPEEDS, Local, Motion, Settle, mixed, newtonian
from latchwork.kane.newton_euler import link_forces
from latchwork.kane.speeds import Kinematics, solve_speeds
from latchwork.kane.wrenches import generalized_forces
from latchwork.mechanics.system import System
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.tidy import SHORT, tidy
from latchwork.symbolic.traverse import cone, count_nodes

BY_LINKS = "link by link"
BRIEF = 80  # cost of f up to which forms by two recursions are tidied
TRIG_COST = 10  # multiplications that a sine or cosine is worth


WriteM = Callable[[], list[list[int]]]
WriteF = Callable[[], list[int]]

@dataclass(frozen=True)
class ForceForm:
    """A form of f: the frames in which vectors were expressed, by name and as a function, and the recursion."""

    frames: str
    recursion: str
    settle: Settle
    f: list[int]
    cost: int  # operations, a sine or cosine counted as several

    def __str__(self) -> str:
        return f"{self.frames}, loads and inertia {self.recursion}"


@dataclass(frozen=True)
class Derivation:
    """M and f of M u̇ = f as nodes, written when first asked for, with the motion they come from and the form's name."""

    system: System
    kinematics: Kinematics
    motion: Motion
    settle: Settle
    write_M: WriteM
    write_f: WriteF
    form: str

    @cached_property
    def M(self) -> list[list[int]]:
        """Mass matrix."""
        return self.write_M()

    @cached_property
    def f(self) -> list[int]:
        """F_r - h."""
        return self.write_f()

    def with_values(self, M: list[list[int]], f: list[int], form: str,
                    kinematics: Kinematics | None = None) -> Derivation:  # fmt: skip
        """The same with another M and f, which are there already."""
        return replace(self, write_M=lambda: M, write_f=lambda: f, form=form, kinematics=kinematics or self.kinematics)


def derive(system: System) -> Derivation:
    """The shortest form of Kane's equations, F_r + F_r* = 0 as M u̇ = f.  [Gillespie Eq. 34]"""
    kinematics = solve_speeds(system)
    motion = Motion(system, kinematics)
    frames, links = _frames(system), base_links(motion)
    if len(frames) == 1:
        (name, settle), = frames.items()
        form = f"{name}, loads and inertia {'together' if links is None else BY_LINKS}"
        return Derivation(system, kinematics, motion, settle, *_writers(motion, settle, links), form)
    matrices = [_columns(motion)(motion, settle) for settle in frames.values()]
    if links is not None:
        matrices.append(mass_matrix_by_links(links))
    M = min(matrices, key=lambda rows: _cost(system, *rows))
    best: tuple[int, ForceForm, list[list[int]], list[int]] | None = None
    for each in _candidates(list(_force_forms(motion, frames, links))):
        rows, f = _tidied(system, M, each.f)
        cost, rows = _shortest_with(system, matrices if rows is M else [rows], f)  # too long to be tidied: all of them
        if best is None or cost < best[0]:
            best = cost, each, rows, f
    assert best is not None
    _, kept, rows, f = best
    return Derivation(system, kinematics, motion, kept.settle, lambda: rows, lambda: f, str(kept))


def _writers(motion: Motion, settle: Settle, links: Links | None) -> tuple[WriteM, WriteF]:
    """How M and f of many speeds are written down when they are asked for."""
    if links is None:
        return (lambda: _columns(motion)(motion, settle)), partial(_forces_together, motion, settle)
    return partial(mass_matrix_by_links, links), partial(link_forces, motion, links)


def _columns(motion: Motion) -> Callable[[Motion, Settle], list[list[int]]]:
    """How M is formed: from composite bodies where the points allow it; elastic bodies add their share."""
    rigid = composite_mass_matrix if is_nested(motion) else mass_matrix
    return partial(_with_elastic, rigid) if motion.system.elastic_bodies else rigid


def _with_elastic(rigid: Callable[[Motion, Settle], list[list[int]]], motion: Motion,
                  settle: Settle) -> list[list[int]]:  # fmt: skip
    pairs = zip(rigid(motion, settle), mass_matrix_of_elastic(motion, settle), strict=True)
    return [[motion.g.add(a, b) for a, b in zip(*rows, strict=True)] for rows in pairs]


def _shortest_with(system: System, matrices: list[list[list[int]]], f: list[int]) -> tuple[int, list[list[int]]]:
    """The form of M that is shortest together with f, and the cost of both: what they have in common decides."""
    g = system.graph
    of_f = set(cone(g, f))
    costs = [_cost_of(g, cone(g, [node for row in rows for node in row], of_f)) for rows in matrices]
    least = min(costs)
    return least + _cost_of(g, of_f), matrices[costs.index(least)]


def _candidates(forms: list[ForceForm]) -> list[ForceForm]:
    """The cheapest f; besides, the cheapest by another recursion if f is brief, or if the cheapest is that by links,
    which has few operations in common with M."""
    ranked = sorted(forms, key=lambda form: form.cost)
    other = next((form for form in ranked if form.recursion != ranked[0].recursion), None)
    if other is None or (ranked[0].cost > BRIEF and ranked[0].recursion != BY_LINKS):
        return ranked[:1]
    return [ranked[0], other]


def _frames(system: System) -> dict[str, Settle]:
    """In which frames vectors may be expressed. Long chains that turn about one axis are shortest in N, others in the
    frames of the bodies."""
    if len(system.u) <= FEW_SPEEDS:
        return {"mixed frames": mixed, "Newtonian frame": newtonian, "local frames": Local(system)}
    return {"local frames": Local(system)}


def _force_forms(motion: Motion, frames: dict[str, Settle], links: Links | None) -> Iterable[ForceForm]:
    """f by every recursion, in all frames."""
    for recursion, write in RECURSIONS.items():
        for name, settle in frames.items():
            f = write(motion, settle)
            yield ForceForm(name, recursion, settle, f, _cost(motion.system, f))
    if links is not None:
        f = link_forces(motion, links)
        yield ForceForm("local frames", BY_LINKS, frames["local frames"], f, _cost(motion.system, f))


def _forces_apart(motion: Motion, settle: Settle) -> list[int]:
    """f = F_r - h."""
    F = generalized_forces(load_wrenches(motion, settle), settle)
    h = generalized_forces(inertia_wrenches(motion, settle), settle)
    return [motion.g.sub(a, b) for a, b in zip(F, h, strict=True)]


def _forces_together(motion: Motion, settle: Settle) -> list[int]:
    """f by handing loads less inertia down the tree."""
    return generalized_forces(net_wrenches(motion, settle), settle)


RECURSIONS: dict[str, Callable[[Motion, Settle], list[int]]] = {"apart": _forces_apart, "together": _forces_together}


def shortened(derivation: Derivation) -> Derivation:
    """The same equations with everything tidied that can be, however long that takes."""
    M, f = _tidied(derivation.system, derivation.M, derivation.f, limit=None)
    return derivation.with_values(M, f, f"{derivation.form}, shortened")


def _tidied(system: System, M: list[list[int]], f: list[int],
            limit: int | None = SHORT) -> tuple[list[list[int]], list[int]]:  # fmt: skip
    g, n = system.graph, len(f)
    entries = [M[i][j] for i in range(n) for j in range(i + 1)] + f
    if limit is not None and count_nodes(g, cone(g, entries)).total > limit:
        return M, f
    nodes = iter([e.node for e in tidy([Expr(g, node) for node in entries])])
    lower = [[next(nodes) for _ in range(i + 1)] for i in range(n)]
    return [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)], list(nodes)


def _cost(system: System, *rows: list[int]) -> int:
    """Operations of some rows of nodes with all that they are made of."""
    return _cost_of(system.graph, cone(system.graph, [node for row in rows for node in row]))


def _cost_of(g: Graph, nodes: Iterable[int]) -> int:
    """Operations of these nodes, a sine or cosine counted as several."""
    count = count_nodes(g, nodes)
    return count.total + (TRIG_COST - 1) * count.trig
