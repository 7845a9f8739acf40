"""How the collisions of a model file are made: materials, the table of their pairs, and shapes that meet each other."""

from __future__ import annotations

from typing import Any

from latchwork.formats.model_file.build import Build
from latchwork.formats.model_file.contact_makers import corners_of, friction, names_a_mesh, side, value
from latchwork.formats.model_file.contact_tables import COLLIDER, MOST_COLLIDERS, MOST_MESHES, MOST_SQUARES
from latchwork.formats.model_file.shapes import Entry, Given
from latchwork.formats.places import shown


def collisions(build: Build, materials: list[Given], pairs: list[Entry], collide: list[Given]) -> None:
    """The materials of a file, their pairs, and what collides."""
    model = build.model
    for given in materials:
        with given.name.place.blamed():
            model.material(given.name.value, **_laws(build, given.value))
    for entry in pairs:
        with entry.place.blamed():
            model.material_pair(entry["a"].value, entry["b"].value, **_laws(build, entry))
    shapes = meshes = squares = 0
    for given in collide:
        for each in given.value["shapes"]:
            shapes, meshes = shapes + 1, meshes + names_a_mesh(_shape(each.value))
            squares += corners_of(_shape(each.value)) ** 2
            if shapes > MOST_COLLIDERS or meshes > MOST_MESHES or squares > MOST_SQUARES:
                raise each.name.place.error(
                    f"up to '{shown(each.name.value)}' {shapes} shapes collide, {meshes} of them meshes, {squares} "
                    f"pairs of corners; the limits are {MOST_COLLIDERS}, {MOST_MESHES} and {MOST_SQUARES}. Give fewer."
                )
        with given.name.place.blamed():
            _collision(build, given)


def _laws(build: Build, entry: Entry) -> dict[str, Any]:
    found = {key: value(build, entry[key]) for key in ("restitution", "adhesion") if key in entry}
    return found | ({"friction": friction(build, entry["friction"])} if "friction" in entry else {})


def _shape(entry: Entry) -> Any:
    """The shape of a collider by its word, or the point."""
    (word,) = (key for key in entry.values if key in COLLIDER.one_of)
    return entry[word] if word == "point" else Entry(entry.place, {word: entry[word]})


def _collision(build: Build, given: Given) -> None:
    entry, model = given.value, build.model
    made: dict[str, Any] = {}
    masks = {}
    for each in entry["shapes"]:
        with each.name.place.blamed():
            shape = made[each.name.value] = side(build, _shape(each.value))
            if "material" in each.value:
                model.materials.of[shape] = model.materials.named(each.value["material"].value).name
            if "contype" in each.value or "conaffinity" in each.value:
                masks[shape] = (each.value.get("contype", 1), each.value.get("conaffinity", 1))
    without = [[text.value for text in pair] for pair in entry.get("without", [])]
    model.collide(made, **_laws(build, entry), impact=entry.get("impact", "newton"), without=without,
                  masks=masks or None, neighbours=entry.get("neighbours", False), sides=entry.get("sides"),
                  name=given.name.value)  # fmt: skip
