"""The next contact states, as kernels: which contacts open, slide or stick, by the contact problem, and how.

Where contacts that stick are at the edges of their cones, the load is first shared otherwise; where a body is at rest,
it stands on all its feet.
"""

from __future__ import annotations

from latchwork.algebra.factors import least_norm
from latchwork.contact.complementarity.contact_states import solve
from latchwork.contact.complementarity.problem import JAMMED, JAMS, SOLVED
from latchwork.contact.complementarity.redundant_forces import HELD, feasible, hold_on
from latchwork.contact.complementarity.redundant_forces import SLIPS as SLIP_TOGETHER
from latchwork.hybrid.contacts.delassus_operator import move
from latchwork.hybrid.contacts.impact_reset import RANK, picked_solution
from latchwork.hybrid.contacts.near_set import depth_of, says
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
    known = scene.delassus
    for k in range(known.contacts):
        event, tangents = scene.event[known.who[k]], known.tangents[k]
        slip = offset(known.v, known.first[k] + 1)
        size = length(tangents, slip)
        event.slips = 0 if says(event.says, RESTS) == 1 or size <= tol.no_slip * scene.fastest else 1
        for j in range(tangents):
            event.way[j] = divide(slip[j], size) if event.slips == 1 else 0.0


@kernel
def slipping(scene: Scene) -> i64:
    """1 where some contact has left its cone."""
    for k in range(scene.watched):
        if says(scene.event[scene.watch[k]].says, SLIPS) == 1:
            return 1
    return 0


@kernel
def letting_go(scene: Scene) -> i64:
    """1 where the force of some contact has come to zero."""
    for k in range(scene.watched):
        if says(scene.event[scene.watch[k]].says, LETS_GO) == 1:
            return 1
    return 0


@kernel
def forget_slipping(scene: Scene) -> None:
    """No contact is to slip."""
    for k in range(scene.watched):
        event = scene.event[scene.watch[k]]
        event.says -= says(event.says, SLIPS) * SLIPS


# --- the contact problem --------------------------------------------------------------------------------------------


@kernel
def fill_problem(scene: Scene) -> None:
    """The contact problem of the contacts that stay; those without friction have no tangents."""
    known, problem, rows = scene.delassus, scene.problem, 0
    for k in range(known.contacts):
        i, event = known.who[k], scene.event[known.who[k]]
        tangents = known.tangents[k] if scene.mu_s[i] > 0.0 else 0
        problem.tangents[k], problem.mu_s[k], problem.mu_d[k] = tangents, scene.mu_s[i], scene.mu_d[i]
        problem.slips[k] = event.slips if tangents > 0 else 0
        problem.must_slip[k] = says(event.says, SLIPS) if tangents > 0 else 0
        for j in range(2):
            problem.slip[2 * k + j] = event.way[j]
            problem.onset[2 * k + j] = event.onset[j]
        for j in range(1 + tangents):
            known.picked[rows + j] = known.first[k] + j
        rows += 1 + tangents
    problem.contacts, problem.rows = known.contacts, rows
    for a in range(rows):
        problem.b[a] = known.b[known.picked[a]]
        for b in range(rows):
            problem.A[a * rows + b] = known.A[known.picked[a] * known.rows + known.picked[b]]


@kernel
def any_closed(scene: Scene) -> i64:
    """1 where some contact was closed before."""
    for k in range(scene.watched):
        if scene.state[scene.watch[k]].kind != OPEN:
            return 1
    return 0


@kernel
def guess_states(scene: Scene) -> None:
    """The present states; a force that has just come to zero is zero but for rounding. All closed where none was."""
    known, problem, closed = scene.delassus, scene.problem, any_closed(scene)
    for k in range(known.contacts):
        i = known.who[k]
        stays = scene.state[i].kind if says(scene.event[i].says, LETS_GO) == 0 else OPEN
        problem.guess[k] = stays if closed == 1 else SLIDE


@kernel
def state_as_before(scene: Scene, k: i64) -> i64:
    """The state of contact k before, as the load is shared otherwise: at its limit it sticks."""
    state = scene.state[scene.delassus.who[k]]
    if state.kind == OPEN or (state.kind == SLIDE and state.limits == 0):
        return state.kind
    return STICK


@kernel
def share_otherwise(scene: Scene, t: f64) -> i64:
    """What becomes of contacts that stick, one of which is at the edge of its cone: 1 where some share of the load
    holds them; else all slip together that are at their edges in every share."""
    tol = scene.tolerances
    known, problem, sticks = scene.delassus, scene.problem, 0
    for k in range(known.contacts):
        i = known.who[k]
        state, kind = scene.state[i], state_as_before(scene, k)
        problem.state[k], problem.directed[k] = kind, 0
        known.right[k] = 1.0
        sticks += 1 if kind == STICK else 0
        if problem.slips[k] == 1:
            problem.directed[k] = 1
            problem.direction[2 * k], problem.direction[2 * k + 1] = problem.slip[2 * k], problem.slip[2 * k + 1]
        elif kind == SLIDE and state.slips > 0:
            problem.directed[k] = 1
            problem.direction[2 * k], problem.direction[2 * k + 1] = state.slip[0], state.slip[1]
        if state.kind != OPEN:
            for _ in range(state.cone_margin):
                known.right[k] *= tol.wider
    if sticks == 0 or letting_go(scene) == 1:
        return 0
    found = hold_on(problem, known.right)
    if found == HELD:
        if scene.shared == t:  # it was shared otherwise just now: what is left is at the very edge
            widened = 0
            for k in range(scene.watched):
                i = scene.watch[k]
                firmer = says(scene.event[i].says, SLIPS) == 1 and scene.state[i].cone_margin < WIDEST
                scene.event[i].widened = 1 if firmer else 0
                widened += scene.event[i].widened
            if widened == 0:
                return 0
        forget_slipping(scene)
        scene.shared = t
        return 1
    if found == SLIP_TOGETHER:
        forget_slipping(scene)
        for k in range(known.contacts):
            event = scene.event[known.who[k]]
            if problem.must_slip[k] == 1:
                event.says += SLIPS
                event.onset[0], event.onset[1] = problem.onset[2 * k], problem.onset[2 * k + 1]
    return 0


# --- contacts that others keep from slipping ------------------------------------------------------------------------


@kernel
def beside_others(scene: Scene, k: i64) -> None:
    """What is left of the tangents of contact k in A, and of their velocities, where rows that others hold are zero:
    in ``right``, by rows of A's columns and v."""
    known, problem, count = scene.delassus, scene.problem, 0
    rows, own, tangents = known.rows, known.first[k] + 1, known.tangents[k]
    columns = tangents + 1
    for j in range(known.contacts):
        if problem.state[j] != OPEN:
            for a in range(1 + (known.tangents[j] if problem.state[j] == STICK else 0)):
                known.picked[count] = known.first[j] + a
                count += 1
    for j in range(columns):
        for a in range(count):
            row = known.picked[a]
            for b in range(count):
                known.system[a * count + b] = known.A[row * rows + known.picked[b]]
            known.column[a] = known.A[row * rows + own + j] if j < tangents else known.v[row]
        least_norm(count, count, RANK, known.system, known.tau, known.turned, known.order, known.column, known.answer)
        for a in range(tangents):
            left = known.A[(own + a) * rows + own + j] if j < tangents else known.v[own + a]
            for b in range(count):
                left -= known.A[(own + a) * rows + known.picked[b]] * known.answer[b]
            known.right[a * columns + j] = left


@kernel
def kept_by_others(scene: Scene, k: i64) -> i64:
    """1 where contact k cannot slip because others stick; 2 where it slips no more where these do not: no belt runs
    under it."""
    known, problem, sticks = scene.delassus, scene.problem, 0
    for j in range(known.contacts):
        sticks += 1 if problem.state[j] == STICK else 0
    tangents, rows, own = known.tangents[k], known.rows, known.first[k] + 1
    if sticks == 0 or tangents == 0:
        return 0
    beside_others(scene, k)
    left, usual, slip, fastest = 0.0, 0.0, 0.0, known.pace
    for a in range(tangents):
        for j in range(tangents):
            left = maximum(left, fabs(known.right[a * (tangents + 1) + j]))
            usual = maximum(usual, fabs(known.A[(own + a) * rows + own + j]))
        slip = maximum(slip, fabs(known.right[a * (tangents + 1) + tangents]))
    if not left < KEPT * usual:
        return 0
    for i in range(rows):
        fastest = maximum(fastest, fabs(known.v[i]))
    return 2 if slip <= KEPT * fastest else 1


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
    known, problem, idle = scene.delassus, scene.problem, 0
    sticks, slides = 0, 0
    for k in range(known.contacts):
        sticks += 1 if problem.state[k] == STICK else 0
        slides += 1 if problem.state[k] == SLIDE else 0
    if sticks == 0 or slides == 0:
        return
    keep_states(scene)
    for k in range(known.contacts):
        event = scene.event[known.who[k]]
        rough = problem.state[k] == SLIDE and problem.tangents[k] > 0 and problem.mu_s[k] > 0.0
        event.idle = 1 if rough and kept_by_others(scene, k) == 2 else 0
        idle += event.idle
    if idle == 0:
        return
    for k in range(known.contacts):
        if scene.event[known.who[k]].idle == 1:
            problem.state[k], problem.directed[k] = STICK, 0
    if feasible(problem) != HELD:
        take_back(scene)


@kernel
def stand_on_all(scene: Scene) -> None:
    """Where nothing slides, all contacts are closed that do not open, if all then carry something: a body at rest
    stands on all its feet."""
    known, problem, row, joins = scene.delassus, scene.problem, 0, 0
    opens, sticks, size = 0, 0, 0.0
    for k in range(known.contacts):
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
        known.answer[i] = problem.lam[i]
    for k in range(known.contacts):
        i = known.who[k]
        may = says(scene.event[i].says, LETS_GO) == 0 and problem.mu_s[k] > 0.0 and problem.tangents[k] > 0
        may = may and problem.state[k] == OPEN and problem.slips[k] == 0
        scene.event[i].idle = 1 if may and fabs(problem.a[row]) <= STILL * size else 0
        joins += scene.event[i].idle
        row += 1 + problem.tangents[k]
    if joins == 0:
        return
    for k in range(known.contacts):
        if scene.event[known.who[k]].idle == 1:
            problem.state[k] = STICK
    if feasible(problem) == HELD and all_carry(scene) == 1:
        return
    take_back(scene)
    for i in range(problem.rows):
        problem.lam[i] = known.answer[i]


@kernel
def all_carry(scene: Scene) -> i64:
    """1 where all contacts that join carry something."""
    known, problem, row, most = scene.delassus, scene.problem, 0, -1.0e300
    for i in range(problem.rows):
        most = maximum(most, problem.lam[i])
    for k in range(known.contacts):
        if scene.event[known.who[k]].idle == 1 and not problem.lam[row] > CARRIES * most:
            return 0
        row += 1 + problem.tangents[k]
    return 1


@kernel
def decide(scene: Scene, t: f64) -> i64:
    """States and forces of the contacts that stay; how the contact problem ended."""
    known, problem = scene.delassus, scene.problem
    for i in range(known.rows):
        known.lam[i] = 0.0
    if known.contacts == 0:
        problem.contacts, problem.rows = 0, 0
        return SOLVED
    fill_problem(scene)
    if slipping(scene) == 1 and share_otherwise(scene, t) == 1:
        spread_forces(scene)
        return SOLVED
    guess_states(scene)
    status = solve(problem)
    if status != SOLVED:
        for k in range(known.contacts):
            scene.event[known.who[k]].jammed = problem.note[k] // JAMS % 2 if status == JAMMED else 0
        return status
    if slipping(scene) == 1:
        for k in range(known.contacts):  # they were to slip, and stick after all: at the very edges of their cones
            i = known.who[k]
            state, stuck = scene.state[i], problem.state[k] == STICK and says(scene.event[i].says, SLIPS) == 1
            if stuck and state.kind != OPEN and state.cone_margin < WIDEST:
                scene.event[i].widened = 1
    else:
        stick_with_others(scene)
        stand_on_all(scene)
    spread_forces(scene)
    return SOLVED


@kernel
def spread_forces(scene: Scene) -> None:
    """λ of all rows, 0 along tangents without friction."""
    known, problem, row = scene.delassus, scene.problem, 0
    for k in range(known.contacts):
        for j in range(1 + problem.tangents[k]):
            known.lam[known.first[k] + j] = problem.lam[row + j]
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
    trace = (BEGINS if begins == 1 else GOES_ON) * maximum(scene.fastest, tol.slowest)
    state.slips, state.slip[0], state.slip[1], state.slip[2] = 4, x, y, trace
    state.slip[3] = BEGUN * trace if begins == 1 else 0.0


@kernel
def end_slip(scene: Scene, u: f64p) -> None:
    """End what is left of slip where contacts stick from now on, by impulses A Λ = −v that are no impact."""
    tol = scene.tolerances
    known, problem, count, left = scene.delassus, scene.problem, 0, 0.0
    for k in range(known.contacts):
        if problem.state[k] != OPEN:
            row = known.first[k]
            sticks = problem.state[k] == STICK and scene.event[known.who[k]].slips == 0
            for j in range(1 + (known.tangents[k] if sticks else 0)):
                known.picked[count] = row + j
                count += 1
                left = maximum(left, fabs(known.v[row + j])) if j > 0 else left
    if left <= tol.no_slip * known.pace:
        return
    picked_solution(scene, count)
    scene.work += move(known, known.impulse, u)


@kernel
def is_entered(scene: Scene, i: i64) -> i64:
    """1 where the domain of a feature is entered with a gap below zero, if by rounding: its guard falls on."""
    contact, gap, inside = scene.contact[i], scene.gap[i], scene.inside[i]
    bound = scene.tolerances.bound * contact.unit
    return 1 if contact.bounds > 0 and inside >= -2.0 * bound and inside < -gap else 0


@kernel
def put_states(scene: Scene, t: f64) -> None:
    """The states of the contacts that stay, as the contact problem says; all others are open."""
    known, problem = scene.delassus, scene.problem
    for k in range(known.contacts):
        event = scene.event[known.who[k]]
        event.kept = 0
        if problem.state[k] == SLIDE and event.slips == 0:
            event.kept = 1 if kept_by_others(scene, k) > 0 else 0
    for k in range(scene.watched):
        event = scene.event[scene.watch[k]]
        event.stays = 0
    for k in range(known.contacts):
        i = known.who[k]
        state, event, kind = scene.state[i], scene.event[i], problem.state[k]
        event.stays = 1
        state.forces = 1 + known.tangents[k]
        for j in range(1 + known.tangents[k]):
            state.force[j] = known.lam[known.first[k] + j]
        margin = widened_cone(scene, i, kind, t) if kind != OPEN else 0
        state.kind, state.cone_margin, state.slips, state.limits = kind, margin, 0, 0
        if kind == SLIDE:
            directed, must = problem.directed[k], says(event.says, SLIPS)
            if event.kept == 1 and (must == 1 or directed == 1):
                state.limits = known.tangents[k]
                for j in range(2):
                    state.limit[j] = event.onset[j] if must == 1 else problem.direction[2 * k + j]
            if known.tangents[k] > 0 and scene.mu_d[i] > 0.0 and directed == 1:
                a, b = problem.direction[2 * k], problem.direction[2 * k + 1]
                if event.slips == 1:
                    a, b = event.way[0], event.way[1]
                put_slip(scene, i, known.tangents[k], a, b, 1 - event.slips)


@kernel
def open_others(scene: Scene) -> None:
    """All that do not stay are open; those that have just opened, were entered from below, whose feature ends, or that
    another feature stands for are leaving."""
    for k in range(scene.watched):
        i = scene.watch[k]
        state, event = scene.state[i], scene.event[i]
        if event.stays == 0:
            state.kind, state.slips, state.limits, state.cone_margin, state.forces = OPEN, 0, 0, 0, 0
        ended = says(event.says, LEAVES) == 1 and state.behind == 0
        opened = event.stays == 1 and state.kind == OPEN
        if opened or event.entered == 1 or ended or event.doubled == 1:
            state.leaving = depth_of(scene, i)
        if state.kind != OPEN:
            state.leaving = 0
