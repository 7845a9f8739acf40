"""How the real-time loop keeps its 1 kHz: every mechanism of the gallery that can be touched, under a scripted hand.

    python benchmarks/realtime.py [--out FOLDER] [--seconds S] [--only NAME ...]

The loop is the one behind the page, with its clock, its board and its look ahead, in this process; the hand takes hold
where the exhibit says and goes round in a figure of Lissajous. Busy is what a tick takes by the clock on the wall, from
its beginning until the force is told; the real-time factor is the step over the mean of that. Late ticks begin more
than half a step after their time. Right before each mechanism the same loop runs with nothing in it: what is late there
is the machine's. A switch is the time from a guard, or a command, to equations that are ready.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, few, finish, machine, table

from latchwork.realtime.board import Beat, Hand, State
from latchwork.realtime.devices.scripted import scripted
from latchwork.realtime.exhibit import exhibit_of
from latchwork.realtime.link import Link
from latchwork.realtime.live import Live
from latchwork.realtime.loop import Beating
from latchwork.realtime.settings import freeze_garbage, raise_priority, soft_real_time

STEP = 1e-3
NAMES = (
    "double_pendulum", "chain", "four_bar", "aghili_slider_crank", "spinning_top", "gillespie_2_wrist",
    "gillespie_3_cart", "caster", "latch", "clutch", "bouncing_ball", "stick_slip", "block_on_incline",
    "rocking_block", "patoglu_1_disk_on_ramp", "patoglu_2_fence", "patoglu_3_belt", "sphere_slip", "billiard",
    "rolling_coin", "throw", "woodpecker", "gripper", "piano_action", "pile", "robot_on_floor",
)  # fmt: skip
HEADS = ("mechanism", "processor, median", "99 %", "with a change, median", "slowest", "busy, median", "99.9 %",
         "longest", "real-time factor", "ticks", "late", "in an empty loop", "missed", "switches", "median",
         "longest")  # fmt: skip


class Nothing:
    """What the loop asks of a live mechanism, with nothing in it."""

    step, speed, paused, steps, switches, switch = STEP, 1.0, False, 0, 0, 0.0
    scout = property(lambda self: self)
    off = math.nan

    def compile(self) -> None:
        """Nothing to run."""

    def tick(self) -> None:
        """Nothing to do."""

    def look(self, until: float) -> bool:
        """Nothing to see."""
        return False

    def state(self, beat: Beat) -> State:
        return State(0, 0.0, np.zeros(1), 1, np.empty(0), Hand(), 0.0, 0.0, False, 1.0, False, beat)

    def news(self) -> list[dict[str, Any]]:
        return []


def beaten(live: Any, width: int, seconds: float) -> Beating:
    """A loop that has run for so long."""
    link = Link.made(width)
    beating = Beating(live, link)
    timer = threading.Timer(seconds, lambda: setattr(beating, "ended", True))
    freeze_garbage()
    timer.start()
    beating.pace.rests(time.perf_counter())
    beating.run()
    link.close()
    gc.unfreeze()
    gc.enable()
    return beating


def hand(live: Live) -> Any:
    """Round and round about where the body is taken, as far as a third of its distance from O."""
    body = live.exhibit.taken
    place = live.grip.pose(body, (0.0, 0.0, 0.0), live.x).place
    size = 0.3 * max(0.2, *map(abs, place))
    turns = {live.exhibit.view[0]: f"{size!r}*sin(2*t)", live.exhibit.view[1]: f"{size!r}*sin(3*t)"}
    path = [f"{value!r} + {turns.get(axis, '0')}" for axis, value in zip("xyz", place, strict=True)]
    return scripted([{"body": body, "path": path}])


def timed(live: Live) -> tuple[list[float], list[bool]]:
    """Processor time of each tick from now on, and whether it changed the mode."""
    spent, changed, tick = list[float](), list[bool](), live.tick

    def make() -> None:
        before, began = live.switches, time.thread_time()
        tick()
        spent.append(time.thread_time() - began)
        changed.append(live.switches != before)

    live.tick = make  # type: ignore[method-assign]
    return spent, changed


def measured(name: str, seconds: float, had: list[str]) -> dict[str, Any]:
    """The facts of one mechanism."""
    exhibit = exhibit_of(name)
    device = hand(Live(exhibit))
    empty = beaten(Nothing(), 1, seconds)
    live = Live(exhibit_of(name), device=device, step=STEP, source=name)
    for _ in range(300):  # until machine code has arrived
        live.tick()
        time.sleep(1e-3)
    live.do({"do": "reset"})
    if "priority" in had:
        live.prepare_first(raise_priority)
    spent, changed = timed(live)
    beating = beaten(live, live.exhibit.width, seconds)
    own, there = np.array(spent or [math.nan]), np.array(spent)[np.array(changed, dtype=bool)]
    pace, times = beating.pace, list(live.switch_times)
    troubles = [row["why"] for row in live.news() if row["kind"] == "trouble"]
    mean = float(np.sum(pace.histogram * _middles())) / max(pace.ticks, 1)
    return {
        "name": name, "seconds": seconds, "ticks": pace.ticks, "late": pace.late, "missed": pace.missed,
        "overruns": pace.overruns, "median": pace.quantile(0.5), "p99.9": pace.quantile(0.999), "longest": pace.longest,
        "factor": 1e6 * STEP / mean if mean else math.inf, "empty late": empty.pace.late,
        "empty ticks": empty.pace.ticks, "empty missed": empty.pace.missed, "switches": live.switches,
        "switch times": times, "generated": live.grip.observer.generated, "troubles": troubles,
        "foreseen": live.scout.met, "processor": [1e6 * float(np.quantile(own, share)) for share in (0.5, 0.99)],
        "changing": [1e6 * float(np.quantile(there, share)) for share in (0.5, 1.0)] if len(there) else [],
    }  # fmt: skip


def _middles() -> np.ndarray:
    from latchwork.realtime.pace import EDGES

    return np.append(0.5 * (EDGES[1:] + EDGES[:-1]), EDGES[-1])


def cells(row: dict[str, Any]) -> list[str]:
    """A line of the table."""
    times = row["switch times"]
    changing = [_us(each) for each in row["changing"]] or ["", ""]
    return [row["name"], *map(_us, row["processor"]), *changing, _us(row["median"]), _us(row["p99.9"]),
            _us(row["longest"]), f"{row['factor']:.0f}", str(row["ticks"]), str(row["late"]), str(row["empty late"]),
            str(row["missed"]), str(row["switches"]), _us(statistics.median(times)) if times else "",
            _us(max(times)) if times else ""]  # fmt: skip


def _us(value: float) -> str:
    return f"{value:.0f} µs" if value < 1e4 else f"{1e-3 * value:.0f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each loop runs")
    parser.add_argument("--only", nargs="*", default=NAMES, help="mechanisms")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    had = soft_real_time()
    rows = []
    seconds = 0.05 if options.quick else options.seconds
    for name in few(options.only, options.quick):
        print(name, file=sys.stderr)
        with attempted(name):
            rows.append(measured(name, seconds, had))
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "not known"
    text = table(HEADS, [cells(row) for row in rows])
    granted = ", ".join(had) or "nothing"
    text += f"\n\nEach loop ran for {seconds:g} s, with {granted} granted by the system. Load {load}."
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {"rows": rows, "had": had, "machine": machine()}
    (options.out / "realtime.json").write_text(json.dumps(facts, indent=2), encoding="utf-8")
    (options.out / "realtime.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    finish()


if __name__ == "__main__":
    main()
