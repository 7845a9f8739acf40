"""Penetration taken out at the end of a step, as a kernel: the least move, in the kinetic metric, that leaves no gap
negative.

    δu = P Jᵀ δp,    0 ≤ p + δp ⟂ g + J δu ≥ 0,    q ← q + W δu,   until 0 ≤ p ⟂ g ≥ 0

What the move lifts against loads is taken from the approach: u ← u + s δu with s such that K + V is what it was. A ball
that fell through the floor for part of a step has the speed then with which it met the floor. Where the approach has
too little (a disk that rolls over another), all speeds give a little, unless some surface moves by itself.
"""

from __future__ import annotations

from latchwork.constraint.inertia import times
from latchwork.hybrid.time_stepping.contact_rows import (
    NORMALS,
    along_rows,
    assemble,
    choose,
    list_near,
    measure,
    read_rows,
    solve,
    spread_impulse,
)
from latchwork.hybrid.time_stepping.held_rows import keep_place, shift_place
from latchwork.hybrid.time_stepping.inertia import energy_at, free_motion, kinetic_energy, multiply_blocks, read_motion
from latchwork.hybrid.time_stepping.time_step import Reason, TimeStep
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

MAX_NEWTON_STEPS = 30  # Newton steps
WIDER = 4.0  # times as deep as the deepest: contacts nearer take part


@kernel
def take_out(step: TimeStep, x: f64p) -> i64:
    """x without penetration, gaps measured there."""
    scene, p, reach, moved = step.scene, step.penetration, 0.0, 1 if step.held > 0 else 0
    tol = scene.tolerances
    energy = energy_at(step, x)
    for k in range(step.broad.candidates):
        p[step.broad.candidate[k]] = 0.0
    for i in range(step.n):
        step.u_mean[i] = 0.0
    for _ in range(MAX_NEWTON_STEPS):
        if step.held > 0:
            status = keep_place(step, x)
            if status != Reason.DONE:
                return status
        status = list_near(step, x, 1)
        if status != Reason.DONE:
            return status
        measure(step, x)
        depth, unmet = -tol.slop, 0.0
        for k in range(step.broad.candidates):
            i = step.broad.candidate[k]
            if step.real[i] == 1:
                depth = maximum(depth, -scene.gap[i])
            if p[i] > 0.0:
                unmet = maximum(unmet, fabs(scene.gap[i]))
        if depth <= tol.deep and unmet <= tol.deep:
            break
        reach, moved = maximum(reach, WIDER * depth + tol.stepped), 1
        status = move_out(step, x, reach)
        if status != Reason.DONE:
            return status
    if moved == 1:
        slow_down(step, x, energy_at(step, x) - energy)
    return Reason.DONE


@kernel
def move_out(step: TimeStep, x: f64p, reach: f64) -> i64:
    """One Newton step on the contacts within reach, and on those that are pushed."""
    scene, near, cones, p = step.scene, step.near, step.near.cones, step.penetration
    near.contacts = 0
    for k in range(step.broad.candidates):
        i = step.broad.candidate[k]
        reached = step.real[i] == 1 and scene.gap[i] <= reach
        reached = reached and scene.contact[i].bounded + scene.contact[i].one_way == 0
        if (reached or p[i] > 0.0) and choose(near, i, scene.gap[i]) == 0:
            return Reason.NO_ROOM
    status = read_rows(step, x, NORMALS)
    if status != Reason.DONE:
        return status
    status = free_motion(step, x)
    if status != Reason.DONE:
        return status
    assemble(step)
    for k in range(near.contacts):
        near.impulse[k] = p[near.who[k]]
    spread_impulse(step, near.impulse, step.change)
    along_rows(step, step.change, near.mean)
    for r in range(near.rows):
        cones.b[r], cones.impulse[r] = near.gap[r] - near.mean[r], near.impulse[r]
    solve(step)
    for k in range(near.contacts):
        near.impulse[k] = cones.impulse[k] - p[near.who[k]]
        p[near.who[k]] = cones.impulse[k]
    spread_impulse(step, near.impulse, step.change)
    for i in range(step.n):
        step.u_mean[i] += step.change[i]
    shift_place(step, x, step.change)
    return Reason.DONE


@kernel
def slow_down(step: TimeStep, x: f64p, lifted: f64) -> None:
    """Speeds that make up for what was lifted."""
    n, u, moved, s = step.n, offset(x, 1 + step.n_q), step.u_mean, 0.0
    if lifted <= 0.0:
        return
    read_motion(step, x)
    multiply_blocks(step, step.M, moved, step.change)
    b, a = times(n, u, step.change), times(n, moved, step.change)
    if b < 0.0 and a > 0.0:
        root = b * b - 2.0 * a * lifted
        s = divide(-b, a) if root <= 0.0 else divide(2.0 * lifted, -b + sqrt(root))
    for i in range(n):
        u[i] += s * moved[i]
    less_energy(step, u, maximum(lifted + s * b + 0.5 * s * s * a, 0.0))


@kernel
def less_energy(step: TimeStep, u: f64p, surplus: f64) -> None:
    """Take a surplus from the kinetic energy, or all of it, by one factor of all speeds; M is known. Nothing where some
    surface moves by itself."""
    K = kinetic_energy(step, u)
    if K > 0.0 and step.still == 1:
        factor = sqrt(maximum(1.0 - divide(surplus, K), 0.0))
        for i in range(step.n):
            u[i] *= factor


@kernel
def balance(step: TimeStep, x: f64p, surplus: f64) -> None:
    """The surplus is what the midpoint rule is off, of the order h³: zero where inertia does not depend on
    coordinates."""
    read_motion(step, x)
    less_energy(step, offset(x, 1 + step.n_q), surplus)
