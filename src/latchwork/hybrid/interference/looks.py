"""Looks along the steps of a run, as kernels: where two pieces first lie deeper in each other than is allowed.

A step is looked at in its middle and at its end, on the dense output of the integration. It is halved further where two
pieces may have touched in between, until they move by half their width from look to look: what is thin is not jumped
over.
"""

from __future__ import annotations

from latchwork.contact.interference.gjk import placed
from latchwork.contact.interference.signed_distance import (
    BOUND,
    FRAME,
    NUMBERS,
    POSE,
    WIDTH,
    WORDS,
    apart_at_least,
    moved,
    signed_distance,
)
from latchwork.program.bundle import run_at
from latchwork.program.kernel import (
    bits,
    divide,
    f64,
    f64p,
    f64p_at,
    i32p_at,
    i64,
    i64p,
    i64p_at,
    kernel,
    offset,
    sqrt,
)
from latchwork.program.native import together
from latchwork.program.scalar import maximum, minimum

# a scene in words: its program; pieces in words and numbers, their corners, normals and edges; pairs, what each may be
# deep, its direction; what was seen at the last look and at this one; what is found
(CODE, SLOTS, POSES, INPUTS, X, COORDINATES, PIECES, COUNT, NUMBERED, XYZ, PAIRS, MANY, DEEP, WAYS, POSES_BEFORE,
 CENTERS_BEFORE, CENTERS, TURNS, GAPS_BEFORE, GAPS, PLACES, BEFORE, AFTER, WHO, DEPTH, STEP,
 SCENE) = range(27)  # fmt: skip
# rows of a solution in words
ROWS, STATES, TIMES, AT, RATES, BENDS, ENDS, BETWEEN, SOLUTION = range(9)
FAR = 1e300  # further than anything: the exact distance is wanted
FASTER, PART = 1.5, 0.5  # than pieces are seen to move from look to look; of their width
PARTS = 2**16  # a step is halved into so many at most


@kernel
def state_at(scene: i64p, rows: i64p, i: i64, theta: f64) -> f64:
    """Put t and q at ``θ`` of step i into x, by the dense output; t."""
    x, times, n = f64p_at(scene[X]), f64p_at(rows[TIMES]), rows[STATES]
    start, end = offset(f64p_at(rows[AT]), n * i), offset(f64p_at(rows[AT]), n * (i + 1))
    h = times[i + 1] - times[i]
    rates, bends = offset(f64p_at(rows[RATES]), n * i), offset(f64p_at(rows[BENDS]), n * i)
    last = offset(f64p_at(rows[ENDS]), n * i)
    rest = 1.0 - theta
    for j in range(scene[COORDINATES]):
        delta = end[j] - start[j]
        beta = h * rates[j] - delta
        inner = delta - h * last[j] - beta + rest * bends[j]
        x[1 + j] = end[j] if theta == 1.0 else start[j] + theta * (delta + rest * (beta + theta * inner))
    x[0] = times[i + 1] if theta == 1.0 else times[i] + theta * h
    return x[0]


@kernel
def look(scene: i64p) -> None:
    """The poses at x, the centres of all pieces, and how far pairs are apart at least."""
    poses, numbers, centers = f64p_at(scene[POSES]), f64p_at(scene[NUMBERED]), f64p_at(scene[CENTERS])
    run_at(i32p_at(scene[CODE]), f64p_at(scene[SLOTS]), poses, scene[INPUTS], f64p_at(scene[X]))
    pieces, pairs, xyz, gaps = i64p_at(scene[PIECES]), i64p_at(scene[PAIRS]), f64p_at(scene[XYZ]), f64p_at(scene[GAPS])
    for i in range(scene[COUNT]):
        piece = offset(pieces, WORDS * i)
        placed(offset(poses, FRAME * piece[POSE]), offset(numbers, NUMBERS * i), offset(centers, 3 * i))
    for k in range(scene[MANY]):
        a, b = pairs[2 * k], pairs[2 * k + 1]
        gaps[k] = apart_at_least(offset(pieces, WORDS * b), offset(numbers, NUMBERS * a), offset(numbers, NUMBERS * b),
                                 xyz, poses, offset(centers, 3 * a), offset(centers, 3 * b))  # fmt: skip


@kernel
def depth_of(scene: i64p, k: i64, enough: f64) -> f64:
    """The signed distance of a pair as it is looked at; any lower bound that is not below ``enough`` will do."""
    pieces, pairs, numbers = i64p_at(scene[PIECES]), i64p_at(scene[PAIRS]), f64p_at(scene[NUMBERED])
    a, b = pairs[2 * k], pairs[2 * k + 1]
    return signed_distance(offset(pieces, WORDS * a), offset(pieces, WORDS * b), offset(numbers, NUMBERS * a),
                           offset(numbers, NUMBERS * b), f64p_at(scene[XYZ]), f64p_at(scene[POSES]), enough,
                           offset(f64p_at(scene[WAYS]), 3 * k))  # fmt: skip


@kernel
def way_of(scene: i64p, k: i64) -> f64:
    """How far the pieces of a pair have moved to each other since the look before, at most."""
    pairs, turns, total = i64p_at(scene[PAIRS]), f64p_at(scene[TURNS]), 0.0
    a, b = pairs[2 * k], pairs[2 * k + 1]
    now, before = f64p_at(scene[CENTERS]), f64p_at(scene[CENTERS_BEFORE])
    for i in range(3):
        d = now[3 * a + i] - now[3 * b + i] - before[3 * a + i] + before[3 * b + i]
        total += d * d
    return sqrt(total) + turns[a] + turns[b]


@kernel
def is_far(scene: i64p) -> i64:
    """1 where a pair may have touched between two looks, and has moved by more than a part of its width."""
    pairs, numbers, gaps, before = (i64p_at(scene[PAIRS]), f64p_at(scene[NUMBERED]), f64p_at(scene[GAPS]),
                                    f64p_at(scene[GAPS_BEFORE]))  # fmt: skip
    pieces, poses, old, turns = (i64p_at(scene[PIECES]), f64p_at(scene[POSES]), f64p_at(scene[POSES_BEFORE]),
                                 f64p_at(scene[TURNS]))  # fmt: skip
    for i in range(scene[COUNT]):
        at = FRAME * pieces[WORDS * i + POSE]
        turns[i] = moved(offset(old, at), offset(poses, at), numbers[NUMBERS * i + BOUND])
    for k in range(scene[MANY]):
        way = FASTER * way_of(scene, k)
        width = PART * (numbers[NUMBERS * pairs[2 * k] + WIDTH] + numbers[NUMBERS * pairs[2 * k + 1] + WIDTH])
        if way > width and gaps[k] + before[k] < way:
            gaps[k] = maximum(gaps[k], depth_of(scene, k, way))
            if gaps[k] + before[k] < way:
                return 1
    return 0


@kernel
def first_deep(scene: i64p) -> i64:
    """The first pair that is deeper than it may be as it is looked at; −1 where none is."""
    gaps, deep = f64p_at(scene[GAPS]), f64p_at(scene[DEEP])
    for k in range(scene[MANY]):
        if gaps[k] < -deep[k]:
            depth = depth_of(scene, k, -deep[k])
            if depth < -deep[k]:
                scene[DEPTH] = bits(depth)
                return k
    return -1


@kernel
def keep(scene: i64p) -> None:
    """This look becomes the last one."""
    old, poses = f64p_at(scene[POSES_BEFORE]), f64p_at(scene[POSES])
    for i in range(scene[PLACES]):
        old[i] = poses[i]
    before, now = f64p_at(scene[CENTERS_BEFORE]), f64p_at(scene[CENTERS])
    for i in range(3 * scene[COUNT]):
        before[i] = now[i]
    earlier, gaps = f64p_at(scene[GAPS_BEFORE]), f64p_at(scene[GAPS])
    for k in range(scene[MANY]):
        earlier[k] = gaps[k]


@kernel
def passed(scene: i64p, rows: i64p) -> i64:
    """The first step in which a pair is deeper than it may be, with who, how deep, and times around it; −1: none."""
    if rows[ROWS] < 2:
        return -1
    state_at(scene, rows, 0, 0.0)
    look(scene)
    keep(scene)
    x = f64p_at(scene[X])
    scene[BEFORE] = bits(x[0])
    for i in range(rows[ROWS] - 1):
        at, size = 0, PARTS // 2 if rows[BETWEEN] == 1 else PARTS
        while at < PARTS:
            scene[AFTER] = bits(state_at(scene, rows, i, divide(float(at + size), float(PARTS))))
            look(scene)
            if rows[BETWEEN] == 1 and size > 1 and is_far(scene) == 1:
                size = size // 2
                continue
            scene[WHO] = first_deep(scene)
            if scene[WHO] >= 0:
                return i
            scene[BEFORE] = scene[AFTER]
            keep(scene)
            at += size
            while 2 * size < PARTS and at % (2 * size) == 0:
                size = 2 * size
    return -1


@kernel
def passed_in(scene: i64p, first: i64, count: i64, rows: i64p) -> i64:
    """The first of some solutions, from a number on, in which a pair is deeper than it may be; −1 for none."""
    for i in range(first, count):
        scene[STEP] = passed(scene, offset(rows, SOLUTION * i))
        if scene[STEP] >= 0:
            return i
    return -1


@kernel
def stand(scene: i64p, x: f64p) -> None:
    """Look at a state (t, q, ...), as the one before a tick."""
    state = f64p_at(scene[X])
    for i in range(1 + scene[COORDINATES]):
        state[i] = x[i]
    look(scene)
    keep(scene)


@kernel
def ticked(scene: i64p, t: f64, q: f64p) -> i64:
    """1 where a tick ends with a pair too deep, or moves one so far that it has to be looked at in between."""
    x = f64p_at(scene[X])
    x[0] = t
    for i in range(scene[COORDINATES]):
        x[1 + i] = q[i]
    look(scene)
    if is_far(scene) == 1 or first_deep(scene) >= 0:
        return 1
    keep(scene)
    return 0


@kernel
def distance_at(scene: i64p, rows: i64p, i: i64, k: i64, t: f64) -> f64:
    """The signed distance of a pair at a time within step i."""
    times = f64p_at(rows[TIMES])
    state_at(scene, rows, i, divide(t - times[i], times[i + 1] - times[i]))
    look(scene)
    return depth_of(scene, k, FAR)


@kernel
def depths(scene: i64p, found: f64p) -> None:
    """The signed distance of each pair at x, as far as it is below zero."""
    gaps = f64p_at(scene[GAPS])
    look(scene)
    for k in range(scene[MANY]):
        found[k] = minimum(depth_of(scene, k, 0.0), 0.0) if gaps[k] < 0.0 else 0.0


@kernel
def least_distance(scene: i64p, count: i64, states: f64p, spans: f64p, least: f64p) -> i64:
    """The least signed distance of all pairs at some states, each within its span of time; whose it is, −1 for none."""
    gaps, x, who = f64p_at(scene[GAPS]), f64p_at(scene[X]), -1
    for i in range(count):
        for j in range(scene[INPUTS]):
            x[j] = states[scene[INPUTS] * i + j]
        look(scene)
        for k in range(scene[MANY]):
            if gaps[k] < least[0] and x[0] >= spans[2 * k] and x[0] <= spans[2 * k + 1]:
                found = depth_of(scene, k, least[0])
                if found < least[0]:
                    least[0] = found
                    who = k
    return who


@kernel
def distances(scene: i64p, count: i64, states: f64p, found: f64p) -> None:
    """The least signed distance of all pairs at each of some states."""
    gaps, x = f64p_at(scene[GAPS]), f64p_at(scene[X])
    for i in range(count):
        for j in range(scene[INPUTS]):
            x[j] = states[scene[INPUTS] * i + j]
        look(scene)
        found[i] = FAR
        for k in range(scene[MANY]):
            if gaps[k] < found[i]:
                found[i] = minimum(found[i], depth_of(scene, k, found[i]))


together(passed_in, distance_at, least_distance, distances, depths, stand, ticked)
