"""Contacts that the coordinates themselves enforce, as kernels: their normal force comes from an auxiliary speed.

    N = N0 + N1 · u̇;    sticks with |λ_t| ≤ μ_s N,  or slides with λ_t = −μ_d N d

Only friction is left to decide; one that is pulled is refused, for it cannot separate.
"""

from __future__ import annotations

from latchwork.algebra.factors import least_norm
from latchwork.contact.complementarity.problem import SOLVED
from latchwork.hybrid.contacts.delassus_operator import times
from latchwork.hybrid.contacts.impact_reset import read_law
from latchwork.hybrid.contacts.near_set import FOUND, assemble, says
from latchwork.hybrid.contacts.scene import RESTS, SLIDE, SLIPS, STICK, Scene
from latchwork.hybrid.contacts.state_reset import decide, length, put_slip
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset

DECIDED, PULLED, UNDECIDED, UNLAWFUL, UNFINISHED, NO_FORCES = range(6)
RANK = 1e-14


@kernel
def rows_of(scene: Scene, e: i64) -> f64p:
    """B of two tangents, their c, then N1 and N0 of the e-th enforced contact."""
    return offset(scene.side_rows, e * (3 * scene.n_speeds + 4))


@kernel
def find_enforced(scene: Scene, x: f64p) -> i64:
    """All that are watched and enforced, with their rows, and the direction of slip to begin with; −1 where a law is
    out of bounds."""
    tol = scene.tolerances
    n, n_q, count = scene.n_speeds, scene.delassus.n_q, 0
    for k in range(scene.watched):
        i = scene.watch[k]
        contact, event = scene.contact[i], scene.event[i]
        if contact.enforced == 1:
            side, rows, tangents = scene.side[count], rows_of(scene, count), contact.tangents
            if read_law(scene, i, x) == 0:
                return -1
            evaluate(contact.force, x, offset(rows, 2 * n + 2))
            side.who, side.slip[0], side.slip[1] = i, 0.0, 0.0
            if tangents > 0:
                evaluate(contact.place, x, scene.out)
                for j in range(tangents):
                    for m in range(n):
                        rows[j * n + m] = scene.out[tangents + j * n + m]
                    side.slip[j] = times(n, offset(rows, j * n), offset(x, 1 + n_q)) + scene.out[tangents * (1 + n) + j]
                evaluate(contact.bias, x, offset(rows, 2 * n))
            size = length(tangents, side.slip)
            side.slips, side.way[0], side.way[1] = 1, 0.0, 0.0
            if says(event.says, SLIPS) == 1:
                side.way[0], side.way[1] = event.onset[0], event.onset[1]
            elif tangents == 0 or says(event.says, RESTS) == 1 or size <= tol.no_slip * scene.fastest:
                side.slips = 0 if tangents > 0 and scene.mu_s[i] > 0.0 else 1
            else:
                for j in range(tangents):
                    side.way[j] = divide(side.slip[j], size)
            count += 1
    return count


@kernel
def put_friction(scene: Scene, count: i64) -> None:
    """Rows of those that stick, and friction −μ_d d · B_t (N0 + N1 · u̇) of those that slide, into the Delassus
    operator."""
    known, n = scene.delassus, scene.n_speeds
    known.extra, known.drags = 0, 0
    for e in range(count):
        side, rows = scene.side[e], rows_of(scene, e)
        tangents, mu_d = scene.contact[side.who].tangents, scene.mu_d[side.who]
        if side.slips == 0:
            for j in range(tangents):
                at = known.held + known.extra
                for m in range(n):
                    known.B[at * n + m] = rows[j * n + m]
                known.held_c[at] = rows[2 * n + j]
                known.extra += 1
        elif mu_d > 0.0:
            g = offset(known.friction, known.drags * (2 * n + 1))
            for m in range(n):
                total = 0.0
                for j in range(tangents):
                    total += side.way[j] * rows[j * n + m]
                g[m], g[n + m] = -mu_d * total, rows[2 * n + 2 + m]
            g[2 * n] = rows[3 * n + 2]
            known.drags += 1


@kernel
def friction_along(scene: Scene, e: i64, force: f64p, found: f64p) -> f64:
    """λ_t with Bᵀ λ_t = force, as nearly as can be, and |λ_t|."""
    known, n, rows = scene.delassus, scene.n_speeds, rows_of(scene, e)
    tangents = scene.contact[scene.side[e].who].tangents
    for a in range(tangents):
        known.right[a] = times(n, offset(rows, a * n), force)
        for b in range(tangents):
            known.system[a * tangents + b] = times(n, offset(rows, a * n), offset(rows, b * n))
    least_norm(tangents, tangents, RANK, known.system, known.tau, known.turned, known.order, known.right, found)
    return length(tangents, found)


@kernel
def leaves(scene: Scene, e: i64, udot: f64p) -> i64:
    """0 where an enforced contact is as it is tried, 1 where it slides instead, −1 where it is pulled."""
    tol = scene.tolerances
    known, n, side = scene.delassus, scene.n_speeds, scene.side[e]
    rows, i = rows_of(scene, e), side.who
    N1, force = offset(rows, 2 * n + 2), known.work
    push, scale = N1[n], fabs(N1[n])
    for j in range(n):
        push += N1[j] * udot[j]
        scale += fabs(N1[j] * udot[j])
    if push < -tol.tensile * scale:
        scene.trouble, scene.number = i, push
        return -1
    if side.slips == 1 or scene.mu_s[i] == 0.0:
        return 0
    for j in range(n):
        force[j] = times(n, offset(known.M, j * n), udot) - known.f[j]
        for r in range(known.rows):
            force[j] -= known.J[r * n + j] * known.lam[r]
    size = friction_along(scene, e, force, known.answer)
    if size <= scene.mu_s[i] * push * (1.0 + 0.25 * tol.cone):
        return 0
    side.slips = 1
    for j in range(scene.contact[i].tangents):
        side.way[j] = divide(-known.answer[j], size)
    return 1


@kernel
def decide_enforced(scene: Scene, x: f64p) -> i64:
    """States of all contacts: those that stay by the contact problem, given those that the coordinates enforce."""
    known, n = scene.delassus, scene.n_speeds
    count = find_enforced(scene, x)
    if count < 0:
        return UNLAWFUL
    udot = offset(known.work, n)
    for _ in range(2 + 2 * count):
        put_friction(scene, count)
        if assemble(scene, x) != FOUND:
            return UNFINISHED
        status = decide(scene, x[0])
        if status != SOLVED:
            scene.solved = status
            return NO_FORCES
        for i in range(n):
            udot[i] = known.udot[i]
            for r in range(known.rows):
                udot[i] += times(n, offset(known.inverse, i * n), offset(known.J, r * n)) * known.lam[r]
        changed = 0
        for e in range(count):
            left = leaves(scene, e, udot)
            if left < 0:
                return PULLED
            changed += left
        if changed == 0:
            return DECIDED
    return UNDECIDED


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
            state.kind, state.slips, state.limits, state.cone_margin, state.forces = SLIDE, 0, 0, 0, 0
            if side.slips == 0:
                state.kind = STICK
            elif scene.mu_d[i] > 0.0 and (side.way[0] != 0.0 or side.way[1] != 0.0):
                begins = 1 if length(tangents, side.slip) <= tol.no_slip * scene.fastest else 0
                put_slip(scene, i, tangents, side.way[0], side.way[1], begins)
            count += 1
