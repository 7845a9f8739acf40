"""Pictures of a study: lines over a parameter, maps over two, parallel coordinates, histograms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import StudyError, did_you_mean
from latchwork.view.plots import COLORS, figure, save

if TYPE_CHECKING:
    from latchwork.study.study import Study

Array = NDArray[np.float64]
MAX_LINES = 8  # lines of a picture


def plot_study(study: Study, what: Sequence[str], path: str | None, kind: str | None, incomplete: bool) -> Any:
    """A panel for each output. ``kind`` is "lines", "map", "parallel" or "histogram"; by the points unless given.

    Lines go along the first axis of a grid, one for each value of the second; a map is over both. Axes behind these are
    shown at their first value.
    """
    study.must_be_complete(incomplete)
    scalars = [name for name, shape in (study.store.shapes or {}).items() if shape == ()]
    for name in what:
        if name not in scalars:
            raise StudyError(f"'{name}' of '{study.subject.name}' is not one number at each point."
                             f"{did_you_mean(name, scalars)}")  # fmt: skip
    names = [*what] or scalars
    if not names:
        raise StudyError(f"the study of '{study.subject.name}' has no output that is one number at each point.")
    axes = len(study.points.axes)
    chosen = kind or ("parallel" if not axes and len(study.points.names) > 1 else "map" if axes == 2 else "lines")
    if chosen not in KINDS:
        raise StudyError(f"there is no picture '{chosen}' of a study.{did_you_mean(str(chosen), [*KINDS])}")
    if chosen == "map" and axes < 2:
        raise StudyError("a map is over a grid of two parameters or more. Take lines, parallel or histogram.")
    made = KINDS[chosen](study, names)
    made.suptitle(study.subject.name.replace("$", r"\$"))
    save(made, path)
    return made


def _panels(count: int, width: float = 7.0, height: float = 3.2) -> tuple[Any, list[Any]]:
    made = figure(width, 0.4 + height * count)
    panels = list(made.subplots(count, 1, squeeze=False)[:, 0])
    for panel in panels:
        panel.spines[["top", "right"]].set_visible(False)
    return made, panels


def _sliced(study: Study, name: str, keep: int) -> Array:
    """An output over the first axes of a grid, at the first value of the others."""
    values = study.store.output(name).reshape(study.points.shape)
    return values[(slice(None),) * keep + (0,) * (values.ndim - keep)]


def lines(study: Study, names: Sequence[str]) -> Any:
    """Outputs over the first parameter."""
    points, (made, panels) = study.points, _panels(len(names))
    for panel, name in zip(panels, names, strict=True):
        if not points.axes:
            order = np.argsort(points.values[:, 0])
            panel.plot(points.values[order, 0], study.store.output(name)[order], ".", color=COLORS[0], markersize=3)
        elif len(points.axes) == 1:
            panel.plot(points.axes[0], _sliced(study, name, 1), color=COLORS[0], linewidth=1.5)
        else:
            second, values = points.axes[1], _sliced(study, name, 2)
            for n, k in enumerate(np.unique(np.linspace(0, len(second) - 1, min(MAX_LINES, len(second))).astype(int))):
                look = {"color": COLORS[n % len(COLORS)], "linestyle": "-" if n < len(COLORS) else "--"}
                label = f"{_plain(points.names[1])} = {second[k]:.4g}"
                panel.plot(points.axes[0], values[:, k], linewidth=1.5, label=label, **look)
            panel.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), handlelength=1.2)
        panel.grid(alpha=0.15)
        panel.set_ylabel(_plain(name))
        panel.set_xlabel(_plain(points.names[0]))
    return made


def maps(study: Study, names: Sequence[str]) -> Any:
    """Outputs over the first two parameters of a grid."""
    points, (made, panels) = study.points, _panels(len(names), height=3.8)
    x, y = points.axes[:2]
    for panel, name in zip(panels, names, strict=True):
        order = np.argsort(x), np.argsort(y)
        values = _sliced(study, name, 2)[np.ix_(*order)]
        mesh = panel.pcolormesh(x[order[0]], y[order[1]], values.T, shading="nearest", cmap="viridis")
        made.colorbar(mesh, ax=panel, label=_plain(name))
        panel.set_xlabel(_plain(points.names[0]))
        panel.set_ylabel(_plain(points.names[1]))
    return made


def parallel(study: Study, names: Sequence[str]) -> Any:
    """Parallel coordinates: a line for each point across its parameters and outputs, coloured by the first output."""
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection

    points = study.points
    labels = [*points.names, *names]
    columns = np.column_stack([points.values, *(study.store.output(name) for name in names)])
    columns = columns[np.isfinite(columns).all(axis=1)]
    low, high = columns.min(axis=0), columns.max(axis=0)
    scaled = (columns - low) / np.where(high > low, high - low, 1.0)
    first = scaled[:, len(points.names)]
    order = np.argsort(first, kind="stable")
    made, (panel,) = _panels(1, width=max(7.0, 1.5 * len(labels)), height=4.0)
    places = np.arange(len(labels), dtype=float)
    paths = [np.column_stack([places, row]) for row in scaled[order]]
    alpha = float(np.clip(40.0 / np.sqrt(len(paths) + 1.0), 0.08, 0.9))
    panel.add_collection(LineCollection(paths, colors=colormaps["viridis"](first[order]), alpha=alpha, linewidths=0.9))
    for place, name, a, b in zip(places, labels, low, high, strict=True):
        panel.axvline(place, color="0.6", linewidth=0.8)
        panel.text(place, 1.03, f"{b:.4g}", ha="center", va="bottom", fontsize=8)
        panel.text(place, -0.03, f"{a:.4g}\n{_plain(name)}", ha="center", va="top", fontsize=8)
    panel.set(xlim=(-0.3, len(labels) - 0.7), ylim=(-0.16, 1.1))
    panel.axis("off")
    return made


def histogram(study: Study, names: Sequence[str]) -> Any:
    """How often outputs have which values."""
    made, panels = _panels(len(names), height=2.6)
    for panel, name in zip(panels, names, strict=True):
        values = study.store.output(name)
        panel.hist(values[np.isfinite(values)], bins="auto", color=COLORS[0], alpha=0.85)
        panel.set_xlabel(_plain(name))
        panel.set_ylabel("points")
    return made


def _plain(name: str) -> str:
    return name.replace("$", r"\$")


KINDS: dict[str, Callable[[Any, Sequence[str]], Any]] = {
    "lines": lines, "map": maps, "parallel": parallel, "histogram": histogram,
}  # fmt: skip
