"""Penetration taken out at the end of a step: the least move, in the kinetic metric, that leaves no gap negative.

    δu = T M̃⁻¹ Tᵀ Jᵀ δp,    0 ≤ p + δp ⟂ g + J δu ≥ 0,    q ← q + W δu,   until 0 ≤ p ⟂ g ≥ 0

What the move lifts against loads is taken from the approach: u ← u + s δu with s such that K + V is what it was. A ball
that fell through the floor for part of a step has the speed then with which it met the floor. Where the approach has
too little (a disk that rolls over another), all speeds give a little, unless some surface moves by itself.
"""

from __future__ import annotations

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.consistency import assemble_q, normalised
from latchwork.constraint.terms import Array
from latchwork.contact.time_stepping.impulses import Cones, impulses
from latchwork.hybrid.time_stepping.scene import Scene

MOST = 30  # Newton steps


def projected(scene: Scene, x: Array, before: Array) -> Array:
    """The state without penetration; ``before`` are the gaps at the start of the step."""
    old, moved, p, reach = x, np.zeros(scene.sizes[1]), np.zeros(len(before)), 0.0
    deep = scene.small.deep  # a penetration that is left
    for _ in range(MOST):
        if scene.held.rows.configuration:
            x = assemble_q(scene.held, x)
        gap, inside = scene.gaps.at(x)
        real = scene.real(gap, inside, before)
        depth = -float(gap[real].min(initial=np.inf))
        if depth <= deep and np.abs(gap[p > 0.0]).max(initial=0.0) <= deep:
            break
        reach = max(reach, 4.0 * depth + scene.small.stepped)
        which = real & (gap <= reach) | (p > 0.0)
        rows = scene.rows(scene.chosen(which), x)
        J, inverse, none = rows.J[rows.first], scene.inertia.at(x).inverse, np.zeros(int(which.sum()))
        A = dot(J, inverse, J.T)
        again, _ = impulses(Cones(A, gap[which] - dot(A, p[which]), (0,) * len(J), none, none), p[which])
        change = dot(inverse, dot(J.T, again - p[which]))
        moved += change
        p[which] = again
        x = x.copy()
        x[1 : 1 + scene.sizes[0]] += dot(scene.held.spread(x), change)
        x = normalised(scene.held, x)
    return x if x is old else _slowed(scene, old, x, moved)


def _slowed(scene: Scene, old: Array, x: Array, moved: Array) -> Array:
    """Speeds that make up for what was lifted."""
    lifted = scene.energy(x) - scene.energy(old)
    if lifted <= 0.0:
        return x
    M, u = scene.held.motion(x).M, scene.u(x)
    b, a = float(dot(u, M, moved)), float(dot(moved, M, moved))
    s = 0.0
    if b < 0.0 < a:
        root = b * b - 2.0 * a * lifted
        s = -b / a if root <= 0.0 else 2.0 * lifted / (-b + np.sqrt(root))
    u = u + s * moved
    rest, K = lifted + s * b + 0.5 * s * s * a, 0.5 * float(dot(u, M, u))
    return scene.with_speeds(x, u * _less(scene, max(rest, 0.0), K))


def balanced(scene: Scene, x: Array, surplus: float) -> Array:
    """The state with speeds that have so much less kinetic energy, in the same ratio all.

    The surplus is what the midpoint rule is off, of the order h³: zero where inertia does not depend on coordinates.
    """
    u = scene.u(x)
    return scene.with_speeds(x, u * _less(scene, surplus, scene.kinetic_energy(x)))


def _less(scene: Scene, surplus: float, K: float) -> float:
    """The factor of all speeds that takes a surplus from K, or all of K; 1 where some surface moves by itself."""
    if K <= 0.0 or not scene.is_still:
        return 1.0
    return float(np.sqrt(max(1.0 - surplus / K, 0.0)))
