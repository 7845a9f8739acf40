"""How the contacts of a model file are made: each word is a class of shapes, each key one of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from latchwork.contact import curves, shapes
from latchwork.contact.law import Coulomb, zones
from latchwork.formats.build import Build
from latchwork.formats.constraint_makers import part
from latchwork.formats.contact_tables import MOST_FEATURES, SHAPES
from latchwork.formats.evaluate import evaluated
from latchwork.formats.expressions import vector
from latchwork.formats.functions import SCALAR, VECTOR
from latchwork.formats.grammar import Item, Listed, Shape
from latchwork.formats.postfix import Code
from latchwork.formats.scope import Value
from latchwork.formats.shapes import Entry, Given, Reference
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

CLASSES: dict[str, Any] = {kind.__name__.lower(): kind for kind in (
    shapes.Line, shapes.Plane, shapes.Segment, shapes.Polyline, shapes.Arc, shapes.Boundary, shapes.Circle,
    shapes.Sphere, shapes.Capsule, shapes.Rim, shapes.Box, shapes.Hull, curves.Curve, curves.Surface,
)}  # fmt: skip


def contact(build: Build, given: Given) -> None:
    """A contact by its two shapes and its laws."""
    entry = given.value
    a, b = (side(build, entry[key]) for key in ("a", "b"))
    made = build.model.contact(given.name.value, a, b, restitution=_value(build, entry.get("restitution")),
                               friction=_friction(build, entry.get("friction")),
                               impact=entry.get("impact", "newton"))  # fmt: skip
    build.scope.hold(made)
    if sum(len(each.features) for each in build.model.contacts) > MOST_FEATURES:
        raise given.name.place.error(
            f"the contacts up to '{made.name}' have more than {MOST_FEATURES} places to watch. Give shapes of fewer "
            "parts, or fewer contacts."
        )


def side(build: Build, given: Reference | Entry) -> Any:
    """A point, or a shape by its word."""
    if isinstance(given, Reference):
        return build.found(given)
    ((word, entry),) = given.values.items()
    fields = _fields(SHAPES[word].item)
    with entry.place.blamed():
        made = {key: _argument(build, fields[key], value) for key, value in entry.values.items() if key != "shape"}
        if "shape" in entry:
            made["shape"] = _function(build, entry["shape"], CLASSES[word].letters)
        if "vertices" in made:
            made["points"] = made.pop("vertices")
        return CLASSES[word](**made)


def _fields(item: Item) -> dict[str, Item]:
    assert isinstance(item, Shape)
    return {key: field.item for key, field in item.fields.items()}


def _argument(build: Build, item: Item, value: Any) -> Any:
    if isinstance(item, Listed):
        return [_argument(build, item.item, each) for each in value]
    return side(build, value) if isinstance(item, Shape) else ARGUMENTS[str(item)](build, value)


def measure(build: Build, code: Code) -> Any:
    """A number where it is one, so that it is looked at before the run; else an expression."""
    value = build.scalar(code)
    return float(value) if value.is_constant else value


def _expression(build: Build, code: Code) -> Any:
    value = evaluated(code, build.scope)
    return value.it if value.kind == VECTOR else measure(build, code)


def _function(build: Build, code: Code, letters: tuple[str, ...]) -> Callable[..., Vector]:
    """What an expression says of the parameters of a curve or surface, which hide other symbols of their names."""

    def shape(*parameters: Expr) -> Vector:
        own = {letter: Value(SCALAR, symbol) for letter, symbol in zip(letters, parameters, strict=True)}
        return vector(code, replace(build.scope, symbols=build.scope.symbols | own, memo={}))

    return shape


def _value(build: Build, given: Code | Entry | None) -> Any:
    """A number, an expression, or one of them by zone; 0 where none is given."""
    if given is None:
        return 0.0
    if isinstance(given, Code):
        return measure(build, given)
    entry = given["zones"]
    with entry.place.blamed():
        bounds, values = ([measure(build, code) for code in entry[key]] for key in ("bounds", "values"))
        return zones(build.scalar(entry["along"]), bounds, values)


def _friction(build: Build, given: Code | Entry | None) -> Coulomb | None:
    if given is None:
        return None
    if isinstance(given, Code):
        return Coulomb(measure(build, given))
    with given.place.blamed():
        return Coulomb(_value(build, given["static"]), _value(build, given["dynamic"]) if "dynamic" in given else None)


ARGUMENTS: dict[str, Callable[[Build, Any], Any]] = {
    "frame": part,
    "point": lambda build, value: build.found(value),
    "scalar": measure,
    "vector": lambda build, value: build.vector(value),
    "expression": _expression,
    "truth": lambda build, value: value,
    "number": lambda build, value: value,
}
