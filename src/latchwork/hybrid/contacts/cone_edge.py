"""Contacts at the edges of their cones, as kernels: the load is shared otherwise, or they slip together.

Where neither is so but for rounding, cones are widened a little.
"""

from __future__ import annotations

from latchwork.contact.complementarity.redundant_forces import HELD, SLIP_TOGETHER, hold_on
from latchwork.hybrid.contacts.event_slip import any_has, forget_slipping
from latchwork.hybrid.contacts.scene import LETS_GO, OPEN, SLIDE, SLIPS, STICK, Scene, has_flag, set_flag
from latchwork.program.kernel import f64, i64, kernel

TOGETHER = 2  # contacts slip together
WIDEST = 2  # times that a cone is widened


@kernel
def state_as_before(scene: Scene, k: i64) -> i64:
    """The state of contact k before, as the load is shared otherwise: at its limit it sticks."""
    state = scene.state[scene.delassus.point[k]]
    if scene.problem.fixed[k] == 1 and state.kind == OPEN:
        return SLIDE
    if has_flag(scene.event[scene.delassus.point[k]], LETS_GO) == 1:
        return OPEN
    if state.kind == OPEN or (state.kind == SLIDE and state.impending_size == 0):
        return state.kind
    return STICK


@kernel
def share_otherwise(scene: Scene, t: f64) -> i64:
    """What becomes of contacts that stick, one of which is at the edge of its cone: 1 where some share of the load
    holds them; `TOGETHER` where some are at their edges in every share."""
    tol = scene.tolerances
    delassus, problem, sticks = scene.delassus, scene.problem, 0
    for k in range(delassus.contacts):
        i = delassus.point[k]
        state, kind = scene.state[i], state_as_before(scene, k)
        problem.state[k], problem.directed[k] = kind, 0
        delassus.firmness[k] = 1.0
        sticks += 1 if kind == STICK else 0
        if problem.slips[k] == 1:
            problem.directed[k] = 1
            problem.direction[2 * k], problem.direction[2 * k + 1] = problem.slip[2 * k], problem.slip[2 * k + 1]
        elif kind == SLIDE and state.slip_size > 0:
            problem.directed[k] = 1
            problem.direction[2 * k], problem.direction[2 * k + 1] = state.slip[0], state.slip[1]
        if state.kind != OPEN:
            for _ in range(state.cone_margin):
                delassus.firmness[k] *= tol.wider
    if sticks == 0:
        return 0
    found = hold_on(problem, delassus.firmness)
    if found == HELD:
        if t - scene.shared <= tol.blink:  # it was shared otherwise just now: what is left is at the very edge
            widened = 0
            for k in range(scene.watched):
                i = scene.watch[k]
                firmer = has_flag(scene.event[i], SLIPS) == 1 and scene.state[i].cone_margin < WIDEST
                scene.event[i].widened = 1 if firmer else 0
                widened += scene.event[i].widened
            if widened == 0:
                return 0
        forget_slipping(scene)
        scene.shared = t
        return 1
    return TOGETHER if found == SLIP_TOGETHER else 0


@kernel
def share_alike(scene: Scene) -> None:
    """The load of contacts that stick, shared so that all use the same part of their cones, where their places have
    just changed."""
    delassus, problem, sticks = scene.delassus, scene.problem, 0
    for k in range(delassus.contacts):
        delassus.firmness[k] = 1.0
        sticks += 1 if problem.state[k] == STICK else 0
    if sticks < 2:
        return
    for i in range(problem.rows):
        delassus.kept_lam[i] = problem.lam[i]
    if hold_on(problem, delassus.firmness) != HELD:
        for i in range(problem.rows):
            problem.lam[i] = delassus.kept_lam[i]
        for k in range(delassus.contacts):
            problem.must_slip[k] = has_flag(scene.event[delassus.point[k]], SLIPS)


@kernel
def others_slip(scene: Scene) -> i64:
    """1 where contacts would slip together of which not all have left their cones."""
    delassus, problem = scene.delassus, scene.problem
    for k in range(delassus.contacts):
        if problem.must_slip[k] == 1 and has_flag(scene.event[delassus.point[k]], SLIPS) == 0:
            return 1
    return 0


@kernel
def slip_together(scene: Scene) -> None:
    """Those slip that are at the edges of their cones in every share of the load."""
    delassus, problem = scene.delassus, scene.problem
    forget_slipping(scene)
    for k in range(delassus.contacts):
        event = scene.event[delassus.point[k]]
        if problem.must_slip[k] == 1:
            set_flag(event, SLIPS)
            event.onset[0], event.onset[1] = problem.onset[2 * k], problem.onset[2 * k + 1]


@kernel
def note_left(scene: Scene) -> i64:
    """Keep in mind which contacts leave their cones; 1 where some do."""
    delassus = scene.delassus
    for k in range(delassus.contacts):
        event = scene.event[delassus.point[k]]
        event.left = has_flag(event, SLIPS)
    return any_has(scene, SLIPS)


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
