"""Pictures one after the other as a GIF: few colours, the same in all of them, and only what changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.files import written
from latchwork.view.film.palette import palette, rgb

Array = np.ndarray
FASTEST = 50.0  # pictures a second: what shows them quicker, many programs show slowly
LONGEST = 3000  # pictures
MOST_MODES = 24  # whose colours stay what they are
COLORS = 254  # one is left for what does not change
FLAT = ("paper", "grid", "ink", "soft", "rule", "force", "trail", "ground")  # colours that stay what they are


def must_fit(count: int, fps: float) -> None:
    """What a GIF cannot hold is refused."""
    if fps > FASTEST:
        raise EvaluationError(
            f"a GIF shows at most {FASTEST:g} pictures a second; got fps={fps:g}. Give fps={FASTEST:g} or less, or "
            "write an .mp4."
        )
    if count > LONGEST:
        raise EvaluationError(
            f"{count} pictures are too many for a GIF, which may have {LONGEST}. Give a higher speed= or a lower fps=, "
            "or write an .mp4."
        )


def write_gif(path: Path, frames: Iterable[Array], count: int, fps: float, scene: Mapping[str, Any],
              samples: Sequence[Array]) -> None:  # fmt: skip
    """Write pictures, each (high, wide, 3), in the colours of some of them; it plays over and over."""
    few = shades(scene, samples)
    made = _reduced(frames, few, nearest(few))
    first = next(made)
    with written(path) as beside:
        first.save(beside, "GIF", save_all=True, append_images=made, duration=durations(count, fps), loop=0,
                   optimize=True)  # fmt: skip


def _reduced(frames: Iterable[Array], few: Array, table: Array) -> Iterator[Any]:
    from PIL import Image

    for rows in frames:
        picture = Image.fromarray(table[cells(rows)])
        picture.putpalette(few.ravel().tolist())
        yield picture


def cells(colors: Array) -> Array:
    """The number of the cell of a cube of 64³ that a colour (..., 3) lies in."""
    r, g, b = np.moveaxis(colors.astype(np.int32) >> 2, -1, 0)
    return (r << 12) | (g << 6) | b


def nearest(few: Array) -> Array:
    """For each cell the number of the nearest of few colours; those that are one of the few stay what they are."""
    from scipy.spatial import cKDTree

    middles = np.stack(np.meshgrid(*[np.arange(64)] * 3, indexing="ij"), axis=-1).reshape(-1, 3) * 4.0 + 1.5
    table = cKDTree(few.astype(float)).query(middles)[1].astype(np.uint8)
    table[cells(few[::-1])] = np.arange(len(few), dtype=np.uint8)[::-1]  # where two share a cell, the first has it
    return table


def durations(count: int, fps: float) -> list[int]:
    """Milliseconds of each picture: whole hundredths of a second, as a GIF has them, that add up."""
    ends = np.round(100.0 * np.arange(count + 1) / fps).astype(int)
    return (10 * np.diff(ends)).tolist()


def shades(scene: Mapping[str, Any], samples: Sequence[Array]) -> Array:
    """(colours, 3): those of lines and words, and the ones that stand best for the pixels of some pictures, by median
    cut (Heckbert 1982)."""
    from PIL import Image

    colors = palette()
    strong = [*(colors[name] for name in FLAT), *(color for _, color in scene["modes"][:MOST_MODES])]
    fixed = np.array([[round(255 * part) for part in rgb(color)] for color in dict.fromkeys(strong)], dtype=np.uint8)
    pixels = np.unique(np.concatenate([rows.reshape(-1, 3) for rows in samples]), axis=0)
    picture = Image.fromarray(pixels[None])
    table = picture.quantize(COLORS - len(fixed), method=Image.Quantize.MEDIANCUT).getpalette() or []
    return np.concatenate([fixed, np.array(table, dtype=np.uint8).reshape(-1, 3)[: COLORS - len(fixed)]])
