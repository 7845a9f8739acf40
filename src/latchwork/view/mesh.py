"""Triangle meshes: places, unit normals, faces and sharp edges; made from loose triangles, and written as plain data.

    n_c = Σ α_f n_f over the faces f at the vertex of corner c with n_f · n_c,face > CREASE, by their angles α there

Neighbouring faces share a normal where they meet smoothly (Thürmer and Wüthrich 1998), and have their own across a
crease, as CAD programs shade.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

Array = np.ndarray
WELD = 1e-6  # of the size of a mesh: corners nearer than this are one vertex
CREASE = 0.77  # cosine of the angle between faces beyond which an edge is sharp, 40°
MOST_AROUND = 40  # faces at a vertex up to which normals are averaged; hostile meshes have thousands
FINE = 32767.0
MOST_KEPT = 20_000  # faces of a mesh that is remembered


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices with normals and a shade (how much of its colour each keeps), faces, and sharp edges, by number."""

    places: Array  # (n, 3)
    normals: Array  # (n, 3)
    shades: Array  # (n,), from 0 to 1
    faces: Array  # (m, 3)
    edges: Array  # (k, 2)

    @cached_property
    def data(self) -> dict[str, Any]:
        """What JSON can say: whole numbers in base 64, places in steps of their box, normals in steps of 1/127."""
        low, high = (self.places.min(axis=0), self.places.max(axis=0)) if len(self.places) else (np.zeros(3),) * 2
        step = max(float((high - low).max()) / (2.0 * FINE), 1e-300)
        middle = (low + high) / 2
        wide = 2 if len(self.places) < 65536 else 4
        look = np.column_stack([np.round(127.0 * self.normals), np.round(127.0 * self.shades)])
        return {
            "middle": [float(f"{x:.9g}") for x in middle], "step": float(f"{step:.9g}"), "wide": wide,
            "places": _text((self.places - middle) / step, "<i2"), "look": _text(look, "<i1"),
            "faces": _text(self.faces, f"<u{wide}"), "edges": _text(self.edges, f"<u{wide}"),
        }  # fmt: skip

    @property
    def reach(self) -> float:
        """How far it goes from its origin."""
        return float(np.linalg.norm(self.places, axis=1).max(initial=0.0))


def _text(numbers: Array, kind: str) -> str:
    limits = np.iinfo(kind)
    whole = np.clip(np.round(numbers), limits.min, limits.max).astype(kind)
    return base64.b64encode(whole.tobytes()).decode("ascii")


def read(data: Mapping[str, Any]) -> Mesh:
    """A mesh from its data."""

    def rows(key: str, kind: str, width: int) -> Array:
        return np.frombuffer(base64.b64decode(data[key]), kind).reshape(-1, width)

    places = np.array(data["middle"]) + data["step"] * rows("places", "<i2", 3)
    look = rows("look", "<i1", 4) / 127.0
    kind = f"<u{data['wide']}"
    faces, edges = (rows(key, kind, width).astype(np.int64) for key, width in (("faces", 3), ("edges", 2)))
    return Mesh(places, look[:, :3], look[:, 3], faces, edges)


def welded(triangles: Array, shades: Array | None = None, crease: float = CREASE, lined: bool = True) -> Mesh:
    """The mesh of loose triangles (m, 3, 3), each with a shade; ``lined`` keeps its sharp edges.

    A picture asks for the same solid several times, at other sizes of the scene: the last ones are remembered.
    """
    shades = np.ones(len(triangles)) if shades is None else shades
    if len(triangles) > MOST_KEPT:
        return _weld(triangles, shades, crease, lined)
    return _welded(*(np.asarray(x, dtype=float).tobytes() for x in (triangles, shades)), crease, lined)


@lru_cache(maxsize=256)
def _welded(triangles: bytes, shades: bytes, crease: float, lined: bool) -> Mesh:
    return _weld(np.frombuffer(triangles).reshape(-1, 3, 3), np.frombuffer(shades), crease, lined)


def _weld(triangles: Array, shades: Array, crease: float, lined: bool) -> Mesh:
    vertices, corners = joined(triangles)
    area = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    size = np.linalg.norm(area, axis=1)
    kept = (size > 1e-14 * max(float(size.max(initial=0.0)), 1e-300)) & _distinct(corners)
    corners, area, shades = corners[kept], area[kept], shades[kept]
    unit = area / np.maximum(np.linalg.norm(area, axis=1), 1e-300)[:, None]
    normals = _smooth(corners, _angles(triangles[kept]), unit, len(vertices), crease)
    edges = _sharp(corners, unit, crease) if lined else np.zeros((0, 2), dtype=np.int64)
    key = np.column_stack([corners.ravel(), np.round(100 * normals), np.round(100 * np.repeat(shades, 3))])
    first, index = _unique_rows(key)
    order = corners.ravel()[first]
    where = np.zeros(len(vertices), dtype=np.int64)
    where[order[::-1]] = np.arange(len(order))[::-1]  # any one of the vertices at a place
    return Mesh(vertices[order], normals[first], np.repeat(shades, 3)[first], index.reshape(-1, 3), where[edges])


def joined(triangles: Array) -> tuple[Array, Array]:
    """Different vertices (n, 3), and the numbers of each triangle's corners (m, 3)."""
    flat = triangles.reshape(-1, 3)
    size = float(np.ptp(flat, axis=0).max()) if len(flat) else 1.0
    first, index = _unique_rows(np.round(flat / (WELD * (size or 1.0))))
    return flat[first], index.reshape(-1, 3)


def _unique_rows(rows: Array) -> tuple[Array, Array]:
    """Where each different row is first, in the order of first places, and the number of every row."""
    order = np.lexsort(rows.T)  # stable: of equal rows the first comes first
    begins = np.ones(len(rows), dtype=bool)
    begins[1:] = (rows[order[1:]] != rows[order[:-1]]).any(axis=1)
    first = order[begins]
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    index = np.empty(len(rows), dtype=np.int64)
    index[order] = rank[np.cumsum(begins) - 1]
    return np.sort(first), index


def _distinct(corners: Array) -> Array:
    a, b, c = corners.T if len(corners) else np.zeros((3, 0))
    found: Array = (a != b) & (b != c) & (c != a)
    return found


def _angles(triangles: Array) -> Array:
    """The angle at every corner, (3 m,)."""
    ahead, back = np.roll(triangles, -1, axis=1) - triangles, np.roll(triangles, 1, axis=1) - triangles
    across = np.linalg.norm(np.cross(ahead, back), axis=2)
    return np.arctan2(across, (ahead * back).sum(axis=2)).ravel()


def _smooth(corners: Array, angles: Array, unit: Array, count: int, crease: float) -> Array:
    """The normal at every corner, (3 m, 3)."""
    vertex, face = corners.ravel(), np.repeat(np.arange(len(corners)), 3)
    order = np.argsort(vertex, kind="stable")
    around = np.bincount(vertex, minlength=count)
    begin = np.concatenate([[0], np.cumsum(around)[:-1]])
    found = unit[face].copy()
    few = np.flatnonzero(around[vertex] <= MOST_AROUND)
    times = around[vertex[few]]
    one = np.repeat(few, times)
    at = np.arange(len(one)) - np.repeat(np.cumsum(times) - times, times)
    other = order[begin[vertex[one]] + at]
    near = (unit[face[one]] * unit[face[other]]).sum(axis=1) > crease
    for k in range(3):
        total = np.bincount(one[near], (angles[other] * unit[face[other], k])[near], minlength=len(vertex))
        found[few, k] = total[few]
    size = np.linalg.norm(found, axis=1)
    return np.where(size[:, None] > 0.0, found / np.maximum(size, 1e-300)[:, None], unit[face])


def _sharp(corners: Array, unit: Array, crease: float) -> Array:
    """Edges of one face only, or between faces that meet at an angle."""
    pairs = np.sort(np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    face = np.tile(np.arange(len(corners)), 3)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    pairs, face = pairs[order], face[order]
    if not len(pairs):
        return pairs
    same = (pairs[1:] == pairs[:-1]).all(axis=1)
    begins = np.concatenate([[True], ~same])
    flat = np.zeros(len(pairs), dtype=bool)
    flat[:-1] = same & ((unit[face[1:]] * unit[face[:-1]]).sum(axis=1) > crease)
    group = np.cumsum(begins) - 1
    return pairs[begins][np.bincount(group, flat) == 0]


def coarser(vertices: Array, faces: Array, most: int) -> tuple[Array, Array]:
    """A mesh of at most so many faces: vertices in one cell of a grid become their mean (Rossignac and Borrel 1993)."""
    size = float(np.ptp(vertices, axis=0).max()) if len(vertices) else 0.0
    cell = size / 400.0
    found, kept = vertices, faces
    while len(kept) > most and cell > 0.0:
        first, index = _unique_rows(np.floor((vertices - vertices.min(axis=0)) / cell))
        count = np.bincount(index, minlength=len(first))[:, None]
        found = np.column_stack([np.bincount(index, vertices[:, k]) for k in range(3)]) / count
        kept = index[faces]
        kept = kept[_distinct(kept)]
        kept = kept[_unique_rows(np.sort(kept, axis=1))[0]]
        cell *= 1.3
    return found, kept
