"""``latchwork demo``: derive and simulate the gallery, print the equations, write plots and one page."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from latchwork.files import write_text, written
from latchwork.hybrid.trajectory import Trajectory
from latchwork.kane.equations import Equations
from latchwork.view import gallery
from latchwork.view.demo_page import page
from latchwork.view.gallery import Example
from latchwork.view.motion import draw_motion
from latchwork.view.plots import plot_run, settled
from latchwork.view.svg import for_a_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Shown:
    """An example with what became of it: equations of every variant; the run of the first, drawn and plotted."""

    example: Example
    equations: tuple[Equations, ...]
    run: Trajectory
    drawn: Figure
    plotted: Figure
    seconds: float  # that deriving the first variant took


def main(out: str = "demo", quiet: bool = False, names: Sequence[str] = gallery.NAMES) -> int:
    """Write ``out/index.html`` and plots of each example; the equations go to standard output unless ``quiet``."""
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    gallery.load(names[0]).models()[0].equations()  # loads what is loaded once, before anything is timed
    items = []
    for k, name in enumerate(names, start=1):
        item = show(gallery.load(name))
        for end, made in (("_motion", item.drawn), ("", item.plotted)):
            with written(folder / f"{name}{end}.png") as beside:
                made.savefig(beside, dpi=110, facecolor="white")
        items.append(item)
        _progress(f"[{k}/{len(names)}]", item)
        if not quiet:
            _print_equations(item)
    index = folder / "index.html"
    write_text(index, page(items))
    print(f"open {index} (the plots are beside it)")
    return 0


def serve(port: int | None, opened: bool) -> None:
    """Serve the live gallery until interrupted."""
    from latchwork.view.live.serving import serve_until_interrupted

    serve_until_interrupted({name: name for name in gallery.live_names()}, _say, port=port, opened=opened)


def serve_where_watched(port: int | None) -> None:
    """At a terminal, serve the live gallery; elsewhere see that it can be served, and say how."""
    from latchwork.view.live.serving import PORT, has_screen, try_out

    if sys.stdout.isatty() and not os.environ.get("CI"):
        print("the mechanisms run and can be grabbed at ", end="")
        serve(port, has_screen())
        return
    try_out({name: name for name in gallery.live_names()}, _say)
    print(f"latchwork demo --serve lets the mechanisms run and be grabbed at http://127.0.0.1:{port or PORT}/")


def _say(text: str) -> None:
    print(text, flush=True)


def show(example: Example) -> Shown:
    """Derive every variant of an example, run the first, draw and plot its motion."""
    first, *others = example.models()
    begin = perf_counter()
    eq = first.equations()
    seconds = perf_counter() - begin
    run = example.run(first)
    with for_a_page():
        drawn = settled(draw_motion(run, example.draw, example.view))
        plotted = settled(plot_run(run, {str(item): item for item in example.show}, width=5.6))
    return Shown(example, (eq, *(model.equations() for model in others)), run, drawn, plotted, seconds)


def _progress(count: str, item: Shown) -> None:
    what = f"derived in {1e3 * item.seconds:.0f} ms, {item.run.audit.steps} steps of {item.run.equations.name}"
    print(f"{count} {item.example.name:32} {what}", file=sys.stderr, flush=True)


def _print_equations(item: Shown) -> None:
    for eq in item.equations:
        print(f"{eq}\n\n{eq.partial_velocities()}\n" if len(eq.u) <= 4 else f"{eq!r}\n")
    print(f"{item.run.audit}\n")
