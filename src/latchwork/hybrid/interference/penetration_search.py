"""Looks along the steps of a run, as kernels: where two pieces first lie deeper in each other than is allowed.

A step is looked at in its middle and at its end, on the dense output of the integration. It is halved further where two
pieces may have touched in between, until they move by half their width from look to look: what is thin is not jumped
over.
"""

from __future__ import annotations

from latchwork.contact.interference.gjk import placed
from latchwork.contact.interference.signed_distance import FRAME, Solid, apart_at_least, moved, signed_distance
from latchwork.program.bundle import run_at
from latchwork.program.kernel import divide, f64, f64p, i32p, i64, i64p, kernel, offset, sqrt
from latchwork.program.native import together
from latchwork.program.records.memory import size_of
from latchwork.program.records.record import array, record
from latchwork.program.records.view import record_at
from latchwork.program.scalar import maximum, minimum

NO_BOUND = 1e300  # further than anything: the exact distance is wanted
FASTER, PART = 1.5, 0.5  # than pieces are seen to move from look to look; of their width
PARTS = 2**16  # a step is halved into so many at most


@record
class WatchedScene:
    """A scene: the program of its poses, its pieces, pairs of them, what was seen at two looks, and what was found."""

    code: i32p  # of a bundle
    slots: f64p
    poses: f64p
    inputs: i64
    coordinates: i64
    x: f64p = array("inputs")  # (t, q, u, rest)
    xyz: f64p  # vertices, normals and edges of all pieces
    count: i64
    solids: list[Solid] = array("count")
    places: i64  # numbers of all poses
    most: i64  # pairs there are, and how many are watched:
    many: i64
    pairs: i64p  # two solids each,
    deep: f64p  # how deep they may be,
    directions: f64p  # and the direction between them
    poses_before: f64p = array("places")
    centers_before: f64p = array("3 * count")
    centers: f64p = array("3 * count")
    turns: f64p = array("count")
    gaps_before: f64p = array("most")
    gaps: f64p = array("most")
    before: f64  # the last time that was looked at before
    after: f64  # a pair was too deep:
    who: i64  # which,
    depth: f64  # how deep,
    step: i64  # and in which step


@record
class Samples:
    """A solution: its rows, and whether it is looked at between them."""

    rows: i64
    states: i64
    t: f64p
    x: f64p
    dx: f64p
    bend: f64p
    ends: f64p  # ẋ at the end of each step
    between: i64


WORDS = size_of(Samples)


@kernel
def state_at(scene: WatchedScene, run: Samples, i: i64, theta: f64) -> f64:
    """Put t and q at ``θ`` of step i into x, by the dense output; t."""
    x, times, n = scene.x, run.t, run.states
    start, end = offset(run.x, n * i), offset(run.x, n * (i + 1))
    h = times[i + 1] - times[i]
    rates, bends, last = offset(run.dx, n * i), offset(run.bend, n * i), offset(run.ends, n * i)
    rest = 1.0 - theta
    for j in range(scene.coordinates):
        delta = end[j] - start[j]
        beta = h * rates[j] - delta
        inner = delta - h * last[j] - beta + rest * bends[j]
        x[1 + j] = end[j] if theta == 1.0 else start[j] + theta * (delta + rest * (beta + theta * inner))
    x[0] = times[i + 1] if theta == 1.0 else times[i] + theta * h
    return x[0]


@kernel
def look(scene: WatchedScene) -> None:
    """The poses at x, the centres of all pieces, and how far pairs are apart at least."""
    poses, centers, pairs, gaps, xyz = scene.poses, scene.centers, scene.pairs, scene.gaps, scene.xyz
    run_at(scene.code, scene.slots, poses, scene.inputs, scene.x)
    for i in range(scene.count):
        solid = scene.solids[i]
        placed(offset(poses, FRAME * solid.pose), solid.center, offset(centers, 3 * i))
    for k in range(scene.many):
        a, b = pairs[2 * k], pairs[2 * k + 1]
        gaps[k] = apart_at_least(scene.solids[a], scene.solids[b], xyz, poses, offset(centers, 3 * a),
                                 offset(centers, 3 * b))  # fmt: skip


@kernel
def depth_of(scene: WatchedScene, k: i64, enough: f64) -> f64:
    """The signed distance of a pair as it is looked at; any lower bound that is not below ``enough`` will do."""
    a, b = scene.pairs[2 * k], scene.pairs[2 * k + 1]
    return signed_distance(scene.solids[a], scene.solids[b], scene.xyz, scene.poses, enough,
                           offset(scene.directions, 3 * k))  # fmt: skip


@kernel
def travel_of(scene: WatchedScene, k: i64) -> f64:
    """How far the pieces of a pair have moved to each other since the look before, at most."""
    a, b, total = scene.pairs[2 * k], scene.pairs[2 * k + 1], 0.0
    now, before = scene.centers, scene.centers_before
    for i in range(3):
        d = now[3 * a + i] - now[3 * b + i] - before[3 * a + i] + before[3 * b + i]
        total += d * d
    return sqrt(total) + scene.turns[a] + scene.turns[b]


@kernel
def is_far(scene: WatchedScene) -> i64:
    """1 where a pair may have touched between two looks, and has moved by more than a part of its width."""
    pairs, gaps, before, turns = scene.pairs, scene.gaps, scene.gaps_before, scene.turns
    for i in range(scene.count):
        solid = scene.solids[i]
        at = FRAME * solid.pose
        turns[i] = moved(offset(scene.poses_before, at), offset(scene.poses, at), solid.bound)
    for k in range(scene.many):
        travel = FASTER * travel_of(scene, k)
        width = PART * (scene.solids[pairs[2 * k]].width + scene.solids[pairs[2 * k + 1]].width)
        if travel > width and gaps[k] + before[k] < travel:
            gaps[k] = maximum(gaps[k], depth_of(scene, k, travel))
            if gaps[k] + before[k] < travel:
                return 1
    return 0


@kernel
def first_deep(scene: WatchedScene) -> i64:
    """The first pair that is deeper than it may be as it is looked at; −1 where none is."""
    gaps, deep = scene.gaps, scene.deep
    for k in range(scene.many):
        if gaps[k] < -deep[k]:
            depth = depth_of(scene, k, -deep[k])
            if depth < -deep[k]:
                scene.depth = depth
                return k
    return -1


@kernel
def keep(scene: WatchedScene) -> None:
    """This look becomes the last one."""
    old, poses = scene.poses_before, scene.poses
    for i in range(scene.places):
        old[i] = poses[i]
    before, now = scene.centers_before, scene.centers
    for i in range(3 * scene.count):
        before[i] = now[i]
    earlier, gaps = scene.gaps_before, scene.gaps
    for k in range(scene.many):
        earlier[k] = gaps[k]


@kernel
def passed(scene: WatchedScene, run: Samples) -> i64:
    """The first step in which a pair is deeper than it may be, with who, how deep, and times around it; −1: none."""
    if run.rows < 2:
        return -1
    scene.before = state_at(scene, run, 0, 0.0)
    look(scene)
    keep(scene)
    for i in range(run.rows - 1):
        at, size = 0, PARTS // 2 if run.between == 1 else PARTS
        while at < PARTS:
            scene.after = state_at(scene, run, i, divide(float(at + size), float(PARTS)))
            look(scene)
            if run.between == 1 and size > 1 and is_far(scene) == 1:
                size = size // 2
                continue
            scene.who = first_deep(scene)
            if scene.who >= 0:
                return i
            scene.before = scene.after
            keep(scene)
            at += size
            while 2 * size < PARTS and at % (2 * size) == 0:
                size = 2 * size
    return -1


@kernel
def passed_in(scene: WatchedScene, first: i64, count: i64, runs: i64p) -> i64:
    """The first of some solutions, from a number on, in which a pair is deeper than it may be; −1 for none."""
    for i in range(first, count):
        scene.step = passed(scene, record_at(Samples, runs, WORDS * i))
        if scene.step >= 0:
            return i
    return -1


@kernel
def stand(scene: WatchedScene, x: f64p) -> None:
    """Look at a state (t, q, ...), as the one before a tick."""
    state = scene.x
    for i in range(1 + scene.coordinates):
        state[i] = x[i]
    look(scene)
    keep(scene)


@kernel
def ticked(scene: WatchedScene, t: f64, q: f64p) -> i64:
    """1 where a tick ends with a pair too deep, or moves one so far that it has to be looked at in between."""
    x = scene.x
    x[0] = t
    for i in range(scene.coordinates):
        x[1 + i] = q[i]
    look(scene)
    if is_far(scene) == 1 or first_deep(scene) >= 0:
        return 1
    keep(scene)
    return 0


@kernel
def distance_at(scene: WatchedScene, run: Samples, i: i64, k: i64, t: f64) -> f64:
    """The signed distance of a pair at a time within step i."""
    state_at(scene, run, i, divide(t - run.t[i], run.t[i + 1] - run.t[i]))
    look(scene)
    return depth_of(scene, k, NO_BOUND)


@kernel
def depths(scene: WatchedScene, found: f64p) -> None:
    """The signed distance of each pair at x, as far as it is below zero."""
    gaps = scene.gaps
    look(scene)
    for k in range(scene.many):
        found[k] = minimum(depth_of(scene, k, 0.0), 0.0) if gaps[k] < 0.0 else 0.0


@kernel
def least_distance(scene: WatchedScene, count: i64, states: f64p, spans: f64p, least: f64p) -> i64:
    """The least signed distance of all pairs at some states, each within its span of time; whose it is, −1 for none."""
    gaps, x, who = scene.gaps, scene.x, -1
    for i in range(count):
        for j in range(scene.inputs):
            x[j] = states[scene.inputs * i + j]
        look(scene)
        for k in range(scene.many):
            if gaps[k] < least[0] and x[0] >= spans[2 * k] and x[0] <= spans[2 * k + 1]:
                found = depth_of(scene, k, least[0])
                if found < least[0]:
                    least[0] = found
                    who = k
    return who


@kernel
def distances(scene: WatchedScene, count: i64, states: f64p, found: f64p) -> None:
    """The least signed distance of all pairs at each of some states."""
    gaps, x = scene.gaps, scene.x
    for i in range(count):
        for j in range(scene.inputs):
            x[j] = states[scene.inputs * i + j]
        look(scene)
        found[i] = NO_BOUND
        for k in range(scene.many):
            if gaps[k] < found[i]:
                found[i] = minimum(found[i], depth_of(scene, k, found[i]))


together(passed_in, distance_at, least_distance, distances, depths, stand, ticked)
