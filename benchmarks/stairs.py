"""A chain dropped on stairs: round joints, each against every edge and corner of a polyline, until it rests."""

from __future__ import annotations

import argparse
import time

import numpy as np

import latchwork as lw


def chain_on_stairs(links: int, stairs: int = 6, length: float = 0.12, radius: float = 0.02, friction: float = 0.6,
                    restitution: float = 0.1) -> tuple[lw.Model, dict[str, float]]:  # fmt: skip
    """The first link moves freely in the plane, the others turn about the end of the one before; held out straight."""
    model = lw.Model(f"chain of {links} links on {stairs} stairs")
    N, O = model.frame, model.origin
    corners = [O.at("top", -1.0 * N.x)]
    for k in range(stairs):
        corners.append(O.at(f"edge{k}", 0.3 * k * N.x - 0.18 * k * N.y))
        corners.append(O.at(f"foot{k}", 0.3 * k * N.x - 0.18 * (k + 1) * N.y))
    corners.append(O.at("end", (0.3 * stairs + 3.0) * N.x - 0.18 * stairs * N.y))
    ground = lw.Polyline(corners)
    link, tip, q = None, None, {}
    for k in range(links):
        if link is None:
            link = model.planar("l0", q=["x", "y", "q0"], u=["vx", "vy", "u0"])
            q |= {"x": -0.4, "y": 0.4, "q0": -0.2}
        else:
            link = model.revolute(f"l{k}", link, at=tip, q=[f"q{k}"], u=[f"u{k}"])
            q[f"q{k}"] = 0.02 * (-1.0) ** k
        tip = link.origin.at(f"P{k}", length * link.frame.x)
        middle = link.origin.at(f"C{k}", 0.5 * length * link.frame.x)
        light = 0.1 * length**2 / 12.0
        model.body(f"b{k}", link.frame, middle, 0.1, lw.inertia(link.frame, 1e-5, light, light))
        model.contact(f"l{k}", lw.Circle(link.origin, radius, body=link.frame), ground, friction=friction,
                      restitution=restitution)  # fmt: skip
    model.contact("last", lw.Circle(tip, radius, body=link.frame), ground, friction=friction, restitution=restitution)
    model.gravity(-9.81 * N.y)
    return model, q


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--links", type=int, default=20)
    options.add_argument("--until", type=float, default=4.0)
    options.add_argument("--step", type=float, default=1e-3)
    given = options.parse_args()
    model, q = chain_on_stairs(given.links)
    began = time.perf_counter()
    sim = lw.Simulation(model, q, thick=lw.TimeStepping(step=given.step, always=True))
    print(f"{model.name}: made in {time.perf_counter() - began:.1f} s")
    while sim.t < given.until - 1e-9:
        sim.advance(min(sim.t + 0.25, given.until))
        fastest = np.abs(list(sim.u.values())).max()
        print(f"t = {sim.t:.2f} s after {time.perf_counter() - began:.0f} s; fastest {fastest:.2g}; "
              f"{'; '.join(sim.events[-1].notes)}", flush=True)  # fmt: skip
    run = sim.run
    print(run.audit)
    print(f"K + V grew by at most {np.diff(run.energy).max():.2g} in a step")


if __name__ == "__main__":
    main()
