"""A scene at one time: where its tracks are, which mode holds, what happened last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from latchwork.view.film.solids import Solids

Array = np.ndarray
AT_ONCE = 1e-9  # of the length of the run: what has begun that much later has begun


@dataclass(frozen=True)
class Reel:
    """A scene whose tracks are arrays: one row for each frame, or one for all of them."""

    scene: Mapping[str, Any]

    @cached_property
    def t(self) -> Array:
        return np.array(self.scene["t"])

    @property
    def length(self) -> float:
        """Of the run, in seconds."""
        return float(self.t[-1] - self.t[0])

    @cached_property
    def tracks(self) -> list[Array]:
        return [np.array(rows, dtype=float) for rows in self.scene["tracks"]]

    @cached_property
    def solids(self) -> Solids:
        return Solids(self.scene)

    @cached_property
    def trail(self) -> Array:
        """(places, 3) of the path."""
        return self.tracks[self.scene["trail"]["track"]].reshape(-1, 3)

    @cached_property
    def strongest(self) -> float:
        """The force whose arrow is a fifth of the picture: the largest, but for 2 % of the frames."""
        sizes = [
            np.sort(np.linalg.norm(self.tracks[item["force"]].reshape(-1, 3), axis=1)) for item in self.scene["forces"]
        ]
        return max([1e-300, *(float(some[int(0.98 * (len(some) - 1))]) for some in sizes)])

    def at(self, t: float) -> Moment:
        """``row(t) = row_k + (t - t_k) / (t_k+1 - t_k) · (row_k+1 - row_k)``: straight lines between frames."""
        k = int(np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, max(len(self.t) - 2, 0)))
        gap = float(np.diff(self.t[k : k + 2]).sum())
        part = float(np.clip((t - self.t[k]) / gap, 0.0, 1.0)) if gap > 0.0 else 0.0
        return Moment(self, t, k, part)


@dataclass(frozen=True)
class Moment:
    """Between frame k and the next, as a part of the way."""

    reel: Reel
    t: float
    k: int
    part: float

    @property
    def scene(self) -> Mapping[str, Any]:
        return self.reel.scene

    def row(self, track: int, width: int = 3) -> Array:
        """Where a track is now."""
        rows = self.reel.tracks[track].reshape(-1, width)
        return rows[0] if len(rows) == 1 else rows[self.k] + self.part * (rows[self.k + 1] - rows[self.k])

    @property
    def middle(self) -> Array | None:
        """What the eye follows, if it follows anything."""
        return self.row(self.scene["follow"]) if "follow" in self.scene else None

    @property
    def passed(self) -> Array:
        """The part of the path that lies behind."""
        return self.reel.trail[: int(np.searchsorted(self.scene["trail"]["t"], self.t, side="right"))]

    @property
    def mode(self) -> int:
        """The number of the mode that holds."""
        return int(self.scene["spans"][max(self._last("spans"), 0)][2])

    @property
    def event(self) -> list[Any] | None:
        """What happened last: time, kind and name."""
        index = self._last("events")
        return self.scene["events"][index] if index >= 0 else None

    def _last(self, what: str) -> int:
        begun = self.t + AT_ONCE * self.reel.length
        return int(np.searchsorted([item[0] for item in self.scene[what]], begun, side="right")) - 1
