"""Extreme places of contacts that share a normal, as kernels: a place between two others is redundant.

Places of one rigid pair along a line of a common plane have normal rows that are affine in the place,

    B_k = α B_i + (1 − α) B_j,    0 < α < 1,

so that ġ_i ≥ 0 and ġ_j ≥ 0 imply ġ_k ≥ 0, and a force λ_k is the forces α λ_k and (1 − α) λ_k of the others: only
extreme points of a contact set need a row. [Rockafellar, Convex Analysis, §18] So the corners of a joint of two tables
are none under a box that stands on both, and a corner that comes to the joint does not share its load with it.

Places that are one just now, as the corner of a box and the joint of two tables where it starts to slide across it, are
told apart by where they are a moment later: the corner stays extreme, the joint does not.
"""

from __future__ import annotations

from latchwork.hybrid.contacts.delassus_operator import keep_only
from latchwork.hybrid.contacts.near_set import AHEAD, is_same, read_rows
from latchwork.hybrid.contacts.scene import OPEN, Scene
from latchwork.program.kernel import divide, f64p, i64, kernel, offset
from latchwork.program.scalar import maximum

ALONG, ACROSS = 1e-12, 1e-7  # of the longest row: nearer to an end of B_j − B_i it is that; how far a normal may lean


@kernel
def is_between(scene: Scene, k: i64, i: i64, j: i64) -> i64:
    """1 where the normal row of contact k lies between those of i and j, and is neither."""
    delassus, n = scene.delassus, scene.delassus.n
    own, first = offset(delassus.J, delassus.first[k] * n), offset(delassus.J, delassus.first[i] * n)
    last, along, length, size = offset(delassus.J, delassus.first[j] * n), 0.0, 0.0, 0.0
    for a in range(n):
        weight, span = divide(1.0, delassus.mass[a * n + a]), last[a] - first[a]
        along += weight * span * (own[a] - first[a])
        length += weight * span * span
        size += weight * maximum(maximum(own[a] * own[a], first[a] * first[a]), last[a] * last[a])
    rounded = ALONG * ALONG * size
    if not length > rounded:
        return 0
    alpha, left = divide(along, length), 0.0
    for a in range(n):
        apart = own[a] - first[a] - alpha * (last[a] - first[a])
        left += divide(apart * apart, delassus.mass[a * n + a])
    ends = alpha * alpha * length <= rounded or (1.0 - alpha) * (1.0 - alpha) * length <= rounded
    return 1 if alpha > 0.0 and alpha < 1.0 and not ends and left <= ACROSS * ACROSS * size else 0


@kernel
def is_place(scene: Scene, k: i64) -> i64:
    """1 where contact k is a place of two sharp solids, without adhesion."""
    contact = scene.contact[scene.delassus.point[k]]
    return 1 if contact.sharp == 1 and contact.adhesion < 0 else 0


@kernel
def may_carry(scene: Scene, k: i64, other: i64) -> i64:
    """1 where another contact may carry what contact k does: not one beyond the end of its domain; and what is closed
    is not left to what is open, which may be ahead of it by the slack of its domain."""
    delassus = scene.delassus
    closed = scene.state[delassus.point[k]].kind != OPEN
    if other == k or scene.near[other] == 0 or is_place(scene, other) == 0:
        return 0
    if scene.inside[delassus.point[other]] < 0.0:
        return 0
    if delassus.C[delassus.first[other]] != delassus.C[delassus.first[k]]:
        return 0
    return 1 if not closed or scene.state[delassus.point[other]].kind != OPEN else 0


@kernel
def is_redundant(scene: Scene, k: i64) -> i64:
    """1 where contact k is between two that are kept, of which one at least belongs to the same pair."""
    delassus, group = scene.delassus, scene.contact[scene.delassus.point[k]].contact
    for i in range(delassus.collide):
        if scene.contact[delassus.point[i]].contact == group and may_carry(scene, k, i) == 1:
            for j in range(delassus.collide):
                if j != i and may_carry(scene, k, j) == 1 and is_between(scene, k, i, j) == 1:
                    return 1
    return 0


@kernel
def has_twin(scene: Scene, k: i64) -> i64:
    """1 where another place has the normal row of contact k."""
    for j in range(scene.delassus.collide):
        if j != k and is_place(scene, j) == 1 and is_same(scene.delassus, k, j) == 1:
            return 1
    return 0


@kernel
def drop_overtaken(scene: Scene, x: f64p) -> None:
    """Of places that are one, leave out those that are between others a moment later."""
    delassus, kept, twins, redundant = scene.delassus, scene.near, 0, 0
    for k in range(delassus.contacts):
        kept[k] = 1
        scene.event[delassus.point[k]].idle = 0
    for k in range(delassus.collide):
        if is_place(scene, k) == 1 and scene.state[delassus.point[k]].kind == OPEN and has_twin(scene, k) == 1:
            scene.event[delassus.point[k]].idle = 1
            twins += 1
    if twins == 0 or not delassus.motion_scale > 0.0:
        return
    ahead = divide(AHEAD * scene.tolerances.sight, delassus.motion_scale)
    for i in range(delassus.n_inputs):
        delassus.beside[i] = x[i]
    for i in range(delassus.n_q):
        delassus.beside[1 + i] += ahead * delassus.moved[i]
    read_rows(scene, delassus.beside)
    for k in range(delassus.collide):
        if scene.event[delassus.point[k]].idle == 1 and is_redundant(scene, k) == 1:
            kept[k] = 0
            redundant += 1
    read_rows(scene, x)
    if redundant > 0:
        leave_out(scene)


@kernel
def drop_between(scene: Scene) -> None:
    """Leave out contacts that are redundant."""
    delassus, kept = scene.delassus, scene.near
    for k in range(delassus.contacts):
        kept[k] = 1
    for k in range(delassus.collide):
        if is_place(scene, k) == 1 and is_redundant(scene, k) == 1:
            kept[k] = 0
    leave_out(scene)


@kernel
def leave_out(scene: Scene) -> None:
    """Leave out contacts that are not kept: others stand for them."""
    delassus, kept, left = scene.delassus, scene.near, 0
    for k in range(delassus.contacts):
        if kept[k] == 0:
            scene.event[delassus.point[k]].doubled = 1
    for k in range(delassus.contacts):
        if kept[k] == 1:
            kept[left] = k
            left += 1
    if left < delassus.contacts:
        keep_only(delassus, left, kept)
