"""A chain dropped on stairs. Its round joints may touch every edge and every corner; it comes to rest across the steps.

The run is stepped (`lw.TimeStepping`) where it whips and rattles; at rest, events are watched again.
"""

import numpy as np

import latchwork as lw

LENGTH, RADIUS = 0.12, 0.02
TREAD, RISE = 0.3, 0.18
DAMPING = 5e-3  # of each hinge: what hangs free between two steps would swing for ever
STEP = 1e-3


def stairs(model: lw.Model, steps: int) -> lw.Polyline:
    """A landing, steps down, and the ground."""
    N, O = model.frame, model.origin
    corners = [O.at("top", -1.0 * N.x)]
    for k in range(steps):
        corners.append(O.at(f"edge{k}", TREAD * k * N.x - RISE * k * N.y))
        corners.append(O.at(f"foot{k}", TREAD * k * N.x - RISE * (k + 1) * N.y))
    corners.append(O.at("end", (TREAD * steps + 3.0) * N.x - RISE * steps * N.y))
    return lw.Polyline(corners)


def build(links: int = 5, steps: int = 2) -> lw.Model:
    """The first link moves freely in the plane, the others turn about the end of the one before."""
    model = lw.Model("chain on stairs")
    ground, law = stairs(model, steps), {"friction": 0.6, "restitution": 0.1}
    light = 0.1 * LENGTH**2 / 12.0
    link = tip = None
    for k in range(links):
        if link is None:
            link = model.planar("l0", q=["x", "y", "q0"], u=["vx", "vy", "u0"])
        else:
            link = model.revolute(f"l{k}", link, at=tip, q=[f"q{k}"], u=[f"u{k}"])
            model.resist(link, damping=DAMPING)
        middle = link.origin.at(f"C{k}", 0.5 * LENGTH * link.frame.x)
        model.body(f"b{k}", link.frame, middle, 0.1, lw.inertia(link.frame, 1e-5, light, light))
        model.contact(f"l{k}", lw.Circle(link.origin, RADIUS, body=link.frame), ground, **law)
        tip = link.origin.at(f"P{k}", LENGTH * link.frame.x)
    model.contact("last", lw.Circle(tip, RADIUS, body=link.frame), ground, **law)
    model.gravity(-9.81 * model.frame.y)
    return model


SHOW = ("x", "y", "q3")
DRAW = tuple(f"P{k}" for k in range(5))


def start(links: int) -> dict[str, float]:
    """Held out nearly straight, above the landing and the first step."""
    return {"x": -0.4, "y": 0.4, "q0": -0.2} | {f"q{k}": 0.02 * (-1.0) ** k for k in range(1, links)}


def run(model: lw.Model, until: float = 1.0, links: int = 5) -> lw.Trajectory:
    """Let go from rest."""
    return lw.simulate(model, until, q=start(links), thick=lw.TimeStepping(step=STEP, always=True))


def main() -> None:
    model = build()
    moved = run(model)
    end = moved.events[-1]
    print(f"at rest at t = {end.t:.3f} s: {', '.join(end.after)}")
    print("; ".join(end.notes))
    print(moved.audit)
    gap, grown = moved.audit.least_gap, float(np.diff(moved.energy).max())
    print(f"K + V grows by at most {grown:.1e} J from sample to sample")
    assert np.abs(moved.u[-1]).max() < 1e-12, "all is at rest"
    assert gap > -1e-9
    assert grown < 1e-9 * abs(moved.energy).max()


if __name__ == "__main__":
    main()
