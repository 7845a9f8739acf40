"""Models that together use everything a model file can say."""

from __future__ import annotations

import math
from random import Random

import latchwork as lw
from latchwork import cos, dt, sin


def disk() -> lw.Model:
    """A disk on a ramp.  [Gillespie Ex. 1]"""
    model = lw.Model("disk on a ramp")
    m, J, r, gravity, phi = model.parameters(m=1.0, J=0.5, r=1.0, gravity=9.8, phi=math.pi / 12)
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=dt(q1), u2=r * dt(q2))
    A = model.frame.rotated("A", phi, model.frame.z)
    B = A.rotated("B", q2, A.z)
    center = model.origin.at("Bo", q1 * A.x + r * A.y)
    model.body("disk", frame=B, center=center, mass=m, inertia=lw.inertia(B, zz=J))
    model.gravity(-gravity * model.frame.y)
    return model


def every_joint() -> lw.Model:
    """A chain of one joint of each type, with actuator, springs and dampers; inertia about the joint."""
    model = lw.Model("every joint: a chain")
    m, L, g, k = model.parameters(m=2.0, L=0.7, g=9.81, k=None)
    T = model.input("T", 0.5)
    link = model.weld("j_weld")
    for i, kind in enumerate(list(lw.JOINTS)[1:]):
        at = link.origin.at(f"P{i}", L * link.frame.x - 0.3 * link.frame.z)
        axis = link.frame.x if lw.JOINTS[kind].has_axis and i % 2 else None
        link = model.joint(kind, f"j_{kind}", link, at=at, axis=axis)
        center = link.origin.at(f"C{i}", L / 2 * link.frame.x + 0.1 * link.frame.y)
        inertia = lw.inertia(link.frame, 0.1, 0.2, 0.3 * m, xy=0.01)
        model.body(f"b{i}", link, center, m / (i + 1), inertia, about=link.origin)
    model.gravity(-g * model.frame.y)
    model.actuate(model.links["j_revolute"], T, name="motor")
    model.resist(model.links["j_prismatic"], k, 0.1, 0.2)
    model.resist(model.links["j_revolute"], 3.0, 0.0, 0.2)
    model.spring(model.origin, link, 10.0, 0.3, 0.5, name="long, soft spring")
    return model


def every_frame() -> lw.Model:
    """Frames of every kind, inertia in two frames, conditions, time, names that need quotes."""
    model = lw.Model("every frame")
    q = model.coordinates(*(f"q{i}" for i in range(1, 8)))
    a, b = model.parameters(a=0.3, b=1.1)
    N, O = model.frame, model.origin
    A = N.rotated("A", q[0] - q[1], N.x + 2 * N.y)
    B = A.body_fixed("B", "zxz", q[1], q[2], -q[0])
    C = B.space_fixed("the frame C", "xyz", q[3], 0.5, q[1])
    D = C.cosines("D", [[cos(q[4]), -sin(q[4]), 0], [sin(q[4]), cos(q[4]), 0], [0, 0, 1]])
    E = N.quaternion("E", cos(q[5] / 2), sin(q[5] / 2), 0, 0)
    within = model.frames["B'"]
    F = within.rotated("F", q[6], within.y)
    P = O.at("P", a * A.x + b * B.y - C.z)
    Q = P.at("Q", (a + b) * D.x + a**2 / b * F.x)
    model.body("body D", D, Q, a + b, lw.inertia(D, a * b, a, b, 0.01 * a, 0.02, a**2) + lw.inertia(C, 0.1, 0.1, 0.1))
    model.body("E", E, O, a, lw.inertia(E, 1, 2, 3))
    model.body("F", F, P, b, lw.inertia(F, 1, 2, 3))
    model.particle("p", Q.at("R", E.y), 2)
    model.force(Q, lw.where((q[0] < 0) & (q[1] >= a), a, b) * N.x + lw.minimum(q[0], q[1]) * N.y, reaction=P)
    model.force(P, (q[2] > 0) * a * N.z + lw.where(lw.equal(q[2], b), 1, -1) * N.x)
    model.torque(B, a * sin(model.time) * B.z, reaction=A, name="wobble")
    model.torsion(F, within, F.y, q[6], a, b, 0.1)
    return model


def declared() -> lw.Model:
    """Speeds defined by angular velocities, and velocities declared in them."""
    model = lw.Model("declared velocities")
    q = model.coordinates("q1", "q2", "q3")
    I1, I2, I3, L = model.parameters(I1=1.0, I2=2.0, I3=3.0, L=0.4)
    N = model.frame
    C = N.body_fixed("C", "xyz", *q)
    w = C.angular_velocity(N)
    u1, u2, u3 = model.speeds(u1=w.dot(C.x), u2=w.dot(C.y), u3=w.dot(C.z))
    C.spin(N, u1 * C.x + u2 * C.y + u3 * C.z)
    P = model.origin.at("P", L * C.x)
    P.moves(N, L * u3 * C.y - L * u2 * C.z)
    model.body("b", C, P, 2.0, lw.inertia(C, I1, I2, I3))
    model.gravity(-9.81 * N.z)
    return model


def declared_in_joints() -> lw.Model:
    """Velocities declared for what a joint carries."""
    model = lw.Model("declared in joints")
    L = model.parameter("L", 0.5)
    arm = model.revolute("arm", q=["q1"], u=["u1"])
    (u1,) = arm.u
    arm.frame.spin(model.frame, u1 * arm.frame.z)
    ram = model.prismatic("ram", arm, at=arm.origin.at("E", L * arm.frame.x), axis=arm.frame.x, q="q2", u="u2")
    ram.origin.moves(model.frame, ram.u[0] * arm.frame.x + (L + ram.q[0]) * u1 * arm.frame.y)
    model.body("arm", arm, arm.origin, 1.0, lw.inertia(arm.frame, zz=0.1))
    model.particle("tip", ram.origin, 2.0)
    return model


def cart() -> lw.Model:
    """A motion constraint built into the speeds.  [Gillespie Ex. 3]"""
    model = lw.Model("cart")
    x, y, theta = model.coordinates("x", "y", "theta")
    m, J, L, F = model.parameters(m=3.0, J=0.5, L=0.6, F=1.0)
    B = model.frame.rotated("B", theta, model.frame.z)
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    G = P.at("G", L * B.x)
    v = P.velocity()
    model.speeds(u1=v.dot(B.x), u2=dt(theta), zero=[v.dot(B.y)])
    model.body("cart", B, G, m, lw.inertia(B, zz=J))
    model.force(G, F * B.x + 0.3 * B.y)
    return model


def mixed() -> lw.Model:
    """Coordinates of joints and of the analyst in turns: their order must be kept."""
    model = lw.Model("mixed")
    L = model.parameter("L", 1.0)
    a = model.revolute("a")
    x = model.coordinate("x")
    b = model.prismatic("b", a, axis=a.frame.x)
    model.speeds(v=2 * dt(x) + x * dt(a.q[0]))
    F = b.frame.rotated("F", x, b.frame.z)
    Q = b.origin.at("Q", L * F.x)
    c = model.planar("c", F, at=Q, q=["s1", "s2", "s3"], u=["v1", "v2", "v3"])
    model.body("first", a, a.origin.at("A1", L * a.frame.y), 2.0, lw.inertia(a.frame, zz=L**2))
    model.body("second", b, b.origin, 2.0)
    model.body("third", F, Q, 1.0, lw.inertia(F, zz=L))
    model.body("fourth", c, c.origin.at("P", L * c.frame.x), 1.0, lw.inertia(F, 1, 1, 1))
    model.gravity(-9.81 * model.frame.y)
    return model


def long_expression() -> lw.Model:
    """An expression that would fill a library written out, and shares nearly everything."""
    model = lw.Model("long")
    q1, q2 = model.coordinates("q1", "q2")
    a, b = model.parameters(a=1.0, b=2.0)
    force = q1
    for _ in range(300):
        force = a * sin(force + b) + force * q2
    P = model.origin.at("P", q1 * model.frame.x + q2 * model.frame.y)
    model.particle("p", P, 1.0)
    model.force(P, force * model.frame.x + force * force * model.frame.y)
    return model


def adrift() -> lw.Model:
    """A frame of which only the spin is known, and a point of which only the velocity is."""
    model = lw.Model("adrift")
    q1 = model.coordinate("q1")
    m, r, J = model.parameters(m=1.0, r=0.3, J=0.2)
    (u1,) = model.speeds(u1=dt(q1))
    A = model.frame.rotated("A", q1, model.frame.z)
    wheel = A.spinning("wheel", y=2 * u1 / r)
    cart = model.origin.at("cart", 0 * A.x)
    cart.moves(model.frame, r * u1 * A.x, located=False)
    model.body("wheel", wheel, cart.at("hub", r * A.z), m, lw.inertia(A, J, 2 * J, J))
    model.force(cart, m * A.x)
    return model


def random_tree(seed: int) -> lw.Model:
    """Up to eight bodies on joints of any type, joined in any way."""
    random = Random(seed)
    model = lw.Model(f"tree {seed}")
    g = model.parameter("g", 9.81)
    links = [model.revolute("root")]
    for i in range(random.randint(1, 8)):
        kind, base = random.choice(list(lw.JOINTS)), random.choice(links)
        x, y, z = base.frame.x, base.frame.y, base.frame.z
        axis = random.choice([x, y, -z, random.uniform(-1, 1) * x + random.uniform(-1, 1) * y + z])
        at = base.origin.at(f"a{i}", random.uniform(-1, 1) * x + random.uniform(-1, 1) * y)
        link = model.joint(kind, f"j{i}", base, at=at, axis=axis if lw.JOINTS[kind].has_axis else None)
        center = link.origin.at(f"c{i}", random.uniform(-1, 1) * link.frame.x + random.uniform(-1, 1) * link.frame.z)
        m = model.parameter(f"m{i}", random.uniform(1, 2))
        inertia = lw.inertia(link.frame, *(random.uniform(1, 2) * m for _ in range(3)), xy=0.1)
        model.body(f"b{i}", link, center, m, inertia, about=random.choice([None, link.origin]))
        model.spring(random.choice(links), link, m, random.choice([0.0, 0.5]), 0.1)
        links.append(link)
    model.body("root", links[0], model.origin, 1.0, lw.inertia(links[0].frame, zz=g))
    model.gravity(-g * model.frame.z)
    return model


MODELS = [adrift, disk, every_joint, every_frame, declared, declared_in_joints, cart, mixed, long_expression]
