"""A double pendulum of two uniform rods, written with joints: the textbook's equations, and a chaotic run."""

import latchwork as lw
from latchwork import cos, dt, sin
from published import agree, letters


def build() -> lw.Model:
    """Two revolute joints; q1 from the downward vertical, q2 from the first rod."""
    model = lw.Model("double pendulum")
    m, L, g = model.parameters(m=1.0, L=1.0, g=9.81)
    upper = model.revolute("upper", q=["q1"], u=["u1"])
    elbow = upper.origin.at("elbow", -L * upper.frame.y)
    lower = model.revolute("lower", upper, at=elbow, q=["q2"], u=["u2"])
    lower.origin.at("tip", -L * lower.frame.y)
    for link in (upper, lower):
        middle = link.origin.at(f"{link.name}_middle", -L / 2 * link.frame.y)
        rod = lw.inertia(link.frame, xx=m * L**2 / 12, zz=m * L**2 / 12)
        model.body(link.name, frame=link, center=middle, mass=m, inertia=rod)
    model.gravity(-g * model.frame.y)
    model.describe(m="mass of a rod [kg]", L="its length [m]", g="acceleration of gravity [m/s^2]",
                   q1="angle of the upper rod [rad]", q2="angle between the rods [rad]")  # fmt: skip
    return model


SHOW = ("q1", "q2")
DRAW = ("O", "elbow", "tip")


def run(model: lw.Model) -> lw.Trajectory:
    """Let go from above the horizontal."""
    return lw.simulate(model, until=10.0, q={"q1": 2.2, "q2": 0.4})


def live() -> lw.Exhibit:
    """To be grabbed: rods of a kilogram and a metre, whose elbow and shoulder can be locked."""
    model = build()
    buttons = (lw.Latch("elbow is locked", model.symbols["q2"]), lw.Latch("shoulder is locked", model.symbols["q1"]))
    ends = {"upper": "elbow", "lower": "tip"}
    rods = [model.bodies[name].capsule(model.links[name].origin, model.points[end], 0.05) for name, end in ends.items()]
    return lw.Exhibit(model, q={"q1": 0.6, "q2": 0.5}, u={}, shapes=tuple(rods), constraints=buttons,
                      sliders={"g": (0.0, 20.0), "m": (0.2, 5.0), "L": (0.5, 2.0)}, hold="lower")  # fmt: skip


def textbook(s) -> list[lw.Expr]:
    """Lagrange's equations in the absolute angles θ1 = q1, θ2 = q1 + q2, combined for q1 and q2."""
    w1, w2, mL2, mgL = s.u1, s.u1 + s.u2, s.m * s.L**2, s.m * s.g * s.L
    E1 = mL2 / 6 * (8 * dt(w1) + 3 * cos(s.q2) * dt(w2) - 3 * sin(s.q2) * w2**2) + 1.5 * mgL * sin(s.q1)
    E2 = mL2 / 6 * (2 * dt(w2) + 3 * cos(s.q2) * dt(w1) + 3 * sin(s.q2) * w1**2) + 0.5 * mgL * sin(s.q1 + s.q2)
    return [E1 + E2, E2]


def main() -> None:
    model = build()
    eq = model.equations()
    agree(eq, -(eq.Fr + eq.Fr_star), textbook(letters(model)))
    print(eq, eq.partial_velocities(), sep="\n\n")
    audit = run(model).audit
    print("", audit, sep="\n\n")
    assert audit.energy_error < 1e-6


if __name__ == "__main__":
    main()
