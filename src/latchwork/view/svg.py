"""Figures as SVG text that stands inside a page, and takes the page's own colour for its letters and lines."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#010203"  # stands for the page's colour until the text is written
INSIDE = {
    "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": INK, "xtick.color": INK, "ytick.color": INK,
    "grid.color": INK, "svg.fonttype": "none", "svg.hashsalt": "latchwork", "path.simplify_threshold": 0.4,
    "font.family": "sans-serif", "axes.facecolor": "none", "figure.facecolor": "none", "legend.labelcolor": INK,
}  # fmt: skip
DROPPED = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<title>.*?</title>", re.DOTALL)
NUMBERED = re.compile(r' id="[a-z]+[a-z0-9]*(?:\.[a-z]+)*_\d+"')
LONG_NUMBER = re.compile(r"(-?\d+\.\d{2})\d+")


def inline_svg(figure: Figure, label: str) -> str:
    """The figure as one ``<svg>`` element that scales to its column."""
    from matplotlib import rc_context

    text = io.StringIO()
    with rc_context(INSIDE):
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    body = DROPPED.sub("", text.getvalue()).replace(INK, "currentColor").strip()
    body = LONG_NUMBER.sub(r"\1", NUMBERED.sub("", body))
    head = re.sub(r' (?:width|height)="[^"]*"', "", body[: body.index(">")])
    return f'{head} role="img" aria-label="{label}"{body[body.index(">") :]}'
