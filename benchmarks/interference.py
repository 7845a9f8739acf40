"""What the watch on interference takes of a run: its share of the time, measured in the run itself.

    python benchmarks/interference.py [--out FOLDER] [--rounds N] [--seed N]

Every step is looked at, so the share is that of all looks and of what they need, from the first step on: pieces and
pairs laid out, the program of the poses, the kernel. Some scenes are named; others are drawn by a seed. Times are those
of the thread, less what it takes to read its clock; the best of some rounds counts.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from crowd import balls, hull
from measure import RESULTS, machine, table

import latchwork as lw
from latchwork.hybrid.interference.watch import Watch

HEADS = ("scene", "contacts", "events", "a run", "the watch", "share", "in single rounds", "at most")
AT_MOST = 0.10
PARTS = ("see", "first", "stand", "ticked")  # all that a run asks of the watch
Run = Callable[[], int]


@contextmanager
def timed(spent: list[float]) -> Iterator[None]:
    """Add up what the watch takes."""
    whole = {name: getattr(Watch, name) for name in PARTS}

    def clocked(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*args, **options)
            finally:
                spent.append(time.thread_time() - began)

        return call

    try:
        for name, function in whole.items():
            setattr(Watch, name, clocked(function))
        yield
    finally:
        for name, function in whole.items():
            setattr(Watch, name, function)


def clock() -> float:
    """What is measured of nothing, at least."""
    found = []
    for _ in range(2000):
        began = time.thread_time()
        found.append(time.thread_time() - began)
    return statistics.median(found)


def boxes(sizes: list[tuple[float, float]], restitution: float, friction: float | None) -> lw.Model:
    """Boxes in the plane on a floor, each with a contact with each."""
    model = lw.Model("boxes")
    N, O = model.frame, model.origin
    symbols = [model.coordinates(f"x{i}", f"y{i}", f"a{i}") for i in range(len(sizes))]
    model.speeds()
    shapes = []
    for i, ((x, y, a), (w, h)) in enumerate(zip(symbols, sizes, strict=True)):
        B = N.rotated(f"B{i}", a, N.z)
        body = model.body(f"b{i}", B, O.at(f"C{i}", x * N.x + y * N.y), 1.0, lw.inertia(B, zz=(w * w + h * h) / 12.0))
        shapes.append(body.box((w, h)))
    model.gravity(-9.81 * N.y)
    for i, shape in enumerate(shapes):
        model.contact(f"floor {i}", shape, lw.Line(O, N.x, N.y), restitution=restitution, friction=friction)
        for j in range(i):
            model.contact(f"{i} on {j}", shape, shapes[j], restitution=restitution, friction=friction)
    return model


def crates() -> tuple[lw.Model, Run]:
    """Two equal crates, one of which slides into the other."""
    model = boxes([(1.0, 1.0)] * 2, 0.5, 0.3)
    q, u = {"x0": -1.3, "y0": 0.5, "y1": 0.5}, {"u_x0": 2.0}
    return model, lambda: len(lw.simulate(model, 2.0, q, u).events)


def thrown(seed: int, count: int) -> tuple[lw.Model, Run]:
    """Boxes of drawn sizes, thrown above a floor."""
    rng = np.random.default_rng(seed)
    model = boxes([tuple(rng.uniform(0.2, 0.5, 2)) for _ in range(count)], 0.5, 0.3)
    q = {f"y{i}": 0.6 + 0.8 * i for i in range(count)} | {f"a{i}": rng.uniform(-1.0, 1.0) for i in range(count)}
    u = {f"u_x{i}": rng.uniform(-0.3, 0.3) for i in range(count)}
    return model, lambda: len(lw.simulate(model, 0.8, q, u).events)


def bouncing() -> tuple[lw.Model, Run]:
    """A disk that bounces some hundred times: changes of mode by machine code alone."""
    model = lw.Model("bouncing")
    link, N = model.planar("b"), model.frame
    body = model.body("b", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.1))
    model.gravity(-9.81 * N.y)
    model.contact("floor", body.circle(0.1), lw.Line(model.origin, N.x, N.y), restitution=0.999)
    return model, lambda: len(lw.simulate(model, 100.0, q=[0.0, 1.0, 0.0]).events)


def ticking() -> tuple[lw.Model, Run]:
    """The same in ticks of a millisecond."""
    model, _ = bouncing()

    def run() -> int:
        sim = lw.Simulation(model, q=[0.0, 1.0, 0.0])
        return sum(len(sim.tick(1e-3)) for _ in range(2000))

    return model, run


def crowded(made: tuple[lw.Model, dict[str, float], dict[str, float]], until: float) -> tuple[lw.Model, Run]:
    """A scene of the benchmark of crowds."""
    model, q, u = made
    return model, lambda: len(lw.simulate(model, until, q, u).events)


def measured(name: str, made: tuple[lw.Model, Run], rounds: int) -> dict[str, Any]:
    """The time of a run and of its watch, in some rounds."""
    model, run = made
    run()  # machine code that it needs
    whole, watch, events, nothing = [], [], 0, clock()
    for _ in range(rounds):
        spent: list[float] = []
        with timed(spent):
            began = time.thread_time()
            events = run()
            whole.append(time.thread_time() - began - 2.0 * nothing * len(spent))
        watch.append(sum(spent) - nothing * len(spent))
    shares = [w / (t - w) for w, t in zip(watch, whole, strict=True)]
    return {"name": name, "contacts": len(model.contacts), "events": events, "run": min(whole), "watch": min(watch),
            "share": min(watch) / (min(whole) - min(watch)), "shares": shares}  # fmt: skip


def line(found: dict[str, Any]) -> list[str]:
    """A row of the table."""
    low, high = min(found["shares"]), max(found["shares"])
    return [found["name"], str(found["contacts"]), str(found["events"]), f"{1e3 * found['run']:.1f} ms",
            f"{1e3 * found['watch']:.2f} ms", f"{100.0 * found['share']:.1f} %",
            f"{100.0 * low:.1f} to {100.0 * high:.1f} %", f"{100.0 * AT_MOST:.0f} %"]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    scenes = {
        "two equal crates": crates(),
        "a disk that bounces": bouncing(),
        "the same in ticks": ticking(),
        "12 disks in a box": crowded(balls(12), 1.0),
        "a hull of 30 points on a box": crowded(hull(30), 0.5),
        f"3 boxes, seed {options.seed}": thrown(options.seed, 3),
        f"4 boxes, seed {options.seed + 1}": thrown(options.seed + 1, 4),
    }
    facts = [measured(name, made, options.rounds) for name, made in scenes.items()]
    text = table(HEADS, [line(found) for found in facts])
    text += f"\n\nmedian share {100.0 * statistics.median(found['share'] for found in facts):.1f} %"
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "interference.json").write_text(
        json.dumps({"interference": facts, "machine": machine()}, indent=2) + "\n", encoding="utf-8")  # fmt: skip
    (options.out / "interference.md").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
