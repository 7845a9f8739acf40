"""Files that an MJCF file includes: only from its own folder, each once, and not without end."""

from __future__ import annotations

from pathlib import Path

from latchwork.errors import FileError
from latchwork.files import read_text
from latchwork.formats.xml_tree import Element, parse

MOST_FILES, MOST_BYTES = 50, 20_000_000


def included(root: Element, folder: Path | None) -> Element:
    """The element with every <include> replaced by what stands in its file."""
    return _expanded(root, None if folder is None else folder.resolve(), set())


def _expanded(element: Element, folder: Path | None, seen: set[Path]) -> Element:
    children: list[Element] = []
    for child in element.children:
        if child.tag == "include":
            children += _expanded(_file(child, folder, seen), folder, seen).children
        else:
            children.append(_expanded(child, folder, seen))
    return Element(element.tag, element.attributes, element.place, children)


def _file(include: Element, folder: Path | None, seen: set[Path]) -> Element:
    """The root of an included file."""
    name = include.text("file")
    if folder is None:
        raise include.error(f"'{name}' cannot be included into a text that has no folder. Load it from its file.")
    path = (folder / name).resolve()
    if not path.is_relative_to(folder):
        raise include.error(f"'{name}' lies outside the folder of this file. Only files inside it are included.")
    if path in seen or len(seen) >= MOST_FILES:
        why = "a second time" if path in seen else f"after {MOST_FILES} others"
        raise include.error(f"'{name}' is included {why}. Include every file once.")
    seen.add(path)
    try:
        text = read_text(path, MOST_BYTES)
    except FileError as problem:
        raise include.error(f"'{name}' is included, but cannot be read: {problem.message}") from None
    return parse(text, str(path.relative_to(folder)))
