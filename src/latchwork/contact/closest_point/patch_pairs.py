"""The table of pairs with curves and surfaces: which part of another shape meets them, and how.

Each row of TRACKED makes a feature with parameters of its own, named after it; the normal points from the curve or
surface (the second) to the other part.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from latchwork.contact.closest_point.space_curves import (
    ball_border,
    border_patch,
    circle,
    flat_border,
    hoop_border,
    hoop_hoop,
    hoop_rod,
    line,
    radius_at,
    rod_border,
)
from latchwork.contact.closest_point.square_matrices import positive
from latchwork.contact.closest_point.tracked_feature import (
    Plane,
    further,
    hosted_feature,
    in_range,
    metric,
    place_of,
    swapped,
    tracking,
    where_is,
)
from latchwork.contact.curves import Curve, Surface, patch
from latchwork.contact.feature import Feature
from latchwork.contact.narrow_phase.closed_forms import LEAN, bow_domain, gathered, leads_out, length, thin, unit_of
from latchwork.contact.narrow_phase.parts import Ball, Border, Bow, Disc, Flat, Half, Hoop, Part, Rod, Track, inside
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr


def tracked_between(name: str, a: Part, b: Part) -> Feature | None:
    """Where two parts may touch, of which one is tracked at least; none where they never do."""
    if (type(a), type(b)) in TRACKED:
        return TRACKED[type(a), type(b)](name, a, b)
    if (type(b), type(a)) in TRACKED:
        made = TRACKED[type(b), type(a)](name, b, a)
        return None if made is None else swapped(made)
    return None


# --- on the inside of a curve or surface --------------------------------------------------------------------------


def ball_track(name: str, a: Ball, b: Track) -> Feature:
    """g = (C − p) · n − ρ; the edges that leave a corner must not lead below the surface."""
    made = hosted_feature(name, a.place, patch(name, b.shape), a.radius)
    cones = cones_of(a.bounds, made.normal, a.size) if thin(a.radius) else ()
    return replace(made, within=(*made.within, *cones))


def cones_of(bounds: tuple[Half, ...], n: Vector, size: float) -> tuple[Expr, ...]:
    """Not negative where edges that leave a corner, each opposite to a bound, lead away along n."""
    return tuple((LEAN - n.dot(half.vector)) * unit_of(size) for half in bounds)


def flat_track(name: str, a: Flat, b: Track) -> Feature:
    """The place of a curve or surface that is lowest over a face: g = (p − P) · n − h, within the face's bounds."""
    guest = patch(name, b.shape)
    made = hosted_feature(name, guest, Plane(a.place, a.normal, a.offset))
    bounds = inside(a.bounds, place_of(guest).seen_from, made.gap)
    made = replace(made, drift=a.drift, within=(*made.within, *bounds))
    return swapped(further(made) if a.bounds else made)


def disc_track(name: str, a: Disc, b: Track) -> Feature | None:
    """The place of a surface that is lowest over the flat end of a cylinder, where it is on it."""
    if not isinstance(b.shape, Surface):
        return None
    guest = patch(name, b.shape)
    made = hosted_feature(name, guest, Plane(a.place, a.normal, 0.0))
    seen = place_of(guest).seen_from(a.place)
    across = gathered(seen - a.normal * seen.dot(a.normal))
    domain = (a.radius - length(across, a.radius), made.gap + a.deep)
    return swapped(further(replace(made, within=(*made.within, *domain))))


def bow_track(name: str, a: Bow, b: Track) -> Feature | None:
    """A convex arc as the ball of its radius, where that is on the arc; a concave one from inside."""
    if a.inside:
        return _bowl_track(name, a, b)
    made = hosted_feature(name, a.place, patch(name, b.shape), a.radius)
    out = made.normal * -a.radius
    within = bow_domain(a, lambda place: a.place.seen_from(place) + out)
    deep = (made.gap + 0.5 * a.radius,) if a.bounds else ()
    drift = None if a.belt is None else a.axis.cross(made.normal) * a.belt
    return replace(made, within=(*made.within, *within, *deep), drift=drift)


def _bowl_track(name: str, a: Bow, b: Track) -> Feature | None:
    """The place of a curve that is furthest from the centre: g = R − |p − C|, (p − C) · p′ = 0."""
    if not isinstance(b.shape, Curve):
        return None
    made = patch(name, b.shape)
    place = place_of(made)
    d = gathered(place.seen_from(a.place))
    size = length(d, a.radius)
    n = d / size
    r = d.dot(made.slopes[0])
    foot = a.place.beside(n * a.radius)
    (s,) = made.symbols
    tracked = tracking([made], [r], positive([[-r.diff(s)]], metric(made)), where_is(place), where_is(foot),
                       a.radius - size, 0)  # fmt: skip
    within = (*in_range(tracked), *bow_domain(a, place.seen_from))
    deep = (2.0 * a.radius - size,) if a.bounds else ()
    drift = None if a.belt is None else -a.axis.cross(n) * a.belt
    none = Vector(n.tree, {})
    return Feature(name, a.radius - size, n, foot.touching(none), place.touching(none), drift, (*within, *deep),
                   tracked)  # fmt: skip


def rod_track(name: str, a: Rod, b: Track) -> Feature | None:
    """A straight edge on a surface: the place of the edge that is least high, as of a curve, g = (p − p_h) · n − ρ."""
    if not isinstance(b.shape, Surface):
        return None
    edge = patch(name, line(a), " on the edge")
    made = hosted_feature(name, edge, patch(name, b.shape), a.radius)
    cones = tuple((LEAN + made.normal.dot(u)) * unit_of(a.size) for u in a.faces)
    return replace(made, within=(*made.within, *cones))


def hoop_track(name: str, a: Hoop, b: Track) -> Feature | None:
    """A rim on a surface: the place of the circle that is least high."""
    if not isinstance(b.shape, Surface):
        return None
    rim = patch(name, circle(a), " on the rim")
    made = hosted_feature(name, rim, patch(name, b.shape), a.tube)
    return replace(made, within=(*made.within, *leads_out(a, radius_at(a, rim), -made.normal)))


def track_track(name: str, a: Track, b: Track) -> Feature:
    """The place of one that is least high over the other; surfaces are hosts before curves."""
    one, two = patch(name, a.shape, "1"), patch(name, b.shape, "2")
    if len(one.symbols) > len(two.symbols):
        return swapped(hosted_feature(name, two, one))
    return hosted_feature(name, one, two)


def border_track(name: str, a: Border, b: Track) -> Feature | None:
    """The border of a surface on the inside of another, from which it leads away."""
    if not isinstance(b.shape, Surface):
        return None
    border, inward = border_patch(name, a, "1")
    made = hosted_feature(name, border, patch(name, b.shape, "2"))
    return further(replace(made, within=(*made.within, LEAN + made.normal.dot(inward))))


TRACKED: dict[tuple[type, type], Callable[[str, Any, Any], Feature | None]] = {
    (Ball, Track): ball_track,
    (Flat, Track): flat_track,
    (Bow, Track): bow_track,
    (Disc, Track): disc_track,
    (Rod, Track): rod_track,
    (Hoop, Track): hoop_track,
    (Track, Track): track_track,
    (Border, Track): border_track,
    (Ball, Border): ball_border,
    (Flat, Border): flat_border,
    (Rod, Border): rod_border,
    (Hoop, Border): hoop_border,
    (Hoop, Rod): hoop_rod,
    (Hoop, Hoop): hoop_hoop,
}
