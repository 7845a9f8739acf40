"""A pen as the canvas of a page has one: paths, disks and texts in pixels from the upper left corner.

It asks the renderer of matplotlib itself, without figures and axes, which makes a picture in a few milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.view.film.palette import palette, rgb
from latchwork.view.marks import plain

if TYPE_CHECKING:
    from matplotlib.path import Path

Array = np.ndarray
SMALL = 12.0  # pixels: the height of letters


class Pen:
    """A sheet of so many pixels, and what draws on it."""

    def __init__(self, wide: int, high: int) -> None:
        from matplotlib.backends import backend_agg
        from matplotlib.transforms import Affine2D

        self.size = wide, high
        agg: Any = backend_agg  # it has no types
        self.renderer = agg.RendererAgg(wide, high, 72)  # a point is a pixel
        self.flip = Affine2D().scale(1.0, -1.0).translate(0.0, high)
        self.clip: Any = None
        self.clear()

    def clear(self) -> None:
        """An empty sheet."""
        self.within(0.0, 0.0, *self.size)
        self.rectangle(0.0, 0.0, *self.size, palette()["paper"])

    def within(self, x: float, y: float, wide: float, high: float) -> None:
        """From now on nothing is drawn outside of a rectangle."""
        from matplotlib.transforms import Bbox

        self.clip = Bbox.from_bounds(x, self.size[1] - y - high, wide, high)

    @property
    def pixels(self) -> Array:
        """(high, wide, 3) of 0 to 255."""
        return np.asarray(self.renderer.buffer_rgba())[:, :, :3].copy()

    def line(self, places: Array, color: str, thick: float, dash: Sequence[float] = (), alpha: float = 1.0) -> None:
        """Through places, one after the other."""
        from matplotlib.path import Path

        self._draw(Path(places), edge=color, thick=thick, dash=dash, alpha=alpha)

    def strokes(self, pairs: Array, color: str, thick: float, alpha: float = 1.0) -> None:
        """From each first place to each second."""
        from matplotlib.path import Path

        codes = np.tile([Path.MOVETO, Path.LINETO], len(pairs) // 2)
        self._draw(Path(pairs[: len(codes)], codes), edge=color, thick=thick, alpha=alpha)

    def face(self, places: Array, color: str, alpha: float = 1.0) -> None:
        """The inside of a line that closes."""
        from matplotlib.path import Path

        self._draw(Path(places), fill=color, alpha=alpha)

    def rectangle(self, x: float, y: float, wide: float, high: float, color: str) -> None:
        self.face(np.array([[x, y], [x + wide, y], [x + wide, y + high], [x, y + high]]), color)

    def disk(self, middle: Array, radius: float, fill: str = "", edge: str = "", alpha: float = 1.0) -> None:
        from matplotlib.path import Path

        unit = Path.unit_circle()
        self._draw(Path(np.asarray(unit.vertices) * radius + middle, unit.codes), fill, edge, 1.5, alpha=alpha)

    def image(self, rows: Array, x: float, y: float) -> None:
        """A picture (high, wide, 4), where its upper left corner is."""
        gc = self.renderer.new_gc()
        gc.set_clip_rectangle(self.clip)
        self.renderer.draw_image(gc, x, self.size[1] - y - rows.shape[0], rows[::-1])
        gc.restore()

    def text(self, words: str, x: float, y: float, align: str, color: str, bold: bool = False) -> None:
        """Words on a line, with a rim of paper; ``align`` is what of them stands at x: left, center or right."""
        from matplotlib.path import Path

        if not words:
            return
        found, long = letters(words, bold), width(words, bold)
        begin = x - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * long
        placed = Path(np.asarray(found.vertices) * [1.0, -1.0] + np.array([begin, y]), found.codes)
        self._draw(placed, edge=palette()["paper"], thick=3.0)
        self._draw(placed, fill=color)

    def _draw(self, path: Path, fill: str = "", edge: str = "", thick: float = 0.0, dash: Sequence[float] = (),
              alpha: float = 1.0) -> None:  # fmt: skip
        gc = self.renderer.new_gc()
        gc.set_clip_rectangle(self.clip)
        gc.set_linewidth(thick if edge else 0.0)
        gc.set_foreground(rgb(edge or fill))
        gc.set_alpha(alpha)
        gc.set_capstyle("round")
        gc.set_joinstyle("round")
        gc.set_snap(False)
        if dash:
            gc.set_dashes(0.0, list(dash))
        self.renderer.draw_path(gc, path, self.flip, rgb(fill) if fill else None)
        gc.restore()


@cache
def _font(bold: bool) -> Any:
    from matplotlib.font_manager import FontProperties

    return FontProperties(family="DejaVu Sans", weight="bold" if bold else "normal", size=SMALL)


@cache
def letters(words: str, bold: bool = False) -> Path:
    """The outlines of words, from where they begin on their line, y upwards."""
    from matplotlib.textpath import TextPath

    return TextPath((0.0, 0.0), plain(words), size=SMALL, prop=_font(bold))


def width(words: str, bold: bool = False) -> float:
    """How long words are."""
    return float(np.asarray(letters(words, bold).vertices)[:, 0].max(initial=0.0)) if words else 0.0


def fitted(words: str, room: float, bold: bool = False) -> str:
    """As many of the words as there is room for."""
    shown = words
    while shown and width(shown, bold) > room:
        words = words[:-1]
        shown = words.rstrip() + "…" if words else ""
    return shown
