"""Closed forms for edges that cross, corners on thin things, arcs that lie on things, and rims on balls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from latchwork.contact.narrow_phase.closed_forms import (
    EDGE,
    LEAN,
    LIES_FLAT,
    Touch,
    ball_ball,
    ball_bow,
    ball_flat,
    bow_domain,
    gathered,
    leans,
    length,
    thin,
    unit_of,
)
from latchwork.contact.narrow_phase.parts import Ball, Bow, Flat, Half, Hoop, Rod, Sheet, Stud
from latchwork.contact.shapes.base import numeric
from latchwork.mechanics.vector import Vector
from latchwork.program.sincos import sin
from latchwork.symbolic.expr import Expr, maximum, sign, sqrt

PARALLEL = 1e-8  # of sin²: edges closer to parallel than this do not cross
CLEARLY = 1e4  # how many times over that counts: where edges are parallel, their other bounds are 0/0, and say nothing
AXIS = 1e-8  # of the radius of a rim: what is nearer to its axis touches it all round
LEVEL = 1e-12  # a height that is zero but for rounding


def rod_rod(a: Rod, b: Rod) -> Touch | None:
    """Two lines that cross in space: g = |d · m| / |m| − ρ_a − ρ_b with m = t_a × t_b; s_a, s_b within the lengths.

    With c = t_a · t_b: s_a = (c d·t_b − d·t_a) / (1 − c²), s_b = (d·t_b − c d·t_a) / (1 − c²). Where an edge has faces,
    n points out of it; the normal cones of two edges must then hold n and −n.
    """
    if thin(a.radius) and thin(b.radius) and not (a.faces or b.faces):
        return None
    d, ta, tb = a.place.seen_from(b.place), a.along, b.along
    m = ta.cross(tb)
    height = d.dot(m)
    if not (a.faces or b.faces) and vanishes(height):  # in one plane
        return None
    c, x, y = ta.dot(tb), d.dot(ta), d.dot(tb)
    mm = maximum(1.0 - c * c, PARALLEL)
    root = sqrt(mm)
    sa, sb = (c * y - x) / mm, (y - c * x) / mm
    way = _way(a, b, m, height)
    n = m * (way / root)
    gap = height * way / root - (a.radius + b.radius)
    unit = unit_of(a.size, b.size)
    cones = [(LEAN - n.dot(u)) * unit for u in b.faces] + [(LEAN + n.dot(u)) * unit for u in a.faces]
    deep = [gap + edge.deep for edge in (a, b) if edge.faces]
    spare = EDGE * unit if cones else 0.0
    reach = (s + spare for s in (sa, a.length - sa, sb, b.length - sb))
    # m along the face of an edge leads out of neither; of edges that are parallel, m is rounding, and says nothing
    sided = [maximum(abs(way) - 0.5, 0.5 - (1.0 - c * c) / PARALLEL) * unit] if cones else []
    within = ((1.0 - c * c - 2.0 * PARALLEL) * (CLEARLY * unit), *reach, *cones, *deep, *sided)
    on, other = a.place.touching(ta * sa - n * a.radius), b.place.touching(tb * sb + n * b.radius)
    return Touch(gap, n, on, other, None, within)


def _way(a: Rod, b: Rod, m: Vector, height: Expr) -> Expr:
    """Which way along m leads from b to a: out of the edge that has faces; else to the side a is on."""
    if b.faces:
        return -sign(m.dot(b.faces[0] + b.faces[1]))
    if a.faces:
        return sign(m.dot(a.faces[0] + a.faces[1]))
    return sign(height)


def vanishes(value: Expr) -> bool:
    """Zero at all states: at two that are made up."""
    if value.is_constant:
        return float(value) == 0.0
    symbols = sorted(value.free_symbols, key=lambda symbol: symbol.node)
    made_up = ({s: sin(k + 7.0 * i + 1.0) for i, s in enumerate(symbols)} for k in range(2))
    return all(abs(float(value.subs(state))) < LEVEL for state in made_up)


def ball_sheet(a: Ball, b: Sheet) -> Touch | None:
    """A corner on one side of something thin, g = (C − P) · n: the edges that leave it lead away to that side.

    What is deeper than its own shape is large does not reach through; nor has a point alone, or one in space, a side.
    """
    k, d = b.place.frame.tree.newtonian.z, a.place.seen_from(b.place)
    if not (thin(a.radius) and a.bounds and vanishes(d.dot(k)) and vanishes(b.along.dot(k))):
        return None
    n, t = k.cross(b.along) * b.sense, b.along
    deep = (Half(b.place, n, a.size),) if a.size else ()
    bounds = (Half(b.place, t), Half(b.place.beside(t * b.length), -t), *deep)
    return replace(ball_flat(a, Flat(b.place, n, 0.0, b.label, bounds, size=b.size)), thin=True)


def bow_on(meet: Callable[[Ball, Any], Touch | None]) -> Callable[[Bow, Any], Touch | None]:
    """A convex arc touches as the ball of its radius does, where that is on the arc."""

    def found(a: Bow, b: Any) -> Touch | None:
        touch = None if a.inside else meet(Ball(a.place, a.radius), b)
        if touch is None:
            return None
        out = touch.normal * -a.radius
        own = bow_domain(a, lambda place: a.place.seen_from(place) + out)
        if isinstance(b, Flat):  # two arcs of one body lie on it at once where what joins them does
            own = tuple(value + EDGE * unit_of(numeric(a.radius)) for value in own)
        elif a.bounds:  # a flat is solid behind; what else is behind an arc is not on it
            own = (*own, touch.gap + a.depth)
        within = (*touch.within, *own)
        drift = touch.drift
        if a.belt is not None:
            belt = a.axis.cross(touch.normal) * a.belt  # minus that of a's surface, which is outwards from −n
            drift = belt if drift is None else drift + belt
        return Touch(touch.gap, touch.normal, touch.on, touch.other, drift, within)

    return found


def bow_bow(a: Bow, b: Bow) -> Touch | None:
    """Two arcs, one of them convex at least."""
    if not a.inside:
        return bow_on(ball_bow)(a, b)
    touch = bow_on(ball_bow)(b, a)
    return None if touch is None else touch.swapped()


def stud_hoop(a: Stud, b: Hoop) -> Touch | None:
    """A ball of a tyre on another rim that is parallel: rims that lie on each other touch all round."""
    touch = ball_hoop(Ball(a.place, a.hoop.tube), b)
    if touch is None:
        return None
    flat = (4.0 - leans(b.axis, a.hoop.axis) / LIES_FLAT) * unit_of(numeric(b.radius))
    return replace(touch, within=(flat, *touch.within), level=1)


def ball_hoop(a: Ball, b: Hoop) -> Touch | None:
    """g = |d − R e| − ρ_a − ρ_b with d = C_a − C_b and e the unit vector along d − (d·k) k, off the axis."""
    if thin(a.radius) and thin(b.tube):
        return None
    d = gathered(a.place.seen_from(b.place))
    k = gathered(b.axis)
    across = d - k * d.dot(k)
    nearest = across * (b.radius / length(across, b.radius))
    way = d - nearest
    size = length(way, a.radius + b.tube)
    n = way / size
    on, other = a.place.touching(n * -a.radius), b.place.touching(nearest + n * b.tube)
    return Touch(size - (a.radius + b.tube), n, on, other, None, (length(across, b.radius) - AXIS * b.radius,))


def ball_stud(a: Ball, b: Stud) -> Touch | None:
    """A ball on the axis of a rim, which touches all round: on three places of it."""
    touch = ball_ball(a, Ball(b.place, b.hoop.tube))
    if touch is None:
        return None
    k, d = gathered(b.hoop.axis), gathered(a.place.seen_from(b.hoop.place))
    off = length(d - k * d.dot(k), b.hoop.radius)
    return replace(touch, within=(4.0 * AXIS * b.hoop.radius - off, *touch.within), level=1)
