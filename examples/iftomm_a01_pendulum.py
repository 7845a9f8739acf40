"""IFToMM A01: a pendulum in Cartesian coordinates.

Two coordinates and one distance: neither x nor y serves as the independent coordinate for a whole swing, so the speeds
change places on the way, unasked. The solution is known in elliptic functions.
"""

import latchwork as lw
from latchwork import dt
from published import agree_constrained, letters, residual

# x, y after 10 s, released from x = -1 with g = 9.81: Jacobi's elliptic functions
END = (-0.2750874625761169, -0.9614192050991251)


def build() -> lw.Model:
    """A particle of 1 kg on a massless rod of 1 m."""
    model = lw.Model("pendulum in Cartesian coordinates")
    m, l, g = model.parameters(m=1.0, l=1.0, g=9.81)
    x, y = model.coordinates("x", "y")
    model.speeds(vx=dt(x), vy=dt(y))
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("P", P, m)
    model.gravity(-g * model.frame.y)
    model.constraint("rod", x**2 + y**2 - l**2)
    model.describe(m="mass [kg]", l="length [m]", g="acceleration of gravity [m/s^2]", x="place [m]", y="height [m]")
    return model


SHOW = ("x", "y", "vx", "vy")
DRAW = ("O", "P")


def run(model: lw.Model, until: float = 3.0) -> lw.Trajectory:
    """Released from the horizontal."""
    method = lw.DormandPrince(rtol=1e-12, atol=1e-13)
    return lw.simulate(model, until, q={"x": -1.0, "y": 0.0}, method=method)


def main() -> None:
    model = build()
    held = model.equations().embed(*model.constraints, independent=["vx"])
    s = letters(model)
    vy = -s.x / s.y * s.vx
    print(held)
    agree_constrained(held, [-s.m * dt(s.vx) - s.x / s.y * (-s.m * s.g - s.m * dt(vy))])

    moved = run(model, until=10.0)
    drift, off = abs(moved.energy).max(), abs(moved["P"][-1, :2] - END).max()
    assert drift < 1e-6
    assert off < 1e-9
    assert residual(moved, model.constraints).max() < 1e-11
    print(f"\n10 s: off by {off:.1e} m, energy by at most {drift:.1e} J", moved.audit, sep="\n")


if __name__ == "__main__":
    main()
