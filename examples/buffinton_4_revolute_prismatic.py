"""Buffinton, §6.4: a planar robot with one revolute and one prismatic joint, a restricted model of the Stanford arm.

Link B slides through link A and carries C at its end. The ram's force acts between P, a point of A, and P̂, the point of
B that is there at the moment: P̂ has a velocity, and no place that the coordinates would tell.
"""

import latchwork as lw
from latchwork import dt
from published import agree, agree_table, letters


def build() -> lw.Model:
    """Moves in a horizontal plane, so that gravity does nothing; q2 is the reach of B beyond P."""
    model = lw.Model("revolute-prismatic robot")
    m_A, m_B, m_C = model.parameters(m_A=5.0, m_B=2.0, m_C=1.0)
    I_A, I_B, I_C = model.parameters(I_A=0.5, I_B=0.4, I_C=0.02)
    L_A, L_T, L_P, L, L_C = model.parameters(L_A=0.1, L_T=0.15, L_P=0.2, L=1.2, L_C=0.1)
    T_A, F_AB = model.inputs(T_A=0.0, F_AB=0.0)
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=dt(q1), u2=dt(q2))

    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", 0, A.z)
    C = A.rotated("C", 0, A.z)
    Ao = O.at("Ao", L_A * A.y)
    P = O.at("P", L_P * A.x + L_T * A.y)
    Bo = P.at("Bo", (q2 - L / 2) * A.x)
    Co = P.at("Co", (q2 + L_C) * A.x)
    P_hat = P.at("P_hat", 0 * A.x)
    P_hat.moves(N, P.velocity() + dt(q2) * A.x, located=False)

    model.body("A", frame=A, center=Ao, mass=m_A, inertia=lw.inertia(A, zz=I_A))
    model.body("B", frame=B, center=Bo, mass=m_B, inertia=lw.inertia(B, zz=I_B))
    model.body("C", frame=C, center=Co, mass=m_C, inertia=lw.inertia(C, zz=I_C))
    model.torque(A, T_A * A.z, name="motor")
    model.force(P_hat, F_AB * A.x, reaction=P, name="ram")
    model.describe(m_A="mass of the turret [kg]", m_B="mass of the arm [kg]", m_C="mass of the gripper [kg]",
                   I_A="inertia of the turret [kg m^2]", I_B="inertia of the arm [kg m^2]",
                   I_C="inertia of the gripper [kg m^2]", L_A="length [m]", L_T="length [m]", L_P="length [m]",
                   L="length of the arm [m]", L_C="length [m]", T_A="torque of the turret [N m]",
                   F_AB="force on the arm [N]", q1="angle of the turret [rad]", q2="reach [m]")  # fmt: skip
    return model


SHOW = ("q1", "q2", "u1", "u2")
DRAW = ("O", "P", "Co")


def run(model: lw.Model) -> lw.Trajectory:
    """The base is driven round; the ram is a spring and damper that lets the arm out and draws it in."""
    s = letters(model)
    ram = -40.0 * (s.q2 - 0.4) - 4.0 * dt(s.q2)
    return lw.simulate(model, until=6.0, q={"q1": 0.0, "q2": 0.4}, inputs={"T_A": 1.0, "F_AB": ram})


def compare_kinematics(model: lw.Model, eq: lw.Equations) -> None:
    """Velocities (6.31-6.42), Table 6.2, accelerations (6.47-6.49); 6.40 with + L_P u1 a2."""
    s, A, p = letters(model), model.frames["A"], model.points
    reach_B, reach_C = s.L_P + s.q2 - s.L / 2, s.L_P + s.q2 + s.L_C
    table = {
        "Ao": (-s.L_A * A.x, 0 * A.x),
        "P": (-s.L_T * A.x + s.L_P * A.y, 0 * A.x),
        "P_hat": (-s.L_T * A.x + s.L_P * A.y, A.x),
        "Bo": (-s.L_T * A.x + reach_B * A.y, A.x),
        "Co": (-s.L_T * A.x + reach_C * A.y, A.x),
    }
    for name, (v1, v2) in table.items():
        agree(eq, [eq.velocity(p[name])], [v1 * s.u1 + v2 * s.u2])
    spins = {f"w_r^{name}": (A.z, 0 * A.z) for name in "ABC"}
    agree_table(eq, "Buffinton, Table 6.2", spins | {f"v_r^{name}": row for name, row in table.items()})
    agree(eq, [eq.acceleration(p["Ao"])], [-s.L_A * dt(s.u1) * A.x - s.L_A * s.u1**2 * A.y])
    for name, reach in (("Bo", reach_B), ("Co", reach_C)):
        along = -s.L_T * dt(s.u1) + dt(s.u2) - reach * s.u1**2
        across = reach * dt(s.u1) - s.L_T * s.u1**2 + 2 * s.u1 * s.u2
        agree(eq, [eq.acceleration(p[name])], [along * A.x + across * A.y])


def printed(s) -> tuple[list[lw.Expr], list[lw.Expr]]:
    """F_r (6.63, 6.64) and F_r* (6.56-6.61), the Coriolis terms of 6.58 and 6.60 and the reach of 6.61 corrected."""
    F_star = [-(s.m_A * s.L_A**2 + s.I_A) * dt(s.u1), 0 * s.u2]
    for m, I, reach in ((s.m_B, s.I_B, s.L_P + s.q2 - s.L / 2), (s.m_C, s.I_C, s.L_P + s.q2 + s.L_C)):
        F_star[0] += -(m * (reach**2 + s.L_T**2) + I) * dt(s.u1) + m * s.L_T * dt(s.u2) - 2 * m * reach * s.u1 * s.u2
        F_star[1] += m * s.L_T * dt(s.u1) - m * dt(s.u2) + m * reach * s.u1**2
    return [s.T_A, s.F_AB], F_star


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


if __name__ == "__main__":
    main()
