"""Shapes of a robot's links, and what collides: everything with the ground, and with itself where that is asked for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.algebra.products import dot
from latchwork.contact.collision import prism_of
from latchwork.contact.shapes import Box, Capsule, Cylinder, Hull, Plane, Sphere
from latchwork.errors import FileError
from latchwork.formats.robot.geometry import BOX, CAPSULE, CYLINDER, MESH, PLANE, SPHERE, Geometry
from latchwork.formats.robot.merge import MergedBody
from latchwork.formats.robot.parts import Description
from latchwork.formats.robot.robot import Names, Robot
from latchwork.formats.robot.rotations import Array, Pose, is_permutation
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point

SIDES = 16  # of the prism that stands for a cylinder where links meet each other
GROUND = "ground"
USUAL = 1.0  # friction of shapes that say nothing of it, as in MuJoCo
SHAPE, FLOOR = (1, 0), (0, 1)  # bits where shapes meet the ground only
Placed = tuple[str, Geometry, Frame, Point, Pose]  # the link, and where its frame is in the frame of its body


@dataclass(frozen=True)
class Colliding:
    """What is asked for: a ground (at a height, or under the lowest place), collisions of links, and their laws."""

    ground: bool | float = False
    links: bool = False
    friction: Any = None
    restitution: float = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.ground, (bool, int, float)) or not math.isfinite(self.ground):
            raise FileError(f"ground is {self.ground!r}. Give True for a floor under the robot, or its height in N.")

    @property
    def wanted(self) -> bool:
        return self.links or self.ground is not False


def add_collisions(robot: Robot, description: Description, wanted: Colliding, placed: list[Placed],
                   bodies: list[MergedBody]) -> None:  # fmt: skip
    """The shapes of a robot, on a ground or among themselves."""
    maker = ShapeMaker(robot)
    found = [(link, geometry, maker.shape(link, geometry, frame, origin, pose))
             for link, geometry, frame, origin, pose in placed]  # fmt: skip
    if not found:
        raise FileError(f"'{robot.name}' has no collision geometry, so nothing can touch. Load it without ground= and "
                        "collisions=, and give it shapes: body.box(...).", robot.name)  # fmt: skip
    shapes = {id(geometry): shape for _, geometry, shape in found}
    masks = {shape: (g.contype, g.conaffinity) if wanted.links else SHAPE for _, g, shape in found}
    things: list[Any] = [{geometry.name or link: shape} for link, geometry, shape in found]
    floor = None
    if wanted.ground is not False:
        floor = _floor(robot, description, wanted.ground)
        masks[floor] = (1, 1) if wanted.links else FLOOR
        things.append({GROUND: floor})
    without = _left_out(description, [(link, shape) for link, _, shape in found], bodies) if wanted.links else []
    for name, law in _listed(description, found):
        a, b = shapes[id(law[0])], shapes[id(law[1])]
        robot.contact(name, _met(a, b), _met(b, a), friction=law[2], restitution=wanted.restitution)
        without.append((a, b))
    laws = _laws(robot, wanted, [(g, shape) for _, g, shape in found], floor)
    robot.collide(*things, masks=masks, without=without, sides=SIDES if wanted.links else None,
                  neighbours=description.touching.parents_too, name="robot", **laws)  # fmt: skip
    prisms = _prisms([link for link, geometry, _ in found if geometry.kind == CYLINDER]) if wanted.links else ()
    robot.notes += (*description.touching.notes, *prisms, *_shapeless({link for link, *_ in found}, bodies))


def _met(shape: Any, other: Any) -> Any:
    """A shape of a listed pair: a cylinder is a prism for all but planes, as it is in pairs without a list."""
    return prism_of(shape, SIDES) if isinstance(shape, Cylinder) and not isinstance(other, Plane) else shape


def _prisms(links: list[str]) -> tuple[str, ...]:
    """A note of links with cylinders."""
    if not links:
        return ()
    shown = _few(list(dict.fromkeys(links)))
    return (f"cylinders of {shown} are exact on planes, and prisms of {SIDES} sides where they meet other shapes",)


def _few(names: list[str]) -> str:
    """The first three of some names, and how many more there are."""
    return ", ".join(f"'{name}'" for name in names[:3]) + f" and {len(names) - 3} more" * (len(names) > 3)


def _shapeless(links: set[str], bodies: list[MergedBody]) -> tuple[str, ...]:
    """A note of bodies that have mass and no shape."""
    names = [body.name for body in bodies if body.inertial.mass > 0.0 and not links & body.links.keys()]
    if not names:
        return ()
    does = "have no collision geometry and pass" if len(names) > 1 else "has no collision geometry and passes"
    return (f"{_few(names)} {does} through everything: give shapes in the file, or robot.collide(...) them",)


def _floor(robot: Robot, description: Description, ground: bool | float) -> Plane:
    """At a height, or through the lowest place of all shapes where every coordinate is zero."""
    height = lowest(description) if ground is True else float(ground)
    height = height if math.isfinite(height) else 0.0
    return Plane(robot.origin.at(Names(robot.points).any(GROUND), height * robot.frame.z), robot.frame.z)


def lowest(description: Description) -> float:
    """The least height of any shape where joints are as they are drawn."""
    poses = {description.root: Pose()}
    for joint in description.joints:
        poses[joint.child] = poses[joint.parent] @ joint.pose
    return min((geometry.lowest(poses[name]) for name, link in description.links.items()
                for geometry in link.geometry), default=math.inf)  # fmt: skip


def _listed(description: Description, found: list[tuple[str, Geometry, Any]]) -> Iterator[tuple[str, Any]]:
    """Pairs that a file lists with laws of their own."""
    named = {geometry.name: geometry for _, geometry, _ in found}
    for pair in description.touching.listed:
        yield f"{pair.first} on {pair.second}", (named[pair.first], named[pair.second], pair.friction)


def _left_out(description: Description, found: list[tuple[str, Any]], bodies: list[MergedBody]) -> list[Any]:
    """Shapes of links that a file excludes; and of bodies that a joint joins, where the tree does not tell it: a base
    that is fixed in N has no body of its own."""
    of: dict[str, list[Any]] = {}
    for link, shape in found:
        of.setdefault(link, []).append(shape)
    pairs = [*description.touching.excluded]
    if not description.touching.parents_too and description.joins_root:
        root = bodies[0]
        pairs += [(a, b) for child in root.children for a in root.links for b in child.links]
    return [(a, b) for one, other in pairs for a, b in itertools.product(of.get(one, ()), of.get(other, ()))]


def _laws(robot: Robot, wanted: Colliding, found: list[tuple[Geometry, Any]], floor: Any) -> Mapping[str, Any]:
    """One friction for all; or materials by the frictions that shapes have, a pair has the larger, as in MuJoCo."""
    if wanted.friction is not None or all(geometry.friction is None for geometry, _ in found):
        mu = USUAL if wanted.friction is None else wanted.friction
        return {"friction": mu, "restitution": wanted.restitution}
    rows: dict[tuple[float, bool], str] = {}
    keys = [((USUAL if g.friction is None else g.friction, g.slips), shape) for g, shape in found]
    for key, shape in keys if floor is None else [*keys, ((USUAL, False), floor)]:
        if key not in rows:
            rows[key] = f"friction {key[0]:g}{' without tangents' * key[1]}"
            robot.material(rows[key], friction=None if key[1] else key[0], restitution=wanted.restitution)
        robot.materials.of[shape] = rows[key]
    for (one, a), (other, b) in itertools.combinations(rows.items(), 2):
        mu = None if one[1] and other[1] else max(one[0], other[0])
        robot.material_pair(a, b, friction=mu, restitution=wanted.restitution)
    return {}


class ShapeMaker:
    """Makes shapes of links."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.frames, self.points = Names(robot.frames), Names(robot.points)

    def shape(self, link: str, geometry: Geometry, frame: Frame, origin: Point, pose: Pose) -> Any:
        """The shape of a geometry of a link, which lies at ``pose`` in a frame from its origin."""
        seen = geometry.seen_from(pose)
        with geometry.place.blamed():
            return MAKERS[geometry.kind](self, geometry, link, frame, origin, seen)

    def at(self, link: str, frame: Frame, origin: Point, place: Array) -> Point:
        """A new point of a body."""
        return origin.at(self.points.any(f"{link}_shape"), frame.vector(*map(float, place)))

    def box(self, g: Geometry, link: str, frame: Frame, origin: Point, seen: Pose) -> Box:
        center = self.at(link, frame, origin, seen.p)
        if is_permutation(seen.R):
            return Box(center, tuple(map(float, np.abs(seen.R) @ np.array(g.size))), body=frame)
        turned = frame.cosines(self.frames.any(f"{link}_shape"), [[float(x) for x in row] for row in seen.R])
        return Box(center, g.size, body=turned)

    def ends(self, g: Geometry, link: str, frame: Frame, origin: Point, seen: Pose) -> tuple[Point, Point]:
        half = 0.5 * g.size[1] * seen.R[:, 2]
        return self.at(link, frame, origin, seen.p - half), self.at(link, frame, origin, seen.p + half)


Maker = Callable[[ShapeMaker, Geometry, str, Frame, Point, Pose], Any]
MAKERS: dict[str, Maker] = {
    BOX: ShapeMaker.box,
    SPHERE: lambda m, g, link, frame, origin, seen: Sphere(m.at(link, frame, origin, seen.p), g.size[0], body=frame),
    CYLINDER: lambda m, g, link, frame, origin, seen: Cylinder(*m.ends(g, link, frame, origin, seen), g.size[0],
                                                               body=frame),
    CAPSULE: lambda m, g, link, frame, origin, seen: Capsule(*m.ends(g, link, frame, origin, seen), g.size[0],
                                                             body=frame),
    PLANE: lambda m, g, link, frame, origin, seen: Plane(m.at(link, frame, origin, seen.p),
                                                         frame.vector(*map(float, seen.R[:, 2])), body=frame),
    MESH: lambda m, g, link, frame, origin, seen: Hull(dot(g.corners, seen.R.T) + seen.p, body=frame,
                                                         center=origin),
}  # fmt: skip
