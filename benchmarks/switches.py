"""How long a change of mode takes: from the stepper's return at a guard to the first accepted step under new equations.

    python benchmarks/switches.py [--out FOLDER] [--switches N] [--seconds S]

The three examples of Patoglu and Gillespie, a chain of ten links whose end falls on a floor, and disks, balls and a
crate drawn by a seed. Each run has a model of its own (the chain: a simulation of its own), so that no equations are
known: a mode that was not met before in the run is embedded, or left for one with fewer constraints, there and then. A
mode met before in the run is "seen before"; where the change itself was made before, from the same mode by the same
guards, as over and over again in a minute over the belt, it is made "again".
A step is taken at a time, so that the clock is read after the first one; nothing is prepared ahead. Besides the time on
the wall there is that of the processor, which does not count what other processes take. Where machine code goes through
the switch by itself, the time on the wall ends as the next mode has begun, by the processor's counter, and that of the
processor has the steps on both sides and all that is put down afterwards. The rival is the paper: 100 to 400 ms to
embed, 30 to 80 ms to delete.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import random
import sys
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from measure import QUICK, RESULTS, attempted, few, finish, machine, shown, table
from mechanisms import rod

import latchwork as lw
from latchwork.integrate import problem

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import patoglu_1_disk_on_ramp as ramp
import patoglu_2_fence as fence
import patoglu_3_belt as belt

TIGHT = lw.DormandPrince(rtol=1e-12, atol=1e-13)
KINDS = ("embed", "delete", "seen before", "again")
PAPER = {"embed": "100 to 400 ms", "delete": "30 to 80 ms", "seen before": "", "again": ""}
PROMISED = {"embed": 1e-3, "delete": 1e-3, "seen before": 1e-4, "again": 1e-4}
FEWER = 10  # the chain makes so many times fewer switches


class Case(NamedTuple):
    """A name, a simulation never run, and how it is run to its end."""

    name: str
    start: Callable[[], tuple[lw.Simulation, Callable[[], Any]]]
    promised: bool = True


def on_the_ramp() -> tuple[lw.Simulation, Callable[[], Any]]:
    sim = lw.Simulation(ramp.build(), q={"q1": 14.0, "q2": 0.0}, u={"u1": 7.0, "u2": -4.0}, method=TIGHT)
    return sim, lambda: sim.advance(8.0)


def at_the_fence() -> tuple[lw.Simulation, Callable[[], Any]]:
    model = fence.build()
    sim = lw.Simulation(model, **fence.start(), method=TIGHT)
    sim.advance(7.0)
    sim.contact("fence", *fence.fence(model))
    return sim, lambda: sim.advance(9.6)


def over_the_belt(until: float = 1.2) -> tuple[lw.Simulation, Callable[[], Any]]:
    sim = lw.Simulation(belt.build(), q={"q1": -math.pi / 16, "q2": -4 * math.pi / 9}, u={"u1": 3.0, "u2": -0.3},
                        method=TIGHT)  # fmt: skip
    return sim, lambda: sim.advance(until)


def chain(links: int = 10, length: float = 0.2) -> lw.Model:
    """Uniform rods on parallel hinges above a floor."""
    model = lw.Model("chain")
    link, at = None, None
    for i in range(links):
        link = model.revolute(f"L{i}", link, at=at, axis=model.frame.z)
        at = rod(model, link, length)
    N, O = model.frame, model.origin
    model.gravity(-9.81 * N.y)
    floor = lw.Line(point=O.at("floor", -1.5 * N.y), direction=N.x, normal=N.y)
    model.contact("end", at, floor, friction=lw.Coulomb(0.6))
    return model


CHAIN = chain()
SPINS: list[float] = []  # what a loop in plain Python took, before each run


def spin() -> None:
    """Time a loop that does nothing but count: how fast the machine is at this moment."""
    began, total = time.perf_counter(), 0
    for i in range(5000):
        total += i
    SPINS.append(time.perf_counter() - began)


def of_the_chain() -> tuple[lw.Simulation, Callable[[], Any]]:
    sim = lw.Simulation(CHAIN, q=[-0.2, *[0.02] * 9], method=lw.DormandPrince(rtol=1e-9, atol=1e-11))
    return sim, lambda: sim.advance(1.2)


def drawn(space: bool) -> Callable[[], tuple[lw.Simulation, Callable[[], Any]]]:
    """Three disks between four walls, or two balls in a corner of three planes, with friction and rebound, thrown as a
    seed says; another one each time."""
    rng = random.Random(7)

    def start() -> tuple[lw.Simulation, Callable[[], Any]]:
        model, count = lw.Model("drawn"), 2 if space else 3
        N, O = model.frame, model.origin
        axes = (N.x, N.y, N.z) if space else (N.x, N.y)
        q, u, shapes = [], [], []
        for i in range(count):
            r, m = rng.uniform(0.08, 0.12), rng.uniform(0.5, 2.0)
            link = model.free(f"B{i}") if space else model.planar(f"B{i}")
            inertia = 0.4 * m * r * r
            body = model.body(f"body {i}", link, link.origin, m, lw.inertia(link.frame, inertia, inertia, inertia))
            shapes.append(body.sphere(r) if space else body.circle(r))
            q += [*(rng.uniform(0.2, 0.3) + (0.4 * i if k == 0 else 0.0) for k in range(len(axes))),
                  *((1.0, 0.0, 0.0, 0.0) if space else (0.0,))]  # fmt: skip
            u += [rng.uniform(-2.0, 2.0) for _ in range(6 if space else 3)]
        model.gravity(-9.81 * N.y - 1.0 * N.x)
        law = {"restitution": rng.uniform(0.2, 0.6), "friction": rng.uniform(0.2, 0.6)}
        for i, shape in enumerate(shapes):
            for k, axis in enumerate(axes):
                wall = lw.Plane(O, axis) if space else lw.Line(O, axes[1 - k], axis)
                model.contact(f"{i} on wall {k}", shape, wall, **law)
            for j in range(i):
                model.contact(f"{i} on {j}", shape, shapes[j], **law)
        sim = lw.Simulation(model, q=q, u=u, method=lw.DormandPrince(rtol=1e-9, atol=1e-11))
        return sim, lambda: sim.advance(1.0)

    return start


def crate() -> Callable[[], tuple[lw.Simulation, Callable[[], Any]]]:
    """A box thrown on a plane in space, with friction and rebound, as a seed says; another one each time. Its corners
    strike, slide and stick in every combination, and four of them on the plane are redundant."""
    rng = random.Random(7)

    def start() -> tuple[lw.Simulation, Callable[[], Any]]:
        model, m, sides = lw.Model("crate"), rng.uniform(0.5, 2.0), [rng.uniform(0.15, 0.3) for _ in range(3)]
        N, link = model.frame, model.free("B")
        moments = (m * sum(side * side for side in sides if side is not own) / 12.0 for own in sides)
        body = model.body("box", link, link.origin, m, lw.inertia(link.frame, *moments))
        model.gravity(-9.81 * N.z)
        model.contact("floor", body.box(sides), lw.Plane(model.origin, N.z), restitution=rng.uniform(0.0, 0.4),
                      friction=rng.uniform(0.3, 0.6))  # fmt: skip
        turn = [1.0, *(rng.uniform(-0.1, 0.1) for _ in range(3))]
        size = math.hypot(*turn)
        q = [0.0, 0.0, 0.5 * sides[2] + rng.uniform(0.06, 0.12), *(part / size for part in turn)]
        u = [rng.uniform(-1.0, 1.0) for _ in range(6)]
        sim = lw.Simulation(model, q=q, u=u, method=lw.DormandPrince(rtol=1e-9, atol=1e-11))
        return sim, lambda: sim.advance(1.0)

    return start


CASES = (
    Case("disk on a ramp", on_the_ramp), Case("parts feeder", at_the_fence),
    Case("pendulum over a belt", over_the_belt), Case("the same for a minute", lambda: over_the_belt(60.0)),
    Case("chain of 10 links", of_the_chain, promised=False),
    Case("three disks, drawn", drawn(False), promised=False), Case("two balls, drawn", drawn(True), promised=False),
    Case("crate in space, drawn", crate(), promised=False),
)  # fmt: skip


def switches(case: Case) -> Iterator[tuple[str, tuple[float, float]]]:
    """The switches of one run: kind, and seconds from the stepper's return to the first step after, both clocks."""
    sim, run = case.start()
    spin()
    marks: list[tuple[float, float, float, int]] = []

    def heard(t: float) -> None:
        marks.append((t, time.perf_counter(), time.process_time(), sim.modes_known))

    sim.progress, sim.world.looks_ahead = heard, False
    gc.collect()
    at_a_time = patch.multiple(problem, OPERATIONS_PER_CALL=0, FEWEST=1)
    with at_a_time:
        run()
    made, times = set(), [mark[0] for mark in marks]
    changes = {before.solution.t[-1]: (before.dynamics, before.solution.event.guards, after.dynamics)
               for before, after in pairwise(sim.run.path.segments) if before.solution.event is not None}  # fmt: skip
    timeline = sim.timeline
    clock = [(timeline.born + work.began, timeline.born + work.ended) for work in timeline if work.lane == "embed"]
    for switch, (reached, ready) in zip(sim.switches, clock, strict=True):
        i = bisect_right(times, switch.t)  # the first step beyond it
        if 0 < i < len(marks):
            (t, wall, processor, known), (_, wall_after, processor_after, more) = marks[i - 1 : i + 1]
            if t == switch.t:  # the stepper has come back there
                wall = min(wall, reached)
            else:
                wall, wall_after = reached, ready
            change = changes.get(switch.t)
            kind = "again" if change in made else "seen before"
            if more > known:
                kind = "delete" if len(switch.after) < len(switch.before) else "embed"
            made.add(change)
            yield kind, (wall_after - wall, processor_after - processor)


def measured(case: Case, wanted: int, limit: float) -> dict[str, list[tuple[float, float]]]:
    """Seconds of so many switches of the rarest kind, or of as many as are made in a time, by one run at least."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for _ in switches(case):  # kernels are linked once in a process
        pass
    began = time.perf_counter()
    while not found or time.perf_counter() - began < limit:
        for kind, seconds in switches(case):
            found[kind].append(seconds)
        if min(len(found[kind]) for kind in found) >= wanted:
            break
    return found


def summary(seconds: list[tuple[float, float]]) -> dict[str, Any]:
    """How many; best, median and 99th percentile by both clocks."""
    clocks = dict(zip(("wall", "processor"), map(sorted, zip(*seconds, strict=True)), strict=True))
    last = max(math.ceil(0.99 * len(seconds)) - 1, 0)
    return {"switches": len(seconds)} | {
        clock: {"best": times[0], "median": times[len(times) // 2], "p99": times[last]}
        for clock, times in clocks.items()
    }


def rows(found: dict[str, dict[str, list[tuple[float, float]]]]) -> list[list[Any]]:
    """Lines of the table."""
    lines = []
    for case in CASES:
        for kind in KINDS:
            if seconds := found.get(case.name, {}).get(kind):
                s = summary(seconds)
                promised = shown(PROMISED[kind]) if case.promised else ""
                times = [" / ".join(shown(s[clock][which]) for which in ("best", "median", "p99"))
                         for clock in ("wall", "processor")]  # fmt: skip
                lines.append([case.name, kind, s["switches"], *times, promised, PAPER[kind] if case.promised else ""])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--switches", type=int, default=1000, help="switches of each kind (default: 1000)")
    parser.add_argument("--seconds", type=float, default=30.0, help="no longer for a mechanism (default: 30)")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    found = {}
    wanted = 1 if options.quick else options.switches
    for case in few(CASES, options.quick):
        print(case.name, file=sys.stderr, flush=True)
        with attempted(case.name):
            found[case.name] = measured(case, max(2, wanted // (1 if case.promised else FEWER)), options.seconds)
    heads = ("mechanism", "switch", "number", "wall: best / median / 99 of 100 below", "processor", "promised",
             "Patoglu §6")  # fmt: skip
    spins = summary([(seconds, seconds) for seconds in SPINS])["wall"]
    best, median, p99 = (shown(spins[which]) for which in ("best", "median", "p99"))
    text = table(heads, rows(found)) + (
        f"\n\nA loop in plain Python, timed before each of the {len(SPINS)} runs, took {best} at best, {median} in the "
        f"median, and {p99} or less in 99 of 100."
    )
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {name: {kind: summary(seconds) for kind, seconds in kinds.items()} for name, kinds in found.items()}
    everything = {"switches": facts, "loop in Python": spins, "machine": machine()}
    (options.out / "switches.json").write_text(json.dumps(everything, indent=2) + "\n", encoding="utf-8")
    (options.out / "switches.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    finish()


if __name__ == "__main__":
    main()
