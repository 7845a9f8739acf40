"""URDF: links and joints of a robot to a model.

Damping acts as -d q̇ and friction holds or resists each joint with f at most, unless ``losses=False``. Every revolute,
continuous and prismatic joint that does not follow another has an input, its effort. Limits are kept as data:
``robot.limits``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from latchwork.errors import did_you_mean
from latchwork.formats.robot.build import build
from latchwork.formats.robot.collisions import Colliding
from latchwork.formats.robot.geometry import Touching
from latchwork.formats.robot.loop_closures import read_closures, with_closures
from latchwork.formats.robot.meshes import Meshes, folders_of
from latchwork.formats.robot.parts import (
    FREE,
    NOTHING,
    PLANAR,
    PRISMATIC,
    REVOLUTE,
    WELD,
    Description,
    Drive,
    Inertial,
    JointPart,
    Limits,
    LinkPart,
    Mimic,
)
from latchwork.formats.robot.robot import Robot
from latchwork.formats.robot.rotations import Pose, meant, roll_pitch_yaw, snapped
from latchwork.formats.robot.tree import followed, ordered, rooted
from latchwork.formats.robot.urdf_geometry import disabled_pairs, geometry_of
from latchwork.formats.robot.visuals import Looks, materials_of
from latchwork.formats.robot.xml_tree import Element, parse

KINDS = {
    "fixed": WELD,
    "revolute": REVOLUTE,
    "continuous": REVOLUTE,
    "prismatic": PRISMATIC,
    "planar": PLANAR,
    "floating": FREE,
}
MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
ZERO3 = (0.0, 0.0, 0.0)
EARTH = (0.0, 0.0, -9.81)
ROUNDING = 1e-15  # what CAD programs write for zero
BASE_JOINT = "root_joint"


def from_urdf(text: str, source: str = "text", *, losses: bool = True, floating: bool = False, parameters: bool = False,
              limits: bool = False, gravity: Sequence[float] = EARTH, ground: bool | float = False,
              collisions: bool = False, friction: Any = None, restitution: float = 0.0,
              packages: Sequence[str | Path] = (), srdf: str | Path | None = None,
              loops: str | Path | None = None, folder: Path | None = None) -> Robot:  # fmt: skip
    """The model of a URDF text; ``source`` is what errors call it, ``folder`` where it may name meshes from.

    ``floating`` lets the root move freely in N (position, then a quaternion, scalar first). ``parameters`` keeps
    masses, inertias and offsets as named parameters, ``limits`` gives joints their stops. ``gravity`` is an
    acceleration, measures in N.

    ``ground`` puts a floor under the lowest place of the robot as it is drawn, or at a height, for its collision
    shapes; with ``collisions`` links meet each other as well, but for those that a joint joins, and those that the file
    ``srdf`` disables. Friction is 1 unless given. ``packages`` are the folders in which ``package://`` is looked for;
    nothing outside is read. ``loops`` is a YAML file that closes loops and names the motors (`loop_closures`).
    """
    wanted = Colliding(ground, collisions, friction, restitution)
    meshes = Meshes(folder, folders_of(packages)) if wanted.wanted else None
    looks = Looks(folder, folders_of(packages), source)
    made = describe(parse(text, source), floating, gravity, meshes, looks)
    if loops is not None:
        made = with_closures(made, read_closures(loops))
    if srdf is not None:
        made = replace(made, touching=replace(made.touching, excluded=disabled_pairs(srdf, made.links)))
    return build(made, losses, parameters, limits, wanted, looks.notes)


def describe(robot: Element, floating: bool = False, gravity: Sequence[float] = EARTH,
             meshes: Meshes | None = None, looks: Looks | None = None) -> Description:  # fmt: skip
    """What the elements of a file say; geometry is read where meshes may be, and what links show where it is asked."""
    if robot.tag != "robot":
        raise robot.error(f"<{robot.tag}> is not a robot: URDF files hold one <robot>. Check the kind of the file.")
    _refuse_macros(robot)
    links = {link.name: link for link in (_link(each, meshes) for each in _distinct(robot, "link"))}
    if looks is not None:
        colors = materials_of(robot)
        shown = {each.text("name"): tuple(looks.of_link(each, _origin, colors)) for each in robot.all("link")}
        links = {name: replace(link, looks=shown[name]) for name, link in links.items()}
    joints = [_joint(joint, links) for joint in _distinct(robot, "joint")]
    if not links:
        raise robot.error("this robot has no <link>. Add at least one.")
    root = rooted(links, joints)
    if floating:
        name = BASE_JOINT if all(joint.name != BASE_JOINT for joint in joints) else f"{BASE_JOINT}_of_{root}"
        world = "world" if "world" not in links else f"world_of_{root}"
        joints.append(JointPart(name, FREE, world, root, links[root].place))
        links[world] = LinkPart(world, links[root].place)
        root = world
    joints = followed(ordered(root, links, joints))
    drives = [Drive(joint.name, joint.name) for joint in joints if joint.has_one_axis and joint.mimic is None]
    x, y, z = gravity
    touching = Touching(notes=tuple(meshes.notes) if meshes is not None else ())
    return Description(robot.get("name") or "robot", root, links, joints, drives, (float(x), float(y), float(z)),
                       touching=touching)  # fmt: skip


def _refuse_macros(robot: Element) -> None:
    for child in robot.children:
        if child.tag.startswith("xacro:"):
            raise child.error(f"<{child.tag}> is a macro: this file is xacro, not URDF. Expand it with xacro first.")


def _distinct(robot: Element, tag: str) -> list[Element]:
    """The elements with a tag; every name once."""
    found: dict[str, Element] = {}
    for element in robot.all(tag):
        if "name" not in element.attributes and tag == "joint" and "type" not in element.attributes:
            continue
        name = element.text("name")
        if name in found:
            first = found[name].place.line
            raise element.error(f"a second {tag} is named '{name}'; the first is in line {first}. Rename one of them.")
        found[name] = element
    return list(found.values())


def _link(element: Element, meshes: Meshes | None = None) -> LinkPart:
    inertial = element.one("inertial")
    shapes = () if meshes is None else tuple(geometry_of(each, _placed(each), meshes) for each in _shapes(element))
    return LinkPart(element.text("name"), element.place, NOTHING if inertial is None else _inertial(element, inertial),
                    geometry=shapes)  # fmt: skip


def _shapes(link: Element) -> list[Element]:
    """The <collision> elements of a link that have something in them."""
    return [each for each in link.all("collision") if each.children]


def _inertial(link: Element, element: Element) -> Inertial:
    mass, moments = element.need("mass").number("value"), element.need("inertia")
    xx, yy, zz, xy, xz, yz = (moments.number(key, 0.0 if key[1] != key[2] else None) for key in MOMENTS)
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    name = link.text("name")
    if mass < 0.0:
        raise element.error(f"the mass of link '{name}' is {mass:g}. Give one that is not negative.")
    least = min(xx, yy, zz)
    if least < -ROUNDING * max(xx, yy, zz, 1.0):
        raise moments.error(f"link '{name}' has the moment of inertia {least:g}. Give one that is not negative.")
    np.fill_diagonal(matrix, np.maximum(np.diag(matrix), 0.0))
    pose = _origin(element)
    return Inertial(mass, np.zeros(3), matrix).seen_from(pose)


def _origin(element: Element) -> Pose:
    origin = element.one("origin")
    if origin is None:
        return Pose()
    return Pose(roll_pitch_yaw(origin.numbers("rpy", 3, ZERO3)), np.array(origin.numbers("xyz", 3, ZERO3)))


def _placed(collision: Element) -> Pose:
    """Where a <collision> is in its link: quarter turns are meant where they are written with few decimals, so that a
    wheel turns about the axis of its joint."""
    origin = collision.one("origin")
    pose = _origin(collision)
    if origin is None or not origin.get("rpy"):
        return pose
    return replace(pose, R=roll_pitch_yaw([meant(word) for word in origin.text("rpy").split()]))


def _joint(element: Element, links: dict[str, LinkPart]) -> JointPart:
    kind = KINDS[element.choice("type", list(KINDS))]
    name = element.text("name")
    dynamics = element.one("dynamics") or Element("dynamics", {}, element.place)
    return JointPart(
        name, kind, _end(element, "parent", links), _end(element, "child", links), element.place, _origin(element),
        _axis(element, kind), _limits(element), _mimic(element),
        damping=dynamics.number("damping", 0.0), friction=dynamics.number("friction", 0.0),
    )  # fmt: skip


def _end(joint: Element, tag: str, links: dict[str, LinkPart]) -> str:
    element = joint.need(tag)
    name = element.text("link")
    if name not in links:
        hint = did_you_mean(name, links)
        raise element.error(f"the {tag} of joint '{joint.text('name')}' is '{name}', which is no link.{hint}")
    return name


def _axis(joint: Element, kind: str) -> np.ndarray:
    element = joint.one("axis")
    axis = np.array([1.0, 0.0, 0.0] if element is None else element.numbers("xyz", 3))
    size = float(np.linalg.norm(axis))
    if kind in (REVOLUTE, PRISMATIC, PLANAR) and not size > 1e-6:
        name = joint.text("name")
        raise (element or joint).error(f"the axis of joint '{name}' is {axis.tolist()}. Give a direction.")
    return snapped(axis / size) if size else axis


def _limits(joint: Element) -> Limits:
    element = joint.one("limit")
    if element is None:
        return Limits()
    lower, upper = element.number("lower", 0.0), element.number("upper", 0.0)
    if joint.get("type") == "continuous" or (lower, upper) == (0.0, 0.0):  # what is written where none is meant
        lower, upper = -np.inf, np.inf
    return Limits(lower, upper, element.number("velocity", np.inf), element.number("effort", np.inf))


def _mimic(joint: Element) -> Mimic | None:
    element = joint.one("mimic")
    if element is None or KINDS[joint.get("type")] == WELD:
        return None
    return Mimic(element.text("joint"), element.number("multiplier", 1.0), element.number("offset", 0.0))
