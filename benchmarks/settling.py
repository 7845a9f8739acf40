"""Many contacts that come to rest: a pile of 30 disks in a box, and a chain of 20 links dropped on stairs.

    python benchmarks/settling.py [--out FOLDER] [--disks N] [--links N]

The models are those of the gallery, larger. A run is stepped until all is at rest, and goes on from there by events
until five seconds are over, in which nothing moves. Linear algebra runs in one thread: matrices are small, and on a
busy machine threads wait for each other.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, finish, machine, table

import latchwork as lw
from latchwork.hybrid.contacts.broad_phase import every_contact

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))

import chain_on_stairs
import pile

HEADS = ("mechanism", "places of contact", "made in", "computed in", "at rest after", "steps", "modes met", "least gap",
         "energy grew by", "energy lost by the steps", "fastest at the end")  # fmt: skip
LONGEST = 5.0


def settled(name: str, model: lw.Model, q: dict[str, float], step: float) -> dict[str, Any]:
    """A run until all is at rest, and a little longer: what it took, and what came of it."""
    began = time.perf_counter()
    sim = lw.Simulation(model, q, thick=lw.TimeStepping(step=step, always=True))
    made = time.perf_counter()
    print(f"{name}: made in {made - began:.1f} s", file=sys.stderr, flush=True)
    sim.advance(LONGEST)
    done, run = time.perf_counter(), sim.run
    audit, energy = run.audit, run.energy
    places = sum(len(contact.features) for contact in every_contact(model))
    stretches = [event for event in sim.events if event.notes and event.kind == "time stepping"]
    return {
        "name": name, "places": places, "made": made - began, "computed": done - made, "rest": audit.stepped[-1][1],
        "steps": audit.stepped[-1][2], "modes": sum(int(e.notes[0].split("; ")[1].split()[0]) for e in stretches),
        "gap": audit.least_gap, "grown": float(np.diff(energy).max()), "lost": audit.numerical[0],
        "fell": float(energy[0] - energy[-1]), "fastest": float(np.abs(run.u[-1]).max()), "audit": str(audit),
    }  # fmt: skip


def line(found: dict[str, Any]) -> list[str]:
    """A row of the table."""
    return [found["name"], str(found["places"]), f"{found['made']:.1f} s", f"{found['computed']:.0f} s",
            f"{found['rest']:.3f} s", str(found["steps"]), f"{found['modes']} of 3^{found['places']}",
            f"{found['gap']:.1e} m", f"{found['grown']:.1e} J", f"{found['lost']:.1e} of {found['fell']:.1f} J",
            f"{found['fastest']:.1g}"]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--disks", type=int, default=30)
    parser.add_argument("--links", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    n, k = (2, 3) if options.quick else (options.disks, options.links)
    found = []
    with attempted("pile"):
        found.append(settled(f"pile of {n} disks", pile.build(n, 1.25), pile.places(n, 4), pile.STEP))
    with attempted("chain on stairs"):
        found.append(settled(f"chain of {k} links on stairs", chain_on_stairs.build(k, 6), chain_on_stairs.start(k),
                             chain_on_stairs.STEP))  # fmt: skip
    text = table(HEADS, [line(one) for one in found])
    options.out.mkdir(parents=True, exist_ok=True)
    facts = json.dumps({"settling": found, "machine": machine()}, indent=2)
    (options.out / "settling.json").write_text(facts + "\n", encoding="utf-8")
    (options.out / "settling.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    finish()


if __name__ == "__main__":
    main()
