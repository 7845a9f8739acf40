"""A heavy symmetric top on a ball joint: steady precession, and the cusps of a top that is let go.

The ball joint is described by Euler parameters, so that no position of the top is singular. Its speeds are the
components of the angular velocity in the top, and Euler's equations appear by themselves.
"""

import math

import latchwork as lw
from published import agree, letters

TILT = 0.6


def build() -> lw.Model:
    """Mass centre at l on the axis of the top; J, J, C are its moments of inertia about the tip it stands on."""
    model = lw.Model("spinning top")
    m, l, J, C, g = model.parameters(m=0.2, l=0.06, J=1.0e-3, C=2.0e-4, g=9.81)
    ball = model.ball("top", q=["e0", "e1", "e2", "e3"], u=["u1", "u2", "u3"])
    T = ball.frame
    center = ball.origin.at("center", l * T.z)
    model.body("top", frame=T, center=center, mass=m, inertia=lw.inertia(T, xx=J, yy=J, zz=C), about=ball.origin)
    model.gravity(-g * model.frame.z)
    model.describe(m="mass of the top [kg]", l="height of its centre [m]", J="inertia about the foot [kg m^2]",
                   C="inertia about its axis [kg m^2]", g="acceleration of gravity [m/s^2]")  # fmt: skip
    return model


SHOW = ("center", "u1", "u2")
DRAW = ("O", "center")


def start(rate: float, spin: float) -> dict:
    """Tilted about N.x, precessing at a rate, spinning about its axis."""
    e = {"e0": math.cos(TILT / 2), "e1": math.sin(TILT / 2), "e2": 0.0, "e3": 0.0}
    return {"q": e, "u": {"u1": 0.0, "u2": rate * math.sin(TILT), "u3": spin}}


def run(model: lw.Model) -> lw.Trajectory:
    """Let go with spin and nothing else: it falls, swings round, and comes to rest again, cusp after cusp."""
    return lw.simulate(model, until=2.0, **start(rate=0.0, spin=160.0))


def live() -> lw.Exhibit:
    """To be pushed: a top that spins fast goes aside, not along."""
    model = build()
    model.torque(model.frames["top"], -1e-5 * model.frames["top"].angular_velocity(model.frame))
    stand = lw.Cone(model.origin.at("stand", -0.13 * model.frame.z), model.origin, 0.05)
    return lw.Exhibit(model, **start(rate=0.0, spin=160.0), view="xz", shapes=(stand, *outline(model)),
                      sliders={"g": (0.0, 20.0)})  # fmt: skip


def outline(model: lw.Model) -> tuple[lw.Cone, lw.Cylinder, lw.Cylinder]:
    """The top as it is turned: from its tip to a wide rim, with a stem; dark sectors show how it spins."""
    top, center, z = model.bodies["top"], model.points["center"], model.frames["top"].z
    heights = {"foot": -0.06, "rim below": -0.002, "rim above": 0.014, "stem": 0.045}
    foot, low, high, end = (center.at(name, height * z) for name, height in heights.items())
    return top.cone(low, foot, 0.034), top.cylinder(low, high, 0.034), top.cylinder(high, end, 0.005)


def compare_euler(model: lw.Model, eq: lw.Equations) -> None:
    """Euler's equations about the tip, with the moment of the weight, l z × (-m g N.z)."""
    s, T, up = letters(model), model.frames["top"], model.frame.z
    mgl = s.m * s.g * s.l
    moments = [
        (s.J - s.C) * s.u2 * s.u3 + mgl * up.dot(T.y),
        (s.C - s.J) * s.u3 * s.u1 - mgl * up.dot(T.x),
        0,
    ]
    agree(eq, eq.f, moments)
    agree(eq, eq.M, [s.J, 0, 0, 0, s.J, 0, 0, 0, s.C])


def compare_precession(model: lw.Model, eq: lw.Equations, rate: float = 4.0) -> None:
    """At the spin s with J Ω² cos θ - C s Ω + m g l = 0 the top keeps its height and goes round at Ω."""
    s = letters(model)
    spin = eq.evaluate((s.J * rate**2 * math.cos(TILT) + s.m * s.g * s.l) / (s.C * rate), **start(0.0, 0.0))
    steady = lw.simulate(eq, until=1.0, **start(rate, spin))
    x, y, z = steady["center"].T
    turned = math.atan2(x[0] * y[-1] - y[0] * x[-1], x[0] * x[-1] + y[0] * y[-1])
    assert abs(z - z[0]).max() < 1e-8
    assert abs(math.remainder(turned - rate * 1.0, 2 * math.pi)) < 1e-6
    print(f"\nsteady precession at {rate} rad/s takes a spin of {spin:.1f} rad/s; it keeps its height")


def main() -> None:
    model = build()
    eq = model.equations()
    compare_euler(model, eq)
    print(eq, eq.partial_velocities(), sep="\n\n")
    compare_precession(model, eq)
    print("", run(model).audit, sep="\n")


if __name__ == "__main__":
    main()
