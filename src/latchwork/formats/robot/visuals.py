"""What the links of a robot look like: the <visual> elements of URDF, and the geoms of MJCF that are shown.

Meshes are found as those of collisions are, in the folder of the file and in the given folders; besides, the package
that the file itself lies in is known. They are read when they are first drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from latchwork.contact.mesh_faces import hexadecimal, surfaces_of
from latchwork.errors import FileError
from latchwork.formats.robot.geometry import BOX, CAPSULE, CYLINDER, MESH, SPHERE
from latchwork.formats.robot.meshes import Meshes
from latchwork.formats.robot.mjcf_masses import measured
from latchwork.formats.robot.mjcf_settings import Settings
from latchwork.formats.robot.rotations import Array, Pose, quaternion
from latchwork.formats.robot.xml_tree import Element
from latchwork.mechanics import primitives
from latchwork.mechanics.visual import Surface

ONE = (1.0, 1.0, 1.0)
SHOWN = 2.0  # groups of geoms up to this one are shown, as in MuJoCo's viewer
USUAL = "#c3c9d2"  # the colour of what has none
SOLIDS: dict[str, Callable[[tuple[float, ...]], Array]] = {
    BOX: lambda size: primitives.box(np.array(size)),
    SPHERE: lambda size: primitives.ball(size[0], 32),
    CYLINDER: lambda size: primitives.cylinder(size[0], -0.5 * size[1], 0.5 * size[1]),
    CAPSULE: lambda size: primitives.capsule(size[0], size[1]) - [0.0, 0.0, 0.5 * size[1]],
}


@dataclass(frozen=True, eq=False)
class Look:
    """A shape by its sizes, or a mesh by its file, at a pose in its link; with a colour of its own, if it has one."""

    kind: str
    size: tuple[float, ...]
    pose: Pose
    color: str = ""
    path: Path | None = None
    scale: tuple[float, ...] = ONE

    def surfaces(self, link: Pose) -> Sequence[Surface]:
        """Its surfaces, seen from a body in which its link is at a pose."""
        seen = link @ self.pose
        found = [Surface(SOLIDS[self.kind](self.size))] if self.path is None else surfaces_of(self.path)
        scale = np.array(self.scale)
        return [Surface(primitives.placed(triangles * scale, seen.R, seen.p), self.color or color or USUAL)
                for triangles, color in found]  # fmt: skip


class Looks:
    """Finds the looks of one robot; what cannot be shown is counted, and noted."""

    def __init__(self, folder: Path | None, packages: Sequence[Path], source: str) -> None:
        homes = [] if folder is None else [folder, *folder.resolve().parents]
        self.meshes = Meshes(folder, packages, tuple(homes))
        self.known = folder is not None or bool(packages)
        self.missing: list[str] = []

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.missing:
            return ()
        return (f"{len(self.missing)} of its meshes are not shown: {self.missing[0]}",)

    def mesh(self, element: Element, name: str, pose: Pose, scale: Sequence[float], color: str) -> Iterator[Look]:
        if not self.known:
            return
        try:
            path = self.meshes.path(element, name)
        except FileError as problem:
            self.missing.append(problem.message)
        else:
            yield Look(MESH, (), pose, color, path, tuple(scale))

    # --- URDF ---------------------------------------------------------------------------------------------------

    def of_link(self, link: Element, poses: Callable[[Element], Pose], materials: dict[str, str]) -> Iterator[Look]:
        """What the <visual> elements of a link show."""
        for visual in link.all("visual"):
            geometry = visual.one("geometry")
            if geometry is None or len(geometry.children) != 1:
                continue
            (shape,), pose, color = geometry.children, poses(visual), _material(visual, materials)
            if shape.tag == MESH and shape.get("filename"):
                yield from self.mesh(shape, shape.text("filename"), pose, shape.numbers("scale", 3, ONE), color)
            elif shape.tag in SOLIDS:
                size = tuple(shape.numbers("size", 3)) if shape.tag == BOX else (shape.number("radius"),)
                size += (shape.number("length"),) if shape.tag in (CYLINDER, CAPSULE) else ()
                if min(size) > 0.0:
                    yield Look(shape.tag, size, pose, color)

    # --- MJCF ---------------------------------------------------------------------------------------------------

    def of_geom(self, geom: Element, pose: Pose, settings: Settings, assets: Assets) -> Iterator[Look]:
        """What a geom shows, if its group is shown."""
        kind = geom.get("type", MESH if "mesh" in geom.attributes else SPHERE)
        if geom.number("group", 0.0) > SHOWN:
            return
        rgba = geom.numbers("rgba", None, ())
        color = hexadecimal(rgba[:3]) if rgba else assets.colors.get(geom.get("material"), "")
        if (len(rgba) == 4 and rgba[3] == 0.0) or kind not in (*SOLIDS, MESH):
            return
        if kind == MESH:
            mesh = assets.meshes.get(geom.get("mesh"))
            if mesh is not None and mesh.get("file"):
                turned = quaternion(mesh.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0))).T
                own = Pose(turned, -turned @ np.array(mesh.numbers("refpos", 3, (0.0, 0.0, 0.0))))
                file = str(Path(assets.folder) / mesh.text("file")) if assets.folder else mesh.text("file")
                at = pose @ settings.pose(geom) @ own
                yield from self.mesh(mesh, file, at, mesh.numbers("scale", 3, ONE), color)
            return
        half, own = measured(geom, {SPHERE: 1, BOX: 3}.get(kind, 2), settings)
        if min(half) > 0.0:
            size = tuple(2.0 * s for s in half) if kind == BOX else (half[0], *(2.0 * s for s in half[1:]))
            yield Look(kind, size, pose @ own, color)


class Assets:
    """Meshes and colours of materials of an MJCF file, by name."""

    def __init__(self, root: Element) -> None:
        each = [child for asset in root.all("asset") for child in asset.children]
        self.meshes = {m.get("name") or Path(m.get("file")).stem: m for m in each if m.tag == MESH}
        self.colors = {m.get("name"): hexadecimal(m.numbers("rgba", None, (0.5, 0.5, 0.5, 1.0))[:3])
                       for m in each if m.tag == "material"}  # fmt: skip
        compiler = {key: value for found in root.all("compiler") for key, value in found.attributes.items()}
        self.folder = compiler.get("meshdir", compiler.get("assetdir", ""))


def materials_of(robot: Element) -> dict[str, str]:
    """Colours of the materials that a URDF file defines, by name."""
    found = {}
    for material in robot.all("material"):
        color = material.one("color")
        if color is not None:
            found[material.get("name")] = hexadecimal(color.numbers("rgba", None, ())[:3])
    return found


def _material(visual: Element, materials: dict[str, str]) -> str:
    material = visual.one("material")
    if material is None:
        return ""
    return materials_of(visual).get(material.get("name")) or materials.get(material.get("name"), "")
