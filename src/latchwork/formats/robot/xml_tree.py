"""XML as elements that know where they stand. Hostile until parsed: no DTD, no entities, bounded size and depth."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from latchwork.errors import FileError, did_you_mean
from latchwork.formats.places import Place, shown

LARGEST = 8_000_000  # characters of a file
DEEPEST = 200  # elements inside elements
MAX_ELEMENTS = 200_000  # elements of a file
HUGE = 1e30  # beyond any robot: products of a few such numbers are still finite
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)
TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, eq=False)
class Element:
    """An element: its tag, its attributes, its children, and its place in the file."""

    tag: str
    attributes: dict[str, str]
    place: Place
    children: list[Element] = field(default_factory=list)

    def error(self, message: str) -> FileError:
        """The one error for what is wrong with this element."""
        return self.place.error(message)

    def all(self, *tags: str) -> Iterator[Element]:
        """The children with one of these tags, in the order of the file."""
        return (child for child in self.children if child.tag in tags)

    def one(self, tag: str) -> Element | None:
        """The only child with this tag, or None; a second one is refused."""
        first, *more = [*self.all(tag), None]
        if first is not None and more[0] is not None:
            raise more[0].error(f"a second <{tag}> in the <{self.tag}> of line {self.place.line}. Keep one of them.")
        return first

    def need(self, tag: str) -> Element:
        """The only child with this tag."""
        child = self.one(tag)
        if child is None:
            raise self.error(f"this <{self.tag}> has no <{tag}>. Add one.")
        return child

    def text(self, name: str) -> str:
        """An attribute that must be there."""
        value = self.attributes.get(name, "").strip()
        if not value:
            known = f" It has {', '.join(sorted(self.attributes))}." if self.attributes else ""
            raise self.error(f'this <{self.tag}> needs an attribute {name}="...".{known} Add it.')
        return value

    def get(self, name: str, default: str = "") -> str:
        """An attribute, or a default."""
        return self.attributes.get(name, default).strip()

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute that is one number."""
        if default is not None and name not in self.attributes:
            return default
        return self.numbers(name, 1)[0]

    def numbers(self, name: str, count: int | None = None, default: Sequence[float] | None = None) -> list[float]:
        """An attribute that is a row of numbers."""
        if default is not None and name not in self.attributes:
            return list(default)
        words = self.text(name).split()
        if count is not None and len(words) != count:
            raise self.error(f"{name}=\"{shown(' '.join(words))}\" of <{self.tag}>: {count} wanted, {len(words)} seen.")
        return [self._number(name, word) for word in words]

    def _number(self, name: str, word: str) -> float:
        value = float(word) if NUMBER.match(word) else math.nan
        if not abs(value) <= HUGE:
            raise self.error(f"'{shown(word)}' in {name} of <{self.tag}> is not a number of at most {HUGE:g}. Mend it.")
        return value

    def choice(self, name: str, known: Sequence[str], default: str = "") -> str:
        """An attribute that is one of a few words."""
        value = self.get(name, default) or self.text(name)
        if value not in known:
            raise self.error(f"<{self.tag} {name}=\"{shown(value)}\"> is not known.{did_you_mean(value, known)}")
        return value

    def truth(self, name: str, default: bool) -> bool:
        """An attribute that is true or false."""
        value = self.get(name).lower()
        if value and value not in TRUTH:
            raise self.error(f"{name}=\"{shown(value)}\" of <{self.tag}> is neither true nor false. Write one of them.")
        return TRUTH[value] if value else default


def parse(text: str, source: str) -> Element:
    """The root element of an XML text."""
    if len(text) > LARGEST:
        raise FileError(f"{len(text)} characters are more than the {LARGEST} a robot may take. Split it.", source)
    builder = _Builder(source)
    try:
        builder.parser.Parse(text.removeprefix("\ufeff").encode("utf-8", "replace"), True)
    except expat.ExpatError as problem:
        place = Place(source, problem.lineno, problem.offset + 1)
        raise place.error(f"this is not well-formed XML: {expat.ErrorString(problem.code)}. Mend it there.") from None
    return builder.roots[0]


class _Builder:
    """Handlers of one expat parser, and the elements they make."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.roots: list[Element] = []
        self.open: list[Element] = []
        self.count = 0
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.EntityDeclHandler = self._refuse_doctype

    @property
    def _place(self) -> Place:
        return Place(self.source, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def _refuse_doctype(self, *_: object) -> None:
        raise self._place.error("a DOCTYPE with its entities is not read from robot files. Remove it.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, self._place)
        self.count += 1
        if len(self.open) >= DEEPEST or self.count > MAX_ELEMENTS:
            what = f"{DEEPEST} elements inside each other" if len(self.open) >= DEEPEST else f"{MAX_ELEMENTS} elements"
            raise element.error(f"<{shown(tag)}> comes after {what}, which is all a robot may have. Make it smaller.")
        (self.open[-1].children if self.open else self.roots).append(element)
        self.open.append(element)

    def _end(self, _: str) -> None:
        self.open.pop()
