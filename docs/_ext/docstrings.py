"""The house's docstrings, as reStructuredText that Sphinx accepts.

A docstring here is plain text: paragraphs, lists, ``code`` in double backticks, indented blocks meant verbatim, and
mathematics such as F_r* or |x| wherever it is needed. This turns indented blocks into literal blocks and takes the
markup meaning from stray ``*``, ``|``, backticks and trailing underscores.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

KEPT = re.compile(r"``.+?``|:[\w:+-]+:`[^`]+`|(?<![\w*])\*\*?\w[\w ,'-]*\*\*?(?![\w*])")
STRAY = re.compile(r"[*|`\\]|(?<=\w)_(?!\w)")
ITEM = re.compile(r"([-*•]|\d+[.)])\s+|:\w[^:]*:|\.\. ")


def escape(line: str) -> str:
    """The line with every character that is not meant as markup escaped."""
    parts, end = [], 0
    for kept in KEPT.finditer(line):
        parts += [STRAY.sub(r"\\\g<0>", line[end : kept.start()]), kept.group()]
        end = kept.end()
    return "".join([*parts, STRAY.sub(r"\\\g<0>", line[end:])])


def restructure(lines: list[str]) -> list[str]:
    """The docstring's lines as reStructuredText."""
    out: list[str] = []
    inside = ""  # what the current line belongs to: "", "item", "literal" or "doctest"
    for line in lines:
        indented = line.startswith(" ")
        if not line.strip():
            inside = "" if inside == "doctest" else inside
            out.append("")
        elif inside == "literal" and indented:
            out.append(line)
        elif indented and inside != "item":
            out += ["", "::", "", line]
            inside = "literal"
        elif line.startswith(">>>") or (inside == "doctest" and not indented):
            out += [line] if inside == "doctest" else ["", line]
            inside = "doctest"
        else:
            item = ITEM.match(line)
            starts_block = inside == "literal" or (item and inside != "item")
            inside = "item" if item or (inside == "item" and indented) else ""
            mark = item.group() if item else ""
            out += [""] * bool(starts_block) + [mark + escape(line[len(mark) :])]
    return out


def process(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    lines[:] = restructure(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
