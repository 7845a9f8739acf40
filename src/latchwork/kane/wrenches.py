"""Generalized forces by accumulation along the trees.

    Σ v_r · R + Σ ω_r · T + Σ (∂q̇/∂u_r) Q  =  Σ_edges (∂ṗ/∂u_r) · R_acc + Σ_frames (∂r/∂u_r) · T_acc + Σ (∂q̇/∂u_r) Q

A force on a point is a force on its parent plus a torque p × R on each frame that p is written in; a torque on a frame
is a torque on its parent. So every force is handed down the tree once, and only what an edge adds is dotted.
[Gillespie Eqs. 32, 33]
"""

from __future__ import annotations

from dataclasses import dataclass, field

from latchwork.kane.motion import Motion, Settle
from latchwork.mechanics.algebra import NULL, Triple, add3, cross3, dot3
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.ops import ZERO


@dataclass
class Wrenches:
    """Forces at points, torques on frames (measures in the frame), efforts on coordinates (by the node of q): what is

    reduced to generalized forces.
    """

    motion: Motion
    forces: dict[Point, Vector] = field(default_factory=dict)
    torques: dict[Frame, Triple] = field(default_factory=dict)
    efforts: dict[int, int] = field(default_factory=dict)

    def push(self, point: Point, force: Vector) -> None:
        self.forces[point] = self.forces[point] + force if point in self.forces else force

    def twist(self, frame: Frame, torque: Triple) -> None:
        self.torques[frame] = add3(self.motion.g, self.torques.get(frame, NULL), torque)

    def strain(self, q: int, effort: int) -> None:
        self.efforts[q] = self.motion.g.add(self.efforts.get(q, ZERO), effort)

    def nodes(self) -> list[int]:
        """All measure numbers."""
        turning = [node for torque in self.torques.values() for node in torque]
        moving = [node for force in self.forces.values() for node in force.nodes()]
        return moving + turning + list(self.efforts.values())


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
    for q, effort in wrenches.efforts.items():
        for r, rate in motion.rate_partials(q).items():
            if r < n:
                F[r] = g.add(F[r], g.mul(rate, effort))
    return F


def _dot_declared(motion: Motion, velocity: Vector, R: Vector, F: list[int]) -> None:
    """F_r += v_r · R for a velocity given in N."""
    for frame, part in velocity.parts.items():
        a = R.components(frame)
        for r, partial in motion.partials(part).items():
            if r < len(F):
                F[r] = motion.g.add(F[r], dot3(motion.g, partial, a))
