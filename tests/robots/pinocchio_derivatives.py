"""Derivatives of a robot's dynamics in Pinocchio's speeds and tangents, from ours.

With u = T v and u̇ = T (a + z), where z = (ω × v, 0) at a free joint, and D_k T = T E_k along Pinocchio's tangent k:

    τ_p = Tᵀ τ:          ∂τ_p/∂q_k = E_kᵀ Tᵀ τ + Tᵀ (∂τ/∂q W T_k + ∂τ/∂u T E_k v + M T E_k (a + z)),
                         ∂τ_p/∂v   = Tᵀ (∂τ/∂u T + M T ∂z/∂v)
    a = Tᵀ u̇ - z:        ∂a/∂q_k   = E_kᵀ Tᵀ u̇ + Tᵀ (∂u̇/∂q W T_k + ∂u̇/∂u T E_k v),
                         ∂a/∂v     = Tᵀ ∂u̇/∂u T - ∂z/∂v,          ∂a/∂τ = Tᵀ ∂u̇/∂r
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from robots.pinocchio_states import random_state


def root_terms(model, v, floating):
    """E, z and ∂z/∂v of a free joint at the root; nothing where the base is fixed."""
    n = model.nv
    E, z, dz = np.zeros((n, n, n)), np.zeros(n), np.zeros((n, n))
    if floating:
        for k in range(3):
            E[3 + k, :3, :3] = pin.skew(np.eye(3)[k])
        z[:3] = np.cross(v[3:6], v[:3])
        dz[:3, :3], dz[:3, 3:6] = pin.skew(v[3:6]), -pin.skew(v[:3])
    return E, z, dz


def inverse(equations, s, a, E, z, dz):
    """∂τ_p/∂q and ∂τ_p/∂v."""
    T, udot, still = s.T, s.T @ (a + z), 0.0 * s.r
    by_q, by_u, M = equations.inverse_tangents(s.q, s.u, udot, r=still)
    tau = T.T @ equations.inverse(s.q, s.u, udot, r=still)
    turned, moved = np.einsum("kij,j->ik", E, s.v_p), np.einsum("kij,j->ik", E, a + z)
    by_q = np.einsum("kji,j->ik", E, tau) + T.T @ (by_q @ T + by_u @ T @ turned + M @ T @ moved)
    return by_q, T.T @ (by_u @ T + M @ T @ dz)


def forward(equations, s, E, dz):
    """∂a/∂q, ∂a/∂v and the columns of ∂a/∂τ that are driven."""
    T = s.T
    by_q, by_u, by_r = equations.forward_tangents(s.q, s.u, s.r)
    turned = np.einsum("kij,j->ik", E, s.v_p)
    udot = T.T @ equations.udot(s.q, s.u, s.r)
    return np.einsum("kji,j->ik", E, udot) + T.T @ (by_q @ T + by_u @ T @ turned), T.T @ by_u @ T - dz, T.T @ by_r


def driven(robot, equations, model):
    """Where each input acts among Pinocchio's torques."""
    joints = [(name, joint) for name, joint in zip(model.names, model.joints, strict=True) if name in robot.drives]
    rows = {robot.drives[name].name: joint.idx_v for name, joint in joints}
    return [rows[symbol.name] for symbol in equations.r]


def derivative_differences(robot, equations, model, floating, states, seed=0):
    """The worst relative differences of ∂τ/∂q, ∂τ/∂v, ∂a/∂q, ∂a/∂v and ∂a/∂τ over random states."""
    rng, data, worst = np.random.default_rng(seed), model.createData(), np.zeros(5)
    drives = driven(robot, equations, model)
    for _ in range(states):
        s = random_state(robot, equations, model, rng)
        a = rng.normal(size=model.nv)
        E, z, dz = root_terms(model, s.v_p, floating)
        theirs = [np.array(x) for x in pin.computeRNEADerivatives(model, data, s.q_p, s.v_p, a)[:2]]
        by_q, by_v, by_tau = (np.array(x) for x in pin.computeABADerivatives(model, data, s.q_p, s.v_p, s.tau))
        by_tau = np.triu(by_tau) + np.triu(by_tau, 1).T
        theirs += [by_q, by_v, by_tau[:, drives]]
        ours = [*inverse(equations, s, a, E, z, dz), *forward(equations, s, E, dz)]
        found = [np.abs(x - y).max() / max(np.abs(y).max(), 1e-12) for x, y in zip(ours, theirs, strict=True)]
        worst = np.maximum(worst, found)
    return worst
