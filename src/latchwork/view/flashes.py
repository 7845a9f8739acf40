"""Shapes of contacts on paper: those that move at even times, later ones darker; those that stand, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.view.plots import COLORS
from latchwork.view.posing import framed, shapes_of
from latchwork.view.sketch import Outline

if TYPE_CHECKING:
    from latchwork.hybrid.trajectory import Samples, Trajectory

STANDING = "#555555"
CORNERS = 28  # of a round shape
FEW, MOST = 9, 150  # instants at least, and shapes at all instants together


def draw_shapes(panel: Any, run: Trajectory, view: str, instants: int) -> np.ndarray:
    """Draw them into a panel; gives the corners of the room that they take in the two axes of the view."""
    axes = ["xyz".index(axis) for axis in view]
    shapes = shapes_of(run)
    instants = max(FEW, min(instants, MOST // max(len(shapes), 1)))
    at = run.smooth(instants)
    low, high, outlines = framed(run, shapes, view, at)
    for made in outlines:
        _flash(panel, made, at, axes, instants)
    return np.array([low, high])[:, axes]


def draw_standing(panel: Any, run: Trajectory, view: str) -> None:
    """Draw those that stand into a panel, which shows what it showed."""
    room = panel.dataLim.frozen()
    axes, at = ["xyz".index(axis) for axis in view], run.smooth(FEW)
    for made in framed(run, shapes_of(run), view, at)[2]:
        if _stands(made, at):
            _flash(panel, made, at, axes, 1)
    panel.dataLim.set(room)
    panel.autoscale_view()


def _stands(made: Outline, at: Samples) -> bool:
    return not any(np.ptp(moved, axis=0).any() for moved in at.each(made.at, made.frame))


def _flash(panel: Any, made: Outline, at: Samples, axes: list[int], instants: int) -> None:
    (place, cosines), stands = at.each(made.at, made.frame), _stands(made, at)
    for k in range(1 if stands else instants):
        fade = 0.9 if stands or k == instants - 1 else 0.10 + 0.35 * k / instants
        for part in made.parts:
            if part.kind in ("hatch", "net", "ball"):
                continue
            rows = (place[k] + _few(part.places) @ cosines[k].T)[:, axes]
            panel.plot(rows[:, 0], rows[:, 1], color=STANDING if stands else COLORS[0], alpha=fade,
                       linewidth=1.3 if stands or k == instants - 1 else 0.8)  # fmt: skip


def _few(places: np.ndarray) -> np.ndarray:
    """An outline with no more corners than it takes to look round."""
    step = max(1, len(places) // CORNERS)
    return np.vstack([places[::step], places[-1:]])
