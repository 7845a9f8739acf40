"""The broad phase of time stepping, as a record and kernels: which pairs of shapes are near enough to be measured.

A pair whose enclosures are further apart than ``margin`` is left out until some end of an enclosure has moved by half
of that: with Verlet's lists, nothing that is left out can have touched. Pairs stay in the order in which contacts were
given, so that what is near, and every number after it, does not depend on who was left out before. Of two shapes with
parts that are numbers, only features of parts near each other are candidates (`near_parts`).
"""

from __future__ import annotations

from latchwork.hybrid.time_stepping.near_parts import (
    AHEAD,
    ENDS,
    UNMADE,
    NearParts,
    farthest_moved,
    find_parts,
    keep_poses,
    place_parts,
    want_ahead,
    want_none,
)
from latchwork.program.evaluator import Evaluator, evaluate
from latchwork.program.kernel import f64, f64p, i64, i64p, kernel, offset, sqrt
from latchwork.program.records.record import array, pointer, record
from latchwork.program.scalar import maximum, minimum

ALWAYS, ROUND, ABOVE = range(3)  # kinds of pairs: without enclosures; segments with a radius; over a half-space


@record
class BroadPhase:
    """Enclosures, pairs of them with the contact points of each, and those that are near."""

    enclosures: i64
    pairs: i64
    most_places: i64
    n_out: i64
    margin: f64
    looked: i64  # 1 where a look was taken
    ends: Evaluator  # p, q, v_p, v_q of every enclosure
    radius: f64p = array("enclosures")
    kind: i64p = array("pairs")
    one: i64p = array("pairs")
    other: i64p = array("pairs")  # over the half-space that ``one`` is
    normal: f64p = array("3 * pairs")
    near: i64p = array("pairs")
    wanted: i64p = array("pairs")  # 1 where contact points have to be made
    first: i64p = array("pairs")  # the contact points of a pair, in ``place``
    count: i64p = array("pairs")  # UNMADE where they are not made yet
    place: i64p = array("most_places")
    before: f64p = array("6 * enclosures")  # ends at the last look
    out: f64p = array("n_out")
    candidates: i64
    previous: i64p = array("most_places")
    candidate: i64p = array("most_places")  # contact points of pairs that are near, by their places in the scene
    pair_of: i64p = array("most_places")  # the pair of each candidate
    parts: NearParts = pointer()


@kernel
def moved(broad: BroadPhase, x: f64p) -> f64:
    """The farthest that any end has moved since the last look; ends at x are read."""
    most = 0.0
    evaluate(broad.ends, x, broad.out)
    for i in range(broad.enclosures):
        for j in range(2):
            p, q, total = offset(broad.out, ENDS * i + 3 * j), offset(broad.before, 6 * i + 3 * j), 0.0
            for k in range(3):
                total += (p[k] - q[k]) * (p[k] - q[k])
            most = maximum(most, total)
    return sqrt(most)


@kernel
def is_looked(broad: BroadPhase, x: f64p, share: f64) -> i64:
    """1 where nothing has moved by more than a share of the margin since the last look, nor any place by the same share
    of the reach of parts; ends at x are read."""
    way, parts = moved(broad, x) if broad.enclosures > 0 else 0.0, broad.parts
    if broad.looked == 0 or way > share * broad.margin:
        return 0
    return 1 if parts.rows == 0 or farthest_moved(parts, broad.out) <= share * parts.reach else 0


@kernel
def half_way(p: f64p, k: i64) -> f64:
    """The middle of an enclosure along one axis."""
    return 0.5 * (p[k] + p[3 + k])


@kernel
def extent(p: f64p) -> f64:
    """Half the length of the segment of an enclosure."""
    total = 0.0
    for k in range(3):
        total += (p[k] - p[3 + k]) * (p[k] - p[3 + k])
    return 0.5 * sqrt(total)


@kernel
def apart(broad: BroadPhase, pair: i64) -> f64:
    """A distance that two shapes are apart at least, at the ends that were read last."""
    p, q = offset(broad.out, ENDS * broad.one[pair]), offset(broad.out, ENDS * broad.other[pair])
    if broad.kind[pair] == ABOVE:
        n, low, high = offset(broad.normal, 3 * pair), 0.0, 0.0
        for k in range(3):
            low += (q[k] - p[k]) * n[k]
            high += (q[3 + k] - p[k]) * n[k]
        return minimum(low, high) - broad.radius[broad.other[pair]]
    total = 0.0
    for k in range(3):
        d = half_way(p, k) - half_way(q, k)
        total += d * d
    radii = broad.radius[broad.one[pair]] + broad.radius[broad.other[pair]]
    return sqrt(total) - extent(p) - extent(q) - radii


@kernel
def is_deeper(broad: BroadPhase, k: i64, gap: f64) -> i64:
    """1 where the gap of a candidate is less than the two shapes can be deep in each other, at the ends that were read
    last: then it belongs to a feature that is met from behind, as of edges that are nearly parallel, whose common
    normal turns about within a step."""
    pair = broad.pair_of[k]
    return 1 if broad.kind[pair] != ALWAYS and gap < minimum(apart(broad, pair), 0.0) else 0


@kernel
def find_near(broad: BroadPhase, keep: i64, h: f64) -> i64:
    """Which pairs, and which of their parts, are ``wanted`` in a step: near at the ends that were read last, or with
    ``keep`` near before; how many of them have contact points that are not made yet."""
    unmade, parts = 0, broad.parts
    if parts.rows > 0:
        place_parts(parts, broad.out)
    for pair in range(broad.pairs):
        near = 1
        if broad.kind[pair] != ALWAYS and (keep == 0 or broad.near[pair] == 0):
            near = 1 if apart(broad, pair) <= broad.margin else 0
        broad.wanted[pair] = near
        unmade += 1 if near == 1 and broad.count[pair] == UNMADE else 0
        if near == 1:
            unmade += find_parts(parts, pair, keep, h, broad.out)
        else:
            want_none(parts, pair)
    if unmade > 0:  # those that come next are made along with them
        for pair in range(broad.pairs):
            if broad.wanted[pair] == 1:
                want_ahead(parts, pair, h, broad.out)
            elif broad.count[pair] == UNMADE and apart(broad, pair) <= AHEAD * broad.margin:
                broad.wanted[pair] = 1
    return unmade


@kernel
def list_wanted(broad: BroadPhase) -> None:
    """The pairs that are wanted are near, and their contact points are candidates, or those of parts that are."""
    broad.candidates, parts = 0, broad.parts
    for pair in range(broad.pairs):
        broad.near[pair] = broad.wanted[pair]
        if broad.near[pair] == 1:
            for k in range(broad.first[pair], broad.first[pair] + broad.count[pair]):
                add_candidate(broad, broad.place[k], pair)
        for row in range(parts.first[pair], parts.first[pair + 1]):
            parts.near[row] = parts.wanted[row]
            if parts.near[row] == 1:
                add_candidate(broad, parts.place[row], pair)
    for i in range(broad.enclosures):
        for k in range(6):
            broad.before[6 * i + k] = broad.out[ENDS * i + k]
    if parts.rows > 0:
        keep_poses(parts, broad.out)
    broad.looked = 1


@kernel
def add_candidate(broad: BroadPhase, place: i64, pair: i64) -> None:
    """One more contact point that may be near."""
    broad.candidate[broad.candidates], broad.pair_of[broad.candidates] = place, pair
    broad.candidates += 1
