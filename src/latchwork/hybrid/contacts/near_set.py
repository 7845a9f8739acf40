"""Near set: the contact points of a scene that take part in an event, as kernels.

Those are near that are closed, or whose gap is zero within the domain of their feature; not those that the coordinates
enforce, whose feature ends here, or that are met from behind.
"""

from __future__ import annotations

from latchwork.hybrid.contacts.contact_point import SKEWED
from latchwork.hybrid.contacts.delassus_operator import Delassus, free_motion, keep_only, operate
from latchwork.hybrid.contacts.scene import AROUND, CLEARED, LEAVES, OPEN, SLIPS, TOUCHED, ContactRecord, Scene
from latchwork.hybrid.contacts.step_limit import FOREVER
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import divide, f64p, fabs, floor, i64, kernel, offset
from latchwork.program.scalar import maximum, minimum

DEEPEST = 1e15
SAME = 1e-9  # of A: rows of one place
FOUND, NOT_FINITE, SKEW, NO_ROOM, CAREFUL, NOT_READY = range(6)


@kernel
def says(flags: i64, bit: i64) -> i64:
    """Whether guards say something of a contact point."""
    return flags // bit % 2


@kernel
def measure_gaps(scene: Scene, x: f64p) -> i64:
    """Gaps of all that are watched, and how far inside their domains they are; `NOT_FINITE` where one has none."""
    for k in range(scene.watched):
        i = scene.watch[k]
        contact, inside = scene.contact[i], FOREVER
        evaluate(contact.gap, x, scene.out)
        for j in range(contact.bounds):
            inside = minimum(inside, scene.out[1 + j])
        scene.gap[i], scene.inside[i] = scene.out[0], inside
        if scene.out[0] - scene.out[0] != 0.0 and contact.enforced == 0:
            scene.trouble = i
            return NOT_FINITE
    return FOUND


@kernel
def take_guards(scene: Scene) -> None:
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
        if says(event.says, CLEARED) == 1:
            state.leaving = 0
        if says(event.says, AROUND) == 1:
            state.behind = 0
            if gap < -reach and says(event.says, LEAVES) == 0:  # through the end of its domain
                event.says += LEAVES
        if says(event.says, TOUCHED) == 1 and gap < -reach and inside < -gap:
            state.behind = 1
        limits += says(event.says, SLIPS)
    if limits > 0:
        for k in range(scene.watched):
            i = scene.watch[k]
            state, event = scene.state[i], scene.event[i]
            if state.kind != OPEN and state.limits > 0 and says(event.says, SLIPS) == 0:
                event.says += SLIPS
                event.onset[0], event.onset[1] = state.limit[0], state.limit[1]


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
def find_near(scene: Scene, x: f64p) -> i64:
    """The contact points that are near, into the Delassus operator."""
    tol = scene.tolerances
    known = scene.delassus
    for g in range(scene.groups):
        scene.ends[g] = 0
    for k in range(scene.watched):
        i = scene.watch[k]
        if says(scene.event[i].says, LEAVES) == 1:
            scene.ends[scene.contact[i].contact] = 1
    count, rows = 0, 0
    for k in range(scene.watched):
        i = scene.watch[k]
        contact, state, gap, inside = scene.contact[i], scene.state[i], scene.gap[i], scene.inside[i]
        if contact.enforced == 0 and says(scene.event[i].says, LEAVES) == 0 and state.behind == 0:
            # one just left stays out, unless another feature of the same contact ends here
            stays_out = state.leaving > 0 and scene.ends[contact.contact] == 0
            reach = tol.reach * contact.unit
            within = inside > 0.0 if stays_out else inside >= -reach
            if state.kind != OPEN or (gap <= reach and within):
                if contact.ready == 0:
                    scene.trouble = i
                    return NOT_READY
                if is_skewed(contact, x, scene.out) == 1:
                    scene.trouble = i
                    return SKEW
                if count == known.most_contacts or rows + 1 + contact.tangents > known.most_rows:
                    return NO_ROOM
                known.who[count], known.first[count], known.tangents[count] = i, rows, contact.tangents
                count += 1
                rows += 1 + contact.tangents
    known.contacts, known.rows = count, rows
    return FOUND


@kernel
def read_rows(scene: Scene, x: f64p) -> None:
    """J, C and c of the contacts that are near."""
    known, out = scene.delassus, scene.out
    n = known.n
    for k in range(known.contacts):
        contact, row, rows = scene.contact[known.who[k]], known.first[k], 1 + known.tangents[k]
        evaluate(contact.place, x, out)
        for i in range(rows):
            for j in range(n):
                known.J[(row + i) * n + j] = out[rows + i * n + j]
            known.C[row + i] = out[rows + rows * n + i]
        evaluate(contact.bias, x, offset(known.c, row))


@kernel
def assemble(scene: Scene, x: f64p) -> i64:
    """The Delassus operator of the contacts that are near; `CAREFUL` where P and u̇₀ have to be given."""
    known = scene.delassus
    read_rows(scene, x)
    if free_motion(known, x) == 0:
        return CAREFUL
    operate(known, x)
    return FOUND


@kernel
def is_same(known: Delassus, i: i64, j: i64) -> i64:
    """1 where the normal rows of two contacts are one: A_ii = A_ij = A_jj."""
    a, b, rows = known.first[i], known.first[j], known.rows
    own, other, both = known.A[a * rows + a], known.A[b * rows + b], known.A[a * rows + b]
    return 1 if maximum(fabs(own - both), fabs(other - both)) <= SAME * maximum(own, other) else 0


@kernel
def drop_doubled(scene: Scene) -> None:
    """Leave out features that are met on the bound of their domains, at a place where another feature of the same
    contact is met in the same way: the end of an edge, where the edge is met as well."""
    tol = scene.tolerances
    known = scene.delassus
    count, kept = known.contacts, scene.near
    for i in range(count):
        kept[i] = 1
    for _ in range(count):
        chosen = -1  # open ones first, then those least inside, then the last
        for i in range(count):
            who = known.who[i]
            if kept[i] == 1 and fabs(scene.inside[who]) <= tol.reach * scene.contact[who].unit:
                if chosen < 0:
                    chosen = i
                else:
                    other = known.who[chosen]
                    closed, before = int(scene.state[who].kind != OPEN), int(scene.state[other].kind != OPEN)
                    if closed == before:
                        chosen = i if scene.inside[who] <= scene.inside[other] else chosen
                    else:
                        chosen = chosen if closed == 1 else i
        if chosen < 0:
            break
        kept[chosen] = 2
        for j in range(count):
            same = scene.contact[known.who[j]].contact == scene.contact[known.who[chosen]].contact
            if j != chosen and kept[j] != 0 and same and is_same(known, chosen, j) == 1:
                kept[chosen] = 0
                scene.event[known.who[chosen]].doubled = 1
                break
    left = 0
    for i in range(count):
        if kept[i] != 0:
            kept[left] = i
            left += 1
    if left < count:
        keep_only(known, left, kept)
