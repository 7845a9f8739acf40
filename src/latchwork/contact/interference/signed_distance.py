"""The signed distance of two pieces as kernels: above zero how far apart they are, below zero how deep in each other.

A piece is fixed in a frame, whose pose is R by rows and p, x_N = p + R x:

    CONVEX  all within ρ of the hull of its vertices: point, ball, capsule, polygon, box, hull
    HOOP    all within ρ of a circle
    HALF    all below a plane
    HOLLOW  all outside of a circle, or cylinder

Where hulls are apart, their distance is that of GJK. Where they touch, it is found along the direction between them
once they are moved a little apart; where they lie in each other, as the best of the separating axes: normals of faces,
and t_a × t_b of edges (the edge of a polygon in the plane is the axis across it).  [Gottschalk 1996, thm 1]
For any unit vector, min x_a · n − max x_b · n is a lower bound, so that one direction that separates is enough.
"""

from __future__ import annotations

from latchwork.contact.interference.gjk import along, distance, dot, lowest, placed, turned, wider
from latchwork.program.kernel import f64, f64p, fabs, i64, kernel, local_f64, offset, sqrt
from latchwork.program.records.record import array, record
from latchwork.program.scalar import maximum, minimum

CONVEX, HOOP, HALF, HOLLOW = range(4)  # of two pieces, the first is not the later one here
FRAME = 12  # numbers of a pose
COINCIDENT = 1e-6  # of the size: nearer vertices have no good direction between them
TOUCHING = 1e-12  # of the size: this deep is not in each other
APART = 1e-2  # of the size: by which pieces are moved apart, to find the direction between them
MOST, AGAIN = 10_000, 8  # pairs of edges that are looked along; times that a direction is made better
LOWEST = -1e300


@record
class Solid:
    """A piece in numbers; its vertices, normals and edges stand among those of all pieces, three numbers each."""

    kind: i64
    pose: i64  # which of the poses is that of its frame
    vertices: i64  # where they begin,
    corners: i64  # and how many there are
    normals: i64
    faces: i64
    edges: i64
    lines: i64
    center: f64p = array(3)  # of a ball that holds it,
    bound: f64  # and its radius
    rounding: f64  # ρ
    radius: f64  # of a circle
    width: f64  # the least


@kernel
def relative(a: f64p, b: f64p, rel: f64p) -> None:
    """The pose of a in the frame of b: R = R_bᵀ R_a, p = R_bᵀ (p_a − p_b)."""
    for i in range(3):
        for j in range(3):
            rel[3 * i + j] = b[i] * a[j] + b[3 + i] * a[3 + j] + b[6 + i] * a[6 + j]
        rel[9 + i] = b[i] * (a[9] - b[9]) + b[3 + i] * (a[10] - b[10]) + b[6 + i] * (a[11] - b[11])


@kernel
def separated(a: Solid, b: Solid, xyz: f64p, rel: f64p, n: f64p) -> f64:
    """The signed distance of two hulls by separating axes, of very many edges by faces alone; n is the best axis."""
    na, nb, best = a.corners, b.corners, LOWEST
    xa, xb = offset(xyz, a.vertices), offset(xyz, b.vertices)
    axis, line = local_f64(3), local_f64(3)
    for i in range(b.faces):
        best = wider(na, xa, nb, xb, rel, offset(xyz, b.normals + 3 * i), n, best)
    for i in range(a.faces):
        normal = offset(xyz, a.normals + 3 * i)
        for j in range(3):
            axis[j] = dot(offset(rel, 3 * j), normal)
        best = wider(na, xa, nb, xb, rel, axis, n, best)
    lines = a.lines if a.lines * b.lines <= MOST else 0
    for i in range(lines):
        edge = offset(xyz, a.edges + 3 * i)
        for j in range(3):
            line[j] = dot(offset(rel, 3 * j), edge)
        for k in range(b.lines):
            other = offset(xyz, b.edges + 3 * k)
            axis[0] = line[1] * other[2] - line[2] * other[1]
            axis[1] = line[2] * other[0] - line[0] * other[2]
            axis[2] = line[0] * other[1] - line[1] * other[0]
            best = wider(na, xa, nb, xb, rel, axis, n, best)
    return best if best > LOWEST else 0.0


@kernel
def pushed(a: Solid, b: Solid, xyz: f64p, rel: f64p, size: f64, n: f64p) -> f64:
    """How far apart two hulls are that touch along n, or nearly so, by the direction between them where a is moved
    clear of b; n is that direction, where it is better."""
    na, nb = a.corners, b.corners
    xa, xb = offset(xyz, a.vertices), offset(xyz, b.vertices)
    before = along(na, xa, nb, xb, rel, n)
    moved, way = local_f64(12), local_f64(3)
    for i in range(12):
        moved[i] = rel[i]
    for i in range(3):
        moved[9 + i] += (APART * size - before) * n[i]
        way[i] = n[i]
    distance(na, xa, nb, xb, moved, COINCIDENT * size, way)
    after = along(na, xa, nb, xb, rel, way)
    if after <= before:
        return before
    for i in range(3):
        n[i] = way[i]
    return after


@kernel
def settled(a: Solid, b: Solid, xyz: f64p, rel: f64p, size: f64, n: f64p) -> f64:
    """The same again and again, until no direction is better than the last."""
    best = pushed(a, b, xyz, rel, size, n)
    for _ in range(AGAIN):
        before, best = best, pushed(a, b, xyz, rel, size, n)
        if best <= before:
            break
    return best


@kernel
def between_hulls(a: Solid, b: Solid, xyz: f64p, rel: f64p, size: f64, enough: f64, n: f64p) -> f64:
    """The signed distance of two hulls; any lower bound that is not below ``enough`` will do. n is kept in mind."""
    na, nb = a.corners, b.corners
    xa, xb = offset(xyz, a.vertices), offset(xyz, b.vertices)
    best = along(na, xa, nb, xb, rel, n)
    if best >= enough:
        return best
    best = distance(na, xa, nb, xb, rel, COINCIDENT * size, n)
    if best > 0.0:
        return best
    best = settled(a, b, xyz, rel, size, n)
    if best >= enough or best >= -TOUCHING * size:
        return best
    best = maximum(best, separated(a, b, xyz, rel, n))
    return best if a.lines * b.lines <= MOST else settled(a, b, xyz, rel, size, n)


@kernel
def below(a: Solid, xyz: f64p, rel: f64p, point: f64p, normal: f64p) -> f64:
    """How far a hull or hoop is above a plane: min (x − P) · n, of a circle (C − P) · n − R |n × k|."""
    back, x = local_f64(3), local_f64(3)
    turned(rel, normal, back)
    if a.kind == HOOP:
        lean = dot(back, offset(xyz, a.normals))
        placed(rel, a.center, x)
        return dot(x, normal) - dot(point, normal) - a.radius * sqrt(maximum(1.0 - lean * lean, 0.0))
    corners = offset(xyz, a.vertices)
    placed(rel, offset(corners, 3 * lowest(a.corners, corners, back, 1.0)), x)
    return dot(x, normal) - dot(point, normal)


@kernel
def within(a: Solid, xyz: f64p, rel: f64p, center: f64p, axis: f64p, radius: f64) -> f64:
    """How far a hull is inside of a circle about an axis: R − max |d − (d · k) k|, d = x − C."""
    x, far = local_f64(3), 0.0
    for i in range(a.corners):
        placed(rel, offset(xyz, a.vertices + 3 * i), x)
        for j in range(3):
            x[j] -= center[j]
        lift = dot(x, axis)
        far = maximum(far, dot(x, x) - lift * lift)
    return radius - sqrt(far)


@kernel
def off_hoop(a: Solid, xyz: f64p, rel: f64p, center: f64p, axis: f64p, radius: f64) -> f64:
    """How far a point is from a circle: √(h² + (r − R)²), h along the axis and r across."""
    x = local_f64(3)
    placed(rel, offset(xyz, a.vertices), x)
    for j in range(3):
        x[j] -= center[j]
    lift = dot(x, axis)
    across = sqrt(maximum(dot(x, x) - lift * lift, 0.0)) - radius
    return sqrt(lift * lift + across * across)


@kernel
def signed_distance(a: Solid, b: Solid, xyz: f64p, poses: f64p, enough: f64, n: f64p) -> f64:
    """The signed distance of two pieces; any lower bound that is not below ``enough`` will do.

    ``n`` is a direction in the frame of b, kept from one look to the next: what separated before is tried first.
    """
    rel = local_f64(FRAME)
    relative(offset(poses, FRAME * a.pose), offset(poses, FRAME * b.pose), rel)
    rounds = a.rounding + b.rounding
    if b.kind == CONVEX:
        size = minimum(a.bound, b.bound) if minimum(a.bound, b.bound) > 0.0 else maximum(a.bound, b.bound)
        return between_hulls(a, b, xyz, rel, size, enough + rounds, n) - rounds
    normal = offset(xyz, b.normals)
    if b.kind == HALF:
        return below(a, xyz, rel, offset(xyz, b.vertices), normal) - rounds
    if b.kind == HOLLOW:
        return within(a, xyz, rel, b.center, normal, b.radius) - rounds
    return off_hoop(a, xyz, rel, b.center, normal, b.radius) - rounds


@kernel
def apart_at_least(a: Solid, b: Solid, xyz: f64p, poses: f64p, ca: f64p, cb: f64p) -> f64:
    """A lower bound of their distance, by the balls that hold them (centres in N), or a ball and a plane."""
    d, n = local_f64(3), local_f64(3)
    for i in range(3):
        d[i] = ca[i] - cb[i]
    if b.kind == HOLLOW:
        return b.radius - sqrt(dot(d, d)) - a.bound
    if b.kind != HALF:
        return sqrt(dot(d, d)) - a.bound - b.bound
    pose, normal = offset(poses, FRAME * b.pose), offset(xyz, b.normals)
    for i in range(3):
        n[i] = dot(offset(pose, 3 * i), normal)
    return dot(d, n) - a.bound


@kernel
def moved(before: f64p, after: f64p, radius: f64) -> f64:
    """ρ |R − R'| of two poses: how far turning has moved what is within ρ, at most."""
    total = 0.0
    for i in range(9):
        total += fabs(after[i] - before[i])
    return radius * total
