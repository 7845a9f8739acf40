"""Faces of mesh files as loose triangles with their colours: STL, binary or text, OBJ with its materials, COLLADA.

Files are hostile until parsed: sizes and counts are bounded, numbers are finite, and nothing but the file itself is
read, and for OBJ a material library beside it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from latchwork.contact.collada_faces import collada_surfaces
from latchwork.contact.meshes import HEAD, RECORD
from latchwork.errors import FileError
from latchwork.files import read_bytes
from latchwork.mechanics.visual import Surface

Array = np.ndarray
MOST_BYTES = 60_000_000  # of a mesh
MOST_LIBRARY = 1_000_000  # bytes of a material library
MOST_FACES = 2_000_000
FARTHEST = 1e6  # in metres: what a vertex may be away


def surfaces_of(path: Path) -> list[Surface]:
    """The surfaces of a mesh file, by colour."""
    data = read_bytes(path, MOST_BYTES)
    source, suffix = str(path), path.suffix.lower()
    if suffix == ".dae":
        found = collada_surfaces(data, source)
    elif suffix == ".obj":
        found = _obj(data.decode("utf-8", errors="replace"), path)
    else:
        found = [Surface(_stl(data, source))]
    for triangles, _ in found:
        far = not np.isfinite(triangles).all() or np.abs(triangles).max(initial=0.0) > FARTHEST
        if far or len(triangles) > MOST_FACES:
            raise FileError(f"the mesh has more than {MOST_FACES} faces, or vertices that are not finite or beyond "
                            f"{FARTHEST:g} m. Mend it.", source)  # fmt: skip
    if not sum(len(triangles) for triangles, _ in found):
        raise FileError("the mesh has no faces. Give an STL, OBJ or DAE file of a surface.", source)
    return found


def _stl(data: bytes, source: str) -> Array:
    count = struct.unpack_from("<I", data, HEAD - 4)[0] if len(data) >= HEAD else -1
    if len(data) == HEAD + RECORD.itemsize * count:
        return np.frombuffer(data, RECORD, offset=HEAD)["corners"].astype(float)
    if not data.lstrip().startswith(b"solid"):
        raise FileError(f"the mesh has {len(data)} bytes, and says that it has {count} triangles: it is cut off, or no "
                        "STL. Write it again.", source)  # fmt: skip
    words = data.decode("utf-8", errors="replace").split()
    at = [k for k, word in enumerate(words) if word == "vertex"]
    try:
        rows = np.array([[float(x) for x in words[k + 1 : k + 4]] for k in at], dtype=float).reshape(-1, 3)
    except ValueError:
        raise FileError("a vertex of the mesh is not three numbers. Mend it.", source) from None
    if len(rows) % 3:
        raise FileError(f"the mesh has {len(rows)} vertices, which make no whole triangles: it is cut off.", source)
    return rows.reshape(-1, 3, 3)


def _obj(text: str, path: Path) -> list[Surface]:
    """Faces by material; polygons as fans."""
    vertices: list[list[float]] = []
    faces: dict[str, list[tuple[int, int, int]]] = {}
    current, libraries = "", list[str]()
    for number, line in enumerate(text.splitlines(), start=1):
        word, *rest = line.split() or [""]
        try:
            if word == "v":
                vertices.append([float(item) for item in rest[:3]])
            elif word == "f":
                corners = [_index(item, len(vertices)) for item in rest]
                fan = zip(corners[:1] * len(corners), corners[1:], corners[2:], strict=False)
                faces.setdefault(current, []).extend(fan)
            elif word == "usemtl":
                current = " ".join(rest)
            elif word == "mtllib":
                libraries.append(" ".join(rest))
        except ValueError:
            raise FileError(f"'{line.strip()[:60]}' is not understood. Give numbers.", str(path), number) from None
    x = np.array(vertices, dtype=float).reshape(-1, 3)
    colors = dict(_library(path, libraries))
    return [Surface(_picked(x, np.array(rows), path), colors.get(name, "")) for name, rows in faces.items() if rows]


def _index(item: str, count: int) -> int:
    k = int(item.partition("/")[0])
    return k - 1 if k > 0 else count + k


def _picked(x: Array, rows: Array, path: Path) -> Array:
    if rows.min() < 0 or rows.max() >= len(x):
        raise FileError(f"a face of the mesh names vertex {rows.max() + 1} of {len(x)}. Mend it.", str(path))
    return x[rows]


def _library(path: Path, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Diffuse colours of the material libraries that lie beside a file."""
    for name in names:
        beside = path.parent / Path(name).name
        if not beside.is_file() or beside.stat().st_size > MOST_LIBRARY:
            continue
        current = ""
        for line in read_bytes(beside, MOST_LIBRARY).decode("utf-8", errors="replace").splitlines():
            word, *rest = line.split() or [""]
            if word == "newmtl":
                current = " ".join(rest)
            elif word == "Kd":
                yield current, hexadecimal(rest[:3])


def hexadecimal(parts: Sequence[str] | Sequence[float]) -> str:
    """Red, green and blue from 0 to 1 as ``#rrggbb``; nothing where they are no such numbers."""
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return ""
    if len(numbers) != 3 or not all(0.0 <= x <= 1.0 for x in numbers):
        return ""
    return "#" + "".join(f"{round(255 * x):02x}" for x in numbers)
