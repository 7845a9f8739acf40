"""Models of the papers' examples, for tests that look at them from several sides."""

from __future__ import annotations

import math

import latchwork as lw
from latchwork import dt


def disk_on_a_ramp() -> lw.Model:
    """Gillespie, Example 1."""
    model = lw.Model("disk on a ramp")
    m, J, r, gravity, phi = model.parameters(m=1.0, J=0.5, r=1.0, gravity=9.8, phi=math.pi / 12)
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=dt(q1), u2=r * dt(q2))
    N, O = model.frame, model.origin
    A = N.rotated("A", phi, N.z)
    B = A.rotated("B", q2, A.z)
    model.body("disk", B, O.at("Bo", q1 * A.x + r * A.y), m, lw.inertia(B, zz=J))
    model.gravity(-gravity * N.y)
    return model


def wrist(rates: bool = False) -> lw.Model:
    """Gillespie, Example 2, with u_i = ω · c_i, or with u = q̇."""
    model = lw.Model("wrist")
    I1, I2, I3, M, L, G = model.parameters(I1=1.0, I2=2.0, I3=3.0, M=1.5, L=0.7, G=9.81)
    T1, T2, T3, F1, F2, F3 = model.inputs(T1=0.0, T2=0.0, T3=0.0, F1=0.0, F2=0.0, F3=0.0)
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")
    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.y)
    C = B.rotated("C", q3, B.z)
    w = C.angular_velocity(N)
    model.speeds(**({} if rates else {"u1": w.dot(C.x), "u2": w.dot(C.y), "u3": w.dot(C.z)}))
    Co = O.at("Co", L * C.z)
    model.body("C", C, Co, M, lw.inertia(C, I1, I2, I3))
    model.gravity(-G * N.x)
    model.torque(C, T1 * C.x + T2 * C.y + T3 * C.z)
    model.force(Co, F1 * C.x + F2 * C.y + F3 * C.z)
    return model


def two_revolutes() -> lw.Model:
    """Buffinton, §6.3: two particles on massless links in a vertical plane."""
    model = lw.Model("two revolutes")
    m, L, g = model.parameters(m=1.0, L=0.5, g=9.81)
    T_A, T_AB = model.inputs(T_A=0.0, T_AB=0.0)
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds()
    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.z)
    P1 = O.at("P1", L * A.x)
    model.particle("P1", P1, m)
    model.particle("P2", P1.at("P2", L * B.x), m)
    model.gravity(-g * N.y)
    model.torque(A, T_A * N.z)
    model.torque(B, T_AB * N.z, reaction=A)
    return model


def revolute_and_prismatic() -> lw.Model:
    """Buffinton, §6.4. The point of B that passes P is placed by s, the value of q2 at the instant considered."""
    model = lw.Model("revolute and prismatic")
    LA, LT, LP, L, LC, s = model.parameters(LA=0.2, LT=0.1, LP=0.4, L=1.0, LC=0.2, s=0.3)
    IA, IB, IC = model.parameters(IA=1.0, IB=2.0, IC=3.0)
    T_A, F_AB = model.inputs(T_A=0.0, F_AB=0.0)
    q1, q2 = model.coordinates("q1", "q2")
    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.z)
    B, C = A.rotated("B", 0.0, A.z), A.rotated("C", 0.0, A.z)
    P = O.at("P", LP * A.x + LT * A.y)
    As, Bs, Cs = O.at("As", LA * A.y), P.at("Bs", (q2 - L / 2) * A.x), P.at("Cs", (q2 + LC) * A.x)
    Phat = P.at("Phat", (q2 - s) * A.x)
    model.speeds(u1=A.angular_velocity(N).dot(A.z), u2=dt(q2))
    for name, frame, center, moment in (("A", A, As, IA), ("B", B, Bs, IB), ("C", C, Cs, IC)):
        model.body(name, frame, center, 1.0, lw.inertia(frame, zz=moment))
    model.torque(A, T_A * N.z)
    model.force(Phat, F_AB * A.x, reaction=P)
    return model
