"""Contacts that the coordinates themselves enforce, as kernels: their normal force comes from an auxiliary speed.

    N = N0 + N1 · u̇;    sticks with |λ_t| ≤ μ_s N,  or slides with λ_t = −μ_d N d

Only friction is left to decide; one that is pulled is refused, for it cannot separate.
"""

from __future__ import annotations

from latchwork.algebra.factors import least_norm
from latchwork.constraint.inertia import times
from latchwork.hybrid.contacts.event_slip import length
from latchwork.hybrid.contacts.impact_reset import read_law
from latchwork.hybrid.contacts.near_set import assemble
from latchwork.hybrid.contacts.reset_outcome import ResetOutcome
from latchwork.hybrid.contacts.scene import RESTS, SLIDE, SLIPS, STICK, Scene, has_flag
from latchwork.hybrid.contacts.state_reset import choose_contact_states, put_slip
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import divide, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

RANK = 1e-11  # of rows that hold: redundant ones


@kernel
def rows_of(scene: Scene, e: i64) -> f64p:
    """B of two tangents, their c, then N1 and N0 of the e-th enforced contact."""
    return offset(scene.side_rows, e * (3 * scene.n_speeds + 4))


@kernel
def read_enforced(scene: Scene, e: i64, i: i64, x: f64p) -> None:
    """Rows, force and slip of an enforced contact; slip is measured by no less than the motion along its rows."""
    n, n_q = scene.n_speeds, scene.delassus.n_q
    contact, side, rows = scene.contact[i], scene.side[e], rows_of(scene, e)
    tangents, u = contact.tangents, offset(x, 1 + n_q)
    side.point, side.slip[0], side.slip[1] = i, 0.0, 0.0
    evaluate(contact.force, x, offset(rows, 2 * n + 2))
    if tangents > 0:
        evaluate(contact.place, x, scene.out)
        for j in range(tangents):
            moves = fabs(scene.out[tangents * (1 + n) + j])
            for m in range(n):
                rows[j * n + m] = scene.out[tangents + j * n + m]
                moves += fabs(rows[j * n + m] * u[m])
            side.slip[j] = times(n, offset(rows, j * n), u) + scene.out[tangents * (1 + n) + j]
            scene.slip_scale = maximum(scene.slip_scale, moves)
        evaluate(contact.bias, x, offset(rows, 2 * n))


@kernel
def find_enforced(scene: Scene, x: f64p) -> i64:
    """All that are watched and enforced, with their rows, and the direction of slip to begin with; −1 where a law is
    out of bounds."""
    tol, count = scene.tolerances, 0
    for k in range(scene.watched):
        i = scene.watch[k]
        if scene.contact[i].enforced == 1:
            if read_law(scene, i, x) == 0:
                return -1
            read_enforced(scene, count, i, x)
            count += 1
    for e in range(count):
        side = scene.side[e]
        i = side.point
        event, tangents, size = scene.event[i], scene.contact[i].tangents, length(scene.contact[i].tangents, side.slip)
        side.slips, side.slip_direction[0], side.slip_direction[1] = 1, 0.0, 0.0
        if has_flag(event, SLIPS) == 1:
            side.slip_direction[0], side.slip_direction[1] = event.onset[0], event.onset[1]
        elif tangents == 0 or has_flag(event, RESTS) == 1 or size <= tol.no_slip * scene.slip_scale:
            side.slips = 0 if tangents > 0 and scene.mu_s[i] > 0.0 else 1
        else:
            for j in range(tangents):
                side.slip_direction[j] = divide(side.slip[j], size)
    return count


@kernel
def put_friction(scene: Scene, count: i64) -> None:
    """Rows of those that stick, and friction −μ_d d · B_t (N0 + N1 · u̇) of those that slide, into the Delassus
    operator."""
    delassus, n = scene.delassus, scene.n_speeds
    delassus.extra, delassus.drags = 0, 0
    for e in range(count):
        side, rows = scene.side[e], rows_of(scene, e)
        tangents, mu_d = scene.contact[side.point].tangents, scene.mu_d[side.point]
        if side.slips == 0:
            side.row = delassus.held + delassus.extra
            for j in range(tangents):
                at = delassus.held + delassus.extra
                for m in range(n):
                    delassus.B[at * n + m] = rows[j * n + m]
                delassus.held_c[at] = rows[2 * n + j]
                delassus.extra += 1
        elif mu_d > 0.0:
            g = offset(delassus.friction, delassus.drags * (2 * n + 1))
            for m in range(n):
                total = 0.0
                for j in range(tangents):
                    total += side.slip_direction[j] * rows[j * n + m]
                g[m], g[n + m] = -mu_d * total, rows[2 * n + 2 + m]
            g[2 * n] = rows[3 * n + 2]
            delassus.drags += 1


@kernel
def read_reactions(scene: Scene, udot: f64p) -> None:
    """λ of all rows that hold besides, Bᵀ λ = M u̇ − f − Jᵀ λ_c, of least norm; speeds are measured by √M_jj."""
    delassus, n = scene.delassus, scene.n_speeds
    m, force, B = delassus.held + delassus.extra, delassus.work, delassus.B
    S, scale = delassus.held_system, delassus.held_scale
    for j in range(n):
        total = times(n, offset(delassus.M, j * n), udot) - delassus.f[j]
        for r in range(delassus.rows):
            total -= delassus.J[r * n + j] * delassus.lam[r]
        force[j] = total
    for a in range(m):
        delassus.held_right[a] = 0.0
        for j in range(n):
            own = delassus.mass[j * n + j]
            delassus.held_right[a] += divide(B[a * n + j] * force[j], own if own > 0.0 else 1.0)
        for b in range(m):
            total = 0.0
            for j in range(n):
                own = delassus.mass[j * n + j]
                total += divide(B[a * n + j] * B[b * n + j], own if own > 0.0 else 1.0)
            S[a * m + b] = total
    for a in range(m):
        scale[a] = divide(1.0, sqrt(S[a * m + a])) if S[a * m + a] > 0.0 else 1.0
    for a in range(m):
        delassus.held_right[a] *= scale[a]
        for b in range(m):
            S[a * m + b] *= scale[a] * scale[b]
    tau, turned, order = delassus.held_tau, delassus.held_turned, delassus.held_order
    least_norm(m, m, RANK, S, tau, turned, order, delassus.held_right, delassus.reaction)
    for a in range(m):
        delassus.reaction[a] *= scale[a]


@kernel
def leaves(scene: Scene, e: i64, udot: f64p) -> i64:
    """0 where an enforced contact is as it is tried, 1 where it slides instead, −1 where it is pulled."""
    tol = scene.tolerances
    delassus, n, side = scene.delassus, scene.n_speeds, scene.side[e]
    rows, i = rows_of(scene, e), side.point
    N1, tangents = offset(rows, 2 * n + 2), scene.contact[side.point].tangents
    push, scale = N1[n], fabs(N1[n])
    for j in range(n):
        push += N1[j] * udot[j]
        scale += fabs(N1[j] * udot[j])
    if push < -tol.tensile * scale:
        scene.trouble, scene.number = i, push
        return -1
    if side.slips == 1:
        return 0
    force, cone = offset(delassus.reaction, side.row), tol.cone if tangents == 1 else tol.cone_in_space
    size = length(tangents, force)
    if size <= scene.mu_s[i] * push * (1.0 + 0.25 * cone):
        return 0
    side.slips = 1
    for j in range(tangents):
        side.slip_direction[j] = divide(-force[j], size)
    return 1


@kernel
def decide_enforced(scene: Scene, x: f64p) -> i64:
    """States of all contacts: those that stay by the contact problem, given those that the coordinates enforce."""
    delassus, n = scene.delassus, scene.n_speeds
    count = find_enforced(scene, x)
    if count < 0:
        return ResetOutcome.UNLAWFUL
    udot = offset(delassus.work, n)
    for _ in range(2 + 2 * count):
        put_friction(scene, count)
        outcome = assemble(scene, x)
        if outcome != ResetOutcome.DONE:
            return outcome
        outcome = choose_contact_states(scene, x)
        if outcome != ResetOutcome.DONE:
            return outcome
        for i in range(n):
            udot[i] = delassus.udot[i]
            for r in range(delassus.rows):
                udot[i] += times(n, offset(delassus.inverse, i * n), offset(delassus.J, r * n)) * delassus.lam[r]
        read_reactions(scene, udot)
        changed = 0
        for e in range(count):
            left = leaves(scene, e, udot)
            if left < 0:
                return ResetOutcome.PULLED
            changed += left
        if changed == 0:
            return ResetOutcome.DONE
    return ResetOutcome.UNDECIDED


@kernel
def put_enforced(scene: Scene) -> None:
    """The states of enforced contacts as they were decided."""
    tol = scene.tolerances
    count = 0
    for k in range(scene.watched):
        i = scene.watch[k]
        if scene.contact[i].enforced == 1:
            side, state, tangents = scene.side[count], scene.state[i], scene.contact[i].tangents
            scene.event[i].stays = 1
            state.kind, state.slip_size, state.impending_size, state.force_size = SLIDE, 0, 0, 0
            state.cone_margin, state.unloaded = 0, 0
            if side.slips == 0:
                state.kind = STICK
            elif scene.mu_d[i] > 0.0 and (side.slip_direction[0] != 0.0 or side.slip_direction[1] != 0.0):
                begins = 1 if length(tangents, side.slip) <= tol.no_slip * scene.slip_scale else 0
                put_slip(scene, i, tangents, side.slip_direction[0], side.slip_direction[1], begins)
            count += 1
