"""The tree of a robot's links: its root, its joints from the root outward, and who follows whom."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from latchwork.errors import did_you_mean
from latchwork.formats.robot.parts import JointPart, LinkPart, Mimic

MOST_LINKS = 2_000


def rooted(links: dict[str, LinkPart], joints: Iterable[JointPart]) -> str:
    """The one link that no joint carries; every other is carried once."""
    carriers: dict[str, JointPart] = {}
    for joint in joints:
        other = carriers.setdefault(joint.child, joint)
        if other is not joint:
            raise joint.place.error(
                f"joints '{other.name}' and '{joint.name}' both carry link '{joint.child}', and links form a tree. "
                "Remove one of them."
            )
    roots = [link for link in links if link not in carriers]
    first = next(iter(links.values()))
    if len(links) > MOST_LINKS:
        raise first.place.error(f"{len(links)} links are more than the {MOST_LINKS} a robot may have. Split it.")
    if not roots:
        raise first.place.error(f"no link is the root: {_cycle(first.name, carriers)} go round. Open the loop.")
    if len(roots) > 1:
        named = ", ".join(f"'{name}'" for name in roots[:6]) + (", ..." if len(roots) > 6 else "")
        raise links[roots[1]].place.error(
            f"{len(roots)} links are carried by no joint ({named}), and a robot has one root. Join the others to it."
        )
    return roots[0]


def ordered(root: str, links: dict[str, LinkPart], joints: Iterable[JointPart]) -> list[JointPart]:
    """Joints from the root outward, branch by branch in the order of the file."""
    carried: dict[str, list[JointPart]] = {}
    carriers: dict[str, JointPart] = {}
    for joint in joints:
        carried.setdefault(joint.parent, []).append(joint)
        carriers[joint.child] = joint
    found: list[JointPart] = []
    pending = carried.get(root, [])[::-1]
    while pending:
        joint = pending.pop()
        found.append(joint)
        pending += carried.get(joint.child, [])[::-1]
    lost = set(carriers) - {joint.child for joint in found}
    if lost:
        name = next(link for link in links if link in lost)
        loop = _cycle(name, carriers)
        raise carriers[name].place.error(f"{loop} go round, apart from the root '{root}'. Open the loop.")
    return found


def _cycle(link: str, carriers: dict[str, JointPart]) -> str:
    """The joints of the loop that leads to a link."""
    seen: dict[str, JointPart] = {}
    while link not in seen:
        seen[link] = carriers[link]
        link = carriers[link].parent
    loop = list(seen.values())[list(seen).index(link) :]
    return "joints " + ", ".join(f"'{joint.name}'" for joint in reversed(loop[-6:]))


def followed(joints: list[JointPart]) -> list[JointPart]:
    """Joints that follow a follower made to follow the joint that leads: q = k1 (k2 q + c2) + c1."""
    by_name = {joint.name: joint for joint in joints}
    return [joint if joint.mimic is None else replace(joint, mimic=_leader(joint, by_name)) for joint in joints]


def _leader(joint: JointPart, joints: dict[str, JointPart]) -> Mimic:
    assert joint.mimic is not None
    mimic, passed = joint.mimic, [joint.name]
    while True:
        if mimic.joint not in joints:
            raise joint.place.error(
                f"joint '{passed[-1]}' follows '{mimic.joint}', which is no joint.{did_you_mean(mimic.joint, joints)}"
            )
        if mimic.joint in passed:
            ring = " -> ".join([*passed, mimic.joint])
            raise joint.place.error(f"joints {ring} follow each other in a ring. Let one of them lead.")
        other = joints[mimic.joint]
        if not (joint.has_one_axis and other.has_one_axis):
            odd = joint if not joint.has_one_axis else other
            raise joint.place.error(
                f"joint '{joint.name}' follows '{other.name}', but '{odd.name}' is a {odd.kind} joint. Let only joints "
                "with one axis follow and lead."
            )
        if other.mimic is None:
            return mimic
        passed.append(other.name)
        k, c = mimic.multiplier, mimic.offset
        mimic = Mimic(other.mimic.joint, k * other.mimic.multiplier, k * other.mimic.offset + c)
