"""Meshes that a model file names: only from its own folder, of a bounded size, and only the corners of their hulls."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from latchwork.contact.meshes import vertices_of
from latchwork.formats.model_file.contact_tables import MOST_VERTICES
from latchwork.formats.places import Text, shown

MOST_BYTES = 20_000_000


def mesh_corners(name: Text, folder: Path | None) -> np.ndarray:
    """The corners of the convex hull of a mesh, (n, 3), in the order in which they stand among its vertices."""
    path = _inside(name, folder)
    x = vertices_of(path)
    corners = x[_on_hull(x)]
    if len(corners) > MOST_VERTICES:
        raise name.place.error(f"the hull of '{shown(name.value)}' has {len(corners)} corners; the limit is "
                               f"{MOST_VERTICES}. Give a coarser mesh.")  # fmt: skip
    return corners


def _inside(name: Text, folder: Path | None) -> Path:
    """The path of a file of the folder, small enough to be read."""
    text = shown(name.value)
    if folder is None:
        raise name.place.error(f"'{text}' cannot be found from a text that has no folder. Load it from its file.")
    home = folder.resolve()
    try:
        path = (home / name.value).resolve()
        size = path.stat().st_size if path.is_relative_to(home) and path.is_file() else -1
    except (OSError, ValueError):
        path, size = home, -1
    if not path.is_relative_to(home):
        raise name.place.error(f"'{text}' lies outside the folder of this file. Only meshes inside it are read.")
    if not 0 <= size <= MOST_BYTES:
        found = "is no file" if size < 0 else f"has {size} bytes; the limit is {MOST_BYTES}"
        raise name.place.error(f"'{text}' {found}. Give an STL, OBJ or DAE file inside the folder of this file.")
    return path


def _on_hull(x: np.ndarray) -> np.ndarray:
    """Which points are corners of the hull of all; all of them where they lie in one plane."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        return np.sort(ConvexHull(x).vertices)
    except QhullError:
        return np.arange(len(x))
