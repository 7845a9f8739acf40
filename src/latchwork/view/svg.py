"""Figures as SVG text that stands inside a page and takes its colours: letters and axes in the page's own, lines in

``--line-0``, ``--line-1``, ... where the page defines them.
"""

from __future__ import annotations

import io
import re
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from latchwork.view.plots import COLORS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#010203"  # stands for the page's colour until the text is written
INSIDE: dict[Any, Any] = {
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "grid.color": INK, "svg.fonttype": "none", "svg.hashsalt": "latchwork", "path.simplify_threshold": 0.4,
    "font.family": "sans-serif", "axes.facecolor": "none", "figure.facecolor": "none", "legend.labelcolor": INK,
}  # fmt: skip
DROPPED = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<title>.*?</title>", re.DOTALL)
NUMBERED = re.compile(r' id="[a-z]+[a-z0-9]*(?:\.[a-z]+)*_\d+"')
LONG_NUMBER = re.compile(r"(-?\d+\.\d{2})\d+")


def for_a_page() -> AbstractContextManager[None]:
    """Inside, figures are drawn in the ink that a page replaces by its own; in print it is as good as black."""
    from matplotlib import rc_context

    context: AbstractContextManager[None] = rc_context(INSIDE)
    return context


def compact(svg: str) -> str:
    """The text of a figure without dates, comments, and digits that no eye can see."""
    return re.sub(r"\n\s*", "\n", LONG_NUMBER.sub(r"\1", DROPPED.sub("", svg))).strip() + "\n"


def inline_svg(figure: Figure, label: str) -> str:
    """A figure drawn ``for_a_page`` as one ``<svg>`` element that scales to its column."""
    text = io.StringIO()
    with for_a_page():
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    body = DROPPED.sub("", text.getvalue()).replace(INK, "currentColor").strip()
    body = LONG_NUMBER.sub(r"\1", NUMBERED.sub("", body))
    for k, color in enumerate(COLORS):
        body = body.replace(color, f"var(--line-{k}, {color})")
    end = body.index(">")
    head = re.sub(r' (?:width|height)="[^"]*"', "", body[:end])
    return f'{head} role="img" aria-label="{label}"{body[end:]}'
