"""Closed forms: gap, normal and the two material points for each two kinds of parts. The normal points from b to a."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from latchwork.constraint.joints.spot import Spot
from latchwork.constraint.scales import rounded_length
from latchwork.contact.narrow_phase.parts import Ball, Bow, Disc, Flat, Hoop, Place, Rod, Slope, Stud, inside
from latchwork.contact.shapes.base import numeric
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, maximum, sqrt

EDGE = 1e-9  # of the size of the smaller shape: how far off a face a corner may be and still stand on it
LEAN = 1e-6  # a normal may lean this much out of the cone of an edge or corner, so that what is flush still meets
LIES_FLAT = 1e-10  # rad: a hoop that leans by less lies flat
TINY = 1e-18  # of a squared radius: what is divided by never vanishes, though it means nothing there


@dataclass(frozen=True, eq=False)
class Touch:
    """Where two parts may touch: a feature that has no name yet."""

    gap: Expr
    normal: Vector
    on: Point | Spot
    other: Point | Spot
    drift: Vector | None = None
    within: tuple[Expr, ...] = ()
    thin: bool = False  # of something that has another side, which what lies behind it may belong to
    level: int = 0  # of a support triangle: bounds, the first ones, that do not depend on its azimuth

    def swapped(self) -> Touch:
        """The same seen from the other side."""
        drift = None if self.drift is None else -self.drift
        return Touch(self.gap, -self.normal, self.other, self.on, drift, self.within, self.thin, self.level)


def ball_flat(a: Ball, b: Flat) -> Touch:
    """g = (C − P) · n − h − ρ.

    A corner that stands on the very edge of a face stands on it, also where a long step has taken it deep below; but
    the edges that leave the corner must not lead below the face, or the corners of two boxes stacked flush would hold
    each other sideways as well.
    """
    d, n = a.place.seen_from(b.place), b.normal
    height = d.dot(n) - b.offset
    within = inside(b.bounds, a.place.seen_from, height)
    if thin(a.radius):
        plain, unit = inside(b.bounds, a.place.seen_from), unit_of(a.size, b.size)
        edge = EDGE * unit
        within = tuple(value + edge if value == flush else maximum(value + edge, edge - abs(flush))
                       for value, flush in zip(within, plain, strict=True))  # fmt: skip
        within = (*within, *(leads_up(a, n, unit) if b.bounds else ()))
    on, other = a.place.touching(n * -a.radius), b.place.touching(d - n * a.radius)
    return Touch(height - a.radius, n, on, other, b.drift, within)


def leads_up(corner: Ball, n: Vector, unit: float) -> tuple[Expr, ...]:
    """Not negative where no edge that leaves a corner, nor the side from a tip, leads against a normal."""
    found = tuple((LEAN - n.dot(half.vector)) * unit for half in corner.bounds)
    return found if corner.points is None else (*found, (LEAN - n.dot(corner.points) - corner.slender) * unit)


def ball_ball(a: Ball, b: Ball) -> Touch | None:
    """g = |C_a − C_b| − ρ_a − ρ_b; two corners never meet."""
    if thin(a.radius) and thin(b.radius):
        return None
    d = gathered(a.place.seen_from(b.place))
    size = length(d, a.radius + b.radius)
    n = d / size
    within = inside(b.bounds, a.place.seen_from) + inside(a.bounds, b.place.seen_from)
    on, other = a.place.touching(n * -a.radius), b.place.touching(n * b.radius)
    return Touch(size - (a.radius + b.radius), n, on, other, None, within)


def ball_rod(a: Ball, b: Rod) -> Touch | None:
    """g = |d − s t| − ρ_a − ρ_b with d = C − P and s = d · t between 0 and the length; a corner inside something with
    flat ends is at its side where that is nearer than they are, −g ≤ s and −g ≤ ℓ − s, and no edge of it leads in."""
    if thin(a.radius) and thin(b.radius):
        return None
    t = gathered(b.along)
    d = a.place.seen_from(b.place).to(next(iter(t.parts)))
    s = d.dot(t)
    e = d - t * s
    size = length(e, a.radius + b.radius)
    n = e / size
    gap, within = size - (a.radius + b.radius), (s, b.length - s, *inside(b.bounds, a.place.seen_from))
    if thin(a.radius) and b.has_flat_ends:
        within = (*within, gap + s, gap + b.length - s, *leads_up(a, n, unit_of(a.size, b.size)))
    on, other = a.place.touching(n * -a.radius), b.place.touching(t * s + n * b.radius)
    return Touch(gap, n, on, other, None, within)


def ball_bow(a: Ball, b: Bow) -> Touch | None:
    """g = |d| − R − ρ from outside, R − ρ − |d| from inside, with d = C − P across the axis; if it fits inside."""
    room = numeric(b.radius - a.radius)
    if b.inside and room is not None and room <= 0.0:
        return None
    d = gathered(a.place.seen_from(b.place))
    lift = d.dot(b.axis)
    across = d - b.axis * lift
    size = length(across, b.radius)
    n = across / size
    sign = -1.0 if b.inside else 1.0
    gap = (size - b.radius) * sign - a.radius
    within = bow_domain(b, a.place.seen_from)
    deep = () if not b.bounds else (b.radius + b.depth - size,) if b.inside else (size - (b.radius - b.depth),)
    drift = None if b.belt is None else b.axis.cross(n) * b.belt
    on, other = a.place.touching(n * (-sign * a.radius)), b.place.touching(n * b.radius + b.axis * lift)
    return Touch(gap, n * sign, on, other, drift, within + deep)


def bow_domain(bow: Bow, seen: Callable[[Place], Vector]) -> tuple[Expr, ...]:
    """Both of its bounds hold; of an arc of more than half a circle, one of them."""
    bounds = inside(bow.bounds, seen)
    return (maximum(*bounds),) if bow.either else bounds


def hoop_flat(a: Hoop, b: Flat) -> Touch:
    """g = (C − P) · n − h − R |n × k| − ρ, where the hoop does not lie flat: there it touches all around."""
    d, n, k = a.place.seen_from(b.place), b.normal, a.axis
    root = leans(n, k)
    down = (k * n.dot(k) - n) * (a.radius / root) - n * a.tube
    gap = d.dot(n) - b.offset - (a.radius * root + a.tube)
    spare = EDGE * unit_of(a.size, b.size)
    within = tuple(value + spare for value in inside(b.bounds, lambda place: a.place.seen_from(place) + down))
    tilted = (root / LIES_FLAT - 1.0) * unit_of(numeric(a.radius))
    lowest = (k * n.dot(k) - n) / root
    within = (*within, tilted, *leads_out(a, lowest, -n, is_lowest=True))
    return Touch(gap, n, a.place.touching(down), b.place.touching(d + down), b.drift, within)


def leads_out(rim: Hoop, radial: Vector, out: Vector, is_lowest: bool = False) -> tuple[Expr, ...]:
    """Not negative where ``out`` lies in the normal cone of the rim of something solid, at a radius: between the normal
    of its end and that of its side. At the place that is lowest along ``out`` it does not lead inwards anyway."""
    if rim.end is None:
        return ()
    side = rim.end + radial * rim.flare
    ways = (side,) if is_lowest else (side, radial)
    return tuple((LEAN + out.dot(way)) * unit_of(numeric(rim.radius)) for way in ways)


def leans(n: Vector, k: Vector) -> Expr:
    """|n × k|, never quite zero: the sine of the angle by which a hoop is off lying flat."""
    across = n.cross(k)
    return sqrt(maximum(across.dot(across), (0.01 * LIES_FLAT) ** 2))


def stud_flat(a: Stud, b: Flat) -> Touch:
    """A ball of the tyre's radius, where the hoop lies flat."""
    touch = ball_flat(Ball(a.place, a.hoop.tube), b)
    flat = (4.0 - leans(b.normal, a.hoop.axis) / LIES_FLAT) * unit_of(numeric(a.hoop.radius))
    end = () if a.hoop.end is None else ((LEAN - b.normal.dot(a.hoop.end)) * unit_of(numeric(a.hoop.radius)),)
    return replace(touch, within=(flat, *end, *touch.within), level=1 + len(end))


def on_disc(touch: Touch, seen: Vector, b: Disc) -> Touch:
    """What touches the plane of a disc, at a place as seen from its centre, where that is on it and not far below."""
    edge = EDGE * unit_of(numeric(b.radius))
    across = gathered(seen - b.normal * seen.dot(b.normal))
    within = (b.radius - length(across, b.radius) + edge, touch.gap + b.deep)
    return replace(touch, within=(*touch.within, *within))


def hoop_disc(a: Hoop, b: Disc) -> Touch:
    """A rim on the flat end of a cylinder, where its lowest place is on the disc."""
    n, k = b.normal, a.axis
    down = (k * n.dot(k) - n) * (a.radius / leans(n, k)) - n * a.tube
    return on_disc(hoop_flat(a, Flat(b.place, n)), a.place.seen_from(b.place) + down, b)


def stud_disc(a: Stud, b: Disc) -> Touch:
    """A place of a rim that lies flat on the end of a cylinder."""
    return on_disc(stud_flat(a, Flat(b.place, b.normal)), a.place.seen_from(b.place), b)


def ball_disc(a: Ball, b: Disc) -> Touch:
    """g = (C − P) · n − ρ where the centre is over the disc, and not far below it; the edges that leave a corner must
    not lead below the disc."""
    d, n = gathered(a.place.seen_from(b.place)), b.normal
    height = d.dot(n)
    across = d - n * height
    within: tuple[Expr, ...] = (b.radius - length(across, b.radius), height + b.deep)
    if thin(a.radius) and a.bounds:
        unit = unit_of(a.size, b.size)
        within = (within[0] + EDGE * unit, within[1], *leads_up(a, n, unit))
    on, other = a.place.touching(n * -a.radius), b.place.touching(d - n * height)
    return Touch(height - a.radius, n, on, other, None, within)


def ball_slope(a: Ball, b: Slope) -> Touch:
    """g = (r − R) cos β + z sin β − ρ with r and z of the centre across the axis and along it, tan β = R/h; where its
    foot, (R − r) sin β + z cos β along the side, is between base and tip, above the base, and not deep inside; the
    edges that leave a corner must not lead into the side."""
    d, t = gathered(a.place.seen_from(b.place)), b.axis
    z = d.dot(t)
    across = gathered(d - t * z)
    r, slant = length(across, b.radius), sqrt(b.radius * b.radius + b.height * b.height)
    c, s = b.height / slant, b.radius / slant
    n = across * (c / r) + t * s
    high = (r - b.radius) * c + z * s
    foot = (b.radius - r) * s + z * c
    on, other = a.place.touching(n * -a.radius), b.place.touching(d - n * high)
    within: tuple[Expr, ...] = (foot, slant - foot, z, high + 0.5 * b.radius * c)
    if thin(a.radius) and a.bounds:
        within = (*within, *leads_up(a, n, unit_of(a.size, numeric(b.radius))))
    return Touch(high - a.radius, n, on, other, None, within)


def thin(radius: Any) -> bool:
    """No radius."""
    return bool(radius == 0.0)


def gathered(d: Vector) -> Vector:
    """Written in one frame, the topmost of those it is written in."""
    return d if len(d.parts) < 2 else d.to(min(d.parts, key=lambda frame: frame.depth))


def length(v: Vector, radius: Any) -> Expr:
    """√(v · v), never quite zero beside a radius."""
    return sqrt(maximum(v.dot(v), TINY * radius * radius))


def unit_of(*sizes: float | None) -> float:
    """The length by which bounds of parts of shapes of some sizes are measured: that of the smaller shape.

    Bounds that are angles are multiplied by it, for all bounds are compared. Sizes of 0, or none, are not known.
    """
    known = [size for size in sizes if size]
    return rounded_length(min(known)) if known else 1.0
