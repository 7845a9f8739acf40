"""Aligned scenes of contact, by seed: places on a grid, angles in steps of 15°, equal sizes, touching at the start.

``scene(seed)`` describes one, in the plane or in space; ``scene(seed).play()`` runs it; ``wrong(s, run)`` names the
laws that it breaks: those of `scene_laws`, and two that only aligned scenes have. What is its own mirror image stays
so; and ground of several flush pieces is one piece of ground.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import latchwork as lw
from random_scenes import MOST_STEPS, Scene
from scene_laws import broken
from scene_shapes import Array, Ground, Solid, ball, box, capsule, disk, from_flat, hull

STEP = math.pi / 12.0  # of angles
GRID = 0.25  # m, of places
ROOM = 8.0  # m: how far pieces of ground go on
MIRRORED = 1e-7  # of the size of a scene: how far a mirror image may be off
FLUSH = 1e-7  # the same of ground in pieces: runs of other steps
LEVEL = from_flat(np.zeros(3), np.array([0.0, 1.0, 0.0])), from_flat(np.zeros(3), np.array([0.0, 0.0, 1.0]))


class Aligned(Scene):
    """An aligned scene: in the plane or in space, and what it must be like besides."""

    space: bool = False
    mirrored: bool = False  # A and B are mirror images in x
    seams: str | None = None  # ground in pieces

    def law(self) -> dict[str, Any]:
        """Restitution, friction and a law of impact, in round numbers."""
        return {"restitution": self.pick(0.0, 0.0, 0.5, 1.0), "friction": self.pick(None, 0.0, 0.25, 0.5, 1.0),
                "impact": self.pick("newton", "poisson", "energetic")}  # fmt: skip

    def grid(self, low: int, high: int) -> float:
        """A place on the grid, between so many of its steps."""
        return GRID * int(self.rng.integers(low, high + 1))


# --- bodies -------------------------------------------------------------------------------------------------------


def rotation(space: bool, axis: int, angle: float) -> Array:
    """The matrix of a turn about an axis, about z in the plane."""
    k = np.eye(3)[axis if space else 2]
    K = np.array([[0.0, -k[2], k[1]], [k[2], 0.0, -k[0]], [-k[1], k[0], 0.0]])
    R: Array = np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * K @ K
    return R


def core(kind: str, size: float, space: bool) -> tuple[Array, float]:
    """The points whose hull is the core of a shape, in its body, and a radius about that."""
    h = 0.5 * size
    if kind == "round":
        return np.zeros((1, 3)), h
    if kind == "capsule":
        return np.array([[-h, 0.0, 0.0], [h, 0.0, 0.0]]), 0.5 * h
    if kind in ("box", "slab", "cube hull"):
        low = 0.5 * h if kind == "slab" else h
        sizes = (h, h, low) if space else (h, low, 0.0)
        x = np.array(list(itertools.product(*((-s, s) for s in sizes[: 3 if space else 2]))))
        return np.column_stack([x, np.zeros((len(x), 3 - x.shape[1]))]), 0.0
    if space:  # an octahedron
        return h * np.vstack([np.eye(3), -np.eye(3)]), 0.0
    count = 6 if kind == "hexagon" else 3
    angle = 2.0 * math.pi * np.arange(count) / count + 0.5 * math.pi
    return h * np.column_stack([np.cos(angle), np.sin(angle), np.zeros(count)]), 0.0


def made(link: lw.Link, body: lw.Body, kind: str, size: float, space: bool, tag: str) -> Solid:
    """A shape of a body, in round numbers."""
    if kind == "round":
        return (ball if space else disk)(link, body, 0.5 * size, tag)
    if kind == "capsule":
        return capsule(link, body, 0.5 * size, 0.25 * size, tag)
    if kind in ("box", "slab"):
        low = 0.5 * size if kind == "slab" else size
        return box(link, body, (size, size, low) if space else (size, low), tag)
    return hull(link, body, core(kind, size, space)[0][:, : 3 if space else 2], tag)


SHAPES = ("box", "box", "box", "slab", "cube hull", "round", "capsule", "hexagon", "triangle")


def place(s: Aligned, kind: str, size: float, at: Array, turn: tuple[int, int] = (2, 0), v: Any = (0.0, 0.0, 0.0),
          mass: float = 1.0) -> Solid:  # fmt: skip
    """A free body of a shape: at a place, turned about an axis by so many steps, with a velocity."""
    name, space = "ABCDEFGHIJ"[len(s.solids)], s.space
    link = s.model.free(name) if space else s.model.planar(name)
    J = mass * size * size / 6.0
    body = s.model.body(f"body {name}", link, link.origin, mass, lw.inertia(link.frame, xx=J, yy=J, zz=J))
    angle = STEP * turn[1]
    if space:
        e = [math.cos(0.5 * angle), *(math.sin(0.5 * angle) * np.eye(3)[turn[0]]).tolist()]
        s.q += [*map(float, at), *e]
        s.u += [*map(float, v), 0.0, 0.0, 0.0]
    else:
        s.q += [float(at[0]), float(at[1]), angle]
        s.u += [float(v[0]), float(v[1]), 0.0]
    one = made(link, body, kind, size, space, f"{name}x")
    s.solids.append((link, body, one))
    return one


def extent(s: Aligned, kind: str, size: float, turn: tuple[int, int], way: Array) -> float:
    """How far a turned shape reaches along a direction."""
    x, r = core(kind, size, s.space)
    return float((x @ rotation(s.space, turn[0], STEP * turn[1]).T @ way).max()) + r


def upwards(s: Aligned) -> Array:
    """The unit vector against gravity."""
    return np.array([0.0, 0.0, 1.0] if s.space else [0.0, 1.0, 0.0])


def turned(s: Aligned, square: bool = False) -> tuple[int, int]:
    """An axis and steps of 15°; of 90° where it stays square."""
    axis = int(s.rng.integers(3)) if s.space else 2
    return axis, 6 * int(s.rng.integers(4)) if square else int(s.rng.integers(-6, 7))


def meet(s: Aligned, name: str, a: Solid, b: Solid | Ground, law: dict[str, Any]) -> None:
    """A contact of the model."""
    s.model.contact(name, a.shape, b.shape, **law)
    s.delassus_programs.append((name, a, b))


def fall(s: Aligned) -> None:
    s.model.gravity(-9.81 * (s.model.frame.z if s.space else s.model.frame.y))


# --- ground -------------------------------------------------------------------------------------------------------


def ground(s: Aligned, kind: str) -> list[Ground]:
    """Level ground at height 0: a half-space, a table, two tables side by side, segments, an outline."""
    N, O, apart = s.model.frame, s.model.origin, LEVEL[s.space]
    if kind == "half-space":
        return [Ground(lw.Plane(O, N.z) if s.space else lw.Line(O, N.x, N.y), apart)]
    if kind in ("table", "tables"):
        wide, middles = (20.0, [0.0]) if kind == "table" else (10.0, [-5.0, 5.0])
        sizes = (wide, 20.0, 1.0) if s.space else (wide, 1.0)
        down = -0.5 * (N.z if s.space else N.y)
        return [Ground(lw.Box(O.at(f"table {i}", x * N.x + down), sizes, N), apart) for i, x in enumerate(middles)]
    ends = [O.at(f"G{i}", x * N.x) for i, x in enumerate((-10.0, 0.0, 10.0))]
    if kind == "segments":
        return [Ground(lw.Segment(p, q, normal=N.y), apart) for p, q in itertools.pairwise(ends)]
    more = [O.at(f"H{i}", x * N.x) for i, x in enumerate(np.linspace(-10.0, 10.0, 41).tolist())]
    return [Ground(lw.Polyline(more), apart)]


def grounds(s: Aligned) -> list[Ground]:
    flat = () if s.space else ("segments", "outline")
    return ground(s, s.pick("half-space", "half-space", "table", "tables", *flat))


def on_ground(s: Aligned, under: list[Ground], law: dict[str, Any]) -> None:
    """Contacts of all bodies with all ground, and among each other."""
    for i, (link, _, one) in enumerate(s.solids):
        for k, each in enumerate(under):
            meet(s, f"{link.name} on ground{'' if len(under) == 1 else f' {k + 1}'}", one, each, law)
        for other, _, two in s.solids[:i]:
            meet(s, f"{link.name} on {other.name}", one, two, law)


# --- families -----------------------------------------------------------------------------------------------------


def dropped(s: Aligned) -> None:
    """Bodies over ground, at some steps of 15°, above each other or beside; touching the ground or not."""
    under, up, height, law = grounds(s), upwards(s), 0.0, s.law()
    size, above = s.pick(0.5, 1.0), s.chance(0.5)
    x = 0.0
    for _ in range(s.pick(1, 1, 2) if s.space else s.pick(1, 2, 3)):
        kind, turn = s.pick(*SHAPES), turned(s, s.chance(0.5))
        low = s.pick(0.0, GRID, 2 * GRID) + extent(s, kind, size, turn, -up)
        if above:
            place(s, kind, size, (height + low) * up, turn)
            height += low + extent(s, kind, size, turn, up)
        else:
            left, right = (extent(s, kind, size, turn, np.array([way, 0.0, 0.0])) for way in (-1.0, 1.0))
            place(s, kind, size, low * up + np.array([x + left, 0.0, 0.0]), turn)
            x += left + right + s.pick(0.0, GRID)
    fall(s)
    on_ground(s, under, law)


def slid(s: Aligned) -> None:
    """Boxes, disks and balls on ground, in a row, that slide into each other."""
    under, up, law = grounds(s), upwards(s), s.law()
    size, x = s.pick(0.5, 1.0), -2.0
    for _ in range(2 if s.space else s.pick(1, 2, 3)):
        kind, turn = s.pick("box", "box", "slab", "cube hull", "round"), turned(s, True)
        low = extent(s, kind, size, turn, -up)
        left, right = (extent(s, kind, size, turn, np.array([way, 0.0, 0.0])) for way in (-1.0, 1.0))
        speed = s.pick(-2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
        place(s, kind, size, low * up + np.array([x + left, 0.0, 0.0]), turn, (speed, 0.0, 0.0))
        x += left + right + s.pick(0.0, 0.0, GRID, 2 * GRID)
    fall(s)
    on_ground(s, under, law)


def stacked(s: Aligned) -> None:
    """Equal boxes one above the other, exactly or by half a size aside, touching or a step of the grid apart."""
    under, up, law = grounds(s), upwards(s), s.law()
    size, kind, height = s.pick(0.5, 1.0), s.pick("box", "box", "slab", "cube hull"), 0.0
    gap, aside = s.pick(0.0, 0.0, 0.5 * GRID), s.pick(0.0, 0.0, 0.25)
    tall = 2.0 * extent(s, kind, size, (2, 0), up)
    for i in range(s.pick(2, 2, 3) if s.space else s.pick(2, 3, 4)):
        height += gap
        place(s, kind, size, (height + 0.5 * tall) * up + np.array([aside * size * (i % 2), 0.0, 0.0]))
        height += tall
    fall(s)
    on_ground(s, under, law)


def pushed(s: Aligned) -> None:
    """A row of equal crates that touch, on ground, and a force that pushes the first."""
    under, up, law = grounds(s), upwards(s), s.law()
    size, gap, kind = s.pick(0.5, 1.0), s.pick(0.0, 0.0, GRID), s.pick("box", "box", "slab", "round")
    low = extent(s, kind, size, (2, 0), -up)
    for i in range(2 if s.space else s.pick(1, 2, 3)):
        place(s, kind, size, low * up + np.array([i * (size + gap), 0.0, 0.0]))
    fall(s)
    push = s.model.input("push")
    s.model.force(s.solids[0][0].origin, push * s.model.frame.x)
    force = s.pick(0.0, 2.5, 10.0, 20.0, 40.0)
    s.inputs = {"push": force * lw.sin(5.0 * s.model.time) if s.chance(0.3) else force}
    s.driven, mass = True, float(s.solids[0][1].mass)
    s.until = min(s.until, math.sqrt(2.0 * ROOM * mass / force)) if force > 0.0 else s.until  # not off the ground
    on_ground(s, under, law)


def adrift(s: Aligned) -> None:
    """Two bodies in the air that meet: face to face, edge on edge, corner on corner, or by half."""
    law, size = s.law(), s.pick(0.5, 1.0)
    way = np.array([1.0, 0.0, 0.0])
    kinds = [s.pick(*SHAPES)] * 2 if s.chance(0.6) else [s.pick(*SHAPES) for _ in range(2)]
    turns = [turned(s, s.chance(0.5))] * 2 if s.chance(0.5) else [turned(s, s.chance(0.5)) for _ in range(2)]
    speed, gap = s.pick(0.5, 1.0, 4.0), s.pick(0.0, GRID, 2 * GRID)
    offset = np.array([0.0, s.pick(0.0, 0.0, 0.5, 1.0), s.pick(0.0, 0.0, 0.5) if s.space else 0.0]) * size
    v = speed * way + (s.pick(0.0, 0.0, -1.0) * speed * np.sign(offset))
    far = extent(s, kinds[0], size, turns[0], way) + extent(s, kinds[1], size, turns[1], -way) + gap
    place(s, kinds[0], size, np.zeros(3), turns[0], v, s.pick(1.0, 2.0))
    place(s, kinds[1], size, far * way + offset, turns[1], -v if s.chance(0.5) else np.zeros(3))
    s.alone, s.until = True, 1.0
    meet(s, "B on A", s.solids[1][2], s.solids[0][2], law)


def mirrored(s: Aligned) -> None:
    """Two mirror images on ground, or over it, that touch or move towards each other; not tip on tip, where contacts of
    several normals act one after the other in their order."""
    under, up, law = ground(s, s.pick("half-space", "table")), upwards(s), s.law()
    kind, size = s.pick("box", "box", "slab", "cube hull", "round", "capsule"), s.pick(0.5, 1.0)
    turn = (1 if s.space else 2, turned(s, True)[1])
    gap, speed, lift = s.pick(0.0, GRID, 2 * GRID), s.pick(0.0, 1.0, 2.0), s.pick(0.0, 0.0, GRID)
    low = lift + extent(s, kind, size, turn, -up)
    right = extent(s, kind, size, turn, np.array([1.0, 0.0, 0.0]))
    for side in (-1.0, 1.0):
        at = low * up + np.array([side * (right + 0.5 * gap), 0.0, 0.0])
        place(s, kind, size, at, (turn[0], turn[1] if side < 0.0 else -turn[1]), (-side * speed, 0.0, 0.0))
    fall(s)
    s.mirrored, s.until = True, 0.4
    on_ground(s, under, law)


def over_seams(s: Aligned) -> None:
    """A box, disk or ball that slides or rolls over ground in pieces, as over ground in one piece."""
    flat = () if s.space else ("segments", "outline")
    s.seams = s.pick("tables", *flat)
    slide(s, ground(s, s.seams))


def slide(s: Aligned, under: list[Ground]) -> None:
    """What slides over the middle of ground."""
    up, law = upwards(s), {"restitution": s.pick(0.0, 0.5), "friction": s.pick(None, 0.25, 0.5)}
    kind, size, speed = s.pick("box", "box", "slab", "cube hull", "round"), s.pick(0.5, 1.0), s.pick(1.0, 2.0, 4.0)
    lift, start, turn = s.pick(0.0, 0.0, 0.0, GRID), s.pick(-0.75, -0.5, -0.25, 0.0), turned(s, True)
    at = (lift + extent(s, kind, size, turn, -up)) * up + np.array([start, 0.0, 0.0])
    place(s, kind, size, at, turn, (speed, 0.0, 0.0))
    fall(s)
    on_ground(s, under, law)


def hinged(s: Aligned) -> None:
    """One or two links in line that swing, or hang, over a floor that the last of them just grazes, meets or misses."""
    N, O, model = s.model.frame, s.model.origin, s.model
    at, inboard, long, count = O, N, s.pick(0.5, 1.0), s.pick(1, 1, 2)
    kind, start, law, up = s.pick("box", "box", "round", "capsule"), s.pick(0, 2, 3, 4, 6), s.law(), upwards(s)
    for i in range(count):
        link = model.revolute(f"L{i}", inboard, at=at, axis=-N.y if s.space else N.z)
        down = -(link.frame.z if s.space else link.frame.y)
        middle, at = link.origin.at(f"M{i}", 0.5 * long * down), link.origin.at(f"T{i}", long * down)
        body = model.body(f"link {i}", link, middle, 1.0, lw.inertia(link.frame, yy=0.1 * long**2, zz=0.1 * long**2))
        inboard = link
    s.q, s.u = [STEP * start, *[0.0] * (count - 1)], [s.pick(0.0, 0.0, 1.0), *[0.0] * (count - 1)]
    one = last_link(s, kind, link, body, long)
    reach, wide = count * long + one.radius, 0.125 * (kind == "box")
    level = s.pick(math.hypot(count * long, wide) + one.radius, reach, reach - 0.125, 0.5 * reach)
    level = max(level, count * long * math.cos(s.q[0]) + wide * abs(math.sin(s.q[0])) + one.radius)
    floor = O.at("F", N.vector(*(-level * up).tolist()))
    shape = lw.Plane(floor, N.z) if s.space else lw.Line(floor, N.x, N.y)
    s.model.gravity(-9.81 * N.vector(*up.tolist()))
    meet(s, "end on floor", one, Ground(shape, from_flat(-level * up, up)), law)
    s.until = 1.0


def last_link(s: Aligned, kind: str, link: lw.Link, body: lw.Body, long: float) -> Solid:
    """The shape of a link that hangs down: a ball at its end, a capsule from its middle to its end, a box."""
    frame, r = link.frame, 0.125
    down = -(frame.z if s.space else frame.y)
    middle, end = (link.origin.at(name, part * long * down) for name, part in (("half", 0.5), ("end", 1.0)))
    if kind == "round":
        return Solid((lw.Sphere if s.space else lw.Circle)(end, r, body=body), (end,), r, long)
    if kind == "capsule":
        return Solid(lw.Capsule(middle, end, r, body=body), (middle, end), r, long)
    sizes = (2.0 * r, 2.0 * r, long) if s.space else (2.0 * r, long)
    signs = np.array(list(itertools.product((-0.5, 0.5), repeat=len(sizes)))) * sizes
    corners = [frame.vector(*row, *[0.0] * (3 - len(row))) for row in signs.tolist()]
    points = tuple(middle.at(f"K{i}", corner) for i, corner in enumerate(corners))
    return Solid(lw.Box(middle, sizes, body=body), points, 0.0, long)


def on_rails(s: Aligned) -> None:
    """Carts on one rail with equal bumpers, towards each other; a wall at the end sometimes."""
    N, model, law = s.model.frame, s.model, s.law()
    kind, size, x = s.pick("box", "box", "round", "capsule", "hexagon", "cube hull"), s.pick(0.5, 1.0), 0.0
    far, near = (extent(s, kind, size, (2, 0), np.array([way, 0.0, 0.0])) for way in (1.0, -1.0))
    for i, name in enumerate("ABC"[: s.pick(2, 2, 3)]):
        link = model.prismatic(name, N, axis=N.x)
        body = model.body(f"cart {name}", link, link.origin, s.pick(1.0, 1.0, 2.0), lw.inertia(link.frame, zz=1.0))
        s.q.append(x + near)
        x += near + far + s.pick(0.0, GRID, 2 * GRID)
        s.u.append(s.pick(2.0, 1.0) if i == 0 else s.pick(0.0, -1.0))
        s.solids.append((link, body, made(link, body, kind, size, s.space, f"{name}x")))
    for (one, _, a), (other, _, b) in itertools.pairwise(s.solids):
        meet(s, f"{other.name} on {one.name}", b, a, law)
    s.alone = not s.chance(0.4)
    if not s.alone:
        wall, out = np.array([x + GRID, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0])
        foot = model.origin.at("W", N.vector(*wall.tolist()))
        shape = lw.Plane(foot, -N.x) if s.space else lw.Line(foot, N.y, -N.x)
        meet(s, "wall", s.solids[-1][2], Ground(shape, from_flat(wall, out)), law)
    s.until = 1.0


FAMILIES: dict[str, Callable[[Aligned], None]] = {
    "dropped": dropped, "slid": slid, "stacked": stacked, "pushed": pushed, "adrift": adrift, "mirrored": mirrored,
    "over seams": over_seams, "hinged": hinged, "on rails": on_rails,
}  # fmt: skip
KINDS = [(kind, space) for kind in FAMILIES for space in (False, True)]


def scene(seed: int) -> Aligned:
    """The scene of a seed; its family is its remainder."""
    kind, space = KINDS[seed % len(KINDS)]
    return described(seed, kind, space, FAMILIES[kind])


def described(seed: int, kind: str, space: bool, family: Callable[[Aligned], None]) -> Aligned:
    s = Aligned(seed, lw.Model("aligned"), np.random.default_rng([seed, 17]))
    s.kind, s.space, s.until = f"{kind} in {'space' if space else 'the plane'}", space, 0.75
    s.method = lw.DormandPrince(max_steps=MOST_STEPS)
    family(s)
    return s


# --- laws ---------------------------------------------------------------------------------------------------------


def wrong(s: Aligned, run: lw.Trajectory) -> list[str]:
    """The laws that a run breaks."""
    return [*broken(s, run), *mirror_image(s, run), *one_piece(s, run)]


def mirror_image(s: Aligned, run: lw.Trajectory) -> list[str]:
    """A at x is B at −x."""
    if not s.mirrored:
        return []
    a, b = (np.asarray(each) for each in run.each(*(link.origin for link, _, _ in s.solids[:2])))
    off = float(np.abs(a * [-1.0, 1.0, 1.0] - b).max())
    return [f"no mirror image by {off:.1e}"] if off > MIRRORED else []


def one_piece(s: Aligned, run: lw.Trajectory) -> list[str]:
    """The same motion as over ground in one piece."""
    if s.seams is None:
        return []

    def plain(other: Aligned) -> None:
        other.pick("tables", *(() if other.space else ("segments", "outline")))
        slide(other, ground(other, "half-space"))

    whole = described(s.seed, s.kind.split(" in ")[0], s.space, plain).play()
    off = float(np.abs(run.x[-1] - whole.x[-1]).max())
    return [f"not as over one piece by {off:.1e}"] if off > FLUSH else []
