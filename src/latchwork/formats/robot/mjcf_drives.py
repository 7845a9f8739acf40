"""Actuators of MJCF as drives: force = gain · ctrl + b0 + b1 · length + b2 · velocity, on a joint with one axis."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from latchwork.errors import did_you_mean
from latchwork.formats.robot.mjcf_settings import ACTUATORS, MAIN, Settings
from latchwork.formats.robot.parts import Drive, JointPart
from latchwork.formats.robot.xml_tree import Element

Law = tuple[float, tuple[float, float, float]]
DYNAMICS = ("dampratio", "timeconst", "delay", "damping", "armature", "cranklength")  # must be zero

OTHERS = {"tendon", "site", "body", "cranksite", "slidersite"}


def _general(e: Element) -> Law:
    plain = {"dyntype": ("none",), "gaintype": ("fixed",), "biastype": ("none", "affine")}
    for name, known in plain.items():
        e.choice(name, known, known[0])
    b = [*e.numbers("biasprm", None, (0.0,)), 0.0, 0.0][:3] if e.get("biastype") == "affine" else [0.0, 0.0, 0.0]
    return e.numbers("gainprm", None, (1.0,))[0], (b[0], b[1], b[2])


def _position(e: Element) -> Law:
    kp, kv = e.number("kp", 1.0), e.number("kv", 0.0)
    return kp, (0.0, -kp, -kv)


def _velocity(e: Element) -> Law:
    kv = e.number("kv", 1.0)
    return kv, (0.0, 0.0, -kv)


LAWS: dict[str, Callable[[Element], Law]] = {
    "general": _general,
    "motor": lambda e: (1.0, (0.0, 0.0, 0.0)),
    "position": _position,
    "velocity": _velocity,
}


def read_drives(root: Element, joints: list[JointPart], settings: Settings) -> list[Drive]:
    """Every actuator as a drive; kinds whose law is another are refused by name."""
    by_name = {joint.name: joint for joint in joints}
    elements = [element for section in root.all("actuator") for element in section.children]
    drives: dict[str, Drive] = {}
    for element in elements:
        if element.tag not in ACTUATORS:
            raise element.error(f"<{element.tag}> actuators are not read. Use one of {', '.join(ACTUATORS)}.")
        drive = _drive(settings.complete(element, MAIN), by_name, settings)
        if drive.name in drives:
            drive = _renamed(element, drive, drives)
        drives[drive.name] = drive
    return list(drives.values())


def _renamed(element: Element, drive: Drive, drives: dict[str, Drive]) -> Drive:
    """Actuators without a name are named after their joint; a name that is given stands once."""
    if element.get("name"):
        raise element.error(f"a second actuator is named '{drive.name}'. Rename one of them.")
    number = next(k for k in range(2, len(drives) + 3) if f"{drive.name}_{k}" not in drives)
    return replace(drive, name=f"{drive.name}_{number}")


def _drive(e: Element, joints: dict[str, JointPart], settings: Settings) -> Drive:
    for name in DYNAMICS:
        if any(e.numbers(name, None, (0.0,))):
            raise e.error(f"{name}=\"{e.get(name)}\" of <{e.tag}> is not read, and changes the motion. Remove it.")
    name = e.get("joint") or e.get("jointinparent")
    if not name:
        others = sorted(OTHERS & e.attributes.keys())
        raise e.error(f"this <{e.tag}> acts by its {others[0] if others else 'nothing'}. Let it act on a joint.")
    if name not in joints:
        raise e.error(f"this <{e.tag}> acts on joint '{name}', which is not there.{did_you_mean(name, joints)}")
    if not joints[name].has_one_axis:
        kind = joints[name].kind
        raise e.error(f"this <{e.tag}> acts on the {kind} joint '{name}'. Let it drive a hinge or a slide.")
    gain, bias = LAWS[e.tag](e)
    low, high = settings.limited(e, "forcelimited", "forcerange") or (-math.inf, math.inf)
    return Drive(e.get("name") or name, name, e.numbers("gear", None, (1.0,))[0], gain, bias, low, high)
