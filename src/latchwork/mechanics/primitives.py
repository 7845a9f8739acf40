"""Triangles of plain bodies: box, prism, cylinder, ball, cone, ring, coil, and what is turned on a lathe.

Each gives loose triangles (m, 3, 3), seen from outside against the clock, about the origin, along z where it has an
axis; ``view.mesh.welded`` makes a mesh of them.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray
SIDES = 32  # of what is round
TURNS = 7  # of a coil
DARK = 0.72  # the shade of marks by which one sees that something round turns


def turned(profile: Array, sides: int = SIDES) -> Array:
    """What a lathe makes of a profile of (radius, z), from the axis back to it, counted upwards outside."""
    angles = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    r, z = profile[:, 0, None], profile[:, 1, None]
    net = np.stack([r * np.cos(angles), r * np.sin(angles), np.broadcast_to(z, (len(r), sides + 1))], axis=-1)
    return netted(net)


def netted(net: Array) -> Array:
    """Two triangles for every cell of a net (rows, columns, 3)."""
    a, b, c, d = net[:-1, :-1], net[:-1, 1:], net[1:, 1:], net[1:, :-1]
    return np.concatenate([np.stack(three, axis=2).reshape(-1, 3, 3) for three in ((a, b, c), (a, c, d))])


def cylinder(radius: float, low: float, high: float, sides: int = SIDES) -> Array:
    """A cylinder along z."""
    return turned(np.array([[0.0, low], [radius, low], [radius, high], [0.0, high]]), sides)


def ball(radius: float, sides: int = 24) -> Array:
    """A sphere."""
    angles = np.linspace(-0.5 * np.pi, 0.5 * np.pi, sides // 2 + 1)
    return turned(radius * np.column_stack([np.cos(angles), np.sin(angles)]), sides)


def capsule(radius: float, length: float, sides: int = 24) -> Array:
    """A rod with round ends from the origin along z."""
    angles = np.linspace(0.0, 0.5 * np.pi, 7)
    low = radius * np.column_stack([np.sin(angles), -np.cos(angles)])
    high = radius * np.column_stack([np.cos(angles), np.sin(angles)]) + [0.0, length]
    return turned(np.vstack([low, high]), sides)


def cone(radius: float, low: float, high: float, sides: int = SIDES) -> Array:
    """A cone whose tip is high."""
    return turned(np.array([[0.0, low], [radius, low], [0.0, high]]), sides)


def torus(radius: float, tube: float, sides: int = 40) -> Array:
    """A ring about z."""
    angles = np.linspace(-np.pi, np.pi, 13)
    return turned(np.column_stack([radius + tube * np.cos(angles), tube * np.sin(angles)]), sides)


def box(sizes: Array) -> Array:
    """A box about the origin."""
    x, y, z = 0.5 * np.asarray(sizes, dtype=float)
    return prism(np.array([[-x, -y], [x, -y], [x, y], [-x, y]]), -z, z)


def prism(polygon: Array, low: float, high: float) -> Array:
    """A polygon (n, 2) without crossings, raised along z."""
    outline = polygon if _area(polygon) > 0.0 else polygon[::-1]
    ears = triangulated(outline)
    bottom, top = (np.column_stack([outline, np.full(len(outline), z)]) for z in (low, high))
    sides = netted(np.stack([np.vstack([bottom, bottom[:1]]), np.vstack([top, top[:1]])]))
    return np.concatenate([top[ears], bottom[ears[:, ::-1]], sides])


def _area(polygon: Array) -> float:
    (x, y), (a, b) = polygon.T, np.roll(polygon, -1, axis=0).T
    return float(0.5 * (x * b - a * y).sum())


def triangulated(polygon: Array) -> Array:
    """Triangles by number of a polygon that turns against the clock: ears are cut off one by one (Meisters 1975)."""
    left, found = list(range(len(polygon))), []
    while len(left) > 3:
        k = next((k for k in range(len(left)) if _is_ear(polygon, left, k)), 0)
        found.append([left[k - 1], left[k], left[(k + 1) % len(left)]])
        left.pop(k)
    return np.array([*found, left], dtype=np.int64)


def _is_ear(polygon: Array, left: list[int], k: int) -> bool:
    a, b, c = polygon[left[k - 1]], polygon[left[k]], polygon[left[(k + 1) % len(left)]]
    if _side(a, b, c) <= 0.0:
        return False
    others = polygon[[i for i in left if i not in (left[k - 1], left[k], left[(k + 1) % len(left)])]]
    inside = (_side(a, b, others) >= 0.0) & (_side(b, c, others) >= 0.0) & (_side(c, a, others) >= 0.0)
    return not inside.any()


def _side(a: Array, b: Array, p: Array) -> Array:
    """Twice the area of a, b, p: positive where p is to the left of ab."""
    d, e = b - a, p - a
    return np.asarray(d[0] * e[..., 1] - d[1] * e[..., 0])


def coil(turns: int = TURNS, flat: float = 0.03, wire: float = 0.16, sides: int = 7, steps: int = 14) -> Array:
    """A spring of radius 1 from z = 0 to 1, straight at its ends; its wire is ``wire`` thick, and ``flat`` along z."""
    s = np.linspace(0.0, 1.0, turns * steps + 1)
    wound = np.column_stack([np.cos(2 * np.pi * turns * s), np.sin(2 * np.pi * turns * s), 0.08 + 0.84 * s])
    middle = np.vstack([[0.0, 0.0, 0.0], [0.0, 0.0, 0.06], wound, [0.0, 0.0, 0.94], [0.0, 0.0, 1.0]])
    out = np.vstack([[1.0, 0.0, 0.0]] * 2 + [wound * [1, 1, 0]] + [[1.0, 0.0, 0.0]] * 2)
    angles = np.linspace(2.0 * np.pi, 0.0, sides + 1)
    up = np.array([[0.0, wire, 0.0]] * 2 + [[0.0, 0.0, flat]] * len(wound) + [[0.0, wire, 0.0]] * 2)[:, None]
    net = middle[:, None] + wire * (np.cos(angles)[None, :, None] * out[:, None]) + np.sin(angles)[None, :, None] * up
    return netted(net)


def wheel(radius: float, tube: float, spokes: int = 6) -> tuple[Array, Array]:
    """Tyre, hub and spokes about z, with a shade for each triangle."""
    tyre = torus(radius - tube, tube)
    hub = cylinder(0.14 * radius, -1.1 * tube, 1.1 * tube, 20)
    rods = [placed(cylinder(0.35 * tube, 0.1 * radius, radius - tube, 8), spoke(2 * np.pi * k / spokes))
            for k in range(spokes)]  # fmt: skip
    parts = [tyre, hub, *rods]
    shades = [0.45, 1.0, *(1.0 if k else DARK for k in range(spokes))]
    return np.concatenate(parts), np.repeat(shades, [len(part) for part in parts])


def spoke(angle: float) -> Array:
    """A rotation that takes z to the direction at an angle in the plane of x and y."""
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return np.array([[0.0, -s, c], [0.0, c, s], [-1.0, 0.0, 0.0]])


def slab(polygon: Array, axis: Array, thick: float) -> Array:
    """A polygon (n, 3) in a plane across a unit vector, so thick on either side of it."""
    turn = along(axis)
    flat = polygon @ turn
    return placed(prism(flat[:, :2], -0.5 * thick, 0.5 * thick), turn, float(flat[0, 2]) * axis)


def placed(triangles: Array, rotation: Array, at: Array | tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Array:
    """Triangles turned and moved."""
    moved: Array = triangles @ np.asarray(rotation).T + np.asarray(at)
    return moved


def along(axis: Array) -> Array:
    """A rotation that takes z to a unit vector."""
    z = np.asarray(axis, dtype=float)
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def sectors(triangles: Array, count: int = 2) -> Array:
    """Shades that alternate in so many pairs of sectors about z, by which one sees that something round turns."""
    middles = triangles.mean(axis=1)
    angle = np.arctan2(middles[:, 1], middles[:, 0])
    dark = np.floor(angle / (np.pi / count)).astype(int) % 2 == 1
    return np.where(dark, DARK, 1.0)
