"""Contacts that do as others do, as kernels: kept from slipping by those that stick, or feet of a body at rest."""

from __future__ import annotations

from latchwork.algebra.factors import least_norm
from latchwork.contact.complementarity.redundant_forces import HELD, feasible
from latchwork.hybrid.contacts.impact_reset import RANK
from latchwork.hybrid.contacts.scene import LETS_GO, OPEN, SLIDE, STICK, Scene, has_flag
from latchwork.program.kernel import divide, fabs, i64, kernel
from latchwork.program.scalar import maximum

STILL = 1e-9  # of the accelerations at work: a contact that opens slower stays
CARRIES = 1e-6  # of the largest force: with less, a contact carries nothing
KEPT = 1e-9  # of A: rows that are held by others


@kernel
def beside_others(scene: Scene, k: i64) -> None:
    """What is left of the tangents of contact k in A, and of their velocities, where rows that others hold are zero:
    in ``unmatched``, by rows of A's columns and v."""
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
            delassus.unmatched[a * columns + j] = left


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
            left = maximum(left, fabs(delassus.unmatched[a * (tangents + 1) + j]))
            usual = maximum(usual, fabs(delassus.A[(own + a) * rows + own + j]))
        slip = maximum(slip, fabs(delassus.unmatched[a * (tangents + 1) + tangents]))
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
        scene.kept_state[k], scene.kept_directed[k] = problem.state[k], problem.directed[k]


@kernel
def take_back(scene: Scene) -> None:
    """The states that were kept."""
    problem = scene.problem
    for k in range(problem.contacts):
        problem.state[k], problem.directed[k] = scene.kept_state[k], scene.kept_directed[k]


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
        delassus.kept_lam[i] = problem.lam[i]
    for k in range(delassus.contacts):
        i = delassus.point[k]
        may = has_flag(scene.event[i], LETS_GO) == 0 and problem.mu_s[k] > 0.0 and problem.tangents[k] > 0
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
        problem.lam[i] = delassus.kept_lam[i]


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
