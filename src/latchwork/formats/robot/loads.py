"""Forces inside a robot's joints: drives, springs, damping; and the inertia of rotors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from latchwork.formats.robot.parts import PRISMATIC, REVOLUTE, Drive, JointPart
from latchwork.formats.robot.robot import Names, Robot, RobotJoint
from latchwork.formats.robot.units import coordinate_unit, damping_unit, inertia_unit, stiffness_unit
from latchwork.mechanics.body import inertia
from latchwork.mechanics.joints import JOINTS, QUATERNION
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import maximum, minimum
from latchwork.symbolic.quantity import quantity

Number = Callable[..., Any]  # a number of the file by name, value and unit


def add_drives(robot: Robot, drives: Iterable[Drive], number: Number, names: Names) -> None:
    """An input for every drive: effort = gear · clip(gain · r + b0 + b1 · gear · q + b2 · gear · q̇)."""
    for drive in drives:
        joint = robot.joints[drive.joint]
        said = quantity(description=f"drive of '{drive.joint}'")
        r = robot.drives[drive.name] = robot.input(names.symbol(drive.name, "r_"), said)
        assert joint.value is not None
        assert joint.rate is not None
        gear = number(f"gear_{drive.name}", drive.gear)
        b0, b1, b2 = (number(f"b{i}_{drive.name}", b) for i, b in enumerate(drive.bias))
        effort = number(f"gain_{drive.name}", drive.gain) * r if drive.gain != 1.0 else r
        effort = effort + b0 + b1 * (gear * joint.value) + b2 * (gear * joint.rate)
        if math.isfinite(drive.highest):
            effort = minimum(effort, drive.highest)
        if math.isfinite(drive.lowest):
            effort = maximum(effort, drive.lowest)
        _act(robot, joint, effort if drive.gear == 1.0 else gear * effort, drive.name)


def add_passive(robot: Robot, parts: Iterable[JointPart], number: Number, losses: bool) -> None:
    """Springs; and unless ``losses`` are left out, damping -d q̇."""
    for part in parts:
        if part.name not in robot.joints:
            continue
        joint = robot.joints[part.name]
        if part.stiffness:
            k = number(f"k_{part.name}", part.stiffness, stiffness_unit(part))
            _spring(robot, joint, k, number(f"q0_{part.name}", part.spring_rest, coordinate_unit(part.kind)))
        if losses and part.damping:
            _resist(robot, joint, number(f"d_{part.name}", part.damping, damping_unit(part)))


def _act(robot: Robot, joint: RobotJoint, effort: Any, name: str = "") -> None:
    """An effort between the two sides of a joint with one axis."""
    assert joint.axis is not None
    _between(robot, joint, joint.axis * effort if joint.kind == PRISMATIC else None,
             joint.axis * effort if joint.kind == REVOLUTE else None, name)  # fmt: skip


def _between(robot: Robot, joint: RobotJoint, force: Vector | None, torque: Vector | None, name: str = "") -> None:
    if force is not None:
        robot.force(joint.origin, force, reaction=joint.base, name=name)
    if torque is not None:
        robot.torque(joint.frame, torque, reaction=joint.inboard, name=name)


def _spring(robot: Robot, joint: RobotJoint, k: Any, rest: Any) -> None:
    assert joint.axis is not None
    assert joint.value is not None
    if joint.kind == REVOLUTE:
        robot.torsion(joint.frame, joint.inboard, joint.axis, joint.value, k, rest)
    else:
        _act(robot, joint, -1.0 * k * (joint.value - rest))


def _resist(robot: Robot, joint: RobotJoint, d: Any) -> None:
    """Every speed of the joint is resisted alike."""
    if joint.rate is not None:
        _act(robot, joint, -1.0 * (d * joint.rate))
        return
    row, efforts = JOINTS[joint.kind], [-1.0 * (d * u) for u in joint.u]
    slides, turns = efforts[: len(row.slides)], efforts[len(row.slides) :]
    force = sum((getattr(joint.inboard, a) * e for a, e in zip(row.slides, slides, strict=True)), robot.frame.x * 0.0)
    axes = "xyz" if row.turns == QUATERNION else row.turns
    torque = sum((getattr(joint.frame, a) * e for a, e in zip(axes, turns, strict=True)), robot.frame.x * 0.0)
    _between(robot, joint, force if slides else None, torque if turns else None)


def add_armatures(robot: Robot, parts: Iterable[JointPart], number: Number) -> None:
    """Inertia that a joint's own speeds alone move: ½ a u², as of a rotor that turns in N with the joint's speed."""
    for part in parts:
        if not part.armature or part.name not in robot.joints:
            continue
        joint, a = robot.joints[part.name], number(f"a_{part.name}", part.armature, inertia_unit(part))
        rates = joint.u or (joint.rate,)
        for k in range(0, len(rates), 3):
            name = f"{part.name}_rotor" + (str(k // 3 + 1) if len(rates) > 3 else "")
            frame = robot.frame.spinning(name, *rates[k : k + 3])
            robot.body(name, frame, robot.origin, 0.0, inertia(frame, xx=a, yy=a, zz=a))
