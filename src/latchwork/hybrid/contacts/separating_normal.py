"""The separating normal of two convex solids that touch, as kernels: of several, one is chosen.

Two convex sets a and b touch along a plane between them, whose normal n, from b to a, lies in both normal cones at
every place where they touch: n ∈ −N_a ∩ N_b. Where that is a single direction, as face on face or a corner in a face,
every place adds a row. Where a corner or an edge meets a corner or an edge the cone is wider, and each n in it is as
good: with v the relative velocity, the motion is lawful if *one* of them does not approach,

    sup { n · v : n ∈ −N_a ∩ N_b } ≥ 0,

and a linear function is largest along an extreme ray of a cone: a normal of a face of a or b, or across an edge of
each. These are the normals of features. So features of one contact are sorted by their normals, and those of one normal
stay: that which does not approach; where all approach, that along which the two were apart last. Where several are as
good, as of tips that meet head on, all of them act: any force in the cone is admissible, and symmetry is kept.
[Glocker, Set-Valued Force Laws, §5; Moreau 1988, for the tangent cone of a set that is not convex]
"""

from __future__ import annotations

from latchwork.hybrid.contacts.delassus_operator import keep_only
from latchwork.hybrid.contacts.impact_reset import no_speed
from latchwork.hybrid.contacts.near_set import is_same
from latchwork.hybrid.contacts.scene import AROUND, OPEN, TOUCHED, Scene, has_flag
from latchwork.program.evaluator import evaluate
from latchwork.program.kernel import f64, f64p, fabs, i64, kernel, offset
from latchwork.program.scalar import maximum, minimum

ONE = 1e-12  # |n − m|² of normals that are one: the square of the slack of normal cones (`closed_forms.LEAN`)
NEARLY_ONE = 1e-8  # the same of round ones: over a gap g, the normal of a radius R turns by √(2 g / R)
ALIKE = 1e-9  # of accelerations: they are one
APPROACHES, STAYS, PARTS = range(3)


@kernel
def read_normals(scene: Scene, x: f64p) -> i64:
    """n of the contacts that are near, of pairs of sharp convex solids, and 1 where another contact has the same row;
    how many there are."""
    delassus, count = scene.delassus, 0
    for k in range(delassus.contacts):
        contact = scene.contact[delassus.point[k]]
        if contact.sharp > 0:
            evaluate(contact.normal, x, offset(delassus.normals, 4 * k))
            delassus.normals[4 * k + 3] = 0.0
            for j in range(delassus.collide):
                if scene.contact[delassus.point[j]].contact != contact.contact and is_same(delassus, k, j) == 1:
                    delassus.normals[4 * k + 3] = 1.0
            count += 1
    return count


@kernel
def is_one(n: f64p, m: f64p, sharp: i64) -> i64:
    """1 where two unit vectors are one; beside round edges, where a gap of a closed contact turns them so far."""
    total = 0.0
    for i in range(3):
        total += (n[i] - m[i]) * (n[i] - m[i])
    return 1 if total <= (ONE if sharp == 1 else NEARLY_ONE) else 0


@kernel
def rates(scene: Scene, k: i64, found: f64p) -> i64:
    """How the two move along the normal of contact k, at all places that share it; ``found`` says whether some of them
    was closed before, their least gap, velocity and free acceleration, and whether another contact has the same row."""
    delassus, slow = scene.delassus, 0.0
    closed, gap, v, b, shared = 0.0, 1.0e300, 1.0e300, 1.0e300, 0.0
    group = scene.contact[delassus.point[k]].contact
    for j in range(delassus.contacts):
        i = delassus.point[j]
        own = scene.contact[i].contact == group
        n, m = offset(delassus.normals, 4 * j), offset(delassus.normals, 4 * k)
        if own and is_one(n, m, scene.contact[i].sharp) == 1:
            shared = maximum(shared, delassus.normals[4 * j + 3])
            closed = 1.0 if scene.state[i].kind != OPEN else closed
            gap, slow = minimum(gap, scene.gap[i]), maximum(slow, no_speed(scene, j))
            v, b = minimum(v, delassus.v[delassus.first[j]]), minimum(b, delassus.b[delassus.first[j]])
    found[0], found[1], found[2], found[3], found[4], found[5] = closed, gap, v, b, shared, slow
    return APPROACHES if v < -slow else PARTS if v > slow else STAYS


@kernel
def is_better(motion: i64, new: f64p, before: i64, old: f64p, reach: f64) -> i64:
    """1 where a normal is taken rather than another: one that does not approach; that was closed already; along which
    the two were apart last; that another contact holds in any case; along which they part faster, or approach less."""
    if motion != before:
        return 1 if motion > before else 0
    if new[0] != old[0]:
        return 1 if new[0] > old[0] else 0
    if motion != PARTS and (new[1] > old[1] + reach or new[1] < old[1] - reach):
        return 1 if new[1] > old[1] else 0
    if new[4] != old[4]:
        return 1 if new[4] > old[4] else 0
    if motion == STAYS:
        return 1 if new[3] > old[3] + alike(new[3], old[3]) else 0
    return 1 if new[2] > old[2] + maximum(new[5], old[5]) else 0


@kernel
def alike(a: f64, b: f64) -> f64:
    """By how much accelerations may differ that are one."""
    return ALIKE * maximum(fabs(a), fabs(b))


@kernel
def pass_by(scene: Scene, k: i64) -> None:
    """Leave out contact k, along whose normal nothing is held: where the two approach along it, the one passes the end
    of the other, and is behind that feature from then on, unless it has just come around it."""
    delassus = scene.delassus
    i = delassus.point[k]
    event, approaches = scene.event[i], delassus.v[delassus.first[k]] < -no_speed(scene, k)
    enters = scene.state[i].leaving == 0 or has_flag(event, TOUCHED) == 1
    if approaches and enters and has_flag(event, AROUND) == 0:
        scene.state[i].behind, scene.state[i].leaving, event.passed = 1, 0, 1
    else:
        event.doubled = 1


@kernel
def forget_passed(scene: Scene) -> None:
    """After an impact: what was passed by as things moved before it is met again, and may be held by others now."""
    for k in range(scene.watched):
        i = scene.watch[k]
        if scene.impacts > 0 and scene.event[i].passed == 1:
            scene.state[i].behind, scene.event[i].passed = 0, 0


@kernel
def choose_normal(scene: Scene, k: i64) -> None:
    """Of all features of the pair of contact k, those of the best normal stay, and of others that are as good."""
    delassus, kept, count = scene.delassus, scene.near, scene.delassus.contacts
    group, unit = scene.contact[delassus.point[k]].contact, scene.contact[delassus.point[k]].unit
    reach = scene.tolerances.reach * unit
    new, old = offset(scene.out, 0), offset(scene.out, 6)
    before = rates(scene, k, old)
    for j in range(k + 1, count):
        if scene.contact[delassus.point[j]].contact == group:
            motion = rates(scene, j, new)
            if is_better(motion, new, before, old, reach) == 1:
                before = motion
                for i in range(6):
                    old[i] = new[i]
    for j in range(k, count):
        if scene.contact[delassus.point[j]].contact == group:
            kept[j] = 1 - is_better(before, old, rates(scene, j, new), new, reach)


@kernel
def keep_one_normal(scene: Scene, x: f64p) -> None:
    """Of each pair of sharp convex solids, only the features of one normal, or of several that are as good."""
    delassus, kept, left = scene.delassus, scene.near, 0
    if read_normals(scene, x) < 2:
        return
    for k in range(delassus.contacts):
        kept[k] = -1
    for k in range(delassus.contacts):
        if kept[k] < 0 and scene.contact[delassus.point[k]].sharp > 0:
            choose_normal(scene, k)
    for k in range(delassus.contacts):
        if kept[k] == 0:
            pass_by(scene, k)
        else:
            kept[left] = k
            left += 1
    if left < delassus.contacts:
        keep_only(delassus, left, kept)
