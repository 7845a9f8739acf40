"""Collision geometry of a robot file as numbers: boxes, balls, cylinders, capsules, planes, and corners of meshes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from latchwork.formats.places import Place
from latchwork.formats.robot.rotations import Array, Pose

BOX, SPHERE, CYLINDER, CAPSULE, PLANE, MESH = "box", "sphere", "cylinder", "capsule", "plane", "mesh"


@dataclass(frozen=True, eq=False)
class Geometry:
    """A shape in the frame of a link. ``size``: whole edges of a box; radius; radius and whole length along z.

    A plane has its normal along z. ``corners`` are those of the convex hull of a mesh, (n, 3).
    """

    kind: str
    size: tuple[float, ...]
    pose: Pose
    place: Place
    name: str = ""
    contype: int = 1
    conaffinity: int = 1
    friction: float | None = None  # of its own, as MJCF has it
    slips: bool = False  # condim = 1: no friction with another of the kind
    corners: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def seen_from(self, pose: Pose) -> Pose:
        """Its pose where ``pose`` is that of its link."""
        return pose @ self.pose

    def lowest(self, pose: Pose) -> float:
        """The least z of it where ``pose`` is that of its link; a plane has none."""
        seen = self.seen_from(pose)
        return LOWEST[self.kind](self, seen.R[2], float(seen.p[2]))


def _cylinder(g: Geometry, z: Array, height: float) -> float:
    return height - 0.5 * g.size[1] * abs(float(z[2])) - g.size[0] * math.sqrt(max(1.0 - float(z[2]) ** 2, 0.0))


LOWEST: dict[str, Callable[[Geometry, Array, float], float]] = {
    BOX: lambda g, z, height: height - 0.5 * sum(abs(float(a)) * s for a, s in zip(z, g.size, strict=True)),
    SPHERE: lambda g, z, height: height - g.size[0],
    CYLINDER: _cylinder,
    CAPSULE: lambda g, z, height: height - 0.5 * g.size[1] * abs(float(z[2])) - g.size[0],
    PLANE: lambda g, z, height: math.inf,
    MESH: lambda g, z, height: height + min(math.fsum(a * b for a, b in zip(z.tolist(), row, strict=True))
                                            for row in g.corners.tolist()),
}  # fmt: skip


@dataclass(frozen=True)
class Listed:
    """A pair of geometries by number that has laws of its own."""

    first: str
    second: str
    friction: float | None
    place: Place


@dataclass(frozen=True)
class Touching:
    """What a file says about who collides: pairs of links that never do, pairs with laws of their own; and notes."""

    excluded: tuple[tuple[str, str], ...] = ()
    listed: tuple[Listed, ...] = ()
    parents_too: bool = False  # links that a joint joins collide as well
    notes: tuple[str, ...] = ()
