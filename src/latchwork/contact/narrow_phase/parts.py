"""What shapes are made of: balls, flats, rods, sheets, bows and hoops, each at a place of a body, with a domain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

from latchwork.constraint.joints.spot import Spot, spot
from latchwork.contact.curves import Curve, Surface
from latchwork.contact.shapes.base import between
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, cos, minimum, sin


@dataclass(frozen=True, eq=False)
class Place:
    """A material place: at ``arm`` from a point, both fixed in a frame, but for what ``bends`` in it, coordinates on
    which the arm depends."""

    point: Point
    frame: Frame
    arm: Vector
    bends: tuple[Expr, ...] = ()

    def seen_from(self, other: Place) -> Vector:
        """The vector from another place to this one."""
        return between(other.point, self.point) + self.arm - other.arm

    def beside(self, further: Vector) -> Place:
        """The place of the same frame that is further by a vector fixed in it."""
        return Place(self.point, self.frame, self.arm + further, self.bends)

    def touching(self, further: Vector) -> Point | Spot:
        """The material point that is further by a vector now."""
        return spot(self.point, self.frame, self.arm + further, tuple((q, self.arm.diff(q)) for q in self.bends))


@dataclass(frozen=True, eq=False)
class Half:
    """A half-space in which a part is the one that touches: (C − place) · vector + offset ≥ 0.

    Below a face it leans inwards by ``lean`` = cot(θ/2), θ being the angle inside the edge, so that of two faces that
    meet the nearer one is it: (C − place) · vector + offset + lean · min(height, 0) ≥ 0.
    """

    place: Place
    vector: Vector
    offset: Any = 0.0
    lean: Any = 0.0


@dataclass(frozen=True, eq=False)
class Ball:
    """All within ``radius`` of a place; with radius 0 a corner, or the tip of a cone that ``points`` somewhere, whose
    side leads away from that at an angle β with sin β = ``slender``."""

    place: Place
    radius: Any
    label: str = ""
    bounds: tuple[Half, ...] = ()
    size: float = 0.0  # of the shape it is a part of, 0 where that has none
    points: Vector | None = None
    slender: Any = 0.0


@dataclass(frozen=True, eq=False)
class Flat:
    """Where (C − place) · normal = offset, material below."""

    place: Place
    normal: Vector
    offset: Any = 0.0
    label: str = ""
    bounds: tuple[Half, ...] = ()
    drift: Vector | None = None
    size: float = 0.0


@dataclass(frozen=True, eq=False)
class Rod:
    """All within ``radius`` of a segment; with radius 0 an edge, whose two faces lie along ``faces`` from it."""

    place: Place
    along: Vector
    length: Any
    radius: Any
    label: str = ""
    bounds: tuple[Half, ...] = ()
    faces: tuple[Vector, ...] = ()
    deep: Any = 0.0  # how far inside of an edge with faces something may be and still be at this edge
    size: float = 0.0
    has_flat_ends: bool = False  # where corners that are nearer to an end than to the side are at that end


@dataclass(frozen=True, eq=False)
class Sheet:
    """One of the two sides of something thin in the plane, n = ±(k × along): met by corners that come from there."""

    place: Place
    along: Vector
    length: Any
    sense: float
    label: str = ""
    size: float = 0.0


@dataclass(frozen=True, eq=False)
class Bow:
    """A circle about an axis, touched from outside or from ``inside``, where all (or ``either``) of the bounds hold.

    What is ``deep`` behind it is not met; without a number, half a radius, or a whole one from inside.
    """

    place: Place
    axis: Vector
    radius: Any
    inside: bool
    label: str = ""
    bounds: tuple[Half, ...] = ()
    either: bool = False
    belt: Any = None
    deep: float | None = None

    @property
    def depth(self) -> Any:
        """How far behind its surface it is still met."""
        usual = self.radius if self.inside else 0.5 * self.radius
        return usual if self.deep is None else minimum(usual, self.deep)


@dataclass(frozen=True, eq=False)
class Hoop:
    """The rim of a wheel; or of a flat end of something solid, which leads out along ``end``.

    The side of what is solid comes to it along ``end`` + ``flare`` e, e being the way from the axis: flare is 0 of a
    cylinder, R/h of a cone.
    """

    place: Place
    axis: Vector
    radius: Any
    tube: Any
    across: tuple[Vector, Vector]  # two unit vectors, across the axis and each other
    label: str = ""
    end: Vector | None = None
    flare: Any = 0.0
    size: float = 0.0


@dataclass(frozen=True, eq=False)
class Crossing:
    """Where a line, or another rim, crosses the rim of something solid on its way in (sense −1) or out (+1)."""

    hoop: Hoop
    sense: float
    label: str
    size: float = 0.0


@dataclass(frozen=True, eq=False)
class Disc:
    """The flat end of a cylinder: within ``radius`` of a place in the plane across the normal, material below."""

    place: Place
    normal: Vector
    radius: Any
    label: str
    deep: Any = 0.0  # how far below it something may be and still be at this end
    size: float = 0.0


@dataclass(frozen=True, eq=False)
class Slope:
    """The side of a cone: from its base, about a place, to its tip, at a height along the axis."""

    place: Place
    axis: Vector
    radius: Any
    height: Any
    label: str
    across: tuple[Vector, Vector]  # two unit vectors, across the axis and each other


@dataclass(frozen=True, eq=False)
class Generator:
    """A straight line on the side of a cone, from its base to its tip: of two along which planes through a line in some
    direction touch it, one."""

    slope: Slope
    sense: float
    label: str
    size: float = 0.0


@dataclass(frozen=True, eq=False)
class Stud:
    """A corner of the support triangle of a hoop that lies flat, and touches all round and at no one place.

    It is at ``radial`` from the centre, or further round by an ``azimuth``.
    """

    hoop: Hoop
    radial: Vector
    label: str
    azimuth: Expr | None = None

    @property
    def place(self) -> Place:
        """Where it is on the hoop."""
        way, hoop = self.radial, self.hoop
        if self.azimuth is not None:
            way = way * cos(self.azimuth) + hoop.axis.cross(way) * sin(self.azimuth)
        return hoop.place.beside(way * hoop.radius)


@dataclass(frozen=True, eq=False)
class Track:
    """A curve or surface without its ends and borders: its closest points are tracked."""

    shape: Curve | Surface
    label: str = ""


@dataclass(frozen=True, eq=False)
class Border:
    """An edge of a surface, where one of its parameters, ``fixed``, is at an end of its range."""

    shape: Surface
    fixed: int
    high: bool
    label: str = ""


Part = Track | Border | Ball | Flat | Rod | Sheet | Bow | Hoop | Stud | Crossing | Disc | Slope | Generator
PARTS: tuple[type, ...] = get_args(Part)


def inside(bounds: tuple[Half, ...], seen: Callable[[Place], Vector], height: Expr | None = None) -> tuple[Expr, ...]:
    """What is not negative where a place, as seen from the places of the bounds, at a height, is within them."""
    found, ways = [], {half.place: seen(half.place) for half in bounds}
    for half in bounds:
        value = ways[half.place].dot(half.vector) + half.offset
        leans = height is not None and not (isinstance(half.lean, float) and half.lean == 0.0)
        found.append(value + half.lean * minimum(height, 0.0) if leans else value)
    return tuple(found)
