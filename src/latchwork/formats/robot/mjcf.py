"""MJCF: bodies, joints, masses and actuators of a MuJoCo file to a model.

Equality constraints become constraints of the model, hard ones. Geoms collide where that is asked for; what is only
drawn is left out, and limits are kept as data (``robot.limits``). Whatever else would change the motion and is not read
is refused by name. Damping acts as -d q̇ and frictionloss holds or resists each joint with f at most, unless
``losses=False``. Every actuator is an input, not clipped to its ctrlrange.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from latchwork.formats.robot.build import build
from latchwork.formats.robot.collisions import Colliding
from latchwork.formats.robot.geometry import Touching
from latchwork.formats.robot.meshes import Meshes, folders_of
from latchwork.formats.robot.mjcf_checks import check_body_child, check_joint, check_sections
from latchwork.formats.robot.mjcf_drives import read_drives
from latchwork.formats.robot.mjcf_equality import read_ties
from latchwork.formats.robot.mjcf_geometry import GeomReader
from latchwork.formats.robot.mjcf_include import included
from latchwork.formats.robot.mjcf_masses import body_inertial
from latchwork.formats.robot.mjcf_settings import MAIN, Settings, flat, read_settings
from latchwork.formats.robot.parts import (
    BALL,
    FREE,
    PRISMATIC,
    REVOLUTE,
    WELD,
    Description,
    Inertial,
    JointPart,
    Limits,
    LinkPart,
)
from latchwork.formats.robot.robot import Names, Robot
from latchwork.formats.robot.rotations import Pose, snapped, without_noise
from latchwork.formats.robot.tree import MOST_LINKS
from latchwork.formats.robot.visuals import Assets, Looks
from latchwork.formats.robot.xml_tree import Element, parse

KINDS = {"hinge": REVOLUTE, "slide": PRISMATIC, "ball": BALL, "free": FREE}
EARTH = (0.0, 0.0, -9.81)
WORLD = "world"


def from_mjcf(text: str, source: str = "text", *, losses: bool = True, parameters: bool = False,
              limits: bool = False, gravity: Sequence[float] | None = None, ground: bool | float = False,
              collisions: bool = False, friction: Any = None, restitution: float = 0.0,
              packages: Sequence[str | Path] = (), folder: Path | None = None) -> Robot:  # fmt: skip
    """The model of an MJCF text; ``source`` is what errors call it, ``folder`` where it may include files from.

    ``parameters`` keeps masses, inertias and offsets as named parameters, ``limits`` gives joints their stops;
    ``gravity`` replaces the file's.

    With ``collisions`` geoms collide as the file says: contype and conaffinity, excluded bodies, listed pairs, friction
    (of two the larger, or ``friction`` for all). ``ground`` adds a floor at z = 0, or at a height, and lets geoms
    collide as well. Contacts are hard; ``robot.notes`` says what of the file has no counterpart.
    """
    ground = 0.0 if ground is True else ground
    wanted = Colliding(ground, collisions or ground is not False, friction, restitution)
    meshes = Meshes(folder, folders_of(packages)) if wanted.wanted else None
    looks = Looks(folder, folders_of(packages), source)
    made = describe(included(parse(text, source), folder), gravity, meshes, looks)
    return build(made, losses, parameters, limits, wanted, looks.notes)


def describe(root: Element, gravity: Sequence[float] | None = None, meshes: Meshes | None = None,
             looks: Looks | None = None) -> Description:  # fmt: skip
    """What the elements of a file say; geoms are read where meshes may be, and what they show where that is asked."""
    if root.tag != "mujoco":
        raise root.error(f"<{root.tag}> is not a model: MJCF files hold one <mujoco>. Check the kind of the file.")
    check_sections(root)
    reader = _Reader(read_settings(root), root, meshes, looks)
    for world in root.all("worldbody"):
        reader.body(world, WORLD, MAIN)
    if reader.settings.total_mass > 0.0:
        reader.scale(reader.settings.total_mass)
    x, y, z = gravity if gravity is not None else _gravity(root)
    drives = read_drives(root, reader.joints, reader.settings)
    name = root.get("model") or "mujoco"
    ties = read_ties(root, reader.settings, reader.rest, reader.sites, reader.joints)
    touching = Touching() if reader.geoms is None else reader.geoms.touching(root, reader.links)
    return Description(name, WORLD, reader.links, reader.joints, drives, (float(x), float(y), float(z)), ties, touching,
                       joins_root=False)  # fmt: skip


def _gravity(root: Element) -> Sequence[float]:
    found: Sequence[float] = EARTH
    for option in root.all("option"):
        found = option.numbers("gravity", 3, found)
        if any(flag.get("gravity") == "disable" for flag in option.all("flag")):
            return (0.0, 0.0, 0.0)
    return found


class _Reader:
    """Links and joints of one file, in the order in which bodies stand in it."""

    def __init__(self, settings: Settings, root: Element, meshes: Meshes | None, looks: Looks | None) -> None:
        self.settings, self.looks, self.assets = settings, looks, Assets(root)
        self.geoms = None if meshes is None else GeomReader(root, settings, meshes)
        self.links = {WORLD: LinkPart(WORLD, root.place)}
        self.joints: list[JointPart] = []
        self.rest = {WORLD: Pose()}  # of bodies, in the world, at the start
        self.sites: dict[str, tuple[str, Pose]] = {}
        self.body_names = Names({WORLD} | _named(root, "body"))
        self.joint_names = Names(_named(root, "joint", "freejoint"))

    def body(self, element: Element, name: str, active: str) -> None:
        """What stands in a body: its joints have been read, its mass and the bodies on it follow."""
        active = element.get("childclass") or active
        geoms: list[tuple[Element, Pose]] = []
        for child, inner, pose in flat(element, self.settings, active):
            check_body_child(child)
            if child.tag == "geom":
                geoms.append((self.settings.complete(child, inner), pose))
            elif child.tag == "site" and child.get("name"):
                self.sites[child.get("name")] = name, pose @ self.settings.pose(self.settings.complete(child, inner))
            elif child.tag == "body":
                self._outboard(child, name, inner, pose)
        if self.looks is not None:
            given = self.settings, self.assets
            shown = [look for geom, pose in geoms for look in self.looks.of_geom(geom, pose, *given)]
            self.links[name] = replace(self.links[name], looks=(*self.links[name].looks, *shown))
        if self.geoms is not None:
            found = [self.geoms.geometry(geom, pose) for geom, pose in geoms]
            shapes = (*self.links[name].geometry, *(each for each in found if each is not None))
            self.links[name] = replace(self.links[name], geometry=shapes)
        if name != WORLD:
            inertial = body_inertial(element, geoms, self.settings)
            self.links[name] = replace(self.links[name], inertial=inertial)

    def _outboard(self, element: Element, parent: str, active: str, frame: Pose) -> None:
        """A body on another: its joints one after the other, each on a link of its own, then the body itself."""
        if len(self.links) > MOST_LINKS:
            raise element.error(f"{len(self.links)} bodies and joints are more than a robot may have. Make it smaller.")
        name = element.get("name") or self.body_names.any("body")
        self._link(element, name)
        inner = element.get("childclass") or active
        pose = frame @ self.settings.pose(element)
        self.rest[name] = self.rest[parent] @ pose
        for child, own, around in flat(element, self.settings, inner):
            if child.tag in ("joint", "freejoint"):
                part = self._joint(child, own, around, parent)
                on = Pose() if part.kind == FREE else pose @ part.pose
                self.joints.append(replace(part, pose=on))
                parent, pose = part.child, part.pose.inverse
        self.joints.append(JointPart(f"{name} weld", WELD, parent, name, element.place, pose))
        self.body(element, name, active)

    def _link(self, element: Element, name: str) -> None:
        if name in self.links:
            raise element.error(f"a second body is named '{name}'. Rename one of them.")
        self.links[name] = LinkPart(name, element.place)

    def _joint(self, element: Element, active: str, around: Pose, parent: str) -> JointPart:
        """A joint by itself: ``pose`` holds its anchor in the body."""
        e = element if element.tag == "freejoint" else self.settings.complete(element, active)
        kind = FREE if e.tag == "freejoint" else KINDS[e.choice("type", list(KINDS), "hinge")]
        name = e.get("name") or self.joint_names.any("joint")
        if any(joint.name == name for joint in self.joints):
            raise e.error(f"a second joint is named '{name}'. Rename one of them.")
        check_joint(e, kind, parent == WORLD)
        link = self.body_names.any(f"{name} link")
        self.links[link] = LinkPart(link, e.place, hidden=True)
        turns = kind in (REVOLUTE, BALL)
        anchor = around.R @ e.numbers("pos", 3, (0.0, 0.0, 0.0)) + around.p if turns else np.zeros(3)
        unit = self.settings.angle if turns else 1.0
        one = kind in (REVOLUTE, PRISMATIC)
        return JointPart(
            name, kind, parent, link, e.place, Pose(np.eye(3), without_noise(anchor)), _axis(e, around),
            self._limits(e, unit if one else 1.0), None, e.number("ref", 0.0) * unit if one else 0.0,
            _first(e, "damping"), e.number("frictionloss", 0.0), _first(e, "stiffness"),
            e.number("springref", 0.0) * unit, e.number("armature", 0.0),
        )  # fmt: skip

    def _limits(self, e: Element, unit: float) -> Limits:
        low, high = self.settings.limited(e, "limited", "range") or (-math.inf, math.inf)
        efforts = self.settings.limited(e, "actuatorfrclimited", "actuatorfrcrange") or (-math.inf, math.inf)
        return Limits(low * unit, high * unit, math.inf, max(map(abs, efforts)))

    def scale(self, total: float) -> None:
        """All masses and inertias in proportion, so that the sum is ``total``."""
        factor = total / (sum(link.inertial.mass for link in self.links.values()) or 1.0)
        for name, link in self.links.items():
            own = link.inertial
            scaled = Inertial(own.mass * factor, own.center, own.matrix * factor)
            self.links[name] = replace(link, inertial=scaled)


def _named(root: Element, *tags: str) -> set[str]:
    """The names that elements of a file have of their own."""
    found, pending = set(), [root]
    while pending:
        element = pending.pop()
        pending += element.children
        if element.tag in tags:
            found.add(element.get("name"))
    return found


def _axis(e: Element, around: Pose) -> np.ndarray:
    axis = np.array(e.numbers("axis", 3, (0.0, 0.0, 1.0)))
    size = float(np.linalg.norm(axis))
    if not size > 1e-12:
        raise e.error("the axis of this joint is zero. Give a direction.")
    return snapped(around.R @ axis / size)


def _first(e: Element, name: str) -> float:
    return e.numbers(name, None, (0.0,))[0]
