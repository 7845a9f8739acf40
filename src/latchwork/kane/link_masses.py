"""M link by link: mass, first moment and inertia of all that a joint moves, and the momenta it gives them.

With m, S and J about the base of a carrier, of itself and everything beyond it, a speed that turns it about λ gives

    H = J λ,   G = λ × S          and one that slides it along λ      H = S × λ,   G = m λ

which are handed down the tree: what these momenta do on another joint's direction is an entry of M.
"""

from __future__ import annotations

from dataclasses import dataclass

from latchwork.kane.carriers import EMPTY, Carrier, Carriers
from latchwork.kane.moments import Links
from latchwork.kane.newton_euler import Wrench, act, at_parent, shifted
from latchwork.mechanics.algebra import NULL, Square, Triple, add3, cross3, matvec, scale3
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ZERO

Rows = list[list[int]]


@dataclass(frozen=True)
class Composite:
    """What moves with a carrier, about its base."""

    m: int
    S: Triple = NULL
    J: Square = EMPTY


def mass_matrix_by_links(links: Links) -> Rows:
    """M: the momenta of every speed, handed down; pairs of speeds on one carrier are counted once."""
    carriers = links.carriers
    g, n = carriers.g, len(carriers.motion.speeds)
    composites = _composites(links)
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


def _momenta(g: Graph, carrier: Carrier, beyond: Composite, rate: Triple) -> Wrench:
    """(H, G) about the carrier's base of what moves with a speed of the carrier."""
    if carrier.slides:
        return cross3(g, beyond.S, rate), scale3(g, beyond.m, rate)
    return matvec(g, beyond.J, rate), cross3(g, rate, beyond.S)


def _hand_down(carriers: Carriers, carrier: Carrier, beyond: Composite, rate: Triple, F: list[int]) -> None:
    """The momenta of a speed on the speeds of all carriers further in."""
    g, parent = carriers.g, carrier.parent
    assert parent is not None
    if not carrier.free and carrier.frame.carry(rate, parent.frame) == rate:  # S and J are turned for the parent anyway
        momenta = shifted(g, _momenta(g, carrier, _turned(carrier, beyond), rate), carrier.d)
    else:
        momenta = at_parent(g, carrier, _momenta(g, carrier, beyond, rate))
    act(g, parent, momenta, F)
    while parent.parent is not None and parent.parent is not carriers.ground:
        momenta, parent = at_parent(g, parent, momenta), parent.parent
        act(g, parent, momenta, F)


def _composites(links: Links) -> dict[Carrier, Composite]:
    """Each carrier and all beyond it that turns with it; of the others only the mass."""
    g = links.carriers.g
    found = {carrier: Composite(own.m, own.S, own.inertia(g)) for carrier, own in links.moments.items()}
    for carrier in reversed(links.carriers.all):
        if carrier.parent is not None and carrier.parent is not links.carriers.ground:
            found[carrier.parent] = _joined(g, found[carrier.parent], _turned(carrier, found[carrier]), carrier.d)
    return found


def _turned(carrier: Carrier, own: Composite) -> Composite:
    """The same in the parent's frame, about the same base; the mass alone where the carrier turns by itself."""
    assert carrier.parent is not None
    if carrier.free:
        return Composite(own.m)
    frame, other = carrier.frame, carrier.parent.frame
    return Composite(own.m, frame.carry(own.S, other), frame.carry_square(own.J, other))


def _joined(g: Graph, own: Composite, more: Composite, d: Triple) -> Composite:
    """A composite and another at d: with T = S' + m' d,

    m + m',   S + T,   J + J' + (S' + T)·d U - S' d - d T
    """
    T = add3(g, more.S, scale3(g, more.m, d))
    spread = [g.mul(g.add(more.S[k], T[k]), d[k]) for k in range(3)]
    J = [list(row) for row in own.J]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        J[i][i] = g.add(g.add(J[i][i], g.add(spread[j], spread[k])), more.J[i][i])
        product = g.add(g.mul(more.S[i], d[j]), g.mul(d[i], T[j]))
        J[i][j] = J[j][i] = g.add(g.sub(J[i][j], product), more.J[i][j])
    square: Square = tuple(tuple(row) for row in J)  # type: ignore[assignment]
    return Composite(g.add(own.m, more.m), add3(g, own.S, T), square)
