"""A picture of a model as it stands, without a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from latchwork.files import written
from latchwork.model import Model
from latchwork.realtime.exhibit import Exhibit, at_rest
from latchwork.view.film.asked import sized
from latchwork.view.film.drawing import draw as drawn
from latchwork.view.film.moment import Reel
from latchwork.view.film.pen import Pen
from latchwork.view.film.renderer import Renderer
from latchwork.view.film.sight import Room, sight
from latchwork.view.live.picture import picture_of
from latchwork.view.live.posture import posture
from latchwork.view.mechanism import usual_view

SIZE = (800, 600)
MARGIN = (40.0, 40.0)  # pixels around the mechanism
NOTHING: dict[str, Any] = {"t": [0.0], "forces": [], "modes": [["", "#000000"]], "spans": [[0.0, 0.0, 1]], "events": []}


def still(model: Model, q: Mapping[str, float] | None = None, view: str | None = None,
          draw: Sequence[str] = ()) -> dict[str, Any]:  # fmt: skip
    """The scene of a model at coordinates, zero where they are not given; fitted to what is there."""
    start = at_rest(model, q or {})
    seen = usual_view(posture(model, start, {})) if view is None else view
    scene = picture_of(Exhibit(model, start, view=seen, draw=tuple(draw))).still
    return scene | NOTHING | {"trail": {"t": [0.0], "track": 0}}


def picture(model: Model, path: str | PathLike[str], q: Mapping[str, float] | None = None, *, view: str | None = None,
            draw: Sequence[str] = (), size: Any = None) -> None:  # fmt: skip
    """Write a picture (PNG) of a model as it stands at some coordinates."""
    from PIL import Image

    rows = pixels(still(model, q, view, draw), sized(size, SIZE))
    with written(Path(path)) as beside:
        Image.fromarray(rows).save(beside, "PNG", optimize=True)


def pixels(scene: Mapping[str, Any], size: tuple[int, int]) -> np.ndarray:
    """(high, wide, 3): a scene that stands, alone on its sheet."""
    pen, moment = Pen(*size), Reel(scene).at(0.0)
    drawn(pen, moment, sight(scene, Room(0, 0, *size), MARGIN), Renderer(*size), scaled=False, turned=False)
    return pen.pixels
