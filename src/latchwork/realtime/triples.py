"""Three and four numbers at a time, in plain Python: a tick has a few dozen of these, each too small for NumPy."""

from __future__ import annotations

import math

from latchwork.program.elementary.scalars import atan2, cos, sin
from latchwork.realtime.devices.device import Nine, Quadruple, Triple


def add(a: Triple, b: Triple) -> Triple:
    """a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def minus(a: Triple, b: Triple) -> Triple:
    """a − b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


def times(k: float, a: Triple) -> Triple:
    """k a."""
    return k * a[0], k * a[1], k * a[2]


def dot(a: Triple, b: Triple) -> float:
    """a · b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Triple, b: Triple) -> Triple:
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def rotated(R: Nine, a: Triple) -> Triple:
    """R a."""
    x, y, z = a
    return R[0] * x + R[1] * y + R[2] * z, R[3] * x + R[4] * y + R[5] * z, R[6] * x + R[7] * y + R[8] * z


def capped(a: Triple, most: float) -> Triple:
    """The vector, shortened to a length where it is longer."""
    size = math.sqrt(dot(a, a))
    return a if size <= most else times(most / size, a)


# --- rotations --------------------------------------------------------------------------------------------------------


def quaternion(R: Nine) -> Quadruple:
    """The unit quaternion of a rotation matrix, its largest component found first so that nothing cancels."""
    a, b, c = R[0], R[4], R[8]
    x, y, z = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    xy, yz, zx = R[1] + R[3], R[5] + R[7], R[2] + R[6]
    squares = (1.0 + a + b + c, 1.0 + a - b - c, 1.0 - a + b - c, 1.0 - a - b + c)
    rows = ((squares[0], x, y, z), (x, squares[1], xy, zx), (y, xy, squares[2], yz), (z, zx, yz, squares[3]))
    return unit(rows[squares.index(max(squares))])


def unit(q: Quadruple) -> Quadruple:
    """q / |q|."""
    size = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] / size, q[1] / size, q[2] / size, q[3] / size


def matrix(q: Quadruple) -> Nine:
    """The rotation matrix of a unit quaternion."""
    w, x, y, z = q
    return (1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
            2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
            2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y))  # fmt: skip


def product(a: Quadruple, b: Quadruple) -> Quadruple:
    """The rotation b, then a."""
    (aw, ax, ay, az), (bw, bx, by, bz) = a, b
    return (aw * bw - ax * bx - ay * by - az * bz, aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw)  # fmt: skip


def inverse(q: Quadruple) -> Quadruple:
    """The rotation back."""
    return q[0], -q[1], -q[2], -q[3]


def rotation_vector(q: Quadruple) -> Triple:
    """Axis times angle of a unit quaternion, the angle at most π: θ n with q = (cos θ/2, n sin θ/2)."""
    w, x, y, z = q if q[0] >= 0.0 else (-q[0], -q[1], -q[2], -q[3])
    sine = math.sqrt(x * x + y * y + z * z)
    scale = 2.0 * atan2(sine, w) / sine if sine > 1e-9 else 2.0
    return scale * x, scale * y, scale * z


def turned(vector: Triple) -> Quadruple:
    """The unit quaternion of a rotation vector."""
    angle = math.sqrt(dot(vector, vector))
    scale = sin(0.5 * angle) / angle if angle > 1e-9 else 0.5
    return cos(0.5 * angle), scale * vector[0], scale * vector[1], scale * vector[2]
