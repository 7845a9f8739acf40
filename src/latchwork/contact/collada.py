"""Vertices from COLLADA files (DAE): positions of meshes, where the nodes of the scene put them, in metres.

Files are hostile until parsed: no DTD, no entities, bounded depth and counts. As in ROS, lengths are multiplied by the
unit of the file, and its up axis is left alone. Files without a scene have their meshes as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

import numpy as np

from latchwork.algebra.products import dot
from latchwork.errors import FileError
from latchwork.program import sincos

DEEPEST = 100  # elements inside elements
MAX_ELEMENTS = 500_000  # elements of a file
MOST_INSTANCES = 10_000  # of meshes in a scene
MOST_NUMBERS = 6_000_000  # of all meshes of a scene together
LIBRARY = re.compile(r"^\{.*\}|^.*:")
FACES = ("triangles", "polylist", "polygons", "tristrips", "trifans")
DEGREE = 0.017453292519943295
Array = np.ndarray


@dataclass(eq=False)
class Element:
    """An element with its text."""

    tag: str
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def all(self, tag: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag == tag)

    def within(self, tag: str) -> Iterator[Element]:
        """All elements of a tag, however deep."""
        pending = [self]
        while pending:
            element = pending.pop()
            if element.tag == tag:
                yield element
            pending += reversed(element.children)

    def numbers(self, source: str, count: int | None = None) -> Array:
        try:
            found = np.array("".join(self.text).split(), dtype=float)
        except ValueError:
            found = np.array([np.nan])
        if not np.isfinite(found).all() or (count is not None and len(found) != count):
            raise FileError(f"a <{self.tag}> of the mesh does not hold {count or 'finite'} numbers. Mend it.", source)
        return found


def parsed(data: bytes, source: str) -> Element:
    """The root element of a file."""
    root, stack, count = Element("", {}), [Element("", {})], 0
    stack[0] = root
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if len(stack) > DEEPEST or count > MAX_ELEMENTS:
            raise FileError(f"the mesh has more than {MAX_ELEMENTS} elements, or {DEEPEST} inside each other.", source)
        made = Element(LIBRARY.sub("", tag), attributes)
        stack[-1].children.append(made)
        stack.append(made)

    def refuse(*_: object) -> None:
        raise FileError("a DOCTYPE with its entities is not read from meshes. Remove it.", source)

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.CharacterDataHandler = lambda text: stack[-1].text.append(text)
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as problem:
        raise FileError(f"the mesh is not well-formed XML: {expat.ErrorString(problem.code)}.", source,
                        problem.lineno) from None  # fmt: skip
    return root


def collada_vertices(data: bytes, source: str) -> Array:
    """All vertices of a COLLADA file, (n, 3)."""
    root = parsed(data, source)
    if not any(child.tag == "COLLADA" for child in root.children):
        raise FileError("this is no COLLADA file: there is no <COLLADA> in it. Check its kind.", source)
    meshes = {each.attributes.get("id", ""): _positions(each, source) for each in root.within("geometry")}
    unit = next((number_of(each.attributes.get("meter", "1"), source) for each in root.within("unit")), 1.0)
    has_scene = next(root.within("visual_scene"), None) is not None
    found = list(_placed(root, meshes, source)) if has_scene else list(meshes.values())
    return unit * np.vstack([np.zeros((0, 3)), *found])


def number_of(text: str, source: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not 0.0 < value < 1e9:
        raise FileError(f"the unit of the mesh is '{text[:20]}'. Give a positive number of metres.", source)
    return value


def _positions(geometry: Element, source: str) -> Array:
    """The positions of the vertices of a mesh that its faces use; all of them where it has no faces."""
    arrays = {each.attributes.get("id", ""): each for each in geometry.within("source")}
    found = []
    for mesh in geometry.all("mesh"):
        for vertices in mesh.all("vertices"):
            x = np.vstack([np.zeros((0, 3)), *positions(vertices, arrays, source)])
            used = [_used(faces, vertices.attributes.get("id", ""), source) for faces in mesh.children
                    if faces.tag in FACES]  # fmt: skip
            kept = np.unique(np.concatenate(used)) if used else np.arange(len(x))
            if len(kept) and not 0 <= kept[0] <= kept[-1] < len(x):
                raise FileError(f"a face of the mesh names vertex {kept[-1]:.0f} of {len(x)}. Mend it.", source)
            found.append(x[kept.astype(int)])
    return np.vstack([np.zeros((0, 3)), *found])


def positions(vertices: Element, arrays: dict[str, Element], source: str) -> Iterator[Array]:
    """The positions that vertices are made of."""
    for each in vertices.all("input"):
        given = arrays.get(each.attributes.get("source", "").removeprefix("#"))
        if each.attributes.get("semantic") == "POSITION" and given is not None:
            for array in given.all("float_array"):
                row = array.numbers(source)
                yield row[: len(row) // 3 * 3].reshape(-1, 3)


def _used(faces: Element, vertices: str, source: str) -> Array:
    """Numbers of vertices that faces use."""
    offsets = [(int(text) if (text := each.attributes.get("offset", "0")).isdigit() else 0, each)
               for each in faces.all("input")]  # fmt: skip
    own = [offset for offset, each in offsets if each.attributes.get("semantic") == "VERTEX"
           and each.attributes.get("source", "").removeprefix("#") == vertices]  # fmt: skip
    stride = 1 + max((offset for offset, _ in offsets), default=0)
    rows = [each.numbers(source)[own[0] :: stride] for each in faces.within("p")] if own else []
    return np.concatenate([np.zeros(0), *rows])


def _placed(root: Element, meshes: dict[str, Array], source: str) -> Iterator[Array]:
    """The meshes of a scene, each where the nodes around it put it."""
    numbers = 0
    for each, here in placed_nodes(root, source):
        x = meshes.get(each.attributes.get("url", "").removeprefix("#"), np.zeros((0, 3)))
        numbers += x.size
        if numbers > MOST_NUMBERS:
            raise FileError(f"the scene of the mesh has more than {MOST_NUMBERS} numbers. Make it smaller.", source)
        yield dot(x, here[:3, :3].T) + here[:3, 3]


def placed_nodes(root: Element, source: str) -> Iterator[tuple[Element, Array]]:
    """Every <instance_geometry> of the first scene, with the product of the transforms around it."""
    nodes = {each.attributes.get("id", ""): each for each in root.within("node")}
    pending: list[tuple[Element, Array, int]] = [(node, np.eye(4), 0) for scene in list(root.within("visual_scene"))[:1]
                                                 for node in scene.all("node")]  # fmt: skip
    seen = 0
    while pending:
        node, around, depth = pending.pop()
        seen += 1
        here = dot(around, _transform(node, source))
        for each in node.all("instance_geometry"):
            yield each, here
        if seen > MOST_INSTANCES or depth > DEEPEST:
            raise FileError(f"the scene of the mesh has more than {MOST_INSTANCES} nodes, or {DEEPEST} inside each "
                            "other. Make it smaller.", source)  # fmt: skip
        inner = [nodes.get(each.attributes.get("url", "").removeprefix("#")) for each in node.all("instance_node")]
        pending += [(child, here, depth + 1) for child in (*node.all("node"), *inner) if child is not None]


def _transform(node: Element, source: str) -> Array:
    """The product of what a node says, in its order."""
    total: Array = np.eye(4)
    for child in node.children:
        step = np.eye(4)
        if child.tag == "matrix":
            step = child.numbers(source, 16).reshape(4, 4)
        elif child.tag == "translate":
            step[:3, 3] = child.numbers(source, 3)
        elif child.tag == "scale":
            step[:3, :3] = np.diag(child.numbers(source, 3))
        elif child.tag == "rotate":
            step[:3, :3] = _turn(child.numbers(source, 4))
        else:
            continue
        total = dot(total, step)
    return total


def _turn(given: Array) -> Array:
    """R = c 1 + s [k]× + (1 − c) k kᵀ, of an axis and an angle in degrees."""
    size = float(np.sqrt((given[:3] * given[:3]).sum()))
    x, y, z = given[:3] / size if size > 0.0 else np.array([0.0, 0.0, 1.0])
    c, s = sincos.cos(float(given[3]) * DEGREE), sincos.sin(float(given[3]) * DEGREE)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    k = np.array([x, y, z])
    turned: Array = c * np.eye(3) + s * cross + (1.0 - c) * k[:, None] * k[None, :]
    return turned
