"""Buffinton, §6.5.2: the two-link robot grasps a particle that slides in a horizontal slot.

Apart, robot and particle have three degrees of freedom. Grasped, P2 moves as P3 does: two motion constraints, built
into the speeds, leave one.
"""

import math

import latchwork as lw
from buffinton_3_two_revolute import printed as robot
from latchwork import cos, dt, sin
from published import agree, agree_constrained, letters


def build(grasped: bool = True) -> lw.Model:
    """The robot of §6.3 and the particle P3, apart or grasped."""
    model = lw.Model("robot with its grasp" if grasped else "robot and particle")
    m, L, g, m3 = model.parameters(m=1.0, L=0.5, g=9.81, m3=2.0)
    T_A, T_AB = model.inputs(T_A=0.0, T_AB=0.0)
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")

    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.z)
    P1 = O.at("P1", L * A.x)
    P2 = P1.at("P2", L * B.x)
    P3 = O.at("P3", q3 * N.x)
    if grasped:
        slip = P2.velocity() - P3.velocity()
        model.speeds(u1=dt(q1), zero=[slip.dot(N.x), slip.dot(N.y)])
    else:
        model.speeds(u1=dt(q1), u2=dt(q2), u3=dt(q3))

    model.particle("P1", P1, m)
    model.particle("P2", P2, m)
    model.particle("P3", P3, m3)
    model.gravity(-g * N.y)
    model.torque(A, T_A * A.z, name="shoulder")
    model.torque(B, T_AB * B.z, reaction=A, name="elbow")
    model.describe(m="mass at the end of a link [kg]", L="length of a link [m]", g="acceleration of gravity [m/s^2]",
                   m3="mass of the object [kg]", T_A="torque of the shoulder [N m]",
                   T_AB="torque of the elbow [N m]", q1="angle of the shoulder [rad]",
                   q2="angle of the elbow [rad]")  # fmt: skip
    return model


def variants() -> list[lw.Model]:
    """Grasped, and apart."""
    return [build(), build(grasped=False)]


SHOW = ("q1", "q2", "q3", "u1")
DRAW = ("O", "P1", "P2")


def run(model: lw.Model) -> lw.Trajectory:
    """The elbow falls and rises; the particle slides to and fro along the slot."""
    q1 = math.pi / 5
    return lw.simulate(model, until=4.0, q={"q1": q1, "q2": -2 * q1, "q3": math.cos(q1)}, u={"u1": 0.0})


def compare_apart() -> lw.Equations:
    """Eqs. 6.21-6.25 as corrected, and 6.73, 6.74 for the particle."""
    model = build(grasped=False)
    eq, s = model.equations(), letters(model)
    active, inertia = robot(s)
    agree(eq, eq.Fr, [*active, 0])
    agree(eq, eq.Fr_star, [*inertia, -s.m3 * dt(s.u3)])
    return eq


def grasped(s) -> tuple[lw.Expr, lw.Expr, lw.Expr, lw.Expr]:
    """α21 and α31 of Eqs. 6.71 and 6.72; F̃_1 and F̃_1* of 6.75: F_1 + F_1* + α21 (F_2 + F_2*) + α31 (F_3 + F_3*)."""
    c12 = cos(s.q1 + s.q2)
    a21, a31 = -(cos(s.q1) + c12) / c12, s.L * sin(s.q2) / c12
    s.u2, s.u3 = a21 * s.u1, a31 * s.u1
    F, F_star = robot(s)
    return a21, a31, F[0] + a21 * F[1], F_star[0] + a21 * F_star[1] - a31 * s.m3 * dt(s.u3)


def compare_grasped() -> lw.Equations:
    """Eqs. 6.71, 6.72 and 6.75, with the grasp built into the speeds."""
    model = build()
    eq = model.equations()
    a21, a31, F, F_star = grasped(letters(model))
    agree(eq, eq.W, [1, a21, a31])
    agree(eq, eq.Fr, [F])
    agree(eq, eq.Fr_star, [F_star])
    return eq


def compare_embedded() -> lw.Constrained:
    """The same from robot and particle apart, with the grasp P2 = P3 (6.66-6.70) embedded as a constraint."""
    model = build(grasped=False)
    apart = model.points["P2"].position(model.points["P3"])
    N = model.frame
    held = model.equations().embed(lw.Constraint("grasp", [apart.dot(N.x), apart.dot(N.y)]), independent=["u1"])
    a21, a31, F, F_star = grasped(letters(model))
    agree(held.equations, [*held.D, *held.E], [a21, a31, 0, 0])
    agree_constrained(held, [F + F_star])
    return held


def main() -> None:
    print(compare_apart())
    held = compare_grasped()
    print("", held, held.partial_velocities(), compare_embedded(), sep="\n\n")

    moved = run(build())
    assert abs(moved["P2"] - moved["P3"]).max() < 1e-6, "the grasp holds"


if __name__ == "__main__":
    main()
