"""Gaps and rows of contacts at a state, as kernels: which count, which are near, what unit impulses do there.

    v = J u + C,    A = J P Jᵀ = G Gᵀ,    G = J Z,   P = Z Zᵀ

The cone problem of a step has G for its rows: `cone_problem`.
"""

from __future__ import annotations

from latchwork.contact.time_stepping.impulses import solve_cones
from latchwork.hybrid.contacts.impact_reset import read_law
from latchwork.hybrid.contacts.step_limit import FOREVER
from latchwork.hybrid.time_stepping.broad_phase import find_near, is_deeper, is_looked, list_wanted
from latchwork.hybrid.time_stepping.inertia import apply_P
from latchwork.hybrid.time_stepping.time_step import NearContacts, Reason, TimeStep
from latchwork.program.evaluator import evaluate_gathered
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum, minimum

ALL, NORMALS = range(2)  # which rows of contacts are read
PASSES, SETTLED = 8, 1e-12  # over limits that are in proportion to normal impulses
WAS, IS = 1, 2  # among the candidates: before, now


@kernel
def counts(step: TimeStep, i: i64, gap: f64, inside: f64) -> i64:
    """1 for a feature that counts: within its domain, and not met from behind.

    It is met from behind where it is deep at both ends of a step; but not where the step leads into its domain, as
    round a corner, no deeper than along it. A side of a solid that a step has crossed counts where another side is
    nearer: the domain of a side ends where another is, and ``inside`` is less by the depth.
    """
    tol = step.scene.tolerances
    was_deep, is_deep = step.before[i] < -tol.slop, gap < -tol.slop
    enters = step.inside[i] < -tol.reach and inside >= -gap
    crossed = step.inside[i] >= -tol.reach and inside >= gap - tol.reach and step.scene.contact[i].sharp == 1
    if is_deep and not was_deep and crossed:
        return 1
    return 1 if inside >= -tol.reach and (not (is_deep and was_deep) or enters) else 0


@kernel
def measure_one(step: TimeStep, i: i64, x: f64p) -> None:
    """The gap of a contact, and how far inside its domain it is."""
    scene = step.scene
    contact, inside = scene.contact[i], FOREVER
    evaluate_gathered(step.gaps[i], x, scene.out)
    for j in range(contact.bounds):
        inside = minimum(inside, scene.out[1 + j])
    scene.gap[i], scene.inside[i] = scene.out[0] if contact.one_way == 0 else 0.0, inside


@kernel
def measure(step: TimeStep, x: f64p) -> None:
    """Gaps of all contacts that may be near, how far inside their domains they are, and which count: none that is
    deeper than its shapes can be."""
    scene, slack = step.scene, step.scene.tolerances.reach
    for k in range(step.broad.candidates):
        i = step.broad.candidate[k]
        measure_one(step, i, x)
        step.real[i] = counts(step, i, scene.gap[i], scene.inside[i])
        if step.real[i] == 1 and is_deeper(step.broad, k, scene.gap[i] + slack) == 1:
            step.real[i] = 0
    cover_seams(step)


@kernel
def is_crossed(step: TimeStep, k: i64) -> i64:
    """1 for a candidate that a step has crossed within its ends, whatever else there is."""
    i, tol = step.broad.candidate[k], step.scene.tolerances
    gap = step.scene.gap[i]
    inside = step.scene.inside[i] >= gap - tol.reach
    crossed = gap < -tol.slop and step.before[i] >= -tol.slop and inside
    return 1 if crossed and is_deeper(step.broad, k, gap + tol.reach) == 0 else 0


@kernel
def cover_seams(step: TimeStep) -> None:
    """Where a step leads two shapes into each other and no feature of theirs counts, as where a corner passes a corner,
    the one that was crossed and is least deep does."""
    k, count = 0, step.broad.candidates
    while k < count:
        group, met, chosen, begin = step.scene.contact[step.broad.candidate[k]].contact, 0, -1, k
        while k < count and step.scene.contact[step.broad.candidate[k]].contact == group:
            i = step.broad.candidate[k]
            met += 1 if step.real[i] == 1 and step.scene.gap[i] < -step.scene.tolerances.slop else 0
            if is_crossed(step, k) == 1 and (chosen < 0 or step.scene.gap[i] > step.scene.gap[chosen]):
                chosen = i
            k += 1
        if met == 0 and chosen >= 0 and k > begin + 1:
            step.real[chosen] = 1


@kernel
def list_near(step: TimeStep, x: f64p, within: i64) -> i64:
    """The broad phase at a state, where it was not looked at nearby: at the start of a step, or ``within`` it, where
    nobody leaves. Contacts that come are measured at the start of the step; `Reason.NOT_MADE` where some have to be."""
    broad, scene = step.broad, step.scene
    if is_looked(broad, x, 0.5 if within == 1 else 0.25) == 1:
        return Reason.DONE
    if find_near(broad, within, step.step) > 0:
        return Reason.NOT_MADE
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
    return Reason.DONE


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
            return Reason.NO_ROOM
    return Reason.DONE


@kernel
def read_rows(step: TimeStep, x: f64p, which: i64) -> i64:
    """J and C of the contacts that are near, all rows or the normal ones; rates of angles in units of the model, so
    that all velocities are alike, and torques are forces."""
    near, cones, scene, row, touched, entry = step.near, step.near.cones, step.scene, 0, 0, 0
    for k in range(near.contacts):
        who = near.who[k]
        contact = scene.contact[who]
        if step.ready[who] == 0:
            scene.trouble = who
            return Reason.NOT_READY
        bounded, wide = contact.bounded, 0
        rows = 1 + contact.tangents - bounded
        evaluate_gathered(step.rows[who], x, scene.out)
        near.first[k], near.tangents[k], near.fixed[k] = row, contact.tangents if which == ALL else 0, bounded
        near.one_way[k] = contact.one_way
        near.presser[k] = -1 if contact.presser < 0 else place_among(near, k, contact.presser)
        near.unit[k] = contact.row_unit if bounded + contact.one_way > 0 else 1.0
        cones.touch_at[k], cones.entry_at[k] = touched, entry
        for j in range(step.touches[who]):
            branch = step.touched[who * step.most_touched + j]
            cones.touched[touched] = branch
            wide += step.branch_start[branch + 1] - step.branch_start[branch]
            touched += 1
        if bounded == 1:
            near.C[row] = 0.0
            for _ in range(wide):
                near.J[entry] = 0.0
                entry += 1
            row += 1
        for i in range(1 + near.tangents[k] - bounded):
            for j in range(wide):
                near.J[entry] = divide(scene.out[i * wide + j], near.unit[k])
                entry += 1
            near.C[row] = divide(scene.out[rows * wide + i], near.unit[k])
            row += 1
    cones.touch_at[near.contacts], cones.entry_at[near.contacts] = touched, entry
    near.rows = row
    return Reason.DONE


@kernel
def pace(step: TimeStep, u: f64p) -> f64:
    """How fast speeds u move anything here: Σ |J_ij u_j| at most."""
    near, cones, most = step.near, step.near.cones, 0.0
    for k in range(near.contacts):
        entry = cones.entry_at[k]
        for _ in range(1 + near.tangents[k]):
            total = 0.0
            for t in range(cones.touch_at[k], cones.touch_at[k + 1]):
                branch = cones.touched[t]
                for j in range(step.branch_start[branch], step.branch_start[branch + 1]):
                    total += fabs(near.J[entry]) * fabs(u[step.speed[j]])
                    entry += 1
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
def along_rows(step: TimeStep, u: f64p, out: f64p) -> None:
    """``J u``."""
    near, cones = step.near, step.near.cones
    for k in range(near.contacts):
        entry = cones.entry_at[k]
        for i in range(1 + near.tangents[k]):
            total = 0.0
            for t in range(cones.touch_at[k], cones.touch_at[k + 1]):
                branch = cones.touched[t]
                for j in range(step.branch_start[branch], step.branch_start[branch + 1]):
                    total += near.J[entry] * u[step.speed[j]]
                    entry += 1
            out[near.first[k] + i] = total


@kernel
def velocities(step: TimeStep, u: f64p) -> None:
    """``v = J u + C``."""
    near = step.near
    along_rows(step, u, near.v)
    for r in range(near.rows):
        near.v[r] += near.C[r]


@kernel
def spread_impulse(step: TimeStep, impulse: f64p, change: f64p) -> None:
    """``push = Jᵀ Λ`` and ``change = P Jᵀ Λ``."""
    near, cones, push = step.near, step.near.cones, step.push
    for j in range(step.n):
        push[j] = 0.0
    for k in range(near.contacts):
        entry = cones.entry_at[k]
        for i in range(1 + near.tangents[k]):
            own = impulse[near.first[k] + i]
            for t in range(cones.touch_at[k], cones.touch_at[k + 1]):
                branch = cones.touched[t]
                for j in range(step.branch_start[branch], step.branch_start[branch + 1]):
                    push[step.speed[j]] += near.J[entry] * own
                    entry += 1
    apply_P(step, push, change)


@kernel
def unit_row(step: TimeStep, k: i64, at: i64, wide: i64) -> None:
    """One row of ``G = J Z``; ``column`` has the places of its speeds."""
    near, cones, Z, G = step.near, step.near.cones, step.Z, offset(step.near.cones.G, at)
    for j in range(wide):
        G[j] = 0.0
    for t in range(cones.touch_at[k], cones.touch_at[k + 1]):
        branch = cones.touched[t]
        for place in range(step.branch_start[branch], step.branch_start[branch + 1]):
            own, row = near.J[at], step.row_at[place]
            at += 1
            if own != 0.0:
                for a in range(step.way_at[place], step.way_at[place + 1]):
                    G[step.column[step.way[a]]] += own * Z[row + step.way[a]]
                G[step.column[place]] += own * Z[row + place]


@kernel
def assemble(step: TimeStep) -> None:
    """``G = J Z`` of the contacts that are near, into the cone problem; no impulse is asked for, none is guessed."""
    near, cones = step.near, step.near.cones
    cones.contacts, cones.idle = near.contacts, 0.0
    for k in range(near.contacts):
        entry, wide = cones.entry_at[k], 0
        for t in range(cones.touch_at[k], cones.touch_at[k + 1]):
            branch = cones.touched[t]
            for place in range(step.branch_start[branch], step.branch_start[branch + 1]):
                step.column[place] = wide
                wide += 1
        for _ in range(1 + near.tangents[k]):
            unit_row(step, k, entry, wide)
            entry += wide
        cones.tangents[k], cones.mu[k], cones.least[k] = near.tangents[k], 0.0, 0.0
        cones.fixed[k] = near.fixed[k]
    for r in range(near.rows):
        cones.impulse[r] = 0.0


@kernel
def press_fixed(near: NearContacts, h: f64) -> None:
    """Friction of joints has its limit over a step in place of a normal impulse."""
    for k in range(near.contacts):
        if near.fixed[k] == 1 and near.presser[k] < 0:
            near.cones.least[k] = h * near.limit[k]
            near.cones.impulse[near.first[k]] = h * near.limit[k]


@kernel
def solve(step: TimeStep) -> None:
    """The impulses of the cone problem; limits of what resists turns are those of the normal impulses, in passes."""
    solve_cones(step.near.cones)
    for _ in range(PASSES):
        if press_turns(step.near) == 0:
            break
        solve_cones(step.near.cones)


@kernel
def press_turns(near: NearContacts) -> i64:
    """What resists turns has a part of a normal impulse for its limit; 0 where that was so before."""
    cones, changed = near.cones, 0
    for k in range(near.contacts):
        if near.presser[k] >= 0:
            limit = near.limit[k] * cones.impulse[near.first[near.presser[k]]]
            if fabs(limit - cones.least[k]) > SETTLED * limit:
                changed = 1
            cones.least[k] = limit
            cones.impulse[near.first[k]] = limit
    return changed


@kernel
def read_laws(step: TimeStep, x: f64p, v: f64p) -> i64:
    """e and μ of the contacts that are near, at velocities v: ``μ_d`` where ``|v_t| > ε (max Σ |J u| + max |C|)``, else
    ``μ_s``; of friction of joints ``μ = 1``, and λ_d or λ_s as limits."""
    near, scene = step.near, step.scene
    none = scene.tolerances.no_slip * (pace(step, offset(x, 1 + step.n_q)) + drift(near))
    for k in range(near.contacts):
        i, row, total = near.who[k], near.first[k], 0.0
        if read_law(scene, i, x) == 0:
            for j in range(step.n_x):
                step.asked_x[j] = x[j]
            return Reason.UNLAWFUL
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
                return Reason.UNLAWFUL
            near.pull[k] = scene.mu_d[attraction]
    return Reason.DONE


@kernel
def attract(step: TimeStep, h: f64, v: f64p) -> None:
    """What adhesion changes of velocities over a step: v − A h α."""
    near, some = step.near, 0
    for r in range(near.rows):
        near.mean[r] = 0.0
    for k in range(near.contacts):
        if near.pull[k] > 0.0:
            near.mean[near.first[k]], some = h * near.pull[k], 1
    if some == 1:
        spread_impulse(step, near.mean, step.change)
        along_rows(step, step.change, near.mean)
        for r in range(near.rows):
            v[r] -= near.mean[r]


@kernel
def tear_off(step: TimeStep) -> i64:
    """Contacts that carry nothing in spite of their adhesion have lost it: how many."""
    near, count = step.near, 0
    for k in range(near.contacts):
        if near.pull[k] > 0.0 and not near.cones.impulse[near.first[k]] > 0.0:
            step.scene.event[near.who[k]].torn = 1
            count += 1
    return count
