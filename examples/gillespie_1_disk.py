"""Gillespie, Example 1: a disk on a ramp. It slides with two degrees of freedom, or rolls with one.

The speed of the rim, u2 = r q̇2, is chosen as a generalized speed, so that rolling reads u1 + u2 = 0.
"""

import math

import latchwork as lw
from latchwork import dt, sin
from published import agree, agree_constrained, agree_table, letters


def build(rolling: bool = False) -> lw.Model:
    """The disk under gravity and a friction force F_f; rolling is a motion constraint built into the speeds."""
    model = lw.Model("rolling disk" if rolling else "sliding disk")
    m, J, r, g, phi = model.parameters(m=1.0, J=0.5, r=1.0, g=9.8, phi=math.pi / 12)
    F_f = model.input("F_f")
    q1, q2 = model.coordinates("q1", "q2")
    if rolling:
        model.speeds(u1=dt(q1), zero=[dt(q1) + r * dt(q2)])
    else:
        model.speeds(u1=dt(q1), u2=r * dt(q2))

    N, O = model.frame, model.origin
    A = N.rotated("A", phi, N.z)
    B = A.rotated("B", q2, A.z)
    Bo = O.at("Bo", q1 * A.x + r * A.y)
    Bo.at("Rim", r * B.y)
    model.body("disk", frame=B, center=Bo, mass=m, inertia=lw.inertia(B, zz=J))
    model.gravity(-g * N.y)
    model.force(Bo, -F_f * A.x, name="friction")
    model.torque(B, -r * F_f * A.z, name="friction")
    model.describe(m="mass of the disk [kg]", J="its inertia [kg m^2]", r="its radius [m]",
                   g="acceleration of gravity [m/s^2]", phi="slope of the ramp [rad]", F_f="friction [N]",
                   q1="place along the ramp [m]", q2="angle of the disk [rad]")  # fmt: skip
    return model


def variants() -> list[lw.Model]:
    """Rolling with one speed, sliding with two."""
    return [build(rolling=True), build()]


SHOW = ("q1", "q2", "u1")
DRAW = ("Bo", "Rim")


def outline(model: lw.Model) -> tuple[lw.Circle, lw.Line]:
    """The disk, and the ramp that its coordinates hold it on."""
    A = model.frames["A"]
    ramp = lw.Line(point=model.origin, direction=A.x, normal=A.y)
    return model.bodies["disk"].circle(model.symbols["r"]), ramp


def run(model: lw.Model) -> lw.Trajectory:
    """Sent up the ramp at 7 m/s; it comes back."""
    return lw.simulate(model, until=5.0, q={"q1": 0.0, "q2": 0.0}, u={"u1": 7.0})


def compare_sliding() -> None:
    """Eqs. 6 and 36-40; F2 of Eq. 39 with the sign of Eq. 40."""
    model = build()
    eq, s = model.equations(), letters(model)
    A, B, Bo = model.frames["A"], model.frames["B"], model.points["Bo"]
    print(eq)
    print("\nGillespie, Eq. 40:  -m g sin(phi) - F_f - m dt(u1) = 0,  -F_f - J/r^2 dt(u2) = 0")
    agree(eq, [*eq.Y, *eq.Z, *eq.W, *eq.X], [1, 0, 0, s.r, 0, 0, 1, 0, 0, 1 / s.r, 0, 0])
    agree(eq, [eq.velocity(Bo), eq.angular_velocity(B)], [s.u1 * A.x, s.u2 / s.r * A.z])
    agree(eq, [eq.acceleration(Bo), eq.angular_acceleration(B)], [dt(s.u1) * A.x, dt(s.u2) / s.r * A.z])
    agree(eq, eq.Fr, [-s.m * s.g * sin(s.phi) - s.F_f, -s.F_f])
    agree(eq, eq.Fr_star, [-s.m * dt(s.u1), -s.J / s.r**2 * dt(s.u2)])
    agree_table(eq, "Gillespie, after Eq. 36", {"v_r^Bo": (A.x, 0 * A.x), "w_r^B": (0 * A.z, A.z / s.r)})


def compare_rolling() -> None:
    """Eqs. 7, 41 and 42: u2 = D u1 with D = -1, and friction drops out."""
    model = build(rolling=True)
    eq, s, A = model.equations(), letters(model), model.frames["A"]
    print("", eq, sep="\n\n")
    print("\nGillespie, Eq. 42:  -m g sin(phi) - (m + J/r^2) dt(u1) = 0")
    agree(eq, [s.r * eq.W[1, 0]], [-1])
    agree(eq, eq.Fr, [-s.m * s.g * sin(s.phi)])
    agree(eq, eq.Fr_star, [-(s.m + s.J / s.r**2) * dt(s.u1)])
    agree_table(eq, "Gillespie, before Eq. 41", {"v_r^Bo": (A.x,), "w_r^B": (-A.z / s.r,)})


def compare_embedded() -> None:
    """Eq. 42 again, from the sliding disk with the constraint u1 + u2 = 0 embedded."""
    model = build()
    s = letters(model)
    rolling = model.equations().embed(lw.Constraint("rolling", s.u1 + s.u2), independent=["u1"])
    print("", rolling, sep="\n\n")
    agree(rolling.equations, [*rolling.D, *rolling.E], [-1, 0])
    agree_constrained(rolling, [-s.m * s.g * sin(s.phi) - (s.m + s.J / s.r**2) * dt(s.u1)])


def main() -> None:
    compare_sliding()
    compare_rolling()
    compare_embedded()


if __name__ == "__main__":
    main()
