"""The same robot in Pinocchio and in Latchwork: states carried from one's coordinates to the other's.

Pinocchio's speeds v of free and planar joints are in the moving frame; ours are u = T v, so that

    M_p = Tᵀ M T,   b = Tᵀ (M Ṫ v - f),   u̇ = T v̇ + Ṫ v,   τ_p = Tᵀ τ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pinocchio as pin


@dataclass(frozen=True)
class State:
    """One random state: Pinocchio's (q, v, τ) and ours (q, u, r), with T and Ṫ v."""

    q_p: np.ndarray
    v_p: np.ndarray
    tau: np.ndarray
    q: np.ndarray
    u: np.ndarray
    r: np.ndarray
    T: np.ndarray
    T_dot_v: np.ndarray


def pinocchio_model(text, floating=False):
    """Pinocchio's model of a URDF text; joints that follow others do so in it."""
    if floating:
        return pin.buildModelFromXML(text, pin.JointModelFreeFlyer(), "root_joint", True)
    return pin.buildModelFromXML(text, True)


def scalar(q, v):
    return q, v, np.eye(1), np.zeros(1)


def unbounded(q, v):
    return np.array([math.atan2(q[1], q[0])]), v, np.eye(1), np.zeros(1)


def planar(q, v):
    c, s = q[2:]
    T = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    T_dot_v = v[2] * np.array([-s * v[0] - c * v[1], c * v[0] - s * v[1], 0.0])
    return np.array([q[0], q[1], math.atan2(s, c)]), T @ v, T, T_dot_v


def free(q, v):
    R = pin.Quaternion(q[6], q[3], q[4], q[5]).toRotationMatrix()
    T = np.eye(6)
    T[:3, :3] = R
    T_dot_v = np.concatenate([R @ np.cross(v[3:], v[:3]), np.zeros(3)])
    return np.array([*q[:3], q[6], *q[3:6]]), T @ v, T, T_dot_v


CONVERSIONS = {
    "JointModelRUB": unbounded,
    "JointModelRevoluteUnb": unbounded,
    "JointModelPlanar": planar,
    "JointModelFree": free,
}


def conversion(kind):
    """How a joint's coordinates are carried over, by Pinocchio's name of its kind."""
    return next((convert for start, convert in CONVERSIONS.items() if kind.startswith(start)), scalar)


def random_state(robot, equations, model, rng):
    """A random state of both; coordinates within limits, or of order one."""
    low = np.maximum(model.lowerPositionLimit, -1.0)
    high = np.minimum(model.upperPositionLimit, 1.0)
    low, high = np.where(low < high, low, -1.0), np.where(low < high, high, 1.0)
    pin.seed(int(rng.integers(1 << 30)))
    q_p = pin.randomConfiguration(model, low, high)
    v_p, tau = rng.normal(size=model.nv), rng.normal(size=model.nv)
    q, u, r = {}, {}, {}
    T, T_dot_v = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    order = {symbol.name: i for i, symbol in enumerate(equations.u)}
    for index, name in enumerate(model.names):
        joint = model.joints[index]
        ours = robot.joints.get(name)
        if index == 0 or joint.nv == 0 or ours is None:
            continue
        rows = slice(joint.idx_v, joint.idx_v + joint.nv)
        qs, us, Tj, Tdv = conversion(joint.shortname())(q_p[joint.idx_q : joint.idx_q + joint.nq], v_p[rows])
        q |= dict(zip((s.name for s in ours.q), qs, strict=True))
        u |= dict(zip((s.name for s in ours.u), us, strict=True))
        mine = [order[s.name] for s in ours.u]
        T[np.ix_(mine, range(rows.start, rows.stop))] = Tj
        T_dot_v[mine] = Tdv
        if name in robot.drives:
            r[robot.drives[name].name] = tau[rows.start]
        else:
            tau[rows] = 0.0
    values = [np.array([table[s.name] for s in symbols]) for table, symbols in ((q, equations.q), (u, equations.u))]
    return State(q_p, v_p, tau, *values, np.array([r[s.name] for s in equations.r]), T, T_dot_v)


def differences(robot, equations, model, states, seed=0):
    """The worst relative differences of M, bias, u̇ and inverse dynamics over random states."""
    rng, data = np.random.default_rng(seed), model.createData()
    worst = np.zeros(4)
    for _ in range(states):
        s = random_state(robot, equations, model, rng)
        M_p = np.array(pin.crba(model, data, s.q_p))
        M_p = np.triu(M_p) + np.triu(M_p, 1).T
        b_p = np.array(pin.nle(model, data, s.q_p, s.v_p))
        udot_p = s.T @ np.linalg.solve(M_p, s.tau - b_p) + s.T_dot_v
        M = equations.evaluate(equations.M, s.q, s.u, s.r)
        b = s.T.T @ (M @ s.T_dot_v - equations.evaluate(equations.f, s.q, s.u, 0.0 * s.r).ravel())
        udot = equations.udot(s.q, s.u, s.r)
        a = rng.normal(size=model.nv)
        tau_p = np.array(pin.rnea(model, data, s.q_p, s.v_p, a))
        tau = s.T.T @ equations.inverse(s.q, s.u, s.T @ a + s.T_dot_v, r=0.0 * s.r)
        pairs = ((s.T.T @ M @ s.T, M_p), (b, b_p), (udot, udot_p), (tau, tau_p))
        worst = np.maximum(worst, [np.abs(a - c).max() / max(np.abs(c).max(), 1e-12) for a, c in pairs])
    return worst
