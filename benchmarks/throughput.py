"""The throughput of studies: points a second against their number and the number of workers, and what a point costs.

    python benchmarks/throughput.py [--out FOLDER] [--rounds N] [--draw IMAGE]

Two studies, each in a store of Zarr: a function that does nothing, whose time is what the study itself costs, and a
ball that bounces for 0.8 s with a table of its events. Times are those of the whole ``study.run()``, from an empty
store to the last chunk written, by the point: by the clock on the wall, and of processors, all workers together. What
a model takes to be derived and compiled is in them: the first study of a ball is slow.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, clocked, cores, finish, machine, shown, table

import latchwork as lw

COUNTS = (20, 100, 400, 1600, 6400, 20_000)
MODELLED = 1600  # points of the ball, at most


def nothing(a: float, b: float) -> dict[str, float]:
    """What takes no time."""
    return {"sum": a + b, "product": a * b}


def ball() -> lw.Model:
    """A ball that bounces."""
    made = lw.Model("ball")
    (e,) = made.parameters(e=0.5)
    y = made.coordinate("y")
    P = made.origin.at("P", y * made.frame.y)
    made.particle("ball", P, 1.0)
    made.gravity(-9.81 * made.frame.y)
    made.contact("floor", P, lw.Line(made.origin, made.frame.x, made.frame.y), restitution=e)
    return made


def spent() -> float:
    """Seconds of processors, of this process and those that it has started and outlived."""
    return sum(os.times()[:4])


def seconds(kind: str, count: int, workers: int) -> tuple[float, float]:
    """Seconds for each point of a study in an empty store: by the clock, and of processors."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = np.linspace(0.5, 2.5, count // 20), np.linspace(0.1, 0.9, 20)
        if kind == "nothing":
            study = lw.Study(nothing, {"a": first, "b": second}, store=f"{folder}/s.zarr")
        else:
            study = lw.Study(ball(), {"y": first, "e": second}, {"height": "y"}, f"{folder}/s.zarr", until=0.8,
                             events=True)  # fmt: skip
        before = spent()
        wall = clocked(lambda: study.run(workers=workers))
        return wall / len(study), (spent() - before) / len(study)


def measured(rounds: int, counts: tuple[int, ...]) -> list[dict[str, Any]]:
    """The best round of each."""
    found = []
    for kind in ("nothing", "a ball"):
        for workers in range(1, cores() + 1):
            for count in counts if kind == "nothing" else [n for n in counts if n <= MODELLED]:
                with attempted(f"{kind}, {count} points, {workers} workers"):
                    both = [seconds(kind, count, workers) for _ in range(rounds)]
                    best, work = (min(column) for column in zip(*both, strict=True))
                    found.append({"study": kind, "points": count, "workers": workers, "seconds": best,
                                  "processor seconds": work})  # fmt: skip
    return found


def draw(found: list[dict[str, Any]], path: str) -> None:
    """Points a second against their number, a line for each study and number of workers."""
    from latchwork.view.plots import COLORS, figure, save

    made = figure(7.0, 3.6)
    panel = made.subplots()
    lines = sorted({(row["study"], row["workers"]) for row in found})
    for k, (kind, workers) in enumerate(lines):
        own = [row for row in found if (row["study"], row["workers"]) == (kind, workers)]
        label = f"{kind}, {workers} worker{'s' if workers > 1 else ''}"
        panel.loglog([row["points"] for row in own], [1.0 / row["seconds"] for row in own], ".-",
                     color=COLORS[k % len(COLORS)], label=label)  # fmt: skip
    panel.set(xlabel="points", ylabel="points a second")
    panel.grid(alpha=0.15)
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(frameon=False)
    save(made, path)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--out", default=str(RESULTS))
    words.add_argument("--rounds", type=int, default=2)
    words.add_argument("--draw", metavar="IMAGE")
    words.add_argument("--quick", action="store_true", help=QUICK)
    options = words.parse_args()
    found = measured(1 if options.quick else options.rounds, (20, 40) if options.quick else COUNTS)
    text = table(("study", "points", "workers", "by the point", "of processors"),
                 [[row["study"], row["points"], row["workers"], shown(row["seconds"]), shown(row["processor seconds"])]
                  for row in found])  # fmt: skip
    print(text)
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    draw(found, options.draw or str(folder / "throughput.svg"))
    (folder / "throughput.md").write_text(text + "\n", encoding="utf-8")
    facts = json.dumps({"machine": machine(), "rows": found}, indent=1)
    (folder / "throughput.json").write_text(facts, encoding="utf-8")
    finish()


if __name__ == "__main__":
    main()
