"""Faces of COLLADA files as loose triangles, where the nodes of the scene put them, by the colour of their material."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from latchwork.algebra.products import dot
from latchwork.contact.collada import MOST_NUMBERS, Element, number_of, parsed, placed_nodes, positions
from latchwork.errors import FileError
from latchwork.mechanics.visual import Surface

Array = np.ndarray
SHADED = ("phong", "lambert", "blinn", "constant")


def collada_surfaces(data: bytes, source: str) -> list[Surface]:
    """All faces of a file, in metres, by colour."""
    root = parsed(data, source)
    geometries = {each.attributes.get("id", ""): list(_faces(each, source)) for each in root.within("geometry")}
    colors = _colors(root, source)
    unit = next((number_of(each.attributes.get("meter", "1"), source) for each in root.within("unit")), 1.0)
    found: dict[str, list[Array]] = {}
    count = 0
    for instance, pose in placed_nodes(root, source):
        bound = {each.attributes.get("symbol", ""): each.attributes.get("target", "").removeprefix("#")
                 for each in instance.within("instance_material")}  # fmt: skip
        for symbol, triangles in geometries.get(instance.attributes.get("url", "").removeprefix("#"), []):
            count += triangles.size
            if count > 3 * MOST_NUMBERS:
                raise FileError(f"the scene of the mesh has more than {3 * MOST_NUMBERS} numbers. Make it "
                                "smaller.", source)  # fmt: skip
            moved = unit * (dot(triangles.reshape(-1, 3), pose[:3, :3].T) + pose[:3, 3])
            found.setdefault(colors.get(bound.get(symbol, symbol), ""), []).append(moved.reshape(-1, 3, 3))
    if not found:
        plain = [triangles for rows in geometries.values() for _, triangles in rows]
        found = {"": [unit * each for each in plain]} if plain else {}
    return [Surface(np.concatenate(parts), color) for color, parts in found.items()]


def _colors(root: Element, source: str) -> dict[str, str]:
    """Diffuse colours by the name of a material."""
    effects = {each.attributes.get("id", ""): _diffuse(each, source) for each in root.within("effect")}
    found = {}
    for material in root.within("material"):
        for each in material.all("instance_effect"):
            color = effects.get(each.attributes.get("url", "").removeprefix("#"), "")
            found[material.attributes.get("id", "")] = color
    return found


def _diffuse(effect: Element, source: str) -> str:
    for kind in SHADED:
        for shaded in effect.within(kind):
            for diffuse in shaded.all("diffuse"):
                for color in diffuse.all("color"):
                    parts = np.clip(color.numbers(source)[:3], 0.0, 1.0)
                    if len(parts) == 3:
                        return "#" + "".join(f"{round(255 * float(x)):02x}" for x in parts)
    return ""


def _faces(geometry: Element, source: str) -> Iterator[tuple[str, Array]]:
    """Material and triangles of each group of faces of a geometry."""
    arrays = {each.attributes.get("id", ""): each for each in geometry.within("source")}
    for mesh in geometry.all("mesh"):
        places = {each.attributes.get("id", ""): np.vstack([np.zeros((0, 3)), *positions(each, arrays, source)])
                  for each in mesh.all("vertices")}  # fmt: skip
        for group in mesh.children:
            if group.tag in ("triangles", "polylist", "polygons"):
                yield group.attributes.get("material", ""), _group(group, places, source)


def _group(group: Element, places: dict[str, Array], source: str) -> Array:
    inputs = [(int(text) if (text := each.attributes.get("offset", "0")).isdigit() else 0, each)
              for each in group.all("input")]  # fmt: skip
    own = next(((offset, each) for offset, each in inputs if each.attributes.get("semantic") == "VERTEX"), None)
    if own is None:
        return np.zeros((0, 3, 3))
    x = places.get(own[1].attributes.get("source", "").removeprefix("#"), np.zeros((0, 3)))
    stride = 1 + max(offset for offset, _ in inputs)
    rows = [each.numbers(source)[own[0] :: stride].astype(np.int64) for each in group.within("p")]
    counts = [each.numbers(source).astype(np.int64) for each in group.all("vcount")]
    corners = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
    if group.tag == "polygons":
        sizes = np.array([len(row) for row in rows], dtype=np.int64)
    elif counts:
        sizes = np.concatenate(counts)
    else:
        sizes = np.full(len(corners) // 3, 3, dtype=np.int64)
    if len(corners) and not (corners.min() >= 0 and corners.max() < len(x)):
        raise FileError(f"a face of the mesh names vertex {corners.max()} of {len(x)}. Mend it.", source)
    if (sizes < 0).any() or sizes.sum() > len(corners):
        raise FileError("the faces of the mesh have more corners than are given: it is cut off. Mend it.", source)
    return x[_fans(corners, sizes)]


def _fans(corners: Array, sizes: Array) -> Array:
    """Triangles of polygons, each from its first corner."""
    begins = np.cumsum(sizes) - sizes
    counts = np.maximum(sizes - 2, 0)
    first = np.repeat(begins, counts)
    step = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.column_stack([corners[first], corners[first + step + 1], corners[first + step + 2]])
