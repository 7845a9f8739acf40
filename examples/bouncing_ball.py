"""A ball bounces with restitution 0.9: infinitely many impacts in 8.6 s, and at rest from then on."""

import math

import latchwork as lw
from latchwork import dt
from published import jumps, near, times

H, E, G = 1.0, 0.9, 9.81


def build() -> lw.Model:
    """A ball above the ground, on a vertical line."""
    model = lw.Model("bouncing ball")
    m, r, g, e = model.parameters(m=0.2, r=0.1, g=G, e=E)
    (y,) = model.coordinates("y")
    model.speeds(v=dt(y))
    N, O = model.frame, model.origin
    Bo = O.at("Bo", y * N.y)
    ball = model.body("ball", frame=N, center=Bo, mass=m, inertia=lw.inertia(N, zz=1e-3))
    model.gravity(-g * N.y)
    model.contact("ground", ball.circle(r, Bo), lw.Line(point=O, direction=N.x, normal=N.y), restitution=e)
    model.describe(m="mass of the ball [kg]", r="its radius [m]", g="acceleration of gravity [m/s^2]",
                   e="restitution", y="height of its centre [m]")  # fmt: skip
    return model


SHOW = ("y", "v", "mode")
DRAW: tuple[str, ...] = ()


def run(model: lw.Model, until: float = 10.0) -> lw.Trajectory:
    """Dropped from one metre."""
    return lw.simulate(model, until, q={"y": H + 0.1}, method=lw.DormandPrince(rtol=1e-12, atol=1e-14))


def live() -> lw.Exhibit:
    """To be caught, lifted and thrown down."""
    model = build()
    return lw.Exhibit(model, q={"y": H + 0.1}, u={}, sliders={"e": (0.0, 1.0), "g": (1.0, 20.0), "m": (0.05, 1.0)})


def main() -> None:
    moved = run(build())
    fall = math.sqrt(2 * H / G)
    closed = [fall * (1 + 2 * E * (1 - E**k) / (1 - E)) for k in range(50)]
    near("50 impacts", times(moved, "impact")[:50], closed, 1e-9)
    before, after = jumps(moved, "v")
    near("restitution", -after[:50] / before[:50], 50 * [E], 1e-9, "as asked for")
    near("the last impact", times(moved, "impact")[-1], fall * (1 + E) / (1 - E), 1e-5, "Zeno's time")
    near("at rest", moved["y"][-1], 0.1, 1e-12)


if __name__ == "__main__":
    main()
