"""Near set: the contact points of a scene that take part in an event, as kernels.

Those are near that are closed, or whose gap is zero within the domain of their feature; not those that the coordinates
enforce, whose feature ends here, or that are met from behind.
"""

from __future__ import annotations

from latchwork.hybrid.contacts.contact_point import SKEWED
from latchwork.hybrid.contacts.delassus_operator import (
    APART,
    ROUNDING,
    Delassus,
    free_motion,
    keep_only,
    operate,
    square_length,
)
from latchwork.hybrid.contacts.reset_outcome import ResetOutcome
from latchwork.hybrid.contacts.scene import (
    AROUND,
    CLEARED,
    LEAVES,
    OPEN,
    SLIPS,
    TOUCHED,
    ContactRecord,
    Scene,
    clear_flag,
    has_flag,
    set_flag,
)
from latchwork.hybrid.contacts.step_limit import FOREVER
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import divide, f64, f64p, fabs, floor, i64, kernel, offset
from latchwork.program.scalar import maximum, minimum

DEEPEST = 1e15
SAME_PLACE = 1e-9  # of A: rows of one place
AHEAD, LEAVING = 1e-6, 1e-3  # of the length: how far one looks where a domain ends; of that: what moves out of it


@kernel
def measure_gaps(scene: Scene, x: f64p) -> i64:
    """Gaps of all that are watched, and how far inside their domains they are; `ResetOutcome.NOT_FINITE` without."""
    for k in range(scene.watched):
        i = scene.watch[k]
        contact, inside = scene.contact[i], FOREVER
        evaluate(contact.gap, x, scene.out)
        for j in range(contact.bounds):
            inside = minimum(inside, scene.out[1 + j])
        scene.gap[i], scene.inside[i] = scene.out[0], inside
        if scene.out[0] - scene.out[0] != 0.0 and contact.enforced + contact.bounded == 0:
            scene.trouble = i
            return ResetOutcome.NOT_FINITE
    return ResetOutcome.DONE


@kernel
def apply_guards(scene: Scene) -> None:
    """What guards say: zones are entered, features turned to, slip begins; the rest is decided together."""
    tol = scene.tolerances
    limits = 0
    for z in range(scene.zones):
        scene.zone[z] += scene.zone_step[z]
        scene.zone_step[z] = 0
    for k in range(scene.watched):
        i = scene.watch[k]
        state, event, gap, inside = scene.state[i], scene.event[i], scene.gap[i], scene.inside[i]
        one = scene.contact[i].unit
        reach = tol.reach * one
        if state.leaving > 0 and maximum(gap, -inside) > tol.clear * one:
            state.leaving = 0
        if has_flag(event, CLEARED) == 1:
            state.leaving = 0
        if has_flag(event, AROUND) == 1:
            state.behind = 0
            if gap < -reach:  # through the end of its domain
                set_flag(event, LEAVES)
        if has_flag(event, TOUCHED) == 1 and gap < -reach and inside < -gap:
            state.behind = 1
        limits += has_flag(event, SLIPS)
    if limits > 0:
        for k in range(scene.watched):
            i = scene.watch[k]
            state, event = scene.state[i], scene.event[i]
            if state.kind != OPEN and state.impending_size > 0 and has_flag(event, SLIPS) == 0:
                set_flag(event, SLIPS)
                event.onset[0], event.onset[1] = state.impending[0], state.impending[1]


@kernel
def only_passes_by(scene: Scene) -> i64:
    """1 where all that guards say is that features are met from behind: nothing touches there, and what is about to
    touch elsewhere does so at an instant of its own."""
    passed = 0
    for k in range(scene.watched):
        event, state = scene.event[scene.watch[k]], scene.state[scene.watch[k]]
        if event.flags != 0 and (state.behind == 0 or (event.flags != TOUCHED and event.flags != TOUCHED + CLEARED)):
            return 0
        passed += 1 if event.flags != 0 else 0
    for k in range(scene.watched):
        state = scene.state[scene.watch[k]]
        state.leaving = 0 if state.behind == 1 else state.leaving  # watched until it is in front again
    return 1 if passed > 0 else 0


@kernel
def depth_of(scene: Scene, i: i64) -> i64:
    """How deep a contact opens, in whole closed gaps, half is none; one more."""
    deep = divide(-scene.gap[i], scene.tolerances.closed * scene.contact[i].unit) - 0.5
    return 1 + int(-floor(-minimum(deep, DEEPEST))) if deep > 0.0 else 1


@kernel
def is_skewed(contact: ContactRecord, x: f64p, out: f64p) -> i64:
    """1 where tangents should be made from another axis."""
    if contact.turns == 0:
        return 0
    evaluate(contact.upright, x, out)
    return 1 if out[0] < 2.0 * SKEWED else 0


@kernel
def add_near(scene: Scene, i: i64, x: f64p) -> i64:
    """One more contact point that is near, behind the others; or what it lacks."""
    contact, delassus = scene.contact[i], scene.delassus
    count, rows, scene.trouble = delassus.contacts, delassus.rows, i
    if contact.ready == 0:
        return ResetOutcome.NOT_READY
    if is_skewed(contact, x, scene.out) == 1:
        return ResetOutcome.SKEW
    if count == delassus.most_contacts or rows + 1 + contact.tangents > delassus.most_rows:
        return ResetOutcome.NO_ROOM
    delassus.point[count], delassus.first[count], delassus.tangents[count] = i, rows, contact.tangents
    delassus.contacts, delassus.rows = count + 1, rows + 1 + contact.tangents
    return ResetOutcome.DONE


@kernel
def find_near(scene: Scene, x: f64p) -> i64:
    """The contact points that are near, into the Delassus operator."""
    tol = scene.tolerances
    delassus = scene.delassus
    for g in range(scene.groups):
        scene.ends[g] = 0
    for k in range(scene.watched):
        i = scene.watch[k]
        if has_flag(scene.event[i], LEAVES) == 1:
            scene.ends[scene.contact[i].contact] = 1
    delassus.contacts, delassus.rows = 0, 0
    for k in range(scene.watched):
        i = scene.watch[k]
        contact, state, gap, inside = scene.contact[i], scene.state[i], scene.gap[i], scene.inside[i]
        if contact.enforced + contact.bounded == 0 and has_flag(scene.event[i], LEAVES) == 0 and state.behind == 0:
            # one just left stays out, unless another feature of the same contact ends here
            stays_out = state.leaving > 0 and scene.ends[contact.contact] == 0
            reach = tol.reach * contact.unit
            within = inside > 0.0 if stays_out else inside >= -reach
            if contact.one_way == 1:  # impacts of this instant may have changed it
                evaluate(contact.gap, x, scene.out)
                gap = scene.out[0]
                scene.gap[i] = gap
            deep = contact.one_way == 0 and gap < -tol.slop * contact.unit  # such is beside or behind
            if state.kind != OPEN or (gap <= reach and within and not deep):
                outcome = add_near(scene, i, x)
                if outcome != ResetOutcome.DONE:
                    return outcome
    delassus.collide, delassus.collide_rows = delassus.contacts, delassus.rows
    return add_bounded(scene, x)


@kernel
def place_among(delassus: Delassus, i: i64) -> i64:
    """The place of a contact point among those that are near; −1 where it is not."""
    for k in range(delassus.collide):
        if delassus.point[k] == i:
            return k
    return -1


@kernel
def add_bounded(scene: Scene, x: f64p) -> i64:
    """Dry friction of joints, and what resists turns of contacts that are near, behind all these."""
    delassus = scene.delassus
    for k in range(scene.watched):
        i = scene.watch[k]
        contact = scene.contact[i]
        takes_part = contact.presser < 0 or place_among(delassus, contact.presser) >= 0
        if contact.bounded == 1 and contact.attracts < 0 and takes_part:
            outcome = add_near(scene, i, x)
            if outcome != ResetOutcome.DONE:
                return outcome
    return ResetOutcome.DONE


@kernel
def read_rows(scene: Scene, x: f64p) -> None:
    """J, C and c of the contacts that are near."""
    delassus, out = scene.delassus, scene.out
    n = delassus.n
    for k in range(delassus.contacts):
        contact, row, rows = scene.contact[delassus.point[k]], delassus.first[k], 1 + delassus.tangents[k]
        if contact.bounded == 1:  # without a normal row
            for j in range(n):
                delassus.J[row * n + j] = 0.0
            delassus.C[row], delassus.c[row], delassus.row_unit[row], delassus.slip_unit[row] = 0.0, 0.0, 1.0, 1.0
            row += 1
            rows = delassus.tangents[k]
        evaluate(contact.place, x, out)
        for i in range(rows):
            for j in range(n):
                delassus.J[(row + i) * n + j] = out[rows + i * n + j]
            delassus.C[row + i] = out[rows + rows * n + i]
            delassus.row_unit[row + i] = contact.row_unit
            delassus.slip_unit[row + i] = contact.row_unit if contact.bounded + contact.one_way > 0 else 1.0
        evaluate(contact.bias, x, offset(delassus.c, row))


@kernel
def has_faded(scene: Scene, k: i64, x: f64p) -> i64:
    """1 where the normal row of contact k is next to nothing beside what it is some way off, and the surface rests: its
    gap is stationary in q, as that of a pendulum at its lowest, and no finite force would change it."""
    delassus, out = scene.delassus, scene.out
    contact, row, rows, n = scene.contact[delassus.point[k]], delassus.first[k], 1 + delassus.tangents[k], delassus.n
    if delassus.C[row] != 0.0 or contact.bounded + contact.one_way > 0:
        return 0
    for i in range(contact.place.inputs):
        delassus.beside[i] = x[i]
    for i in range(delassus.n_q):
        delassus.beside[1 + i] += delassus.aside[i]
    evaluate(contact.place, delassus.beside, out)
    usual = square_length(n, delassus.mass, offset(out, rows))
    return 1 if square_length(n, delassus.mass, offset(delassus.J, row * n)) <= APART * APART * usual else 0


@kernel
def drop_faded(scene: Scene, x: f64p) -> None:
    """Leave out contacts that can neither be held nor struck where they are: they pass, or rest without a force."""
    delassus, kept, left = scene.delassus, scene.near, 0
    for k in range(delassus.contacts):
        if has_faded(scene, k, x) == 1:
            scene.event[delassus.point[k]].doubled = 1
        else:
            kept[left] = k
            left += 1
    if left < delassus.contacts:
        keep_only(delassus, left, kept)


@kernel
def moves_out(scene: Scene, i: i64, x: f64p, fastest: f64) -> i64:
    """1 where contact point i moves out of the domain of its feature, as q̇ has it; ``fastest`` is what moves there."""
    delassus, contact, out = scene.delassus, scene.contact[i], scene.out
    ahead, inside = divide(AHEAD * scene.tolerances.sight, fastest), FOREVER
    for j in range(contact.gap.inputs):
        delassus.beside[j] = x[j]
    for j in range(delassus.n_q):
        delassus.beside[1 + j] += ahead * delassus.moved[j]
    evaluate(contact.gap, delassus.beside, out)
    for j in range(contact.bounds):
        inside = minimum(inside, out[1 + j])
    return 1 if inside < scene.inside[i] - LEAVING * AHEAD * scene.tolerances.sight else 0


@kernel
def stay_in_domains(scene: Scene, x: f64p) -> None:
    """Closed features whose domain ended here as they moved before an impact, and that do not move out of it after it,
    stay: nothing else is there to take up what they hold."""
    delassus, moved = scene.delassus, 0
    fastest = delassus.motion_scale
    if scene.impacts == 0 or not fastest > 0.0:
        return
    for k in range(scene.watched):
        i = scene.watch[k]
        state, event = scene.state[i], scene.event[i]
        ends = fabs(scene.inside[i]) <= scene.tolerances.reach * scene.contact[i].unit
        if has_flag(event, LEAVES) == 1 and state.kind != OPEN and state.behind == 0 and ends:
            if moved == 0:
                evaluate(delassus.motion, x, delassus.moved)
                moved = 1
            if moves_out(scene, i, x, fastest) == 0:
                clear_flag(event, LEAVES)


@kernel
def is_ending(scene: Scene, k: i64, x: f64p) -> i64:
    """1 where contact k, which is open, is at the end of its domain and moves out of it, but not in: no more of it is
    left than a corner that passes a corner."""
    delassus, who = scene.delassus, scene.delassus.point[k]
    contact, reach = scene.contact[who], scene.tolerances.reach * scene.contact[who].unit
    if scene.state[who].kind != OPEN or contact.bounds == 0 or scene.ends[contact.contact] == 0:
        return 0
    # rows without friction know nothing of motion along the surface, the energy does
    fastest = delassus.motion_scale if delassus.motion_scale > 0.0 else delassus.kinetic_bound[k]
    if scene.inside[who] > reach or not fastest > 0.0 or delassus.v[delassus.first[k]] < 0.0:
        return 0
    return moves_out(scene, who, x, fastest)


@kernel
def drop_ending(scene: Scene, x: f64p) -> None:
    """Where the domain of a feature ends, leave out others of its contact that end there as well."""
    delassus, kept, left = scene.delassus, scene.near, 0
    for k in range(delassus.contacts):
        if k < delassus.collide and is_ending(scene, k, x) == 1:
            scene.event[delassus.point[k]].doubled = 1
        else:
            kept[left] = k
            left += 1
    if left < delassus.contacts:
        keep_only(delassus, left, kept)


@kernel
def assemble(scene: Scene, x: f64p) -> i64:
    """The Delassus operator of the contacts that are near; `ResetOutcome.CAREFUL` where P and u̇₀ have to be given."""
    delassus = scene.delassus
    read_rows(scene, x)
    if free_motion(delassus, x) == 0:
        return ResetOutcome.CAREFUL
    operate(delassus, x)
    drop_motion_rounding(scene)
    return ResetOutcome.DONE


@kernel
def drop_motion_rounding(scene: Scene) -> None:
    """Accelerations that are rounding of v²/L, v the fastest motion at the contacts, are none."""
    delassus = scene.delassus
    least = ROUNDING * divide(delassus.motion_scale * delassus.motion_scale, scene.tolerances.sight)
    for i in range(delassus.rows):
        if fabs(delassus.b[i]) <= least:
            delassus.b[i] = 0.0


@kernel
def is_same(delassus: Delassus, i: i64, j: i64) -> i64:
    """1 where the normal rows of two contacts are one: A_ii = A_ij = A_jj."""
    a, b, rows = delassus.first[i], delassus.first[j], delassus.rows
    own, other, both = delassus.A[a * rows + a], delassus.A[b * rows + b], delassus.A[a * rows + b]
    return 1 if maximum(fabs(own - both), fabs(other - both)) <= SAME_PLACE * maximum(own, other) else 0


@kernel
def is_same_place(delassus: Delassus, i: i64, j: i64) -> i64:
    """1 where two contacts of one normal row touch at one place: their tangents, of whatever axes, are moved alike,
    ‖A_ii‖ = ‖A_ij‖ = ‖A_jj‖ of the blocks of tangents."""
    a, b, rows, tangents = delassus.first[i], delassus.first[j], delassus.rows, delassus.tangents[i]
    if tangents != delassus.tangents[j]:
        return 0
    own, other, both = 0.0, 0.0, 0.0
    for p in range(1, 1 + tangents):
        for q in range(1, 1 + tangents):
            own += delassus.A[(a + p) * rows + a + q] * delassus.A[(a + p) * rows + a + q]
            other += delassus.A[(b + p) * rows + b + q] * delassus.A[(b + p) * rows + b + q]
            both += delassus.A[(a + p) * rows + b + q] * delassus.A[(a + p) * rows + b + q]
    return 1 if maximum(fabs(own - both), fabs(other - both)) <= SAME_PLACE * maximum(own, other) else 0


@kernel
def goes_first(scene: Scene, who: i64, other: i64) -> i64:
    """1 where a feature is left out rather than one before it: open ones first, then those least inside, then the last:
    ends come after edges, and corners after faces."""
    closed, before = int(scene.state[who].kind != OPEN), int(scene.state[other].kind != OPEN)
    if closed != before:
        return 1 if closed < before else 0
    reach = scene.tolerances.reach * scene.contact[who].unit
    return 1 if scene.inside[who] <= scene.inside[other] + reach else 0


@kernel
def is_doubled(scene: Scene, k: i64) -> i64:
    """1 where another feature, which is kept, stands for contact k: of the same contact, or where k is the end of what
    is flush with it, a corner that no union of the two has."""
    delassus, kept, who = scene.delassus, scene.near, scene.delassus.point[k]
    ends = fabs(scene.inside[who]) <= scene.tolerances.reach * scene.contact[who].unit
    if k >= delassus.collide:  # friction of joints, and of turns
        return 0
    for j in range(delassus.collide):
        if j != k and kept[j] != 0 and is_same(delassus, k, j) == 1:
            other = scene.contact[delassus.point[j]]
            if other.contact == scene.contact[who].contact:
                if ends or is_same_place(delassus, k, j) == 1:
                    return 1
            elif scene.contact[who].end > other.end:
                return 1
    return 0


@kernel
def drop_doubled(scene: Scene) -> None:
    """At most one feature of a contact for a place and a normal, and for the normal row of one that is met on the bound
    of its domain: the end of an edge, where the edge is met as well, or another that is flush with it."""
    delassus, count, kept, left = scene.delassus, scene.delassus.contacts, scene.near, 0
    for i in range(count):
        kept[i] = 1
    for _ in range(count):
        chosen = -1
        for i in range(count):
            if kept[i] == 1 and (chosen < 0 or goes_first(scene, delassus.point[i], delassus.point[chosen]) == 1):
                chosen = i
        kept[chosen] = 2
        if is_doubled(scene, chosen) == 1:
            kept[chosen] = 0
            scene.event[delassus.point[chosen]].doubled = 1
    for i in range(count):
        if kept[i] != 0:
            kept[left] = i
            left += 1
    if left < count:
        keep_only(delassus, left, kept)
