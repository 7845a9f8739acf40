"""The next contact states, as kernels: which contacts open, slide or stick, by the contact problem, and how.

Where contacts that stick are at the edges of their cones, the load is first shared otherwise (`cone_edge`); where a
body is at rest, it stands on all its feet (`joined_contacts`); what carries nothing is open (`idle_contacts`).
"""

from __future__ import annotations

from latchwork.contact.complementarity.open_slide_stick import solve_contact_problem
from latchwork.contact.complementarity.problem import JAMMED, JAMS, SOLVED
from latchwork.hybrid.contacts.cone_edge import (
    TOGETHER,
    note_left,
    others_slip,
    share_alike,
    share_otherwise,
    slip_or_widen,
    slip_together,
    widened_cone,
)
from latchwork.hybrid.contacts.delassus_operator import move
from latchwork.hybrid.contacts.event_slip import any_has
from latchwork.hybrid.contacts.idle_contacts import (
    begins_to_carry,
    change_with_soon,
    is_unloaded,
    leave_idle,
    load_begins,
)
from latchwork.hybrid.contacts.impact_reset import picked_solution
from latchwork.hybrid.contacts.joined_contacts import is_still, kept_by_others, stand_on_all, stick_with_others
from latchwork.hybrid.contacts.near_set import depth_of, place_among
from latchwork.hybrid.contacts.reset_outcome import ResetOutcome
from latchwork.hybrid.contacts.reset_problem import fill_problem, guess_states, passes_on, tear_off
from latchwork.hybrid.contacts.scene import LEAVES, OPEN, SLIDE, SLIPS, STICK, Scene, has_flag, has_turned
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel
from latchwork.program.scalar import maximum

BEGINS, GOES_ON = 1e-4, 1e-13  # of the fastest motion: the trace that stands for slip that has not begun, and later
BEGUN = 30.0  # so many times the trace, and slip has a direction of its own


@kernel
def solve_adhesive(scene: Scene, passes: i64) -> i64:
    """The contact problem, once more where contacts open in spite of their adhesion; how it ended."""
    guess_states(scene, passes)
    status = solve_contact_problem(scene.problem)
    while status == SOLVED and tear_off(scene) > 0:
        fill_problem(scene)
        guess_states(scene, passes)
        status = solve_contact_problem(scene.problem)
    return status


@kernel
def slip_by_soon(scene: Scene, x: f64p, t: f64) -> i64:
    """Where contacts that have not left their cones would slip with others that have, and loads change: 1 where they
    need not, by the forces of a moment later. At the instant itself no slip is accelerated. Else they slip together."""
    if others_slip(scene) == 1 and load_begins(scene, x) == 1:
        change_with_soon(scene)
        fill_problem(scene)
        status = solve_adhesive(scene, 0)
        change_with_soon(scene)
        if status == SOLVED and all_left_slide(scene) == 1:
            return 1
        fill_problem(scene)
        share_otherwise(scene, t)
    slip_together(scene)
    return 0


@kernel
def all_left_slide(scene: Scene) -> i64:
    """1 where all contacts slide that have left their cones."""
    delassus, problem = scene.delassus, scene.problem
    for k in range(delassus.contacts):
        if scene.event[delassus.point[k]].left == 1 and problem.state[k] != SLIDE:
            return 0
    return 1


@kernel
def choose_contact_states(scene: Scene, x: f64p) -> i64:
    """States and forces of the contacts that stay, by the contact problem."""
    delassus, problem, t = scene.delassus, scene.problem, x[0]
    for i in range(delassus.rows):
        delassus.lam[i] = 0.0
    if delassus.contacts == 0:
        problem.contacts, problem.rows = 0, 0
        return ResetOutcome.DONE
    fill_problem(scene)
    if is_unloaded(scene, x) == 1:
        for k in range(delassus.contacts):
            problem.state[k], problem.directed[k] = OPEN, 0
        return ResetOutcome.DONE
    slips = note_left(scene)
    shared = share_otherwise(scene, t) if slips == 1 else 0
    if shared == TOGETHER:
        shared = slip_by_soon(scene, x, t)
    if shared == 1:
        leave_idle(scene, slips, 0, x)
        spread_forces(scene)
        return ResetOutcome.DONE
    if problem.unended == 1:  # whether others can carry the load is not known
        return ResetOutcome.UNSETTLED
    passes = passes_on(scene, t)
    status = solve_adhesive(scene, passes)
    if status == SOLVED and begins_to_carry(scene, x) > 0:
        change_with_soon(scene)
        fill_problem(scene)
        status = solve_adhesive(scene, passes)
        change_with_soon(scene)
        if status != SOLVED:
            fill_problem(scene)
            status = solve_adhesive(scene, passes)
    if status != SOLVED:
        for k in range(delassus.contacts):
            scene.event[delassus.point[k]].jammed = problem.note[k] // JAMS % 2 if status == JAMMED else 0
        return ResetOutcome.JAMMED if status == JAMMED else ResetOutcome.UNSETTLED
    if slips == 1:
        slip_or_widen(scene)
    if any_has(scene, SLIPS) == 0:
        stick_with_others(scene)
        stand_on_all(scene)
        if has_turned(scene) == 1:
            share_alike(scene)
    leave_idle(scene, slips, passes, x)
    spread_forces(scene)
    return ResetOutcome.DONE


@kernel
def spread_forces(scene: Scene) -> None:
    """λ of all rows, 0 along tangents without friction."""
    delassus, problem, row = scene.delassus, scene.problem, 0
    for k in range(delassus.contacts):
        for j in range(1 + problem.tangents[k]):
            delassus.lam[delassus.first[k] + j] = problem.lam[row + j]
        row += 1 + problem.tangents[k]


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
        state.slip_size, state.slip[0] = 1, 1.0 if x > 0.0 else -1.0
        return
    trace = (BEGINS if begins == 1 else GOES_ON) * maximum(scene.slip_scale, tol.slowest)
    state.slip_size, state.slip[0], state.slip[1], state.slip[2] = 4, x, y, trace
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
        state.force_size = 1 + delassus.tangents[k] - bounded  # of its rows
        for j in range(state.force_size):
            state.force[j] = delassus.lam[delassus.first[k] + bounded + j]
        margin = widened_cone(scene, i, kind, t) if kind != OPEN else 0
        state.kind, state.cone_margin, state.slip_size, state.impending_size = kind, margin, 0, 0
        state.unloaded = event.unloaded if kind != OPEN else 0
        if kind == SLIDE:
            directed, must = problem.directed[k], has_flag(event, SLIPS)
            if event.kept == 1 and (must == 1 or directed == 1):
                state.impending_size = delassus.tangents[k]
                for j in range(2):
                    state.impending[j] = event.onset[j] if must == 1 else problem.direction[2 * k + j]
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
    state.cone_margin, state.unloaded, state.force_size = 0, 0, 0
    state.kind, state.slip_size = SLIDE if closed else OPEN, 1 if closed else 0
    state.impending_size = state.slip_size
    state.slip[0], state.impending[0] = 1.0, 1.0


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
                state.slip_size, state.impending_size, state.force_size = 0, 0, 0
                state.cone_margin, state.unloaded = 0, 0
            continue
        if event.stays == 0:
            state.kind, state.slip_size, state.impending_size, state.force_size = OPEN, 0, 0, 0
            state.cone_margin, state.unloaded = 0, 0
        ended = has_flag(event, LEAVES) == 1 and state.behind == 0
        opened = event.stays == 1 and state.kind == OPEN
        if opened or event.entered == 1 or ended or event.doubled == 1:
            state.leaving = depth_of(scene, i)
        if state.kind != OPEN or state.behind == 1:
            state.leaving = 0
