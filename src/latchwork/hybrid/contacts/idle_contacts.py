"""Contacts that carry nothing, as kernels: they are open, unless a load is about to press them."""

from __future__ import annotations

from latchwork.hybrid.contacts.near_set import assemble
from latchwork.hybrid.contacts.reset_outcome import ResetOutcome
from latchwork.hybrid.contacts.reset_problem import any_closed, drop_force_rounding
from latchwork.hybrid.contacts.scene import LETS_GO, OPEN, SLIDE, STICK, Scene, has_flag
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, kernel, offset
from latchwork.program.scalar import maximum


@kernel
def look_ahead(scene: Scene, x: f64p) -> i64:
    """``soon``: b a moment later at the same place, as loads make it that begin at zero; 0 where it is not known."""
    delassus, t, calls = scene.delassus, x[0], scene.delassus.calls
    if delassus.supplied > 0:  # P and u̇₀ are of this instant
        return 0
    x[0] = t + scene.tolerances.stirs
    found = assemble(scene, x)
    for i in range(delassus.rows):
        delassus.soon[i] = delassus.b[i]
    x[0] = t
    assemble(scene, x)
    delassus.calls = calls
    drop_force_rounding(scene)
    return 1 if found == ResetOutcome.DONE else 0


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
    return 0 if look_ahead(scene, x) == 1 and is_pressed(scene, delassus.soon) == 1 else 1


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
        size = maximum(size, fabs(delassus.soon[i]))
    for k in range(delassus.contacts):
        row = delassus.first[k]
        if delassus.soon[row] < delassus.b[row] - scene.tolerances.rounding * size:
            return 1
    return 0


@kernel
def begins_to_carry(scene: Scene, x: f64p) -> i64:
    """How many contacts have nothing but rounding to carry, where a load begins that contacts feel: whether they are to
    stick or to slide, no force says now."""
    delassus, problem, row, most, count = scene.delassus, scene.problem, 0, 0.0, 0
    for i in range(problem.rows):
        most = maximum(most, fabs(problem.lam[i]))
    for k in range(delassus.contacts):
        force, event = largest_part(problem.tangents[k], offset(problem.lam, row)), scene.event[delassus.point[k]]
        closed = problem.state[k] != OPEN and scene.contact[delassus.point[k]].bounded == 0
        event.unloaded = 1 if closed and force <= scene.tolerances.rounding * most else 0
        count += event.unloaded
        row += 1 + problem.tangents[k]
    if count > 0 and load_begins(scene, x) == 0:
        for k in range(delassus.contacts):
            scene.event[delassus.point[k]].unloaded = 0
        count = 0
    return count


@kernel
def largest_part(tangents: i64, force: f64p) -> f64:
    """The largest part of the force of a contact."""
    most = 0.0
    for j in range(1 + tangents):
        most = maximum(most, fabs(force[j]))
    return most


@kernel
def change_with_soon(scene: Scene) -> None:
    """b as it is a moment later, or, once more, as it is."""
    delassus = scene.delassus
    for i in range(delassus.rows):
        now = delassus.b[i]
        delassus.b[i] = delassus.soon[i]
        delassus.soon[i] = now


@kernel
def is_emptied(scene: Scene, k: i64, force: f64) -> i64:
    """1 where the force of contact k has come to zero, or has left its cone, and is rounding of what acts there: what
    it makes of an acceleration, beside the terms that b is summed from, and v²/L. So are all forces between bodies that
    fall together."""
    delassus, event, row = scene.delassus, scene.event[scene.delassus.point[k]], scene.delassus.first[k]
    if has_flag(event, LETS_GO) + event.left == 0 or scene.contact[delassus.point[k]].bounded == 1:
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
        force, i = largest_part(problem.tangents[k], offset(problem.lam, row)), delassus.point[k]
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
