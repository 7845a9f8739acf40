"""The table of pairs: two shapes to features, by the parts they are made of.

Each row of MEET is a closed form for two kinds of parts; the other order swaps them. Which shapes meet follows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from latchwork.contact.closest_point.tracked_feature import tracked_features
from latchwork.contact.curves import Curve, Surface
from latchwork.contact.feature import Feature
from latchwork.contact.narrow_phase.closed_forms import (
    Touch,
    ball_ball,
    ball_bow,
    ball_flat,
    ball_rod,
    hoop_flat,
    stud_flat,
)
from latchwork.contact.narrow_phase.edge_pairs import ball_hoop, bow_bow, bow_on, rod_rod
from latchwork.contact.narrow_phase.parts import Ball, Bow, Flat, Hoop, Part, Rod, Stud
from latchwork.contact.narrow_phase.shape_parts import MADE_OF, decompose
from latchwork.contact.shapes.base import Shape
from latchwork.errors import ModelError
from latchwork.mechanics.body import Body
from latchwork.mechanics.point import Point

MEET: dict[tuple[type, type], Callable[[Any, Any], Touch | None]] = {
    (Ball, Flat): ball_flat,
    (Ball, Ball): ball_ball,
    (Ball, Rod): ball_rod,
    (Ball, Bow): ball_bow,
    (Ball, Hoop): ball_hoop,
    (Rod, Rod): rod_rod,
    (Bow, Flat): bow_on(ball_flat),
    (Bow, Rod): bow_on(ball_rod),
    (Bow, Bow): bow_bow,
    (Hoop, Flat): hoop_flat,
    (Stud, Flat): stud_flat,
}

MOST = 10_000  # pairs of parts that are worked out at once


def features_of(name: str, a: Shape | Point, b: Shape | Point) -> tuple[Feature, ...]:
    """Every place where a may touch b. One feature has the contact's name, several add which parts they are."""
    if isinstance(a, Curve | Surface) or isinstance(b, Curve | Surface):
        return tracked_features(name, a, b)
    a, b = (_shape(name, shape) for shape in (a, b))
    must_be_of_one_model(name, a, b)
    parts, others = decompose(a), decompose(b)
    if len(parts) * len(others) > MOST:
        raise ModelError(
            f"contact '{name}' has {len(parts)} parts on one side and {len(others)} on the other, too many to watch "
            "all their pairs. Give shapes of fewer parts, or two hulls or boxes in space, of which only near ones are."
        )
    found = [feature for x in parts for y in others if (feature := between_parts(name, x, y)) is not None]
    if not found:
        raise ModelError(_nothing(name, a, b))
    return tuple(found) if len(found) > 1 else (replace(found[0], name=name),)


def must_be_of_one_model(name: str, a: Any, b: Any) -> None:
    """Refuse shapes of two models."""
    if a.tree is not b.tree:
        raise ModelError(
            f"the shapes of contact '{name}' belong to two models, '{a.tree.graph.name}' and '{b.tree.graph.name}'. "
            "Make both in one model."
        )


def between_parts(name: str, a: Part, b: Part) -> Feature | None:
    """Where a part may touch another, named after both."""
    touch = _meet(a, b)
    if touch is None:
        return None
    label = " on ".join(filter(None, (a.label, b.label)))
    return Feature(f"{name}: {label}" if label else name, touch.gap, touch.normal, touch.on, touch.other, touch.drift,
                   touch.within)  # fmt: skip


def pairs() -> list[tuple[str, str]]:
    """The names of shapes that can meet."""
    kinds = list(MADE_OF)
    return [(a.__name__, b.__name__) for i, a in enumerate(kinds) for b in kinds[i:] if _known(a, b)]


def _known(a: type, b: type) -> bool:
    return any((x, y) in MEET or (y, x) in MEET for x in MADE_OF[a][1] for y in MADE_OF[b][1])


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
    if type(shape) not in MADE_OF:
        hint = " A body has no shape of its own: give body.circle(radius), body.box(sizes) or the like." * isinstance(
            shape, Body
        )
        hint += " What is described elsewhere comes in the run: sim.contact(...)." * hasattr(shape, "fetched")
        known = ", ".join(f"lw.{kind.__name__}" for kind in (*MADE_OF, Curve, Surface))
        raise ModelError(f"contact '{name}' is given {shape!r}, which is no shape.{hint} Shapes: {known}.")
    return shape


def _nothing(name: str, a: Shape | Point, b: Shape | Point) -> str:
    x, y = type(a).__name__, type(b).__name__
    if _known(type(a), type(b)):
        return (
            f"contact '{name}' is between lw.{x} and lw.{y} that never touch: neither has a radius or a side, or one "
            "is to be inside of the other and does not fit. Give one a radius, a segment a normal, or a ring more room."
        )
    meet = [other for pair in pairs() for other in pair if x in pair and (other != x or pair[0] == pair[1])]
    return f"contact '{name}' is between lw.{x} and lw.{y}, which no pair is for. A lw.{x} meets: {', '.join(meet)}."
