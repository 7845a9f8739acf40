"""``latchwork demo``: derive and simulate the gallery, write plots and one page, and serve what can be touched."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from latchwork.files import write_text, written
from latchwork.hybrid.trajectory import Trajectory
from latchwork.kane.equations import Equations
from latchwork.view import gallery
from latchwork.view.demo_page import page
from latchwork.view.gallery import Example
from latchwork.view.motion import draw_motion
from latchwork.view.plots import plot_run, settled
from latchwork.view.scene import scene
from latchwork.view.svg import for_a_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FRAMES = 60  # of a small picture that moves


@dataclass(frozen=True)
class Shown:
    """An example with what became of it: equations of every variant; the run of the first, drawn and plotted."""

    example: Example
    equations: tuple[Equations, ...]
    run: Trajectory
    drawn: Figure
    plotted: Figure
    thumb: dict[str, Any]  # a scene of few frames
    seconds: float  # that deriving the first variant took


def main(out: str = "demo", equations: bool = False, names: Sequence[str] = gallery.NAMES) -> int:
    """Write ``out/index.html`` and plots of each example; the page is there at once, and fills as they are made."""
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    index, examples, items, begin = folder / "index.html", [gallery.load(name) for name in names], [], perf_counter()
    write_text(index, page((), examples, address()))
    print(f"open {index}: {len(names)} mechanisms, derived and run; the page fills as they are done")
    examples[0].models()[0].equations()  # loads what is loaded once, before anything is timed
    for k, example in enumerate(examples, start=1):
        item = show(example)
        for end, made in (("_motion", item.drawn), ("", item.plotted)):
            with written(folder / f"{example.name}{end}.png") as beside:
                made.savefig(beside, dpi=110, facecolor="white")
        items.append(item)
        _progress(f"[{k}/{len(names)}]", item)
        if k == len(examples) or k in EARLY:
            write_text(index, page(items, examples[k:], address()))
        if equations:
            _print_equations(item)
    _finished()
    print(f"wrote {index}, with plots beside it, in {perf_counter() - begin:.0f} s")
    return 0


EARLY = (1, 3, 6, 10, 15, 20, 25, 30, 35)  # numbers of examples after which the page is written anew


def address(port: int | None = None) -> str:
    """Where the mechanisms are served, unless another program is there."""
    from latchwork.view.live.serving import PORT

    return f"http://127.0.0.1:{PORT if port is None else port}/"


def serve(port: int | None, opened: bool, host: str | None = None, copies: bool = False) -> None:
    """Serve the live gallery until interrupted."""
    from latchwork.view.live.serving import HOST, serve_until_interrupted

    sources = {name: name for name in gallery.live_names()}
    serve_until_interrupted(sources, _say, host=host or HOST, port=port, opened=opened, copies=copies)


def demo(out: str, equations: bool, port: int | None) -> None:
    """At a terminal, serve the live gallery at once, while the page of all examples is written by another process;
    elsewhere write the page, see that the gallery can be served, and say how."""
    from latchwork.view.live.serving import has_screen, try_out

    if sys.stdout.isatty() and not os.environ.get("CI"):
        words = [sys.executable, "-m", "latchwork", "demo", "--no-serve", "-o", out, *(["--equations"] * equations)]
        print(f"{Path(out) / 'index.html'} is being written: {len(gallery.NAMES)} mechanisms with plots")
        print("these run, and can be grabbed, at ", end="")
        quiet = None if equations else subprocess.DEVNULL
        with subprocess.Popen(words, stdout=quiet, stderr=subprocess.DEVNULL) as writing:
            serve(port, has_screen())
            writing.terminate()
        return
    main(out, equations)
    try_out({name: name for name in gallery.live_names()}, _say)
    print(f"latchwork demo --serve lets the mechanisms run and be grabbed at {address(port)}")


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
    shapes = example.shapes(first)
    thumb = scene(run, getattr(example.module, "VIEW", None), () if shapes else example.draw, shapes, most=FRAMES)
    return Shown(example, (eq, *(model.equations() for model in others)), run, drawn, plotted, thumb, seconds)


def _progress(count: str, item: Shown) -> None:
    """One line that is written over, at a terminal."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{count} {item.example.name}, {item.run.audit.steps} steps", end="", file=sys.stderr, flush=True)


def _finished() -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _print_equations(item: Shown) -> None:
    for eq in item.equations:
        print(f"{eq}\n\n{eq.partial_velocities()}\n" if len(eq.u) <= 4 else f"{eq!r}\n")
    print(f"{item.run.audit}\n")
