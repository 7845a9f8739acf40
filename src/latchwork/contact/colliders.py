"""From what a user lists to colliders: bodies, shapes and points, in groups, with names, bits and materials.

A body stands for all shapes that its own methods have made (``body.circle(...)``), a particle for its point; a list for
what is in it; a mapping gives names. A shape without one is called after its body, or after its kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from latchwork.constraint.joints.sides import kinds
from latchwork.contact.collision import Collider, Collision, Pair, Row
from latchwork.contact.curves import Curve, Surface
from latchwork.contact.impact.resolution import LAWS
from latchwork.contact.materials import Laws, Materials
from latchwork.contact.shapes.base import Shape
from latchwork.contact.shapes.round import Cone, Cylinder, must_be_sides
from latchwork.errors import ModelError, did_you_mean, must_be_name
from latchwork.mechanics.body import Body
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph

MOST_BITS = 2**31  # contype and conaffinity are 32 bits, as in MuJoCo
GROUPS = 30  # that bits can tell apart
Named = tuple[str | None, Any]  # a name that was given, and a shape or point
ADVICE = "Give bodies with shapes (body.circle(...)), shapes, lists of them, or mappings of names to them."


def collision_of(name: str, graph: Graph, groups: Iterable[Any], materials: Materials, laws: Mapping[str, Any], *,
                 within: bool, without: Any, masks: Any, joined: bool, sides: int | None) -> Collision:  # fmt: skip
    """What collides, from what was listed."""
    impact = laws["impact"]
    if not isinstance(impact, str) or impact not in LAWS:
        raise ModelError(f"'{name}' has the law of impact {impact!r}.{did_you_mean(str(impact), LAWS)}")
    if sides is not None:
        must_be_sides(sides)
    listed = [list(flattened(name, group)) for group in groups]
    found = [(k, *each) for k, group in enumerate(listed) for each in group]
    _must_be_some(name, listed, [shape for _, _, shape in found], within, graph)
    names = _names([(given, shape) for _, given, shape in found])
    bits = _bits(name, [(k, label, shape) for (k, _, shape), label in zip(found, names, strict=True)], within,
                 len(listed), masks)  # fmt: skip
    colliders = [Collider(label, shape, *own, _material(materials, shape), _sides(label, shape, sides))
                 for label, (_, _, shape), own in zip(names, found, bits, strict=True)]  # fmt: skip
    given = [laws[key] for key in ("friction", "restitution", "adhesion")]
    row = Row(Laws.given(name, *given) if any(each is not None for each in given) else None, impact)
    return Collision(name, graph, colliders, materials, row, _left_out(name, colliders, without), bool(joined))


def flattened(name: str, thing: Any, label: str | None = None) -> Iterator[Named]:
    """The shapes that something stands for, in order."""
    if isinstance(thing, Mapping):
        for key, value in thing.items():
            must_be_name(key, f"a shape of '{name}'")
            yield from flattened(name, value, key)
    elif isinstance(thing, (list, tuple, set, frozenset)):
        for i, each in enumerate(thing):
            yield from flattened(name, each, label and f"{label} {i + 1}")
    elif isinstance(thing, Body) and thing.shapes:
        for i, shape in enumerate(thing.shapes):
            yield (label if len(thing.shapes) == 1 else label and f"{label} {i + 1}"), shape
    elif isinstance(thing, Body) and thing.is_particle:
        yield label or thing.name, thing.center
    elif isinstance(thing, (Shape, Curve, Surface, Point)):
        yield label, thing
    else:
        raise ModelError(_refused(name, thing))


def things_made_of(material: str, given: Any) -> list[Any]:
    """Bodies, shapes and points, one or several, that are made of a material."""
    things = given if isinstance(given, (list, tuple, set, frozenset)) else [given]
    for thing in things:
        if not isinstance(thing, (Body, Shape, Curve, Surface, Point)):
            raise ModelError(f"{thing!r} is to be made of '{material}', and is neither a body nor a shape. Give what "
                             "is: on=[ball, floor].")  # fmt: skip
    return list(things)


def _refused(name: str, thing: Any) -> str:
    if isinstance(thing, Body):
        return (f"the body '{thing.name}' of '{name}' has no shape. Make one by its methods, body.box(...), or list "
                "the shape instead of the body.")  # fmt: skip
    if isinstance(thing, Link):
        return f"'{thing.name}' of '{name}' is a joint. Give the body that it carries, or a shape."
    return f"'{name}' is given {thing!r}, which is neither a body nor a shape. {ADVICE}"


def _must_be_some(name: str, listed: list[Any], shapes: list[Any], within: Any, graph: Graph) -> None:
    """Refuse fewer than two shapes, one listed twice, and those of another model."""
    if not isinstance(within, bool):
        raise ModelError(f"within is {within!r} for '{name}'. Give False to let only shapes of different groups touch.")
    if len(shapes) < 2 or (not within and sum(bool(group) for group in listed) < 2):
        what = "shapes" if within else "groups"
        raise ModelError(f"'{name}' has {len(shapes)} shapes in {len(listed)} groups: two {what} can touch, fewer "
                         f"cannot. {ADVICE}")  # fmt: skip
    seen: set[int] = set()
    for shape in shapes:
        if id(shape) in seen:
            raise ModelError(f"'{name}' lists {shape!r} twice. List every shape once.")
        seen.add(id(shape))
        if shape.tree.graph is not graph:
            raise ModelError(f"{shape!r} of '{name}' belongs to the model '{shape.tree.graph.name}', not to "
                             f"'{graph.name}'. Make all shapes in one model.")  # fmt: skip


def _names(shapes: list[Named]) -> list[str]:
    """A name for each: what was given, that of its body, or its kind; with numbers where several have the same."""
    wanted = [given or _called(shape) for given, shape in shapes]
    many = {each for each in wanted if wanted.count(each) > 1} if len(set(wanted)) < len(wanted) else set()
    taken, count = set(wanted) - many, dict[str, int]()
    found = []
    for each in wanted:
        label = each
        while label in taken or label in many:
            count[each] = count.get(each, 0) + 1
            label = f"{each} {count[each]}"
        if each in many:
            taken.add(label)
        found.append(each if each not in many else label)
    return found


def _called(shape: Any) -> str:
    if isinstance(shape, Point):
        return shape.name
    body = getattr(shape, "body", None)
    own = body.name if isinstance(body, (Body, Link)) else None
    return own if own is not None else type(shape).__name__.lower()


def _sides(label: str, shape: Any, sides: int | None) -> int | None:
    """Of the prism that stands for a shape: it is made once, with the numbers of now, and so has to keep them."""
    if sides is None or not isinstance(shape, Cylinder | Cone):
        return None
    if kinds(shape.length).keys() | (kinds(shape.radius).keys() if isinstance(shape.radius, Expr) else ()):
        raise ModelError(f"'{label}' is {shape.what} with a parameter in its measures, and no prism of {sides!r} sides "
                         "follows those. Give numbers, or leave sides= out.")  # fmt: skip
    return sides


def _material(materials: Materials, shape: Any) -> str | None:
    own = materials.of.get(shape)
    return own if own is not None else materials.of.get(getattr(shape, "body", None))


def _bits(name: str, found: list[tuple[int, str, Any]], within: bool, groups: int, masks: Any) -> list[tuple[int, int]]:
    """contype and conaffinity of each: as given, by group where these only meet each other, else 1 and 1."""
    if masks is None and within:
        return [(1, 1)] * len(found)
    if masks is None:
        if groups > GROUPS:
            raise ModelError(
                f"'{name}' has {groups} groups that meet each other; bits tell {GROUPS} apart. Give fewer."
            )
        return [(1 << k, ((1 << groups) - 1) ^ (1 << k)) for k, _, _ in found]
    if not within:
        raise ModelError(f"'{name}' has masks and within=False, which both say who meets whom. Give one of them.")
    given = _of_things(name, masks)
    for each in given.values():
        if not (
            isinstance(each, (list, tuple))
            and len(each) == 2
            and all(isinstance(bit, int) and not isinstance(bit, bool) and 0 <= bit < MOST_BITS for bit in each)
        ):
            raise ModelError(f"a mask of '{name}' is {each!r}. Give (contype, conaffinity), two whole numbers of 32 "
                             "bits, as in MuJoCo.")  # fmt: skip
    known = {id(shape) for _, _, shape in found}
    for key in given:
        if key not in known:
            raise ModelError(f"masks of '{name}' name something that does not collide in it. List it as well.")
    return [tuple(given.get(id(shape), (1, 1))) for _, _, shape in found]


def _of_things(name: str, masks: Any) -> dict[int, Any]:
    """What was given of shapes, by shape, from a mapping of bodies and shapes."""
    if not isinstance(masks, Mapping):
        raise ModelError(f"masks of '{name}' are {masks!r}. Give a mapping: {{body: (contype, conaffinity)}}.")
    return {id(shape): value for thing, value in masks.items() for _, shape in flattened(name, thing)}


def _left_out(name: str, colliders: list[Collider], without: Any) -> frozenset[Pair]:
    """Pairs that never touch, from pairs of bodies, shapes or names."""
    if isinstance(without, (str, bytes, Mapping)) or not isinstance(without, Iterable):
        raise ModelError(f"without= of '{name}' is {without!r}. Give pairs: without=[(body, other)].")
    places = {each.name: i for i, each in enumerate(colliders)}
    number = {id(each.shape): i for i, each in enumerate(colliders)}
    found = set()
    for pair in without:
        if isinstance(pair, (str, bytes)) or not isinstance(pair, Iterable) or len(both := tuple(pair)) != 2:
            raise ModelError(f"without= of '{name}' has {pair!r}. Give pairs: without=[(body, other)].")
        a, b = (_numbers(name, side, places, number) for side in both)
        found |= {(min(i, j), max(i, j)) for i in a for j in b if i != j}
    return frozenset(found)


def _numbers(name: str, side: Any, places: Mapping[str, int], number: Mapping[int, int]) -> list[int]:
    if isinstance(side, str):
        if side not in places:
            raise ModelError(
                f"without= of '{name}' names '{side}', which does not collide.{did_you_mean(side, places)}"
            )
        return [places[side]]
    found = [number.get(id(shape), -1) for _, shape in flattened(name, side)]
    if -1 in found:
        raise ModelError(f"without= of '{name}' has {side!r}, which does not collide in it. Leave it out.")
    return found
