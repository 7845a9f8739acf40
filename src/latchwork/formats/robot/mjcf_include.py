"""Files that an MJCF file includes: only from its own folder, each once, within the bounds of one file."""

from __future__ import annotations

from pathlib import Path

from latchwork.errors import FileError
from latchwork.files import read_text
from latchwork.formats.robot.xml_tree import DEEPEST, MAX_ELEMENTS, Element, parse

MOST_FILES, MOST_BYTES = 50, 20_000_000


def included(root: Element, folder: Path | None) -> Element:
    """The element with every <include> replaced by what stands in its file."""
    return _Including(None if folder is None else folder.resolve()).expanded(root)


class _Including:
    """What has been read: which files, and how many elements."""

    def __init__(self, folder: Path | None) -> None:
        self.folder, self.seen, self.count = folder, set[Path](), 0

    def expanded(self, element: Element, depth: int = 0) -> Element:
        """An element whose own includes are replaced, too; all together as large as one file may be."""
        self.count += 1
        if depth > DEEPEST or self.count > MAX_ELEMENTS:
            what = f"{DEEPEST} elements inside each other" if depth > DEEPEST else f"{MAX_ELEMENTS} elements"
            raise element.error(f"with all that is included there are more than {what}. Make it smaller.")
        children: list[Element] = []
        for child in element.children:
            if child.tag == "include":
                children += self.expanded(_file(child, self.folder, self.seen), depth).children
            else:
                children.append(self.expanded(child, depth + 1))
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
