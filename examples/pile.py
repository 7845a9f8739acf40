"""A pile of disks that settles in a box. Every disk may touch every other and the walls; which do, and how, is found.

Impacts come too thick to be followed one by one, so the run is stepped (`lw.TimeStepping`) until all is at rest; from
there on events are watched again, and nothing moves.
"""

import numpy as np

import latchwork as lw

RADIUS, WIDTH = 0.1, 0.5
STEP = 2e-3


def places(disks: int = 8, row: int = 2, seed: int = 1) -> dict[str, float]:
    """Rows of disks over the floor, a little out of line."""
    rng = np.random.default_rng(seed)
    q = {}
    for k in range(disks):
        up, along = divmod(k, row)
        dx, dy = 0.02 * rng.uniform(-1.0, 1.0, 2)
        q |= {f"x{k}": 0.25 * (along - 0.5 * (row - 1)) + dx, f"y{k}": 0.15 + 0.26 * up + dy, f"a{k}": 0.0}
    return q


def build(disks: int = 8, width: float = WIDTH) -> lw.Model:
    """Disks of 1 kg in a box: friction 0.5, restitution 0.2."""
    model = lw.Model("pile")
    N, O = model.frame, model.origin
    walls = {"floor": lw.Line(O, N.x, N.y), "left": lw.Line(O.at("left", -0.5 * width * N.x), N.y, N.x),
             "right": lw.Line(O.at("right", 0.5 * width * N.x), N.y, -N.x)}  # fmt: skip
    light = 0.25 * RADIUS**2
    for k in range(disks):
        link = model.planar(f"d{k}", q=[f"x{k}", f"y{k}", f"a{k}"], u=[f"vx{k}", f"vy{k}", f"w{k}"])
        body = model.body(f"disk{k}", link.frame, link.origin, 1.0, lw.inertia(link.frame, light, light, 2.0 * light))
        body.circle(RADIUS)
    model.collide(model.bodies, walls, friction=0.5, restitution=0.2)
    model.gravity(-9.81 * N.y)
    return model


SHOW = ("y0", "y3", "y7")
DRAW: tuple[str, ...] = ()


def run(model: lw.Model, until: float = 3.0) -> lw.Trajectory:
    """The disks fall from rest."""
    thick = lw.TimeStepping(step=STEP, always=True)
    return lw.simulate(model, until, q=places(_disks(model)), thick=thick)


def live() -> lw.Exhibit:
    """To be dug through by hand: take a disk, and lift the others with it."""
    model = build()
    return lw.Exhibit(model, q=places(), u={}, hold="disk7", step=STEP, thick=lw.TimeStepping(step=STEP, always=True))


def _disks(model: lw.Model) -> int:
    return sum(name.startswith("y") for name in model.symbols)


def least_gap(moved: lw.Trajectory, disks: int, width: float) -> float:
    """The least gap at any sample, from coordinates alone."""
    x, y = (np.array([moved[f"{c}{k}"] for k in range(disks)]) for c in "xy")
    walls = min((y - RADIUS).min(), (0.5 * width - RADIUS - abs(x)).min())
    return float(min(walls, *((np.hypot(x[i] - x[:i], y[i] - y[:i]) - 2 * RADIUS).min() for i in range(1, disks))))


def main() -> None:
    model = build()
    moved = run(model)
    end = moved.events[-1]
    print(f"at rest at t = {end.t:.3f} s: {', '.join(end.after)}")
    print(f"{'; '.join(end.notes)}; {len(moved.contacts)} pairs came near")
    print(moved.audit)
    gap, grown = least_gap(moved, 8, WIDTH), float(np.diff(moved.energy).max())
    print(f"least gap {gap:.1e} m; K + V grows by at most {grown:.1e} J from sample to sample")
    assert np.abs(moved.u[-1]).max() < 1e-12, "all is at rest"
    assert gap > -1e-9
    assert grown < 1e-9 * moved.energy[0]


if __name__ == "__main__":
    main()
