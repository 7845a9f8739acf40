"""Collisions and materials to model files."""

from __future__ import annotations

from typing import Any

from latchwork.contact.collision import Collision
from latchwork.contact.curves import Curve, Surface
from latchwork.contact.law import Zones
from latchwork.contact.materials import Laws
from latchwork.contact.rolling_resistance import is_nothing
from latchwork.errors import FileError
from latchwork.formats.model_file.constraint_writer import Texts
from latchwork.formats.model_file.contact_writer import ShapeText, friction_text, value_text
from latchwork.mechanics.point import Point
from latchwork.model import Model


def laws_text(texts: Texts, laws: Laws) -> dict[str, Any]:
    """Coefficients, without what is as usual."""
    written = {}
    if isinstance(laws.restitution, Zones) or laws.restitution != 0.0:
        written["restitution"] = value_text(texts, laws.restitution)
    if laws.friction is not None:
        written["friction"] = friction_text(texts, laws.friction)
    if not is_nothing(laws.adhesion):
        written["adhesion"] = value_text(texts, laws.adhesion)
    return written


def collision_text(texts: Texts, model: Model, collision: Collision) -> dict[str, Any]:
    """The entry of a collision: its shapes by name, its laws, and what is left out."""
    shapes: dict[str, Any] = {}
    for each in collision.colliders:
        if isinstance(each.shape, Curve | Surface):
            raise FileError(f"'{each.name}' of '{collision.name}' is {each.shape.what}, which files know only in "
                            "contacts. List those by model.contact(...).")  # fmt: skip
        found = ShapeText(texts, model, collision.name, "").side(each.shape)
        own = {"point": found} if isinstance(each.shape, Point) else found
        given = {"contype": each.contype, "conaffinity": each.conaffinity}
        bits = {key: str(bit) for key, bit in given.items() if bit != 1}
        shapes[each.name] = own | ({} if each.material is None else {"material": each.material}) | bits
    written: dict[str, Any] = {"shapes": shapes}
    if collision.row.laws is not None:
        laws = laws_text(texts, collision.row.laws)
        written |= laws or {"restitution": "0"}
    if collision.row.impact != "newton":
        written["impact"] = collision.row.impact
    if collision.without:
        names = [each.name for each in collision.colliders]
        written["without"] = [[names[i], names[j]] for i, j in sorted(collision.without)]
    for sides in {each.sides for each in collision.colliders} - {None}:
        written["sides"] = str(sides)
    return written | ({"neighbours": "true"} if collision.joined else {})
