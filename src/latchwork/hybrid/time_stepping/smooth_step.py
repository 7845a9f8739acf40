"""A step without impacts, as a kernel: the midpoint rule, with impulses of contacts that are closed.

    M (u⁺ − u) = h f + Bᵀ(...) + Jᵀ Λ   at   q_m = q + h/2 q̇,  u_m = (u + u⁺)/2;     q⁺ = q + h q̇(q_m, u_m)
    0 ≤ Λ_n ⟂ 2g/h + max(v_n, 0) + v_n⁺ ≥ 0,     of speeds 0 ≤ Λ ⟂ v⁺ ≥ 0
    |Λ_t| ≤ μ Λ_n,   Λ_t = −μ Λ_n v_t⁺/|v_t⁺| where v_t⁺ ≠ 0,   μ = μ_d where |v_t| > ε V, else μ_s

as Moreau's scheme with Coulomb's law [Moreau 1988; Stewart, Trinkle 1996]. Friction is a set-valued law, not one of
slip smoothed out: v_t⁺ of a contact that sticks is zero. ε V decides between the two coefficients alone, by the slip
with which the step begins: V = max Σ |J_ij u_j| + max |C| is the fastest motion of the rows at hand, ε the tolerance
``no_slip``. Friction of a joint has its limit in the place of a normal impulse, |Λ_t| ≤ h λ_s or h λ_d.

Rest, u⁺ = 0, meets all of it, so that no contacts contradict each other, however many there are; a normal impulse does
no work, Λ_n (v_n + v_n⁺)/2 ≤ 0. Nor does friction: where it would, for slip turns within the step, it acts against
(v_t + v_t⁺)/2. v_n is small here: contacts that approach faster than a step can turn them are left to the impact, and
what penetration is left is taken out at the end of the step.
"""

from __future__ import annotations

from latchwork.constraint.inertia import times
from latchwork.contact.complementarity.problem import State
from latchwork.contact.time_stepping.cone_problem import times_A
from latchwork.hybrid.time_stepping.contact_rows import (
    ALL,
    along_rows,
    assemble,
    attract,
    choose,
    is_pressed,
    pace,
    press_fixed,
    read_laws,
    read_rows,
    solve,
    spread_impulse,
    tear_off,
    velocities,
)
from latchwork.hybrid.time_stepping.held_rows import normalize
from latchwork.hybrid.time_stepping.inertia import forces, free_motion, largest, multiply_blocks
from latchwork.hybrid.time_stepping.time_step import NearContacts, Reason, TimeStep
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

PASSES = 4  # evaluations at the midpoint at most
CONVERGED = 1e-12  # of the speeds: passes that change less have ended
EDGE = 1e-12  # of the friction cone: this near its surface a contact slides
REACH = 10.0  # times what a step from rest moves anything: no contact beyond is closed


@kernel
def choose_reached(step: TimeStep, h: f64) -> i64:
    """Contacts that a step from rest would close, and that do not approach faster than that; u̇₀ is known."""
    scene, near, u = step.scene, step.near, offset(step.x, 1 + step.n_q)
    tol, far = scene.tolerances, REACH * h * h * largest(step, step.free)
    near.contacts = 0
    for k in range(step.broad.candidates):
        i = step.broad.candidate[k]
        reached = step.real[i] == 1 and step.before[i] <= far + tol.stepped
        if reached and is_pressed(step, i, near.contacts) == 1 and choose(near, i, step.before[i]) == 0:
            return Reason.NO_ROOM
    status = read_rows(step, step.x, ALL)
    if status != Reason.DONE:
        return status
    turned, kept = h * pace(step, step.free) + tol.no_slip * pace(step, u), 0  # what a step may change of velocities
    velocities(step, u)
    for k in range(near.contacts):
        slow = near.v[near.first[k]] >= -turned or near.one_way[k] == 1
        if near.gap[k] <= 0.5 * h * turned + tol.stepped and slow and is_pressed(step, near.who[k], kept) == 1:
            near.who[kept], near.gap[kept] = near.who[k], maximum(near.gap[k], 0.0)
            kept += 1
    near.contacts = kept
    return Reason.DONE


@kernel
def smooth_step(step: TimeStep, h: f64) -> i64:
    """``moved_x``, ``mean`` accelerations, ``impulses`` and ``mode`` of contacts, ``work_of_step`` after a step."""
    n_q, n, x, middle, after = step.n_q, step.n, step.x, step.middle, step.moved_x
    status = free_motion(step, x)
    if status != Reason.DONE:
        return status
    for i in range(n_q):
        step.rates[i] = step.moved[i]
    status = choose_reached(step, h)
    if status != Reason.DONE:
        return status
    for i in range(step.n_x):
        middle[i], after[i] = x[i], x[i]
    middle[0] = x[0] + 0.5 * h
    for i in range(n_q):
        middle[1 + i] += 0.5 * h * step.rates[i]
    normalize(step, middle)
    u, u_m, u_new = offset(x, 1 + n_q), offset(middle, 1 + n_q), offset(after, 1 + n_q)
    for i in range(n):
        u_m[i] = u[i] + 0.5 * h * step.udot[i]
    status = at_middle(step, h, u, u_m, u_new)
    if status != Reason.DONE:
        return status
    after[0] = x[0] + h
    for i in range(n_q):
        after[1 + i] = x[1 + i] + h * step.moved[i]
    normalize(step, after)
    for i in range(n):
        step.mean[i] = divide(u_new[i] - u[i], h)
    book_work(step, h, u, u_m, u_new)
    note_mode(step, h)
    return Reason.DONE


@kernel
def at_middle(step: TimeStep, h: f64, u: f64p, u_m: f64p, u_new: f64p) -> i64:
    """Speeds after the step, by passes at the midpoint; P and J are the same in all of them."""
    near, n, middle = step.near, step.n, step.middle
    status = free_motion(step, middle)
    if status != Reason.DONE:
        return status
    status = read_rows(step, middle, ALL)
    if status != Reason.DONE:
        return status
    assemble(step)
    for k in range(near.contacts):
        for j in range(1 + near.tangents[k]):
            near.impulse[near.first[k] + j] = step.warm[3 * near.who[k] + j]
    for k in range(near.contacts):
        step.scene.event[near.who[k]].torn = 0
    for _ in range(PASSES):
        status = impulses_of_step(step, h, u)
        while status == Reason.DONE and tear_off(step) > 0:
            status = impulses_of_step(step, h, u)
        for k in range(near.contacts):
            near.impulse[near.first[k]] -= h * near.pull[k]
        if status != Reason.DONE:
            return status
        spread_impulse(step, near.impulse, step.change)
        for i in range(n):
            u_new[i] = u[i] + h * step.free[i] + step.change[i]
            u_m[i] = 0.5 * (u[i] + u_new[i])
            step.shift[i] = step.free[i]
        status = free_motion(step, middle)
        if status != Reason.DONE:
            return status
        for i in range(n):
            step.shift[i] = h * (step.free[i] - step.shift[i])
        if largest(step, step.shift) <= CONVERGED * largest(step, u_new):
            break
    return Reason.DONE


@kernel
def impulses_of_step(step: TimeStep, h: f64, u: f64p) -> i64:
    """``impulse``, from a guess of it on, and by how much the laws are not met."""
    near, cones = step.near, step.near.cones
    v, free, b = near.v, near.free, cones.b
    velocities(step, u)
    status = read_laws(step, step.middle, v)
    if status != Reason.DONE:
        return status
    along_rows(step, step.free, free)
    for r in range(near.rows):
        free[r] = v[r] + h * free[r]
        cones.impulse[r] = near.impulse[r]
    attract(step, h, free)
    for r in range(near.rows):
        b[r] = free[r]
    for k in range(near.contacts):
        row = near.first[k]
        if near.one_way[k] == 0:
            b[row] += maximum(v[row], 0.0) + divide(2.0 * near.gap[k], h)
        near.turned[k] = 0
    press_fixed(near, h)
    solve(step)
    while turn_friction(near) == 1:
        solve(step)
    for r in range(near.rows):
        near.impulse[r] = cones.impulse[r]
    step.off_of_step = cones.off
    return status


@kernel
def turn_friction(near: NearContacts) -> i64:
    """Where contacts would do work, let friction act against the mean velocity wherever it does work; 0 for nowhere."""
    cones, mean, v = near.cones, near.mean, near.v
    impulse, total, size, found = cones.impulse, 0.0, 0.0, 0
    times_A(cones, impulse, mean)
    for k in range(near.contacts):
        if near.fixed[k] == 1:  # a limit moves nothing
            mean[near.first[k]] = 0.0
    for r in range(near.rows):
        mean[r] += v[r] + near.free[r]  # twice the mean velocity
        total += impulse[r] * mean[r]
        size += fabs(impulse[r]) * fabs(mean[r])
    if not total > CONVERGED * size:
        return 0
    for k in range(near.contacts):
        row, tangents = near.first[k] + 1, near.tangents[k]
        if near.turned[k] == 0 and times(tangents, offset(impulse, row), offset(mean, row)) > 0.0:
            near.turned[k], found = 1, 1
            for r in range(row, row + tangents):
                cones.b[r] += v[r]
    return found


@kernel
def book_work(step: TimeStep, h: f64, u: f64p, u_m: f64p, u_new: f64p) -> None:
    """Work of contacts, of loads without a potential, and of constraints that move: all at the midpoint."""
    near, n, change, push = step.near, step.n, step.change, step.push
    f = forces(step)
    a = offset(f, n)
    spread_impulse(step, near.impulse, change)
    for i in range(n):
        change[i] = u_new[i] - u[i]
    work = times(n, push, u_m) + times(n, a, change) + h * a[n]
    if step.held > 0:
        multiply_blocks(step, step.M, change, step.row)
        for i in range(n):
            work += (step.row[i] - h * f[i] - push[i]) * u_m[i]
    along_rows(step, u_m, near.mean)
    gain = 0.0  # static friction on a slip that is none but for the step
    for r in range(near.rows):
        gain += near.impulse[r] * (near.mean[r] + near.C[r])
    step.work_of_step = work - maximum(gain, 0.0)


@kernel
def note_mode(step: TimeStep, h: f64) -> None:
    """Impulses of all contacts, and which of them are closed, and how."""
    near = step.near
    for k in range(step.broad.candidates):
        i = step.broad.candidate[k]
        step.mode[i] = State.OPEN
        for j in range(3):
            step.impulses[3 * i + j] = 0.0
    for k in range(near.contacts):
        i, row, total = near.who[k], near.first[k], 0.0
        for j in range(1 + near.tangents[k]):
            step.impulses[3 * i + j] = near.impulse[row + j]
            total += near.impulse[row + j] * near.impulse[row + j] if j > 0 else 0.0
        normal = near.impulse[row] + h * near.pull[k]
        if normal > 0.0:
            slides = sqrt(total) >= near.mu[k] * normal * (1.0 - EDGE)
            step.mode[i] = State.SLIDE if slides else State.STICK
