"""Units of coordinates and speeds: a radian, or a length of the mechanism, so that steps in both can be compared.

A coordinate is an angle where a sine or cosine is taken of it, where a frame turns by it, or where it belongs to a
quaternion; all others count as lengths. In an assembly the length is the longest side of a box about the points of the
mechanism; in a run, that of its `Scales`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.products import norm
from latchwork.kane.equations import Equations
from latchwork.mechanics.frame import Cosines, Frame, Turn
from latchwork.mechanics.point import anchor
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.ops import COS, SIN, TAN
from latchwork.symbolic.traverse import cone, rebuild

if TYPE_CHECKING:
    from latchwork.constraint.terms import Base, Terms

Array = NDArray[np.float64]


class Units(NamedTuple):
    """One of each coordinate, and of each speed: what moves no coordinate by more than one in a unit of time."""

    q: Array
    u: Array


def units_at(terms: Terms, x: Array) -> Units:
    """Units at a state x = (t, q, u, rest): ``u_j = 1 / max_i |W_ij| / q_i``, where q̇ = W u + X."""
    lengths = ~np.array(terms.angles, dtype=bool)
    return units_of(np.where(lengths, length_at(terms, x, lengths), 1.0), terms.spread(x))


def units_of(q: Array, W: Array) -> Units:
    """Units of coordinates, and of the speeds that move them: ``u_j = 1 / max_i |W_ij| / q_i``."""
    moved = np.abs(W / q[:, None]).max(axis=0, initial=0.0)
    return Units(q, 1.0 / np.where((moved > 0.0) & np.isfinite(moved), moved, 1.0))


def length_at(terms: Terms, x: Array, lengths: NDArray[np.bool_]) -> float:
    """The length of the mechanism; where its points are all in one, the largest coordinate that is a length, or 1."""
    places = terms.base.places(x).reshape(-1, 3)
    places = places[np.isfinite(places).all(axis=1)]
    sides = places.max(axis=0, initial=0.0) - places.min(axis=0, initial=0.0)
    return float(sides.max()) or float(np.abs(x[1 : 1 + terms.sizes[0]][lengths]).max(initial=0.0)) or 1.0


def places_of(base: Base) -> Function:
    """Where the points of a mechanism are, as far as they are located by each other: x, y, z of each."""
    tree = base.equations.system.tree
    located = [point for point in tree.points.values() if anchor(point) is anchor(tree.origin)]
    nodes = [m.node for point in located for m in point.position().measures(tree.newtonian)]
    return Function(lower(tree.graph, rebuild(tree.graph, nodes, base.laws), base.arguments))


class Offsets(NamedTuple):
    """Ways from one point to the next, each as far as it is along one frame: x, y, z; and which of them move."""

    function: Function
    moving: NDArray[np.bool_]

    def sizes(self, x: Array) -> Array:
        """Their lengths at a state (t, q, u, rest)."""
        return np.asarray(norm(self.function(x).reshape(-1, 3), axis=1))


def offsets_of(base: Base) -> Offsets:
    """Ways from each point of a mechanism to the one that it is located by."""
    system, g = base.equations.system, base.equations.system.graph
    coordinates = {q.node for q in system.q}
    turning: dict[Frame | None, bool] = {None: False}
    for frame in system.tree.frames.values():
        turning[frame] = turning[frame.parent] or not coordinates.isdisjoint(cone(g, _nodes(frame.edge)))
    points = [point for point in system.tree.points.values() if point.located]
    steps = [part for point in points for part in point.offset.parts.items()]
    moving = [turning[frame] or not coordinates.isdisjoint(cone(g, nodes)) for frame, nodes in steps]
    nodes = rebuild(g, [node for _, three in steps for node in three], base.equations.derivation.kinematics.replaced)
    function = Function(lower(g, rebuild(g, nodes, base.laws), base.arguments))
    return Offsets(function, np.array(moving, dtype=bool))


def _nodes(edge: Turn | Cosines | None) -> list[int]:
    """What a frame turns by: an angle, or direction cosines."""
    if edge is None:
        return []
    return [edge.angle] if isinstance(edge, Turn) else [node for row in edge.matrix for node in row]


def gravity_of(base: Base) -> Function | None:
    """x, y, z of gravity, where there is one."""
    system, replaced = base.equations.system, base.equations.derivation.kinematics.replaced
    if system.gravity is None:
        return None
    nodes = rebuild(system.graph, [m.node for m in system.gravity.measures(system.tree.newtonian)], replaced)
    return Function(lower(system.graph, rebuild(system.graph, nodes, base.laws), base.arguments))


def angles_of(equations: Equations, phi: Iterable[int | None] = ()) -> tuple[bool, ...]:
    """Which coordinates are angles, or parts of quaternions, as equations, frames and rows Φ tell."""
    d, g = equations.derivation, equations.system.graph
    roots = [*d.kinematics.q_rates, *d.f, *(node for row in d.M for node in row)]
    roots += [node for node in phi if node is not None]
    edges = [frame.edge for frame in equations.system.tree.frames.values()]
    roots += [node for edge in edges if isinstance(edge, Cosines) for node in _nodes(edge)]
    turned = [g.nodes[i][1] for i in cone(g, roots) if g.nodes[i][0] in (SIN, COS, TAN)]
    turned += [node for edge in edges if isinstance(edge, Turn) for node in _nodes(edge)]
    under = {*cone(g, turned), *(e.node for four in equations.system.quaternions for e in four)}
    return tuple(q.node in under for q in equations.q)
