"""The next contact states, as kernels: which contacts open, slide or stick, by the contact problem, and how.

Where contacts that stick are at the edges of their cones, the load is first shared otherwise; where a body is at rest,
it stands on all its feet.
"""

from __future__ import annotations

from latchwork.algebra.factors import least_norm
from latchwork.contact.complementarity.contact_states import solve
from latchwork.contact.complementarity.problem import JAMMED, JAMS, SOLVED, press_fixed
from latchwork.contact.complementarity.redundant_forces import HELD, feasible, hold_on
from latchwork.contact.complementarity.redundant_forces import SLIPS as SLIP_TOGETHER
from latchwork.hybrid.contacts.delassus_operator import ROUNDING, move
from latchwork.hybrid.contacts.impact_reset import RANK, picked_solution
from latchwork.hybrid.contacts.near_set import FOUND, assemble, depth_of, has, place_among
from latchwork.hybrid.contacts.scene import LEAVES, LETS_GO, OPEN, RESTS, SLIDE, SLIPS, STICK, Scene
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

STILL = 1e-9  # of the accelerations at work: a contact that opens slower stays
CARRIES = 1e-6  # of the largest force: with less, a contact carries nothing
WIDEST = 2  # times that a cone is widened
KEPT = 1e-9  # of A: rows that are held by others
BEGINS, GOES_ON = 1e-4, 1e-13  # of the fastest motion: the trace that stands for slip that has not begun, and later
BEGUN = 30.0  # so many times the trace, and slip has a direction of its own


# --- what is known of slip ----------------------------------------------------------------------------------------


@kernel
def length(count: i64, v: f64p) -> f64:
    """|v| of one or two numbers."""
    if count == 1:
        return fabs(v[0])
    return sqrt(v[0] * v[0] + v[1] * v[1]) if count == 2 else 0.0


@kernel
def read_slip(scene: Scene) -> None:
    """The directions in which contacts slip; none where they do not."""
    tol = scene.tolerances
    delassus = scene.delassus
    for k in range(delassus.contacts):
        event, tangents = scene.event[delassus.point[k]], delassus.tangents[k]
        slip = offset(delassus.v, delassus.first[k] + 1)
        size = divide(length(tangents, slip), delassus.slip_unit[delassus.first[k] + tangents])
        event.slips = 0 if has(event.flags, RESTS) == 1 or size <= tol.no_slip * scene.slip_scale else 1
        size = length(tangents, slip)
        for j in range(tangents):
            event.slip_direction[j] = divide(slip[j], size) if event.slips == 1 else 0.0


@kernel
def slipping(scene: Scene) -> i64:
    """1 where some contact has left its cone."""
    for k in range(scene.watched):
        if has(scene.event[scene.watch[k]].flags, SLIPS) == 1:
            return 1
    return 0


@kernel
def letting_go(scene: Scene) -> i64:
    """1 where the force of some contact has come to zero."""
    for k in range(scene.watched):
        if has(scene.event[scene.watch[k]].flags, LETS_GO) == 1:
            return 1
    return 0


@kernel
def forget_slipping(scene: Scene) -> None:
    """No contact is to slip."""
    for k in range(scene.watched):
        event = scene.event[scene.watch[k]]
        event.flags -= has(event.flags, SLIPS) * SLIPS


# --- the contact problem --------------------------------------------------------------------------------------------


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
        problem.must_slip[k] = has(event.flags, SLIPS) if tangents > 0 else 0
        for j in range(2):
            problem.slip[2 * k + j] = event.slip_direction[j]
            problem.onset[2 * k + j] = event.onset[j]
        for j in range(1 + tangents):
            delassus.picked[rows + j] = delassus.first[k] + j
        rows += 1 + tangents
    problem.contacts, problem.rows = delassus.contacts, rows
    drop_rounding(scene)
    for a in range(rows):
        problem.b[a] = delassus.b[delassus.picked[a]]
        for b in range(rows):
            problem.A[a * rows + b] = delassus.A[delassus.picked[a] * delassus.rows + delassus.picked[b]]
    attract(scene)
    press_fixed(problem)
    press_turns(scene)


@kernel
def drop_rounding(scene: Scene) -> None:
    """b of a contact whose force has come to zero is zero where it is rounding of what it is summed from: u̇₀ = P f is a
    sum itself, whose terms cancel, and the force was worked out in another way."""
    delassus = scene.delassus
    for k in range(delassus.contacts):
        row = delassus.first[k]
        lets_go = has(scene.event[delassus.point[k]].flags, LETS_GO) == 1
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
    if letting_go(scene) == 0 or t - scene.shared <= scene.tolerances.blink:
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
        stays = stays if closed == 0 or has(scene.event[i].flags, LETS_GO) == 0 else OPEN
        problem.guess[k] = stays if problem.fixed[k] == 0 else SLIDE


@kernel
def state_as_before(scene: Scene, k: i64) -> i64:
    """The state of contact k before, as the load is shared otherwise: at its limit it sticks."""
    state = scene.state[scene.delassus.point[k]]
    if scene.problem.fixed[k] == 1 and state.kind == OPEN:
        return SLIDE
    if state.kind == OPEN or (state.kind == SLIDE and state.limits == 0):
        return state.kind
    return STICK


@kernel
def share_otherwise(scene: Scene, t: f64) -> i64:
    """What becomes of contacts that stick, one of which is at the edge of its cone: 1 where some share of the load
    holds them; else all slip together that are at their edges in every share."""
    tol = scene.tolerances
    delassus, problem, sticks = scene.delassus, scene.problem, 0
    for k in range(delassus.contacts):
        i = delassus.point[k]
        state, kind = scene.state[i], state_as_before(scene, k)
        problem.state[k], problem.directed[k] = kind, 0
        delassus.right[k] = 1.0
        sticks += 1 if kind == STICK else 0
        if problem.slips[k] == 1:
            problem.directed[k] = 1
            problem.direction[2 * k], problem.direction[2 * k + 1] = problem.slip[2 * k], problem.slip[2 * k + 1]
        elif kind == SLIDE and state.slips > 0:
            problem.directed[k] = 1
            problem.direction[2 * k], problem.direction[2 * k + 1] = state.slip[0], state.slip[1]
        if state.kind != OPEN:
            for _ in range(state.cone_margin):
                delassus.right[k] *= tol.wider
    if sticks == 0 or letting_go(scene) == 1:
        return 0
    found = hold_on(problem, delassus.right)
    if found == HELD:
        if t - scene.shared <= tol.blink:  # it was shared otherwise just now: what is left is at the very edge
            widened = 0
            for k in range(scene.watched):
                i = scene.watch[k]
                firmer = has(scene.event[i].flags, SLIPS) == 1 and scene.state[i].cone_margin < WIDEST
                scene.event[i].widened = 1 if firmer else 0
                widened += scene.event[i].widened
            if widened == 0:
                return 0
        forget_slipping(scene)
        scene.shared = t
        return 1
    if found == SLIP_TOGETHER:
        forget_slipping(scene)
        for k in range(delassus.contacts):
            event = scene.event[delassus.point[k]]
            if problem.must_slip[k] == 1:
                event.flags += SLIPS
                event.onset[0], event.onset[1] = problem.onset[2 * k], problem.onset[2 * k + 1]
    return 0


# --- contacts that others keep from slipping ------------------------------------------------------------------------


@kernel
def beside_others(scene: Scene, k: i64) -> None:
    """What is left of the tangents of contact k in A, and of their velocities, where rows that others hold are zero:
    in ``right``, by rows of A's columns and v."""
    delassus, problem, count = scene.delassus, scene.problem, 0
    rows, own, tangents = delassus.rows, delassus.first[k] + 1, delassus.tangents[k]
    columns = tangents + 1
    for j in range(delassus.contacts):
        if problem.state[j] != OPEN:
            for a in range(1 + (delassus.tangents[j] if problem.state[j] == STICK else 0)):
                delassus.picked[count] = delassus.first[j] + a
                count += 1
    for j in range(columns):
        for a in range(count):
            row = delassus.picked[a]
            one = delassus.row_unit[row]
            for b in range(count):
                both = one * delassus.row_unit[delassus.picked[b]]
                delassus.system[a * count + b] = divide(delassus.A[row * rows + delassus.picked[b]], both)
            column = delassus.A[row * rows + own + j] if j < tangents else delassus.v[row]
            delassus.column[a] = divide(column, one)
        tau, turned, order = delassus.tau, delassus.turned, delassus.order
        least_norm(count, count, RANK, delassus.system, tau, turned, order, delassus.column, delassus.answer)
        for a in range(tangents):
            left = delassus.A[(own + a) * rows + own + j] if j < tangents else delassus.v[own + a]
            for b in range(count):
                part = divide(delassus.answer[b], delassus.row_unit[delassus.picked[b]])
                left -= delassus.A[(own + a) * rows + delassus.picked[b]] * part
            delassus.right[a * columns + j] = left


@kernel
def kept_by_others(scene: Scene, k: i64) -> i64:
    """1 where contact k cannot slip because others stick; 2 where it slips no more where these do not: no belt runs
    under it."""
    delassus, problem, sticks = scene.delassus, scene.problem, 0
    for j in range(delassus.contacts):
        sticks += 1 if problem.state[j] == STICK else 0
    tangents, rows, own = delassus.tangents[k], delassus.rows, delassus.first[k] + 1
    if sticks == 0 or tangents == 0:
        return 0
    beside_others(scene, k)
    left, usual, slip, fastest = 0.0, 0.0, 0.0, delassus.motion_scale
    for a in range(tangents):
        for j in range(tangents):
            left = maximum(left, fabs(delassus.right[a * (tangents + 1) + j]))
            usual = maximum(usual, fabs(delassus.A[(own + a) * rows + own + j]))
        slip = maximum(slip, fabs(delassus.right[a * (tangents + 1) + tangents]))
    if not left < KEPT * usual:
        return 0
    for i in range(rows):
        fastest = maximum(fastest, fabs(delassus.v[i]))
    return 2 if slip <= KEPT * fastest else 1


@kernel
def is_still(scene: Scene, k: i64) -> i64:
    """1 where contact k has no acceleration along its tangents: not at a dead centre, where geometry turns its slip."""
    delassus, problem, row, size = scene.delassus, scene.problem, 0, 0.0
    for j in range(k):
        row += 1 + problem.tangents[j]
    for i in range(delassus.rows):
        size = maximum(size, fabs(delassus.b[i]))
    for j in range(problem.tangents[k]):
        if not fabs(problem.a[row + 1 + j]) <= STILL * size:
            return 0
    return 1


@kernel
def keep_states(scene: Scene) -> None:
    """Keep the answer of the contact problem while another one is tried."""
    problem = scene.problem
    for k in range(problem.contacts):
        scene.near[k] = 4 * problem.state[k] + problem.directed[k]


@kernel
def take_back(scene: Scene) -> None:
    """The states that were kept."""
    problem = scene.problem
    for k in range(problem.contacts):
        problem.state[k], problem.directed[k] = scene.near[k] // 4, scene.near[k] % 4


@kernel
def stick_with_others(scene: Scene) -> None:
    """All stick that others keep from slipping, if some forces hold them; what they still slip is ended with the slip
    of the others."""
    delassus, problem, idle = scene.delassus, scene.problem, 0
    sticks, slides = 0, 0
    for k in range(delassus.contacts):
        sticks += 1 if problem.state[k] == STICK else 0
        slides += 1 if problem.state[k] == SLIDE else 0
    if sticks == 0 or slides == 0:
        return
    keep_states(scene)
    for k in range(delassus.contacts):
        event = scene.event[delassus.point[k]]
        rough = problem.state[k] == SLIDE and problem.tangents[k] > 0 and problem.mu_s[k] > 0.0
        event.idle = 1 if rough and kept_by_others(scene, k) == 2 else 0
        idle += event.idle
    if idle == 0:
        return
    for k in range(delassus.contacts):
        if scene.event[delassus.point[k]].idle == 1:
            problem.state[k], problem.directed[k] = STICK, 0
    if feasible(problem) != HELD:
        take_back(scene)


@kernel
def stand_on_all(scene: Scene) -> None:
    """Where nothing slides, all contacts are closed that do not open, if all then carry something: a body at rest
    stands on all its feet."""
    delassus, problem, row, joins = scene.delassus, scene.problem, 0, 0
    opens, sticks, size = 0, 0, 0.0
    for k in range(delassus.contacts):
        if problem.state[k] == SLIDE:
            return
        opens += 1 if problem.state[k] == OPEN else 0
        sticks += 1 if problem.state[k] == STICK else 0
    if opens == 0 or sticks == 0:
        return
    for i in range(problem.rows):
        size = maximum(size, fabs(problem.b[i]))
    keep_states(scene)
    for i in range(problem.rows):
        delassus.answer[i] = problem.lam[i]
    for k in range(delassus.contacts):
        i = delassus.point[k]
        may = has(scene.event[i].flags, LETS_GO) == 0 and problem.mu_s[k] > 0.0 and problem.tangents[k] > 0
        may = may and problem.state[k] == OPEN and problem.slips[k] == 0
        scene.event[i].idle = 1 if may and fabs(problem.a[row]) <= STILL * size else 0
        joins += scene.event[i].idle
        row += 1 + problem.tangents[k]
    if joins == 0:
        return
    for k in range(delassus.contacts):
        if scene.event[delassus.point[k]].idle == 1:
            problem.state[k] = STICK
    if feasible(problem) == HELD and all_carry(scene) == 1:
        return
    take_back(scene)
    for i in range(problem.rows):
        problem.lam[i] = delassus.answer[i]


@kernel
def all_carry(scene: Scene) -> i64:
    """1 where all contacts that join carry something."""
    delassus, problem, row, most = scene.delassus, scene.problem, 0, -1.0e300
    for i in range(problem.rows):
        most = maximum(most, problem.lam[i])
    for k in range(delassus.contacts):
        if scene.event[delassus.point[k]].idle == 1 and not problem.lam[row] > CARRIES * most:
            return 0
        row += 1 + problem.tangents[k]
    return 1


@kernel
def note_left(scene: Scene) -> i64:
    """Keep in mind which contacts leave their cones; 1 where some do."""
    delassus = scene.delassus
    for k in range(delassus.contacts):
        event = scene.event[delassus.point[k]]
        event.left = has(event.flags, SLIPS)
    return slipping(scene)


@kernel
def slip_or_widen(scene: Scene) -> None:
    """Contacts that left their cones and stick after all are at the very edges: these are widened; where they cannot be
    any more, the contacts slide."""
    delassus, problem = scene.delassus, scene.problem
    for k in range(delassus.contacts):
        i = delassus.point[k]
        state, event = scene.state[i], scene.event[i]
        if problem.state[k] == STICK and event.left == 1 and state.kind == STICK:
            if state.cone_margin < WIDEST:
                event.widened = 1
            else:
                problem.state[k], problem.directed[k] = SLIDE, 1
                problem.direction[2 * k], problem.direction[2 * k + 1] = event.onset[0], event.onset[1]


@kernel
def look_ahead(scene: Scene, x: f64p) -> i64:
    """``column``: b a moment later at the same place, as loads make it that begin at zero; 0 where it is not known."""
    delassus, t, calls = scene.delassus, x[0], scene.delassus.calls
    if delassus.supplied > 0:  # P and u̇₀ are of this instant
        return 0
    x[0] = t + scene.tolerances.stirs
    found = assemble(scene, x)
    for i in range(delassus.rows):
        delassus.column[i] = delassus.b[i]
    x[0] = t
    assemble(scene, x)
    delassus.calls = calls
    drop_rounding(scene)
    return 1 if found == FOUND else 0


@kernel
def is_unloaded(scene: Scene, x: f64p) -> i64:
    """1 where no contact was closed, none was struck, and none is pressed, now or soon: what only touches is open, as
    the end of a pendulum that hangs just above the floor, which held there would be locked."""
    delassus = scene.delassus
    if any_closed(scene) == 1 or scene.impacts > 0 or delassus.collide < delassus.contacts:
        return 0
    for k in range(delassus.contacts):
        if scene.contact[delassus.point[k]].adhesion >= 0:
            return 0
    if is_pressed(scene, delassus.b) == 1:
        return 0
    return 0 if look_ahead(scene, x) == 1 and is_pressed(scene, delassus.column) == 1 else 1


@kernel
def is_pressed(scene: Scene, b: f64p) -> i64:
    """1 where some contact is accelerated downwards."""
    tol, delassus = scene.tolerances, scene.delassus
    least = -tol.at_rest * divide(tol.slowest, tol.stirs)
    for k in range(delassus.contacts):
        if b[delassus.first[k]] < least:
            return 1
    return 0


@kernel
def load_begins(scene: Scene, x: f64p) -> i64:
    """1 where a load is about to press some contact, and all that feel it."""
    delassus, size = scene.delassus, 0.0
    if look_ahead(scene, x) == 0:
        return 0
    for i in range(delassus.rows):
        size = maximum(size, fabs(delassus.column[i]))
    for k in range(delassus.contacts):
        row = delassus.first[k]
        if delassus.column[row] < delassus.b[row] - scene.tolerances.rounding * size:
            return 1
    return 0


@kernel
def decide(scene: Scene, x: f64p) -> i64:
    """States and forces of the contacts that stay; how the contact problem ended."""
    delassus, problem, t = scene.delassus, scene.problem, x[0]
    for i in range(delassus.rows):
        delassus.lam[i] = 0.0
    if delassus.contacts == 0:
        problem.contacts, problem.rows = 0, 0
        return SOLVED
    fill_problem(scene)
    if is_unloaded(scene, x) == 1:
        for k in range(delassus.contacts):
            problem.state[k], problem.directed[k] = OPEN, 0
        return SOLVED
    slips = note_left(scene)
    if slips == 1 and share_otherwise(scene, t) == 1:
        leave_idle(scene, slips, 0, x)
        spread_forces(scene)
        return SOLVED
    passes = passes_on(scene, t)
    guess_states(scene, passes)
    status = solve(problem)
    while status == SOLVED and tear_off(scene) > 0:
        fill_problem(scene)
        guess_states(scene, passes)
        status = solve(problem)
    if status != SOLVED:
        for k in range(delassus.contacts):
            scene.event[delassus.point[k]].jammed = problem.note[k] // JAMS % 2 if status == JAMMED else 0
        return status
    if slips == 1:
        slip_or_widen(scene)
    if slipping(scene) == 0:
        stick_with_others(scene)
        stand_on_all(scene)
    leave_idle(scene, slips, passes, x)
    spread_forces(scene)
    return SOLVED


@kernel
def is_emptied(scene: Scene, k: i64, force: f64) -> i64:
    """1 where the force of contact k has come to zero, or has left its cone, and is rounding of what acts there: what
    it makes of an acceleration, beside the terms that b is summed from, and v²/L. So are all forces between bodies that
    fall together."""
    delassus, event, row = scene.delassus, scene.event[scene.delassus.point[k]], scene.delassus.first[k]
    if has(event.flags, LETS_GO) + event.left == 0 or scene.contact[delassus.point[k]].bounded == 1:
        return 0
    turning = divide(delassus.motion_scale * delassus.motion_scale, scene.tolerances.sight)
    terms, made = turning, 0.0
    for j in range(row, row + 1 + delassus.tangents[k]):
        terms = maximum(terms, delassus.summed[j])
        made = maximum(made, delassus.A[j * delassus.rows + j] * force)
    return 1 if made <= scene.tolerances.rounding * terms else 0


@kernel
def leave_idle(scene: Scene, slips: i64, passes: i64, x: f64p) -> None:
    """Contacts that were open, or any that stick where a cone was left (``slips``), are open where they have nothing
    but rounding to carry, beside others that carry something: at the apex of its cone a contact sticks, slides and
    opens by rounding. Not where a load ``passes`` on to them, or begins. So is what has been emptied."""
    delassus, problem, row, most, begins = scene.delassus, scene.problem, 0, 0.0, -1
    for i in range(problem.rows):
        most = maximum(most, fabs(problem.lam[i]))
    for k in range(delassus.contacts):
        force, i = 0.0, delassus.point[k]
        for j in range(1 + problem.tangents[k]):
            force = maximum(force, fabs(problem.lam[row + j]))
        sticks = problem.state[k] == STICK and problem.tangents[k] > 0
        opened = scene.state[i].kind == OPEN and scene.contact[i].bounded == 0
        may = (sticks and (slips == 1 or opened)) or (problem.state[k] == SLIDE and opened and passes == 0)
        idle = may and force < scene.tolerances.rounding * most
        if idle and opened and begins < 0:
            begins = load_begins(scene, x)
        if (idle and not (opened and begins == 1)) or is_emptied(scene, k, force) == 1:
            problem.state[k] = OPEN
            for j in range(1 + problem.tangents[k]):
                problem.lam[row + j] = 0.0
        row += 1 + problem.tangents[k]


@kernel
def spread_forces(scene: Scene) -> None:
    """λ of all rows, 0 along tangents without friction."""
    delassus, problem, row = scene.delassus, scene.problem, 0
    for k in range(delassus.contacts):
        for j in range(1 + problem.tangents[k]):
            delassus.lam[delassus.first[k] + j] = problem.lam[row + j]
        row += 1 + problem.tangents[k]


# --- the states -----------------------------------------------------------------------------------------------------


@kernel
def widened_cone(scene: Scene, i: i64, kind: i64, t: f64) -> i64:
    """How often the cone of a contact is widened: more where it has only just begun to slip, and slips no more."""
    tol = scene.tolerances
    state = scene.state[i]
    sticks = state.kind == STICK
    if kind != STICK:
        if sticks:
            state.slipped_at, state.slipped_margin = t, state.cone_margin
        return 0
    if sticks:
        return state.cone_margin + scene.event[i].widened
    if t - state.slipped_at < tol.chatter:
        return state.slipped_margin + 1 if state.slipped_margin + 1 < WIDEST else WIDEST
    return 0


@kernel
def put_slip(scene: Scene, i: i64, tangents: i64, x: f64, y: f64, begins: i64) -> None:
    """The direction kept in a state: a sign in the plane; in space that of the slip, now or to come, a trace of a speed
    for slip that has not begun, and how far that serves.

    Slip grows from nothing as t², and friction turns with it at the rate μ N / (m |v|): a trace far above what a step
    may be off keeps that rate within reach of an explicit method.
    """
    tol = scene.tolerances
    state = scene.state[i]
    if tangents == 1:
        state.slips, state.slip[0] = 1, 1.0 if x > 0.0 else -1.0
        return
    trace = (BEGINS if begins == 1 else GOES_ON) * maximum(scene.slip_scale, tol.slowest)
    state.slips, state.slip[0], state.slip[1], state.slip[2] = 4, x, y, trace
    state.slip[3] = BEGUN * trace if begins == 1 else 0.0


@kernel
def end_slip(scene: Scene, u: f64p) -> None:
    """End what is left of slip where contacts stick from now on, by impulses A Λ = −v that are no impact."""
    tol = scene.tolerances
    delassus, problem, count, left = scene.delassus, scene.problem, 0, 0.0
    for k in range(delassus.contacts):
        if problem.state[k] != OPEN:
            row = delassus.first[k]
            sticks = problem.state[k] == STICK and scene.event[delassus.point[k]].slips == 0
            for j in range(1 + (delassus.tangents[k] if sticks else 0)):
                delassus.picked[count] = row + j
                count += 1
                slips = j > 0 or scene.contact[delassus.point[k]].one_way == 1
                size = divide(fabs(delassus.v[row + j]), delassus.slip_unit[row + j])
                left = maximum(left, size) if slips else left
    if left <= tol.no_slip * delassus.motion_scale:
        return
    picked_solution(scene, count)
    scene.work += move(delassus, delassus.impulse, u)


@kernel
def is_entered(scene: Scene, i: i64) -> i64:
    """1 where the domain of a feature is entered with a gap below zero, if by rounding: its guard falls on."""
    contact, gap, inside = scene.contact[i], scene.gap[i], scene.inside[i]
    bound = scene.tolerances.bound * contact.unit
    return 1 if contact.bounds > 0 and inside >= -2.0 * bound and inside < -gap else 0


@kernel
def kind_of_bounded(scene: Scene, k: i64) -> i64:
    """Friction of a joint is never open; what resists turns is closed with the contact that presses it."""
    delassus, problem, kind = scene.delassus, scene.problem, scene.problem.state[k]
    presser = scene.contact[delassus.point[k]].presser
    if presser < 0:
        return SLIDE if kind == OPEN else kind
    place = place_among(delassus, presser)
    if place < 0 or problem.state[place] == OPEN:
        return OPEN
    if kind == OPEN:
        return STICK if scene.event[delassus.point[k]].slips == 0 and problem.tangents[k] > 0 else SLIDE
    return kind


@kernel
def put_states(scene: Scene, t: f64) -> None:
    """The states of the contacts that stay, as the contact problem says; all others are open."""
    delassus, problem = scene.delassus, scene.problem
    for k in range(delassus.contacts):
        event = scene.event[delassus.point[k]]
        event.kept = 0
        if problem.state[k] == SLIDE and event.slips == 0 and is_still(scene, k) == 1:
            event.kept = 1 if kept_by_others(scene, k) > 0 else 0
    for k in range(scene.watched):
        event = scene.event[scene.watch[k]]
        event.stays = 0
    for k in range(delassus.contacts):
        i = delassus.point[k]
        state, event, kind = scene.state[i], scene.event[i], problem.state[k]
        event.stays = 1
        bounded = scene.contact[i].bounded
        if bounded == 1:
            kind = kind_of_bounded(scene, k)
        state.forces = 1 + delassus.tangents[k] - bounded  # of its rows
        for j in range(state.forces):
            state.force[j] = delassus.lam[delassus.first[k] + bounded + j]
        margin = widened_cone(scene, i, kind, t) if kind != OPEN else 0
        state.kind, state.cone_margin, state.slips, state.limits = kind, margin, 0, 0
        if kind == SLIDE:
            directed, must = problem.directed[k], has(event.flags, SLIPS)
            if event.kept == 1 and (must == 1 or directed == 1):
                state.limits = delassus.tangents[k]
                for j in range(2):
                    state.limit[j] = event.onset[j] if must == 1 else problem.direction[2 * k + j]
            if delassus.tangents[k] > 0 and scene.mu_d[i] > 0.0 and directed == 1:
                a, b = problem.direction[2 * k], problem.direction[2 * k + 1]
                if event.slips == 1:
                    a, b = event.slip_direction[0], event.slip_direction[1]
                put_slip(scene, i, delassus.tangents[k], a, b, 1 - event.slips)


@kernel
def put_attraction(scene: Scene, i: i64) -> None:
    """Adhesion acts while the contact it belongs to is closed: at its limit, along the normal."""
    state, with_point = scene.state[i], scene.contact[i].attracts
    closed = scene.event[with_point].stays == 1 and scene.state[with_point].kind != OPEN
    state.cone_margin, state.forces = 0, 0
    state.kind, state.slips, state.limits = SLIDE if closed else OPEN, 1 if closed else 0, 1 if closed else 0
    state.slip[0], state.limit[0] = 1.0, 1.0


@kernel
def open_others(scene: Scene) -> None:
    """All that do not stay are open; those that have just opened, were entered from below, whose feature ends, or that
    another feature stands for are leaving."""
    for k in range(scene.watched):
        i = scene.watch[k]
        state, event = scene.state[i], scene.event[i]
        if scene.contact[i].attracts >= 0:
            put_attraction(scene, i)
            continue
        if scene.contact[i].bounded == 1:  # friction of a joint is never open: where nothing moves it does nothing
            if event.stays == 0:
                state.kind = SLIDE if scene.contact[i].presser < 0 else OPEN
                state.slips, state.limits, state.cone_margin, state.forces = 0, 0, 0, 0
            continue
        if event.stays == 0:
            state.kind, state.slips, state.limits, state.cone_margin, state.forces = OPEN, 0, 0, 0, 0
        ended = has(event.flags, LEAVES) == 1 and state.behind == 0
        opened = event.stays == 1 and state.kind == OPEN
        if opened or event.entered == 1 or ended or event.doubled == 1:
            state.leaving = depth_of(scene, i)
        if state.kind != OPEN or state.behind == 1:
            state.leaving = 0
