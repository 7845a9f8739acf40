"""Impacts where a mode ends, as kernels: who approaches, what each law says, hops that are too slow or too low, jams.

    u⁺ = u⁻ + P Jᵀ Λ,    Λ by the laws of the contacts (`contact.impact`)
"""

from __future__ import annotations

from latchwork.algebra.factors import least_norm
from latchwork.contact.impact.jam import RESOLVED, jam_together, resolve_jam, stop_slow
from latchwork.contact.impact.sequential import resolve_impact
from latchwork.hybrid.contacts.delassus_operator import move
from latchwork.hybrid.contacts.near_set import says
from latchwork.hybrid.contacts.scene import LETS_GO, RESTS, SLIPS, Scene
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import f64, f64p, fabs, i64, kernel, sqrt
from latchwork.program.scalar import maximum, minimum

RANK = 1e-11  # of A: redundant rows
INFINITE = 1e300


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
    scene.e[i], scene.mu_s[i], scene.mu_d[i] = e, mu_s, mu_d
    lawful = e >= 0.0 and e <= 1.0 and mu_d >= 0.0 and mu_d <= mu_s and mu_s < INFINITE
    if not lawful:
        scene.trouble = i
    return 1 if lawful else 0


@kernel
def no_speed(scene: Scene, k: i64) -> f64:
    """A normal velocity of contact k that is slower is none: by what moves there, and by what rounding leaves of motion
    across the normal."""
    tol = scene.tolerances
    known = scene.delassus
    return maximum(tol.at_rest * maximum(scene.speed, known.pace), tol.rounding * known.swiftest[k])


@kernel
def approaches(scene: Scene) -> i64:
    """1 where some contact approaches."""
    known = scene.delassus
    for k in range(known.contacts):
        if known.v[known.first[k]] < -no_speed(scene, k):
            return 1
    return 0


@kernel
def find_staying(scene: Scene) -> i64:
    """The contacts that do not part, or would be back before they had risen by anything; gives how many."""
    tol = scene.tolerances
    known, count = scene.delassus, 0
    for k in range(known.contacts):
        v, b = known.v[known.first[k]], known.b[known.first[k]]
        one = scene.contact[known.who[k]].unit
        # v²/2 over the acceleration downwards
        if v <= no_speed(scene, k) or (v < tol.brief * one and 0.5 * v * v < tol.rise * one * -b):
            scene.near[count] = k
            count += 1
    return count


@kernel
def too_slow(scene: Scene) -> f64:
    """Rebounds slower than this end in contact: a part of the fastest; of several contacts, which rock, and of one that
    loses nothing, which never ends, also those that are too slow to leave what counts as closed.

    Against an acceleration a that presses, v rises by v²/2a, less than a closed gap is nothing; it is back after 2 v/a,
    and a hop that is ``brief`` is none.
    """
    tol = scene.tolerances
    known, pressing, swift, one = scene.delassus, 0.0, 0.0, INFINITE
    for k in range(known.contacts):
        one = minimum(one, scene.contact[known.who[k]].unit)
        pressing = maximum(pressing, -known.b[known.first[k]])
        swift = maximum(swift, known.swiftest[k])
    lowest = tol.capture * scene.speed
    if not (scene.speed == 0.0 or (known.contacts == 1 and scene.e[known.who[0]] < tol.lively)):
        fastest = maximum(maximum(scene.speed, scene.pace), maximum(known.pace, swift))
        lowest = maximum(lowest, minimum(sqrt(2.0 * tol.closed * one * pressing), tol.fastest * fastest))
    return maximum(lowest, 0.5 * scene.brief * pressing)


@kernel
def picked_solution(scene: Scene, count: i64) -> None:
    """``impulse``: A Λ = −v for the rows that are picked, of least norm, no impulse along others."""
    known = scene.delassus
    rows, picked, system, right = known.rows, known.picked, known.system, known.right
    for a in range(count):
        right[a] = -known.v[picked[a]]
        for b in range(count):
            system[a * count + b] = known.A[picked[a] * rows + picked[b]]
    least_norm(count, count, RANK, system, known.tau, known.turned, known.order, right, known.answer)
    for i in range(rows):
        known.impulse[i] = 0.0
    for a in range(count):
        known.impulse[picked[a]] = known.answer[a]


@kernel
def parts_all(scene: Scene) -> i64:
    """1 where nothing approaches after the impulses of the impact."""
    known, after = scene.delassus, scene.impact.after
    for k in range(known.contacts):
        if not after[known.first[k]] >= -no_speed(scene, k):
            return 0
    return 1


@kernel
def fill_impact(scene: Scene) -> None:
    """The impact of the contacts that are near, with their laws."""
    known, impact = scene.delassus, scene.impact
    impact.contacts, impact.rows, impact.at_once = known.contacts, known.rows, scene.at_once
    for i in range(known.rows * known.rows):
        impact.W[i] = known.A[i]
    for i in range(known.rows):
        impact.v[i] = known.v[i]
    for k in range(known.contacts):
        i = known.who[k]
        impact.tangents[k], impact.law[k] = known.tangents[k], scene.contact[i].impact
        impact.e[k], impact.mu_s[k], impact.mu_d[k] = scene.e[i], scene.mu_s[i], scene.mu_d[i]
        impact.chosen[k] = 0


@kernel
def apply(scene: Scene, impulse: f64p, u: f64p) -> None:
    """Change the speeds by impulses, and note who took part; what guards said of forces and slip is over."""
    known = scene.delassus
    gained = move(known, impulse, u)
    scene.work += gained
    scene.energy -= gained
    scene.impacts += 1
    known.asked, known.known = 0, 0
    for k in range(known.contacts):
        event, felt = scene.event[known.who[k]], 0
        for j in range(1 + known.tangents[k]):
            part = impulse[known.first[k] + j]
            event.impulse[j] += part
            felt = 1 if part != 0.0 else felt
        if felt == 1 and event.struck == 0:
            scene.struck += 1
            event.struck = scene.struck
    for k in range(scene.watched):
        event = scene.event[scene.watch[k]]
        event.says -= says(event.says, RESTS) * RESTS + says(event.says, LETS_GO) * LETS_GO
        event.says -= says(event.says, SLIPS) * SLIPS


@kernel
def strike(scene: Scene, u: f64p) -> i64:
    """An impact of the contacts that are near, by their laws: how it ended."""
    tol = scene.tolerances
    known, impact, slow = scene.delassus, scene.impact, too_slow(scene)
    fastest, deepest = 0.0, 0.0
    for k in range(known.contacts):
        fastest = maximum(fastest, fabs(known.v[known.first[k]]))
        deepest = maximum(deepest, -known.v[known.first[k]])
    fill_impact(scene)
    scene.jams = 0
    if known.contacts > 1 and fastest < slow:
        if stop_slow(impact, slow) == RESOLVED and parts_all(scene) == 1:
            apply(scene, impact.impulses, u)
            return RESOLVED
        for k in range(known.contacts):  # features of one place have normals that are nearly one: one of them parts
            impact.e[k] = 0.0
    scene.speed = maximum(scene.speed, deepest)
    impact.capture = maximum(slow, tol.capture * scene.speed)
    scene.solved = resolve_impact(impact)
    if scene.solved == RESOLVED:
        apply(scene, impact.impulses, u)
    return scene.solved


@kernel
def strike_jammed(scene: Scene, u: f64p) -> i64:
    """An impact without collision where friction would pull in what slides, as the contact problem says. [Painlevé]"""
    known, impact, first = scene.delassus, scene.impact, -1
    fill_impact(scene)
    scene.jams, impact.capture = 1, 0.0
    for k in range(known.contacts):
        impact.chosen[k] = scene.event[known.who[k]].jammed
        first = k if first < 0 and impact.chosen[k] == 1 else first
    status = resolve_jam(impact, first)
    if status == RESOLVED and no_impulse(known.rows, impact.impulses) == 1:
        status = jam_together(impact)
    if status == RESOLVED:
        apply(scene, impact.impulses, u)
    return status


@kernel
def no_impulse(rows: i64, impulse: f64p) -> i64:
    """1 where there is none."""
    for i in range(rows):
        if impulse[i] != 0.0:
            return 0
    return 1
