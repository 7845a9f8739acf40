"""A run as a file that shows it, by the name of the file: a page that plays, a picture, a film.

The page is one file with its data, style and script inside, which asks no network for anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latchwork.errors import EvaluationError, listed, must_be
from latchwork.files import write_text
from latchwork.view.files import writable
from latchwork.view.film.film import Hears, Scened, write_moving, write_picture, write_video
from latchwork.view.film.mp4 import found_ffmpeg
from latchwork.view.notebook import Player
from latchwork.view.scene import scene

if TYPE_CHECKING:
    from latchwork.hybrid.trajectory import Trajectory

FILES = ("player.css", "draw.js", "gl.js", "player.js")  # style, what draws a scene and its solids, what plays it
CLOSED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; \
script-src 'unsafe-inline'"/>
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{title}</h1><p id="mode"></p></header>
<canvas id="picture" tabindex="0" aria-label="{title} in motion"></canvas>
<footer>
<div class="time"><canvas id="strip" aria-hidden="true"></canvas>
<input id="slider" type="range" min="0" max="10000" step="1" value="0" aria-label="time"/></div>
<div class="row"><button id="play" type="button">Play</button><output id="clock"></output>
<label>speed <select id="speed"></select></label>
<label><input id="repeat" type="checkbox" checked/> repeat</label>
<label id="trail-label"><input id="trail" type="checkbox" checked/> path</label>
<label><input id="names" type="checkbox"/> names</label>
<label id="forces-label"><input id="forces" type="checkbox" checked/> forces</label>
<span id="event"></span></div>
<p class="help">Drag to turn, Shift and drag to move, wheel to zoom, double click to reset; space plays, arrow keys
step.</p>
</footer>
<noscript>This page needs JavaScript to play; it loads nothing from elsewhere.</noscript>
<script type="application/json" id="scene">{data}</script>
<script>
{script}</script>
</body>
</html>
"""


def animate(run: Trajectory, path: str | Path, view: str | None = None, draw: Sequence[Any] = (),
            shapes: Sequence[Any] = (), forces: bool | Mapping[str, tuple[Any, Any]] = False,
            progress: Callable[[float], None] | None = None, **options: Any) -> None:  # fmt: skip
    """Write a run as a page, a picture or a film, as the name of the file says."""
    asked = {name: value for name, value in options.items() if value is not None}
    hears = (lambda t: None) if progress is None else progress
    draw, shapes = listed(draw, "draw", "Give a list of points."), listed(shapes, "shapes", "Give a list of shapes.")
    kind_of(path, asked).write(
        writable(path), run.t, lambda times: scene(run, view, draw, shapes, forces, times), hears, **asked
    )


def player(run: Trajectory, view: str | None = None, draw: Sequence[Any] = (), shapes: Sequence[Any] = (),
           forces: bool | Mapping[str, tuple[Any, Any]] = False, **options: Any) -> Player:  # fmt: skip
    """A run as a player inside a notebook."""
    for name, value in options.items():
        if value is not None:
            raise EvaluationError(f"a player in a notebook has no {name}=. Leave it out, or name a file: "
                                  "run.animate('motion.gif').")  # fmt: skip
    draw, shapes = listed(draw, "draw", "Give a list of points."), listed(shapes, "shapes", "Give a list of shapes.")
    return Player(run.equations.name, page(scene(run, view, draw, shapes, forces, ())))


@dataclass(frozen=True)
class Kind:
    """A kind of file: what it is, what writes it, what may be asked of it, and what has to be there for it."""

    words: str
    write: Callable[..., None]
    options: tuple[str, ...] = ()
    needs: Callable[[str | Path], Any] = str


def _write_page(path: Path, t: Any, scened: Scened, hears: Hears) -> None:
    write_text(path, page(scened(())))


KINDS = {
    ".html": Kind("a page", _write_page),
    ".png": Kind("a picture", write_picture, ("at", "size")),
    ".gif": Kind("a moving picture", write_moving, ("fps", "size", "speed")),
    ".mp4": Kind("a film", write_video, ("fps", "size", "speed"), found_ffmpeg),
}


def kind_of(path: str | Path, options: Iterable[str] = ()) -> Kind:
    """The kind of a file by its name, which has to be one that is known, can be written, and has these options."""
    must_be(path, (str, PathLike), "where to write a motion to", "Give the name of a file.")
    kind = KINDS.get(Path(path).suffix.lower())
    if kind is None:
        known = ", ".join(f"{suffix} ({kind.words})" for suffix, kind in KINDS.items())
        raise EvaluationError(f"a motion cannot be written as '{path}'. Give a name that ends in one of {known}.")
    for name in options:
        if name not in kind.options:
            others = " or ".join(suffix for suffix, other in KINDS.items() if name in other.options)
            raise EvaluationError(f"'{path}' is {kind.words}, for which {name}= means nothing. Leave it out, or "
                                  f"write {others}.")  # fmt: skip
    kind.needs(path)
    return kind


def page(data: Mapping[str, Any]) -> str:
    """The page of a scene."""
    inside = files("latchwork.view")
    style, *scripts = (inside.joinpath(name).read_text(encoding="utf-8") for name in FILES)
    return PAGE.format(title=escape(str(data["name"])), style=style, data=embedded(data), script="".join(scripts))


def embedded(data: Any) -> str:
    """JSON that cannot end the element it stands in, whatever its texts say."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    for mark, written in CLOSED.items():
        text = text.replace(mark, written)
    return text
