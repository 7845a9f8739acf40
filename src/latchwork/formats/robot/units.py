"""Units of a robot's symbols: files are in metres, radians, kilograms and seconds.

They are labels, for axes, tables, sliders and generated code (`latchwork.symbolic.units`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from latchwork.formats.robot.parts import PRISMATIC, Drive, JointPart
from latchwork.formats.robot.robot import Robot
from latchwork.mechanics.joints import JOINTS, QUATERNION
from latchwork.symbolic.quantity import LONGEST, Quantity

SLIDES = {"q": "m", "u": "m/s"}
TURNS = {"q": "rad", "u": "rad/s"}


def coordinate_unit(kind: str) -> str:
    """Of the coordinate of a joint with one axis."""
    return "m" if kind == PRISMATIC else "rad"


def effort_unit(kind: str) -> str:
    """Of a force along a joint that slides, of a torque about one that turns."""
    return "N" if kind == PRISMATIC else "N m"


def stiffness_unit(part: JointPart) -> str:
    return "N/m" if part.kind == PRISMATIC else "N m/rad"


def damping_unit(part: JointPart) -> str:
    """Of an effort over a rate; a joint that both slides and turns resists all of its speeds by one number."""
    row = JOINTS[part.kind]
    if row.slides and row.turns:
        return ""
    return "N s/m" if row.slides else "N m s/rad"


def inertia_unit(part: JointPart) -> str:
    """Of what a joint's own rate moves: a mass, or a moment of inertia."""
    row = JOINTS[part.kind]
    if row.slides and row.turns:
        return ""
    return "kg" if row.slides else "kg m^2"


def describe_joint(robot: Robot, part: JointPart, q: Sequence[str], u: Sequence[str]) -> None:
    """Units of the coordinates and speeds of a joint, and what they are in words: its name in the file."""
    row = JOINTS[part.kind]
    slides, name = len(row.slides), _plain(part.name)
    turned = ("", "attitude") if row.turns == QUATERNION else (TURNS["q"], "angle")
    for k, symbol in enumerate(q):
        unit, what = (SLIDES["q"], "position") if k < slides else turned
        robot.describe(**{symbol: Quantity(None, unit, f"{what} of '{name}'")})
    for k, symbol in enumerate(u):
        unit = SLIDES["u"] if k < slides else TURNS["u"]
        robot.describe(**{symbol: Quantity(None, unit, f"speed of '{name}'")})


def describe_inputs(robot: Robot, drives: Iterable[Drive]) -> None:
    """Units of what drives are given: efforts where they pass them on, positions or rates where they follow those."""
    for drive in drives:
        kind, symbol = robot.joints[drive.joint].kind, robot.drives[drive.name]
        unit, what = _given_to(drive, kind)
        robot.describe(**{symbol.name: Quantity(None, unit, f"{what} of '{_plain(drive.name)}'")})


def _given_to(drive: Drive, kind: str) -> tuple[str, str]:
    """The unit of the input of a drive, by its law: gain r + b0 + b1 q + b2 q̇."""
    _, b1, b2 = drive.bias
    if drive.gain == 1.0 and b1 == 0.0 and b2 == 0.0:
        return effort_unit(kind), "effort"
    if b1 == -drive.gain:
        return (coordinate_unit(kind), "set position") if drive.gear == 1.0 else ("", "set position")
    if b2 == -drive.gain and b1 == 0.0:
        return (f"{coordinate_unit(kind)}/s", "set speed") if drive.gear == 1.0 else ("", "set speed")
    return "", "command"


def _plain(name: str) -> str:
    """A name of a file as it may stand in a description."""
    shown = "".join(character if character.isprintable() else "?" for character in name)
    return shown if len(shown) < LONGEST // 2 else shown[: LONGEST // 2] + "..."
