"""Loop closures of a URDF robot, which its tree cannot say: a YAML file beside it, as example-parallel-robots has it.

    closed_loop: [[frame_A, frame_B], ...]     links, or fixed joints, that come together
    type: ["6d", "3d", ...]                    as frames (a weld), or as points (a ball)
    name_mot: [joint, ...]                     joints with motors; all others are passive
    joint_name, joint_type: [...]              joints that are SPHERICAL in truth
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from latchwork.errors import FileError, did_you_mean
from latchwork.files import read_text
from latchwork.formats.model_file.yaml_nodes import Listing, Node, compose
from latchwork.formats.model_file.yaml_nodes import Mapping as YamlMapping
from latchwork.formats.places import Text, shown
from latchwork.formats.robot.parts import BALL, WELD, Description, Drive, JointPart, LinkTie, Tie
from latchwork.formats.robot.rotations import Pose

MOST_BYTES = 1_000_000
KINDS = {"6d": WELD, "3d": BALL}
KEYS = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")


class Closures(NamedTuple):
    """What a file says: pairs of frames with their kinds, motors, and joints that are balls."""

    pairs: tuple[tuple[Text, Text, str], ...]
    motors: tuple[Text, ...] | None
    balls: tuple[Text, ...]


def read_closures(path: str | Path) -> Closures:
    """The closures in a file."""
    if not isinstance(path, (str, Path)):
        raise FileError(f"loops is {path!r:.60}. Give the path of a YAML file with closed_loop, type and name_mot.")
    tree = compose(read_text(path, MOST_BYTES), str(path))
    if not isinstance(tree, YamlMapping):
        raise tree.place.error("loop closures are a mapping. Give closed_loop, type and name_mot.")
    for key, (text, _) in tree.items.items():
        if key not in KEYS:
            raise text.place.error(f"'{shown(key)}' says nothing about loops.{did_you_mean(key, KEYS)}")
    loops = tree.items.get("closed_loop")
    pairs = [] if loops is None else [_two(each) for each in _items(loops[1])]
    kinds = [KINDS["6d"]] * len(pairs) if "type" not in tree.items else \
        [_kind(each) for each in _texts(tree.items["type"][1])]  # fmt: skip
    if len(kinds) != len(pairs):
        raise tree.items["type"][0].place.error(f"{len(kinds)} types are given for {len(pairs)} loops. Give as many.")
    motors = _texts(tree.items["name_mot"][1]) if "name_mot" in tree.items else None
    return Closures(tuple((a, b, kind) for (a, b), kind in zip(pairs, kinds, strict=True)), motors, _balls(tree))


def _items(node: Node) -> list[Node]:
    if not isinstance(node, Listing):
        raise node.place.error("a list is needed here, such as [['a', 'b']].")
    return node.items


def _texts(node: Node) -> tuple[Text, ...]:
    found = _items(node)
    for each in found:
        if not isinstance(each, Text):
            raise each.place.error("a name is needed here.")
    return tuple(each for each in found if isinstance(each, Text))


def _two(node: Node) -> tuple[Text, Text]:
    found = _texts(node)
    if len(found) != 2:
        raise node.place.error(f"a loop is closed by two frames; {len(found)} are given. Give a pair.")
    return found[0], found[1]


def _kind(text: Text) -> str:
    kind = KINDS.get(text.value.lower())
    if kind is None:
        raise text.place.error(f"'{shown(text.value)}' is no type of a loop. Give '6d' or '3d'.")
    return kind


def _balls(tree: YamlMapping) -> tuple[Text, ...]:
    """Joints that are spherical."""
    if "joint_name" not in tree.items:
        return ()
    names = _texts(tree.items["joint_name"][1])
    kinds = _texts(tree.items["joint_type"][1]) if "joint_type" in tree.items else ()
    if len(kinds) != len(names):
        raise tree.items["joint_name"][0].place.error(f"{len(kinds)} types are given for {len(names)} joints. Give as "
                                                      "many.")  # fmt: skip
    for kind in kinds:
        if kind.value.upper() != "SPHERICAL":
            raise kind.place.error(f"joints of type '{shown(kind.value)}' are not read. Describe it by two joints in "
                                   "the URDF; SPHERICAL is read.")  # fmt: skip
    return names


def with_closures(description: Description, closures: Closures) -> Description:
    """A robot with its loops closed, and motors where the file has them."""
    joints = {joint.name: joint for joint in description.joints}
    for name in (*closures.balls, *(closures.motors or ())):
        if name.value not in joints:
            raise name.place.error(f"'{shown(name.value)}' is no joint of the robot.{did_you_mean(name.value, joints)}")
    balls = {name.value for name in closures.balls}
    parts = [replace(joint, kind=BALL) if joint.name in balls else joint for joint in description.joints]
    ties: list[Tie] = [*description.ties, *(_tie(i, pair, description, joints)
                                            for i, pair in enumerate(closures.pairs, 1))]  # fmt: skip
    motors = None if closures.motors is None else {name.value for name in closures.motors}
    drives: list[Drive] = [drive for drive in description.drives
                           if drive.joint not in balls and (motors is None or drive.joint in motors)]  # fmt: skip
    return replace(description, joints=parts, ties=ties, drives=drives)


def _tie(i: int, pair: tuple[Text, Text, str], description: Description, joints: Mapping[str, JointPart]) -> LinkTie:
    first, second, kind = pair
    one, two = _link(first, description, joints), _link(second, description, joints)
    return LinkTie(f"loop{i}", first.place, kind, one, two, Pose(), Pose())


def _link(frame: Text, description: Description, joints: Mapping[str, JointPart]) -> str:
    """The link that a frame belongs to: itself, or the child of a joint."""
    if frame.value in description.links:
        return frame.value
    if frame.value in joints:
        return joints[frame.value].child
    known = [*description.links, *joints]
    raise frame.place.error(f"'{shown(frame.value)}' is no link or joint of the robot."
                            f"{did_you_mean(frame.value, known)}")  # fmt: skip
