"""The contact problem of an event, as kernels: contacts that stay, their adhesion, and what resists their turns."""

from __future__ import annotations

from latchwork.contact.complementarity.problem import press_fixed
from latchwork.hybrid.contacts.delassus_operator import ROUNDING
from latchwork.hybrid.contacts.event_slip import any_has
from latchwork.hybrid.contacts.near_set import place_among
from latchwork.hybrid.contacts.scene import LETS_GO, OPEN, SLIDE, SLIPS, Scene, has_flag
from latchwork.program.kernel import divide, f64, fabs, i64, kernel, sqrt


@kernel
def fill_problem(scene: Scene) -> None:
    """The contact problem of the contacts that stay; those without friction have no tangents."""
    delassus, problem, rows = scene.delassus, scene.problem, 0
    for k in range(delassus.contacts):
        i, event = delassus.point[k], scene.event[delassus.point[k]]
        tangents = delassus.tangents[k] if scene.mu_s[i] > 0.0 else 0
        problem.tangents[k], problem.mu_s[k], problem.mu_d[k] = tangents, scene.mu_s[i], scene.mu_d[i]
        problem.fixed[k] = scene.contact[i].bounded if scene.contact[i].presser < 0 else 0
        problem.slips[k] = event.slips if tangents > 0 else 0
        problem.must_slip[k] = has_flag(event, SLIPS) if tangents > 0 else 0
        for j in range(2):
            problem.slip[2 * k + j] = event.slip_direction[j]
            problem.onset[2 * k + j] = event.onset[j]
        for j in range(1 + tangents):
            delassus.picked[rows + j] = delassus.first[k] + j
        rows += 1 + tangents
    problem.contacts, problem.rows, problem.unended = delassus.contacts, rows, 0
    drop_force_rounding(scene)
    for a in range(rows):
        problem.b[a] = delassus.b[delassus.picked[a]]
        for b in range(rows):
            problem.A[a * rows + b] = delassus.A[delassus.picked[a] * delassus.rows + delassus.picked[b]]
    attract(scene)
    press_fixed(problem)
    press_turns(scene)


@kernel
def drop_force_rounding(scene: Scene) -> None:
    """b of a contact whose force has come to zero is zero where it is rounding of what it is summed from: u̇₀ = P f is a
    sum itself, whose terms cancel, and the force was worked out in another way."""
    delassus = scene.delassus
    for k in range(delassus.contacts):
        row = delassus.first[k]
        lets_go = has_flag(scene.event[delassus.point[k]], LETS_GO) == 1
        if lets_go and fabs(delassus.b[row]) <= ROUNDING * delassus.summed[row]:
            delassus.b[row] = 0.0


@kernel
def attract(scene: Scene) -> None:
    """Adhesion α of contacts that have not been torn off: b − A α, and λ is λ_n + α from then on."""
    delassus, problem, row = scene.delassus, scene.problem, 0
    n = problem.rows
    for k in range(problem.contacts):
        attraction = scene.contact[delassus.point[k]].adhesion
        if attraction >= 0 and scene.event[delassus.point[k]].torn == 0:
            for j in range(n):
                problem.b[j] -= problem.A[j * n + row] * scene.mu_d[attraction]
        row += 1 + problem.tangents[k]


@kernel
def tear_off(scene: Scene) -> i64:
    """Contacts that open in spite of their adhesion lose it: how many."""
    delassus, problem, count = scene.delassus, scene.problem, 0
    for k in range(problem.contacts):
        event = scene.event[delassus.point[k]]
        if scene.contact[delassus.point[k]].adhesion >= 0 and problem.state[k] == OPEN and event.torn == 0:
            event.torn = 1
            count += 1
    return count


@kernel
def press_turns(scene: Scene) -> None:
    """What resists turns, |λ_t| ≤ ρ N: a contact whose normal force is κ N, with ρ/κ for its friction.

    Its normal row is a = A_tt (λ − κ N), which vanishes where λ > 0. κ = √(A_nn/A_tt), so that without units the row
    is (1, −1).
    """
    delassus, problem, row = scene.delassus, scene.problem, 0
    n = problem.rows
    for k in range(problem.contacts):
        presser, t = scene.contact[delassus.point[k]].presser, problem.tangents[k]
        if presser >= 0:
            for j in range(n):
                problem.A[row * n + j], problem.A[j * n + row] = 0.0, 0.0
            own = problem.A[(row + t) * n + row + t] if t > 0 else 1.0
            own = own if own > 0.0 else 1.0
            problem.A[row * n + row], problem.b[row] = own, 0.0
            place, normal = place_among(delassus, presser), 0
            for j in range(place):
                normal += 1 + problem.tangents[j]
            other = problem.A[normal * n + normal] if place >= 0 else 0.0
            if other > 0.0:
                kappa = sqrt(divide(other, own))
                problem.A[row * n + normal] = -(own * kappa)
                problem.mu_s[k], problem.mu_d[k] = divide(problem.mu_s[k], kappa), divide(problem.mu_d[k], kappa)
        row += 1 + t


@kernel
def any_closed(scene: Scene) -> i64:
    """1 where some contact was closed before."""
    for k in range(scene.watched):
        if scene.state[scene.watch[k]].kind != OPEN:
            return 1
    return 0


@kernel
def passes_on(scene: Scene, t: f64) -> i64:
    """1 where a force has come to zero and others may take its load on; once in an instant."""
    if any_has(scene, LETS_GO) == 0 or t - scene.shared <= scene.tolerances.blink:
        return 0
    scene.shared = t
    return 1


@kernel
def guess_states(scene: Scene, passes: i64) -> None:
    """The present states; a force that has just come to zero is zero but for rounding. All closed where none was, and
    where a load ``passes`` on: others may carry nothing yet and not part, as the next foot of a box that slides."""
    delassus, problem, closed = scene.delassus, scene.problem, any_closed(scene)
    for k in range(delassus.contacts):
        i = delassus.point[k]
        stays = scene.state[i].kind if closed == 1 and passes == 0 else SLIDE
        stays = stays if closed == 0 or has_flag(scene.event[i], LETS_GO) == 0 else OPEN
        problem.guess[k] = stays if problem.fixed[k] == 0 else SLIDE
