"""Many contacts, of which few are near: what is far apart sleeps, beside a run that watches everything.

    python benchmarks/crowd.py [--out FOLDER] [--balls N] [--points N]

Thirty disks fly about in a box, each with a contact with each and with four walls; a hull of some points on a sphere
falls on a box. Both are run twice in the same process: with all features made and watched, and with those that are
near. A hull of 200 points has too many pairs of parts to watch them all, and is run by the near ones only.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, few, finish, machine, table

import latchwork as lw
from latchwork.contact import construction
from latchwork.contact.narrow_phase import convex_pairs
from latchwork.hybrid.contacts import sleeping_contacts

HEADS = ("scene", "pairs of parts", "watched", "made in", "run in", "places made", "events", "differ by")
EXACT = lw.DormandPrince(rtol=1e-12, atol=1e-13)
Made = tuple[lw.Model, dict[str, float], dict[str, float]]


def balls(n: int) -> Made:
    """Disks in a box."""
    model, rng = lw.Model("balls"), np.random.default_rng(1)
    N, O = model.frame, model.origin
    k = math.ceil(math.sqrt(n))
    side, q, u, shapes = 2.0 * k, {}, {}, []
    symbols = [model.coordinates(f"x{i}", f"y{i}", f"a{i}") for i in range(n)]
    model.speeds()
    for i, (x, y, a) in enumerate(symbols):
        center = O.at(f"C{i}", x * N.x + y * N.y)
        body = model.body(f"b{i}", N.rotated(f"B{i}", a, N.z), center, 1.0, lw.inertia(N, zz=0.05))
        shapes.append(body.circle(0.3, center))
        place = (np.array([i % k, i // k]) + 0.5) * 2.0 + rng.uniform(-0.2, 0.2, 2)
        q |= {f"x{i}": place[0], f"y{i}": place[1], f"a{i}": 0.0}
        u |= dict(zip((f"u_x{i}", f"u_y{i}"), rng.normal(size=2) * 2.0, strict=True))
    for i in range(n):
        for j in range(i):
            model.contact(f"{j} on {i}", shapes[j], shapes[i], restitution=0.9)
    ends = [O, O.at("far corner", side * (N.x + N.y))]
    for end, sign in zip(ends, (1.0, -1.0), strict=True):
        for along, normal in ((N.x, N.y), (N.y, N.x)):
            for i in range(n):
                model.contact(f"{i} at wall {sign:+.0f} {normal}", shapes[i], lw.Line(end, along, sign * normal),
                              restitution=0.9)  # fmt: skip
    return model, q, u


def hull(points: int) -> Made:
    """A round hull that falls on a box."""
    model, x = lw.Model("hull"), np.random.default_rng(0).normal(size=(points, 3))
    link = model.joint("free", "a")
    body = model.body("a", link, link.origin, 1.0, lw.inertia(link.frame, xx=0.1, yy=0.12, zz=0.09))
    model.gravity(-9.81 * model.frame.z)
    shape = body.hull(0.4 * x / np.linalg.norm(x, axis=1)[:, None])
    model.contact("floor", shape, lw.Box(model.origin, (2.0, 2.0, 0.5)), restitution=0.3, friction=0.4)
    return model, {"q_a_px": 0.1, "q_a_py": 0.05, "q_a_pz": 0.9}, {"u_a_wx": 1.0, "u_a_wy": 2.0}


def ran(make: Callable[[int], Made], count: int, until: float, whole: bool) -> dict[str, Any]:
    """A run, and what it took; ``whole``: with everything watched."""
    sleeping_contacts.FEWEST, construction.EAGER = (10**9, 10**9) if whole else (24, convex_pairs.EAGER)
    began = time.perf_counter()
    model, q, u = make(count)
    sim = lw.Simulation(model, q, u, method=EXACT)
    made = time.perf_counter()
    sim.advance(until)
    done = time.perf_counter()
    pairs = sum(1 if contact.picker is None else contact.picker.count for contact in model.contacts)
    return {"pairs": pairs, "watched": "all" if whole else "near", "made": made - began, "run": done - made,
            "places": len(sim.places), "events": [event.t for event in sim.events]}  # fmt: skip


def line(name: str, found: dict[str, Any], other: dict[str, Any] | None) -> list[str]:
    """A row of the table."""
    off = "" if other is None else f"{np.abs(np.subtract(found['events'], other['events'])).max():.0e} s"
    return [name, str(found["pairs"]), found["watched"], f"{found['made']:.2f} s", f"{found['run']:.2f} s",
            str(found["places"]), str(len(found["events"])), off]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--balls", type=int, default=30)
    parser.add_argument("--points", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    ran(balls, 3, 0.1, False)  # machine code that all of them need
    rows, facts = [], {}
    count = 3 if options.quick else options.balls
    scenes = ((f"{count} disks, 2 s", balls, count, 2.0),
              (f"hull of {options.points} points, 0.5 s", hull, options.points, 0.5))  # fmt: skip
    for name, make, count, until in few(scenes, options.quick):
        with attempted(name):
            whole, near = (ran(make, count, until, whole) for whole in (True, False))
            rows += [line(name, whole, None), line(name, near, whole)]
            facts[name] = [whole, near]
    for name in few(["hull of 200 points, 0.5 s"], options.quick, 0):
        with attempted(name):
            facts[name] = [ran(hull, 200, 0.5, False)]
            rows.append(line(name, facts[name][0], None))
    text = table(HEADS, rows)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "crowd.json").write_text(json.dumps({"crowd": facts, "machine": machine()}, indent=2) + "\n",
                                            encoding="utf-8")  # fmt: skip
    (options.out / "crowd.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    finish()


if __name__ == "__main__":
    main()
