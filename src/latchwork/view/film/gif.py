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
COLORS = 254  # one is left for what does not change


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


def write_gif(path: Path, frames: Iterable[Array], count: int, fps: float, scene: Mapping[str, Any]) -> None:
    """Write pictures, each (high, wide, 3); it plays over and over."""
    few = shades(scene)
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


def shades(scene: Mapping[str, Any]) -> Array:
    """(colours, 3): every colour of a scene, and its shades on the way to paper, as edges and faces have them."""
    colors = palette()
    strong = dict.fromkeys(
        [colors[name] for name in ("ink", "soft", "rod", "ground", "force", "trail", "rule")]
        + [item["color"] for item in scene["shapes"] if item["color"]]
        + [color for _, color in scene["modes"]]
    )
    levels = (COLORS - 2) // len(strong)
    mixed = [_mixed(color, k / levels) for color in strong for k in range(1, levels + 1)]
    return np.array([_mixed(colors["paper"], 1.0), _mixed(colors["grid"], 1.0), *mixed], dtype=np.uint8)


def _mixed(color: str, part: float) -> Sequence[int]:
    """So much of a colour, the rest paper."""
    paper, full = np.array(rgb(palette()["paper"])), np.array(rgb(color))
    return np.round(255.0 * (paper + part * (full - paper))).astype(int).tolist()
