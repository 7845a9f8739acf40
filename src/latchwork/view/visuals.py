"""Visuals as solids: surfaces of robot files, made coarse enough to be drawn at once, and kept."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from latchwork.errors import FileError
from latchwork.mechanics.visual import Visual
from latchwork.view.mesh import Mesh, coarser, joined, welded
from latchwork.view.sketch import Outline

MOST_FACES = 160_000  # of all visuals of a scene together
FEWEST = 300  # of one surface, however many there are
_KEPT: WeakKeyDictionary[Visual, list[tuple[Mesh, str]]] = WeakKeyDictionary()


def visual_outlines(visuals: Sequence[Visual]) -> Iterator[Outline]:
    """The solids of visuals; a file that cannot be read is told of, and left out."""
    most = max(FEWEST, MOST_FACES // max(len(visuals), 1))
    for visual in visuals:
        if visual not in _KEPT:
            _KEPT[visual] = list(_meshes(visual, most))
        for mesh, color in _KEPT[visual]:
            yield Outline(visual.origin, visual.frame, (), solid=mesh, color=color)


def _meshes(visual: Visual, most: int) -> Iterator[tuple[Mesh, str]]:
    try:
        surfaces = visual.read()
    except (FileError, OSError) as problem:
        warnings.warn(f"'{visual.name}' is drawn without a mesh: {problem}", stacklevel=2)
        return
    total = sum(len(triangles) for triangles, _ in surfaces)
    for triangles, color in surfaces:
        share = max(FEWEST, most * len(triangles) // max(total, 1))
        if len(triangles) > share:
            vertices, faces = joined(triangles)
            vertices, faces = coarser(vertices, faces, share)
            triangles = vertices[faces]
        if len(triangles):
            yield welded(triangles, lined=False), color
