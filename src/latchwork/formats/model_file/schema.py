"""The JSON Schema of model files, from the tables that the reader follows: editors complete and check with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from latchwork.formats.model_file.grammar import CHOICES, KINDS, Either, Item, Listed, Named, Shape
from latchwork.formats.model_file.tables import MODEL

SCALAR = {"type": ["number", "string"]}
NULLABLE = {"type": ["number", "string", "null"]}
TEXT = {"type": "string"}

SINGLES: dict[str, dict[str, Any]] = {
    "version": {"const": 1},
    "text": {"type": ["string", "number", "boolean"]},
    "truth": {"type": "boolean"},
    "name": {"type": "string", "pattern": "^[A-Za-z][A-Za-z0-9_]*$"},
    "number": SCALAR,
    "value": NULLABLE,
    "scalar": SCALAR,
    "definition": NULLABLE,
    "vector": SCALAR,
    "expression": SCALAR,
    "frame": TEXT,
    "point": TEXT,
    "joint": TEXT,
    "count": SCALAR,
    "bits": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
    "guard": SCALAR,
    "output": SCALAR,
    **{kind: {"enum": list(words)} for kind, words in CHOICES.items()},
}


def schema() -> dict[str, Any]:
    """The schema as nested dictionaries, ready for ``json.dumps``."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Latchwork model file",
        **_of(MODEL),
    }


def _of(item: Item) -> dict[str, Any]:
    return WRITERS[type(item)](item)


def _single(kind: str) -> dict[str, Any]:
    return {**SINGLES[kind], "description": KINDS[kind]}


def _shape(shape: Shape) -> dict[str, Any]:
    written: dict[str, Any] = {
        "type": "object",
        "properties": {key: {**_of(field.item), "description": field.about} for key, field in shape.fields.items()},
        "required": [key for key, field in shape.fields.items() if field.needed],
        "additionalProperties": False,
    }
    return written | ({"oneOf": [{"required": [key]} for key in shape.one_of]} if shape.one_of else {})


def _named(named: Named) -> dict[str, Any]:
    written: dict[str, Any] = {"type": "object", "additionalProperties": _of(named.item)}
    return written | ({"maxProperties": named.most} if named.most else {})


def _listed(listed: Listed) -> dict[str, Any]:
    item = _of(listed.item)
    written: dict[str, Any] = {"type": "array", "items": item}
    if listed.count:
        written |= {"minItems": listed.count, "maxItems": listed.count}
    if listed.most:
        written["maxItems"] = listed.most
    return {"anyOf": [item, written]} if listed.or_one else written


def _either(either: Either) -> dict[str, Any]:
    return {"anyOf": [_of(either.single), _of(either.shape)]}


WRITERS: dict[type, Callable[[Any], dict[str, Any]]] = {
    str: _single, Shape: _shape, Named: _named, Listed: _listed, Either: _either,
}  # fmt: skip
