"""Moments of the masses on each carrier, and which of them a parent can take over.

With r from a carrier's base, measures in its frame, a rigid piece is known by the moments of its mass,

    Π = ∫ (r, 1) (r, 1)ᵀ dm = [P S; Sᵀ m],      J = tr(P) U - P

Masses on the axis of a turning joint stay where they are when the joint turns, so that it makes no difference to the
equations of motion which of the two bodies they belong to: m, S_k and P_kk of a body that turns about axis k may as
well belong to its parent, at the joint. Of a body on a ball this is the mass at its base; of one that slides it is P,
for it turns with its parent. What reaches the ground is at rest and drops out. The moments that are left are the base
parameters of Gautier and Khalil. They are no body's own, so nothing but M, f and u̇ may be made from them: the forces
inside joints need the true ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from latchwork.kane.carriers import Carrier, Carriers, NotATree
from latchwork.kane.motion import Motion
from latchwork.mechanics.algebra import NULL, UNITS, Square, Triple
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Turn
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ZERO

ROUNDING = 1e-15  # of tr(J): what is left of a difference that should be zero

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Π as nodes: the mass m, its first moment S, its second moment P."""

    m: int = ZERO
    S: Triple = NULL
    P: Square = (NULL, NULL, NULL)

    def inertia(self, g: Graph) -> Square:
        """J = tr(P) U - P."""
        P = self.P
        diagonal = [g.add(P[(i + 1) % 3][(i + 1) % 3], P[(i + 2) % 3][(i + 2) % 3]) for i in range(3)]
        rows = [[diagonal[i] if i == j else g.neg(P[i][j]) for j in range(3)] for i in range(3)]
        return tuple(tuple(row) for row in rows)  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Links:
    """A mechanism link by link: its carriers, and the moments of each."""

    carriers: Carriers
    moments: dict[Carrier, Moments]


def base_links(motion: Motion) -> Links | None:
    """The links with base moments; None where masses and lengths are no numbers, or the points are no tree."""
    system = motion.system
    if not system.bodies or system.elastic_bodies or not all(_is_fixed(body) for body in system.bodies):
        return None
    return motion.kept(base_links, lambda: _base_links(motion))


def _base_links(motion: Motion) -> Links | None:
    try:
        carriers = Carriers(motion)
    except NotATree:
        return None
    moments = base_moments(carriers)
    return None if moments is None else Links(carriers, moments)


def _is_fixed(body: Body) -> bool:
    """Whether the mass is a number, and the inertia is written in the body's own frame."""
    parts = [] if body.inertia is None else list(body.inertia.parts)
    return body.mass.is_constant and all(left is body.frame is right for left, right in parts)


def base_moments(carriers: Carriers) -> dict[Carrier, Moments] | None:
    """The moments left to each carrier when parents have taken over what they can; None where they are not numbers."""
    g = carriers.g
    found: dict[Carrier, Array] = {}
    for carrier in carriers.all:
        if not _are_numbers([carrier.mass, *carrier.S, *(node for row in carrier.J for node in row)]):
            return None
        found[carrier] = _numbers(g, carrier)
    loaded = {carriers.ground, *(_rests_on(carriers, carrier) for carrier in carriers.all if found[carrier].any())}
    for carrier in reversed(carriers.all):
        _hand_over(carriers, carrier, found, loaded)
    return {carrier: _nodes(g, moments) for carrier, moments in found.items()}


def _are_numbers(nodes: Iterable[int]) -> bool:
    return all(node < 0 for node in nodes)


def _numbers(g: Graph, carrier: Carrier) -> Array:
    """Π of a carrier, P = ½ tr(J) U - J."""
    J = np.array([[g.value(node) for node in row] for row in carrier.J])
    P = 0.5 * np.trace(J) * np.eye(3) - J
    P[np.abs(P) < ROUNDING * np.trace(J)] = 0.0
    S = np.array([[g.value(node) for node in carrier.S]])
    return np.block([[P, S.T], [S, np.array([[g.value(carrier.mass)]])]])


def _nodes(g: Graph, moments: Array) -> Moments:
    rows = [[g.constant(float(x)) for x in row] for row in (moments + moments.T) / 2.0]
    P: Square = tuple((row[0], row[1], row[2]) for row in rows[:3])  # type: ignore[assignment]
    return Moments(rows[3][3], (rows[3][0], rows[3][1], rows[3][2]), P)


def _hand_over(carriers: Carriers, carrier: Carrier, found: dict[Carrier, Array], loaded: set[Carrier]) -> None:
    """Π_parent += T Π Tᵀ of the moments that stay in place in the parent; they leave the carrier."""
    parent = carrier.parent
    assert parent is not None
    kept = _in_place(carriers, carrier)
    if not kept or _rests_on(carriers, parent) not in loaded:
        return
    block = np.ix_(kept, kept)
    moved = np.zeros((4, 4))
    moved[block] = found[carrier][block]
    found[carrier][block] = 0.0
    if parent is not carriers.ground:
        T = _pose(carriers, carrier)
        found[parent] = found[parent] + T @ moved @ T.T


def _in_place(carriers: Carriers, carrier: Carrier) -> list[int]:
    """Rows of Π that are the same in the parent whatever the joint does; none where the base moves in the parent."""
    if carrier.slides:
        return [0, 1, 2]
    if not _are_numbers(carrier.d):
        return []
    if not _follows(carriers, carrier):
        return [3]
    if carriers.motion.frame_edges[carrier.frame].spin == NULL:
        return [0, 1, 2, 3]
    edge = carrier.frame.edge
    return [edge.axis, 3] if isinstance(edge, Turn) else [3]


def _follows(carriers: Carriers, carrier: Carrier) -> bool:
    """Whether the frame that a carrier turns in is fixed in its parent."""
    assert carrier.parent is not None
    inboard, parent = carrier.frame.parent, carrier.parent.frame
    return inboard is parent or (inboard not in carriers.moving and parent not in carriers.moving)


def _rests_on(carriers: Carriers, carrier: Carrier) -> Carrier:
    """The carrier itself, or the first before it that moves relative to its parent."""
    while carrier.parent is not None and len(_in_place(carriers, carrier)) == 4:
        carrier = carrier.parent
    return carrier


def _pose(carriers: Carriers, carrier: Carrier) -> Array:
    """T with (r, 1) in the parent = T (r, 1), where a joint that turns stands at zero; P is handed over as it is."""
    g, T, frame = carriers.g, np.eye(4), carrier.frame
    assert carrier.parent is not None
    if carrier.slides:
        return T
    T[:3, 3] = [g.value(node) for node in carrier.d]
    standing = frame if carriers.motion.frame_edges[frame].spin == NULL else frame.parent
    if standing is not None and _follows(carriers, carrier):
        columns = [standing.carry(unit, carrier.parent.frame) for unit in UNITS]
        T[:3, :3] = np.array([[g.value(node) for node in column] for column in columns]).T
    return T
