"""u̇ of a tree without its mass matrix: one sweep in, one sweep out, so the cost grows with the number of bodies.

Seen at its base, everything beyond a joint answers an acceleration (α, a) with the wrench

    n = J α + B a - n0,   f = Bᵀ α + A a - f0

(an articulated body). Along a joint's own direction λ the wrench is free, which gives its speed's derivative in terms
of the acceleration of the parent, and what is left of the body for the parent to carry:

    U = I λ,   D = λ·U,   u̇ = (λ·p - U·(α, a)) / D,   I ← I - U Uᵀ / D,   p ← p - U (λ·p) / D

The loads p are those of the mechanism less its inertia forces at u̇ = 0, so velocities do not enter the sweeps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from latchwork.kane.carriers import Carrier, Carriers, NotATree, plane_of
from latchwork.kane.forces import applied_loads, net_wrenches
from latchwork.kane.moments import Links, base_links
from latchwork.kane.motion import FEW_SPEEDS, Local, Motion
from latchwork.kane.newton_euler import Wrench, apply, inertia_by_link
from latchwork.kane.wrenches import Wrenches
from latchwork.mechanics.algebra import (
    ACROSS,
    NULL,
    UNITS,
    Square,
    Triple,
    add3,
    cross3,
    dot3,
    matmul,
    matvec,
    scale3,
    sub3,
    transpose,
)  # fmt: skip
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.loads import Load
from latchwork.mechanics.vector import add_squares
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import chain_of_nodes, cone, count_nodes, reachable

Pair = tuple[Triple, Triple]  # rotational part, translational part


@dataclass
class Articulated:
    """Inertia (J, B, A) and load (n, f) about a carrier's base, measures in its frame."""

    J: Square
    B: Square
    A: Square
    n: Triple = NULL
    f: Triple = NULL


@dataclass(frozen=True)
class Joint:
    """What an eliminated speed leaves behind for the sweep out: u̇ = τ - u·(α, a)."""

    speed: int
    direction: Pair
    u: Pair
    tau: int


@dataclass(frozen=True)
class Swept:
    """u̇ by sweeps, all that it takes, and the measures of the loads less inertia that it is made from."""

    g: Graph
    udot: list[int]
    loads: list[int]

    @cached_property
    def reached(self) -> list[int]:
        return reachable(self.g, self.udot)

    @cached_property
    def operations(self) -> int:
        return count_nodes(self.g, self.reached).total

    @cached_property
    def chain(self) -> int:
        """Operations that wait for each other."""
        return chain_of_nodes(self.g, self.reached)

    @property
    def operations_of_loads(self) -> int:
        """Those of loads less inertia, which f needs as well; what is not handed on, as to the ground, is left out."""
        return count_nodes(self.g, {*self.reached}.intersection(cone(self.g, self.loads))).total


def swept_udot(motion: Motion, added: tuple[Load, ...] = ()) -> Swept:
    """u̇ carrier by carrier, from base moments or from the bodies as they are; NotATree where the mechanism is none."""
    links = base_links(motion)
    forms = [] if links is None else [_from_moments(links, added)]
    if links is None or len(motion.speeds) <= FEW_SPEEDS:
        forms.append(_from_bodies(Carriers(motion) if links is None else links.carriers, added))
    return forms[0] if len(forms) == 1 else min(forms, key=lambda form: form.operations)


def _from_bodies(carriers: Carriers, added: tuple[Load, ...]) -> Swept:
    g, motion = carriers.g, carriers.motion
    bodies = {carrier: _rigid(g, carrier.mass, carrier.S, carrier.J) for carrier in carriers.all}
    loads = net_wrenches(motion, Local(motion.system), added)
    _load(carriers, bodies, loads, {})
    return Swept(g, _sweep(carriers, bodies), loads.nodes())


def _from_moments(links: Links, added: tuple[Load, ...]) -> Swept:
    carriers, motion = links.carriers, links.carriers.motion
    g = carriers.g
    bodies = {carrier: _rigid(g, own.m, own.S, own.inertia(g)) for carrier, own in links.moments.items()}
    loads, inertia = applied_loads(motion, Local(motion.system), added), inertia_by_link(motion, links)
    _load(carriers, bodies, loads, inertia)
    measures = loads.nodes() + [node for wrench in inertia.values() for part in wrench for node in part]
    return Swept(g, _sweep(carriers, bodies), measures)


def _sweep(carriers: Carriers, bodies: dict[Carrier, Articulated]) -> list[int]:
    """Inward, eliminating the speeds of each carrier, then outward."""
    carriers.must_be_a_tree()
    g, across = carriers.g, plane_of(carriers)
    joints: dict[Carrier, list[Joint]] = {}
    if across is not None:
        bodies = {carrier: _in_plane(body, across) for carrier, body in bodies.items()}
    for carrier in reversed(carriers.all):
        body, d = bodies[carrier], carrier.d if across is None else _zeroed(carrier.d, across)
        joints[carrier] = [_eliminate(g, body, s, (rate, NULL)) for s, rate in reversed(carrier.turns.items())]
        _hand_down(g, carrier, d, bodies, joints[carrier])
    return _sweep_out(g, carriers, joints)


def _in_plane(body: Articulated, k: int) -> Articulated:
    """What a motion across axis k meets of a body: J_kk, B_k and A within the plane."""
    i, j = ACROSS[k]
    J, B = [NULL, NULL, NULL], [NULL, NULL, NULL]
    J[k], B[k] = _zeroed(_zeroed(body.J[k], i), j), _zeroed(body.B[k], k)
    n = _zeroed(_zeroed(body.n, i), j)
    return Articulated((J[0], J[1], J[2]), (B[0], B[1], B[2]), _without(body.A, k, k), n, _zeroed(body.f, k))


def _load(carriers: Carriers, bodies: dict[Carrier, Articulated], loads: Wrenches,
          inertia: Mapping[Carrier, Wrench]) -> None:  # fmt: skip
    """Loads less inertia at u̇ = 0, about the base of the carrier each acts on."""
    g = carriers.g
    total: dict[Carrier, Wrench] = dict.fromkeys(carriers.all, (NULL, NULL))
    apply(carriers, total, loads, ONE)
    for carrier, (n, f) in total.items():
        less_n, less_f = inertia.get(carrier, (NULL, NULL))
        bodies[carrier].n, bodies[carrier].f = sub3(g, n, less_n), sub3(g, f, less_f)


def _rigid(g: Graph, m: int, S: Triple, J: Square) -> Articulated:
    """n = J α + S × a, f = m a - S × α."""
    x, y, z = S
    B: Square = ((ZERO, g.neg(z), y), (z, ZERO, g.neg(x)), (g.neg(y), x, ZERO))
    return Articulated(J, B, ((m, ZERO, ZERO), (ZERO, m, ZERO), (ZERO, ZERO, m)))


def _eliminate(g: Graph, body: Articulated, speed: int, direction: Pair) -> Joint:
    """Free the body along a direction; what remains replaces it."""
    turn, slide = direction
    u_n = add3(g, matvec(g, body.J, turn), matvec(g, body.B, slide))
    u_f = add3(g, _tmatvec(g, body.B, turn), matvec(g, body.A, slide))
    D = g.add(dot3(g, turn, u_n), dot3(g, slide, u_f))
    if D == ZERO:
        raise NotATree
    tau = g.div(g.add(dot3(g, turn, body.n), dot3(g, slide, body.f)), D)
    w_n, w_f = _over(g, u_n, D), _over(g, u_f, D)
    body.n = sub3(g, body.n, scale3(g, tau, u_n))
    body.f = sub3(g, body.f, scale3(g, tau, u_f))
    body.J = _less_outer(g, body.J, w_n, u_n, symmetric=True)
    body.B = _less_outer(g, body.B, w_n, u_f)
    body.A = _less_outer(g, body.A, w_f, u_f, symmetric=True)
    _clear(body, direction)
    return Joint(speed, direction, (w_n, w_f), tau)


def _over(g: Graph, a: Triple, D: int) -> Triple:
    """a / D."""
    return g.div(a[0], D), g.div(a[1], D), g.div(a[2], D)


def _tmatvec(g: Graph, m: Square, a: Triple) -> Triple:
    """mᵀ a."""
    return matvec(g, transpose(m), a)


def _less_outer(g: Graph, m: Square, a: Triple, b: Triple, symmetric: bool = False) -> Square:
    """m - a b; where a b is symmetric, one half is computed."""
    if NULL in (a, b):
        return m

    mul, sub = g.mul, g.sub
    rows: list[list[int]] = []
    for i, (row, x) in enumerate(zip(m, a, strict=True)):
        line = list(row)
        for j in range(3):
            if symmetric and j < i:
                line[j] = rows[j][i]
            elif x != ZERO and b[j] != ZERO:
                line[j] = sub(line[j], mul(x, b[j]))
        rows.append(line)
    return tuple(map(tuple, rows))  # type: ignore[return-value]


def _clear(body: Articulated, direction: Pair) -> None:
    """Along a coordinate axis that was freed nothing remains: these entries are zero exactly."""
    turn, slide = direction
    if slide == NULL and turn in UNITS:
        k = UNITS.index(turn)
        body.J, body.B = _without(body.J, k, k), _without(body.B, k, None)
        body.n = _zeroed(body.n, k)
    elif turn == NULL and slide in UNITS:
        k = UNITS.index(slide)
        body.A, body.B = _without(body.A, k, k), _without(body.B, None, k)
        body.f = _zeroed(body.f, k)


def _zeroed(a: Triple, k: int) -> Triple:
    return (ZERO, a[1], a[2]) if k == 0 else (a[0], ZERO, a[2]) if k == 1 else (a[0], a[1], ZERO)


def _without(m: Square, row: int | None, column: int | None) -> Square:
    x, y, z = m if column is None else (_zeroed(m[0], column), _zeroed(m[1], column), _zeroed(m[2], column))
    return NULL if row == 0 else x, NULL if row == 1 else y, NULL if row == 2 else z


def _hand_down(g: Graph, carrier: Carrier, d: Triple, bodies: dict[Carrier, Articulated],
               joints: list[Joint]) -> None:  # fmt: skip
    """What is left goes to the parent: turned into its frame, freed along slides, moved to its base by d."""
    body, parent = bodies[carrier], carrier.parent
    assert parent is not None
    grounded = parent.parent is None
    if grounded and not carrier.slides:
        return
    if carrier.free or grounded:
        body = Articulated(_NOTHING, _NOTHING, body.A, NULL, body.f)
    body = _turned(body, carrier.frame, parent.frame)
    joints += [_eliminate(g, body, s, (NULL, rate)) for s, rate in reversed(carrier.slides.items())]
    if grounded:
        return
    target = bodies[parent]
    shifted = _shifted(g, body, d)
    target.J, target.B = add_squares(g, target.J, shifted.J), add_squares(g, target.B, shifted.B)
    target.A = add_squares(g, target.A, shifted.A)
    target.n, target.f = add3(g, target.n, shifted.n), add3(g, target.f, shifted.f)


_NOTHING: Square = (NULL, NULL, NULL)


def _turned(body: Articulated, frame: Frame, other: Frame) -> Articulated:
    """The same in another frame: R m Rᵀ and R a."""
    J, B, A = (frame.carry_square(m, other) for m in (body.J, body.B, body.A))
    return Articulated(J, B, A, frame.carry(body.n, other), frame.carry(body.f, other))


def _shifted(g: Graph, body: Articulated, d: Triple) -> Articulated:
    """Moments about a base d before: B' = B + d× A, J' = J + d× Bᵀ - B' d×, n' = n + d × f."""
    if d == NULL:
        return body
    x, y, z = d
    cross: Square = ((ZERO, g.neg(z), y), (z, ZERO, g.neg(x)), (g.neg(y), x, ZERO))
    B = add_squares(g, body.B, matmul(g, cross, body.A))
    full = [list(row) for row in body.J]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        spread = [g.mul(cross[i][m], g.add(body.B[i][m], B[i][m])) for m in (j, k)]
        full[i][i] = g.add(body.J[i][i], g.add(*spread))
        both = g.add(g.mul(cross[i][k], body.B[j][k]), g.mul(cross[j][k], B[i][k]))
        both = g.add(both, g.mul(cross[i][j], g.sub(body.B[j][j], B[i][i])))
        full[i][j] = full[j][i] = g.add(body.J[i][j], both)
    square: Square = tuple(tuple(row) for row in full)  # type: ignore[assignment]
    return Articulated(square, B, body.A, add3(g, body.n, cross3(g, d, body.f)), body.f)


def _sweep_out(g: Graph, carriers: Carriers, joints: dict[Carrier, list[Joint]]) -> list[int]:
    """Accelerations from the ground outward; each joint's u̇ on the way."""
    udot = [ZERO] * len(carriers.motion.speeds)
    moves: dict[Carrier, Pair] = {carriers.ground: (NULL, NULL)}
    for carrier in carriers.all:
        parent = carrier.parent
        assert parent is not None
        alpha, a = moves[parent]
        a = add3(g, a, cross3(g, alpha, carrier.d))
        if carrier.free:
            alpha = NULL
        turns = len(carrier.turns)
        for joint in reversed(joints[carrier][turns:]):
            a = _accelerate(g, joint, alpha, a, udot)[1]
        alpha, a = parent.frame.carry(alpha, carrier.frame), parent.frame.carry(a, carrier.frame)
        for joint in reversed(joints[carrier][:turns]):
            alpha, a = _accelerate(g, joint, alpha, a, udot)
        moves[carrier] = alpha, a
    return udot


def _accelerate(g: Graph, joint: Joint, alpha: Triple, a: Triple, udot: list[int]) -> Pair:
    """u̇ = τ - u·(α, a), then its share of the acceleration."""
    rate = g.sub(joint.tau, g.add(dot3(g, joint.u[0], alpha), dot3(g, joint.u[1], a)))
    udot[joint.speed] = rate
    turn, slide = joint.direction
    return add3(g, alpha, scale3(g, rate, turn)), add3(g, a, scale3(g, rate, slide))
