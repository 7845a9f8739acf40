"""A robot's description to a model: bodies in the frames chosen for them, joints, drives, losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from latchwork.formats.robot.collisions import Colliding, add_collisions
from latchwork.formats.robot.frames import Placed, place
from latchwork.formats.robot.loads import add_armatures, add_drives, add_passive
from latchwork.formats.robot.merge import merge
from latchwork.formats.robot.parts import REVOLUTE, Description, Inertial, JointPart
from latchwork.formats.robot.robot import Names, Robot, RobotJoint
from latchwork.formats.robot.rotations import Array
from latchwork.formats.robot.ties import add_friction, add_limits, add_ties
from latchwork.formats.robot.units import describe_inputs, describe_joint
from latchwork.mechanics.body import inertia
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import JOINTS
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.quantity import Quantity

MOMENTS = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "yz": (1, 2), "zx": (2, 0)}
Symbols = tuple[tuple[Expr, ...], tuple[Expr, ...]]


def build(description: Description, losses: bool = True, parameters: bool = False, limits: bool = False,
          colliding: Colliding | None = None, notes: tuple[str, ...] = ()) -> Robot:  # fmt: skip
    """The model of a robot; its numbers are folded as constants, or (``parameters``) are parameters with names.

    With ``limits``, joints have stops: contacts, without restitution; with ``colliding``, links have shapes.
    """
    merged = merge(description)
    bodies = place(merged)
    builder = _Builder(Robot(description.name), description, parameters)
    for placed in bodies:
        builder.add_symbols(placed)
    for placed in bodies:
        with builder.where(placed).blamed():
            builder.add_body(placed)
    robot, number = builder.robot, builder.number
    robot.notes += notes
    for placed in bodies:
        for link, pose in placed.links():
            for k, look in enumerate(description.links[link].looks):
                robot.visual(f"{link} {k + 1}", *builder.at[placed.body.name], partial(look.surfaces, pose))
    add_armatures(robot, description.joints, number)
    add_passive(robot, description.joints, number, losses)
    add_drives(robot, description.drives, number, builder.names)
    describe_inputs(robot, description.drives)
    measures = [number(f"g_{axis}", g, "m/s^2") for axis, g in zip("xyz", description.gravity, strict=True)]
    robot.gravity(robot.frame.vector(*measures))
    add_ties(robot, description.ties, builder.places, builder.frame_names, builder.point_names)
    if losses:
        add_friction(robot, description.joints, number)
    if limits:
        add_limits(robot)
    if colliding is not None and colliding.wanted:
        shapes = [(link, geometry, *builder.at[placed.body.name], pose) for placed in bodies
                  for link, pose in placed.links() for geometry in description.links[link].geometry]  # fmt: skip
        add_collisions(robot, description, colliding, shapes, merged)
    return robot


class _Builder:
    """What has been built of one robot so far."""

    def __init__(self, robot: Robot, description: Description, parameters: bool) -> None:
        self.robot, self.description, self.parameters = robot, description, parameters
        self.names = Names(robot.symbols)
        self.frame_names, self.point_names = Names(robot.frames), Names(robot.points)
        links = [name for name, link in description.links.items() if not link.hidden]
        self.link_frames = {link: self.frame_names.any(link) for link in links}
        self.link_points = {link: self.point_names.any(link) for link in links}
        self.at: dict[str, tuple[Frame, Point]] = {}
        self.symbols: dict[str, Symbols] = {}

    def where(self, placed: Placed) -> Any:
        """The place in the file of a body's joint, or of the root."""
        joint = placed.body.joint
        return joint.place if joint is not None else self.description.links[self.description.root].place

    @property
    def places(self) -> dict[str, tuple[Frame, Point]]:
        """The frame and point of every link."""
        frames, points = self.robot.frames, self.robot.points
        return {link: (frames[name], points[self.link_points[link]]) for link, name in self.link_frames.items()}

    # --- symbols ------------------------------------------------------------------------------------------------

    def number(self, name: str, value: float, unit: str = "") -> Any:
        """A number of the file: zero stays zero, others are constants or parameters, in a unit."""
        if value == 0.0 or not self.parameters:
            return float(value)
        return self.robot.parameter(self.names.symbol(name), Quantity(float(value), unit))

    def vector(self, frame: Frame, name: str, measures: Sequence[float] | Array) -> Vector:
        """Lengths along the axes of a frame, each a number of the file."""
        named = zip("xyz", measures, strict=True)
        return frame.vector(*(self.number(f"{name}_{axis}", float(x), "m") for axis, x in named))

    def add_symbols(self, placed: Placed) -> None:
        """Coordinates (the joint's own name) and speeds (u_ before it); where there are several, with suffixes."""
        part = placed.body.joint
        if part is None or part.mimic is not None:
            return
        row = JOINTS[part.kind]
        q_names = [self.names.symbol(name) for name in _suffixed(part, row.q_suffixes)]
        u_names = [self.names.symbol(name, "u_") for name in _suffixed(part, row.u_suffixes)]
        q = self.robot.coordinates(*q_names)
        self.symbols[part.name] = q, self._speeds(u_names, q, _shift(placed) == 0.0)
        describe_joint(self.robot, part, q_names, u_names)

    def _speeds(self, names: list[str], q: tuple[Expr, ...], mounted: bool) -> tuple[Expr, ...]:
        """Speeds that the joint explains when it is mounted, or that are rates by definition."""
        definitions: dict[str, Any] = {name: dt(each) for name, each in zip(names, q, strict=False)}
        return self.robot.bare_speeds(names) if mounted else self.robot.speeds(**definitions)

    # --- bodies -------------------------------------------------------------------------------------------------

    def add_body(self, placed: Placed) -> None:
        """A body: the joint that carries it, its mass, and the frames and points of its links."""
        body = placed.body
        frame, origin = self.robot.frame, self.robot.origin
        if body.joint is not None and body.parent is not None:
            joint = self._joint(placed, body.joint, *self.at[body.parent.name])
            self.robot.joints[body.joint.name] = joint
            frame, origin = joint.frame, joint.origin
        self.at[body.name] = frame, origin
        if not placed.inertial.is_nothing:
            self._mass(body.title, frame, origin, placed.inertial)
        for link, pose in placed.links():
            _turned(frame, self.link_frames[link], pose.R)
            origin.at(self.link_points[link], frame.vector(*map(float, pose.p)))

    def _mass(self, name: str, frame: Frame, origin: Point, own: Inertial) -> None:
        center = origin.at(self.point_names.any(f"{name}_com"), self.vector(frame, f"c_{name}", own.center))
        moments = {key: self.number(f"I_{name}_{key}", float(own.matrix[ij]), "kg m^2") for key, ij in MOMENTS.items()}
        self.robot.body(name, frame, center, self.number(f"m_{name}", own.mass, "kg"), inertia(frame, **moments))

    # --- joints -------------------------------------------------------------------------------------------------

    def _joint(self, placed: Placed, part: JointPart, frame: Frame, origin: Point) -> RobotJoint:
        """The joint that carries a body from its parent's frame and origin."""
        base = origin
        if placed.offset.any():
            offset = self.vector(frame, f"p_{part.name}", placed.offset)
            base = origin.at(self.point_names.any(f"{part.name}_base"), offset)
        for k, angle in placed.turns:
            frame = frame.rotated(self.frame_names.any(f"{part.name}_axis"), angle, (frame.x, frame.y, frame.z)[k])
        if placed.cosines is not None and (placed.cosines != np.eye(3)).any():
            frame = _turned(frame, self.frame_names.any(f"{part.name}_axis"), placed.cosines)
        axis = frame.vector(*map(float, placed.axis)) if part.has_one_axis else None
        q, u = self._driving(part)
        made = RobotJoint(part.name, part.kind, q, u, None, None, frame, base, frame, base, axis, part.limits)
        return self._moved(made, part, _shift(placed))

    def _moved(self, made: RobotJoint, part: JointPart, shift: float) -> RobotJoint:
        """What the joint carries: a row of ``JOINTS`` where it moves by q itself, else a frame or point made from q."""
        label = self._label(part.name)
        frame, base, axis = made.inboard, made.base, made.axis
        if axis is None:
            link = self.robot.mount(part.kind, label, frame, base, None, made.q, made.u)
            return replace(made, frame=link.frame, origin=link.origin, link=link)
        k, c = (1.0, 0.0) if part.mimic is None else (part.mimic.multiplier, part.mimic.offset)
        value, rate = made.q[0] * k + c, made.u[0] * k
        made = replace(made, value=value, rate=rate)
        if part.mimic is None and shift == 0.0:
            link = self.robot.mount(part.kind, label, frame, base, axis, made.q, made.u)
            return replace(made, frame=link.frame, origin=link.origin, link=link)
        if part.mimic is not None:
            made = replace(made, q=(), u=())
        if part.kind == REVOLUTE:
            return replace(made, frame=frame.rotated(label, value + shift, axis))
        return replace(made, origin=base.at(f"{label}_o", axis * (value + shift)))

    def _driving(self, part: JointPart) -> Symbols:
        """The symbols that move a joint: its own, or those of the joint it follows."""
        return self.symbols[part.name if part.mimic is None else part.mimic.joint]

    def _label(self, name: str) -> str:
        """A name that is free for the joint's frame, and with _o for its origin."""
        while name in self.frame_names.taken or f"{name}_o" in self.point_names.taken:
            name += "_joint"
        self.point_names.any(f"{name}_o")
        return self.frame_names.any(name)


def _suffixed(part: JointPart, suffixes: Sequence[str]) -> list[str]:
    return [part.name] if part.has_one_axis else [f"{part.name}_{suffix}" for suffix in suffixes]


def _shift(placed: Placed) -> float:
    """What is added to a coordinate before its joint turns or slides by it."""
    return placed.angle - (placed.body.joint.ref if placed.body.joint is not None else 0.0)


def _turned(frame: Frame, name: str, R: Array) -> Frame:
    """A frame by constant direction cosines."""
    return frame.cosines(name, [[float(x) for x in row] for row in R])
