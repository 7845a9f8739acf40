"""Rasteriser: triangles and lines to pixels, nearest first, as kernels (Pineda 1988).

    E_i(x, y) ≥ 0, i = 0, 1, 2     a pixel is inside a triangle where all three edge functions are
    d = c / (1 − c/D)              depth: c towards the eye, which is D away; linear on the screen, larger is nearer

What is nearest at each pixel is kept: its depth, its normal, its shade, and the number of the thing it belongs to.
"""

from __future__ import annotations

from latchwork.program.kernel import divide, f64, f64p, fabs, floor, i32p, i64, i64p, kernel
from latchwork.program.native import together
from latchwork.program.scalar import maximum, minimum

EMPTY = -1e300  # the depth where there is nothing
VERTEX = 7  # numbers of a vertex: x and y in pixels, depth, normal, shade


@kernel
def clear(count: i64, depth: f64p, owner: i32p) -> None:
    """Nothing anywhere."""
    for i in range(count):
        depth[i] = EMPTY
        owner[i] = -1


@kernel
def fill(
    count: i64, faces: i64p, v: f64p, number: i64, wide: i64, high: i64, depth: f64p, look: f64p, owner: i32p
) -> None:
    """Triangles of one thing; ``v`` holds `VERTEX` numbers of each vertex, ``look`` gets four of each pixel."""
    for k in range(count):
        a, b, c = VERTEX * faces[3 * k], VERTEX * faces[3 * k + 1], VERTEX * faces[3 * k + 2]
        xa, ya, xb, yb, xc, yc = v[a], v[a + 1], v[b], v[b + 1], v[c], v[c + 1]
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        left = maximum(floor(minimum(xa, minimum(xb, xc)) - 0.5), 0.0)
        right = minimum(floor(maximum(xa, maximum(xb, xc)) + 0.5), float(wide - 1))
        top = maximum(floor(minimum(ya, minimum(yb, yc)) - 0.5), 0.0)
        low = minimum(floor(maximum(ya, maximum(yb, yc)) + 0.5), float(high - 1))
        if fabs(area) > 1e-9 and left <= right and top <= low:
            scale = divide(1.0, area)
            for row in range(int(top), int(low) + 1):
                y = float(row) + 0.5
                for column in range(int(left), int(right) + 1):
                    x = float(column) + 0.5
                    s = scale * ((xc - xb) * (y - yb) - (x - xb) * (yc - yb))
                    t = scale * ((xa - xc) * (y - yc) - (x - xc) * (ya - yc))
                    w = 1.0 - s - t
                    if s >= 0.0 and t >= 0.0 and w >= 0.0:
                        d = s * v[a + 2] + t * v[b + 2] + w * v[c + 2]
                        i = row * wide + column
                        if d > depth[i]:
                            depth[i] = d
                            owner[i] = number
                            for j in range(4):
                                look[4 * i + j] = s * v[a + 3 + j] + t * v[b + 3 + j] + w * v[c + 3 + j]


@kernel
def trace(
    count: i64, ends: i64p, v: f64p, nearer: f64, thick: f64, shade: f64, wide: i64, high: i64, depth: f64p, look: f64p
) -> None:
    """Lines of one thing, so many pixels thick, over what lies less than ``nearer`` before them: pixels darken."""
    for k in range(count):
        a, b = VERTEX * ends[2 * k], VERTEX * ends[2 * k + 1]
        dx, dy = v[b] - v[a], v[b + 1] - v[a + 1]
        steps = minimum(floor(maximum(fabs(dx), fabs(dy))) + 1.0, 10000.0)
        steep = fabs(dy) > fabs(dx)
        for n in range(int(steps) + 1):
            part = divide(float(n), steps)
            x, y, d = v[a] + part * dx, v[a + 1] + part * dy, v[a + 2] + part * (v[b + 2] - v[a + 2]) + nearer
            for side in range(int(thick)):
                off = float(side) - 0.5 * (thick - 1.0)
                px, py = floor(x + off if steep else x), floor(y if steep else y + off)
                if px >= 0.0 and px < float(wide) and py >= 0.0 and py < float(high):
                    i = int(py) * wide + int(px)
                    if d >= depth[i] and depth[i] > EMPTY:
                        look[4 * i + 3] = shade


together(clear, fill, trace)
