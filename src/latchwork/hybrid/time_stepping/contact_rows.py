"""Gaps and rows of contacts at a state, as kernels: which count, which are near, what unit impulses do there.

    v = J u + C,    A = J P Jᵀ
"""

from __future__ import annotations

from latchwork.contact.time_stepping.cone_problem import row_times
from latchwork.contact.time_stepping.impulses import SOLVED, solve_cones
from latchwork.hybrid.contacts.impact_reset import read_law
from latchwork.hybrid.contacts.step_limit import FOREVER
from latchwork.hybrid.time_stepping.broad_phase import find_near, list_wanted, moved
from latchwork.hybrid.time_stepping.inertia import multiply_listed
from latchwork.hybrid.time_stepping.time_step import (
    DONE,
    NO_PAIRS,
    NO_ROOM,
    NOT_MADE,
    NOT_READY,
    UNLAWFUL,
    NearContacts,
    TimeStep,
)
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum

ALL, NORMALS = range(2)  # which rows of contacts are read
PASSES, SETTLED = 8, 1e-12  # over limits that are in proportion to normal impulses
WAS, IS = 1, 2  # among the candidates: before, now


@kernel
def counts(step: TimeStep, i: i64, gap: f64, inside: f64) -> i64:
    """1 for a feature that counts: within its domain, and not met from behind.

    It is met from behind where it is deep at both ends of a step; but not where the step leads into its domain, as
    round a corner, no deeper than along it.
    """
    tol = step.scene.tolerances
    deep = gap < -tol.slop and step.before[i] < -tol.slop
    enters = step.inside[i] < -tol.reach and inside >= -gap
    return 1 if inside >= -tol.reach and (not deep or enters) else 0


@kernel
def measure_one(step: TimeStep, i: i64, x: f64p) -> None:
    """The gap of a contact, and how far inside its domain it is."""
    scene = step.scene
    contact, inside = scene.contact[i], FOREVER
    evaluate(contact.gap, x, scene.out)
    for j in range(contact.bounds):
        inside = minimum(inside, scene.out[1 + j])
    scene.gap[i], scene.inside[i] = scene.out[0] if contact.one_way == 0 else 0.0, inside


@kernel
def measure(step: TimeStep, x: f64p) -> None:
    """Gaps of all contacts that may be near, how far inside their domains they are, and which count."""
    scene = step.scene
    for k in range(step.broad.candidates):
        i = step.broad.candidate[k]
        measure_one(step, i, x)
        step.real[i] = counts(step, i, scene.gap[i], scene.inside[i])


@kernel
def list_near(step: TimeStep, x: f64p, within: i64) -> i64:
    """The broad phase at a state, where it was not looked at nearby: at the start of a step, or ``within`` it, where
    nobody leaves. Contacts that come are measured at the start of the step. `NOT_MADE` where some have to be made."""
    broad, scene = step.broad, step.scene
    way = moved(broad, x) if broad.enclosures > 0 else 0.0
    if broad.looked == 1 and way <= (0.5 if within == 1 else 0.25) * broad.margin:
        return DONE
    if find_near(broad, within) > 0:
        return NOT_MADE
    count = broad.candidates
    for k in range(count):
        broad.previous[k] = broad.candidate[k]
        step.listed_now[broad.candidate[k]] = WAS
    list_wanted(broad)
    for k in range(broad.candidates):
        i = broad.candidate[k]
        if step.listed_now[i] == 0:
            measure_one(step, i, step.x)
            step.before[i], step.inside[i] = scene.gap[i], scene.inside[i]
            step.real[i] = counts(step, i, step.before[i], step.inside[i])
        step.listed_now[i] = IS
    for k in range(count):
        i = broad.previous[k]
        if step.listed_now[i] == WAS:
            step.listed_now[i], step.mode[i], step.real[i], step.penetration[i] = 0, 0, 0, 0.0
            for j in range(3):
                step.warm[3 * i + j], step.impulses[3 * i + j] = 0.0, 0.0
    return DONE


@kernel
def keep_gaps(step: TimeStep) -> None:
    """The gaps that were measured last are those at the start of a step."""
    scene = step.scene
    for k in range(step.broad.candidates):
        i = step.broad.candidate[k]
        step.before[i], step.inside[i] = scene.gap[i], scene.inside[i]


@kernel
def count_at_start(step: TimeStep) -> None:
    """Which features count at the start of a step."""
    for k in range(step.broad.candidates):
        i = step.broad.candidate[k]
        step.real[i] = counts(step, i, step.before[i], step.inside[i])


@kernel
def choose(near: NearContacts, i: i64, gap: f64) -> i64:
    """One more contact that is near; 0 where there is no room."""
    k = near.contacts
    if k == near.most_contacts:
        return 0
    near.who[k], near.gap[k] = i, gap
    near.contacts = k + 1
    return 1


@kernel
def place_among(near: NearContacts, count: i64, i: i64) -> i64:
    """The place of a contact among the first of those that are near; −1 where it is not."""
    for k in range(count):
        if near.who[k] == i:
            return k
    return -1


@kernel
def is_pressed(step: TimeStep, i: i64, count: i64) -> i64:
    """0 for what resists turns of a contact that is not among the first of those that are near, and for adhesion, which
    is an impulse of its contact."""
    presser = step.scene.contact[i].presser
    if step.scene.contact[i].attracts >= 0:
        return 0
    return 1 if presser < 0 or place_among(step.near, count, presser) >= 0 else 0


@kernel
def choose_closed(step: TimeStep) -> i64:
    """The contacts that are closed where gaps were measured last."""
    scene, near = step.scene, step.near
    near.contacts = 0
    for k in range(step.broad.candidates):
        i = step.broad.candidate[k]
        closed = step.real[i] == 1 and scene.gap[i] <= scene.tolerances.stepped
        if closed and is_pressed(step, i, near.contacts) == 1 and choose(near, i, scene.gap[i]) == 0:
            return NO_ROOM
    return DONE


@kernel
def read_rows(step: TimeStep, x: f64p, which: i64) -> i64:
    """J and C of the contacts that are near, all rows or the normal ones; rates of angles in units of the model, so
    that all velocities are alike, and torques are forces."""
    near, scene, n, row = step.near, step.scene, step.n, 0
    for k in range(near.contacts):
        contact = scene.contact[near.who[k]]
        if contact.ready == 0:
            scene.trouble = near.who[k]
            return NOT_READY
        bounded = contact.bounded
        rows = 1 + contact.tangents - bounded
        evaluate(contact.place, x, scene.out)
        near.first[k], near.tangents[k], near.fixed[k] = row, contact.tangents if which == ALL else 0, bounded
        near.one_way[k] = contact.one_way
        near.presser[k] = -1 if contact.presser < 0 else place_among(near, k, contact.presser)
        near.unit[k] = contact.row_unit if bounded + contact.one_way > 0 else 1.0
        if bounded == 1:
            near.count[row], near.C[row] = 0, 0.0
            for j in range(n):
                near.J[row * n + j] = 0.0
            row += 1
        for i in range(1 + near.tangents[k] - bounded):
            count = 0
            for j in range(n):
                value = divide(scene.out[rows + i * n + j], near.unit[k])
                near.J[row * n + j] = value
                if value != 0.0:
                    near.index[row * n + count] = j
                    count += 1
            near.count[row], near.C[row] = count, divide(scene.out[rows + rows * n + i], near.unit[k])
            row += 1
    near.rows = row
    return DONE


@kernel
def pace(near: NearContacts, u: f64p) -> f64:
    """How fast speeds u move anything here: Σ |J_ij u_j| at most."""
    n, most = near.n, 0.0
    for r in range(near.rows):
        total = 0.0
        for k in range(near.count[r]):
            j = near.index[r * n + k]
            total += fabs(near.J[r * n + j]) * fabs(u[j])
        most = maximum(most, total)
    return most


@kernel
def drift(near: NearContacts) -> f64:
    """How fast surfaces move by themselves: max |C|."""
    most = 0.0
    for r in range(near.rows):
        most = maximum(most, fabs(near.C[r]))
    return most


@kernel
def along_rows(near: NearContacts, u: f64p, out: f64p) -> None:
    """``J u``."""
    multiply_listed(near.rows, near.n, near.J, near.count, near.index, u, out)


@kernel
def velocities(near: NearContacts, u: f64p) -> None:
    """``v = J u + C``."""
    along_rows(near, u, near.v)
    for r in range(near.rows):
        near.v[r] += near.C[r]


@kernel
def spread_impulse(step: TimeStep, impulse: f64p, change: f64p) -> None:
    """``push = Jᵀ Λ`` and ``change = P Jᵀ Λ``."""
    near, n, push = step.near, step.n, step.push
    for j in range(n):
        push[j] = 0.0
    for r in range(near.rows):
        if impulse[r] != 0.0:
            for k in range(near.count[r]):
                j = near.index[r * n + k]
                push[j] += near.J[r * n + j] * impulse[r]
    multiply_listed(n, n, step.P, step.P_count, step.P_index, push, change)


@kernel
def assemble(step: TimeStep) -> None:
    """``A = J P Jᵀ`` of the contacts that are near, into the cone problem; no impulse is asked for, none is guessed."""
    near, cones, n, row = step.near, step.near.cones, step.n, step.row
    rows, J, P = near.rows, near.J, step.P
    for r in range(rows):
        for j in range(n):
            row[j] = 0.0
        for k in range(near.count[r]):
            i = near.index[r * n + k]
            for m in range(step.P_count[i]):
                j = step.P_index[i * n + m]
                row[j] += J[r * n + i] * P[i * n + j]
        for s in range(r + 1):
            total = 0.0
            for k in range(near.count[s]):
                j = near.index[s * n + k]
                total += row[j] * J[s * n + j]
            cones.A[r * rows + s], cones.A[s * rows + r] = total, total
        cones.P[r] = 0.0
    cones.contacts = near.contacts
    for k in range(near.contacts):
        cones.tangents[k], cones.mu[k], cones.least[k] = near.tangents[k], 0.0, 0.0
        if near.fixed[k] == 1:
            own = (near.first[k] + 1) * (rows + 1)
            cones.A[near.first[k] * (rows + 1)] = cones.A[own] if cones.A[own] > 0.0 else 1.0


@kernel
def press_fixed(near: NearContacts, h: f64) -> None:
    """Friction of joints has its limit over a step in place of a normal impulse."""
    for k in range(near.contacts):
        if near.fixed[k] == 1 and near.presser[k] < 0:
            near.cones.least[k] = h * near.limit[k]
            near.cones.P[near.first[k]] = h * near.limit[k]


@kernel
def times_A(near: NearContacts, impulse: f64p, out: f64p) -> None:
    """``A Λ``, once the cone problem was solved."""
    for r in range(near.rows):
        out[r] = row_times(near.cones, r, impulse)


@kernel
def solve(step: TimeStep) -> i64:
    """The impulses of the cone problem; limits of what resists turns are those of the normal impulses, in passes."""
    status = solve_cones(step.near.cones)
    for _ in range(PASSES):
        if status != SOLVED or press_turns(step.near) == 0:
            break
        status = solve_cones(step.near.cones)
    return DONE if status == SOLVED else NO_PAIRS


@kernel
def press_turns(near: NearContacts) -> i64:
    """What resists turns has a part of a normal impulse for its limit; 0 where that was so before."""
    cones, changed = near.cones, 0
    for k in range(near.contacts):
        if near.presser[k] >= 0:
            limit = near.limit[k] * cones.P[near.first[near.presser[k]]]
            if fabs(limit - cones.least[k]) > SETTLED * limit:
                changed = 1
            cones.least[k] = limit
            cones.P[near.first[k]] = limit
    return changed


@kernel
def read_laws(step: TimeStep, x: f64p, v: f64p) -> i64:
    """e and μ of the contacts that are near: dynamic where they slip at velocities v, else static."""
    near, scene = step.near, step.scene
    none = scene.tolerances.no_slip * (pace(near, offset(x, 1 + step.n_q)) + drift(near))
    for k in range(near.contacts):
        i, row, total = near.who[k], near.first[k], 0.0
        if read_law(scene, i, x) == 0:
            for j in range(step.n_x):
                step.asked_x[j] = x[j]
            return UNLAWFUL
        for j in range(row + 1, row + 1 + near.tangents[k]):
            total += v[j] * v[j]
        slips = sqrt(total) > none
        near.e[k], near.mu[k], near.limit[k] = scene.e[i], scene.mu_d[i] if slips else scene.mu_s[i], 0.0
        if near.fixed[k] == 1:
            near.limit[k], near.mu[k] = near.unit[k] * near.mu[k], 1.0
        near.cones.mu[k] = near.mu[k]
    return read_adhesion(step, x)


@kernel
def read_adhesion(step: TimeStep, x: f64p) -> i64:
    """The force of adhesion of the contacts that are closed at the start of a step, as far as it has not given way."""
    near, scene = step.near, step.scene
    for k in range(near.contacts):
        attraction, closed = scene.contact[near.who[k]].adhesion, near.gap[k] <= scene.tolerances.stepped
        near.pull[k] = 0.0
        if attraction >= 0 and closed and scene.event[near.who[k]].torn == 0:
            if read_law(scene, attraction, x) == 0:
                for j in range(step.n_x):
                    step.asked_x[j] = x[j]
                return UNLAWFUL
            near.pull[k] = scene.mu_d[attraction]
    return DONE


@kernel
def attract(near: NearContacts, h: f64, v: f64p) -> None:
    """What adhesion changes of velocities over a step: v − A h α."""
    for k in range(near.contacts):
        if near.pull[k] > 0.0:
            for r in range(near.rows):
                v[r] -= near.cones.A[r * near.rows + near.first[k]] * (h * near.pull[k])


@kernel
def tear_off(step: TimeStep) -> i64:
    """Contacts that carry nothing in spite of their adhesion have lost it: how many."""
    near, count = step.near, 0
    for k in range(near.contacts):
        if near.pull[k] > 0.0 and not near.cones.P[near.first[k]] > 0.0:
            step.scene.event[near.who[k]].torn = 1
            count += 1
    return count
