"""M link by link: moments of all that a joint moves, gathered from the tips inward, and the momenta it gives them.

With Π = [P S; Sᵀ m] of a carrier and everything beyond it, a speed that turns the carrier about λ gives the momenta

    H = J λ = tr(P) λ - P λ,   G = λ × S          and one that slides it along λ      H = S × λ,   G = m λ

which are handed down the tree: what they do on another joint's direction is an entry of M.
"""

from __future__ import annotations

from latchwork.kane.carriers import Carrier, Carriers
from latchwork.kane.moments import Links, Moments
from latchwork.kane.newton_euler import Wrench, act, at_parent, shifted
from latchwork.mechanics.algebra import Square, Triple, add3, cross3, scale3
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
            own = [ZERO] * n
            act(g, carrier, _momenta(g, carrier, composites[carrier], rate), own)
            for r in range(s + 1):
                same[r][s] = g.add(same[r][s], own[r])
            if carrier.parent is not carriers.ground:
                _hand_down(carriers, carrier, composites[carrier], rate, down[s])
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


def _hand_down(carriers: Carriers, carrier: Carrier, moments: Moments, rate: Triple, F: list[int]) -> None:
    """The momenta of a speed on the speeds of all carriers further in."""
    g, parent = carriers.g, carrier.parent
    assert parent is not None
    if not carrier.free and carrier.frame.carry(rate, parent.frame) == rate:  # the parent's moments are turned already
        momenta = shifted(g, _momenta(g, carrier, _turned(carrier, moments), rate), carrier.d)
    else:
        momenta = at_parent(g, carrier, _momenta(g, carrier, moments, rate))
    act(g, parent, momenta, F)
    while parent.parent is not None and parent.parent is not carriers.ground:
        momenta, parent = at_parent(g, parent, momenta), parent.parent
        act(g, parent, momenta, F)


def composite_moments(links: Links) -> dict[Carrier, Moments]:
    """Π of each carrier and all beyond it that turns with it; of the others only the mass."""
    g, found = links.carriers.g, dict(links.moments)
    for carrier in reversed(links.carriers.all):
        if carrier.parent is not None and carrier.parent is not links.carriers.ground:
            found[carrier.parent] = _joined(g, found[carrier.parent], _turned(carrier, found[carrier]), carrier.d)
    return found


def _turned(carrier: Carrier, own: Moments) -> Moments:
    """The moments in the parent's frame, about the same base; the mass alone where the carrier turns by itself."""
    assert carrier.parent is not None
    if carrier.free:
        return Moments(own.m)
    frame, other = carrier.frame, carrier.parent.frame
    return Moments(own.m, frame.carry(own.S, other), frame.carry_square(own.P, other))


def _joined(g: Graph, own: Moments, more: Moments, d: Triple) -> Moments:
    """Moments and those of something at d: m + m', S + S' + m' d, P + P' + S' d + d (S' + m' d)."""
    S = add3(g, more.S, scale3(g, more.m, d))
    P = {
        (i, j): g.add(g.add(own.P[i][j], g.add(g.mul(more.S[i], d[j]), g.mul(d[i], S[j]))), more.P[i][j])
        for i in range(3) for j in range(i, 3)
    }  # fmt: skip
    square: Square = tuple(tuple(P[min(i, j), max(i, j)] for j in range(3)) for i in range(3))  # type: ignore[assignment]
    return Moments(g.add(own.m, more.m), add3(g, own.S, S), square)
