"""What of MJCF is read, what is left out because it does not change the motion, and what is refused."""

from __future__ import annotations

from latchwork.formats.robot.parts import BALL, FREE
from latchwork.formats.robot.xml_tree import Element

READ = {"compiler", "option", "default", "worldbody", "actuator", "tendon", "equality"}
LEFT_OUT = {"visual", "statistic", "size", "asset", "sensor", "keyframe", "custom", "contact"}
BODY_READ = {"body", "geom", "joint", "freejoint", "inertial"}
BODY_LEFT_OUT = {"site", "camera", "light"}
FLUID = ("density", "viscosity")
ACTIVE_TENDON = ("stiffness", "damping", "frictionloss", "armature")
FLAGS = ("spring", "damper", "passive", "actuation")


def check_sections(root: Element) -> None:
    """The sections of a file that would change the motion and are not read."""
    for section in root.children:
        if section.tag not in READ | LEFT_OUT:
            raise section.error(f"<{section.tag}> is not read, and may change the motion. Remove it.")
    for section in root.all("tendon"):
        for row in section.children:
            _check_tendon(root, row)
    for option in root.all("option"):
        _check_option(option)


def _check_tendon(root: Element, tendon: Element) -> None:
    tables = [t.attributes for default in root.all("default") for t in default.all("tendon")]
    defaults = {name: value for table in tables for name, value in table.items()}
    complete = Element(tendon.tag, {**defaults, **tendon.attributes}, tendon.place)
    for name in ACTIVE_TENDON:
        if any(complete.numbers(name, None, (0.0,))):
            raise tendon.error(f"the tendon <{tendon.tag}> has {name}, and tendons are not read. Remove it.")


def _check_option(option: Element) -> None:
    for name in FLUID:
        if option.number(name, 0.0):
            raise option.error(f"{name}=\"{option.get(name)}\" lets a fluid act, which is not read. Remove it.")
    for flag in option.all("flag"):
        for name in FLAGS:
            if flag.get(name, "enable") != "enable":
                raise flag.error(f"<flag {name}=\"{flag.get(name)}\"> is not read. Remove it and what it switches off.")


def check_body_child(child: Element) -> None:
    """An element inside a body."""
    if child.tag not in BODY_READ | BODY_LEFT_OUT:
        raise child.error(f"<{child.tag}> inside a body is not read, and may change the motion. Remove it.")
    if child.tag == "body" and child.number("gravcomp", 0.0):
        raise child.error(f"gravcomp=\"{child.get('gravcomp')}\" of body '{child.get('name')}' is not read. Remove it.")


def check_joint(e: Element, kind: str, on_world: bool) -> None:
    """A joint with its defaults."""
    if kind == FREE and not on_world:
        raise e.error("a free joint belongs to a body of the world, and as its only joint. Move it there.")
    if e.get("align") == "true":
        raise e.error('align="true" moves the frame of this body, which is not read. Remove it.')
    for name in ("stiffness", "damping"):
        if any(e.numbers(name, None, (0.0,))[1:]):
            raise e.error(f"{name}=\"{e.get(name)}\" is not linear, which is not read. Give one number.")
    refused = ["springdamper", "springyield", *(("stiffness",) if kind in (BALL, FREE) else ())]
    for name in refused:
        if any(e.numbers(name, None, (0.0,))):
            given = f"{name}=\"{e.get(name)}\""
            raise e.error(f"{given} of this {kind} joint is not read, and changes the motion. Remove it.")
