"""Nested dictionaries, lists and texts as YAML: short things on one line, long ones on lines of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 116
PLAIN = re.compile(r"(?:[A-Za-z0-9_(]|-(?=[A-Za-z0-9_(.]))(?:[A-Za-z0-9_.+*/()<=' -]*[A-Za-z0-9_.)'])?\Z", re.ASCII)
NULLS = frozenset({"null", "~", ""})
PRINTABLE = re.compile("[\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*\\Z")


def document(sections: Mapping[str, Any]) -> str:
    """A YAML document: one section after the other, empty ones left out."""
    return "".join(_entry(key, value, "") for key, value in sections.items() if value not in (None, {}, [], ()))


def _entry(key: str, value: Any, indent: str, mark: str = "") -> str:
    head = f"{indent}{mark}{scalar(key)}:"
    short = f"{head} {flow(value)}\n"
    if not _is_nested(value) or (len(short) <= WIDTH and indent):
        return short
    if len(short) <= WIDTH and not any(_is_nested(item) for item in _items(value)):
        return short
    inner = indent + " " * len(mark) + "  "
    if isinstance(value, Mapping):
        return f"{head}\n" + "".join(_entry(k, v, inner) for k, v in value.items())
    return f"{head}\n" + "".join(_item(item, inner) for item in value)


def _item(value: Any, indent: str) -> str:
    short = f"{indent}- {flow(value)}\n"
    if not isinstance(value, Mapping) or (len(short) <= WIDTH and len(value) != 1):
        return short
    first, *rest = value.items()
    return _entry(*first, indent, "- ") + "".join(_entry(k, v, indent + "  ") for k, v in rest)


def flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return "null" if value is None else scalar(str(value))


def scalar(text: str) -> str:
    """A text as it is where YAML allows, else in quotes."""
    if PLAIN.match(text) and text not in NULLS:
        return text
    if PRINTABLE.match(text):
        return "'" + text.replace("'", "''") + "'"
    return json.dumps(text)


def _is_nested(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, Sequence) and not isinstance(value, str))


def _items(value: Any) -> Sequence[Any]:
    return list(value.values()) if isinstance(value, Mapping) else value
