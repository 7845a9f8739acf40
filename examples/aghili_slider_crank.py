"""Aghili, §VIII: a slider-crank of equal lengths, through its singular positions.

When the crank stands upright the slider is at the crank's bearing, and the one constraint has no direction: its row is
zero there. The motion is not singular, and neither is the constraint force. Copies of the constraint change nothing.
"""

import math

import latchwork as lw
from latchwork import cos, dt, sin
from published import letters, residual

START = 2 * math.pi / 3
END = (39.450832268551828352, 3.8556413386490567530)  # θ and θ̇ after 10 s: the exact equation, in 32 digits


def build(copies: int = 1) -> lw.Model:
    """Particles B and C at the ends of two massless links; C slides along N.x. A torque f1 acts on the crank."""
    model = lw.Model("slider-crank of equal lengths")
    m, l, g = model.parameters(m=1.0, l=1.0, g=9.81)
    f1 = model.input("f1", 1.0)
    N = model.frame
    crank = model.revolute("crank", q=["q1"], u=["u1"])
    B = crank.origin.at("B", l * crank.frame.x)
    rod = model.revolute("rod", crank, at=B, q=["q2"], u=["u2"])
    C = B.at("C", l * rod.frame.x)
    model.particle("B", B, m)
    model.particle("C", C, m)
    model.gravity(-g * N.y)
    model.torque(crank, f1 * N.z, name="motor")
    for k in range(copies):
        model.constraint(f"slot{k or ''}", C.position().dot(N.y))
    model.describe(m="mass of a rod [kg]", l="its length [m]", g="acceleration of gravity [m/s^2]",
                   f1="torque on the crank [N m]", q1="angle of the crank [rad]",
                   q2="angle between the rods [rad]")  # fmt: skip
    return model


SHOW = ("q1", "u1", "C")
DRAW = ("O", "B", "C")


def run(model: lw.Model, until: float = 2.0) -> lw.Trajectory:
    """From rest; the torque winds it up, turn after turn, twice through a singular position in each."""
    method = lw.DormandPrince(rtol=1e-12, atol=1e-13)
    return lw.simulate(model, until, q={"q1": START, "q2": 2 * math.pi - 2 * START}, method=method)


def live() -> lw.Exhibit:
    """To be turned by hand, or by the motor, through positions in which the slot has no direction."""
    model = build()
    model.resist(model.links["crank"], damping=0.4)
    return lw.Exhibit(model, q={"q1": START, "q2": 2 * math.pi - 2 * START}, u={}, inputs={"f1": 0.0}, draw=DRAW,
                      hold="C", sliders={"f1": (-12.0, 12.0), "g": (0.0, 20.0)})  # fmt: skip


def exact(s) -> tuple[lw.Expr, lw.Expr]:
    """What is left of the equation in θ = q1 (Fig. 4), and the constraint force (F_c, F_c/2) by Newton's law for C."""
    turn, rate = dt(s.u1), s.u1
    inertia = s.m * s.l**2 * (3 - 2 * cos(2 * s.q1)) * turn + 2 * s.m * s.l**2 * sin(2 * s.q1) * rate**2
    along = -2 * s.l * (sin(s.q1) * turn + cos(s.q1) * rate**2)
    return inertia + s.m * s.g * s.l * cos(s.q1) - s.f1, 2 * s.m * s.l * (sin(s.q1) * along + s.g * cos(s.q1))


def compare(copies: int) -> lw.Trajectory:
    """Ten seconds: the motion to 1e-7, the equation and the force at every step."""
    model = build(copies)
    moved, s = run(model, until=10.0), letters(model)
    eq, (equation, force) = moved.equations, exact(letters(model))
    ours = [sum((eq.M[i, j] * dt(u) for j, u in enumerate(eq.u)), start=-eq.f[i]) for i in (0, 1)]
    off = max(abs(moved["q1"][-1] - END[0]), abs(moved["u1"][-1] - END[1]))
    assert off < 1e-7
    assert abs(moved[equation]).max() < 1e-5
    assert abs(moved[ours[0] - force]).max() < 1e-5
    assert abs(moved[2 * ours[1] - force]).max() < 1e-5
    assert abs(moved["q2 + 2*q1"] - 2 * math.pi).max() < 1e-9, "it never leaves its branch"
    assert residual(moved, model.constraints).max() < 1e-11
    redundant = model.constrained().redundant
    assert len(redundant) == copies - 1
    turns, least, most = END[0] / (2 * math.pi), abs(moved[cos(s.q1)]).min(), abs(moved[ours[0]]).max()
    print(f"{copies} x slot: {turns:.1f} turns in 10 s, off by {off:.1e}; closest to singular {least:.0e}, "
          f"force at most {most:.1f} N m; redundant: {', '.join(redundant) or 'none'}")  # fmt: skip
    return moved


def main() -> None:
    once, twice, five = (compare(copies) for copies in (1, 2, 5))
    assert abs(once.x - twice.x).max() == 0.0
    assert abs(once.x - five.x).max() == 0.0


if __name__ == "__main__":
    main()
