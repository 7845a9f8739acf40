"""Small mechanisms with constraints whose behaviour near an operating point is known in closed form."""

from __future__ import annotations

import latchwork as lw
from latchwork import cos, dt, sin

G = 9.81


def cart_and_pole() -> lw.Model:
    """A cart of mass 2 pushed by F, a bob of mass 0.5 on a pole of length 0.7; theta = 0 is upright."""
    model = lw.Model("cart and pole")
    (F,) = model.inputs(F=0.0)
    x, theta = model.coordinates("x", "theta")
    model.speeds(v=dt(x), w=dt(theta))
    N = model.frame
    P = model.origin.at("P", x * N.x)
    model.particle("cart", P, 2.0)
    model.particle("bob", P.at("Q", 0.7 * (sin(theta) * N.x + cos(theta) * N.y)), 0.5)
    model.gravity(-G * N.y)
    model.force(P, F * N.x)
    return model


def disk(radius: float = 0.5) -> lw.Model:
    """A thin disk of mass 2 that rolls on the ground without slip: three rows, one of them for its height."""
    model = lw.Model("disk")
    x, y, z, yaw, lean, roll = model.coordinates("x", "y", "z", "yaw", "lean", "roll")
    model.speeds()
    N, O = model.frame, model.origin
    A = N.rotated("A", yaw, N.z)
    L = A.rotated("L", lean, A.x)
    D = L.rotated("D", roll, L.y)
    C = O.at("C", x * N.x + y * N.y + z * N.z)
    J = 2.0 * radius**2 / 4
    model.body("disk", frame=D, center=C, mass=2.0, inertia=lw.inertia(L, J, 2 * J, J))
    model.gravity(-G * N.z)
    slip = C.velocity() + D.angular_velocity(N).cross(-radius * L.z)
    model.constraint("touches", (C.position(O) - radius * L.z).dot(N.z))
    model.constraint("rolls", [slip.dot(N.x), slip.dot(N.y)])
    return model


def four_bar(a: float = 0.5, b: float = 1.1, c: float = 0.9, base: float = 1.0) -> lw.Model:
    """Three bars in absolute angles from the x axis, two of them on the ground, closed by two rows; a torque T."""
    model = lw.Model("four-bar")
    (T,) = model.inputs(T=0.0)
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")
    model.speeds()
    N, O = model.frame, model.origin
    A, B, C = (N.rotated(name, q, N.z) for name, q in zip("ABC", (q1, q2, q3), strict=True))
    P, R = O.at("P", a * A.x), O.at("base", base * N.x)
    for frame, start, length, mass in ((A, O, a, 1.0), (B, P, b, 2.0), (C, R, c, 1.5)):
        center = start.at(f"{frame.name}o", length / 2 * frame.x)
        J = lw.inertia(frame, zz=mass * length**2 / 12)
        model.body(frame.name, frame=frame, center=center, mass=mass, inertia=J)
    model.gravity(-G * N.y)
    model.torque(A, T * N.z)
    gap = P.at("end", b * B.x).position(O) - R.at("tip", c * C.x).position(O)
    model.constraint("loop", [gap.dot(N.x), gap.dot(N.y)])
    return model


def trolley() -> lw.Model:
    """Gillespie's cart: rear wheels built into the speeds (4 coordinates, 3 speeds), the caster's rolling as a row."""
    model = lw.Model("trolley")
    q1, q2, q3, q4 = model.coordinates("q1", "q2", "q3", "q4")
    N, O = model.frame, model.origin
    B = N.rotated("B", q3, N.z)
    C = B.rotated("C", q4, B.z)
    P1 = O.at("P1", q1 * N.x + q2 * N.y)
    P3 = P1.at("P2", 0.7 * B.x).at("P3", -0.1 * C.x)
    v = P1.velocity()
    u1, u2, u3 = model.speeds(u1=v.dot(B.x), u2=dt(q3), u3=dt(q3 + q4), zero=[v.dot(B.y)])
    model.body("basket", frame=B, center=P1.at("Bo", 0.4 * B.x), mass=20.0, inertia=lw.inertia(B, zz=3.0))
    model.particle("caster", P3, 1.0)
    model.constraint("caster", -sin(q4) * u1 + 0.7 * cos(q4) * u2 - 0.1 * u3)
    return model


def conical(length: float = 0.8) -> lw.Model:
    """A bob on a massless rod, free to go round: azimuth and the angle from the downward vertical."""
    model = lw.Model("conical pendulum")
    azimuth, angle = model.coordinates("azimuth", "angle")
    model.speeds(spin=dt(azimuth), swing=dt(angle))
    N = model.frame
    A = N.rotated("A", azimuth, N.z)
    model.particle("bob", model.origin.at("P", length * (sin(angle) * A.x - cos(angle) * A.z)), 0.3)
    model.gravity(-G * N.z)
    return model


def ball_pendulum() -> lw.Model:
    """A body on a ball joint by Euler parameters; its centre hangs 0.4 below."""
    model = lw.Model("ball pendulum")
    ball = model.ball("top", q=["e0", "e1", "e2", "e3"], u=["u1", "u2", "u3"])
    T = ball.frame
    model.body("top", frame=T, center=ball.origin.at("center", -0.4 * T.z), mass=1.5,
               inertia=lw.inertia(T, 0.05, 0.07, 0.03))  # fmt: skip
    model.gravity(-G * model.frame.z)
    return model


def oscillator() -> lw.Model:
    """m ẍ + c ẋ + k x = F with m = 2, c = 3, k = 50."""
    model = lw.Model("oscillator")
    (F,) = model.inputs(F=0.0)
    (x,) = model.coordinates("x")
    (v,) = model.speeds(v=dt(x))
    N = model.frame
    P = model.origin.at("P", x * N.x)
    model.particle("mass", P, 2.0)
    model.force(P, (F - 3.0 * v - 50.0 * x) * N.x)
    return model
