"""The solids of a scene at one time: meshes of bodies where these are, and members stretched between their points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.mechanics.primitives import along
from latchwork.view.film.rasteriser import VERTEX
from latchwork.view.film.sight import BEHIND
from latchwork.view.mesh import Mesh, read

if TYPE_CHECKING:
    from latchwork.view.film.moment import Moment

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Placed:
    """A mesh where it is now: vertices and normals in N."""

    mesh: Mesh
    places: Array
    normals: Array
    color: str

    def seen(self, camera: Array) -> tuple[Array, Array]:
        """(n, VERTEX) numbers of its vertices, and the faces before the eye."""
        c = (self.places - camera[9:12]) @ camera[:9].reshape(3, 3).T
        w = 1.0 - c[:, 2] * camera[15]
        near = w < BEHIND
        w = np.maximum(w, BEHIND)
        found = np.empty((len(c), VERTEX))
        found[:, 0] = camera[12] + camera[14] * c[:, 0] / w
        found[:, 1] = camera[13] - camera[14] * c[:, 1] / w
        found[:, 2], found[:, 3:6], found[:, 6] = c[:, 2] / w, self.normals, self.mesh.shades
        faces = self.mesh.faces[~near[self.mesh.faces].any(axis=1)] if near.any() else self.mesh.faces
        return found, np.ascontiguousarray(faces)


class Solids:
    """The solids of a scene; meshes are read once."""

    def __init__(self, scene: Mapping[str, Any]) -> None:
        self.scene = scene

    @cached_property
    def meshes(self) -> list[Mesh]:
        return [read(data) for data in self.scene["meshes"]]

    def at(self, moment: Moment) -> Iterator[Placed]:
        """All of them at a moment."""
        for item in self.scene["shapes"]:
            if "mesh" in item:
                mesh, (x, y) = self.meshes[item["mesh"]], moment.row(item["turn"], 6).reshape(2, 3)
                turn = np.array([x, y, np.cross(x, y)])
                yield Placed(mesh, moment.row(item["at"]) + mesh.places @ turn, mesh.normals @ turn, item["color"])
        for item in self.scene["members"]:
            yield stretched(self.meshes[item["mesh"]], moment.row(item["a"]), moment.row(item["b"]), item, self.down)

    @property
    def down(self) -> Array:
        ground = self.scene["ground"]
        return -np.array(ground["up"]) if ground else -np.eye(3)["xyz".index(self.scene["view"][1])]


def stretched(mesh: Mesh, a: Array, b: Array, item: Mapping[str, Any], down: Array) -> Placed:
    """A member between two places: ``p = a + z (b − a) + r (x e₁ + y e₂)``; z below 0 and above 1 counts in radii, so
    that ends stay round. A slack rope hangs through as a parabola, by √(3/8 · d (L − d)) with the span d.
    """
    way = b - a
    long = float(np.linalg.norm(way))
    axes = along(way / long) if long > 0.0 else np.eye(3)
    radius, z = item["radius"], np.clip(mesh.places[:, 2:], 0.0, 1.0)
    round_end = mesh.places * [1.0, 1.0, 0.0] + (mesh.places[:, 2:] - z) * [0.0, 0.0, 1.0]
    sag = np.sqrt(max(0.375 * long * (item.get("length", 0.0) - long), 0.0))
    places = a + z * way + radius * round_end @ axes.T + 4.0 * sag * z * (1.0 - z) * down
    steep = np.where(z == mesh.places[:, 2:], radius / max(long, 1e-300), 1.0)
    normals = (mesh.normals * np.hstack([np.ones((len(z), 2)), steep])) @ axes.T
    return Placed(mesh, places, normals, item["color"])
