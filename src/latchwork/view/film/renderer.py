"""Renderer: the solids of a moment as a picture, twice as fine as the sheet and then averaged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from latchwork.mechanics.primitives import along
from latchwork.program.native import invoke
from latchwork.view.film.palette import palette, rgb
from latchwork.view.film.rasteriser import clear, fill, trace
from latchwork.view.film.shading import average, shade
from latchwork.view.film.sight import Sight, round_step
from latchwork.view.film.solids import Placed

Array = np.ndarray
FINE = 2  # pixels of the finer picture for one of the sheet
SIDE = 1024  # texels of the shadow map
EDGE = 0.55  # the shade of sharp edges
GROUND = 0.25  # of the size of a scene: at least so far apart are the lines of the ground
REACH = 9.0  # of the size of a scene: how far the ground goes


class Renderer:
    """Pictures of one size; memory is kept from one to the next."""

    def __init__(self, wide: int, high: int) -> None:
        self.size = wide, high
        n = FINE * FINE * wide * high
        self.depth, self.look, self.owner = np.empty(n), np.zeros(4 * n), np.empty(n, dtype=np.int32)
        self.out, self.ray = np.empty(4 * n), np.zeros(9)
        self.rows = np.empty(4 * wide * high, dtype=np.int32)
        self.shadow, self.nothing = np.empty(SIDE * SIDE), np.zeros(4 * SIDE * SIDE)
        self.shaded = np.empty(SIDE * SIDE, dtype=np.int32)

    def picture(self, scene: Mapping[str, Any], solids: Sequence[Placed], sight: Sight) -> Array:
        """(high, wide, 4) of 0 to 255: the room of a sight, with what is empty transparent."""
        wide, high = FINE * self.size[0], FINE * self.size[1]
        camera = sight.camera(FINE, (sight.room.x, sight.room.y))
        colors = np.array([rgb(each.color or palette()["ground"]) for each in solids] or [(0.0, 0.0, 0.0)])
        invoke(clear, wide * high, self.depth, self.owner)
        lines = []
        for number, each in enumerate(solids):
            seen, faces = each.seen(camera)
            invoke(fill, len(faces), faces, seen, number, wide, high, self.depth, self.look, self.owner)
            lines.append((np.ascontiguousarray(each.mesh.edges), seen))
        for edges, seen in lines:
            if len(edges):
                nearer = 1.6 * FINE / camera[14]
                invoke(trace, len(edges), edges, seen, nearer, float(FINE), EDGE, wide, high, self.depth, self.look)
        light = np.array(scene["light"])
        sun, g = self._shadows(scene, solids, light), ground_of(scene)
        invoke(shade, wide, high, self.depth, self.look, self.owner, colors, camera, light,
               int(scene["ground"] is not None), g, sun, self.shadow, SIDE, self.ray, self.out)  # fmt: skip
        invoke(average, *self.size, FINE, self.out, self.rows)
        return self.rows.reshape(self.size[1], self.size[0], 4).astype(np.uint8)

    def _shadows(self, scene: Mapping[str, Any], solids: Sequence[Placed], light: Array) -> Array:
        """Fill the shadow map, seen from the light; gives the camera that it was seen by."""
        places = [each.places for each in solids] or [np.zeros((1, 3))]
        low, high = np.min([p.min(axis=0) for p in places], axis=0), np.max([p.max(axis=0) for p in places], axis=0)
        half = max(0.5 * float(np.linalg.norm(high - low)), 1e-12)
        sun = np.concatenate([along(light).T.ravel(), (low + high) / 2, [SIDE / 2, SIDE / 2, 0.48 * SIDE / half, 0.0]])
        invoke(clear, SIDE * SIDE, self.shadow, self.shaded)
        for each in solids:
            seen, faces = each.seen(sun)
            invoke(fill, len(faces), faces, seen, 0, SIDE, SIDE, self.shadow, self.nothing, self.shaded)
        return sun


def ground_of(scene: Mapping[str, Any]) -> Array:
    """A place of the ground, its normal, two axes in it, the step of its net, and how far it reaches."""
    low, high = np.array(scene["box"])
    size = float(np.linalg.norm(high - low))
    ground = scene["ground"]
    if ground is None:
        up = np.eye(3)["xyz".index(scene["view"][1])]
        return np.concatenate([np.zeros(3), up, np.zeros(6), [1.0, 1.0]])
    up = np.array(ground["up"])
    axes = along(up)
    middle = (low + high) / 2
    at = middle + up * float((np.array(ground["at"]) - middle) @ up)
    step = round_step(GROUND * size)
    at = sum((round(float(at @ axis) / step) * step * axis for axis in axes[:, :2].T), up * float(at @ up))
    return np.concatenate([at, up, axes[:, 0], axes[:, 1], [step, REACH * size]])


