"""Vertices from mesh files: STL, binary or text, OBJ, and COLLADA. Faces are left out: a hull needs none."""

from __future__ import annotations

import struct
from os import PathLike
from pathlib import Path

import numpy as np

from latchwork.contact.collada import collada_vertices
from latchwork.errors import FileError
from latchwork.files import read_bytes

RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
MOST_BYTES = 200_000_000
HEAD = 84  # bytes before the triangles of a binary STL: 80 of anything, and their count


def vertices_of(path: str | PathLike[str]) -> np.ndarray:
    """The different vertices of a mesh, (n, 3)."""
    file = Path(path)
    data = read_bytes(file, MOST_BYTES)
    count = struct.unpack_from("<I", data, HEAD - 4)[0] if len(data) >= HEAD else -1
    if file.suffix.lower() == ".dae":
        found = collada_vertices(data, str(file))
    elif len(data) == HEAD + RECORD.itemsize * count:
        found = np.frombuffer(data, RECORD, offset=HEAD)["corners"].reshape(-1, 3).astype(float)
    else:
        found = _from_text(data.decode("utf-8", errors="replace"), str(file))
    if len(found) < 4 or not np.isfinite(found).all():
        raise FileError(f"the mesh has {len(found)} vertices. Give an STL, OBJ or DAE file of a solid.", str(file))
    return np.unique(found, axis=0)


def _from_text(text: str, source: str) -> np.ndarray:
    """Lines ``v x y z`` (OBJ) or ``vertex x y z`` (STL)."""
    rows = []
    for number, line in enumerate(text.splitlines(), start=1):
        word, *rest = line.split() or [""]
        if word in ("v", "vertex"):
            try:
                rows.append([float(item) for item in rest[:3]])
            except ValueError:
                rows.append([])
            if len(rows[-1]) != 3:
                raise FileError(f"a vertex is '{line.strip()}'. Give three numbers.", source, number)
    return np.array(rows, dtype=float).reshape(-1, 3)
