"""GJK as kernels: the distance of two convex sets of vertices, and the direction from one nearest place to the other.

The vertices of a are given in its own frame, and placed by ``rel`` in that of b: R by rows, then p, x_b = p + R x_a.
[Gilbert, Johnson, Keerthi 1988; the nearest point of a simplex by all its faces, as their backup procedure]
"""

from __future__ import annotations

from latchwork.program.kernel import divide, f64, f64p, i64, kernel, local_f64, local_i64, offset, sqrt

MAX_SUPPORTS = 100  # supports that are looked for; a few are usual
TOUCHING = 1e-12  # of a squared distance: nearer to it nothing can come
FLAT = 1e-12  # of the product of squared edges: a simplex with less of a volume, squared, is one of fewer points
FACES = (  # of a simplex of four: how many points, and which
    1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 2, 0, 0, 0, 1, 3, 0, 0, 0, 2, 0, 1, 0, 0, 2, 0, 2, 0, 0, 2, 0, 3, 0, 0,
    2, 1, 2, 0, 0, 2, 1, 3, 0, 0, 2, 2, 3, 0, 0, 3, 0, 1, 2, 0, 3, 0, 1, 3, 0, 3, 0, 2, 3, 0, 3, 1, 2, 3, 0,
    4, 0, 1, 2, 3,
)  # fmt: skip


@kernel
def dot(a: f64p, b: f64p) -> f64:
    """a · b of three."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def lowest(count: i64, x: f64p, n: f64p, sign: f64) -> i64:
    """Which of some places is least along sign · n, the first of equals."""
    best, least = 0, sign * dot(x, n)
    for i in range(1, count):
        value = sign * dot(offset(x, 3 * i), n)
        if value < least:
            best, least = i, value
    return best


@kernel
def turned(rel: f64p, n: f64p, out: f64p) -> None:
    """out = Rᵀ n: a direction of b's frame in that of a."""
    for i in range(3):
        out[i] = rel[i] * n[0] + rel[3 + i] * n[1] + rel[6 + i] * n[2]


@kernel
def placed(rel: f64p, x: f64p, out: f64p) -> None:
    """out = p + R x: a place of a in the frame of b."""
    for i in range(3):
        out[i] = rel[9 + i] + dot(offset(rel, 3 * i), x)


@kernel
def support(na: i64, xa: f64p, nb: i64, xb: f64p, rel: f64p, n: f64p, y: f64p) -> None:
    """y = x_a − x_b, the difference that is least along n."""
    back = local_f64(3)
    turned(rel, n, back)
    placed(rel, offset(xa, 3 * lowest(na, xa, back, 1.0)), y)
    other = offset(xb, 3 * lowest(nb, xb, n, -1.0))
    for i in range(3):
        y[i] -= other[i]


@kernel
def weights(k: i64, e: f64p, y: f64p, mu: f64p) -> i64:
    """μ of the least |y + Σ μ e| over the plane of k − 1 edges e, by Cramer's rule; 0 where they are no simplex."""
    if k == 1:
        return 1
    a, r = dot(e, e), -dot(e, y)
    if k == 2:
        mu[0] = divide(r, a)
        return 1 if a > 0.0 else 0
    f = offset(e, 3)
    b, c, s = dot(e, f), dot(f, f), -dot(f, y)
    plane = a * c - b * b
    if k == 3:
        mu[0], mu[1] = divide(r * c - s * b, plane), divide(a * s - b * r, plane)
        return 1 if plane > FLAT * a * c else 0
    g = offset(e, 6)
    d, h, o, q = dot(e, g), dot(f, g), dot(g, g), -dot(g, y)
    det = a * (c * o - h * h) - b * (b * o - h * d) + d * (b * h - c * d)
    mu[0] = divide(r * (c * o - h * h) - b * (s * o - h * q) + d * (s * h - c * q), det)
    mu[1] = divide(a * (s * o - h * q) - r * (b * o - h * d) + d * (b * q - s * d), det)
    mu[2] = divide(a * (c * q - s * h) - b * (b * q - s * d) + r * (b * h - c * d), det)
    return 1 if det > FLAT * a * c * o else 0


@kernel
def nearest(m: i64, y: f64p, v: f64p) -> i64:
    """v, the point of a simplex of m points that is nearest to 0; of the points those that it lies between are kept."""
    e, mu, kept, chosen = local_f64(9), local_f64(3), local_f64(12), local_i64(1)
    chosen[0] = 0
    least = -1.0
    for face in range(15):
        k, last, first = FACES[5 * face], FACES[5 * face + FACES[5 * face]], FACES[5 * face + 1]
        if last >= m:
            continue
        base = offset(y, 3 * first)
        for j in range(k - 1):
            for i in range(3):
                e[3 * j + i] = y[3 * FACES[5 * face + 2 + j] + i] - base[i]
        if weights(k, e, base, mu) == 0:
            continue
        rest = 1.0
        inside = 1
        for j in range(k - 1):
            rest -= mu[j]
            inside = inside if mu[j] >= 0.0 else 0
        if inside == 0 or not rest >= 0.0:
            continue
        size = 0.0
        for i in range(3):
            value = base[i]
            for j in range(k - 1):
                value += mu[j] * e[3 * j + i]
            size += value * value
        if least < 0.0 or size < least:
            least = size
            chosen[0] = face
            for i in range(3):
                value = base[i]
                for j in range(k - 1):
                    value += mu[j] * e[3 * j + i]
                v[i] = value
    face = chosen[0]
    k = FACES[5 * face]
    for j in range(k):
        for i in range(3):
            kept[3 * j + i] = y[3 * FACES[5 * face + 1 + j] + i]
    for i in range(3 * k):
        y[i] = kept[i]
    return k


@kernel
def distance(na: i64, xa: f64p, nb: i64, xb: f64p, rel: f64p, none: f64, n: f64p) -> f64:
    """How far a is from b, and in n the unit vector from b to a; 0 where that is less than ``none``, and n is kept."""
    y, v, new = local_f64(12), local_f64(3), local_f64(3)
    for i in range(3):
        v[i] = n[i]
    support(na, xa, nb, xb, rel, v, y)
    m = nearest(1, y, v)
    size = dot(v, v)
    for _ in range(MAX_SUPPORTS):
        if size <= none * none:
            return 0.0
        support(na, xa, nb, xb, rel, v, new)
        if size - dot(v, new) <= TOUCHING * size or m == 4:
            break
        for i in range(3):
            y[3 * m + i] = new[i]
        m = nearest(m + 1, y, v)
        before, size = size, dot(v, v)
        if size >= before:
            break
    if m == 4 or size <= none * none:
        return 0.0
    root = sqrt(size)
    for i in range(3):
        n[i] = divide(v[i], root)
    return root


@kernel
def along(na: i64, xa: f64p, nb: i64, xb: f64p, rel: f64p, n: f64p) -> f64:
    """How far a is beyond b along a unit vector n: min x_a · n − max x_b · n, never above their signed distance."""
    y = local_f64(3)
    support(na, xa, nb, xb, rel, n, y)
    return dot(y, n)


@kernel
def wider(na: i64, xa: f64p, nb: i64, xb: f64p, rel: f64p, axis: f64p, n: f64p, best: f64) -> f64:
    """The larger of ``best`` and how far apart a and b are along ±axis; n is the direction of the larger."""
    size = dot(axis, axis)
    if not size > FLAT:
        return best
    way = local_f64(3)
    for turn in range(2):
        root = sqrt(size) if turn == 0 else -sqrt(size)
        for i in range(3):
            way[i] = divide(axis[i], root)
        value = along(na, xa, nb, xb, rel, way)
        if value > best:
            best = value
            for i in range(3):
                n[i] = way[i]
    return best
