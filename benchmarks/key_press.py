"""Ticks of the piano action as its key is pressed twice with the pointer: processor time of each, of 1 ms of the run.

    python benchmarks/key_press.py [--out FOLDER] [--sessions N]

A session is one of the page, without its loop: the pointer takes the front of the key, presses, comes up by a half and
presses again, 125 messages and 1,000 ticks a second, 0.7 s. Garbage is not collected, as in the loop. Machine code is
asked for as a loop does it, and arrives before the first tick (but in the row that says so). A tick that changes the
mode is one with events. Times are those of the thread that ticks.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import gc
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, finish, machine, table

from latchwork.program.function import Function
from latchwork.realtime.exhibit import exhibit_of
from latchwork.realtime.live import Live

FRONT = (-0.22, 0.012, 0.0)
WAY = ((0.05, 0.0), (0.10, -0.03), (0.30, -0.03), (0.35, -0.005), (0.5, -0.005), (0.55, -0.03), (0.7, -0.03))
TICK = 1e-3
HEADS = ("session", "median tick", "without a change, at most", "ticks with a change", "median of these",
         "above 1 ms", "the slowest")  # fmt: skip


def session(compiled: bool, ticks: int) -> dict[str, Any]:
    """Seconds of every tick, and whether it changed the mode."""
    live, seconds, changed = Live(exhibit_of("piano_action")), list[float](), list[bool]()
    if compiled:
        live.compile()
        wait_for_machine_code()
    if not live.do({"do": "grab", "body": "key", "at": list(FRONT)})["ok"]:
        raise RuntimeError("the key cannot be taken")
    gc.collect()
    gc.disable()
    for tick in range(ticks):
        place = float(np.interp(TICK * tick, *zip(*WAY, strict=True)))
        if tick % 8 == 0:
            live.do({"do": "move", "to": [FRONT[0], FRONT[1] + place, 0.0]})
        before, began = live.switches, time.thread_time()
        live.tick()
        seconds.append(time.thread_time() - began)
        changed.append(live.switches != before)
    gc.enable()
    if live.paused:
        raise RuntimeError("the session is paused")
    return {"seconds": seconds, "changed": changed}


def wait_for_machine_code(longest: float = 60.0) -> None:
    """Until none has arrived for a second."""
    began, known, since = time.monotonic(), -1, time.monotonic()
    while time.monotonic() - since < 1.0 and time.monotonic() - began < longest:
        if Function.arrivals != known:
            known, since = Function.arrivals, time.monotonic()
        time.sleep(0.05)


def line(name: str, found: dict[str, Any]) -> list[str]:
    """A row of the table."""
    every, changed = np.array(found["seconds"]), np.array(found["changed"])
    there = every[changed] if changed.any() else np.zeros(1)
    smooth, slow = every[~changed], int((every > TICK).sum())
    return [name, f"{1e6 * np.median(every):.0f} µs", f"{1e6 * smooth.max():.0f} µs", str(int(changed.sum())),
            f"{1e3 * np.median(there):.2f} ms", str(slow), f"{1e3 * every.max():.2f} ms"]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--sessions", type=int, default=3, help="with machine code")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    names = ["without machine code", *(str(i + 1) for i in range(1 if options.quick else options.sessions))]
    lines, facts = list[list[str]](), list[dict[str, Any]]()
    for name in names:
        with attempted(name):
            found = session(name != names[0], 60 if options.quick else 700)
            facts.append({"session": name, **found})
            lines.append(line(name, found))
            print(" | ".join(lines[-1]), file=sys.stderr, flush=True)
    text = table(HEADS, lines)
    print(text)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "key_press.json").write_text(json.dumps({"machine": machine(), "rows": facts}))
    (options.out / "key_press.md").write_text(f"{text}\n", encoding="utf-8")
    finish()


if __name__ == "__main__":
    main()
