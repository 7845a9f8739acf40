"""Texts that know where they stand in a file, so that every error names a line and a column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from latchwork.errors import FileError, LatchworkError

SHOWN = 40
ESCAPES = {"'": re.compile("''"), '"': re.compile(r"\\.")}
OPENING = re.compile(r"[|>][^\n]*\n|['\"]|")


@dataclass(frozen=True)
class Place:
    """A position in a source; lines and columns count from 1."""

    source: str
    line: int = 1
    column: int = 1

    def error(self, message: str) -> FileError:
        """The one error for what is wrong here."""
        return FileError(message, self.source, self.line, self.column)

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Whatever the package refuses inside is an error at this place, unless it has its own."""
        try:
            yield
        except FileError:
            raise
        except (LatchworkError, ArithmeticError) as problem:
            raise self.error(str(problem)) from None


@dataclass(frozen=True)
class Text:
    """A scalar of a file: what it says, where it starts, and how it is written there (quotes, folded lines)."""

    value: str
    place: Place
    raw: str = ""
    style: str = ""

    @property
    def is_null(self) -> bool:
        return not self.style and self.value in ("", "~", "null")

    def at(self, offset: int) -> Place:
        """The place of a character of the value. Folding moves blanks only: the other characters stay in order."""
        index = _index(self.raw or self.value, self.style, len("".join(self.value[:offset].split())))
        before = (self.raw or self.value)[:index]
        line, last_break = before.count("\n"), before.rfind("\n")
        column = index - last_break if line else self.place.column + index
        return Place(self.place.source, self.place.line + line, column)


def _index(raw: str, style: str, count: int) -> int:
    """Where the character after ``count`` others stands in the raw text, blanks not counted."""
    if style in ESCAPES:
        raw = ESCAPES[style].sub(lambda found: " " + found[0][1], raw)
    opening = OPENING.match(raw) if style else None
    start = opening.end() if opening else 0
    solid = (i for i, character in enumerate(raw[start:], start) if not character.isspace())
    return next((i for k, i in enumerate(solid) if k == count), len(raw.rstrip()))


def shown(text: str) -> str:
    """A text short enough for a message."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
