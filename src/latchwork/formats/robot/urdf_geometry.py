"""The <collision> elements of a URDF link as numbers, and the pairs that an SRDF file disables."""

from __future__ import annotations

from pathlib import Path

from latchwork.errors import FileError, did_you_mean
from latchwork.files import read_text
from latchwork.formats.places import shown
from latchwork.formats.robot.geometry import BOX, CAPSULE, CYLINDER, MESH, SPHERE, Geometry
from latchwork.formats.robot.meshes import Meshes
from latchwork.formats.robot.parts import LinkPart
from latchwork.formats.robot.rotations import Pose
from latchwork.formats.robot.xml_tree import Element, parse

MOST_BYTES = 8_000_000  # of an SRDF file
KINDS = (BOX, SPHERE, CYLINDER, CAPSULE, MESH)
ONE = (1.0, 1.0, 1.0)


def geometry_of(element: Element, pose: Pose, meshes: Meshes) -> Geometry:
    """The shape of a <collision>, at a pose in its link."""
    geometry = element.need("geometry")
    if len(geometry.children) != 1 or geometry.children[0].tag not in KINDS:
        found = ", ".join(f"<{shown(child.tag)}>" for child in geometry.children) or "nothing"
        raise geometry.error(f"this <geometry> has {found}. Give one of {', '.join(f'<{kind}>' for kind in KINDS)}.")
    (shape,) = geometry.children
    name = element.get("name")
    size: tuple[float, ...]
    if shape.tag == MESH:
        corners = meshes.corners(shape, shape.text("filename"), shape.numbers("scale", 3, ONE))
        return Geometry(MESH, (), pose, element.place, name, corners=corners)
    if shape.tag == BOX:
        size = tuple(shape.numbers("size", 3))
    elif shape.tag == SPHERE:
        size = (shape.number("radius"),)
    else:
        size = (shape.number("radius"), shape.number("length"))
    if not min(size) > 0.0:
        raise shape.error(f"the size {list(size)} of this <{shape.tag}> is not positive. Give positive numbers.")
    return Geometry(shape.tag, size, pose, element.place, name)


def disabled_pairs(path: str | Path, links: dict[str, LinkPart]) -> tuple[tuple[str, str], ...]:
    """Pairs of links between which the <disable_collisions> of an SRDF file lets nothing collide."""
    if not isinstance(path, (str, Path)):
        raise FileError(f"srdf is {path!r:.60}. Give the path of an SRDF file.")
    root = parse(read_text(path, MOST_BYTES), str(path))
    if root.tag != "robot":
        raise root.error(f"<{shown(root.tag)}> is not a robot: SRDF files hold one <robot>. Check the file.")
    found = []
    for each in root.all("disable_collisions"):
        pair = each.text("link1"), each.text("link2")
        for name in pair:
            if name not in links:
                raise each.error(f"'{shown(name)}' is no link of the robot.{did_you_mean(name, links)}")
        found.append(pair)
    return tuple(found)
