"""A run as a picture or a film: which moments, drawn from its scene, into which kind of file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from latchwork.files import written
from latchwork.view.film.asked import FPS, SIZE, STRIP, film_times, instant, positive, sized, usual_speed
from latchwork.view.film.gif import must_fit, write_gif
from latchwork.view.film.moment import Reel
from latchwork.view.film.mp4 import found_ffmpeg, write_mp4
from latchwork.view.film.pages import inner, sheet, strip
from latchwork.view.film.pen import Pen
from latchwork.view.film.renderer import Renderer

Array = np.ndarray
MOMENTS = 6  # of a strip
SAMPLES = 4  # pictures whose colours a GIF has
Scened = Callable[[Any], dict[str, Any]]  # the scene of the run with frames at these times too
Hears = Callable[[float], None]


def write_picture(path: Path, t: Array, scened: Scened, hears: Hears, at: Any = None, size: Any = None) -> None:
    """A PNG of one moment, or of six at even times."""
    times = np.linspace(t[0], t[-1], MOMENTS) if at is None else np.array([instant(t, at)])
    pen = Pen(*sized(size, STRIP if at is None else SIZE))
    reel = Reel(scened(times))
    if at is None:
        strip(pen, reel, times.tolist())
    else:
        sheet(pen, reel.at(times[0]), _renderer(pen))
    hears(float(times[-1]))
    _save(path, pen.pixels)


def _save(path: Path, rows: Array) -> None:
    from PIL import Image

    with written(path) as beside:
        Image.fromarray(rows).save(beside, "PNG", optimize=True)


def write_moving(path: Path, t: Array, scened: Scened, hears: Hears, fps: Any = None, size: Any = None,
                 speed: Any = None) -> None:  # fmt: skip
    """A GIF: so many pictures a second, in which the run passes so many times as fast as it was."""
    pen, rate, pace, times = _planned(t, fps, size, speed)
    must_fit(len(times), rate)
    reel = Reel(scened(times))
    some = times[np.unique(np.linspace(0, len(times) - 1, SAMPLES).astype(int))]
    samples = list(pictures(pen, reel, some, pace, lambda t: None))
    write_gif(path, pictures(pen, reel, times, pace, hears), len(times), rate, reel.scene, samples)


def write_video(path: Path, t: Array, scened: Scened, hears: Hears, fps: Any = None, size: Any = None,
                speed: Any = None) -> None:  # fmt: skip
    """An MP4 of the same pictures."""
    pen, rate, pace, times = _planned(t, fps, size, speed)
    found_ffmpeg(path)
    write_mp4(path, pictures(pen, Reel(scened(times)), times, pace, hears), pen.size, rate)


def _planned(t: Array, fps: Any, size: Any, speed: Any) -> tuple[Pen, float, float, Array]:
    """A sheet, pictures a second, seconds of the run in a second of the film, and the times of the pictures."""
    rate, pace = positive("fps", fps, FPS), positive("speed", speed, usual_speed(float(t[-1] - t[0])))
    return Pen(*sized(size, SIZE)), rate, pace, film_times(t, rate, pace)


def _renderer(pen: Pen) -> Renderer:
    room = inner(pen)
    return Renderer(int(room.wide), int(room.high))


def pictures(pen: Pen, reel: Reel, times: Array, speed: float, hears: Hears) -> Iterator[Array]:
    """(high, wide, 3) for each time, one after the other."""
    renderer = _renderer(pen)
    for t in times.tolist():
        sheet(pen, reel.at(t), renderer, speed)
        hears(t)
        yield pen.pixels
