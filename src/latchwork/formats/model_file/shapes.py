"""A tree of YAML nodes read by the tables: every key known, every value of the right kind, expressions compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from latchwork.errors import FileError, did_you_mean
from latchwork.formats.expressions.functions import FRAME, POINT
from latchwork.formats.expressions.parser import constant
from latchwork.formats.expressions.postfix import Code, compiled
from latchwork.formats.model_file.grammar import CHOICES, KINDS, Either, Item, Listed, Named, Shape
from latchwork.formats.model_file.yaml_nodes import Listing, Mapping, Node
from latchwork.formats.places import Place, Text, shown
from latchwork.model import NAME

JOINT = "joint"


@dataclass(frozen=True)
class Reference:
    """The name of something that the file (or every model) holds: a frame, a point, a joint."""

    kind: str
    text: Text


@dataclass(frozen=True)
class Entry:
    """A mapping that has been read: its values by key, and its place."""

    place: Place
    values: dict[str, Any]

    def get(self, key: str, default: Any = None) -> Any:
        return self.values.get(key, default)

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def __contains__(self, key: str) -> bool:
        return key in self.values


@dataclass(frozen=True)
class Given:
    """Something the file names: the name with its place, and what stands under it."""

    name: Text
    value: Any


def read(node: Node, item: Item, path: str = "") -> Any:
    """A node read as an item of the tables; ``path`` names it in errors, as in ``frames.A.parent``."""
    return READERS[type(item)](node, item, path)


def uses(value: Any) -> Iterator[tuple[str, str]]:
    """Everything that a value mentions: kind and name."""
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, Code):
            yield from value.names()
        elif isinstance(value, Reference):
            yield value.kind, value.text.value
        elif isinstance(value, Entry):
            pending += reversed(value.values.values())
        elif isinstance(value, list):
            pending += reversed(value)


# --- containers ---------------------------------------------------------------------------------------------------


def _shape(node: Node, shape: Shape, path: str) -> Entry:
    what = path or "the file"
    if not isinstance(node, Mapping):
        raise node.place.error(f"{what} is a mapping with the keys {', '.join(shape.fields)}; found {_found(node)}.")
    for key, (text, _) in node.items.items():
        if key not in shape.fields:
            raise text.place.error(f"{what} has no key '{shown(key)}'.{did_you_mean(key, shape.fields)}")
    _check_choice(node, shape, what)
    for key, field in shape.fields.items():
        if field.needed and key not in node.items:
            raise node.place.error(f"{what} needs the key '{key}': {field.about}. Add it.")
    values = {key: read(value, shape.fields[key].item, _inside(path, key)) for key, (_, value) in node.items.items()}
    return Entry(node.place, values)


def _inside(path: str, key: str | int) -> str:
    return f"{path}.{shown(str(key))}" if path else str(key)


def _check_choice(node: Mapping, shape: Shape, what: str) -> None:
    if not shape.one_of:
        return
    given = [key for key in shape.one_of if key in node.items]
    if len(given) != 1:
        place = node.items[given[1]][0].place if given else node.place
        raise place.error(
            f"{what} needs exactly one of {', '.join(shape.one_of)}; found {' and '.join(given) or 'none of them'}."
        )


def _named(node: Node, named: Named, path: str) -> list[Given]:
    if not isinstance(node, Mapping):
        raise node.place.error(f"{path} is a mapping from names to values; found {_found(node)}.")
    _must_be_few(node, len(node.items), named.most, path)
    return [
        Given(_not_empty(text), read(value, named.item, _inside(path, text.value)))
        for text, value in node.items.values()
    ]


def _not_empty(text: Text) -> Text:
    if not text.value:
        raise text.place.error("a name is missing before ':'. Write one, e.g. 'A'.")
    return text


def _listed(node: Node, listed: Listed, path: str) -> list[Any]:
    if not isinstance(node, Listing):
        if listed.or_one:
            return [read(node, listed.item, path)]
        raise node.place.error(f"{path} is a list; found {_found(node)}. Write it in [ ], or each item after '- '.")
    if listed.count and len(node.items) != listed.count:
        raise node.place.error(f"{path} is a list of {listed.count}; found {len(node.items)}. Give {listed.count}.")
    _must_be_few(node, len(node.items), listed.most, path)
    return [read(item, listed.item, _inside(path, i)) for i, item in enumerate(node.items, 1)]


def _must_be_few(node: Node, found: int, most: int, path: str) -> None:
    if most and found > most:
        raise node.place.error(f"{path} has {found} entries; the limit is {most}. Give fewer.")


def _single(node: Node, kind: str, path: str) -> Any:
    if not isinstance(node, Text):
        raise node.place.error(f"{path} is {KINDS[kind]}; found {_found(node)}.")
    if node.is_null and kind not in NULLABLE:
        raise node.place.error(f"{path} has no value. Write {KINDS[kind]}, or remove the key.")
    return SINGLES[kind](node, path)


def _found(node: Node) -> str:
    if isinstance(node, Text):
        return f"'{shown(node.value)}'" if node.value else "nothing"
    return "a list" if isinstance(node, Listing) else "a mapping"


def _either(node: Node, either: Either, path: str) -> Any:
    return read(node, either.shape if isinstance(node, Mapping) else either.single, path)


READERS: dict[type, Callable[[Any, Any, str], Any]] = {
    str: _single, Shape: _shape, Named: _named, Listed: _listed, Either: _either,
}  # fmt: skip


# --- single values ------------------------------------------------------------------------------------------------


def _version(text: Text, path: str) -> str:
    if text.value.strip() != "1":
        raise text.place.error(f"this file is of format version '{shown(text.value)}'; this program reads version 1.")
    return text.value


def _truth(text: Text, path: str) -> bool:
    if text.value not in ("true", "false"):
        raise text.place.error(f"{path} is true or false; found '{shown(text.value)}'. Write one of them.")
    return text.value == "true"


def _name(text: Text, path: str) -> Text:
    if not NAME.match(text.value):
        raise text.place.error(
            f"'{shown(text.value)}' cannot be a name: names are letters, digits and _ starting with a letter, e.g. q1."
        )
    return text


def _choice(kind: str) -> Callable[[Text, str], str]:
    def chosen(text: Text, path: str) -> str:
        if text.value not in CHOICES[kind]:
            hint = did_you_mean(text.value, CHOICES[kind])
            raise text.place.error(f"there is no {kind} '{shown(text.value)}'.{hint}")
        return text.value

    return chosen


def _number(text: Text, path: str) -> float:
    try:
        return constant(compiled(text))
    except FileError as problem:
        message = f"{path} must be a number: {problem.message}"
        raise FileError(message, problem.source, problem.line, problem.column) from None


def _count(text: Text, path: str) -> int:
    value = _number(text, path)
    if not (value >= 1.0 and value.is_integer()):
        raise text.place.error(f"{path} is {KINDS['count']}; found '{shown(text.value)}'. Write one, e.g. 1000.")
    return int(value)


def _bits(text: Text, path: str) -> int:
    if not (text.value.isascii() and text.value.isdigit() and len(text.value) <= 10 and int(text.value) < 2**31):
        raise text.place.error(f"{path} is {KINDS['bits']}; found '{shown(text.value)}'. Write one, e.g. 1.")
    return int(text.value)


def _or_null(reader: Callable[[Text, str], Any]) -> Callable[[Text, str], Any]:
    return lambda text, path: None if text.is_null else reader(text, path)


def _code(text: Text, path: str) -> Code:
    return compiled(text)


def _reference(kind: str) -> Callable[[Text, str], Reference]:
    return lambda text, path: Reference(kind, text)


NULLABLE = frozenset({"value", "definition"})
SINGLES: dict[str, Callable[[Text, str], Any]] = {
    "version": _version,
    "text": lambda text, path: text,
    "truth": _truth,
    "name": _name,
    "number": _number,
    "value": _or_null(_number),
    "scalar": _code,
    "definition": _or_null(_code),
    "vector": _code,
    "expression": _code,
    "frame": _reference(FRAME),
    "point": _reference(POINT),
    "joint": _reference(JOINT),
    "count": _count,
    "bits": _bits,
    "guard": _code,
    "output": lambda text, path: text,  # the name of a point need not be an expression
    **{kind: _choice(kind) for kind in CHOICES},
}
