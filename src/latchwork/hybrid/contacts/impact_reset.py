"""Impacts where a mode ends, as kernels: who approaches, what each law says, hops that are too slow or too low, jams.

    u⁺ = u⁻ + P Jᵀ Λ,    Λ by the laws of the contacts (`contact.impact`)
"""

from __future__ import annotations

from latchwork.algebra.factors import least_norm
from latchwork.contact.impact.jam import RESOLVED, jam_together, resolve_jam, stop_slow
from latchwork.contact.impact.notes import add_note
from latchwork.contact.impact.problem import ImpactLaw, NoteCode
from latchwork.contact.impact.sequential import resolve_impact
from latchwork.hybrid.contacts.delassus_operator import move
from latchwork.hybrid.contacts.near_set import place_among
from latchwork.hybrid.contacts.scene import LETS_GO, RESTS, SLIPS, TOUCHED, Scene, clear_flag, has_flag
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, sqrt
from latchwork.program.scalar import maximum, minimum

TURNS, NEWTON = int(NoteCode.TURNS), int(ImpactLaw.NEWTON)
RANK = 1e-11  # of A: redundant rows
INFINITE = 1e300
SWEEPS, SETTLED = 400, 1e-15  # over what resists turns in an impact, until velocities change by no more
UNSETTLED_TURNS = 1e-9  # of the fastest: what resists turns is off by more, which is noted
FAINT = 1e-200  # friction that is nothing where a mode begins, but may grow


@kernel
def read_law(scene: Scene, i: i64, x: f64p) -> i64:
    """e, μ_s and μ_d of a contact point in its zones at x; 0 where they are out of bounds."""
    contact = scene.contact[i]
    index = contact.first_law
    for k in range(contact.zones):
        index += scene.zone[contact.zone[k]] * contact.stride[k]
    law = scene.law[index]
    e, mu_s, mu_d = law.e, law.mu_s, law.mu_d
    if law.steady == 0:
        evaluate(law.program, x, scene.out)
        e, mu_s, mu_d = scene.out[0], scene.out[1], scene.out[2]
        if mu_s == 0.0 and mu_d == 0.0 and contact.tangents > 0:  # it may grow: a direction is needed already
            mu_s, mu_d = FAINT, FAINT
    scene.e[i], scene.mu_s[i], scene.mu_d[i] = e, mu_s, mu_d
    lawful = e >= 0.0 and e <= 1.0 and mu_d >= 0.0 and mu_d <= mu_s and mu_s < INFINITE
    if not lawful:
        scene.trouble = i
    return 1 if lawful else 0


@kernel
def no_speed(scene: Scene, k: i64) -> f64:
    """A normal velocity of contact k that is slower is none: by what moves there, by what rounding leaves of motion
    across the normal, and by what it leaves of no motion at all, where sequences of impacts would never end."""
    tol = scene.tolerances
    delassus = scene.delassus
    slow = maximum(tol.at_rest * maximum(scene.approach_scale, delassus.motion_scale), tol.nothing)
    return maximum(slow * delassus.slip_unit[delassus.first[k]], tol.rounding * delassus.kinetic_bound[k])


@kernel
def approaches(scene: Scene) -> i64:
    """1 where some contact approaches; a speed that has just come to zero is zero, but for the step."""
    delassus = scene.delassus
    for k in range(delassus.contacts):
        i = delassus.point[k]
        locks = scene.contact[i].one_way == 1 and has_flag(scene.event[i], TOUCHED) == 1
        if delassus.v[delassus.first[k]] < -no_speed(scene, k) and not locks:
            return 1
    return 0


@kernel
def find_staying(scene: Scene) -> i64:
    """The contacts that do not part, or would be back before they had risen by anything; gives how many.

    One that was met here and parts so slowly that rounding could close it again is leaving: watched a little deeper.
    Not one that rebounds: it would fall deeper than it rose, and come back faster.
    """
    tol = scene.tolerances
    delassus, count = scene.delassus, 0
    for k in range(delassus.contacts):
        v, b, event = delassus.v[delassus.first[k]], delassus.b[delassus.first[k]], scene.event[delassus.point[k]]
        one = scene.contact[delassus.point[k]].unit
        # v²/2 over the acceleration downwards
        hops = scene.contact[delassus.point[k]].one_way == 0 and v < tol.brief * one
        if v <= no_speed(scene, k) or (hops and 0.5 * v * v < tol.rise * one * -b):
            scene.near[count] = k
            count += 1
        elif hops and has_flag(event, TOUCHED) == 1 and event.struck == 0:
            event.entered = 1
    return count


@kernel
def too_slow(scene: Scene) -> f64:
    """Rebounds slower than this end in contact: a part of the fastest; of several contacts, which rock, and of one that
    loses nothing, which never ends, also those that are too slow to leave what counts as closed.

    Against an acceleration a that presses, v rises by v²/2a, less than a closed gap is nothing; it is back after 2 v/a,
    and a hop that is ``brief`` is none.
    """
    tol = scene.tolerances
    delassus, pressing, swift, one = scene.delassus, 0.0, 0.0, INFINITE
    for k in range(delassus.collide):
        one = minimum(one, scene.contact[delassus.point[k]].unit)
        pressing = maximum(pressing, -delassus.b[delassus.first[k]])
        swift = maximum(swift, delassus.kinetic_bound[k])
    lowest = tol.capture * scene.approach_scale
    if not (scene.approach_scale == 0.0 or (delassus.collide == 1 and scene.e[delassus.point[0]] < tol.lively)):
        fastest = maximum(maximum(scene.approach_scale, scene.motion_scale), maximum(delassus.motion_scale, swift))
        lowest = maximum(lowest, minimum(sqrt(2.0 * tol.closed * one * pressing), tol.fastest * fastest))
    return maximum(lowest, 0.5 * scene.shortest_hop * pressing)


@kernel
def picked_system(scene: Scene, count: i64, against: f64p) -> None:
    """``system`` and ``right``: A of the rows that are picked, and minus what is to vanish along them, in one unit."""
    delassus = scene.delassus
    rows, picked, system, right = delassus.rows, delassus.picked, delassus.system, delassus.right
    for a in range(count):
        one = delassus.row_unit[picked[a]]
        right[a] = divide(-against[picked[a]], one)
        for b in range(count):
            both = one * delassus.row_unit[picked[b]]
            system[a * count + b] = divide(delassus.A[picked[a] * rows + picked[b]], both)


@kernel
def picked_answer(scene: Scene, count: i64) -> None:
    """``answer`` of ``system`` and ``right``, of least norm."""
    delassus = scene.delassus
    least_norm(count, count, RANK, delassus.system, delassus.tau, delassus.turned, delassus.order, delassus.right,
               delassus.answer)  # fmt: skip


@kernel
def picked_solution(scene: Scene, count: i64) -> None:
    """``impulse``: A Λ = −v for the rows that are picked, of least norm, no impulse along others."""
    delassus = scene.delassus
    picked = delassus.picked
    picked_system(scene, count, delassus.v)
    picked_answer(scene, count)
    for i in range(delassus.rows):
        delassus.impulse[i] = 0.0
    for a in range(count):
        delassus.impulse[picked[a]] = divide(delassus.answer[a], delassus.row_unit[picked[a]])


@kernel
def parts_all(scene: Scene) -> i64:
    """1 where nothing approaches after the impulses of the impact."""
    delassus, after = scene.delassus, scene.impact.after
    for k in range(delassus.collide):
        if not after[delassus.first[k]] >= -no_speed(scene, k):
            return 0
    return 1


@kernel
def fill_impact(scene: Scene) -> None:
    """The impact of the contacts that are near, with their laws."""
    delassus, impact = scene.delassus, scene.impact
    rows = delassus.collide_rows
    impact.contacts, impact.rows, impact.at_once = delassus.collide, rows, scene.at_once
    for i in range(rows):
        impact.v[i] = delassus.v[i]
        for j in range(rows):
            impact.W[i * rows + j] = delassus.A[i * delassus.rows + j]
    for k in range(delassus.collide):
        i = delassus.point[k]
        impact.tangents[k], impact.law[k] = delassus.tangents[k], scene.contact[i].impact
        impact.e[k], impact.mu_s[k], impact.mu_d[k] = scene.e[i], scene.mu_s[i], scene.mu_d[i]
        impact.chosen[k] = 0


@kernel
def within_limit(scene: Scene, k: i64, limit: f64, impulse: f64p) -> f64:
    """The impulses along the tangents of contact k brought to where these rest, or to their limit against the motion;
    by how much that changes a velocity. It takes up energy, whatever it was before.

        Λ_t ← proj(Λ_t − w_t/ρ),    w = v + A Λ,    ρ = max A_ii + |A_12|
    """
    delassus, tangents, row = scene.delassus, scene.delassus.tangents[k], scene.delassus.first[k] + 1
    rows, rho, size = delassus.rows, 0.0, 0.0
    for j in range(tangents):
        rho = maximum(rho, delassus.A[(row + j) * rows + row + j])
    rho += fabs(delassus.A[row * rows + row + 1]) if tangents == 2 else 0.0
    if not rho > 0.0:
        return 0.0
    for j in range(tangents):
        w = delassus.v[row + j]
        for r in range(rows):
            w += delassus.A[(row + j) * rows + r] * impulse[r]
        delassus.unlimited[j] = impulse[row + j] - divide(w, rho)
        size += delassus.unlimited[j] * delassus.unlimited[j]
    size = sqrt(size)
    cut, changed = divide(limit, size) if size > limit else 1.0, 0.0
    for j in range(tangents):
        fresh = cut * delassus.unlimited[j]
        changed = maximum(changed, fabs(fresh - impulse[row + j]) * rho)
        impulse[row + j] = fresh
    return changed


@kernel
def resist_turns(scene: Scene, impulse: f64p) -> None:
    """Impulses of what resists turns in an impact, |Λ_t| ≤ ρ Λ_n, with the friction of the contacts that press it:
    normal impulses are known, and the energy is least (Moreau).

    Each sweep takes up energy and keeps the limits, so that impulses are lawful wherever sweeps end; how far they are
    from the least energy is noted, where it is not rounding."""
    delassus, fastest, pressed, changed = scene.delassus, 0.0, 0, 0.0
    for k in range(delassus.collide, delassus.contacts):
        pressed += 1 if scene.contact[delassus.point[k]].presser >= 0 else 0
    if pressed == 0:
        return
    for i in range(delassus.rows):
        fastest = maximum(fastest, fabs(delassus.v[i]))
    for _ in range(SWEEPS):
        changed = 0.0
        for k in range(delassus.collide, delassus.contacts):
            presser = scene.contact[delassus.point[k]].presser
            if presser >= 0:
                place = place_among(delassus, presser)
                normal = maximum(impulse[delassus.first[place]], 0.0) if place >= 0 else 0.0
                changed = maximum(changed, within_limit(scene, k, scene.mu_d[delassus.point[k]] * normal, impulse))
                if place >= 0:
                    changed = maximum(changed, within_limit(scene, place, scene.mu_d[presser] * normal, impulse))
        if changed <= SETTLED * fastest:
            return
    if changed > UNSETTLED_TURNS * fastest:
        add_note(scene.impact, TURNS, 0, NEWTON, changed)


@kernel
def apply_impulses(scene: Scene, impulse: f64p, u: f64p) -> None:
    """Change the speeds by impulses, and note who took part; what guards said of forces and slip is over."""
    delassus = scene.delassus
    for r in range(delassus.collide_rows, delassus.rows):  # a force that is bounded has no impulse
        impulse[r] = 0.0
    resist_turns(scene, impulse)
    gained = move(delassus, impulse, u)
    scene.work += gained
    scene.energy -= gained
    scene.impacts += 1
    delassus.calls, delassus.supplied = 0, 0
    for k in range(delassus.contacts):
        event, felt = scene.event[delassus.point[k]], 0
        for j in range(1 + delassus.tangents[k]):
            part = impulse[delassus.first[k] + j]
            event.impulse[j] += part
            felt = 1 if part != 0.0 else felt
        if felt == 1 and event.struck == 0:
            scene.struck += 1
            event.struck = scene.struck
    for k in range(scene.watched):
        event = scene.event[scene.watch[k]]
        clear_flag(event, RESTS | LETS_GO | SLIPS)
        if scene.contact[scene.watch[k]].one_way == 1:
            clear_flag(event, TOUCHED)


@kernel
def resolve_near(scene: Scene, u: f64p) -> i64:
    """An impact of the contacts that are near, by their laws: how it ended."""
    tol = scene.tolerances
    delassus, impact, slow = scene.delassus, scene.impact, too_slow(scene)
    fastest, deepest = 0.0, 0.0
    for k in range(delassus.collide):
        approach = divide(delassus.v[delassus.first[k]], delassus.slip_unit[delassus.first[k]])
        fastest = maximum(fastest, fabs(approach))
        deepest = maximum(deepest, -approach)
    fill_impact(scene)
    scene.jams = 0
    if delassus.collide > 1 and fastest < slow:
        if stop_slow(impact, slow) == RESOLVED and parts_all(scene) == 1:
            apply_impulses(scene, impact.impulses, u)
            return RESOLVED
        for k in range(delassus.collide):  # features of one place have normals that are nearly one: one of them parts
            impact.e[k] = 0.0
    scene.approach_scale = maximum(scene.approach_scale, deepest)
    impact.capture = maximum(slow, tol.capture * scene.approach_scale)
    status = resolve_impact(impact)
    if status == RESOLVED:
        apply_impulses(scene, impact.impulses, u)
    return status


@kernel
def resolve_jammed(scene: Scene, u: f64p) -> i64:
    """An impact without collision where friction would pull in what slides, as the contact problem says. [Painlevé]"""
    delassus, impact, first = scene.delassus, scene.impact, -1
    fill_impact(scene)
    scene.jams, impact.capture = 1, 0.0
    for k in range(delassus.collide):
        impact.chosen[k] = scene.event[delassus.point[k]].jammed
        first = k if first < 0 and impact.chosen[k] == 1 else first
    status = resolve_jam(impact, first)
    if status == RESOLVED and no_impulse(delassus.collide_rows, impact.impulses) == 1:
        status = jam_together(impact)
    if status == RESOLVED:
        apply_impulses(scene, impact.impulses, u)
    return status


@kernel
def no_impulse(rows: i64, impulse: f64p) -> i64:
    """1 where there is none."""
    for i in range(rows):
        if impulse[i] != 0.0:
            return 0
    return 1
