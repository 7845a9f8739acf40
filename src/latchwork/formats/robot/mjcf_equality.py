"""Equality constraints of MJCF as ties between links or joints: hard ones, whatever softness the file asks for.

    connect  a point of each body, together at the start     weld  the pose they have at the start, or ``relpose``
    joint    y − y₀ = a₀ + a₁ (x − x₀) + ... + a₄ (x − x₀)⁴
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from latchwork.errors import did_you_mean
from latchwork.formats.robot import rotations
from latchwork.formats.robot.mjcf_settings import MAIN, Settings
from latchwork.formats.robot.parts import BALL, WELD, JointPart, JointTie, LinkTie, Tie
from latchwork.formats.robot.robot import Names
from latchwork.formats.robot.rotations import Pose
from latchwork.formats.robot.xml_tree import Element

LINEAR = (0.0, 1.0, 0.0, 0.0, 0.0)
AS_AT_THE_START = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
WORLD = "world"
Sites = Mapping[str, tuple[str, Pose]]  # body and pose in it


def read_ties(root: Element, settings: Settings, rest: Mapping[str, Pose], sites: Sites,
              joints: list[JointPart]) -> list[Tie]:  # fmt: skip
    """The active equality constraints of a file; ``rest`` holds the poses of bodies at the start."""
    if any(flag.get("equality") == "disable" for option in root.all("option") for flag in option.all("flag")):
        return []
    rows = [_completed(row, settings) for section in root.all("equality") for row in section.children]
    names = Names(row.get("name") for row in rows if row.get("name"))
    ties: list[Tie] = []
    for row in rows:
        if not row.truth("active", True):
            continue
        name = row.get("name") or names.any(row.tag)
        if any(tie.name == name for tie in ties):
            raise row.error(f"a second equality constraint is named '{name}'. Rename one of them.")
        if row.tag == "joint":
            ties.append(_joints(row, name, {joint.name: joint for joint in joints}))
        elif row.tag in ("connect", "weld"):
            ties.append(_links(row, name, rest, sites))
        else:
            raise row.error(f"the equality constraint <{row.tag}> is not read. Remove it, or make it inactive.")
    return ties


def _completed(row: Element, settings: Settings) -> Element:
    """A row with the attributes that defaults of its class give to all equality constraints."""
    name = row.get("class") or MAIN
    if name not in settings.classes:
        raise row.error(f"there is no defaults class '{name}'.{did_you_mean(name, settings.classes)}")
    return Element(row.tag, {**settings.classes[name].get("equality", {}), **row.attributes}, row.place, row.children)


def _joints(row: Element, name: str, joints: Mapping[str, JointPart]) -> JointTie:
    found = [row.text("joint1"), *([row.get("joint2")] if row.get("joint2") else [])]
    for joint in found:
        if joint not in joints:
            raise row.error(f"this <joint> ties joint '{joint}', which is not there.{did_you_mean(joint, joints)}")
        if not joints[joint].has_one_axis:
            kind = joints[joint].kind
            raise row.error(f"this <joint> ties the {kind} joint '{joint}'. Tie hinges and slides.")
    law = (*row.numbers("polycoef", None, LINEAR), *[0.0] * 5)[:5]
    second = found[1] if len(found) == 2 and any(law[1:]) else ""
    refs = (joints[found[0]].ref, joints[second].ref if second else 0.0)
    return JointTie(name, row.place, found[0], second, law, refs)


def _links(row: Element, name: str, rest: Mapping[str, Pose], sites: Sites) -> LinkTie:
    kind = WELD if row.tag == "weld" else BALL
    if row.get("site1") or row.get("site2"):
        (first, one), (second, two) = (_site(row, key, sites) for key in ("site1", "site2"))
        return LinkTie(name, row.place, kind, first, second, one, two)
    first, second = _body(row, "body1", rest, row.text("body1")), _body(row, "body2", rest, row.get("body2") or WORLD)
    between = rest[first].inverse @ rest[second]
    if kind == BALL:
        anchor = np.array(row.numbers("anchor", 3))
        there = between.inverse @ Pose(np.eye(3), anchor)
        return LinkTie(name, row.place, kind, first, second, Pose(np.eye(3), anchor), Pose(np.eye(3), there.p))
    at = Pose(np.eye(3), np.array(row.numbers("anchor", 3, (0.0, 0.0, 0.0))))
    given = row.numbers("relpose", 7, AS_AT_THE_START)  # where the anchor of body2 is, seen from body1
    meet = Pose(rotations.quaternion(given[3:]), np.array(given[:3])) if any(given[3:]) else between @ at
    return LinkTie(name, row.place, kind, first, second, meet, at)


def _site(row: Element, key: str, sites: Sites) -> tuple[str, Pose]:
    name = row.text(key)
    if name not in sites:
        raise row.error(f"this <{row.tag}> ties site '{name}', which is not there.{did_you_mean(name, sites)}")
    return sites[name]


def _body(row: Element, key: str, rest: Mapping[str, Pose], name: str) -> str:
    if name not in rest:
        raise row.error(f"{key}=\"{name}\" of this <{row.tag}> is not there.{did_you_mean(name, rest)}")
    return name
