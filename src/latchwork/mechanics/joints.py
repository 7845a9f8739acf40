"""Joints as rows: how many coordinates, which slides, which turns, and how q̇ follows from the speeds.

A joint carries an outboard frame and origin relative to an inboard frame and a point fixed in it:
slides along the inboard axes first, then turns. Speeds are q̇, except that a ball's are ω in the outboard frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from latchwork.errors import answering
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

QUATERNION = "quaternion"
ROUNDING = 1e-12  # of the length of a unit vector


@dataclass(frozen=True)
class JointType:
    """A row. ``slides`` and ``turns`` name axes; where there is one ``axis``, the analyst gives it."""

    name: str
    slides: str
    turns: str
    has_axis: bool = False

    @property
    def q_suffixes(self) -> tuple[str, ...]:
        turns = ("e0", "e1", "e2", "e3") if self.turns == QUATERNION else tuple(f"r{a}" for a in self.turns)
        return tuple(f"p{a}" for a in self.slides) + turns

    @property
    def u_suffixes(self) -> tuple[str, ...]:
        turns = ("wx", "wy", "wz") if self.turns == QUATERNION else tuple(f"w{a}" for a in self.turns)
        return tuple(f"v{a}" for a in self.slides) + turns


JOINTS: dict[str, JointType] = {
    row.name: row
    for row in (
        JointType("weld", "", ""),
        JointType("revolute", "", "z", has_axis=True),
        JointType("prismatic", "z", "", has_axis=True),
        JointType("cylindrical", "z", "z", has_axis=True),
        JointType("universal", "", "xy"),
        JointType("gimbal", "", "xyz"),
        JointType("ball", "", QUATERNION),
        JointType("planar", "xy", "z"),
        JointType("free", "xyz", QUATERNION),
    )
}


@answering
@dataclass(frozen=True, eq=False)
class Link:
    """What a joint carries: its outboard frame and origin, its coordinates and speeds."""

    name: str
    joint: JointType
    inboard: Frame
    base: Point
    frame: Frame
    origin: Point
    q: tuple[Expr, ...]
    u: tuple[Expr, ...]
    axis: Vector | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", None if self.axis is None else unit(self.axis))

    def __repr__(self) -> str:
        return self.name


def unit(axis: Vector) -> Vector:
    """The axis itself where its length is one, else the unit vector along it."""
    length = axis.magnitude()
    return axis if length.is_constant and abs(float(length) - 1.0) < ROUNDING else axis / length


def place(joint: JointType, name: str, inboard: Frame, base: Point, axis: Vector | None,
          q: Sequence[Expr]) -> tuple[Frame, Point]:  # fmt: skip
    """The outboard frame and origin for coordinates q; an axis gives a direction, whatever its length."""
    axis = None if axis is None else unit(axis)
    slides, turns = q[: len(joint.slides)], q[len(joint.slides) :]
    if axis is not None:
        origin = base.at(f"{name}_o", axis * slides[0]) if slides else base.at(f"{name}_o", axis * 0.0)
        frame = inboard.rotated(name, turns[0], axis) if turns else inboard.rotated(name, 0.0, inboard.z)
        return frame, origin
    offset = sum((s * getattr(inboard, a) for s, a in zip(slides, joint.slides, strict=True)), start=inboard.x * 0.0)
    origin = base.at(f"{name}_o", offset)
    if joint.turns == QUATERNION:
        return inboard.quaternion(name, *turns), origin
    if not joint.turns:
        return inboard.rotated(name, 0.0, inboard.z), origin
    return inboard.body_fixed(name, joint.turns, *turns), origin


def rates_of(joint: JointType, q: Sequence[Expr], u: Sequence[Expr]) -> list[Expr]:
    """q̇ in terms of u: q̇ = u, and for Euler parameters ė0 = -½ e·ω, ė = ½ (e0 ω + e × ω)."""
    n = len(joint.slides)
    if joint.turns != QUATERNION:
        return list(u)
    (e0, x, y, z), (a, b, c) = q[n:], u[n:]
    spin = [
        -0.5 * (x * a + y * b + z * c),
        0.5 * (e0 * a + y * c - z * b),
        0.5 * (e0 * b + z * a - x * c),
        0.5 * (e0 * c + x * b - y * a),
    ]
    return [*u[:n], *spin]
