"""Forces link by link: accelerations from the ground outward, forces from the tips inward (Newton and Euler).

The acceleration at r of a carrier is a + U r with U = [α×] + [ω×][ω×], so that with the moments Π = [P S; Sᵀ m]

    a ← a + U d + 2 ω × ḋ + d̈,        f = U S + m a,        n = Σ_i e_i × (U P)ᵢ + S × a

where (U P)ᵢ is column i: n is the skew part of ∫ r̈ rᵀ dm. Products of ω are formed once for each frame.
"""

from __future__ import annotations

from collections.abc import Iterable

from latchwork.kane.carriers import Carrier, Carriers, NotATree
from latchwork.kane.forces import applied_loads
from latchwork.kane.moments import Links, Moments
from latchwork.kane.motion import Local, Motion
from latchwork.kane.wrenches import Wrenches, generalized_forces
from latchwork.mechanics.algebra import NULL, Square, Triple, add3, cross3, dot3, matvec, scale3
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.loads import Load
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import MINUS_ONE, TWO, ZERO
from latchwork.symbolic.traverse import cone, count_nodes

Wrench = tuple[Triple, Triple]  # moment about the base, force


def link_forces(motion: Motion, links: Links, added: Iterable[Load] = ()) -> list[int]:
    """Loads less inertia, F_r - M u̇ - h, for the motion's u̇ (0, or symbols where it is ``accelerating``).

    Loads are handed down with the inertia forces or by themselves, whichever is shorter: efforts inside joints cancel
    at once by themselves, forces from outside are handed down once together.
    """
    g, settle = motion.g, Local(motion.system)
    loads = applied_loads(motion, settle, added)
    inertia = dict(inertia_by_link(motion, links))
    F = generalized_forces(loads, settle)
    apart = [g.sub(a, b) for a, b in zip(F, _handed_down(links, inertia), strict=True)]
    try:
        apply(links.carriers, inertia, loads, MINUS_ONE)
    except NotATree:
        return apart
    together = [g.neg(value) for value in _handed_down(links, inertia)]
    return min(apart, together, key=lambda column: count_nodes(g, cone(g, column)).total)


def apply(carriers: Carriers, wrenches: dict[Carrier, Wrench], loads: Wrenches, sign: int) -> None:
    """Forces at points and torques on frames join the wrenches of the carriers that they act on; efforts have none."""
    g = carriers.g
    if loads.efforts:
        raise NotATree
    for point, force in loads.forces.items():
        carrier, x = carriers.place[point]
        if carrier is not carriers.ground:
            a = scale3(g, sign, force.components(carrier.frame))
            n, f = wrenches[carrier]
            wrenches[carrier] = add3(g, n, cross3(g, x, a)), add3(g, f, a)
    for frame, torque in loads.torques.items():
        turned = carriers.turning_with(frame)
        if turned is not None:
            n, f = wrenches[turned]
            wrenches[turned] = add3(g, n, scale3(g, sign, torque)), f


def _handed_down(links: Links, own: dict[Carrier, Wrench]) -> list[int]:
    """Σ over the links of their wrenches on all speeds."""
    g, carriers, wrenches = links.carriers.g, links.carriers, dict(own)
    F = [ZERO] * len(carriers.motion.speeds)
    for carrier in reversed(carriers.all):
        act(g, carrier, wrenches[carrier], F)
        parent = carrier.parent
        if parent is not None and parent is not carriers.ground:
            (n, f), (dn, df) = wrenches[parent], at_parent(g, carrier, wrenches[carrier])
            wrenches[parent] = add3(g, n, dn), add3(g, f, df)
    return F


def act(g: Graph, carrier: Carrier, wrench: Wrench, F: list[int]) -> None:
    """F_r += λ · n or λ · f for the speeds of a carrier."""
    n, f = wrench
    for r, rate in carrier.turns.items():
        F[r] = g.add(F[r], dot3(g, rate, n))
    for r, rate in carrier.slides.items():
        F[r] = g.add(F[r], dot3(g, rate, f))


def at_parent(g: Graph, carrier: Carrier, wrench: Wrench) -> Wrench:
    """A carrier's wrench on its parent; no torque where it turns by itself."""
    (n, f), parent = wrench, carrier.parent
    assert parent is not None
    n = NULL if carrier.free else carrier.frame.carry(n, parent.frame)
    return shifted(g, (n, carrier.frame.carry(f, parent.frame)), carrier.d)


def shifted(g: Graph, wrench: Wrench, d: Triple) -> Wrench:
    """A wrench at d: n + d × f, f."""
    n, f = wrench
    return add3(g, n, cross3(g, d, f)), f


def inertia_by_link(motion: Motion, links: Links) -> dict[Carrier, Wrench]:
    """(n, f) of every carrier's own moments about its base, gravity as an upward acceleration of the origin."""
    return motion.kept((inertia_by_link, links), lambda: _inertia_by_link(motion, links))


def _inertia_by_link(motion: Motion, links: Links) -> dict[Carrier, Wrench]:
    g, gravity = motion.g, motion.system.gravity
    carriers, ground = links.carriers, links.carriers.ground
    rest = NULL if gravity is None else (-gravity.rebuilt(motion.kinematics.replaced)).components(ground.frame)
    a: dict[Carrier, Triple] = {ground: rest}
    found: dict[Carrier, Wrench] = {}
    for carrier in carriers.all:
        parent = carrier.parent
        assert parent is not None
        a[carrier] = parent.frame.carry(add3(g, a[parent], _relative(motion, parent.frame, carrier.d)), carrier.frame)
        found[carrier] = _wrench(g, spread(motion, carrier.frame), links.moments[carrier], a[carrier])
    return found


def _relative(motion: Motion, frame: Frame, d: Triple) -> Triple:
    """U d + 2 ω × ḋ + d̈ of a place in a frame."""
    g = motion.g
    if d == NULL:
        return NULL
    at_rest = matvec(g, spread(motion, frame), d)
    rate = motion.rate(d)
    if rate == NULL:
        return at_rest
    coriolis = scale3(g, TWO, cross3(g, motion.w[frame], rate))
    return add3(g, add3(g, at_rest, coriolis), motion.rate(rate))


def spread(motion: Motion, frame: Frame) -> Square:
    """U = [α×] + [ω×][ω×], measures in the frame."""
    return motion.kept((spread, frame), lambda: _spread(motion, frame))


def _spread(motion: Motion, frame: Frame) -> Square:
    g = motion.g
    (x, y, z), (p, q, r) = motion.w[frame], motion.alpha_t[frame]
    mul, add, sub = g.mul, g.add, g.sub
    xx, yy, zz, xy, yz, zx = mul(x, x), mul(y, y), mul(z, z), mul(x, y), mul(y, z), mul(z, x)
    return (
        (g.neg(add(yy, zz)), sub(xy, r), add(zx, q)),
        (add(xy, r), g.neg(add(xx, zz)), sub(yz, p)),
        (sub(zx, q), add(yz, p), g.neg(add(xx, yy))),
    )


def _wrench(g: Graph, U: Square, moments: Moments, a: Triple) -> Wrench:
    """n = Σ e_i × (U P)ᵢ + S × a, f = U S + m a."""
    n = tuple(_skew(g, U, moments.P, (i + 1) % 3, (i + 2) % 3) for i in range(3))
    f = add3(g, matvec(g, U, moments.S), scale3(g, moments.m, a))
    return add3(g, n, cross3(g, moments.S, a)), f  # type: ignore[arg-type]


def _skew(g: Graph, U: Square, P: Square, j: int, k: int) -> int:
    """(U P)_kj - (U P)_jk, the product of P_jk with U_kk - U_jj taken once."""
    i = 3 - j - k
    total = g.mul(P[j][k], g.sub(U[k][k], U[j][j]))
    for u, p in ((U[k][i], P[i][j]), (U[k][j], P[j][j])):
        total = g.add(total, g.mul(u, p))
    for u, p in ((U[j][i], P[i][k]), (U[j][k], P[k][k])):
        total = g.sub(total, g.mul(u, p))
    return total
