"""Curves in space that are no walls: rims, which are circles, and the borders of surfaces. Closest points are tracked.

    p(s) and a point C           (C − p) · p′ = 0
    p(s) and a line P + y t      e · p′ = 0,  e = d − (d · t) t,  d = p − P
    p(s₁) and q(s₂)              (p − q) · p′ = 0,  (p − q) · q′ = 0

Each is a least distance where its derivative is positive. It is defined where the distance vanishes, too: where two
sharp edges cross, the normal is t × p′, out of the faces of the edge. Where no place is nearer than those about it, as
of two rims that lie on each other, parameters wait.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

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
from latchwork.contact.curves import Curve, Patch, patch
from latchwork.contact.feature import Feature
from latchwork.contact.narrow_phase.closed_forms import (
    EDGE,
    LEAN,
    LIES_FLAT,
    gathered,
    leads_out,
    leans,
    length,
    thin,
    unit_of,
)
from latchwork.contact.narrow_phase.parts import Ball, Border, Flat, Hoop, Rod, inside
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, cos, maximum, sign, sin, sqrt

TURN = (0.0, 2.0 * math.pi)
ALONG = 1e-8  # of sin²: edges closer to parallel than this do not cross


def line(rod: Rod) -> Curve:
    """A straight edge as a curve, from its start to its end."""
    place = rod.place
    return Curve(place.point, lambda s: place.arm + rod.along * (rod.length * s), (0.0, 1.0), place.frame,
                 up=place.frame.x)  # fmt: skip


def circle(hoop: Hoop) -> Curve:
    """A rim as a closed curve about its axis."""
    place, (first, second) = hoop.place, hoop.across
    return Curve(place.point, lambda s: place.arm + (first * cos(s) + second * sin(s)) * hoop.radius, TURN, place.frame,
                 closed=True, up=hoop.axis)  # fmt: skip


def border_patch(name: str, border: Border, suffix: str = "") -> tuple[Patch, Vector]:
    """A border as a curve with a parameter of its own, and the unit vector along which the surface leads away."""
    shape, fixed, free = border.shape, border.fixed, 1 - border.fixed
    made = patch(name, shape, suffix)
    at = {made.symbols[fixed]: float(shape.spans[fixed][border.high])}
    along = Curve(shape.point, lambda s: made.arm.subs({**at, made.symbols[free]: s}), shape.spans[free], made.frame,
                  closed=shape.periodic[free])  # fmt: skip
    inward = made.slopes[fixed].subs(at) * (-1.0 if border.high else 1.0)
    return Patch(name, along, (made.symbols[free],), made.frame, made.arm.subs(at)), inward.normalized()


def ball_border(name: str, a: Ball, b: Border) -> Feature | None:
    """g = |C − p| − ρ, where the centre lies beyond the border."""
    if thin(a.radius):
        return None
    border, inward = border_patch(name, b)
    below = place_of(border)
    d = gathered(a.place.seen_from(below))
    size = length(d, a.radius)
    n, (s,), r = d / size, border.symbols, d.dot(border.slopes[0])
    least = positive([[-r.diff(s)]], metric(border))
    tracked = tracking([border], [r], least, where_is(a.place), where_is(below), size, 1)
    on, other = a.place.touching(n * -a.radius), below.touching(Vector(n.tree, {}))
    within = (*in_range(tracked), -d.dot(inward))
    return further(Feature(name, size - a.radius, n, on, other, within=within, tracked=tracked))


def flat_border(name: str, a: Flat, b: Border) -> Feature:
    """The lowest place of a border over a face, from which the surface leads away."""
    border, inward = border_patch(name, b)
    made = hosted_feature(name, border, Plane(a.place, a.normal, a.offset))
    bounds = inside(a.bounds, place_of(border).seen_from, made.gap)
    leads = (LEAN + a.normal.dot(inward)) * unit_of(a.size)
    return swapped(further(replace(made, drift=a.drift, within=(*made.within, leads, *bounds))))


def rod_border(name: str, a: Rod, b: Border) -> Feature | None:
    """A straight edge across a border, from which the surface leads away."""
    border, inward = border_patch(name, b)
    made = across_rod(name, border, 0.0, a)
    return None if made is None else swapped(
        replace(made, within=(*made.within, (LEAN + made.normal.dot(inward)) * unit_of(a.size))))  # fmt: skip


def hoop_rod(name: str, a: Hoop, b: Rod) -> Feature | None:
    """A rim across a rod; of something solid across something round, for where it crosses an edge is a closed form."""
    if a.end is not None and thin(a.tube) and thin(b.radius):
        return None
    made = patch(name, circle(a))
    return across_rod(name, made, a.tube, b, a, radius_at(a, made))


def radius_at(hoop: Hoop, made: Patch) -> Vector:
    """The unit vector from the centre of a rim to the place of its parameter."""
    (first, second), (s,) = hoop.across, made.symbols
    return first * cos(s) + second * sin(s)


def across_rod(name: str, curve: Patch, tube: Any, rod: Rod, rim: Hoop | None = None,
               radial: Vector | None = None) -> Feature | None:  # fmt: skip
    """g = |e| − ρ of what is round, g = d · n of two sharp edges; the normal points from the rod to the curve, which is
    that of a ``rim``, with its radius there, if it is one."""
    sharp = thin(tube) and thin(rod.radius)
    if sharp and not rod.faces:
        return None
    place, t, (s,) = place_of(curve), rod.along, curve.symbols
    d = gathered(place.seen_from(rod.place))
    y = d.dot(t)
    e = d - t * y
    r = e.dot(curve.slopes[0])
    radius = tube + rod.radius
    if sharp:
        m = t.cross(curve.slopes[0])
        way = -sign(m.dot(rod.faces[0] + rod.faces[1]))
        n = m * (way / sqrt(maximum(m.dot(m), 1e-300)))
        height = d.dot(n)
        unit = unit_of(rod.size)
        square = m.dot(m) / metric(curve)[0][0]
        domain = [height + rod.deep, (square - ALONG) * unit, (abs(way) - 0.5) * unit,
                  *((LEAN - n.dot(u)) * unit for u in rod.faces),
                  y + EDGE * unit, rod.length - y + EDGE * unit]  # fmt: skip
    else:
        height = length(e, radius)
        n = e / height
        domain = [y, rod.length - y, *inside(rod.bounds, place.seen_from)]
    if rim is not None and radial is not None:
        domain += leads_out(rim, radial, -n)
    least = positive([[r.diff(s)]], metric(curve))
    foot = rod.place.beside(t * y)
    tracked = replace(tracking([curve], [r], least, where_is(place), where_is(foot), height, 0), crossing=True)
    return further(Feature(name, height - radius, n, place.touching(n * -tube), foot.touching(n * rod.radius),
                           within=(*in_range(tracked), *domain), tracked=tracked))  # fmt: skip


def hoop_hoop(name: str, a: Hoop, b: Hoop) -> Feature | None:
    """Two rims, one of them with a tyre at least, or that of something solid."""
    one, two = patch(name, circle(a), "1"), patch(name, circle(b), "2")
    made = _sharp_rims(name, a, one, b, two) if thin(a.tube) and thin(b.tube) else _across_each_other(
        name, one, a.tube, two, b.tube)  # fmt: skip
    if made is None:
        return None
    cones = leads_out(a, radius_at(a, one), -made.normal) + leads_out(b, radius_at(b, two), made.normal)
    solid = a.end is not None and b.end is not None and thin(a.tube) and thin(b.tube)
    tilted = ((leans(a.axis, b.axis) / LIES_FLAT - 1.0) * unit_of(a.size, b.size),) if solid else ()
    return replace(made, within=(*made.within, *cones, *tilted))


def _sharp_rims(name: str, a: Hoop, one: Patch, b: Hoop, two: Patch) -> Feature | None:
    """Two rims without tyres that cross, of which one is that of something solid: g = (p − q) · n, n along p′ × q′."""
    p, q, tangents = place_of(one), place_of(two), (one.slopes[0], two.slopes[0])
    d, m = gathered(p.seen_from(q)), tangents[0].cross(tangents[1])
    if a.end is not None:
        way = -sign(m.dot(a.end + radius_at(a, one)))
    elif b.end is not None:
        way = sign(m.dot(b.end + radius_at(b, two)))
    else:
        return None
    n = m * (way / sqrt(maximum(m.dot(m), 1e-300)))
    height, unit, (g2,), (g1,) = d.dot(n), unit_of(a.size, b.size), metric(two)[0], metric(one)[0]
    domain = [height + 0.25 * (a.radius + b.radius), (m.dot(m) / (g1 * g2) - ALONG) * unit, (abs(way) - 0.5) * unit]
    return _feature_of_two(name, one, two, d, n, height, domain)


def _feature_of_two(name: str, one: Patch, two: Patch, d: Vector, n: Vector, height: Expr,
                    domain: Sequence[Expr], tube: Any = 0.0, other: Any = 0.0) -> Feature:  # fmt: skip
    """The closest places of two curves, (p − q) · p′ = 0 and (p − q) · q′ = 0."""
    p, q = place_of(one), place_of(two)
    r = [-d.dot(two.slopes[0]), d.dot(one.slopes[0])]
    symbols = (*two.symbols, *one.symbols)
    (g2,), (g1,) = metric(two)[0], metric(one)[0]
    zero = g1 * 0.0
    least = positive([[e.diff(s) for s in symbols] for e in r], [[g2, zero], [zero, g1]])
    tracked = tracking([two, one], r, least, where_is(p), where_is(q), height, 1)
    return further(Feature(name, height - (tube + other), n, p.touching(n * -tube), q.touching(n * other),
                           within=(*in_range(tracked), *domain), tracked=tracked))  # fmt: skip


def hoop_border(name: str, a: Hoop, b: Border) -> Feature | None:
    """A rim with a tyre across a border, from which the surface leads away."""
    border, inward = border_patch(name, b, "2")
    made = _across_each_other(name, patch(name, circle(a), "1"), a.tube, border, 0.0)
    return None if made is None else replace(made, within=(*made.within, LEAN - made.normal.dot(inward)))


def _across_each_other(name: str, one: Patch, tube: Any, two: Patch, other: Any) -> Feature | None:
    """g = |p − q| − ρ₁ − ρ₂."""
    if thin(tube) and thin(other):
        return None
    d = gathered(place_of(one).seen_from(place_of(two)))
    size = length(d, tube + other)
    return _feature_of_two(name, one, two, d, d / size, size, (), tube, other)
