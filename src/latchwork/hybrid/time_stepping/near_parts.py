"""Which parts of two shapes are near each other, as a record and kernels: only their features are candidates of a step.

Corners, edges and faces are numbers in the frame of their shape, which its pose places:

    |x − y| ≥ max(|n · x − d|, max_i(−v_i · x − l_i))    a corner x, and a face with its domain v_i · x + l_i ≥ 0

Of edges, and of what is round, the distance is that of points and segments. Features of parts further apart than
``reach``, and than the two shapes move in a step, are left out until a place of some shape has moved by half of that:

    |Δp| + ρ |ΔR| ≥ the way of any place within ρ of the centre,    |ΔR| the largest singular value, ‖ΔR‖_F / √2
"""

from __future__ import annotations

from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, offset, sqrt
from latchwork.program.records.record import array, record
from latchwork.program.scalar import maximum, minimum

ENDS, VELOCITY = 12, 6  # numbers of an enclosure: p, q, v_p, v_q
TURN = 3  # ω, before R
UPRIGHT = -1  # a shape that looks the same however it turns, or does not turn
STILL = -1  # a shape whose parts are numbers in N
BALL, ROD, FLAT = range(3)  # kinds of parts: x, ρ;  p, q, ρ;  n, d, then v and l of each bound
AHEAD = 3.0  # times as far away: what is there is made where others are
UNMADE, NEVER = -1, -2  # no contact point yet; none ever: its gap is always the same, or has no domain


@record
class NearParts:
    """Parts of shapes, and the rows of pairs: two parts each, with the contact point of their feature."""

    shapes: i64
    parts: i64
    numbers: i64
    pairs: i64
    rows: i64
    reach: f64
    center: i64p = array("shapes")  # which enclosure begins at its centre; or STILL
    turn: i64p = array("shapes")  # where ω and R begin among the numbers of enclosures; or UPRIGHT
    radius: f64p = array("shapes")  # about the centre
    form: i64p = array("parts")  # BALL, ROD or FLAT
    at: i64p = array("parts + 1")  # where its numbers begin
    shape: i64p = array("parts")
    number: f64p = array("numbers")
    placed: f64p = array("numbers")  # the same in N
    before: f64p = array("12 * shapes")  # poses at the last look
    first: i64p = array("pairs + 1")  # the rows of each pair of shapes
    part: i64p = array("rows")
    other: i64p = array("rows")
    place: i64p = array("rows")  # in the scene
    near: i64p = array("rows")
    wanted: i64p = array("rows")


@kernel
def pose_of(parts: NearParts, i: i64, k: i64, ends: f64p) -> f64:
    """One of the numbers of a pose: p, then R row by row; no R where turns change nothing."""
    if parts.center[i] == STILL:
        return 0.0
    if k < 3:
        return ends[ENDS * parts.center[i] + k]
    return 0.0 if parts.turn[i] == UPRIGHT else ends[parts.turn[i] + TURN + k - 3]


@kernel
def farthest_moved(parts: NearParts, ends: f64p) -> f64:
    """The farthest that any place of a shape can have moved since the last look."""
    most = 0.0
    for i in range(parts.shapes):
        way, turned = 0.0, 0.0
        for k in range(3):
            d = pose_of(parts, i, k, ends) - parts.before[12 * i + k]
            way += d * d
        for k in range(3, 12):
            d = pose_of(parts, i, k, ends) - parts.before[12 * i + k]
            turned += d * d
        most = maximum(most, sqrt(way) + parts.radius[i] * sqrt(0.5 * turned))
    return most


@kernel
def keep_poses(parts: NearParts, ends: f64p) -> None:
    """Poses are those of the last look."""
    for i in range(parts.shapes):
        for k in range(12):
            parts.before[12 * i + k] = pose_of(parts, i, k, ends)


@kernel
def turned(parts: NearParts, i: i64, ends: f64p, x: f64p, found: f64p) -> None:
    """R x; x itself where turns change nothing."""
    for j in range(3):
        found[j] = x[j]
        if parts.turn[i] != UPRIGHT:
            R = offset(ends, parts.turn[i] + TURN + 3 * j)
            found[j] = R[0] * x[0] + R[1] * x[1] + R[2] * x[2]


@kernel
def pace_of(parts: NearParts, i: i64, ends: f64p) -> f64:
    """|v| + ρ |ω|: how fast any place of a shape moves at most."""
    v, w = 0.0, 0.0
    if parts.center[i] == STILL:
        return 0.0
    for k in range(3):
        x = ends[ENDS * parts.center[i] + VELOCITY + k]
        v += x * x
        y = 0.0 if parts.turn[i] == UPRIGHT else ends[parts.turn[i] + k]
        w += y * y
    return sqrt(v) + parts.radius[i] * sqrt(w)


@kernel
def dot(x: f64p, y: f64p) -> f64:
    """x · y"""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


@kernel
def place_parts(parts: NearParts, ends: f64p) -> None:
    """All parts in N."""
    for k in range(parts.parts):
        i, at = parts.shape[k], parts.at[k]
        kind, own, placed = parts.form[k], parts.number, parts.placed
        px, py, pz = pose_of(parts, i, 0, ends), pose_of(parts, i, 1, ends), pose_of(parts, i, 2, ends)
        if kind == FLAT:
            for b in range((parts.at[k + 1] - at) // 4):
                turned(parts, i, ends, offset(own, at + 4 * b), offset(placed, at + 4 * b))
                n = offset(placed, at + 4 * b)
                along = n[0] * px + n[1] * py + n[2] * pz
                placed[at + 4 * b + 3] = own[at + 4 * b + 3] + (along if b == 0 else -along)
        else:
            for b in range(1 + kind):
                turned(parts, i, ends, offset(own, at + 3 * b), offset(placed, at + 3 * b))
                x = offset(placed, at + 3 * b)
                x[0] += px
                x[1] += py
                x[2] += pz
            placed[at + 3 + 3 * kind] = own[at + 3 + 3 * kind]


@kernel
def over(flat: f64p, bounds: i64, x: f64p) -> f64:
    """How far a place is from a face at least: above or below, or beyond a bound."""
    far = fabs(dot(flat, x) - flat[3])
    for b in range(1, 1 + bounds):
        far = maximum(far, -dot(offset(flat, 4 * b), x) - flat[4 * b + 3])
    return far


@kernel
def between(low: f64, x: f64, high: f64) -> f64:
    """x, or the bound it is beyond."""
    return minimum(maximum(x, low), high)


@kernel
def share_of(a: f64, b: f64) -> f64:
    """a / b within 0 and 1; 0 where b vanishes."""
    return between(0.0, divide(a, b), 1.0) if b > 0.0 else 0.0


@kernel
def segments_apart(p: f64p, q: f64p, r: f64p, s: f64p) -> f64:
    """The least distance of segments from p to q and from r to s.  [Ericson §5.1.9]"""
    dd, ee, de, dw, ew, total = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        d, e, w = q[k] - p[k], s[k] - r[k], p[k] - r[k]
        dd += d * d
        ee += e * e
        de += d * e
        dw += d * w
        ew += e * w
    a = share_of(de * ew - dw * ee, dd * ee - de * de)
    b = share_of(de * a + ew, ee)
    a = share_of(de * b - dw, dd)
    for k in range(3):
        way = p[k] - r[k] + a * (q[k] - p[k]) - b * (s[k] - r[k])
        total += way * way
    return sqrt(total)


@kernel
def parts_apart(parts: NearParts, i: i64, j: i64) -> f64:
    """How far two parts are apart at least, where they were placed last."""
    x, y = offset(parts.placed, parts.at[i]), offset(parts.placed, parts.at[j])
    kind, other = parts.form[i], parts.form[j]
    if kind == FLAT:
        return over(x, (parts.at[i + 1] - parts.at[i]) // 4 - 1, y) - y[3]
    if other == FLAT:
        return over(y, (parts.at[j + 1] - parts.at[j]) // 4 - 1, x) - x[3]
    radii = x[3 + 3 * kind] + y[3 + 3 * other]
    return segments_apart(x, offset(x, 3 * kind), y, offset(y, 3 * other)) - radii


@kernel
def reach_of(parts: NearParts, pair: i64, h: f64, ends: f64p) -> f64:
    """How far apart parts of a pair that has some may be to be near: what both move within h counts."""
    row = parts.first[pair]
    i, j = parts.shape[parts.part[row]], parts.shape[parts.other[row]]
    return parts.reach + h * (pace_of(parts, i, ends) + pace_of(parts, j, ends))


@kernel
def find_parts(parts: NearParts, pair: i64, keep: i64, h: f64, ends: f64p) -> i64:
    """Which rows of a pair are ``wanted``: near where parts were placed last, or with ``keep`` near before; how many of
    them have no contact point yet."""
    unmade, begin, end = 0, parts.first[pair], parts.first[pair + 1]
    if begin == end:
        return 0
    reach = reach_of(parts, pair, h, ends)
    for row in range(begin, end):
        near = 1 if keep == 1 and parts.near[row] == 1 else 0
        if near == 0 and parts.place[row] != NEVER:
            near = 1 if parts_apart(parts, parts.part[row], parts.other[row]) <= reach else 0
        parts.wanted[row] = near
        unmade += 1 if near == 1 and parts.place[row] == UNMADE else 0
    return unmade


@kernel
def want_ahead(parts: NearParts, pair: i64, h: f64, ends: f64p) -> None:
    """Rows of a pair without contact points are wanted a few times as far away."""
    begin, end = parts.first[pair], parts.first[pair + 1]
    if begin < end:
        reach = AHEAD * reach_of(parts, pair, h, ends)
        for row in range(begin, end):
            if parts.place[row] == UNMADE and parts_apart(parts, parts.part[row], parts.other[row]) <= reach:
                parts.wanted[row] = 1


@kernel
def want_none(parts: NearParts, pair: i64) -> None:
    """No row of a pair is ``wanted``."""
    for row in range(parts.first[pair], parts.first[pair + 1]):
        parts.wanted[row] = 0
