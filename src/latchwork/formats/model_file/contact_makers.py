"""How the contacts of a model file are made: each word is a class of shapes, each key one of its arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from latchwork.contact import curves, shapes
from latchwork.contact.law import Contact, Coulomb, zones
from latchwork.errors import did_you_mean
from latchwork.formats.expressions.evaluate import evaluated
from latchwork.formats.expressions.functions import SCALAR, VECTOR
from latchwork.formats.expressions.parser import vector
from latchwork.formats.expressions.postfix import Code
from latchwork.formats.expressions.scope import Value
from latchwork.formats.model_file.build import Build
from latchwork.formats.model_file.constraint_makers import part
from latchwork.formats.model_file.contact_tables import MOST_CORNERS, MOST_FEATURES, MOST_MESHES, MOST_SQUARES, SHAPES
from latchwork.formats.model_file.grammar import Item, Listed, Shape
from latchwork.formats.model_file.mesh_files import mesh_corners
from latchwork.formats.model_file.shapes import Entry, Given, Reference
from latchwork.formats.places import shown
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

CLASSES: dict[str, Any] = {kind.__name__.lower(): kind for kind in (
    shapes.Line, shapes.Plane, shapes.Segment, shapes.Polyline, shapes.Arc, shapes.Boundary, shapes.Circle,
    shapes.Sphere, shapes.Capsule, shapes.Cylinder, shapes.Cone, shapes.Rim, shapes.Box, shapes.Hull,
    curves.Curve, curves.Surface,
)}  # fmt: skip
CORNERS = {"polyline": "points", "boundary": "pieces"}


def contacts(build: Build, given: list[Given]) -> None:
    """The contacts of a file; files that would take minutes to read are refused."""
    squares = places = corners = meshes = 0
    for each in given:
        with each.name.place.blamed():
            squares += sum(corners_of(each.value[key]) ** 2 for key in ("a", "b"))
            meshes += sum(names_a_mesh(each.value[key]) for key in ("a", "b"))
            if corners > MOST_CORNERS or meshes > MOST_MESHES:
                raise each.name.place.error(
                    f"the contacts up to '{shown(each.name.value)}' have {meshes} meshes, and solids of {corners} "
                    f"corners that meet solids; the limits are {MOST_MESHES} and {MOST_CORNERS}. Give fewer."
                )
            if squares > MOST_SQUARES or places > MOST_FEATURES:
                raise each.name.place.error(
                    f"the contacts up to '{shown(each.name.value)}' have more than {MOST_SQUARES} pairs of corners, or "
                    f"{MOST_FEATURES} places where they touch. Give shapes of fewer parts, or fewer contacts."
                )
            made = _contact(build, each)
            places += len(made.features)
            corners += 0 if made.picker is None else sum(len(side.corners) for side in made.picker.sides)
            build.scope.hold(made)


def _contact(build: Build, given: Given) -> Contact:
    """A contact by its two shapes and its laws."""
    entry = given.value
    a, b = (side(build, entry[key]) for key in ("a", "b"))
    return build.model.contact(given.name.value, a, b, restitution=value(build, entry.get("restitution")),
                               friction=friction(build, entry.get("friction")),
                               adhesion=value(build, entry.get("adhesion")),
                               impact=entry.get("impact", "newton"))  # fmt: skip


def limits(build: Build, given: list[Given]) -> None:
    """The stops of joints of a file."""
    for each in given:
        entry = each.value
        with each.name.place.blamed():
            bounds = [measure(build, entry[key]) if key in entry else None for key in ("low", "high")]
            build.scope.hold(build.model.limit(each.name.value, build.found(entry["joint"]), bounds,
                                               restitution=value(build, entry.get("restitution"))))  # fmt: skip


def without_shapes(build: Build, entry: Entry) -> None:
    """Friction of joints, ropes and one-way clutches of a file."""
    made: dict[str, Callable[[Build, str, Entry], Contact]] = {
        "friction": _joint_friction, "ropes": _rope, "one_way": _one_way}  # fmt: skip
    for section, make in made.items():
        for each in entry.get(section, []):
            with each.name.place.blamed():
                build.scope.hold(make(build, each.name.value, each.value))


def _joint_friction(build: Build, name: str, entry: Entry) -> Contact:
    dynamic = value(build, entry["dynamic"]) if "dynamic" in entry else None
    return build.model.friction(name, _rate(build, entry), value(build, entry["static"]), dynamic)


def _rope(build: Build, name: str, entry: Entry) -> Contact:
    a, b = (build.found(entry[key]) for key in ("a", "b"))
    return build.model.rope(name, a, b, measure(build, entry["length"]),
                            restitution=value(build, entry.get("restitution")))  # fmt: skip


def _one_way(build: Build, name: str, entry: Entry) -> Contact:
    return build.model.one_way(name, _rate(build, entry), restitution=value(build, entry.get("restitution")))


def _rate(build: Build, entry: Entry) -> Any:
    """The joint, or the speed, that something is about."""
    return build.found(entry["joint"]) if "joint" in entry else build.scalar(entry["rate"])


def corners_of(given: Reference | Entry) -> int:
    """Corners or pieces of a boundary, which are looked at in pairs."""
    if isinstance(given, Reference):
        return 0
    ((word, entry),) = given.values.items()
    return len(entry[CORNERS[word]]) if word in CORNERS else 0


def names_a_mesh(given: Reference | Entry) -> bool:
    return isinstance(given, Entry) and "hull" in given and "file" in given["hull"]


def side(build: Build, given: Reference | Entry) -> Any:
    """A point, or a shape by its word."""
    if isinstance(given, Reference):
        return build.found(given)
    ((word, entry),) = given.values.items()
    if word == "face":
        return _face(build, entry)
    fields = _fields(SHAPES[word].item)
    with entry.place.blamed():
        made = {key: _argument(build, fields[key], value) for key, value in entry.values.items()
                if key not in ("shape", "file")}  # fmt: skip
        if "shape" in entry:
            made["shape"] = _function(build, entry["shape"], CLASSES[word].letters)
        if "vertices" in made:
            made["points"] = made.pop("vertices")
        if "file" in entry:
            made["points"] = mesh_corners(entry["file"], build.folder)
        return CLASSES[word](**made)


def _face(build: Build, entry: Entry) -> Any:
    """The curve of a beam."""
    name, beams = entry["beam"].value, build.model.beams
    with entry.place.blamed():
        if name not in beams:
            raise entry["beam"].place.error(f"there is no beam '{name}'.{did_you_mean(name, beams)}")
        return beams[name].curve(entry.get("side", 1), measure(build, entry["height"]) if "height" in entry else 0.0,
                                 entry.get("ends", True))  # fmt: skip


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


def value(build: Build, given: Code | Entry | None) -> Any:
    """A number, an expression, or one of them by zone; 0 where none is given."""
    if given is None:
        return 0.0
    if isinstance(given, Code):
        return measure(build, given)
    entry = given["zones"]
    with entry.place.blamed():
        bounds, values = ([measure(build, code) for code in entry[key]] for key in ("bounds", "values"))
        return zones(build.scalar(entry["along"]), bounds, values)


def friction(build: Build, given: Code | Entry | None) -> Coulomb | None:
    if given is None:
        return None
    if isinstance(given, Code):
        return Coulomb(measure(build, given))
    with given.place.blamed():
        return Coulomb(value(build, given["static"]), value(build, given["dynamic"]) if "dynamic" in given else None,
                       *[value(build, given.get(key)) for key in ("rolling", "pivoting")])  # fmt: skip


ARGUMENTS: dict[str, Callable[[Build, Any], Any]] = {
    "frame": part,
    "point": lambda build, value: build.found(value),
    "scalar": measure,
    "vector": lambda build, value: build.vector(value),
    "expression": _expression,
    "truth": lambda build, value: value,
    "number": lambda build, value: value,
}
