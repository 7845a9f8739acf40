"""Which frame to write each body in. Any frame fixed in the body will do; the program is short where

- the joint turns about a coordinate axis that body and parent share: constant rotations go into the body's constants;
- where that cannot be, one constant turn leads to the axis, as in Denavit and Hartenberg's tables;
- the origin is slid along the joint's axis to where offsets have the fewest components.

None of this changes the equations. What is chosen is decided by counting components that are not zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from latchwork.formats.robot.merge import MergedBody
from latchwork.formats.robot.parts import PLANAR, PRISMATIC, REVOLUTE, Inertial, JointPart
from latchwork.formats.robot.rotations import EXACT, Array, Pose, is_permutation, snapped, turn, without_noise, z_to
from latchwork.program.elementary.inverse_trigonometric import atan2

ConstantTurn = tuple[int, float]
TURN_COST, OFFSET_COST, ANGLE_COST = 14.0, 4.0, 2.0  # operations, roughly, of what a choice leads to
TIP_COST = 8.0  # of a component of the mass centre, in a body on which none stands: no other vectors suffer


@dataclass(frozen=True, eq=False)
class Placed:
    """How a body is written: its frame in the frame of its first link, and how the joint leads there from the parent.

    From the parent's frame: the point at ``offset``; the constant ``turns`` or the rotation ``cosines``; then the joint
    about or along ``axis``, with ``angle`` added to a turn.
    """

    body: MergedBody
    frame: Pose
    offset: Array
    axis: Array
    turns: tuple[ConstantTurn, ...] = ()
    cosines: Array | None = None
    angle: float = 0.0

    @property
    def inertial(self) -> Inertial:
        """Mass, centre and inertia in the chosen frame."""
        own = self.body.inertial.seen_from(self.frame.inverse)
        matrix = without_noise(own.matrix, float(np.abs(own.matrix).max(initial=0.0)))
        return Inertial(own.mass, without_noise(own.center), (matrix + matrix.T) / 2.0)

    def links(self) -> Iterator[tuple[str, Pose]]:
        """The body's links in the chosen frame."""
        for link, pose in self.body.links.items():
            yield link, self.frame.inverse @ pose


def place(bodies: list[MergedBody]) -> list[Placed]:
    """A frame for every body, parents before children."""
    placed: dict[str, Placed] = {}
    for body in bodies:
        if body.joint is None or body.parent is None:
            placed[body.name] = Placed(body, Pose(), np.zeros(3), np.zeros(3))
        else:
            seen = placed[body.parent.name].frame.inverse @ body.joint.pose
            placed[body.name] = CHOICES.get(body.joint.kind, _as_it_is)(body, seen)
    return list(placed.values())


def _as_it_is(body: MergedBody, seen: Pose) -> Placed:
    """The link's own frame: for balls and free bodies, whose coordinates speak of it."""
    return Placed(body, Pose(), seen.p, np.zeros(3), cosines=seen.R)


def _planar(body: MergedBody, seen: Pose) -> Placed:
    """The plane's normal is z."""
    assert body.joint is not None
    tilt = z_to(body.joint.axis)
    return Placed(body, Pose(tilt), seen.p, np.zeros(3), cosines=snapped(seen.R @ tilt))


def _prismatic(body: MergedBody, seen: Pose) -> Placed:
    """The parent's axes where they suit the children as well, the link's own otherwise; the offset goes outward."""
    assert body.joint is not None
    axis, arm = snapped(seen.R @ body.joint.axis), seen.R.T @ seen.p
    alike, own = Pose(seen.R.T, without_noise(-arm)), Pose()
    if is_permutation(seen.R) or _cost(body, alike) <= _cost(body, own) + 2 * TURN_COST:
        return Placed(body, alike, np.zeros(3), axis)
    return Placed(body, own, seen.p, body.joint.axis, cosines=seen.R)


def _revolute(body: MergedBody, seen: Pose) -> Placed:
    """Constant turns to an axis that is no coordinate axis, then the angle that leaves the fewest components."""
    assert body.joint is not None
    axis, along = snapped(seen.R @ body.joint.axis), body.joint.axis
    turns, k, sign = _towards(axis)
    G = np.eye(3)
    for index, angle in turns:
        G = G @ turn(index, angle)
    slide = _slide(body, float(axis @ seen.p))
    best: tuple[float, Placed] | None = None
    for angle in _angles(body, snapped(seen.R.T @ G), k):
        frame = Pose(snapped(seen.R.T @ G @ turn(k, angle)), without_noise(slide * along))
        cost = _cost(body, frame) + ANGLE_COST * (angle != 0.0)
        if best is None or cost < best[0] - 1e-9:
            offset, unit = without_noise(seen.p + slide * axis), sign * np.eye(3)[k]
            best = cost, Placed(body, frame, offset, unit, turns, angle=sign * angle)
    assert best is not None
    return best[1]


CHOICES = {REVOLUTE: _revolute, PRISMATIC: _prismatic, PLANAR: _planar}


def _towards(axis: Array) -> tuple[tuple[ConstantTurn, ...], int, float]:
    """Constant turns after which an axis is coordinate axis k, or its opposite."""
    zeros = np.flatnonzero(axis == 0.0)
    if len(zeros) == 2:
        k = int(np.flatnonzero(axis)[0])
        return (), k, float(axis[k])
    if len(zeros) == 1:
        j = int(zeros[0])
        k, m = (j + 1) % 3, (j + 2) % 3
        return ((j, atan2(float(axis[m]), float(axis[k]))),), k, 1.0
    first = atan2(float(axis[1]), float(axis[0]))  # about z, into the plane of z and x; then about y
    return ((2, first), (1, -atan2(float(axis[2]), math.hypot(axis[0], axis[1])))), 0, 1.0


def _slide(body: MergedBody, ahead: float) -> float:
    """How far to slide the origin along the axis: components along it of the joint's offset and of what lies beyond."""
    joint = body.joint
    assert joint is not None
    others = [child.joint for child in body.children if child.joint is not None]
    beyond = [float(joint.axis @ other.pose.p) for other in others if not _is_along(other, joint.axis)]

    def components(s: float) -> int:
        return (abs(ahead + s) > 1e-12) + sum(abs(offset - s) > 1e-12 for offset in beyond)

    return min([0.0, -ahead, *beyond], key=lambda s: (components(s), abs(ahead + s)))


def _is_along(joint: JointPart, axis: Array) -> bool:
    """Whether a joint further out turns about a parallel axis, so that it can slide on."""
    return joint.kind == REVOLUTE and abs(abs(float(joint.pose.R @ joint.axis @ axis)) - 1.0) < 1e-12


def _angles(body: MergedBody, G: Array, k: int) -> list[float]:
    """Angles about axis k worth trying: none, the link's own axes, and those that put a vector into a coordinate plane.

    ``G`` holds the axes after the constant turns, measures in the link.
    """
    vectors = [*np.eye(3), body.inertial.center]
    for child in body.children:
        assert child.joint is not None
        vectors += [child.joint.pose.R @ child.joint.axis, child.joint.pose.p]
    i, j = (k + 1) % 3, (k + 2) % 3
    found = [0.0]
    for vector in vectors:
        x, y = float(vector @ G[:, i]), float(vector @ G[:, j])
        if math.hypot(x, y) > 1e-9:
            angle = math.remainder(atan2(y, x), math.pi / 2)
            found.append(angle if abs(angle) > EXACT else 0.0)
    return list(dict.fromkeys(found))


def _cost(body: MergedBody, frame: Pose) -> float:
    """Operations, roughly, that the components of a body's constants lead to."""
    inverse = frame.inverse
    own = body.inertial.seen_from(inverse)
    size = float(np.abs(own.matrix).max(initial=0.0))
    total = (1.0 if body.children else TIP_COST) * np.count_nonzero(without_noise(own.center))
    total += np.count_nonzero(without_noise(own.matrix, size)) / 2.0
    for child in body.children:
        assert child.joint is not None
        seen = inverse @ child.joint.pose
        axis = snapped(seen.R @ child.joint.axis)
        offset = seen.p - (axis @ seen.p) * axis if child.joint.kind == REVOLUTE else seen.p
        total += TURN_COST * (np.count_nonzero(axis) - 1) if child.joint.has_one_axis else 0.0
        total += OFFSET_COST * np.count_nonzero(without_noise(offset, 10.0))
    return total
