"""From curves and surfaces to parts: the smooth inside, whose closest points are tracked, ends, borders and corners."""

from __future__ import annotations

from itertools import product

from latchwork.contact.closest_point.samples import must_be_regular
from latchwork.contact.curves import Curve, Patch, Surface, patch
from latchwork.contact.narrow_phase.parts import Ball, Border, Flat, Half, Part, Place, Rod, Sheet, Track
from latchwork.mechanics.vector import Vector

SIDES = ((False, "low"), (True, "high"))


def patch_parts(name: str, shape: Curve | Surface) -> tuple[Part, ...]:
    """A curve and its two ends; a surface, its borders, and the corners where two of these meet; after a look at it."""
    made = patch(name, shape, " at an end")
    must_be_regular(made)
    if isinstance(shape, Curve):
        ends = () if shape.closed or shape.ends is False else SIDES
        return Track(shape), *(_corner(made, (high,), f"{side} end") for high, side in ends)
    open_ones = [i for i, closed in enumerate(shape.periodic) if not closed]
    borders = (Border(shape, i, high, f"{side} {shape.letters[i]}") for i, (high, side) in product(open_ones, SIDES))
    corners = product(SIDES, SIDES) if len(open_ones) == 2 else ()
    around = open_ones if len(open_ones) == 1 else []
    rounds = (_on_border(made, i, high, side, k) for i in around for high, side in SIDES for k in range(3))
    return Track(shape), *borders, *rounds, *(
        _corner(made, (a, b), f"corner {x} {shape.letters[0]} {y} {shape.letters[1]}") for (a, x), (b, y) in corners)


def _corner(made: Patch, highs: tuple[bool, ...], label: str) -> Ball:
    """Where every parameter is at an end of its range: a corner, which edges leave inwards."""
    at = {s: float(span[high]) for s, span, high in zip(made.symbols, made.shape.spans, highs, strict=True)}
    place = Place(made.shape.point, made.frame, made.arm.subs(at), made.shape.bends)
    bounds = tuple(Half(place, slope.subs(at).normalized() * (1.0 if high else -1.0))
                   for slope, high in zip(made.slopes, highs, strict=True))  # fmt: skip
    return Ball(place, 0.0, label, bounds)


def _on_border(made: Patch, fixed: int, high: bool, side: str, k: int) -> Ball:
    """One of three places of a border that goes round: on these it stands where it lies flat, and touches all round."""
    (low, top), span = made.shape.spans[1 - fixed], made.shape.spans[fixed]
    at = {made.symbols[fixed]: float(span[high]), made.symbols[1 - fixed]: low + k * (top - low) / 3.0}
    place = Place(made.shape.point, made.frame, made.arm.subs(at), made.shape.bends)
    away = made.slopes[fixed].subs(at).normalized() * (1.0 if high else -1.0)
    return Ball(place, 0.0, f"{side} {made.shape.letters[fixed]} {k + 1}", (Half(place, away),))


def in_plane(part: Part, up: Vector) -> tuple[Part, ...]:
    """A part as a curve meets it in its plane: rods, and the sides of what is thin, are flats there."""
    if isinstance(part, Sheet):
        return (_side(part, up.cross(part.along) * part.sense, 0.0, part.label),)
    if not isinstance(part, Rod):
        return (part,)
    if isinstance(part.radius, float) and part.radius == 0.0:
        return ()
    return tuple(_side(part, up.cross(part.along) * sense, part.radius, f"{side} side")
                 for sense, side in ((1.0, "left"), (-1.0, "right")))  # fmt: skip


def _side(part: Rod | Sheet, n: Vector, radius: float, label: str) -> Flat:
    """One side, as deep as its middle, or where it has no thickness as it is long."""
    t, place = part.along, part.place
    deep = Half(place, n, part.length if isinstance(part, Sheet) else 0.0)
    return Flat(place, n, radius, label, (Half(place, t), Half(place.beside(t * part.length), -t), deep),
                size=part.size)  # fmt: skip
