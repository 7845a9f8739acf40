"""A billiard break: a ball strikes fifteen in a triangle. 120 pairs may touch; nothing is said about which do."""

import itertools
import math

import numpy as np

import latchwork as lw
from latchwork import dt
from published import near, times

R, SPEED, SPREAD = 0.02625, 5.0, 1.01
LINES = "from collision to collision in closed form"


def places() -> list[tuple[float, float]]:
    """The cue ball, a little off the axis, and a triangle whose balls are a little off their places."""
    step = 2 * R * SPREAD
    rack = [(row * math.sqrt(3) / 2 * step, (k - row / 2) * step) for row in range(5) for k in range(row + 1)]
    off = [(0.002 * R * math.sin(7.0 * k), 0.002 * R * math.cos(11.0 * k)) for k in range(1, 16)]
    return [(-0.5, 0.004), *((x + dx, y + dy) for (x, y), (dx, dy) in zip(rack, off, strict=True))]


def build(balls: int = 16) -> lw.Model:
    """Balls that slide on a table without friction; they do not turn."""
    model = lw.Model("billiard")
    m, r = model.parameters(m=0.17, r=R)
    N, O = model.frame, model.origin
    q = model.coordinates(*(f"{axis}{k}" for k in range(balls) for axis in "xy"))
    model.speeds(**{f"v{s.name}": dt(s) for s in q})
    disks = []
    for k in range(balls):
        ball = O.at(f"B{k}", q[2 * k] * N.x + q[2 * k + 1] * N.y)
        model.particle(f"ball{k}", ball, m)
        disks.append(lw.Circle(ball, r, body=N))
    for i, j in itertools.combinations(range(balls), 2):
        model.contact(f"{i} and {j}", disks[i], disks[j], restitution=1.0)
    model.describe(m="mass of a ball [kg]", r="its radius [m]")
    return model


SHOW = ("x0", "y0", "x15")
DRAW: tuple[str, ...] = ()


def run(model: lw.Model, until: float = 0.6) -> lw.Trajectory:
    """The cue ball comes at 5 m/s."""
    q = {f"{axis}{k}": value for k, place in enumerate(places()) for axis, value in zip("xy", place, strict=True)}
    return lw.simulate(model, until, q=q, u={"vx0": SPEED}, method=lw.DormandPrince(rtol=1e-12, atol=1e-14))


def live() -> lw.Exhibit:
    """To be played: six balls between cushions, on cloth that slows them down."""
    balls = 6
    model = build(balls)
    N, O = model.frame, model.origin
    r, drag = model.symbols["r"], model.parameter("drag", lw.quantity(0.05, "N s/m", "drag of the cloth"))
    for k in range(balls):
        ball = model.points[f"B{k}"]
        model.force(ball, -drag * ball.velocity())
        for name, at, normal in (("left", -0.7 * N.x, N.x), ("right", 0.5 * N.x, -N.x), ("near", -0.3 * N.y, N.y),
                                 ("far", 0.3 * N.y, -N.y)):  # fmt: skip
            point = model.points.get(name) or O.at(name, at)
            cushion = lw.Line(point=point, direction=normal.cross(N.z), normal=normal)
            model.contact(f"{k} at {name}", lw.Circle(ball, r, body=N), cushion, restitution=0.8)
    q = {f"{axis}{k}": value for k, place in enumerate(places()[:balls])
         for axis, value in zip("xy", place, strict=True)}  # fmt: skip
    return lw.Exhibit(model, q=q, u={}, sliders={"drag": (0.0, 0.5)}, hold="ball0", plots=("x0", "y0"),
                      title="Six balls between cushions",
                      story="Take the white one and strike the others; the cloth slows them down.")  # fmt: skip


def collisions() -> list[float]:
    """When balls collide: straight lines in between, and equal masses exchange what is along the line of centres."""
    x, v, t, found = np.array(places()), np.zeros((16, 2)), 0.0, []
    v[0, 0] = SPEED
    i, j = np.triu_indices(16, 1)
    while True:
        dx, dv = x[i] - x[j], v[i] - v[j]
        a, b, c = (dv**2).sum(1), (dx * dv).sum(1), (dx**2).sum(1) - 4 * R**2
        meets = (b < 0) & (b * b > a * c)
        meet = np.full(len(i), np.inf)
        meet[meets] = c[meets] / (np.sqrt((b * b - a * c)[meets]) - b[meets])
        k = int(meet.argmin())
        if not np.isfinite(meet[k]):
            return found
        t, x = t + meet[k], x + v * meet[k]
        n = (x[i[k]] - x[j[k]]) / (2 * R)
        change = ((v[i[k]] - v[j[k]]) @ n) * n
        v[i[k]] -= change
        v[j[k]] += change
        found.append(t)


def main() -> None:
    moved = run(build())
    near("collisions", times(moved, "impact"), collisions(), 1e-9, LINES)
    along = [sum(moved[f"v{axis}{k}"] for k in range(16)) for axis in "xy"]
    near("momentum, x and y", [abs(along[0] - SPEED).max(), abs(along[1]).max()], [0.0, 0.0], 1e-12)
    near("energy", moved.energy[-1], moved.energy[0], 1e-12)


if __name__ == "__main__":
    main()
