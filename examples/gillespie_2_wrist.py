"""Gillespie, Example 2: a spherical robot wrist, and what a good choice of generalized speeds is worth.

With u = q̇ the dynamical equations fill a page that the paper does not print. With u_i = ω · c_i, the angular velocity
along the axes of the last link, they are three short lines, and the mass matrix is diagonal.
"""

import latchwork as lw
from latchwork import cos, dt, sin
from published import agree, letters


def build(speeds: str = "w . c") -> lw.Model:
    """Links A and B without mass, C with its mass centre at L c3; ``speeds`` is "w . c" or "dt(q)"."""
    model = lw.Model("spherical wrist" if speeds == "w . c" else "spherical wrist, u = dt(q)")
    M, L, I1, I2, I3, G = model.parameters(M=1.0, L=0.5, I1=0.10, I2=0.08, I3=0.05, G=9.81)
    T1, T2, T3, F1, F2, F3 = model.inputs(T1=0, T2=0, T3=0, F1=0, F2=0, F3=0)
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")

    N, O = model.frame, model.origin  # N.x is vertical
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.y)
    C = B.rotated("C", q3, B.z)
    Co = O.at("Co", L * C.z)
    if speeds == "w . c":
        w = C.angular_velocity(N)
        model.speeds(u1=w.dot(C.x), u2=w.dot(C.y), u3=w.dot(C.z))
    else:
        model.speeds(u1=dt(q1), u2=dt(q2), u3=dt(q3))

    model.body("C", frame=C, center=Co, mass=M, inertia=lw.inertia(C, xx=I1, yy=I2, zz=I3))
    model.gravity(-G * N.x)
    model.torque(C, T1 * C.x + T2 * C.y + T3 * C.z, name="contact")
    model.force(Co, F1 * C.x + F2 * C.y + F3 * C.z, name="contact")
    model.describe(M="mass of the hand [kg]", L="distance to its centre [m]", I1="inertia [kg m^2]",
                   I2="inertia [kg m^2]", I3="inertia [kg m^2]", G="acceleration of gravity [m/s^2]",
                   T1="torque [N m]", T2="torque [N m]", T3="torque [N m]", F1="force [N]", F2="force [N]",
                   F3="force [N]", q1="first angle [rad]", q2="second angle [rad]", q3="third angle [rad]")  # fmt: skip
    return model


def variants() -> list[lw.Model]:
    """In both sets of speeds."""
    return [build(), build("dt(q)")]


SHOW = ("q1", "q2", "q3")
DRAW = ("O", "Co")
VIEW = "yx"


def run(model: lw.Model) -> lw.Trajectory:
    """Let go from the horizontal with a spin about its own axis."""
    return lw.simulate(model, until=6.0, q={"q1": 0.4, "q2": 1.2, "q3": 0.0}, u={"u3": 25.0})


def live() -> lw.Exhibit:
    """To be swung and twisted by hand."""
    model = build()
    model.torque(model.frames["C"], -0.02 * model.frames["C"].angular_velocity(model.frame))
    return lw.Exhibit(model, q={"q1": 0.4, "q2": 1.2, "q3": 0.0}, u={"u3": 25.0}, view=VIEW, shapes=outline(model),
                      sliders={"G": (0.0, 20.0), "M": (0.3, 3.0)})  # fmt: skip


def outline(model: lw.Model) -> tuple[lw.Capsule, lw.Box]:
    """The forearm from the joint to the hand, and the hand, flat as it is."""
    C, hand = model.bodies["C"], model.points["Co"]
    arm = C.capsule(hand.at("elbow", -0.5 * model.frames["C"].z), hand, 0.035)
    return arm, C.box((0.22, 0.09, 0.3), hand.at("palm", 0.1 * model.frames["C"].z))


def printed(s) -> tuple[list[lw.Expr], list[lw.Expr]]:
    """The kinematical equations (Eq. 50) and the dynamical ones (Eq. 49)."""
    s1, c1, s2, c2, s3, c3 = sin(s.q1), cos(s.q1), sin(s.q2), cos(s.q2), sin(s.q3), cos(s.q3)
    qdot = [
        (s3 * s.u2 - c3 * s.u1) / s2,
        s3 * s.u1 + c3 * s.u2,
        s.u3 - c2 * (s3 * s.u2 - c3 * s.u1) / s2,
    ]
    ML2, GM = s.M * s.L**2, s.G * s.M
    udot = [
        (s.T1 - s.L * (s.F2 + GM * (s1 * c3 + s3 * c1 * c2)) - (s.I3 - s.I2 - ML2) * s.u2 * s.u3) / (s.I1 + ML2),
        (s.T2 + s.L * (s.F1 + GM * (s1 * s3 - c1 * c2 * c3)) + (s.I3 - s.I1 - ML2) * s.u1 * s.u3) / (s.I2 + ML2),
        (s.T3 + (s.I1 - s.I2) * s.u1 * s.u2) / s.I3,
    ]
    return qdot, udot


def table_3(plain: lw.Equations, chosen: lw.Equations) -> str:
    """Operations in the dynamical equations: the paper's count, ours as printed, ours after sharing."""
    rows = [
        ("", "u = dt(q)", "", "", "u_i = w . c_i", "", ""),
        ("", "paper", "printed", "shared", "paper", "printed", "shared"),
    ]
    papers = {"multiplies": (790, 29), "adds": (285, 16), "trig": (372, 10)}
    for kind, label in (("multiplies", "multiply, divide"), ("adds", "add, subtract"), ("trig", "sin, cos")):
        row = [label]
        for paper, eq in zip(papers[kind], (plain, chosen), strict=True):
            row += [paper, getattr(eq.operations_literal, kind), getattr(eq.operations, kind)]
        rows.append(tuple(row))
    return "\n".join("{:<18}{:>10}{:>9}{:>8}{:>15}{:>9}{:>8}".format(*row).rstrip() for row in rows)


def main() -> None:
    model = build()
    eq, s = model.equations(), letters(model)
    qdot, udot = printed(s)
    agree(eq, eq.qdot_expressions, qdot)
    agree(eq, eq.udot_expressions, udot)
    assert eq.M.is_diagonal

    plain = build("dt(q)").equations()
    agree(plain, plain.qdot_expressions, plain.u)  # Eq. 48
    print(eq, eq.partial_velocities(), sep="\n\n")
    print("\nGillespie, Eq. 49", *(f"  dt(u{r}) = {e}" for r, e in enumerate(udot, start=1)), sep="\n")
    print("\nGillespie, Table 3\n" + table_3(plain, eq))

    literal, shared = eq.operations_literal, eq.operations
    assert literal.multiplies <= 29
    assert literal.adds <= 16
    assert literal.trig <= 10
    assert shared.trig <= 5


if __name__ == "__main__":
    main()
