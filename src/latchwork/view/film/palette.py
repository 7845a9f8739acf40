"""The colours of the page, as its style sheet gives them for light rooms."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

RGB = tuple[float, float, float]


@cache
def palette() -> dict[str, str]:
    """Colours by the names that ``draw.js`` knows them by."""
    style = files("latchwork.view").joinpath("player.css").read_text(encoding="utf-8")
    light = style[style.index("{") : style.index("}")]
    return dict(re.findall(r"--(\w+):\s*(#[0-9a-f]{6})", light))


def rgb(color: str) -> RGB:
    """Red, green and blue from 0 to 1."""
    return int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255
