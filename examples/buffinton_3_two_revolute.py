"""Buffinton, §6.3: a planar robot with two revolute joints, and what can be done once its equations are there.

An external force and joint damping are added to the finished equations, and the equations are taken from joint space to
operational space, where the speeds are the components of the velocity of the tip.
"""

import latchwork as lw
from latchwork import cos, dt, sin
from published import agree, agree_table, letters


def build(operational: bool = False) -> lw.Model:
    """Two links without mass, a particle at the end of each; q1 is measured from the horizontal."""
    model = lw.Model("two-link robot, operational space" if operational else "two-link robot")
    m, L, g = model.parameters(m=1.0, L=0.5, g=9.81)
    T_A, T_AB = model.inputs(T_A=0.0, T_AB=0.0)
    q1, q2 = model.coordinates("q1", "q2")

    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.z)
    P1 = O.at("P1", L * A.x)
    P2 = P1.at("P2", L * B.x)
    if operational:
        v = P2.velocity()
        model.speeds(v1=v.dot(N.x), v2=v.dot(N.y))
    else:
        model.speeds(u1=dt(q1), u2=dt(q2))

    model.particle("P1", P1, m)
    model.particle("P2", P2, m)
    model.gravity(-g * N.y)
    model.torque(A, T_A * A.z, name="shoulder")
    model.torque(B, T_AB * B.z, reaction=A, name="elbow")
    model.describe(m="mass at the end of a link [kg]", L="length of a link [m]", g="acceleration of gravity [m/s^2]",
                   T_A="torque of the shoulder [N m]", T_AB="torque of the elbow [N m]",
                   q1="angle of the shoulder [rad]", q2="angle of the elbow [rad]")  # fmt: skip
    return model


def added(model: lw.Model) -> list[lw.Force | lw.Torque]:
    """A force at the tip (Eq. 6.27) and damping in the joints (Eq. 6.28; the elbow damps its relative rate)."""
    Fx, Fy = model.inputs(Fx=0.0, Fy=0.0)
    b1, b2 = model.parameters(b1=0.1, b2=0.05)
    N, A, B = model.frame, model.frames["A"], model.frames["B"]
    q1, q2 = model.symbols["q1"], model.symbols["q2"]
    return [
        lw.Force(model.points["P2"], Fx * N.x + Fy * N.y, name="at the tip"),
        lw.Torque(A, -b1 * dt(q1) * A.z, name="shoulder damping"),
        lw.Torque(B, -b2 * dt(q2) * B.z, reaction=A, name="elbow damping"),
    ]


def variants() -> list[lw.Model]:
    """In joint space and in operational space."""
    return [build(), build(operational=True)]


SHOW = ("q1", "q2", "u1", "u2")
DRAW = ("O", "P1", "P2")


def run(model: lw.Model) -> lw.Trajectory:
    """The arm falls from the horizontal, damped in its joints."""
    eq = model.equations().with_loads(*added(model))
    return lw.simulate(eq, until=6.0, q={"q1": 0.0, "q2": 0.3})


def compare_kinematics(model: lw.Model, eq: lw.Equations) -> None:
    """Velocities (6.14-6.17), Table 6.1, accelerations (6.18, 6.19)."""
    s, (A, B) = letters(model), (model.frames["A"], model.frames["B"])
    P1, P2, L, u1, u12 = model.points["P1"], model.points["P2"], s.L, s.u1, s.u1 + s.u2
    a1 = -L * u1**2 * A.x + L * dt(u1) * A.y
    a2 = a1 - L * u12**2 * B.x + L * (dt(s.u1) + dt(s.u2)) * B.y
    agree(eq, [eq.angular_velocity(A), eq.angular_velocity(B)], [u1 * A.z, u12 * B.z])
    agree(eq, [eq.velocity(P1), eq.velocity(P2)], [L * u1 * A.y, L * u1 * A.y + L * u12 * B.y])
    agree(eq, [eq.acceleration(P1), eq.acceleration(P2)], [a1, a2])
    table = {
        "w_r^A": (A.z, 0 * A.z),
        "w_r^B": (B.z, B.z),
        "v_r^P1": (L * A.y, 0 * A.y),
        "v_r^P2": (L * (A.y + B.y), L * B.y),
    }
    agree_table(eq, "Buffinton, Table 6.1", table)


def printed(s) -> tuple[list[lw.Expr], list[lw.Expr]]:
    """F_r (6.24, 6.25) and F_r* (6.21, 6.22), corrected: u1² in 6.22; cosines of q1 and q1 + q2 in 6.24 and 6.25."""
    s2, c2, c1, c12 = sin(s.q2), cos(s.q2), cos(s.q1), cos(s.q1 + s.q2)
    u1, u2, mL2, mgL = s.u1, s.u2, s.m * s.L**2, s.m * s.g * s.L
    F_star = [
        -mL2 * ((3 + 2 * c2) * dt(u1) + (1 + c2) * dt(u2) + s2 * (u1**2 - (u1 + u2) ** 2)),
        -mL2 * ((1 + c2) * dt(u1) + dt(u2) + s2 * u1**2),
    ]
    return [s.T_A - mgL * (2 * c1 + c12), s.T_AB - mgL * c12], F_star


def compare_added(model: lw.Model, eq: lw.Equations) -> None:
    """What Eqs. 6.27 and 6.28 add to F_r."""
    loaded = eq.with_loads(*added(model))
    s = letters(model)
    x1, y1 = -s.L * sin(s.q1 + s.q2), s.L * cos(s.q1 + s.q2)
    tip = [s.Fx * (x1 - s.L * sin(s.q1)) + s.Fy * (y1 + s.L * cos(s.q1)), s.Fx * x1 + s.Fy * y1]
    agree(loaded, [a - b for a, b in zip(loaded.Fr, eq.Fr, strict=True)], [tip[0] - s.b1 * s.u1, tip[1] - s.b2 * s.u2])
    print("", loaded, sep="\n\n")


def compare_operational() -> None:
    """Joint space taken to operational space gives what a derivation with those speeds gives, and back again."""
    joint, derived = build(), build(operational=True).equations()
    eq, N = joint.equations(), joint.frame
    v = eq.velocity(joint.points["P2"])
    taken = eq.in_speeds(v1=v.dot(N.x), v2=v.dot(N.y))
    state = {"q": [0.4, 1.1], "u": [0.3, -0.7], "r": [1.0, 0.5]}
    assert max(abs(taken.udot(**state) - derived.udot(**state))) < 1e-12
    back = taken.in_speeds(w1=dt(joint.symbols["q1"]), w2=dt(joint.symbols["q2"]))
    assert max(abs(back.udot(**state) - eq.udot(**state))) < 1e-12
    print("", derived, derived.partial_velocities(), sep="\n\n")


def main() -> None:
    model = build()
    eq = model.equations()
    print(eq)
    compare_kinematics(model, eq)
    active, inertia = printed(letters(model))
    agree(eq, eq.Fr, active)
    agree(eq, eq.Fr_star, inertia)
    for r in range(2):
        print(f"\nBuffinton  F_{r + 1} = {active[r]}\n           F_{r + 1}* = {inertia[r]}")
    compare_added(model, eq)
    compare_operational()


if __name__ == "__main__":
    main()
