"""Active and inertia forces as wrenches on the trees: F_r = Σ v_r · R + Σ ω_r · T, F_r* with R* = -m a.

[Gillespie Eqs. 32, 33]
"""

from __future__ import annotations

from collections.abc import Iterable

from latchwork.kane.elastic_inertia import add_gravity, add_inertia
from latchwork.kane.motion import Motion, Settle
from latchwork.kane.wrenches import Wrenches, generalized_forces
from latchwork.mechanics.algebra import NULL, Triple, add3, cross3, matvec, scale3
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.loads import GeneralizedForce, Load, Wrench
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import MINUS_ONE, ONE, ZERO
from latchwork.symbolic.traverse import rebuild


def load_wrenches(motion: Motion, settle: Settle, gravity: bool = True) -> Wrenches:
    """All loads, with or without gravity, with q̇ replaced by speeds."""
    system = motion.system
    wrenches = Wrenches(motion)
    for load in system.loads:
        add_load(wrenches, load)
    if gravity and system.gravity is not None:
        for body in system.bodies:
            if body.mass.node != ZERO:
                wrenches.push(body.center, system.gravity * body.mass)
        add_gravity(wrenches)
    wrenches.forces = {point: settle(force, point) for point, force in wrenches.forces.items()}
    return wrenches


def add_load(wrenches: Wrenches, load: Load) -> None:
    """A load's forces, torques and efforts joined to the others."""
    motion = wrenches.motion
    newtonian = motion.system.tree.newtonian
    for point, force in load.forces:
        wrenches.push(point, force.rebuilt(motion.kinematics.replaced))
    for frame, torque in load.torques:
        if frame is not newtonian:
            wrenches.twist(frame, motion.in_speeds(torque.components(frame)))
    for q, effort in load.efforts if isinstance(load, GeneralizedForce | Wrench) else ():
        wrenches.strain(q.node, rebuild(motion.g, [effort.node], motion.kinematics.replaced)[0])


def inertia_wrenches(motion: Motion, settle: Settle) -> Wrenches:
    """m a_t and I·α_t + ω × I·ω of every body (u̇ = 0)."""
    return _less_inertia(Wrenches(motion), motion.accelerations_t(settle), ONE)


def net_wrenches(motion: Motion, settle: Settle, added: Iterable[Load] = ()) -> Wrenches:
    """Loads less inertia (u̇ = 0), gravity as an upward acceleration of the origin."""
    return _less_inertia(applied_loads(motion, settle, added), weighted_accelerations(motion, settle), MINUS_ONE)


def applied_loads(motion: Motion, settle: Settle, added: Iterable[Load] = ()) -> Wrenches:
    """All loads but gravity, those added later among them."""
    wrenches = load_wrenches(motion, settle, gravity=False)
    for load in added:
        add_load(wrenches, load)
    return wrenches


def weighted_accelerations(motion: Motion, settle: Settle) -> dict[Point, Vector]:
    """a of every point (u̇ = 0) less the acceleration of gravity."""
    gravity = motion.system.gravity
    return motion.accelerations_t(settle, None if gravity is None else -gravity.rebuilt(motion.kinematics.replaced))


def _less_inertia(wrenches: Wrenches, a: dict[Point, Vector], sign: int) -> Wrenches:
    motion = wrenches.motion
    for body in motion.system.bodies:
        force = a[body.center] * Expr(motion.g, motion.g.mul(sign, body.mass.node))
        if not force.is_zero:
            wrenches.push(body.center, force)
        for frame, torque in inertia_torques(motion, body).items():
            wrenches.twist(frame, scale3(motion.g, sign, torque))
    add_inertia(wrenches, a, sign)
    return wrenches


def inertia_torques(motion: Motion, body: Body) -> dict[Frame, Triple]:
    """d(I·ω)/dt in N with u̇ = 0, by the frame the inertia is written in; a torque on the body.

    In a frame F in which I is constant: I·(α - ω_F × ω) + ω_F × (I·ω).
    """
    if body.inertia is None or body.frame is None:
        return {}
    return motion.kept((inertia_torques, body), lambda: _inertia_torques(motion, body))


def _inertia_torques(motion: Motion, body: Body) -> dict[Frame, Triple]:
    assert body.inertia is not None
    assert body.frame is not None
    g, B = motion.g, body.frame
    total = NULL
    for (frame, _), square in body.inertia.parts.items():
        w, alpha = B.carry(motion.w[B], frame), B.carry(motion.alpha_t[B], frame)
        wf = motion.w[frame]
        if frame is not B:
            alpha = add3(g, alpha, cross3(g, w, wf))
        torque = add3(g, matvec(g, square, alpha), cross3(g, wf, matvec(g, square, w)))
        total = add3(g, total, frame.carry(torque, B))
    return {B: total} if total != NULL else {}


def mass_matrix(motion: Motion, settle: Settle) -> list[list[int]]:
    """M_rs = Σ m v_r · v_s + ω_r · I · ω_s, one column of momenta at a time: for any trees whatever."""
    n = len(motion.speeds)
    M = [[ZERO] * n for _ in range(n)]
    for s in range(n):
        ws = motion.partial_w(s)
        vs = motion.partial_v(s, settle, ws)
        momenta = Wrenches(motion)
        for body in motion.system.bodies:
            if body.center in vs:
                momenta.push(body.center, vs[body.center] * body.mass)
            if body.inertia is not None and body.frame in ws:
                for (frame, _), square in body.inertia.parts.items():
                    share = matvec(motion.g, square, body.frame.carry(ws[body.frame], frame))
                    momenta.twist(body.frame, frame.carry(share, body.frame))
        for r, value in enumerate(generalized_forces(momenta, settle, upto=s)):
            M[r][s] = M[s][r] = value
    return M
