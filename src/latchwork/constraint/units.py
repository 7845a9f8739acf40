"""Units of coordinates and speeds: a radian, or the length of the mechanism, so that steps in both can be compared.

A coordinate is an angle where a sine or cosine is taken of it, or where it belongs to a quaternion; all others count as
lengths. The length is the longest side of a box about the points of the mechanism.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    q = np.where(lengths, length_at(terms, x, lengths), 1.0)
    moved = np.abs(terms.spread(x) / q[:, None]).max(axis=0, initial=0.0)
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


def angles_of(terms: Terms) -> tuple[bool, ...]:
    """Which coordinates are angles, or parts of quaternions."""
    equations, g = terms.rows.equations, terms.rows.equations.system.graph
    d = equations.derivation
    roots = [*d.kinematics.q_rates, *d.f, *(node for row in d.M for node in row)]
    roots += [node for node in terms.rows.phi if node is not None]
    turned = [g.nodes[i][1] for i in cone(g, roots) if g.nodes[i][0] in (SIN, COS, TAN)]
    under = {*cone(g, turned), *(e.node for four in equations.system.quaternions for e in four)}
    return tuple(q.node in under for q in equations.q)
