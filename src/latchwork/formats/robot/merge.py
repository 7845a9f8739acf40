"""Links welded together become one rigid body: fewer bodies, shorter programs, the same motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from latchwork.formats.robot.parts import (
    BALL,
    FREE,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    WELD,
    Description,
    Inertial,
    JointPart,
    combined,
)
from latchwork.formats.robot.rotations import Array, Pose

LIGHT = 1e-300  # kg, kg m²: below this nothing can be accelerated


@dataclass(eq=False)
class MergedBody:
    """Links that move as one. Everything is placed in the frame of the first link, ``name``, which the joint carries;

    ``title`` is what messages call it.
    """

    name: str
    title: str
    joint: JointPart | None
    parent: MergedBody | None
    links: dict[str, Pose]
    inertial: Inertial
    children: list[MergedBody] = field(default_factory=list)


def merge(description: Description) -> list[MergedBody]:
    """The rigid bodies of a robot, parents before children; a joint's pose is seen from its body's first link."""
    inside = {description.root: description.root}
    poses = {description.root: Pose()}
    moving: list[JointPart] = []
    for joint in description.joints:
        pose = poses[joint.parent] @ joint.pose
        if joint.kind == WELD:
            inside[joint.child], poses[joint.child] = inside[joint.parent], pose
        else:
            inside[joint.child], poses[joint.child] = joint.child, Pose()
            moving.append(replace(joint, parent=inside[joint.parent], pose=pose))
    groups: dict[str, dict[str, Pose]] = {}
    for link, first in inside.items():
        groups.setdefault(first, {})[link] = poses[link]
    bodies: dict[str, MergedBody] = {}
    for first, mover in [(description.root, None), *((joint.child, joint) for joint in moving)]:
        parts = (description.links[link].inertial.seen_from(pose) for link, pose in groups[first].items())
        parent = None if mover is None else bodies[mover.parent]
        seen = {link: pose for link, pose in groups[first].items() if not description.links[link].hidden}
        bodies[first] = MergedBody(first, next(iter(seen), first), mover, parent, seen, combined(parts))
        if parent is not None:
            parent.children.append(bodies[first])
    _must_have_inertia(list(bodies.values()))
    return list(bodies.values())


def _must_have_inertia(bodies: list[MergedBody]) -> None:
    """Every joint moves something that resists, itself, further out, or on a joint that follows it."""
    heavy: set[str] = set()
    for body in reversed(bodies):
        if body.joint is None or body.parent is None:
            continue
        if body.name in heavy or _resistance(body) > LIGHT:
            heavy |= {body.parent.name, body.joint.name if body.joint.mimic is None else body.joint.mimic.joint}
    for body in bodies:
        joint = body.joint
        if joint is not None and joint.mimic is None and not heavy & {body.name, joint.name}:
            raise joint.place.error(
                f"joint '{joint.name}' moves '{body.title}' and what is welded to it: mass {body.inertial.mass:g}, and "
                f"no inertia that resists it. Give '{body.title}' mass and inertia, or make the joint fixed."
            )


def _resistance(body: MergedBody) -> float:
    """The least inertia that a joint finds in its own body."""
    joint, inertial = body.joint, body.inertial
    assert joint is not None
    return joint.armature + RESISTANCE[joint.kind](inertial, joint.axis)


def _least(matrix: Array) -> float:
    return float(np.linalg.eigvalsh(matrix)[0])


RESISTANCE: dict[str, Callable[[Inertial, Array], float]] = {
    REVOLUTE: lambda inertial, axis: inertial.about_axis(axis),
    PRISMATIC: lambda inertial, axis: inertial.mass,
    PLANAR: lambda inertial, axis: min(inertial.mass, float(axis @ inertial.matrix @ axis)),
    BALL: lambda inertial, axis: _least(inertial.about_origin),
    FREE: lambda inertial, axis: min(inertial.mass, _least(inertial.matrix)),
}
