"""Mechanisms in ``sympy.physics.mechanics``: those of SymPy's own Kane tests and of PyDy's examples, built anew.

Each function gives a ``KanesMethod`` or a ``System`` whose equations have not been formed.
"""

from __future__ import annotations

from sympy import Rational, atan, cos, pi, sin, symbols
from sympy.physics.mechanics import (
    Force,
    KanesMethod,
    Particle,
    PinJoint,
    Point,
    PrismaticJoint,
    ReferenceFrame,
    RigidBody,
    SphericalJoint,
    System,
    TorqueActuator,
    cross,
    dynamicsymbols,
    inertia,
    inertia_of_point_mass,
)
from sympy.physics.mechanics.models import multi_mass_spring_damper, n_link_pendulum_on_cart

t = dynamicsymbols._t


def kane(N, q, u, kd, bodies, loads, **more):
    return KanesMethod(N, q, u, kd_eqs=kd, bodies=bodies, forcelist=loads, **more)


def fixed_origin(N, name="O"):
    O = Point(name)
    O.set_vel(N, 0)
    return O


# --- particles ----------------------------------------------------------------------------------------------------


def oscillator():
    """One mass on a spring and a damper, known by its velocity alone (test_one_dof)."""
    q, u = dynamicsymbols("q u")
    m, c, k = symbols("m c k")
    N, P = ReferenceFrame("N"), Point("P")
    P.set_vel(N, u * N.x)
    return kane(N, [q], [u], [q.diff(t) - u], [Particle("block", P, m)], [(P, -(k * q + c * u) * N.x)])


def two_masses():
    """Relative displacement, kinematical equations scaled (test_two_dof)."""
    q1, q2, u1, u2 = dynamicsymbols("q1 q2 u1 u2")
    m, c1, c2, k1, k2 = symbols("m c1 c2 k1 k2")
    N, P1, P2 = ReferenceFrame("N"), Point("P1"), Point("P2")
    P1.set_vel(N, u1 * N.x)
    P2.set_vel(N, (u1 + u2) * N.x)
    pull = k2 * q2 + c2 * u2
    loads = [(P1, (pull - k1 * q1 - c1 * u1) * N.x), (P2, -pull * N.x)]
    kd = [(q1.diff(t) - u1) / 2, 2 * q2.diff(t) - 2 * u2]
    return kane(N, [q1, q2], [u1, u2], kd, [Particle("a", P1, m), Particle("b", P2, m)], loads)


def pendulum():
    """A bob known by its velocity alone (test_pend)."""
    q, u = dynamicsymbols("q u")
    m, l, g = symbols("m l g")
    N, P = ReferenceFrame("N"), Point("P")
    P.set_vel(N, l * u * (cos(q) * N.y - sin(q) * N.x))
    return kane(N, [q], [u], [q.diff(t) - u], [Particle("bob", P, m)], [(P, m * g * N.x)])


def swinging_support():
    """A pendulum whose support is moved as a function of time, with a specified force on the bob."""
    q, u, F = dynamicsymbols("q u F")
    m, l, g, a, w = symbols("m l g a w")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    S = fixed_origin(N).locatenew("S", a * sin(w * t) * N.y)
    P = S.locatenew("P", l * A.x)
    return kane(N, [q], [u], [q.diff(t) - u], [Particle("bob", P, m)], [(P, m * g * N.x + F * A.y)])


def pendulum_in_x_and_y():
    """Two coordinates, a dependent speed, its acceleration constraint given (test_linearize_pendulum_kane_...)."""
    q1, q2, u1, u2 = dynamicsymbols("q1 q2 u1 u2")
    L, m, g = symbols("L m g")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [atan(q2 / q1), N.z])
    P = fixed_origin(N, "N*").locatenew("P1", q1 * N.x + q2 * N.y)
    P.set_vel(N, u1 * N.x + u2 * N.y)
    velocity = P.vel(N).dot(A.x)
    return kane(
        N, [q2], [u2], [q2.diff(t) - u2, q1.diff(t) - u1], [Particle("bob", P, m)], [(P, m * g * N.x)],
        q_dependent=[q1], u_dependent=[u1], configuration_constraints=[q1**2 + q2**2 - L**2],
        velocity_constraints=[velocity], acceleration_constraints=[velocity.diff(t)],
    )  # fmt: skip


def double_pendulum(kind="joint rates", power=1):
    """Damping between the rods written with q̇ (test_replace_qdots_in_force; Kane 1985, §4.7)."""
    q1, q2, u1, u2 = dynamicsymbols("q1 q2 u1 u2")
    l, m, sigma, delta = symbols("l m sigma delta")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q1, N.z])
    B = A.orientnew("B", "Axis", [q2, N.z])
    O = fixed_origin(N)
    P = O.locatenew("P", l * A.x)
    P.v2pt_theory(O, N, A)
    Q = P.locatenew("Q", l * B.x)
    Q.v2pt_theory(P, N, B)
    T = (sigma * q2 + delta * q2.diff(t) ** power) * N.z
    second = {"joint rates": q2.diff(t), "absolute rates": q1.diff(t) + q2.diff(t)}[kind]
    bodies = [Particle("a", P, m), Particle("b", Q, m)]
    return kane(N, [q1, q2], [u1, u2], [u1 - q1.diff(t), u2 - second], bodies, [(A, T), (B, -T)])


def spherical_pendulum():
    """Speeds along the rod's axes, velocities left to SymPy (test_issue_24887)."""
    g, l, m = symbols("g l m")
    q, u = dynamicsymbols("q1:4"), dynamicsymbols("u1:4")
    N, A = ReferenceFrame("N"), ReferenceFrame("A")
    A.orient_body_fixed(N, q, "zxy")
    P = fixed_origin(N).locatenew("P", -l * A.y)
    kd = [A.ang_vel_in(N).dot(axis) - speed for axis, speed in zip(A, u, strict=True)]
    return kane(N, q, u, kd, [Particle("bob", P, m)], [(P, -m * g * N.y)])


# --- rigid bodies -------------------------------------------------------------------------------------------------


def cart_and_pole():
    """Inertia about the hinge, a specified force on the cart (test_parallel_axis)."""
    q1, q2, u1, u2, F = dynamicsymbols("q1 q2 u1 u2 F")
    g, k, ls, a, mA, mC, Ix, Iy, Iz = symbols("g k ls a mA mC Ix Iy Iz")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [-q2, N.z])
    A.set_ang_vel(N, -u2 * N.z)
    C = fixed_origin(N).locatenew("C", q1 * N.x)
    C.set_vel(N, u1 * N.x)
    Ao = C.locatenew("Ao", a * A.y)
    Ao.v2pt_theory(C, N, A)
    bodies = [Particle("cart", C, mC), RigidBody("pole", Ao, A, mA, (inertia(A, Ix, Iy, Iz), C))]
    loads = [(Ao, -mA * g * N.y), (C, -mC * g * N.y), (C, -k * (q1 - ls) * N.x), (C, F * N.x)]
    return kane(N, [q1, q2], [u1, u2], [q1.diff(t) - u1, q2.diff(t) - u2], bodies, loads)


def rolling_disc(auxiliary=False):
    """From the contact point up; with auxiliary speeds, forces at the contact (test_rolling_disc, test_aux)."""
    q1, q2, q3, u1, u2, u3, u4, u5, f1, f2 = dynamicsymbols("q1:4 u1:6 f1:3")
    r, m, g = symbols("r m g")
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    worked_out = R.ang_vel_in(N)
    R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    across = Y.z.cross(L.x)
    C = Point("C")
    C.set_vel(N, u4 * L.x + u5 * across if auxiliary else 0)
    D = C.locatenew("D", r * L.z)
    D.v2pt_theory(C, N, R)
    disc = RigidBody("disc", D, R, m, (inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4), D))
    kd = [(R.ang_vel_in(N) - worked_out).dot(axis) for axis in L]
    loads = [(D, -m * g * Y.z)] + [(C, f1 * L.x + f2 * across)] * auxiliary
    more = {"u_auxiliary": [u4, u5]} if auxiliary else {}
    return kane(N, [q1, q2, q3], [u1, u2, u3], kd, [disc], loads, **more)


def rolling_disc_constrained():
    """Dependent coordinate and speeds, auxiliary speeds of the contact (test_aux_dep)."""
    q, u, ua = dynamicsymbols("q:4"), dynamicsymbols("u:6"), dynamicsymbols("ua:3")
    r, m, g, I, J, Fx, Fy, Fz = symbols("r m g I J Fx Fy Fz")
    N = ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q[0], N.z])
    B = A.orientnew("B", "Axis", [q[1], A.x])
    C = B.orientnew("C", "Axis", [q[2], B.y])
    worked_out = q[0].diff(t) * A.z + q[1].diff(t) * B.x + q[2].diff(t) * B.y
    C.set_ang_vel(N, u[0] * B.x + u[1] * B.y + u[2] * B.z)
    P = Point("P")
    P.set_vel(N, ua[0] * A.x + ua[1] * A.y + ua[2] * A.z)
    O = P.locatenew("O", q[3] * A.z + r * sin(q[1]) * A.y)
    O.set_vel(N, u[3] * A.x + u[4] * A.y + u[5] * A.z)
    arm = O.pos_from(P)
    rate = arm.diff(t, A) + cross(A.ang_vel_in(N), arm)
    kd = [(worked_out - C.ang_vel_in(N)).dot(axis) for axis in B] + [(rate - O.vel(N)).dot(A.z)]
    slip = O.vel(N) - P.vel(N) - cross(C.ang_vel_in(N), arm)
    disc = RigidBody("disc", O, C, m, (inertia(B, I, J, I), O))
    return kane(
        N, q[:3], u[:3], kd, [disc], [(O, m * g * A.z), (P, Fx * A.x + Fy * A.y + Fz * A.z)],
        q_dependent=q[3:], configuration_constraints=[-r * B.z.dot(A.z) - q[3]],
        u_dependent=u[3:], velocity_constraints=[slip.dot(axis) for axis in A], u_auxiliary=ua,
    )  # fmt: skip


def rolling_disc_on_ground():
    """Five coordinates, the place of the contact among them, two dependent speeds (test_kane_rolling_disc_lu)."""
    q, u = dynamicsymbols("q1:6"), dynamicsymbols("u1:6")
    g, r, m = symbols("g r m")
    N, L, R = ReferenceFrame("N"), ReferenceFrame("L"), ReferenceFrame("R")
    L.orient_body_fixed(N, (q[0], q[1], 0), "zxy")
    R.orient_axis(L, L.y, q[2])
    worked_out = R.ang_vel_in(N)
    R.set_ang_vel(N, u[0] * R.x + u[1] * R.y + u[2] * R.z)
    P = fixed_origin(N).locatenew("contact", q[3] * N.x + q[4] * N.y)
    P.set_vel(N, u[3] * N.x + u[4] * N.y)
    D = P.locatenew("D", r * L.z)
    D.set_vel(N, cross(R.ang_vel_in(N), D.pos_from(P)))
    kd = [worked_out.dot(axis) - speed for axis, speed in zip(R, u[:3], strict=True)]
    kd += [q[3].diff(t) - u[3], q[4].diff(t) - u[4]]
    slip = P.vel(N) + cross(R.ang_vel_in(L), P.pos_from(D))
    disc = RigidBody("disc", D, R, m, (m * r**2 / 4 * inertia(R, 1, 2, 1), D))
    return kane(
        N, q, u[:3], kd, [disc], [(D, -m * g * N.z)],
        u_dependent=u[3:], velocity_constraints=[slip.dot(N.x), slip.dot(N.y)],
    )  # fmt: skip


def disc_by_rates(rolling=True):
    """Velocities in q̇ only, the speeds in the kinematical equations (test_sub_qdot2; Kane 1985, exercise 8.3)."""
    g, m, Px, Py, Pz, R, J, K = symbols("g m Px Py Pz R J K")
    q, u = dynamicsymbols("q:5"), dynamicsymbols("u:5")
    A = ReferenceFrame("A")
    E = A.orientnew("B_prime", "Axis", [q[0], A.z])
    B = E.orientnew("B", "Axis", [pi / 2 - q[1], E.x])
    C = B.orientnew("C", "Axis", [q[2], B.z])
    O = fixed_origin(A)
    contact = O.locatenew("R", q[3] * A.x + q[4] * A.y)
    contact.set_vel(A, contact.pos_from(O).diff(t, A))
    hat = contact.locatenew("C^", 0 * A.x)
    star = hat.locatenew("C*", R * B.y)
    star.v2pt_theory(contact, A, B)
    hat.v2pt_theory(star, A, C)
    kd = [speed - C.ang_vel_in(A).dot(axis) for speed, axis in zip(u[:3], B, strict=True)]
    kd += [u[3] - q[3].diff(t), u[4] - q[4].diff(t)]
    disc = RigidBody("disc", star, C, m, (inertia(B, J, J, K), star))
    loads = [(hat, Px * A.x + Py * A.y + Pz * A.z), (star, -m * g * A.z)]
    slip = [hat.vel(A).dot(A.x), hat.vel(A).dot(A.y)]
    more = {"u_dependent": u[3:], "velocity_constraints": slip} if rolling else {}
    return kane(A, q, u[:3] if rolling else u, kd, [disc], loads, **more)


def cart_on_wheels(about="mass centre", wheels="speeds"):
    """Two driven wheels on a slope (test_non_central_inertia, test_sub_qdot; Kane 1985, exercises 8.12 and 8.17).

    The wheels' rolling is a motion constraint on their own speeds, or is put into the kinematical equations.
    """
    q1, q2, q3, u1, u2, u3, u4, u5 = dynamicsymbols("q1:4 u1:6")
    R, M, g, e, f, theta, a, b, mA, mB, IA, J, K = symbols("R M g e f theta a b mA mB IA J K")
    Q1, Q2, Q3, IA22, IA23, IA33 = symbols("Q1:4 IA22 IA23 IA33")
    F = ReferenceFrame("F")
    P = F.orientnew("P", "Axis", [-theta, F.y])
    A = P.orientnew("A", "Axis", [q1, P.x])
    A.set_ang_vel(F, u1 * A.x + u3 * A.z)
    B, C = A.orientnew("B", "Axis", [q2, A.z]), A.orientnew("C", "Axis", [q3, A.z])
    if wheels == "speeds":
        B.set_ang_vel(A, u4 * A.z)
        C.set_ang_vel(A, u5 * A.z)
    D = Point("D")
    D.set_vel(F, u2 * A.y)
    places = {"S*": e * A.y, "Q": f * A.y - R * A.x, "A*": a * A.y, "B*": b * A.z, "C*": -b * A.z}
    points = {name: D.locatenew(name, place) for name, place in places.items()}
    for point in points.values():
        point.v2pt_theory(D, F, A)
    rims = []
    for star, frame in (("B*", B), ("C*", C)):
        rims.append(points[star].locatenew(star[0] + "^", -R * A.x))
        rims[-1].v2pt_theory(points[star], F, frame)
    rolling = [rim.vel(F).dot(A.y) for rim in rims]
    central = {"A*": (A, mA, inertia(A, IA, IA22, IA33, 0, IA23, 0)), "B*": (B, mB, inertia(B, K, K, J)),
               "C*": (C, mB, inertia(C, K, K, J))}  # fmt: skip
    bodies = []
    for name, (frame, mass, dyadic) in central.items():
        point = points[name] if about == "mass centre" else D
        shift = inertia_of_point_mass(mass, points[name].pos_from(point), frame)
        bodies.append(RigidBody("" if point is D else name, points[name], frame, mass, (dyadic + shift, point)))
    loads = [(points["S*"], -M * g * F.x), (points["Q"], Q1 * A.x + Q2 * A.y + Q3 * A.z)]
    if wheels == "rates":
        kd = [*rolling, u1 - q1.diff(t)]
        return kane(F, [q1, q2, q3], [u1, u2], kd, bodies, loads, u_auxiliary=[u3])
    kd = [q1.diff(t) - u1, q2.diff(t) - u4, q3.diff(t) - u5]
    more = {"u_dependent": [u4, u5], "velocity_constraints": rolling, "u_auxiliary": [u3]}
    return kane(F, [q1, q2, q3], [u1, u2], kd, bodies, loads, **more)


def bicycle():
    """Whipple's bicycle: wheels without orientation, three dependent speeds (test_bicycle; Meijaard et al. 2007)."""
    q1, q2, q4, q5, u1, u2, u3, u4, u5, u6 = dynamicsymbols("q1 q2 q4 q5 u1:7")
    rf, rr, tilt, offset, fork, frame, g = symbols("rf rr tilt offset fork frame g")
    c1, c3, d1, d3, m1, m2, m3, m4 = symbols("c1 c3 d1 d3 m1:5")
    a = symbols("a1:5")
    b = symbols("b1:5")
    w = symbols("w1:5")
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    R = Y.orientnew("R", "Axis", [q2, Y.x])
    F = R.orientnew("Frame", "Axis", [q4 + tilt, R.y])
    F0 = F.orientnew("Frame0", "Axis", [-tilt, F.y])
    H = F.orientnew("Fork", "Axis", [q5, F.x])
    H0 = H.orientnew("Fork0", "Axis", [-tilt, H.y])
    rear, front = ReferenceFrame("Rear"), ReferenceFrame("Front")
    spins = [(Y, N, u1 * Y.z), (R, Y, u2 * R.x), (F, R, u4 * F.y), (rear, F, u3 * F.y), (H, F, u5 * H.x),
             (front, H, u6 * H.y)]  # fmt: skip
    for outer, inner, spin in spins:
        outer.set_ang_vel(inner, spin)
    touch = fixed_origin(N, "touch")
    hub = touch.locatenew("hub", rr * R.z)
    steer = hub.locatenew("steer", frame * F.z)
    rider = hub.locatenew("rider", c3 * F.z - c1 * F.x)
    bar = steer.locatenew("bar", d3 * H.z - d1 * H.x)
    axle = steer.locatenew("axle", fork * H.x + offset * H.z)
    tread = axle.locatenew("tread", rf * (H.y.dot(Y.z) * H.y - Y.z).normalize())
    rides = [(hub, touch, rear), (steer, hub, F), (rider, hub, F), (bar, steer, H), (axle, steer, H)]
    for point, other, body in (*rides, (tread, axle, front)):
        point.v2pt_theory(other, N, body)
    bodies = [
        RigidBody("frame", rider, F, m1, (inertia(F0, a[0], a[1], a[2], 0, 0, a[3]), rider)),
        RigidBody("fork", bar, H, m2, (inertia(H0, b[0], b[1], b[2], 0, 0, b[3]), bar)),
        RigidBody("rear", hub, rear, m3, (inertia(F, w[0], w[1], w[0]), hub)),
        RigidBody("front", axle, front, m4, (inertia(H, w[2], w[3], w[2]), axle)),
    ]
    return kane(
        N, [q1, q2, q5], [u2, u3, u5], [q1.diff(t) - u1, q2.diff(t) - u2, q4.diff(t) - u4, q5.diff(t) - u5],
        bodies, [(body.masscenter, -body.mass * g * Y.z) for body in bodies],
        q_dependent=[q4], configuration_constraints=[tread.pos_from(touch).dot(Y.z)],
        u_dependent=[u1, u4, u6], velocity_constraints=[tread.vel(N).dot(axis) for axis in Y],
        constraint_solver="CRAMER",
    )  # fmt: skip


def free_body():
    """Position and Euler parameters, a dependent coordinate, speeds along body axes (test_implicit_kinematics)."""
    e, x, w, v = dynamicsymbols("lambda_0:4"), dynamicsymbols("B_x:z"), dynamicsymbols("P Q R"), dynamicsymbols("U V W")
    m, g, Jx, Jy, Jz, Jxz = symbols("m g Jx Jy Jz Jxz")
    N = ReferenceFrame("NED")
    B = N.orientnew("B", "Quaternion", e)
    C = fixed_origin(N).locatenew("C", sum((a * axis for a, axis in zip(x, B, strict=True)), 0 * B.x))
    spin, drift = B.ang_vel_in(N), C.vel(N)
    B.set_ang_vel(N, sum((a * axis for a, axis in zip(w, B, strict=True)), 0 * B.x))
    C.set_vel(N, sum((a * axis for a, axis in zip(v, B, strict=True)), 0 * B.x))
    kd = [(B.ang_vel_in(N) - spin).dot(axis) for axis in B] + [(C.vel(N) - drift).dot(axis) for axis in B]
    kd.append(sum(a * a.diff(t) for a in e))
    body = RigidBody("body", C, B, m, (inertia(B, Jx, Jy, Jz, 0, 0, -Jxz), C))
    loads = [(C, m * g * N.z), (B, dynamicsymbols("T_z") * B.z), (C, dynamicsymbols("F_z") * B.z)]
    return kane(
        N, [*e[1:], *x], [*v, *w], kd, [body], loads, q_dependent=[e[0]],
        configuration_constraints=[sum(a * a for a in e) - 1], explicit_kinematics=False,
    )  # fmt: skip


def tumbling_body():
    """A torque-free body whose orientation is left out: Euler's equations."""
    q, u = dynamicsymbols("q1:4"), dynamicsymbols("u1:4")
    J, T = symbols("J1:4"), dynamicsymbols("T")
    N, B = ReferenceFrame("N"), ReferenceFrame("B")
    B.set_ang_vel(N, u[0] * B.x + u[1] * B.y + u[2] * B.z)
    body = RigidBody("body", fixed_origin(N), B, Rational(3, 2))
    body.central_inertia = inertia(B, *J)
    return kane(N, q, u, [a.diff(t) - b for a, b in zip(q, u, strict=True)], [body], [(B, T * B.x)])


def conical_chain(n=3):
    """Rods on ball joints by three angles each (PyDy's three-link conical pendulum)."""
    m, l, g, J = symbols("m l g J")
    q, u = dynamicsymbols(f"q1:{3 * n + 1}"), dynamicsymbols(f"u1:{3 * n + 1}")
    N = ReferenceFrame("N")
    joint, inboard, bodies, loads = fixed_origin(N), N, [], []
    for i in range(n):
        frame = inboard.orientnew(f"A{i}", "Body", q[3 * i : 3 * i + 3], "XYZ")
        center = joint.locatenew(f"C{i}", l / 2 * frame.z)
        outboard = joint.locatenew(f"J{i}", l * frame.z)
        for point in (center, outboard):
            point.v2pt_theory(joint, N, frame)
        bodies.append(RigidBody(f"rod{i}", center, frame, m, (inertia(frame, J, J, J / 10), center)))
        loads.append((center, m * g * N.z))
        joint, inboard = outboard, frame
    return kane(N, q, u, [a.diff(t) - b for a, b in zip(q, u, strict=True)], bodies, loads)


# --- joints -------------------------------------------------------------------------------------------------------


def cart_and_bob(constrained=False):
    """Slider, pin, actuator; with the bob kept on a line, a dependent speed (test_cart_pendulum_kanes)."""
    g, l, mc, mp, k = symbols("g l mc mp k")
    F, qp, qc, up, uc = dynamicsymbols("F qp qc up uc")
    rail, cart, bob = RigidBody("rail"), RigidBody("cart", mass=mc), Particle("bob", mass=mp)
    swing = ReferenceFrame("swing")
    system = System.from_newtonian(rail)
    system.add_joints(
        PrismaticJoint("slider", rail, cart, qc, uc, joint_axis=rail.x),
        PinJoint("pin", cart, bob, qp, up, joint_axis=cart.z, child_interframe=swing, child_point=l * swing.y),
    )
    system.apply_uniform_gravity(-g * system.y)
    system.add_loads((cart.masscenter, F * rail.x))
    system.add_actuators(TorqueActuator(k * qp, cart.z, swing, cart))
    if constrained:
        system.add_holonomic_constraints(bob.masscenter.pos_from(rail.masscenter).dot(system.x))
        system.q_ind, system.q_dep, system.u_ind, system.u_dep = qp, qc, up, uc
    return system


def box_on_ground():
    """Friction by a normal force that an auxiliary speed brings into evidence (test_box_on_ground)."""
    g, m, mu = symbols("g m mu")
    q, u, ua, Nn, F = dynamicsymbols("q u ua N F")
    box, system = Particle("P", mass=m), System()
    system.add_bodies(box)
    box.masscenter.set_pos(system.fixed_point, q * system.x)
    box.masscenter.set_vel(system.frame, u * system.x + ua * system.y)
    system.q_ind, system.u_ind, system.u_aux, system.kdes = [q], [u], [ua], [q.diff(t) - u]
    system.apply_uniform_gravity(-g * system.y)
    system.add_loads(Force(box, Nn * system.y), Force(box, (F - mu * Nn) * system.x))
    return system


def chaos_pendulum():
    """A plate on a rod (test_chaos_pendulum; PyDy's example)."""
    mA, mB, lA, lB, IAxx, IBxx, IByy, IBzz, g = symbols("mA mB lA lB IAxx IBxx IByy IBzz g")
    theta, phi, omega, alpha = dynamicsymbols("theta phi omega alpha")
    ceiling, rod, plate = RigidBody("ceiling"), RigidBody("rod", mass=mA), RigidBody("plate", mass=mB)
    rod.central_inertia = inertia(rod.frame, IAxx, IAxx, 0)
    plate.central_inertia = inertia(plate.frame, IBxx, IByy, IBzz)
    system = System.from_newtonian(ceiling)
    system.add_joints(
        PinJoint("J1", ceiling, rod, theta, omega, child_point=-lA * rod.z, joint_axis=ceiling.y),
        PinJoint("J2", rod, plate, phi, alpha, parent_point=(lB - lA) * rod.z, joint_axis=rod.z),
    )
    system.apply_uniform_gravity(g * ceiling.z)
    return system


def four_bar():
    """Three links and the ground, the loop closed by two constraints (test_four_bar_linkage_with_...)."""
    q, u = dynamicsymbols("q1:4"), dynamicsymbols("u1:4")
    l, rho = symbols("l1:5"), symbols("rho")
    links = [RigidBody(f"link{i}", mass=rho * length) for i, length in enumerate(l)]
    for link, length in zip(links, l, strict=True):
        link.central_inertia = inertia(link.frame, 0, 0, rho * length**3 / 12)
    system = System.from_newtonian(links[0])
    for i in range(3):
        a, b = links[i], links[i + 1]
        places = {"parent_point": l[i] / 2 * a.x, "child_point": -l[i + 1] / 2 * b.x}
        system.add_joints(PinJoint(f"J{i}", a, b, q[i], u[i], joint_axis=a.z, **places))
    loop = links[3].masscenter.pos_from(links[0].masscenter) + l[0] / 2 * links[0].x + l[3] / 2 * links[3].x
    system.add_holonomic_constraints(loop.dot(links[0].x), loop.dot(links[0].y))
    system.q_ind, system.q_dep, system.u_ind, system.u_dep = q[:1], q[1:], u[:1], u[1:]
    return system


def arm_with_ball():
    """A pin, a ball by three angles and a slider in a row."""
    g = symbols("g")
    ground, upper, lower, hand = (RigidBody(name) for name in ("ground", "upper", "lower", "hand"))
    system = System.from_newtonian(ground)
    system.add_joints(
        PinJoint("shoulder", ground, upper, child_point=symbols("a") * upper.y, joint_axis=ground.x),
        SphericalJoint("elbow", upper, lower, parent_point=-symbols("b") * upper.y, child_point=symbols("c") * lower.y),
        PrismaticJoint("wrist", lower, hand, parent_point=-symbols("d") * lower.y, joint_axis=lower.y),
    )
    system.apply_uniform_gravity(-g * ground.z)
    return system


def masses(n=5):
    """PyDy's and SymPy's multi_mass_spring_damper."""
    return multi_mass_spring_damper(n, True, True)


def cart_with_links(n=4):
    """PyDy's and SymPy's n_link_pendulum_on_cart, with torques in the joints."""
    return n_link_pendulum_on_cart(n, True, True)
