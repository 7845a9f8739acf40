"""YAML as a tree of texts, lists and mappings, each with its place; what a model never needs is refused.

No types are guessed (a coordinate may be called ``y`` or ``on``), nothing is shared (anchors, aliases, merges) and
nothing is constructed (tags). The tree is built from events, so that depth costs nothing before it is judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from latchwork.formats.places import Place, Text, shown

LARGEST = 2_000_000  # characters in one file
LONGEST_LINE = 100_000
DEEPEST = 20  # mappings and lists inside each other

UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
TOO_LONG = re.compile(rf"[^\n]{{{LONGEST_LINE}}}")
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same events, from libyaml where it is there


@dataclass
class Listing:
    """A list."""

    place: Place
    items: list[Node] = field(default_factory=list)


@dataclass
class Mapping:
    """A mapping: each key with its place and value, in the order of the file."""

    place: Place
    items: dict[str, tuple[Text, Node]] = field(default_factory=dict)
    key: Text | None = None  # read, and waiting for its value


Node = Text | Listing | Mapping


def compose(text: str, source: str) -> Node:
    """The tree of a YAML text, or one error that says where it goes wrong."""
    page = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    _check_text(page, source)
    try:
        return _tree(yaml.parse(page, Loader=LOADER), page, source)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        place = Place(source, mark.line + 1, mark.column + 1) if mark else Place(source)
        found = problem.problem or problem.context
        raise place.error(f"this is not YAML: {found}. Check quotes, colons and indentation.") from None
    except yaml.YAMLError as problem:
        raise Place(source).error(f"this is not YAML: {problem}. Write the model as YAML text.") from None


def _check_text(page: str, source: str) -> None:
    """What can be refused before YAML is read at all."""
    if len(page) > LARGEST:
        raise Place(source).error(f"the file has {len(page)} characters; the limit is {LARGEST}. Split the model.")
    found = UNPRINTABLE.search(page)
    if found:
        raise _place_of(page, found.start(), source).error(
            f"unexpected character {found[0]!r}: model files are plain text. Save the file as UTF-8 text."
        )
    found = TOO_LONG.search(page)
    if found:
        raise _place_of(page, found.end(), source).error(
            f"this line has more than {LONGEST_LINE} characters. Break it, or split an expression with names in 'let'."
        )


def _place_of(page: str, index: int, source: str) -> Place:
    before = page[:index]
    return Place(source, before.count("\n") + 1, index - before.rfind("\n"))


def _tree(events: Iterator[Any], page: str, source: str) -> Node:
    """The one document of a stream of events."""
    root: list[Node] = []
    documents, open_nodes = 0, list[Listing | Mapping]()
    for event in events:
        place = Place(source, event.start_mark.line + 1, event.start_mark.column + 1)
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise place.error("a second document starts here; a model file holds one. Remove the '---'.")
        elif isinstance(event, yaml.CollectionEndEvent):
            open_nodes.pop()
        elif isinstance(event, yaml.NodeEvent):
            _refuse_sharing(event, place)
            node = _node(event, place, page)
            _attach(node, open_nodes[-1]) if open_nodes else root.append(node)
            if not isinstance(node, Text):
                open_nodes.append(node)
            if len(open_nodes) > DEEPEST:
                raise place.error(f"lists and mappings are nested more than {DEEPEST} deep. A model needs six levels.")
    if not root:
        raise Place(source).error("the file is empty. Start it with 'latchwork: 1'.")
    return root[0]


def _refuse_sharing(event: Any, place: Place) -> None:
    if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
        sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
        raise place.error(
            f"'{sign}{shown(event.anchor)}': anchors and aliases have no place in a model file. Write the value out, "
            "or name it under 'let'."
        )
    if event.tag is not None:
        raise place.error(f"the tag '{shown(event.tag)}' has no place in a model file. Remove it.")


def _node(event: Any, place: Place, page: str) -> Node:
    raw = page[event.start_mark.index : event.end_mark.index]
    if isinstance(event, yaml.ScalarEvent):
        return Text(event.value, place, raw, event.style or "")
    return Mapping(place) if isinstance(event, yaml.MappingStartEvent) else Listing(place)


def _attach(node: Node, parent: Listing | Mapping) -> None:
    if isinstance(parent, Listing):
        parent.items.append(node)
    elif parent.key is None:
        parent.key = _key(node, parent)
    else:
        parent.items[parent.key.value] = (parent.key, node)
        parent.key = None


def _key(node: Node, parent: Mapping) -> Text:
    if not isinstance(node, Text):
        raise node.place.error("a key must be a name, not a list or a mapping. Quote it if it is meant as text.")
    if node.value in parent.items:
        before = parent.items[node.value][0].place
        raise node.place.error(f"'{shown(node.value)}' is given twice, first on line {before.line}. Remove one.")
    return node

