"""Meshes that a robot file names: found in given folders, never outside, bounded, as convex hulls of few corners.

``package://name/path`` is looked for as ``folder/name/path`` in each folder of the search path, and as ``folder/path``
where the folder itself is called so; other names are relative to the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from latchwork.algebra.products import dot
from latchwork.contact.meshes import vertices_of
from latchwork.errors import FileError
from latchwork.formats.places import shown
from latchwork.formats.robot.rotations import Array
from latchwork.formats.robot.xml_tree import Element
from latchwork.program.sincos import cos, sin

MOST_BYTES = 20_000_000  # of a mesh
MOST_MESHES = 200  # of a robot
MOST_CORNERS = 60  # of a hull: more cost time at every step and are seen by nobody
KNOWN = (".stl", ".obj", ".dae")
PACKAGE, FILE = "package://", "file://"
GOLDEN = 2.399963229728653  # radians: turns of the spiral along which directions are spread


def folders_of(packages: Any) -> list[Path]:
    """The folders of a search path, as they were given: one, or several."""
    given = [packages] if isinstance(packages, (str, Path)) else packages
    if not isinstance(given, (list, tuple)) or not all(isinstance(each, (str, Path)) for each in given):
        raise FileError(f"packages are {packages!r:.60}. Give folders: packages=[folder].")
    for each in given:
        if not Path(each).is_dir():
            raise FileError(f"'{each}' of the search path for packages is no folder. Give one that there is.")
    return [Path(each) for each in given]


class Meshes:
    """The meshes of one robot, read once each; ``homes`` are folders that are packages where they are called so."""

    def __init__(self, folder: Path | None, packages: Sequence[Path], homes: Sequence[Path] = ()) -> None:
        self.folder, self.packages, self.homes = folder, [Path(each) for each in packages], homes
        self.notes: list[str] = []
        self._read: dict[Path, Array] = {}

    def corners(self, element: Element, name: str, scale: Sequence[float]) -> Array:
        """Corners of the convex hull of a mesh, scaled, (n, 3)."""
        path = self.path(element, name)
        if path not in self._read:
            if len(self._read) >= MOST_MESHES:
                raise element.error(f"'{shown(name)}' comes after {MOST_MESHES} meshes, which is all a robot may have.")
            self._read[path] = self._hull(element, name, path)
        return self._read[path] * np.array(scale, dtype=float)

    def path(self, element: Element, name: str) -> Path:
        """Where a mesh is; only inside the folders that were given, and the folder of the file."""
        if Path(name).suffix.lower() not in KNOWN:
            raise element.error(
                f"the mesh '{shown(name)}' is neither STL, OBJ nor DAE. Convert it, give the link a simple shape, "
                "or load the robot without geometry."
            )
        places = self._places(name)
        if not places:
            raise element.error(
                f"'{shown(name)}' cannot be looked for: no folder is known that may hold it. Load the robot from its "
                "file, and give the folders of its packages: lw.load(path, packages=[folder])."
            )
        for home, relative in places:
            try:
                root = home.resolve()
                path = (root / relative).resolve()
                if path.is_relative_to(root) and path.is_file():
                    return path
            except (OSError, ValueError):
                continue
        looked = ", ".join(dict.fromkeys(f"'{home}'" for home, _ in places))
        raise element.error(
            f"the mesh '{shown(name)}' is not inside {looked}. Nothing outside of these is read: give the folder of "
            "its package, lw.load(path, packages=[folder]), or load the robot without geometry."
        )

    def _places(self, name: str) -> list[tuple[Path, str]]:
        """Folders, and where in each a mesh of this name would be."""
        if name.startswith(PACKAGE):
            package, _, rest = unquote(name.removeprefix(PACKAGE)).lstrip("/").partition("/")
            found = [(home, f"{package}/{rest}") for home in self.packages]
            return found + [(home, rest) for home in (*self.packages, *self.homes) if home.resolve().name == package]
        plain = unquote(name.removeprefix(FILE)) if name.startswith(FILE) else name
        homes = [*([self.folder] if self.folder is not None else []), *self.packages]
        return [(home, plain) for home in homes]

    def _hull(self, element: Element, name: str, path: Path) -> Array:
        """All corners of the hull, or the foremost ones in directions spread evenly."""
        from scipy.spatial import ConvexHull, QhullError

        if path.stat().st_size > MOST_BYTES:
            raise element.error(f"'{shown(name)}' has {path.stat().st_size} bytes; the limit is {MOST_BYTES}. Make it "
                                "coarser.")  # fmt: skip
        try:
            x = vertices_of(path)
            x = x[np.sort(ConvexHull(x).vertices)]
        except FileError as problem:
            raise element.error(f"'{shown(name)}': {problem.message}") from None
        except (QhullError, ValueError):
            raise element.error(f"the corners of '{shown(name)}' lie in one plane. Give a mesh of a solid.") from None
        if len(x) <= MOST_CORNERS:
            return x
        kept = x[np.unique([int(np.argmax(dot(x, way))) for way in _directions(MOST_CORNERS - 6)])]
        faces = ConvexHull(kept).equations
        off = float((dot(x, faces[:, :3].T) + faces[:, 3]).max())
        self.notes.append(f"'{shown(name)}' is the convex hull of {len(kept)} of its {len(x)} foremost corners; others "
                          f"stand out by {off:.3g} at most")  # fmt: skip
        return kept


def _directions(count: int) -> Array:
    """Unit vectors along a spiral from pole to pole, and the axes both ways."""
    z = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    angles, across = [GOLDEN * i for i in range(count)], np.sqrt(1.0 - z * z)
    spiral = np.column_stack([across * [cos(a) for a in angles], across * [sin(a) for a in angles], z])
    return np.vstack([np.eye(3), -np.eye(3), spiral])
