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

from latchwork.kane.carriers import Carrier, Carriers, NotATree
from latchwork.kane.motion import Motion
from latchwork.mechanics.algebra import NULL, UNITS, Square, Triple
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Turn
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import HALF, ONE, ZERO

ROUNDING = 1e-15  # of tr(J): what is left of a difference that should be zero

Rows = list[list[int]]  # of a 4 x 4 matrix of constants


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
    found: dict[Carrier, Rows] = {}
    for carrier in carriers.all:
        if not _are_numbers([carrier.mass, *carrier.S, *(node for row in carrier.J for node in row)]):
            return None
        found[carrier] = _numbers(g, carrier)
    massive = [carrier for carrier in carriers.all if _is_massive(found[carrier])]
    loaded = {carriers.ground, *(_rests_on(carriers, carrier) for carrier in massive)}
    for carrier in reversed(carriers.all):
        _hand_over(carriers, carrier, found, loaded)
    return {carrier: _nodes(g, moments) for carrier, moments in found.items()}


def _are_numbers(nodes: Iterable[int]) -> bool:
    return all(node < 0 for node in nodes)


def _is_massive(moments: Rows) -> bool:
    return any(node != ZERO for row in moments for node in row)


def _numbers(g: Graph, carrier: Carrier) -> Rows:
    """Π of a carrier, P = ½ tr(J) U - J."""
    J, S = carrier.J, carrier.S
    trace = g.add(g.add(J[0][0], J[1][1]), J[2][2])
    half, least = g.mul(HALF, trace), ROUNDING * g.value(trace)
    P = [[g.sub(half if i == j else ZERO, J[i][j]) for j in range(3)] for i in range(3)]
    P = [[ZERO if abs(g.value(node)) < least else node for node in row] for row in P]
    return [*([*row, S[i]] for i, row in enumerate(P)), [*S, carrier.mass]]


def _nodes(g: Graph, moments: Rows) -> Moments:
    """Π, symmetric but for rounding, as its symmetric part."""
    rows = [[g.mul(HALF, g.add(moments[i][j], moments[j][i])) for j in range(4)] for i in range(4)]
    P: Square = tuple((row[0], row[1], row[2]) for row in rows[:3])  # type: ignore[assignment]
    return Moments(rows[3][3], (rows[3][0], rows[3][1], rows[3][2]), P)


def _hand_over(carriers: Carriers, carrier: Carrier, found: dict[Carrier, Rows], loaded: set[Carrier]) -> None:
    """Π_parent += T Π Tᵀ of the moments that stay in place in the parent; they leave the carrier."""
    parent, g = carrier.parent, carriers.g
    assert parent is not None
    kept = _in_place(carriers, carrier)
    if not kept or _rests_on(carriers, parent) not in loaded:
        return
    moved = [[found[carrier][i][j] if i in kept and j in kept else ZERO for j in range(4)] for i in range(4)]
    for i in kept:
        for j in kept:
            found[carrier][i][j] = ZERO
    if parent is not carriers.ground:
        T = _pose(carriers, carrier)
        added = _times_transposed(g, _times_transposed(g, T, moved), T)  # moved is symmetric
        found[parent] = [[g.add(a, b) for a, b in zip(*rows, strict=True)]
                         for rows in zip(found[parent], added, strict=True)]  # fmt: skip


def _times_transposed(g: Graph, A: Rows, B: Rows) -> Rows:
    """A Bᵀ."""
    def dot(a: list[int], b: list[int]) -> int:
        total = ZERO
        for x, y in zip(a, b, strict=True):
            total = g.add(total, g.mul(x, y))
        return total

    return [[dot(a, b) for b in B] for a in A]


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


def _pose(carriers: Carriers, carrier: Carrier) -> Rows:
    """T with (r, 1) in the parent = T (r, 1), where a joint that turns stands at zero; P is handed over as it is."""
    T, frame = [[ONE if i == j else ZERO for j in range(4)] for i in range(4)], carrier.frame
    assert carrier.parent is not None
    if carrier.slides:
        return T
    standing = frame if carriers.motion.frame_edges[frame].spin == NULL else frame.parent
    if standing is not None and _follows(carriers, carrier):
        columns = [standing.carry(unit, carrier.parent.frame) for unit in UNITS]
        for i in range(3):
            T[i][:3] = [column[i] for column in columns]
    for i in range(3):
        T[i][3] = carrier.d[i]
    return T
