"""A pile of disks that settles in a box: time stepping where events are too thick, and how far events alone get."""

from __future__ import annotations

import argparse
import time

import numpy as np

import latchwork as lw

RADIUS, WIDTH, PER_ROW = 0.1, 1.25, 4


def pile(count: int, friction: float = 0.5, restitution: float = 0.2,
         seed: int = 1) -> tuple[lw.Model, dict[str, float]]:  # fmt: skip
    """Disks of mass 1 in rows over the floor, a little out of line; every pair may touch, and each disk every wall."""
    model = lw.Model(f"pile of {count} disks")
    N, O = model.frame, model.origin
    walls = {"floor": lw.Line(O, N.x, N.y), "left": lw.Line(O.at("left", -0.5 * WIDTH * N.x), N.y, N.x),
             "right": lw.Line(O.at("right", 0.5 * WIDTH * N.x), N.y, -N.x)}  # fmt: skip
    law = {"restitution": restitution, "friction": friction}
    light, rng = 0.25 * RADIUS**2, np.random.default_rng(seed)
    circles, q = [], {}
    for i in range(count):
        link = model.planar(f"d{i}", q=[f"x{i}", f"y{i}", f"a{i}"], u=[f"vx{i}", f"vy{i}", f"w{i}"])
        body = model.body(f"disk{i}", link.frame, link.origin, 1.0, lw.inertia(link.frame, light, light, 2.0 * light))
        circles.append(body.circle(RADIUS))
        for name, wall in walls.items():
            model.contact(f"{i} on {name}", circles[i], wall, **law)
        for j in range(i):
            model.contact(f"{i} on {j}", circles[i], circles[j], **law)
        row, column = divmod(i, PER_ROW)
        dx, dy = 0.02 * rng.uniform(-1.0, 1.0, 2)
        q |= {f"x{i}": 0.26 * (column - 0.5 * (PER_ROW - 1)) + dx, f"y{i}": 0.15 + 0.26 * row + dy, f"a{i}": 0.0}
    model.gravity(-9.81 * N.y)
    return model, q


def least_gap(run: lw.Trajectory, count: int) -> float:
    """The least gap at any sample, from coordinates alone."""
    x, y = (np.array([run[f"{c}{i}"] for i in range(count)]) for c in "xy")
    walls = min((y - RADIUS).min(), (0.5 * WIDTH - RADIUS - np.abs(x)).min())
    pairs = min(np.hypot(x[i] - x[:i], y[i] - y[:i]).min() for i in range(1, count)) - 2.0 * RADIUS
    return float(min(walls, pairs))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--disks", type=int, default=30)
    options.add_argument("--until", type=float, default=2.0)
    options.add_argument("--step", type=float, default=1e-3)
    options.add_argument("--events", action="store_true", help="follow events, and step only where they are too thick")
    given = options.parse_args()
    model, q = pile(given.disks)
    began = time.perf_counter()
    sim = lw.Simulation(model, q, thick=lw.TimeStepping(step=given.step, always=not given.events))
    print(f"{model.name}: {len(model.contacts)} contacts, made in {time.perf_counter() - began:.1f} s")
    while sim.t < given.until - 1e-9:
        sim.advance(min(sim.t + 0.1, given.until))
        print(f"t = {sim.t:.2f} s after {time.perf_counter() - began:.0f} s; {len(sim.events)} events; fastest "
              f"{np.abs(list(sim.u.values())).max():.2g}; {'; '.join(sim.events[-1].notes) if sim.events else ''}",
              flush=True)  # fmt: skip
    modes = {event.after for event in sim.events}
    run = sim.run
    stepped = sum(int(event.notes[0].split("; ")[1].split()[0]) for event in sim.events
                  if event.kind == "time stepping" and event.notes)  # fmt: skip
    print(run.audit)
    print(f"least gap {least_gap(run, given.disks):.2g}")
    print(f"K + V grew by at most {np.diff(run.energy).max():.2g} in a step")
    print(f"about {stepped + len(modes)} modes were met of 3^{len(model.contacts)}")


if __name__ == "__main__":
    main()
