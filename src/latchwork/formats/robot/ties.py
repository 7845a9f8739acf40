"""Ties of a robot, between its links or its joints, as constraints of the model; stops and dry friction of joints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.constraint.joints import makers
from latchwork.contact.joint_friction import Freedom, friction_limits, friction_of
from latchwork.contact.joint_limits import limits as stops
from latchwork.formats.robot.loads import Number
from latchwork.formats.robot.parts import REVOLUTE, JointPart, JointTie, LinkTie, Tie
from latchwork.formats.robot.robot import Names, Robot, RobotJoint
from latchwork.formats.robot.rotations import Pose
from latchwork.formats.robot.units import effort_unit
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.symbolic.expr import Expr

Places = Mapping[str, tuple[Frame, Point]]  # of links by name


def add_ties(robot: Robot, ties: Iterable[Tie], places: Places, frames: Names, points: Names) -> None:
    """A constraint for every tie."""
    for tie in ties:
        with tie.place.blamed():
            robot.keep(_joined(robot, tie) if isinstance(tie, JointTie) else _closed(tie, places, frames, points))


def _closed(tie: LinkTie, places: Places, frames: Names, points: Names) -> Constraint:
    """The two places in the two links come together: as points, or as frames."""
    a = _side(tie, places[tie.first], tie.one, frames, points)
    return makers.close(tie.kind, tie.name, a, _side(tie, places[tie.second], tie.two, frames, points))


def _side(tie: LinkTie, place: tuple[Frame, Point], pose: Pose, frames: Names, points: Names) -> makers.Side:
    frame, point = place
    if pose.p.any():
        point = point.at(points.any(f"{tie.name}_tie"), frame.vector(*map(float, pose.p)))
    if not np.array_equal(pose.R, np.eye(3)):
        frame = frame.cosines(frames.any(f"{tie.name}_tie"), [[float(x) for x in row] for row in pose.R])
    return makers.Side(frame, point)


def _joined(robot: Robot, tie: JointTie) -> Constraint:
    """y − y₀ = Σ a_k (x − x₀)^k."""
    y0, x0 = tie.refs
    first = _freedom(robot.joints[tie.first])
    if not tie.second:
        return makers.prescribe(tie.name, first[0], y0 + tie.law[0], first[1])
    second = _freedom(robot.joints[tie.second])
    x, law = second[0] - x0, 0.0 * second[0] + tie.law[4]
    for coefficient in tie.law[3::-1]:
        law = law * x + coefficient
    return makers.couple(tie.name, first, second, law + y0, {})


def add_limits(robot: Robot) -> None:
    """Stops of all joints that have limits of their own: ``"elbow limits"``."""
    for name, joint in robot.joints.items():
        bounds = [bound if math.isfinite(bound) else None for bound in (joint.limits.lower, joint.limits.upper)]
        if joint.q and joint.axis is not None and bounds != [None, None]:
            label, (q, pull) = f"{name} limits", _freedom(joint)
            robot.add_contact(label, partial(stops, label, q, pull, bounds, 0.0))


def add_friction(robot: Robot, parts: Iterable[JointPart], number: Number) -> None:
    """Dry friction of all joints that have any: ``"elbow friction"``. One that follows another rubs as it turns."""
    for part in parts:
        if part.friction and part.name in robot.joints:
            label, joint = f"{part.name} friction", robot.joints[part.name]
            limit = number(f"f_{part.name}", part.friction, effort_unit(part.kind))
            if joint.link is not None:
                robot.friction(label, joint.link, limit)
            elif joint.rate is not None:
                own, limits = Freedom("", joint.rate, _pull(joint), True), friction_limits(label, limit, None)
                robot.add_contact(label, partial(friction_of, label, [own], joint.rate, limits))


def _freedom(joint: RobotJoint) -> tuple[Expr, Pull]:
    return joint.q[0], _pull(joint)


def _pull(joint: RobotJoint) -> Pull:
    assert joint.axis is not None
    turns = joint.kind == REVOLUTE
    return Pull(joint.axis, *((joint.frame, joint.inboard) if turns else (joint.origin, joint.base)))
