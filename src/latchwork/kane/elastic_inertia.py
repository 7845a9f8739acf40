"""Inertia forces of elastic bodies, in the moments m, S, J, H, M of `mechanics.elastic_body`.

    R*   = m a + α × S + ω × (ω × S) + 2 ω × S' + S''                       at the root, whose acceleration is a
    T*   = S × a + J·α + J'·ω + ω × (J·ω + h) + h',  h = Σ H_j q̇_j           on the frame
    Q_j* = S_j · a + H_j · α + ω · (H_j' - Σ_k ∂H_k/∂q_j q̇_k) - ½ ω · ∂J/∂q_j · ω + Σ M_jk q̈_k     on q_j

Primes are rates in the frame. They follow from K by Lagrange's equations in quasi-coordinates, whatever S, J and H are
as functions of q, so that energy is kept exactly though K is cut off at the second order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from latchwork.kane.motion import Motion, Settle
from latchwork.kane.wrenches import Wrenches, generalized_forces
from latchwork.mechanics.algebra import NULL, Square, Triple, add3, cross3, dot3, matvec, scale3
from latchwork.mechanics.elastic_body import ElasticBody
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import HALF, MINUS_ONE, ONE, TWO, ZERO


@dataclass(frozen=True)
class Moments:
    """The moments of an elastic body as nodes, with their derivatives with respect to q."""

    q: tuple[int, ...]
    mass: int
    S: Triple
    J: Square
    H: tuple[Triple, ...]
    M: dict[tuple[int, int], int]
    S_q: tuple[Triple, ...]
    J_q: tuple[Square, ...]
    H_q: tuple[tuple[Triple, ...], ...]  # H_q[j][k] = ∂H_k/∂q_j


def moments_of(motion: Motion, body: ElasticBody) -> Moments:
    """The moments of a body, with q̇ nowhere in them."""
    return motion.kept((moments_of, body), lambda: _moments_of(motion, body))


def _moments_of(motion: Motion, body: ElasticBody) -> Moments:
    g = motion.g
    q = tuple(each.node for each in body.q)
    S, H = _triple(body.S), tuple(_triple(each) for each in body.H)
    J: Square = tuple(_triple(row) for row in body.J)  # type: ignore[assignment]
    flat = [*S, *(node for row in J for node in row), *(node for each in H for node in each)]
    by_q = [tangents(g, flat, {j: ONE}) for j in q]
    S_q = tuple(_at(d, 0) for d in by_q)
    J_q: tuple[Square, ...] = tuple((_at(d, 3), _at(d, 6), _at(d, 9)) for d in by_q)
    H_q = tuple(tuple(_at(d, 12 + 3 * k) for k in range(len(H))) for d in by_q)
    M = {pair: entry.node for pair, entry in body.M.items()}
    return Moments(q, body.mass.node, S, J, H, M, S_q, J_q, H_q)


def _triple(a: tuple[Expr, Expr, Expr]) -> Triple:
    return a[0].node, a[1].node, a[2].node


def _at(nodes: list[int], i: int) -> Triple:
    return nodes[i], nodes[i + 1], nodes[i + 2]


@dataclass(frozen=True)
class Momenta:
    """Momentum P, moment of momentum L about the root and momenta p_j of the coordinates, for a motion (v, ω, q̇).

        P = m v + ω × S + Σ S_j q̇_j,   L = S × v + J·ω + Σ H_j q̇_j,   p_j = S_j · v + H_j · ω + Σ M_jk q̇_k
    """

    P: Triple
    L: Triple
    p: list[int]


def momenta_of(motion: Motion, moments: Moments, v: Triple, w: Triple, rates: list[int]) -> Momenta:
    """Momenta of a motion, measures in the frame of the body; linear in (v, ω, q̇)."""
    g = motion.g
    P = add3(g, scale3(g, moments.mass, v), cross3(g, w, moments.S))
    L = add3(g, cross3(g, moments.S, v), matvec(g, moments.J, w))
    p = _modal(motion, moments, rates)
    for j, rate in enumerate(rates):
        if rate != ZERO:
            P = add3(g, P, scale3(g, rate, moments.S_q[j]))
            L = add3(g, L, scale3(g, rate, moments.H[j]))
        p[j] = g.add(p[j], g.add(dot3(g, moments.S_q[j], v), dot3(g, moments.H[j], w)))
    return Momenta(P, L, p)


def _modal(motion: Motion, moments: Moments, rates: list[int]) -> list[int]:
    """Σ_k M_jk q̇_k."""
    g, p = motion.g, [ZERO] * len(rates)
    for (j, k), entry in moments.M.items():
        p[j] = g.add(p[j], g.mul(entry, rates[k])) if rates[k] != ZERO else p[j]
        if j != k and rates[j] != ZERO:
            p[k] = g.add(p[k], g.mul(entry, rates[j]))
    return p


def _push(wrenches: Wrenches, body: ElasticBody, sign: int, acting: Momenta) -> None:
    """A force at the root, a torque on the frame, efforts on the coordinates."""
    g, moments = wrenches.motion.g, moments_of(wrenches.motion, body)
    force = Vector(body.frame.tree, {body.frame: scale3(g, sign, acting.P)})
    if not force.is_zero:
        wrenches.push(body.root, force)
    if acting.L != NULL:
        wrenches.twist(body.frame, scale3(g, sign, acting.L))
    for q, effort in zip(moments.q, acting.p, strict=True):
        if effort != ZERO:
            wrenches.strain(q, g.mul(sign, effort))


def add_inertia(wrenches: Wrenches, a: dict[Point, Vector], sign: int = MINUS_ONE) -> None:
    """R*, T*, Q* of every elastic body joined to the others, with accelerations as they are given (u̇ = 0)."""
    motion = wrenches.motion
    for body in motion.system.elastic_bodies:
        _push(wrenches, body, sign, _inertia_forces(motion, body, a[body.root].components(body.frame)))


def inertia_of_elastic(motion: Motion, body: ElasticBody, a: Vector) -> tuple[Vector, Vector]:
    """R* at the root and T* about it, a being the acceleration of the root."""
    found = _inertia_forces(motion, body, a.components(body.frame))
    return Vector(body.frame.tree, {body.frame: found.P}), Vector(body.frame.tree, {body.frame: found.L})


def add_gravity(wrenches: Wrenches) -> None:
    """The weight of every elastic body: m g at the root, S × g on the frame, S_j · g on q_j."""
    motion = wrenches.motion
    gravity = motion.system.gravity
    for body in motion.system.elastic_bodies if gravity is not None else ():
        assert gravity is not None
        g = gravity.rebuilt(motion.kinematics.replaced).components(body.frame)
        still = [ZERO] * len(body.q)
        _push(wrenches, body, ONE, momenta_of(motion, moments_of(motion, body), g, NULL, still))


def _inertia_forces(motion: Motion, body: ElasticBody, a: Triple) -> Momenta:
    """R*, T* and Q*: the momenta of (a, α, q̈), and what velocities add."""
    g, x = motion.g, moments_of(motion, body)
    w, alpha = motion.w[body.frame], motion.alpha_t[body.frame]
    rates = [motion.coordinate_rate(q) for q in x.q]
    along = {q: rate for q, rate in zip(x.q, rates, strict=True) if rate != ZERO}
    again = tangents(g, rates, motion.kinematics.along)  # q̈ with u̇ = 0
    momenta = momenta_of(motion, x, a, alpha, again)
    S_rate, H_rates = _sum(g, rates, x.S_q), [_tangent(g, H, along) for H in x.H]
    R = add3(g, momenta.P, cross3(g, w, add3(g, cross3(g, w, x.S), scale3(g, TWO, S_rate))))
    R = add3(g, R, _sum(g, rates, [_tangent(g, S_j, along) for S_j in x.S_q]))
    J_rate: Square = tuple(_tangent(g, row, along) for row in x.J)  # type: ignore[assignment]
    spun = add3(g, matvec(g, x.J, w), _sum(g, rates, x.H))
    T = add3(g, add3(g, momenta.L, matvec(g, J_rate, w)), add3(g, cross3(g, w, spun), _sum(g, rates, H_rates)))
    Q = []
    for j, own in enumerate(momenta.p):
        curl = add3(g, H_rates[j], scale3(g, MINUS_ONE, _sum(g, rates, x.H_q[j])))
        half = g.mul(HALF, dot3(g, w, matvec(g, x.J_q[j], w)))
        Q.append(g.sub(g.add(own, dot3(g, w, curl)), half))
    return Momenta(R, T, Q)


def _tangent(g: Graph, a: Triple, along: dict[int, int]) -> Triple:
    return _at(tangents(g, list(a), along), 0)


def _sum(g: Graph, rates: Sequence[int], terms: Sequence[Triple]) -> Triple:
    """Σ q̇_j a_j."""
    total = NULL
    for rate, term in zip(rates, terms, strict=True):
        total = add3(g, total, scale3(g, rate, term)) if rate != ZERO else total
    return total


def mass_matrix_of_elastic(motion: Motion, settle: Settle) -> list[list[int]]:
    """The share of elastic bodies in M: the momenta of each u_s, handed down."""
    n = len(motion.speeds)
    M = [[ZERO] * n for _ in range(n)]
    for s in range(n):
        ws = motion.partial_w(s)
        vs = motion.partial_v(s, settle, ws)
        momenta = Wrenches(motion)
        for body in motion.system.elastic_bodies:
            v = vs[body.root].components(body.frame) if body.root in vs else NULL
            rates = [motion.rate_partials(q.node).get(s, ZERO) for q in body.q]
            w = ws.get(body.frame, NULL)
            if v != NULL or w != NULL or any(rate != ZERO for rate in rates):
                _push(momenta, body, ONE, momenta_of(motion, moments_of(motion, body), v, w, rates))
        for r, value in enumerate(generalized_forces(momenta, settle, upto=s)):
            M[r][s] = M[s][r] = value
    return M


def momentum_vectors(motion: Motion, body: ElasticBody, v: Vector) -> tuple[Vector, Vector, list[Expr], list[Expr]]:
    """P, L about the root, momenta p_j, and rates q̇_j of a body in motion, v being that of its root."""
    x, w = moments_of(motion, body), motion.w[body.frame]
    rates = [motion.coordinate_rate(q) for q in x.q]
    found = momenta_of(motion, x, v.components(body.frame), w, rates)
    P, L = (Vector(body.frame.tree, {body.frame: a}) for a in (found.P, found.L))
    return P, L, [Expr(motion.g, p) for p in found.p], [Expr(motion.g, rate) for rate in rates]


def kinetic_of_elastic(motion: Motion, body: ElasticBody, v: Vector) -> Expr:
    """K = ½ (v · P + ω · L + Σ q̇_j p_j)."""
    P, L, p, rates = momentum_vectors(motion, body, v)
    w = Vector(body.frame.tree, {body.frame: motion.w[body.frame]})
    modal = sum((rate * each for rate, each in zip(rates, p, strict=True)), start=Expr(motion.g, ZERO))
    return 0.5 * (v.dot(P) + w.dot(L) + modal)
