"""Plots: anything of a run against time, one panel each."""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import EvaluationError, must_be
from latchwork.files import written
from latchwork.kane.units import Label
from latchwork.symbolic.units import pretty
from latchwork.view.files import writable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from latchwork.hybrid.trajectory import Trajectory

SHARP = 160  # dots per inch in a notebook: sharp on any screen
MAX_LABEL = 20  # characters of a name beyond which it stands above its panel
ROUNDING = 1e-13  # of the largest value: what is left where there is nothing to see
COLORS = ("#1f6feb", "#d1495b", "#2a9d8f", "#e09f3e", "#6a4c93")


def figure(width: float, height: float) -> Figure:
    """A figure that belongs to no window: it can be saved, and a notebook shows it where it stands."""
    made: Figure = _shown_class()(figsize=(width, height), layout="constrained")
    return made


@cache
def _shown_class() -> type[Figure]:
    """Matplotlib's figure with a picture of itself; the class is made when Matplotlib is needed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    class Picture(Figure):
        """A figure that a notebook shows, whatever the backend."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            FigureCanvasAgg(self)

        def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
            drawn = io.BytesIO()
            self.savefig(drawn, format="png", dpi=SHARP, facecolor="white")
            width, height = self.get_size_inches() * self.dpi
            return drawn.getvalue(), {"width": round(width), "height": round(height)}

    return Picture


def settled(made: Figure) -> Figure:
    """The figure with its panels where they are, so that saving it again does not lay it out again."""
    made.draw_without_rendering()
    made.set_layout_engine("none")
    return made


def save(made: Figure, path: str | None) -> None:
    """Write a figure to a file of the kind that its name says, where one is given."""
    if path is None:
        return
    must_be(path, (str, PathLike), "where to write a figure to", "Give the name of a file.")
    kinds = made.canvas.get_supported_filetypes()
    if Path(path).suffix[1:].lower() not in ("", *kinds):
        raise EvaluationError(f"a figure cannot be written as '{path}'. Give a name that ends in .png, .svg or .pdf.")
    target = writable(path)
    with written(target if target.suffix else target.with_suffix(".png")) as beside:
        made.savefig(beside, dpi=130)


def plot_run(run: Trajectory, what: Mapping[str, Any], path: str | None = None, width: float = 8.0) -> Figure:
    """One panel per quantity, by its label, on a common time axis; three-component quantities show x, y and z.

    Where things happened, modes are tinted and numbered, and events are lines. "mode" has a panel of steps.
    """
    from latchwork.view import marks

    if not what:
        raise EvaluationError(f"a figure of '{run.equations.name}' has nothing to show. Name it: run.plot('q1').")
    smooth = run.at(marks.times_to_draw(run))
    made = figure(width, 0.7 + min(1.7, 0.28 * width) * len(what))
    panels = made.subplots(len(what), 1, sharex=True, squeeze=False)[:, 0]
    for panel, (name, item) in zip(panels, what.items(), strict=True):
        if isinstance(item, str) and run.means_mode(item):
            marks.mode_panel(panel, smooth.t, run.visited)
        else:
            values = _without_noise(run, smooth[item].reshape(len(smooth.t), -1))
            _curves(panel, name, run.label(item), smooth.t, values)
        panel.grid(alpha=0.15)
        panel.spines[["top", "right"]].set_visible(False)
        panel.margins(x=0)
    if marks.is_marked(run):
        marks.mark(panels, run)
        marks.legend(made, run.visited)
    panels[-1].set_xlabel(with_unit("t", run.label("t").unit))
    panels[0].set_title(marks.plain(run.equations.name), pad=16.0 if marks.is_numbered(run.visited) else None)
    save(made, path)
    return made


def with_unit(name: str, unit: str) -> str:
    """``q1 in rad``, as it stands at an axis."""
    return f"{name} in {pretty(unit)}" if unit else name


def _without_noise(run: Trajectory, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values with 0 for components that are rounding beside the others, or beside the state of the run."""
    largest = np.nanmax(np.abs(values), axis=0, initial=0.0)
    beside = np.nanmax(largest, initial=0.0) if values.shape[1] > 1 else np.nanmax(np.abs(run.x), initial=0.0)
    return np.where(largest <= ROUNDING * beside, 0.0, values)


def _curves(panel: Any, name: str, label: Label, t: Any, values: Any) -> None:
    """One line for a scalar, three for a vector; an axis as wide as rounding is widened."""
    for k in range(values.shape[1]):
        line = "xyz"[k] if values.shape[1] == 3 else name
        panel.plot(t, values[:, k], color=COLORS[k % len(COLORS)], linewidth=1.5, label=line)
    long = len(name) > MAX_LABEL
    above = ", ".join(filter(None, [name * long, label.description]))
    panel.set_ylabel(with_unit("" if long else name, label.unit).strip().replace("$", r"\$"))
    if above:
        panel.text(0.005, 1.0, above.replace("$", r"\$"), transform=panel.transAxes, va="bottom",
                   fontsize="small", color="#666666")  # fmt: skip
    if values.shape[1] > 1:
        panel.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.0, handlelength=1.0)
    panel.ticklabel_format(axis="y", useOffset=False)
    low, high = np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf)
    if high - low <= ROUNDING * max(abs(low), abs(high)) and np.isfinite(high):
        panel.set_ylim(low - 0.1 * (abs(low) or 1.0), high + 0.1 * (abs(high) or 1.0))
