"""Expressions cut into tokens: numbers, names, operators. Whatever else stands there is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from latchwork.formats.places import Text, shown

LONGEST = 50_000  # characters in one expression

TOKEN = re.compile(
    r"""(?P<blank>\s+)
      | (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*'*)
      | `(?P<quoted>[^`]+)`
      | (?P<sign>\*\*|<=|>=|==|[-+*/<>&|~(),.])""",
    re.VERBOSE,
)


class Token(NamedTuple):
    """A piece of an expression: number, name, sign or end; what it says; its offset."""

    kind: str
    value: str
    offset: int


def tokens(text: Text) -> Iterator[Token]:
    """The tokens of an expression, one at a time, and ``end`` after the last."""
    if len(text.value) > LONGEST:
        raise text.place.error(
            f"this expression has {len(text.value)} characters; the limit is {LONGEST}. Split it with names in 'let'."
        )
    offset = 0
    while offset < len(text.value):
        found = TOKEN.match(text.value, offset)
        if found is None:
            raise text.at(offset).error(
                f"unexpected character {text.value[offset]!r} in an expression. Use numbers, names, functions and "
                "+ - * / ** ( )."
            )
        if found.lastgroup and found.lastgroup != "blank":
            kind = "name" if found.lastgroup == "quoted" else found.lastgroup
            yield Token(kind, found[found.lastgroup], offset)
        offset = found.end()
    yield Token("end", "", len(text.value))


def number(token: Token, text: Text) -> float:
    """The value of a number that a double can hold."""
    value = float(token.value)
    if math.isinf(value):
        raise text.at(token.offset).error(
            f"the number {shown(token.value)} is out of range. Write one of magnitude below 1.8e308."
        )
    return value
