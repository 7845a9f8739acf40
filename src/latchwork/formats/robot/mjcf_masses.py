"""Masses of MJCF bodies: given as <inertial>, or worked out from the shapes of their geoms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from latchwork.formats.robot.mjcf_settings import Settings
from latchwork.formats.robot.parts import NOTHING, Inertial, combined
from latchwork.formats.robot.rotations import Array, Pose, z_to
from latchwork.formats.robot.xml_tree import Element

Size = Sequence[float]
Shape = tuple[int, Callable[[Size], float], Callable[[Size], tuple[float, float, float]]]
MASSLESS = ("plane", "hfield")
WATER = 1000.0  # kg/m³


def _capsule(s: Size) -> tuple[float, float, float]:
    """A cylinder and two half balls, in shares of the mass: ⅜ r from the flat side is a half ball's centre."""
    r, h = s[0], s[1]
    ball = (4.0 / 3.0) * r / ((4.0 / 3.0) * r + 2.0 * h)
    rod = 1.0 - ball
    across = rod * (3.0 * r * r + 4.0 * h * h) / 12.0 + ball * (0.4 * r * r + 0.75 * r * h + h * h)
    return across, across, rod * r * r / 2.0 + ball * 0.4 * r * r


SHAPES: dict[str, Shape] = {  # numbers that give the size, volume, and moments of inertia per mass
    "sphere": (1, lambda s: 4 / 3 * math.pi * s[0] * s[0] * s[0], lambda s: (0.4 * s[0] * s[0],) * 3),
    "capsule": (2, lambda s: math.pi * s[0] * s[0] * (4 / 3 * s[0] + 2 * s[1]), _capsule),
    "cylinder": (
        2,
        lambda s: 2 * math.pi * s[0] * s[0] * s[1],
        lambda s: ((3 * s[0] * s[0] + 4 * s[1] * s[1]) / 12,) * 2 + (s[0] * s[0] / 2,),
    ),
    "box": (
        3,
        lambda s: 8 * s[0] * s[1] * s[2],
        lambda s: ((s[1] * s[1] + s[2] * s[2]) / 3, (s[0] * s[0] + s[2] * s[2]) / 3, (s[0] * s[0] + s[1] * s[1]) / 3),
    ),
    "ellipsoid": (
        3,
        lambda s: 4 / 3 * math.pi * s[0] * s[1] * s[2],
        lambda s: ((s[1] * s[1] + s[2] * s[2]) / 5, (s[0] * s[0] + s[2] * s[2]) / 5, (s[0] * s[0] + s[1] * s[1]) / 5),
    ),
}


def body_inertial(body: Element, geoms: list[tuple[Element, Pose]], settings: Settings) -> Inertial:
    """What a body weighs, by its <inertial> or its geoms, as the compiler options say."""
    given = body.one("inertial")
    if given is not None and settings.inertiafromgeom != "true":
        return _given(given, settings)
    if settings.inertiafromgeom == "false":
        return NOTHING
    return combined(_geom(geom, pose, settings) for geom, pose in geoms)


def _given(element: Element, settings: Settings) -> Inertial:
    mass = element.number("mass")
    if mass < 0.0:
        raise element.error(f"this <inertial> has mass {mass:g}. Give one that is not negative.")
    if "fullinertia" in element.attributes:
        xx, yy, zz, xy, xz, yz = element.numbers("fullinertia", 6)
    else:
        xx, yy, zz = element.numbers("diaginertia", 3, (0.0, 0.0, 0.0))
        xy = xz = yz = 0.0
    if min(xx, yy, zz) < 0.0:
        raise element.error(f"this <inertial> has the moment {min(xx, yy, zz):g}. Give moments that are not negative.")
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(mass, np.zeros(3), matrix).seen_from(settings.pose(element))


def _geom(geom: Element, pose: Pose, settings: Settings) -> Inertial:
    """A geom of even density, or of the mass it is given."""
    kind = geom.get("type", "mesh" if "mesh" in geom.attributes else "sphere")
    density, mass = geom.number("density", WATER), geom.number("mass", -1.0)
    low, high = settings.groups
    counts = low <= geom.number("group", 0.0) <= high and (mass > 0.0 or (mass < 0.0 and density != 0.0))
    if kind in MASSLESS or not counts:
        return NOTHING
    if kind not in SHAPES or geom.truth("shellinertia", False):
        raise geom.error(
            f"the mass of this <geom type=\"{kind}\"> is not worked out here; that of {', '.join(SHAPES)} is, if they "
            "are filled. Give its body an <inertial>."
        )
    count, volume, moments = SHAPES[kind]
    size, own = measured(geom, count, settings)
    if not min(size) > 0.0:
        raise geom.error(f"the size {size} of this <geom> is not positive. Give positive numbers.")
    mass = mass if mass >= 0.0 else density * volume(size)
    return Inertial(mass, np.zeros(3), mass * np.diag(moments(size))).seen_from(pose @ own)


def measured(geom: Element, count: int, settings: Settings) -> tuple[list[float], Pose]:
    """The size and pose of a geom, from its attributes or from the two ends it joins."""
    size = geom.numbers("size")
    if "fromto" not in geom.attributes or count == 1:
        if len(size) < count:
            raise geom.error(f"this <geom> needs {count} numbers as its size; {len(size)} seen. Give the others.")
        return size[:count], settings.pose(geom)
    ends: Array = np.array(geom.numbers("fromto", 6))
    span = ends[3:] - ends[:3]
    length = float(np.linalg.norm(span))
    if not length > 1e-12:
        raise geom.error("the two ends of fromto are one point. Give two.")
    return [*size[:1] * (count - 1), length / 2.0], Pose(z_to(span), (ends[:3] + ends[3:]) / 2.0)
