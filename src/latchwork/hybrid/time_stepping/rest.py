"""Whether everything comes to rest within a step, and stays there: then nothing is left to be stepped.

    0 = u + h u̇₀ + P Jᵀ Λ       the contacts that are closed can stop what moves (a kernel),
    0 = J u̇₀ + J P Jᵀ λ         and hold it (the contact problem), both within their cones.

λ is not unique where there are more contacts than freedoms; it is taken well inside the cones, so that what rests goes
on to rest. What rolls on a plane is not stopped by this, however slow it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.solution import NamedContactProblem, State, feasible
from latchwork.hybrid.time_stepping.contact_rows import (
    along_rows,
    assemble,
    attract,
    pace,
    press_fixed,
    read_laws,
    solve,
    spread_impulse,
)
from latchwork.hybrid.time_stepping.inertia import free_motion
from latchwork.hybrid.time_stepping.settings import MANY
from latchwork.hybrid.time_stepping.time_step import Reason, TimeStep
from latchwork.program.kernel import f64, f64p, i64, kernel, offset

VELOCITY_AT_REST = 1e-6  # of what a step without contacts would change: velocities that are none
SLOW = 4.0  # times that: what is faster is not tried
EVERY = 8  # steps between trials where many contacts are closed
PASSES, EDGE = 8, 1e-9  # over limits in proportion to normal forces, and by so much they may be passed
IDLE = 1e-9  # of the largest force: a contact with less carries nothing


@kernel
def mark_moved(step: TimeStep) -> None:
    """``row`` = 1 for speeds that move some contact that is near."""
    near, cones = step.near, step.near.cones
    for k in range(near.contacts):
        entry = cones.entry_at[k]
        for _ in range(1 + near.tangents[k]):
            for t in range(cones.touch_at[k], cones.touch_at[k + 1]):
                branch = cones.touched[t]
                for j in range(step.branch_start[branch], step.branch_start[branch + 1]):
                    if near.J[entry] != 0.0:
                        step.row[step.speed[j]] = 1.0
                    entry += 1


@kernel
def comes_to_rest(step: TimeStep, x: f64p, h: f64) -> i64:
    """`Reason.AT_REST` where impulses of the closed contacts, whose rows are known, stop all speeds within a step."""
    near, cones, n, u, still, free = step.near, step.near.cones, step.n, offset(x, 1 + step.n_q), step.middle, step.mean
    if step.still == 0 or near.contacts == 0 or (near.contacts > MANY and step.calm % EVERY != 0):
        return Reason.DONE
    for i in range(step.n_x):
        still[i] = x[i]
    for i in range(n):
        still[1 + step.n_q + i] = 0.0
    status = free_motion(step, still)
    if status != Reason.DONE:
        return status
    size = h * pace(step, step.free)
    if pace(step, u) > SLOW * size:
        return Reason.DONE
    for j in range(n):
        free[j] = u[j] + h * step.free[j]
        step.row[j] = 0.0
    mark_moved(step)
    for j in range(n):
        if step.row[j] == 0.0 and free[j] != 0.0:
            return Reason.DONE
    assemble(step)
    along_rows(step, free, cones.b)
    for r in range(near.rows):
        near.mean[r] = 0.0
    status = read_laws(step, still, near.mean)
    if status != Reason.DONE:
        return status
    for k in range(near.contacts):
        for j in range(1 + near.tangents[k]):
            cones.impulse[near.first[k] + j] = step.impulses[3 * near.who[k] + j]
    press_fixed(near, h)
    attract(step, h, cones.b)
    solve(step)
    for k in range(near.contacts):
        cones.impulse[near.first[k]] -= h * near.pull[k]
    spread_impulse(step, cones.impulse, step.change)
    for j in range(n):
        step.change[j] += free[j]
    return Reason.AT_REST if pace(step, step.change) <= VELOCITY_AT_REST * size else Reason.DONE


def dense_rows(step: TimeStep) -> Array:
    """J of the contacts that are near."""
    near, cones, start = step.near, step.near.cones, np.array(step.branch_start)
    J, entries, speed = np.zeros((near.rows, step.n)), np.array(near.J), np.array(step.speed)
    for k in range(near.contacts):
        touched = cones.touched[cones.touch_at[k] : cones.touch_at[k + 1]].tolist()
        speeds = np.concatenate([speed[start[b] : start[b + 1]] for b in touched])
        rows = slice(near.first[k], near.first[k] + 1 + near.tangents[k])
        J[rows, speeds] = entries[cones.entry_at[k] : cones.entry_at[k + 1]].reshape(-1, len(speeds))
    return J


def dense_blocks(step: TimeStep) -> Array:
    """P as one matrix."""
    speed, n = np.array(step.speed), step.n
    if step.dense == 0:
        Z, entries = np.zeros((n, n)), np.array(step.Z)
        for k in range(n):
            places = [*step.way[step.way_at[k] : step.way_at[k + 1]].tolist(), k]
            Z[speed[k], speed[places]] = entries[step.row_at[k] + np.array(places)]
        return dot(Z, Z.T)
    P, entries = np.zeros((n, n)), np.array(step.P)
    start, at = step.block_start[: step.blocks + 1].tolist(), step.square_at[: step.blocks + 1].tolist()
    for b in range(step.blocks):
        own = speed[start[b] : start[b + 1]]
        P[np.ix_(own, own)] = entries[at[b] : at[b + 1]].reshape(len(own), -1)
    return P


def pressing(step: TimeStep, normals: Mapping[int, float]) -> Array:
    """What limits are multiplied by: 1, or the normal force of another contact, or nothing."""
    pressers = step.near.presser[: step.near.contacts].tolist()
    return np.array([1.0 if who < 0 else normals.get(who, 0.0) for who in pressers])


def is_within(step: TimeStep, found: Mapping[int, Array], limits: Array) -> bool:
    """Whether what resists turns keeps to its limits."""
    return all(float(np.sqrt((part[1:] ** 2).sum())) <= limits[k] * (1.0 + EDGE)
               for k, part in found.items() if step.near.presser[k] >= 0)  # fmt: skip


def holding_forces(step: TimeStep, names: Sequence[str]) -> dict[int, Array] | None:
    """λ of contacts that stick, as `forces_within` has them, with limits that are in proportion to λ itself."""
    near = step.near
    normals = {k: near.cones.impulse[near.first[k]] / step.step for k in range(near.contacts)}
    for _ in range(PASSES):
        limits = np.array(near.limit[: near.contacts]) * pressing(step, normals)
        found = forces_within(step, names, limits)
        if found is None:
            return None
        normals = {k: float(part[0]) for k, part in found.items()}
        limits = np.array(near.limit[: near.contacts]) * pressing(step, normals)
        if is_within(step, found, limits):
            return {k: part / near.unit[k] for k, part in found.items()}
    return None


def forces_within(step: TimeStep, names: Sequence[str], limits: Array) -> dict[int, Array] | None:
    """λ of contacts that stick, well inside their cones, by their places among those that are near; those that carry
    nothing are left out. None where contacts cannot hold what they have stopped."""
    near, n = step.near, step.n
    J, C = dense_rows(step), near.contacts
    inverse, free = dense_blocks(step), np.array(step.free[:n])
    pulls = np.array(near.pull[:C])
    if pulls.any():
        free = free - dot(inverse, dot(J[near.first[:C].tolist()].T, pulls))
    first, mu, tangents = near.first[:C].tolist(), np.array(near.mu[:C]), near.tangents[:C].tolist()
    fixed = [bool(each) for each in near.fixed[:C]]
    mu = np.where(fixed, limits, mu)
    some = list(range(C))
    while some:
        k = [tangents[i] if mu[i] > 0.0 else 0 for i in some]
        own = [row for i, count in zip(some, k, strict=True) for row in range(first[i], first[i] + 1 + count)]
        rows, none = J[own], (None,) * len(some)
        resting = NamedContactProblem(tuple(names[i] for i in some), dot(rows, inverse, rows.T), dot(rows, free),
                                      tuple(k), mu[some], mu[some], none, none, tuple(fixed[i] for i in some)
                                      )  # fmt: skip
        lam = feasible(resting, [State.STICK] * len(some), none)
        if lam is None:
            return None
        udot = free + dot(inverse, dot(rows.T, lam))
        unit = np.asarray(step.unit)
        if np.abs(udot / unit).max() > VELOCITY_AT_REST * np.abs(free / unit).max():
            return None
        parts = np.split(lam, np.cumsum([1 + count for count in k])[:-1])
        least = IDLE * max([part[0] for i, part in zip(some, parts, strict=True) if not fixed[i]], default=0.0)
        busy = [fixed[i] or part[0] > least for i, part in zip(some, parts, strict=True)]
        if all(busy):
            return dict(zip(some, parts, strict=True))
        some = [i for i, carries in zip(some, busy, strict=True) if carries]
    return None
