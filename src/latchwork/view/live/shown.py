"""Shown: what a server knows of a mechanism that runs elsewhere: its picture, parameters, fence, and arrows by mode."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from latchwork.contact.construction import contact_between
from latchwork.contact.law import Contact
from latchwork.contact.shapes import Segment
from latchwork.errors import LatchworkError
from latchwork.hybrid.meters import label
from latchwork.realtime.board import State
from latchwork.realtime.exhibit import Exhibit
from latchwork.realtime.holding import COMMANDED
from latchwork.symbolic.units import pretty
from latchwork.view.live.arrows import Arrows, Rows, arrows_of
from latchwork.view.live.frames import HEAD, framed
from latchwork.view.live.holding import Known, known_of
from latchwork.view.live.picture import Picture, pictured

LAWS: dict[str, Any] = {"restitution": 0.0, "friction": None, "impact": "newton"}
MOST_MODES = 64  # whose arrows are kept
MOST_FENCES = 100  # that are remembered, for when the run is taken back
Points = Sequence[Sequence[float]]


def about(exhibit: Exhibit) -> str:
    """What an exhibit says of itself."""
    return f"{exhibit.title}. {exhibit.story}".strip(". ")


class Shown:
    """An exhibit with its picture; ``rest`` holds r and p as they are now."""

    def __init__(self, exhibit: Exhibit, picture: Picture) -> None:
        self.exhibit, self.picture = exhibit, picture
        self.rest = picture.start.rest.copy()
        self.fence: list[list[float]] = []
        self.fences = 0
        self._stood: list[tuple[float, list[list[float]]]] = [(0.0, [])]  # which fence, from when on
        self.arrows: Arrows | None = None
        self.rows: Rows = ()
        self._known: Known | None = None
        self._met: dict[tuple[Any, ...], Arrows | None] = {}

    # --- what pages are told ------------------------------------------------------------------------------------

    @property
    def places(self) -> dict[str, int]:
        """Where inputs and parameters stand in ``rest``."""
        equations = self.picture.start.equations
        return {symbol.name: i for i, symbol in enumerate((*equations.r, *equations.p))}

    def values(self) -> dict[str, float]:
        """What the sliders stand at."""
        return {name: float(self.rest[self.places[name]]) for name in self.exhibit.sliders}

    def described(self) -> dict[str, Any]:
        """All that a page must know before frames make sense."""
        e, values = self.exhibit, self.values()
        return {
            "kind": "scene", "scene": self.picture.scene, "head": list(HEAD), "plots": list(self.picture.plots),
            "units": [pretty(label(self.picture.start.at(0.0), name).unit) for name in self.picture.plots],
            "title": e.model.name, "about": about(e), "bodies": list(e.bodies), "step": e.step,
            "chosen": [name for name in e.plots if name in self.picture.plots][:4] or list(self.picture.plots[:2]),
            "sliders": [{"name": name, "low": low, "high": high, "value": values[name], **self._label(name)}
                        for name, (low, high) in e.sliders.items()],
            "constraints": [item.name for item in e.constraints], "fence": bool(e.fence), "hold": e.taken,
        }  # fmt: skip

    def _label(self, name: str) -> dict[str, str]:
        """The unit of an input or a parameter, and what it is; empty where nobody said."""
        equations = self.picture.start.equations
        symbol = (*equations.r, *equations.p)[self.places[name]]
        return {"unit": pretty(symbol.unit), "description": symbol.description}

    def fenced(self) -> dict[str, Any]:
        """The fence, as corners in N."""
        axes = ["xyz".index(axis) for axis in self.exhibit.view]
        corners = np.zeros((len(self.fence), 3))
        if self.fence:
            corners[:, axes] = self.fence
        return {"kind": "fence", "points": corners.tolist()}

    def frame(self, state: State, mode: int) -> bytes:
        """A state as a frame."""
        rest, arrows = self._commanded(state), self.arrows
        drawn = self.picture.frame(state.t, state.x, rest)
        pulled = np.zeros(0) if arrows is None else arrows.numbers(state.t, state.x, rest, state.lam)
        return framed(state, mode, np.nan_to_num(drawn), np.nan_to_num(pulled))

    def _commanded(self, state: State) -> np.ndarray:
        """r and p, with the inputs that controllers command as they are now."""
        if len(state.lam) != sum(count for _, count in self.rows):
            return self.rest
        rest, places, first = self.rest.copy(), self.places, 0
        for name, count in self.rows:
            place = places.get(name.removesuffix(COMMANDED)) if name.endswith(COMMANDED) else None
            if place is not None:
                rest[place] = state.lam[first]
            first += count
        return rest

    # --- what changes -------------------------------------------------------------------------------------------

    def set(self, values: dict[str, float]) -> bool:
        """Parameters and inputs as they are now; whether shapes have to be drawn anew."""
        rest, places = self.rest.copy(), self.places
        for name, value in values.items():
            rest[places[name]] = value
        changed, self.rest = bool((rest != self.rest).any()), rest
        return changed

    def redrawn(self) -> Picture:
        """The picture with the parameters of now."""
        return pictured(self.exhibit, self.picture.start.with_rest(self.rest))

    def put_fence(self, points: Points, t: float = 0.0) -> None:
        """A fence stands from a time on, or none."""
        self.fence = [[float(a), float(b)] for a, b in points]
        self._stood = [*self._stood[1 - MOST_FENCES :], (t, self.fence)]
        self._fenced()

    def back_to(self, t: float) -> bool:
        """The run was taken back to a time: the fence is the one that stood there; whether it is another."""
        before = self.fence
        self._stood = [each for each in self._stood if each[0] <= t] or [(0.0, [])]
        self.fence = self._stood[-1][1]
        if self.fence != before:
            self._fenced()
        return self.fence != before

    def _fenced(self) -> None:
        self.fences += 1
        self._known = None
        self._met.clear()
        self.enter(self.rows)

    def get_ready(self) -> None:
        """Find out now what may hold, which takes a while."""
        if self._known is None:
            self._known = known_of(self.exhibit, self.picture.start, self._walls())

    def enter(self, rows: Rows) -> list[str]:
        """A mode has begun, whose forces are those of these rows; the names of its arrows."""
        key = tuple(rows)
        if key not in self._met:
            if len(self._met) >= MOST_MODES:
                self._met.pop(next(iter(self._met)))
            self._met[key] = self._arrows(rows)
        self.rows, self.arrows = rows, self._met[key]
        return [] if self.arrows is None else list(self.arrows.names)

    def _arrows(self, rows: Rows) -> Arrows | None:
        try:
            self.get_ready()
            assert self._known is not None
            return arrows_of(self._known, rows, [self.exhibit.model.points[name] for name in self.exhibit.targets])
        except (LatchworkError, ArithmeticError, KeyError):  # no picture is worth the run
            return None

    def _walls(self) -> list[Contact]:
        """The contacts of the fence, as the loop has made them, to see where their forces act."""
        N, O = self.exhibit.model.frame, self.exhibit.model.origin
        a, b = (getattr(N, axis) for axis in self.exhibit.view)
        corners = [O.at(f"shown fence {self.fences}.{i}", x * a + y * b) for i, (x, y) in enumerate(self.fence)]
        walls = [Segment(p, q) for p, q in pairwise(corners)]
        one, laws = len(self.exhibit.fence) == 1, LAWS | dict(self.exhibit.fence_laws)
        return [
            contact_between(f"fence {i + 1}" if one else f"fence {i + 1} of {k + 1}", shape, wall, **laws,
                            owner=self.exhibit.model.system().graph)
            for k, shape in enumerate(self.exhibit.fence) for i, wall in enumerate(walls)
        ]  # fmt: skip
