"""M link by link: moments of all that a joint moves, gathered from the tips inward, and the momenta it gives them.

With Π = [P S; Sᵀ m] of a carrier and everything beyond it, a speed that turns the carrier about λ gives the momenta

    H = J λ = tr(P) λ - P λ,   G = λ × S          and one that slides it along λ      H = S × λ,   G = m λ

which are handed down the tree: what they do on another joint's direction is an entry of M.
"""

from __future__ import annotations

from latchwork.kane.carriers import Carrier, Carriers
from latchwork.kane.moments import Links, Moments
from latchwork.kane.newton_euler import Wrench, act, at_parent
from latchwork.mechanics.algebra import NULL, Square, Triple, add3, cross3, scale3
from latchwork.mechanics.vector import add_squares
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ZERO

Rows = list[list[int]]


def mass_matrix_by_links(links: Links) -> Rows:
    """M: the momenta of every speed, handed down; pairs of speeds on one carrier are counted once."""
    carriers = links.carriers
    g, n = carriers.g, len(carriers.motion.speeds)
    composites = composite_moments(links)
    same = [[ZERO] * n for _ in range(n)]  # both speeds on one carrier
    down = [[ZERO] * n for _ in range(n)]  # down[s][r]: the carrier of u_r further in than the carrier of u_s
    for carrier in carriers.all:
        for s, rate in (*carrier.turns.items(), *carrier.slides.items()):
            momenta = _momenta(g, carrier, composites[carrier], rate)
            own = [ZERO] * n
            act(g, carrier, momenta, own)
            for r in range(s + 1):
                same[r][s] = g.add(same[r][s], own[r])
            _hand_down(carriers, carrier, momenta, down[s])
    return [[g.add(same[min(r, s)][max(r, s)], g.add(down[r][s], down[s][r])) for s in range(n)] for r in range(n)]


def _momenta(g: Graph, carrier: Carrier, moments: Moments, rate: Triple) -> Wrench:
    """(H, G) about the carrier's base of what moves with a speed of the carrier."""
    if carrier.slides:
        return cross3(g, moments.S, rate), scale3(g, moments.m, rate)
    P = moments.P
    H = [ZERO, ZERO, ZERO]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        H[i] = g.mul(g.add(P[j][j], P[k][k]), rate[i]) if rate[i] != ZERO else ZERO
        for m in (j, k):
            H[i] = g.sub(H[i], g.mul(P[i][m], rate[m]))
    return (H[0], H[1], H[2]), cross3(g, rate, moments.S)


def _hand_down(carriers: Carriers, carrier: Carrier, momenta: Wrench, F: list[int]) -> None:
    while carrier.parent is not None and carrier.parent is not carriers.ground:
        momenta, carrier = at_parent(carriers.g, carrier, momenta), carrier.parent
        act(carriers.g, carrier, momenta, F)


def composite_moments(links: Links) -> dict[Carrier, Moments]:
    """Π of each carrier and all beyond it that turns with it; of the others only the mass."""
    g, found = links.carriers.g, dict(links.moments)
    for carrier in reversed(links.carriers.all):
        if carrier.parent is not None and carrier.parent is not links.carriers.ground:
            before, seen = found[carrier.parent], _seen_by_parent(g, carrier, found[carrier])
            P = add_squares(g, before.P, seen.P)
            found[carrier.parent] = Moments(g.add(before.m, seen.m), add3(g, before.S, seen.S), P)
    return found


def _seen_by_parent(g: Graph, carrier: Carrier, own: Moments) -> Moments:
    """S' = S + m d, P' = P + S d + d S' in the parent's frame."""
    assert carrier.parent is not None
    S, P = NULL, (NULL, NULL, NULL)
    if not carrier.free:
        S, P = carrier.frame.carry(own.S, carrier.parent.frame), carrier.frame.carry_square(own.P, carrier.parent.frame)
    moved = add3(g, S, scale3(g, own.m, carrier.d))
    return Moments(own.m, moved, _with_outer(g, P, S, carrier.d, moved))


def _with_outer(g: Graph, P: Square, S: Triple, d: Triple, moved: Triple) -> Square:
    """P + S d + d S', symmetric by construction."""
    entries = {
        (i, j): g.add(P[i][j], g.add(g.mul(S[i], d[j]), g.mul(d[i], moved[j]))) for i in range(3) for j in range(i, 3)
    }
    return tuple(tuple(entries[min(i, j), max(i, j)] for j in range(3)) for i in range(3))  # type: ignore[return-value]
