"""A mechanism in motion, on paper: the line through some of its points at even times, and the path of the last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.view.plots import COLORS, figure, save
from latchwork.view.posing import must_be_a_view

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from latchwork.hybrid.trajectory import Trajectory

INSTANTS = 25
WIDTH = 4.6  # inches


def draw_motion(run: Trajectory, points: Sequence[Any], view: str = "xy", path: str | None = None) -> Figure:
    """A picture in the plane of two axes of N: later positions are darker, the last has its points marked.

    What stands of the shapes of its contacts is drawn besides; without points, all of them.
    """
    _must_be_points(run, points, view)
    made = figure(WIDTH, WIDTH)
    panel = made.add_subplot()
    room = _lines(panel, run, points, view) if points else _shapes(panel, run, view)
    made.set_figheight(_height(room))
    panel.set_aspect("equal", adjustable="datalim" if points else "box")
    panel.set_xlabel(view[0])
    panel.set_ylabel(view[1])
    panel.grid(alpha=0.15)
    panel.spines[["top", "right"]].set_visible(False)
    save(made, path)
    return made


def _lines(panel: Any, run: Trajectory, points: Sequence[Any], view: str) -> np.ndarray:
    """The line through some points at even times, and the path of the last; gives the places drawn."""
    axes = ["xyz".index(axis) for axis in view]
    trace = run.smooth(900)[points[-1]][:, axes]
    flashes = run.smooth(INSTANTS)
    lines = np.stack([flashes[point][:, axes] for point in points])  # point, instant, axis
    panel.plot(trace[:, 0], trace[:, 1], color=COLORS[1], linewidth=0.9, alpha=0.9, solid_joinstyle="round")
    for k in range(INSTANTS):
        fade = 0.12 + 0.43 * k / INSTANTS
        panel.plot(lines[:, k, 0], lines[:, k, 1], color=COLORS[0], linewidth=1.0, alpha=fade, solid_capstyle="round")
    panel.plot(lines[:, -1, 0], lines[:, -1, 1], "o-", color=COLORS[0], linewidth=2.0, markersize=3.5)
    if run.contacts:
        from latchwork.view.flashes import draw_standing

        draw_standing(panel, run, view)
    return np.vstack([trace, lines.reshape(-1, 2)])


def _shapes(panel: Any, run: Trajectory, view: str) -> np.ndarray:
    from latchwork.view.flashes import draw_shapes

    room = draw_shapes(panel, run, view, INSTANTS)
    margin = 0.05 * np.ptp(room, axis=0).max()
    panel.set(xlim=room[:, 0] + [-margin, margin], ylim=room[:, 1] + [-margin, margin])
    return room


def _must_be_points(run: Trajectory, points: Sequence[Any], view: str) -> None:
    must_be_a_view(view)
    if not points and not run.contacts:
        raise EvaluationError(f"a picture of '{run.equations.name}' needs points to join. For example run.draw(O, P).")
    end = run.at(float(run.t[-1]))
    for point in points:
        if np.shape(end[point]) != (3,):
            raise EvaluationError(f"{point!r} is no place in the picture. Give points, or vectors from O to a place.")


def _height(places: np.ndarray) -> float:
    """High enough for what is drawn, within reason."""
    across, up = np.ptp(places, axis=0) + 1e-9
    return float(np.clip(WIDTH * up / across, 0.45 * WIDTH, 1.0 * WIDTH)) + 0.4
