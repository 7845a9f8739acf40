"""The time chart of a run: integration and embedding in lanes under one another, on one axis of time by the clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from latchwork.errors import EvaluationError
from latchwork.hybrid.timeline import LANES, Work
from latchwork.view.marks import plain, tint
from latchwork.view.plots import figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))
WORDS = {"integrate": "numerical\nintegration", "embed": "symbolic\nembedding", "compile": "compilation"}
READABLE = 0.0095  # of the width: what a character of a label takes
APART = 0.07  # of the width: how far marks of simulated time stand from each other
MAX_LEGEND = 12  # names up to which there is a legend


def draw_timeline(entries: Sequence[Work], path: str | None = None) -> Figure:
    """Lanes from top to bottom: integration per mode, embedding, compilation; simulated time along the top.

    As Patoglu Fig. 11: what stands above each other happened at once.
    """
    if not entries:
        raise EvaluationError("this run has no timeline: nothing was timed. Advance a lw.Simulation, and plot its.")
    lanes = [lane for lane in LANES if any(entry.lane == lane for entry in entries)]
    lanes += sorted({entry.lane for entry in entries} - set(LANES))
    first, last = min(entry.began for entry in entries), max(entry.ended for entry in entries)
    scale, unit = next((u for u in UNITS if last - first >= u[0]), UNITS[-1])
    colors = {name: tint(k) for k, name in enumerate(dict.fromkeys(entry.name for entry in entries), start=1)}
    made = figure(8.4, 1.5 + 0.62 * len(lanes))
    panel = made.add_subplot()
    for row, lane in enumerate(lanes):
        for entry in (entry for entry in entries if entry.lane == lane):
            _bar(panel, entry, row, scale, colors[entry.name], last - first)
    panel.set_yticks(range(len(lanes)), [WORDS.get(lane, plain(lane)) for lane in lanes], fontsize="small")
    panel.set_ylim(len(lanes) - 0.45, -0.55)
    panel.set_xlim(first / scale, last / scale)
    panel.set_xlabel(f"time by the clock in {unit}")
    panel.grid(axis="x", alpha=0.15)
    panel.spines[["top", "right"]].set_visible(False)
    _simulated(panel, [entry for entry in entries if entry.lane == "integrate"], scale, last - first)
    _legend(made, colors)
    save(made, path)
    return made


def _bar(panel: Any, entry: Work, row: int, scale: float, color: str, whole: float) -> None:
    """A piece of work; with its name where that fits."""
    began, took = entry.began / scale, (entry.ended - entry.began) / scale
    panel.barh(row, took, left=began, height=0.66, color=color, alpha=0.45, edgecolor=color, linewidth=0.8)
    if READABLE * len(entry.name) * whole < entry.ended - entry.began:
        panel.text(began + took / 2, row, plain(entry.name), ha="center", va="center", fontsize="small", clip_on=True)


def _simulated(panel: Any, entries: Sequence[Work], scale: float, whole: float) -> None:
    """The simulated times at which pieces of integration began, along the top, as many as can be read."""
    kept: list[Work] = []
    for entry in sorted(entries, key=lambda entry: entry.began):
        if not kept or entry.began - kept[-1].began > APART * whole:
            kept.append(entry)
    if kept:
        top = panel.secondary_xaxis("top")
        top.set_xticks([entry.began / scale for entry in kept], [f"{entry.t:.4g}" for entry in kept], fontsize="small")
        top.set_xlabel("simulated time in s", fontsize="small")
        top.spines["top"].set_visible(False)


def _legend(made: Figure, colors: dict[str, str]) -> None:
    if len(colors) > MAX_LEGEND:
        return
    from matplotlib.patches import Patch

    handles = [Patch(color=color, alpha=0.45, linewidth=0, label=plain(name)) for name, color in colors.items()]
    columns = max(1, min(5, int(100 / (max(map(len, colors)) + 6))))
    made.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize="small")
