"""What a robot file says, as numbers: links, joints, drives. URDF and MJCF are read into these and built from them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from latchwork.formats.places import Place
from latchwork.formats.robot.geometry import Geometry, Touching
from latchwork.formats.robot.rotations import Array, Pose

WELD, REVOLUTE, PRISMATIC, PLANAR, BALL, FREE = "weld", "revolute", "prismatic", "planar", "ball", "free"
ONE_AXIS = (REVOLUTE, PRISMATIC)


@dataclass(frozen=True)
class Limits:
    """What a joint can do, in rad or m, rad/s or m/s, Nm or N. Kept as data; equations know nothing of them."""

    lower: float = -math.inf
    upper: float = math.inf
    speed: float = math.inf
    effort: float = math.inf


@dataclass(frozen=True, eq=False)
class Inertial:
    """Mass, mass centre and central inertia matrix, measures in some frame."""

    mass: float
    center: Array
    matrix: Array

    def seen_from(self, pose: Pose) -> Inertial:
        """The same in the frame in which ``pose`` places this one."""
        return Inertial(self.mass, pose.R @ self.center + pose.p, pose.R @ self.matrix @ pose.R.T)

    @property
    def is_nothing(self) -> bool:
        return self.mass == 0.0 and not self.matrix.any()

    @property
    def about_origin(self) -> Array:
        """The inertia matrix about the frame's origin."""
        return self.matrix + shift(self.mass, self.center)

    def about_axis(self, axis: Array) -> float:
        """Moment of inertia about an axis through the frame's origin."""
        return float(axis @ self.about_origin @ axis)


def shift(mass: float, d: Array) -> Array:
    """The inertia matrix of a particle: m (d² U - d d)."""
    return mass * (d @ d * np.eye(3) - np.outer(d, d))


NOTHING = Inertial(0.0, np.zeros(3), np.zeros((3, 3)))


def combined(parts: Iterable[Inertial]) -> Inertial:
    """Several bodies as one: m = Σ m, m c = Σ m c, I = Σ I + m (d² U - d d) with d = c_part - c."""
    parts = [part for part in parts if not part.is_nothing]
    if len(parts) < 2:
        return parts[0] if parts else NOTHING
    mass = sum(part.mass for part in parts)
    center = sum((part.mass * part.center for part in parts), np.zeros(3)) / mass if mass else np.zeros(3)
    matrix = np.zeros((3, 3))
    for part in parts:
        matrix = matrix + part.matrix + shift(part.mass, part.center - center)
    return Inertial(mass, center, matrix)


@dataclass(frozen=True, eq=False)
class LinkPart:
    """A link: a frame with a name, and what is fixed in it. ``hidden`` ones stand between the joints of one body."""

    name: str
    place: Place
    inertial: Inertial = NOTHING
    hidden: bool = False
    geometry: tuple[Geometry, ...] = ()
    looks: tuple[Any, ...] = ()  # `visuals.Look`: what it shows


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: q = multiplier · q_other + offset."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class JointPart:
    """A joint between two links; ``pose`` places the child in the parent at rest, ``axis`` has measures in the child.

    A joint turns or slides by q - ``ref``. Its spring pulls towards ``spring_rest``; ``armature`` is inertia that only
    its own speed moves.
    """

    name: str
    kind: str
    parent: str
    child: str
    place: Place
    pose: Pose = field(default_factory=Pose)
    axis: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    limits: Limits = Limits()
    mimic: Mimic | None = None
    ref: float = 0.0
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    spring_rest: float = 0.0
    armature: float = 0.0

    @property
    def has_one_axis(self) -> bool:
        return self.kind in ONE_AXIS


@dataclass(frozen=True)
class Drive:
    """An input r on a joint: effort = gear · clip(gain · r + b0 + b1 · gear · q + b2 · gear · q̇, lowest, highest)."""

    name: str
    joint: str
    gear: float = 1.0
    gain: float = 1.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    lowest: float = -math.inf
    highest: float = math.inf


@dataclass(frozen=True, eq=False)
class LinkTie:
    """A place in one link and a place in another that come together: their origins (ball), or all of them (weld)."""

    name: str
    place: Place
    kind: str
    first: str
    second: str
    one: Pose
    two: Pose


@dataclass(frozen=True)
class JointTie:
    """A joint whose coordinate is a polynomial in that of another, both from their ``refs``; alone it is held."""

    name: str
    place: Place
    first: str
    second: str
    law: tuple[float, ...]
    refs: tuple[float, float]


Tie = LinkTie | JointTie


@dataclass(frozen=True, eq=False)
class Description:
    """A whole robot: a tree of links from ``root``, joints with parents before children."""

    name: str
    root: str
    links: dict[str, LinkPart]
    joints: list[JointPart]
    drives: list[Drive]
    gravity: tuple[float, float, float]
    ties: list[Tie] = field(default_factory=list)
    touching: Touching = field(default_factory=Touching)
    joins_root: bool = True  # bodies on the root do not collide with it
