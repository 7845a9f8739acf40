"""Marks on plots against time: which mode holds, as a tint with its number, and what happened, as thin lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.hybrid.mode_history import ModeHistory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from latchwork.hybrid.event import RunEvent
    from latchwork.hybrid.trajectory import Trajectory

TINTS = (
    "#1f6feb", "#e09f3e", "#2a9d8f", "#d1495b", "#6a4c93", "#7a8450",
    "#0096c7", "#bc6c25", "#588157", "#b56576", "#5a6acf", "#8d99ae",
)  # fmt: skip
FEW_MODES = 12  # up to which modes have a tint each, and a line in the legend
FEW_LABELS = 24  # spans up to which each shows its number
WIDE = 0.025  # of the time axis: a span that has room for its number
POINTS = 600  # of a curve, besides its jumps
SHARP = 2000  # events up to which a curve has a point on either side of each
MAX_LEGEND_NAME = 60  # characters of a name in a legend


def tint(number: int) -> str:
    """The colour of a mode by its number, from 1."""
    return TINTS[(number - 1) % len(TINTS)]


def what_holds(names: Sequence[str], width: int = MAX_LEGEND_NAME) -> str:
    """What holds, in words of at most some characters; nothing means free."""
    text = ", ".join(names) or "free"
    return text if len(text) <= width else text[: width - 1] + "…"


def plain(text: str) -> str:
    """A text as it stands: to matplotlib, dollar signs mean mathematics."""
    return text.replace("$", r"\$")


def is_marked(run: Trajectory) -> bool:
    """Whether there is anything to mark: an event, or more than one mode."""
    return bool(run.events) or len(run.visited.modes) > 1


def is_numbered(visited: ModeHistory) -> bool:
    """Whether spans show the numbers of their modes."""
    return len(visited.modes) > 1 and len(visited.spans) <= FEW_LABELS


def times_to_draw(run: Trajectory) -> np.ndarray:
    """An even grid, and the instants just before and after each event, so that jumps are drawn as jumps."""
    grid = np.linspace(run.t[0], run.t[-1], POINTS)
    if not run.events or len(run.events) > SHARP:
        return grid
    when = np.array([event.t for event in run.events])
    when = when[(when > grid[0]) & (when < grid[-1])]
    return np.unique(np.concatenate([grid, np.nextafter(when, -np.inf), when]))


def mark(panels: Any, run: Trajectory) -> None:
    """Tints, lines and numbers on every panel of a figure."""
    visited = run.visited
    for panel in panels:
        if 1 < len(visited.modes) <= FEW_MODES:
            _shade(panel, visited)
        _lines(panel, run.events)
    if is_numbered(visited):
        _number(panels[0], visited)


def legend(made: Figure, visited: ModeHistory) -> None:
    """The modes by number and what holds in them, under the panels, where they are few."""
    if not 1 < len(visited.modes) <= FEW_MODES:
        return
    from matplotlib.patches import Patch

    handles = [
        Patch(color=tint(k), alpha=0.25, linewidth=0, label=plain(f"{k}  {what_holds(names)}"))
        for k, names in enumerate(visited.modes, start=1)
    ]
    longest = max(len(str(handle.get_label())) for handle in handles)
    columns = max(1, min(4, int(13.0 * made.get_figwidth() / (longest + 6))))
    made.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize="small")


def _shade(panel: Any, visited: ModeHistory) -> None:
    for k, names in enumerate(visited.modes, start=1):
        bars = [(s.begin, s.end - s.begin) for s in visited.spans if set(s.names) == set(names)]
        panel.broken_barh(bars, (0.0, 1.0), transform=panel.get_xaxis_transform(), color=tint(k), alpha=0.10,
                          linewidth=0.0, zorder=0)  # fmt: skip


def _lines(panel: Any, events: Sequence[RunEvent]) -> None:
    """Impacts darker than the rest; the more there are, the thinner."""
    thin = float(np.clip(12.0 / max(len(events), 1), 0.25, 0.8))
    for of_impacts, color in ((False, "#9aa5b4"), (True, "#5b2333")):
        when = sorted({event.t for event in events if (event.kind == "impact") is of_impacts})
        if when:
            style = "solid" if of_impacts else (0, (4, 2))
            panel.vlines(when, 0.0, 1.0, transform=panel.get_xaxis_transform(), color=color, linewidth=thin,
                         linestyle=style, alpha=0.75, zorder=0.5)  # fmt: skip


def _number(panel: Any, visited: ModeHistory) -> None:
    length = visited.spans[-1].end - visited.spans[0].begin
    for span in visited.spans:
        if span.end - span.begin >= WIDE * length:
            k = visited.number(span.names)
            panel.annotate(str(k), (0.5 * (span.begin + span.end), 1.0), xycoords=panel.get_xaxis_transform(),
                           xytext=(0, 2), textcoords="offset points", ha="center", va="bottom", fontsize="x-small",
                           color=tint(k) if len(visited.modes) <= FEW_MODES else "#5b6675")  # fmt: skip


def mode_panel(panel: Any, t: np.ndarray, visited: ModeHistory) -> None:
    """The number of the mode as steps; what holds in each at the axis, where they are few."""
    panel.step(t, visited.at(t), where="post", color="#1c2330", linewidth=1.5)
    count = len(visited.modes)
    panel.set_ylim(0.5, count + 0.5)
    panel.set_ylabel("mode")
    panel.ticklabel_format(axis="y", useOffset=False)
    if count <= FEW_MODES:
        width = 24 if count <= 4 else 18
        words = [plain(f"{what_holds(names, width)}  {k}") for k, names in enumerate(visited.modes, start=1)]
        panel.set_yticks(range(1, count + 1), words, fontsize="small" if count <= 4 else "x-small")
