"""The table of pairs: two shapes to features, by the parts they are made of.

Each row of MEET is a closed form for two kinds of parts; the other order swaps them. Which shapes meet follows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from latchwork.contact.closest_point.patch_pairs import TRACKED, tracked_between
from latchwork.contact.closest_point.patch_parts import in_plane, patch_parts
from latchwork.contact.curves import Curve, Surface, must_have_spans, parameter
from latchwork.contact.feature import Feature, Support
from latchwork.contact.narrow_phase.closed_forms import (
    Touch,
    ball_ball,
    ball_bow,
    ball_disc,
    ball_flat,
    ball_rod,
    ball_slope,
    hoop_disc,
    hoop_flat,
    stud_disc,
    stud_flat,
    thin,
)
from latchwork.contact.narrow_phase.edge_pairs import (
    ball_hoop,
    ball_sheet,
    ball_stud,
    bow_bow,
    bow_on,
    rod_rod,
    stud_hoop,
)
from latchwork.contact.narrow_phase.parts import (
    Ball,
    Border,
    Bow,
    Crossing,
    Disc,
    Flat,
    Generator,
    Hoop,
    Part,
    Rod,
    Sheet,
    Slope,
    Stud,
    Track,
)
from latchwork.contact.narrow_phase.refusals import fits, must_stand_together, up_of
from latchwork.contact.narrow_phase.revolution_pairs import crossing_crossing, crossing_rod, generator_rod
from latchwork.contact.narrow_phase.shape_parts import MADE_OF, decompose, fitted_arc
from latchwork.contact.shapes.base import ROUNDING, Shape, numeric
from latchwork.contact.shapes.flat import Plane, Segment
from latchwork.contact.shapes.round import Capsule, Cone, Cylinder, Sphere
from latchwork.contact.shapes.solid import Box, Hull
from latchwork.errors import ModelError
from latchwork.mechanics.body import Body
from latchwork.mechanics.point import Point
from latchwork.symbolic.expr import Expr

MEET: dict[tuple[type, type], Callable[[Any, Any], Touch | None]] = {
    (Ball, Flat): ball_flat,
    (Ball, Ball): ball_ball,
    (Ball, Rod): ball_rod,
    (Ball, Sheet): ball_sheet,
    (Ball, Bow): ball_bow,
    (Ball, Hoop): ball_hoop,
    (Rod, Rod): rod_rod,
    (Bow, Flat): bow_on(ball_flat),
    (Bow, Rod): bow_on(ball_rod),
    (Bow, Bow): bow_bow,
    (Hoop, Flat): hoop_flat,
    (Stud, Flat): stud_flat,
    (Ball, Disc): ball_disc,
    (Ball, Slope): ball_slope,
    (Hoop, Disc): hoop_disc,
    (Stud, Disc): stud_disc,
    (Crossing, Rod): crossing_rod,
    (Crossing, Crossing): crossing_crossing,
    (Generator, Rod): generator_rod,
    (Stud, Hoop): stud_hoop,
    (Ball, Stud): ball_stud,
}

# Shapes that meet some others only: their parts would meet more, but not all of what they are.
ONLY: dict[type, tuple[type, ...]] = {
    Cylinder: (Plane, Sphere, Point, Capsule, Cylinder, Box, Hull, Segment),
    Cone: (Plane, Sphere, Point, Capsule, Box, Hull, Segment),
}
KINDS: dict[type, tuple[type, ...]] = {
    **{shape: kinds for shape, (_, kinds) in MADE_OF.items()},
    Curve: (Track, Ball),
    Surface: (Track, Border, Ball),
}
MAX_PAIRS = 10_000  # pairs of parts that are worked out at once


def features_of(name: str, a: Shape | Point, b: Shape | Point) -> tuple[Feature, ...]:
    """Every place where a may touch b. One feature has the contact's name, several add which parts they are."""
    a, b = (_shape(name, shape) for shape in (a, b))
    must_be_of_one_model(name, a, b)
    if not can_meet(type(a), type(b)):
        raise ModelError(_nothing(name, a, b))
    must_stand_together(name, a, b)
    parts, others = with_azimuths(name, _parts(name, a, b), "1"), with_azimuths(name, _parts(name, b, a), "2")
    if len(parts) * len(others) > MAX_PAIRS:
        raise ModelError(
            f"contact '{name}' has {len(parts)} parts on one side and {len(others)} on the other, too many to watch "
            "all their pairs. Give shapes of fewer parts, or two hulls or boxes in space, of which only near ones are."
        )
    found = [feature for x in parts for y in others if (feature := between_parts(name, x, y)) is not None]
    if not found:
        raise ModelError(_nothing(name, a, b))
    found = [feature for feature in found if can_close(feature)] or found
    return tuple(found) if len(found) > 1 else (replace(found[0], name=name),)


def with_azimuths(name: str, parts: tuple[Part, ...], side: str) -> tuple[Part, ...]:
    """The same parts, corners of support triangles with the azimuths that these have in a contact."""
    found: dict[Hoop, Expr] = {}
    for part in parts:
        if isinstance(part, Stud) and part.hoop not in found:
            rim = part.hoop.label or "rim"
            found[part.hoop] = parameter(part.hoop.axis.tree.graph, f"{name}.azimuth of {rim} {side}")
    return tuple(replace(part, azimuth=found[part.hoop]) if isinstance(part, Stud) else part for part in parts)


def must_be_of_one_model(name: str, a: Any, b: Any) -> None:
    """Refuse shapes of two models."""
    if a.tree is not b.tree:
        raise ModelError(
            f"the shapes of contact '{name}' belong to two models, '{a.tree.graph.name}' and '{b.tree.graph.name}'. "
            "Make both in one model."
        )


def _parts(name: str, shape: Any, other: Any) -> tuple[Part, ...]:
    """The parts of a shape; those that a curve meets in its plane are others."""
    if isinstance(shape, Curve | Surface):
        parts = patch_parts(name, shape)
        return (replace(parts[0], label=shape.what), *parts[1:]) if isinstance(other, Curve | Surface) else parts
    parts = fitted_arc(shape) if fits(name, shape, other) else decompose(shape, _met(type(shape), type(other)))
    if not isinstance(other, Curve):
        return parts
    return tuple(flat for part in parts for flat in in_plane(part, up_of(other)))


def _met(a: type, b: type) -> set[type]:
    """Those kinds of parts of a shape that meet some part of another."""
    table = MEET.keys() | TRACKED.keys()
    return {x for x in KINDS[a] if b is Curve or any((x, y) in table or (y, x) in table for y in KINDS[b])}


def between_parts(name: str, a: Part, b: Part) -> Feature | None:
    """Where a part may touch another, named after both."""
    whole = isinstance(a, Track) and isinstance(b, Track)
    label = "" if whole else " on ".join(filter(None, (a.label, b.label)))
    full = f"{name}: {label}" if label else name
    touch = _meet(a, b)
    if touch is not None:
        is_end = _is_thin(a) != _is_thin(b) and not isinstance(a, Flat) and not isinstance(b, Flat)
        return Feature(full, touch.gap, touch.normal, touch.on, touch.other, touch.drift, touch.within, is_end=is_end,
                       thin=touch.thin, parts=(a, b), support=_support(a, b, touch.level))  # fmt: skip
    made = tracked_between(full, a, b)
    if made is None or made.tracked is None:
        return made
    return replace(made, tracked=replace(made.tracked, which=label))


def _support(a: Part, b: Part, level: int) -> Support | None:
    """The support triangle that one of two parts is a corner of."""
    azimuths = [part.azimuth for part in (a, b) if isinstance(part, Stud) and part.azimuth is not None]
    return Support(azimuths[0], level) if azimuths else None


def _is_thin(part: Part) -> bool:
    """A corner, an edge, the end of something."""
    return isinstance(part, Ball | Rod) and thin(part.radius)


def can_close(feature: Feature) -> bool:
    """Whether a feature may ever be met: not where its gap is always the same and not zero, nor where its domain is
    empty at all times, as beside carts on one rail."""
    gap = numeric(feature.gap)
    if gap is not None and abs(gap) > ROUNDING:
        return False
    return not any(inside is not None and inside < 0.0 for inside in map(numeric, feature.within))


def pairs() -> list[tuple[str, str]]:
    """The names of shapes that can meet."""
    kinds = list(KINDS)
    return [(a.__name__, b.__name__) for i, a in enumerate(kinds) for b in kinds[i:] if can_meet(a, b)]


def can_meet(a: type, b: type) -> bool:
    """Whether there is a form for some of the parts of two kinds of shapes."""
    if any(one in ONLY and other not in ONLY[one] for one, other in ((a, b), (b, a))):
        return False
    table = MEET.keys() | TRACKED.keys()
    return any((x, y) in table or (y, x) in table for x in KINDS[a] for y in KINDS[b])


def _meet(a: Part, b: Part) -> Touch | None:
    if (type(a), type(b)) in MEET:
        return MEET[type(a), type(b)](a, b)
    if (type(b), type(a)) in MEET:
        touch = MEET[type(b), type(a)](b, a)
        return None if touch is None else touch.swapped()
    return None


def _shape(name: str, shape: Any) -> Any:
    """A shape or a point; a particle stands for its point."""
    if isinstance(shape, Body) and shape.is_particle:
        return shape.center
    if isinstance(shape, Curve | Surface):
        must_have_spans(name, shape)
    if type(shape) not in KINDS:
        hint = " A body has no shape of its own: give body.circle(radius), body.box(sizes) or the like." * isinstance(
            shape, Body
        )
        hint += " What is described elsewhere comes in the run: sim.contact(...)." * hasattr(shape, "fetched")
        known = ", ".join(f"lw.{kind.__name__}" for kind in KINDS)
        raise ModelError(f"contact '{name}' is given {shape!r}, which is no shape.{hint} Shapes: {known}.")
    return shape


def _nothing(name: str, a: Shape | Point, b: Shape | Point) -> str:
    x, y = type(a).__name__, type(b).__name__
    if can_meet(type(a), type(b)):
        return (
            f"contact '{name}' is between lw.{x} and lw.{y} that never touch: neither has a radius or a side, or one "
            "is to be inside of the other and does not fit. Give one a radius, a segment a normal, or a ring more room."
        )
    meet = [b if a == x else a for a, b in pairs() if x in (a, b)]
    prism = " Or give its prism, a convex hull: cylinder.sided(12)." * ("Cylinder" in (x, y))
    prism += " Or give its pyramid, a convex hull: cone.sided(12)." * ("Cone" in (x, y))
    return (f"contact '{name}' is between lw.{x} and lw.{y}, which no pair is for. A lw.{x} meets: {', '.join(meet)}."
            f"{prism}")  # fmt: skip
