"""Visual: what something fixed in a frame looks like, apart from what it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point

if TYPE_CHECKING:
    import numpy as np


class Surface(NamedTuple):
    """Triangles (m, 3, 3) of one colour, ``#rrggbb``, or of none."""

    triangles: np.ndarray
    color: str = ""


@dataclass(frozen=True, eq=False)
class Visual:
    """Surfaces with measures in a frame, from a point fixed in it; ``read`` finds them when they are first drawn.

    A file that cannot be read is told of by a `FileError`, and drawn as if it were not there.
    """

    name: str
    frame: Frame
    origin: Point
    read: Callable[[], Sequence[Surface]]
