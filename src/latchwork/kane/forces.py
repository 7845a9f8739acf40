"""Generalized forces by accumulation along the trees.

    Σ v_r · R + Σ ω_r · T  =  Σ_edges (∂ṗ/∂u_r) · R_acc  +  Σ_frames (∂r/∂u_r) · T_acc

A force on a point is a force on its parent plus a torque p × R on each frame that p is written in; a torque on a frame
is a torque on its parent. So every force is handed down the tree once, and only what an edge adds is dotted.
[Gillespie Eqs. 32, 33]
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from latchwork.kane.motion import Motion, Settle
from latchwork.mechanics.algebra import NULL, Triple, add3, cross3, dot3, matvec, scale3
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.loads import Load
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import MINUS_ONE, ONE, ZERO


@dataclass
class Wrenches:
    """Forces at points and torques on frames (measures in the frame), to be reduced to generalized forces."""

    motion: Motion
    forces: dict[Point, Vector] = field(default_factory=dict)
    torques: dict[Frame, Triple] = field(default_factory=dict)

    def push(self, point: Point, force: Vector) -> None:
        self.forces[point] = self.forces[point] + force if point in self.forces else force

    def twist(self, frame: Frame, torque: Triple) -> None:
        self.torques[frame] = add3(self.motion.g, self.torques.get(frame, NULL), torque)

    def nodes(self) -> list[int]:
        """All measure numbers."""
        turning = [node for torque in self.torques.values() for node in torque]
        return [node for force in self.forces.values() for node in force.nodes()] + turning


def generalized_forces(wrenches: Wrenches, settle: Settle, upto: int | None = None) -> list[int]:
    """F_r for r = 0 ... upto, by handing forces and torques down the trees."""
    motion = wrenches.motion
    g = motion.g
    n = len(motion.speeds) if upto is None else upto + 1
    F = [ZERO] * n
    forces = dict(wrenches.forces)
    torques = dict(wrenches.torques)
    for point, edge in reversed(motion.point_edges.items()):
        R = forces.pop(point, None)
        if R is None or R.is_zero:
            continue
        if edge.velocity is not None:
            _dot_declared(motion, edge.velocity, R, F)
            continue
        for part in edge.parts:
            a = R.components(part.frame)
            for r, partial in part.partials.items():
                if r < n:
                    F[r] = g.add(F[r], dot3(g, partial, a))
            torques[part.frame] = add3(g, torques.get(part.frame, NULL), cross3(g, part.p, a))
        assert edge.parent is not None
        if edge.parent.parent is not None:
            handed = settle(R, edge.parent)
            forces[edge.parent] = forces[edge.parent] + handed if edge.parent in forces else handed
    for frame, frame_edge in reversed(motion.frame_edges.items()):
        T = torques.pop(frame, NULL)
        if T == NULL:
            continue
        for r, partial in frame_edge.partials.items():
            if r < n:
                F[r] = g.add(F[r], dot3(g, partial, T))
        if frame_edge.parent is not None:
            handed_down = frame.carry(T, frame_edge.parent)
            torques[frame_edge.parent] = add3(g, torques.get(frame_edge.parent, NULL), handed_down)
    return F


def _dot_declared(motion: Motion, velocity: Vector, R: Vector, F: list[int]) -> None:
    """F_r += v_r · R for a velocity given in N."""
    for frame, part in velocity.parts.items():
        a = R.components(frame)
        for r, partial in motion.partials(part).items():
            if r < len(F):
                F[r] = motion.g.add(F[r], dot3(motion.g, partial, a))


def load_wrenches(motion: Motion, settle: Settle, gravity: bool = True) -> Wrenches:
    """All loads, with or without gravity, with q̇ replaced by speeds."""
    system = motion.system
    wrenches = Wrenches(motion)
    for load in system.loads:
        add_load(wrenches, load.forces, load.torques)
    if gravity and system.gravity is not None:
        for body in system.bodies:
            if body.mass.node != ZERO:
                wrenches.push(body.center, system.gravity * body.mass)
    wrenches.forces = {point: settle(force, point) for point, force in wrenches.forces.items()}
    return wrenches


def add_load(wrenches: Wrenches, forces: object, torques: object) -> None:
    """A load's forces and torques joined to the others."""
    motion = wrenches.motion
    newtonian = motion.system.tree.newtonian
    for point, force in forces:  # type: ignore[attr-defined]
        wrenches.push(point, force.rebuilt(motion.kinematics.replaced))
    for frame, torque in torques:  # type: ignore[attr-defined]
        if frame is not newtonian:
            wrenches.twist(frame, motion.in_speeds(torque.components(frame)))


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
        add_load(wrenches, load.forces, load.torques)
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
