"""Small constrained mechanisms that several tests use."""

from __future__ import annotations

import math

import latchwork as lw
from latchwork import cos, dt, sin


def slider_crank(lengths=(1.0, 1.0), copies=1):
    """Two rods in a plane, the end of the second held on the x axis."""
    model = lw.Model("slider-crank")
    m, g = model.parameters(m=1.0, g=9.81)
    N, O = model.frame, model.origin
    a = model.revolute("a", axis=N.z, q=["q1"], u=["u1"])
    P = a.origin.at("P", lengths[0] * a.frame.x)
    b = model.revolute("b", a, at=P, axis=N.z, q=["q2"], u=["u2"])
    Q = P.at("Q", lengths[1] * b.frame.x)
    model.particle("p1", P, m)
    model.particle("p2", Q, m)
    model.gravity(-g * N.y)
    for i in range(copies):
        model.constraint(f"slot{i}", Q.position(O).dot(N.y))
    return model


def four_bar(ground=2.0, rods=(0.6, 1.7, 1.1), closed=True):
    """A crank that turns all the way round, a coupler and a rocker; two rows close the loop, or none do."""
    model = lw.Model("four-bar")
    (g,) = model.parameters(g=9.81)
    N, O = model.frame, model.origin
    a = model.revolute("crank", axis=N.z)
    c = model.revolute("rocker", at=O.at("G", ground * N.x), axis=N.z)
    A = a.origin.at("A", rods[0] * a.frame.x)
    C = c.origin.at("C", rods[2] * c.frame.x)
    b = model.revolute("coupler", a, at=A, axis=N.z)
    B = b.origin.at("B", rods[1] * b.frame.x)
    for link, rod in ((a, rods[0]), (b, rods[1]), (c, rods[2])):
        center = link.origin.at(f"{link.name}_c", 0.5 * rod * link.frame.x)
        model.body(f"{link.name} rod", link, center, rod, lw.inertia(link.frame, zz=rod**3 / 12))
    model.gravity(-g * N.y)
    gap = B.position(C)
    if closed:
        model.constraint("loop", [gap.dot(N.x), gap.dot(N.y)])
    return model


def pushed_disk():
    """A disk that rolls along x, pushed by a force F."""
    model = lw.Model("disk")
    m, J, r = model.parameters(m=2.0, J=0.7, r=0.5)
    (F,) = model.inputs(F=0.0)
    x, th = model.coordinates("x", "th")
    u1, u2 = model.speeds(u1=dt(x), u2=dt(th))
    N, O = model.frame, model.origin
    B = N.rotated("B", th, N.z)
    center = O.at("Bo", x * N.x + r * N.y)
    model.body("disk", B, center, m, lw.inertia(B, zz=J))
    model.force(center, F * N.x)
    model.constraint("rolling", u1 + r * u2)
    return model


def bead_on_turning_hoop(rate=3.0, radius=0.4):
    """A particle in the plane of a hoop that turns at a given rate: x² + y² + z² = R², y = x tan(rate t)."""
    model = lw.Model("bead on a turning hoop")
    x, y, z = model.coordinates("x", "y", "z")
    t = model.time
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y + z * model.frame.z)
    model.particle("bead", P, 1.3)
    model.gravity(-9.81 * model.frame.z)
    model.constraint("hoop", x * x + y * y + z * z - radius**2)
    model.constraint("plane", y * cos(rate * t) - x * sin(rate * t))
    return model


def hoop_start(angle=0.7, rate=3.0, radius=0.4):
    """Coordinates at t = 0 at an angle from the bottom."""
    return {"x": radius * math.sin(angle), "y": 0.0, "z": -radius * math.cos(angle)}
