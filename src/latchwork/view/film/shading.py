"""Shading of pixels, as a kernel: light from one side, from the sky and from the eye, with soft shadows; the ground.

    color = base · (AMBIENT + SKY · (1 + n·up)/2 + SUN · max(n·l, 0) · s) + SHINE · max(n·h, 0)^32 · s

n is the normal on the side that is seen, l points to the light, h halfway between it and the eye; s is how much of
the light arrives: the part of a square of the shadow map around the place where nothing is nearer to the light
(Reeves, Salesin and Cook 1987). ``gl.js`` has the same numbers.
"""

from __future__ import annotations

from latchwork.program.kernel import copysign, divide, f64, f64p, fabs, floor, i32p, i64, kernel, offset, sqrt
from latchwork.program.native import together
from latchwork.program.scalar import maximum, minimum

AMBIENT, SKY, SUN, SHINE = 0.36, 0.22, 0.52, 0.22
BIAS = 2.5  # texels of the shadow map: what is nearer to the light by less casts no shadow
SOFT = 2  # texels on either side over which a shadow is blurred
DARK = 0.34  # how dark a shadow on the ground is
LINE = 0.06  # how dark lines of the ground's net are
FLOOR = 0.035  # how dark the ground is by itself


@kernel
def arrives(p: f64p, sun: f64p, shadow: f64p, side: i64) -> f64:
    """How much light arrives at a place; ``sun`` is laid out as a camera that looks along the light."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(3):
        gap = p[k] - sun[9 + k]
        x += gap * sun[k]
        y += gap * sun[3 + k]
        z += gap * sun[6 + k]
    column, row = floor(sun[12] + sun[14] * x), floor(sun[13] - sun[14] * y)
    if column < 0.0 or row < 0.0 or column >= float(side) or row >= float(side):
        return 1.0
    near, seen, total = z + divide(BIAS, sun[14]), 0.0, 0.0
    for i in range(-SOFT, SOFT + 1):
        for j in range(-SOFT, SOFT + 1):
            r, c = int(row) + i, int(column) + j
            if r >= 0 and c >= 0 and r < side and c < side:
                total += 1.0
                if shadow[r * side + c] <= near:
                    seen += 1.0
    return divide(seen, maximum(total, 1.0))


@kernel
def ground(ray: f64p, scale: f64, g: f64p, sun: f64p, shadow: f64p, side: i64) -> f64:
    """How dark the ground is where a ray meets it: shadow, and the lines of a net; all fades towards the horizon.

    ``ray`` holds a place, a direction, and gets where it meets; ``g`` holds a place of the ground, its normal, two axes
    in it, the step of its net, and how far it reaches. Pixels are ``1/scale`` wide at the middle of the scene.
    """
    rate, height, a, b = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        rate += ray[3 + k] * g[3 + k]
        height += (ray[k] - g[k]) * g[3 + k]
    far = divide(-height, rate)
    if fabs(rate) < 1e-9 or (far < 0.0 and height > 0.0 and rate > 0.0):
        return 0.0
    for k in range(3):
        ray[6 + k] = ray[k] + far * ray[3 + k]
        a += (ray[6 + k] - g[k]) * g[6 + k]
        b += (ray[6 + k] - g[k]) * g[9 + k]
    fade = 1.0 - divide(sqrt(a * a + b * b), g[13])
    if fade <= 0.0:
        return 0.0
    wide = divide(1.0, scale) * divide(1.0, maximum(fabs(rate), 0.2))
    a, b = divide(a, g[12]), divide(b, g[12])
    near = g[12] * minimum(fabs(a - floor(a + 0.5)), fabs(b - floor(b + 0.5)))
    line = maximum(1.0 - divide(near, wide), 0.0)
    dark = 1.0 - arrives(offset(ray, 6), sun, shadow, side)
    return fade * (FLOOR + DARK * dark + LINE * line)


@kernel
def lit(look: f64p, base: f64p, camera: f64p, g: f64p, arrived: f64, light: f64p, out: f64p) -> None:
    """The colour of a pixel of a solid, with its normal and shade in ``look``."""
    size, facing = 0.0, 0.0
    for k in range(3):
        size += look[k] * look[k]
        facing += look[k] * camera[6 + k]
    size = divide(copysign(1.0, facing), sqrt(maximum(size, 1e-300)))
    sun, sky, half, long = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        n, h = size * look[k], light[k] + camera[6 + k]
        sun += n * light[k]
        sky += n * g[3 + k]
        half += n * h
        long += h * h
    shine = maximum(divide(half, sqrt(maximum(long, 1e-300))), 0.0)
    for _ in range(5):
        shine = shine * shine
    bright = look[3] * (AMBIENT + SKY * 0.5 * (1.0 + sky) + SUN * maximum(sun, 0.0) * arrived)
    for k in range(3):
        out[k] = minimum(base[k] * bright + SHINE * shine * arrived, 1.0)


@kernel
def shade(
    wide: i64, high: i64, depth: f64p, look: f64p, owner: i32p, base: f64p, camera: f64p, light: f64p, has_ground: i64,
    g: f64p, sun: f64p, shadow: f64p, side: i64, ray: f64p, out: f64p,
) -> None:  # fmt: skip
    """Every pixel of a picture: red, green and blue as far as it is covered, and how far that is."""
    for row in range(high):
        for column in range(wide):
            i = row * wide + column
            x = divide(float(column) + 0.5 - camera[12], camera[14])
            y = divide(camera[13] - float(row) - 0.5, camera[14])
            for j in range(4):
                out[4 * i + j] = 0.0
            if owner[i] >= 0 or has_ground == 1:
                d = depth[i] if owner[i] >= 0 else 0.0
                c = divide(d, 1.0 + d * camera[15])
                w = 1.0 - c * camera[15]
                for k in range(3):
                    ray[k] = camera[9 + k] + w * (x * camera[k] + y * camera[3 + k]) + c * camera[6 + k]
                    ray[3 + k] = camera[15] * (x * camera[k] + y * camera[3 + k]) - camera[6 + k]
                if owner[i] >= 0:
                    arrived = arrives(ray, sun, shadow, side)
                    lit(offset(look, 4 * i), offset(base, 3 * owner[i]), camera, g, arrived, light, offset(out, 4 * i))
                    out[4 * i + 3] = 1.0
                else:
                    out[4 * i + 3] = ground(ray, camera[14], g, sun, shadow, side)


@kernel
def average(wide: i64, high: i64, fine: i64, rows: f64p, out: i32p) -> None:
    """Squares of ``fine`` by ``fine`` pixels as one each, from 0 to 255: colours, and how far they cover."""
    part = divide(1.0, float(fine * fine))
    for row in range(high):
        for column in range(wide):
            at = 4 * (row * wide + column)
            covered = 0.0
            for k in range(4):
                total = 0.0
                for i in range(fine):
                    for j in range(fine):
                        total += rows[4 * ((row * fine + i) * wide * fine + column * fine + j) + 3 - k]
                total = total * part
                if k == 0:
                    covered = total
                    out[at + 3] = int(255.0 * total + 0.5)
                else:
                    out[at + 3 - k] = int(255.0 * minimum(divide(total, maximum(covered, 1e-9)), 1.0) + 0.5)


together(arrives, ground, lit, shade, average)
