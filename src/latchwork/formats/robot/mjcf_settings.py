"""What the head of an MJCF file settles for all that follows: compiler options, defaults by class, orientations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from latchwork.errors import did_you_mean
from latchwork.formats.robot import rotations
from latchwork.formats.robot.rotations import Array, Pose
from latchwork.formats.robot.xml_tree import Element

ACTUATORS = ("general", "motor", "position", "velocity")
DEGREE = math.pi / 180.0
MAIN = "main"
ORIENTATIONS: dict[str, Callable[[Element, Settings], Array]] = {
    "quat": lambda e, s: rotations.quaternion(_direction(e, "quat", 4)),
    "axisangle": lambda e, s: rotations.about(_direction(e, "axisangle", 4, 3), e.numbers("axisangle", 4)[3] * s.angle),
    "euler": lambda e, s: rotations.turns(s.eulerseq, [angle * s.angle for angle in e.numbers("euler", 3)]),
    "xyaxes": lambda e, s: _from_axes(e),
    "zaxis": lambda e, s: rotations.z_to(_direction(e, "zaxis", 3)),
}


@dataclass(frozen=True)
class Settings:
    """Compiler options that matter, and the defaults of every class by tag."""

    angle: float = DEGREE
    eulerseq: str = "xyz"
    autolimits: bool = True
    inertiafromgeom: str = "auto"
    groups: tuple[float, float] = (0.0, 5.0)
    total_mass: float = -1.0
    classes: dict[str, dict[str, dict[str, str]]] = field(default_factory=lambda: {MAIN: {}})

    def complete(self, element: Element, active: str) -> Element:
        """An element with the attributes that its class, or the active one, gives it."""
        name = element.get("class") or active
        if name not in self.classes:
            raise element.error(f"there is no defaults class '{name}'.{did_you_mean(name, self.classes)}")
        defaults = self.classes[name].get(_family(element.tag), {})
        return Element(element.tag, {**defaults, **element.attributes}, element.place, element.children)

    def pose(self, element: Element) -> Pose:
        """Position and orientation of an element."""
        given = [key for key in ORIENTATIONS if key in element.attributes]
        if len(given) > 1:
            raise element.error(f"this <{element.tag}> is oriented twice, by {' and '.join(given)}. Keep one of them.")
        R = ORIENTATIONS[given[0]](element, self) if given else np.eye(3)
        return Pose(R, np.array(element.numbers("pos", 3, (0.0, 0.0, 0.0))))

    def limited(self, element: Element, switch: str, interval: str) -> tuple[float, float] | None:
        """An interval that is switched on, or that is there while limits are automatic."""
        word = element.choice(switch, ("true", "false", "auto"), "auto")
        if word == "false" or (word == "auto" and not (self.autolimits and interval in element.attributes)):
            return None
        low, high = element.numbers(interval, 2)
        return low, high


def read_settings(root: Element) -> Settings:
    """The settings of a file; later <compiler> elements add to earlier ones."""
    merged: dict[str, str] = {}
    for element in root.all("compiler"):
        merged |= element.attributes
    compiler = Element("compiler", merged, root.place)
    for name, harmless in HARMLESS.items():
        if compiler.get(name, harmless) != harmless:
            raise root.error(f'<compiler {name}="{compiler.get(name)}"> is not read, and changes the robot. Remove it.')
    low, high = compiler.numbers("inertiagrouprange", 2, (0.0, 5.0))
    eulerseq = compiler.get("eulerseq", "xyz")
    if len(eulerseq) != 3 or set(eulerseq.lower()) - set("xyz"):
        raise root.error(f"eulerseq=\"{eulerseq}\" of <compiler>: three letters of x, y, z are wanted. Mend it.")
    return Settings(
        DEGREE if compiler.choice("angle", ("degree", "radian"), "degree") == "degree" else 1.0,
        eulerseq,
        compiler.truth("autolimits", True),
        compiler.choice("inertiafromgeom", ("auto", "true", "false"), "auto"),
        (low, high),
        compiler.number("settotalmass", -1.0),
        _classes(root),
    )


HARMLESS = {
    "coordinate": "local", "balanceinertia": "false", "boundmass": "0", "boundinertia": "0", "alignfree": "false",
}  # fmt: skip


def _classes(root: Element) -> dict[str, dict[str, dict[str, str]]]:
    """Attributes by class and tag; a class starts from its parent's."""
    found: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
    pending: list[tuple[Element, str]] = [(element, "") for element in root.all("default")][::-1]
    while pending:
        element, parent = pending.pop()
        name = element.get("class", "" if parent else MAIN) or element.text("class")
        if parent and name in found:
            raise element.error(f"a second defaults class is named '{name}'. Rename one of them.")
        table = {tag: dict(values) for tag, values in found.get(parent or name, {}).items()}
        for child in element.children:
            if child.tag != "default":
                table[_family(child.tag)] = table.get(_family(child.tag), {}) | child.attributes
        found[name] = table
        pending += [(child, name) for child in element.all("default")][::-1]
    return found


def _family(tag: str) -> str:
    """Tags that share their defaults."""
    return "actuator" if tag in ACTUATORS else tag


def flat(element: Element, settings: Settings, active: str,
         around: Pose | None = None) -> Iterator[tuple[Element, str, Pose]]:  # fmt: skip
    """The children of a body with their active class and the pose of the <frame>s around them."""
    pose = around or Pose()
    for child in element.children:
        if child.tag == "frame":
            yield from flat(child, settings, child.get("childclass") or active, pose @ settings.pose(child))
        else:
            yield child, active, pose


def _direction(element: Element, name: str, count: int, used: int | None = None) -> list[float]:
    values = element.numbers(name, count)[:used]
    if not np.linalg.norm(values) > 1e-12:
        raise element.error(f"{name} of <{element.tag}> is zero, which is no direction. Give another.")
    return values


def _from_axes(element: Element) -> Array:
    """x as it is, y made normal to it."""
    values = np.array(element.numbers("xyaxes", 6))
    x = values[:3] / (np.linalg.norm(values[:3]) or 1.0)
    y = values[3:] - (values[3:] @ x) * x
    if not min(float(np.linalg.norm(x)), float(np.linalg.norm(y))) > 1e-12:
        raise element.error(f"xyaxes of <{element.tag}> are parallel or zero. Give two directions.")
    y = y / np.linalg.norm(y)
    return rotations.snapped(np.column_stack([x, y, np.cross(x, y)]))
