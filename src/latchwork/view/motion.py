"""A mechanism in motion, on paper: the line through some of its points at even times, and the path of the last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.view.plots import COLORS, figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from latchwork.hybrid.trajectory import Trajectory

INK = "#202733"
INSTANTS = 25


def draw_motion(run: Trajectory, points: Sequence[Any], view: str = "xy", width: float = 4.6) -> Figure:
    """Stroboscopic picture in the plane of two axes of N: later positions are darker, the last has its joints marked."""
    axes = ["xyz".index(axis) for axis in view]
    path = run.smooth(900)[points[-1]][:, axes]
    flashes = run.smooth(INSTANTS)
    lines = np.stack([flashes[point][:, axes] for point in points])  # point, instant, axis
    made = figure(width, _height(width, np.vstack([path, lines.reshape(-1, 2)])))
    panel = made.add_subplot()
    panel.plot(path[:, 0], path[:, 1], color=COLORS[1], linewidth=0.9, alpha=0.9, solid_joinstyle="round")
    for k in range(INSTANTS):
        fade = 0.12 + 0.43 * k / INSTANTS
        panel.plot(lines[:, k, 0], lines[:, k, 1], color=COLORS[0], linewidth=1.0, alpha=fade, solid_capstyle="round")
    panel.plot(lines[:, -1, 0], lines[:, -1, 1], "o-", color=COLORS[0], linewidth=2.0, markersize=3.5)
    panel.set_aspect("equal", adjustable="datalim")
    panel.set_xlabel(f"{view[0]}, m", color=INK)
    panel.set_ylabel(f"{view[1]}, m", color=INK)
    panel.tick_params(labelsize=8, length=3)
    panel.grid(alpha=0.2)
    for side in ("top", "right"):
        panel.spines[side].set_visible(False)
    return made


def _height(width: float, places: np.ndarray) -> float:
    """High enough for what is drawn, within reason."""
    across, up = np.ptp(places, axis=0) + 1e-9
    return float(np.clip(width * up / across, 0.45 * width, 1.0 * width)) + 0.4
