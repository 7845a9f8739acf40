"""The geoms of MJCF that collide, as numbers; meshes of assets; who is excluded and who has laws of its own.

Contacts here are hard and dry: what makes MuJoCo's soft (solref, solimp, margin, gap), and friction that turns or rolls
(condim above 3), has no counterpart, and is said in notes. Shapes that there are none of are refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from latchwork.errors import did_you_mean
from latchwork.formats.robot.geometry import BOX, CAPSULE, CYLINDER, MESH, PLANE, SPHERE, Geometry, Listed, Touching
from latchwork.formats.robot.meshes import Meshes
from latchwork.formats.robot.mjcf_masses import measured
from latchwork.formats.robot.mjcf_settings import Settings
from latchwork.formats.robot.parts import LinkPart
from latchwork.formats.robot.rotations import Pose, quaternion
from latchwork.formats.robot.xml_tree import Element

COUNTS = {SPHERE: 1, CAPSULE: 2, CYLINDER: 2, BOX: 3}  # numbers that give the size
SOFT = ("solref", "solimp", "margin", "gap", "solmix", "adhesion")
MOST_BITS = 2**31
ONE = (1.0, 1.0, 1.0)


class Laws(NamedTuple):
    """Bits and friction of a geom, as `Geometry` has them."""

    contype: int
    conaffinity: int
    friction: float
    slips: bool


class GeomReader:
    """The geoms of one file that collide, each under a name of its own."""

    def __init__(self, root: Element, settings: Settings, meshes: Meshes) -> None:
        self.settings, self.meshes = settings, meshes
        self.assets = {_mesh_name(mesh): mesh for asset in root.all("asset") for mesh in asset.all("mesh")}
        compiler = {key: value for each in root.all("compiler") for key, value in each.attributes.items()}
        self.folder = compiler.get("meshdir", compiler.get("assetdir", ""))
        pairs = [pair for section in root.all("contact") for pair in section.all("pair")]
        self.paired = {pair.get(key) for pair in pairs for key in ("geom1", "geom2")} - {""}
        self.soft: set[str] = set()
        self.turning = 0

    def geometry(self, geom: Element, pose: Pose) -> Geometry | None:
        """A geom with its defaults, in its body; none where it never collides by its bits."""
        kind = geom.get("type", MESH if "mesh" in geom.attributes else SPHERE)
        bits = _bits(geom, "contype"), _bits(geom, "conaffinity")
        if not any(bits) and geom.get("name") not in self.paired:
            return None
        name, sliding = geom.get("name"), geom.numbers("friction", None, (1.0,))[0]
        if not sliding >= 0.0:
            raise geom.error(f"the friction of this <geom> is {sliding:g}. Give one that is not negative.")
        condim = geom.number("condim", 3.0)
        self.soft |= {key for key in SOFT if key in geom.attributes}
        self.turning += condim > 3.0
        if geom.number("priority", 0.0):
            raise geom.error(f"priority=\"{geom.get('priority')}\" of this <geom> is not read, and decides whose "
                             "friction counts. Remove it, and list the pair: <contact><pair .../></contact>."
                             )  # fmt: skip
        laws = Laws(*bits, sliding, condim == 1.0)
        if kind == MESH:
            corners, own = self._corners(geom)
            return Geometry(MESH, (), pose @ self.settings.pose(geom) @ own, geom.place, name, *laws, corners)
        if kind == PLANE:
            return Geometry(PLANE, (), pose @ self.settings.pose(geom), geom.place, name, *laws)
        if kind not in COUNTS:
            known = ", ".join((*COUNTS, PLANE, MESH))
            raise geom.error(f"a <geom type=\"{kind}\"> cannot touch here: there are {known}. Give one of these, or "
                             "let it collide with nothing: contype=\"0\" conaffinity=\"0\".")  # fmt: skip
        half, own = measured(geom, COUNTS[kind], self.settings)
        if not min(half) > 0.0:
            raise geom.error(f"the size {half} of this <geom> is not positive. Give positive numbers.")
        size = tuple(2.0 * s for s in half) if kind == BOX else (half[0], *(2.0 * s for s in half[1:]))
        return Geometry(kind, size, pose @ own, geom.place, name, *laws)

    def _corners(self, geom: Element) -> tuple[np.ndarray, Pose]:
        """The corners of a mesh, and where its asset puts it."""
        name = geom.text("mesh")
        if name not in self.assets:
            raise geom.error(f"there is no <mesh> '{name}' among the assets.{did_you_mean(name, self.assets)}")
        mesh = self.assets[name]
        turned = quaternion(mesh.numbers("refquat", 4, (1.0, 0.0, 0.0, 0.0))).T
        away = -turned @ np.array(mesh.numbers("refpos", 3, (0.0, 0.0, 0.0)))
        file = str(Path(self.folder) / mesh.text("file")) if self.folder else mesh.text("file")
        return self.meshes.corners(mesh, file, mesh.numbers("scale", 3, ONE)), Pose(turned, away)

    # --- who meets whom -----------------------------------------------------------------------------------------

    def touching(self, root: Element, links: dict[str, LinkPart]) -> Touching:
        """Excluded bodies, listed pairs of geoms, and what is said of the rest."""
        named = {g.name: g for link in links.values() for g in link.geometry if g.name}
        excluded, listed = [], []
        for section in root.all("contact"):
            for each in section.children:
                if each.tag == "exclude":
                    excluded.append((_body(each, "body1", links), _body(each, "body2", links)))
                elif each.tag == "pair":
                    listed.append(self._pair(each, named))
                else:
                    raise each.error(f"<{each.tag}> in <contact> is not read. Give <pair> and <exclude>.")
        flags = [flag for option in root.all("option") for flag in option.all("flag")]
        parents_too = any(flag.get("filterparent") == "disable" for flag in flags)
        return Touching(tuple(excluded), tuple(listed), parents_too, tuple(self._notes()))

    def _pair(self, pair: Element, named: dict[str, Geometry]) -> Listed:
        """A pair of geoms with friction of its own; the larger of both unless given."""
        e = self.settings.complete(pair, "main")
        self.soft |= {key for key in SOFT if key in e.attributes}
        first, second = (_named(pair, key, named) for key in ("geom1", "geom2"))
        larger = max(named[first].friction or 0.0, named[second].friction or 0.0)
        slips = e.number("condim", 1.0 if named[first].slips and named[second].slips else 3.0) == 1.0
        return Listed(first, second, None if slips else e.numbers("friction", None, (larger,))[0], pair.place)

    def _notes(self) -> Iterator[str]:
        if self.soft:
            yield (f"{', '.join(sorted(self.soft))} of geoms and pairs are left out: contacts here are hard, and begin "
                   "where shapes touch")  # fmt: skip
        if self.turning:
            yield f"condim of {self.turning} geoms is above 3: friction that turns or rolls is left out"
        yield from self.meshes.notes


def _mesh_name(mesh: Element) -> str:
    return mesh.get("name") or Path(mesh.get("file")).stem


def _bits(geom: Element, key: str) -> int:
    value = geom.number(key, 1.0)
    if not (value.is_integer() and 0 <= value < MOST_BITS):
        raise geom.error(f'{key}="{geom.get(key)}" of this <geom> is no whole number of 32 bits. Mend it.')
    return int(value)


def _body(element: Element, key: str, links: dict[str, LinkPart]) -> str:
    name = element.text(key)
    if name not in links:
        raise element.error(f"{key} of this <exclude> is '{name}', which is no body.{did_you_mean(name, links)}")
    return name


def _named(element: Element, key: str, named: dict[str, Geometry]) -> str:
    name = element.text(key)
    if name not in named:
        raise element.error(f"{key} of this <pair> is '{name}', which is no geom.{did_you_mean(name, named)}")
    return name
