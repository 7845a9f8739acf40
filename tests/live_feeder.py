"""A disk that rolls down a ramp, and is stopped by a fence that is drawn. For tests of the page."""

import math

import latchwork as lw
from latchwork import dt


def live() -> lw.Exhibit:
    model = lw.Model("feeder")
    m, J, g, phi = model.parameters(m=1.0, J=0.5, g=9.8, phi=-math.pi / 36)
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")
    model.speeds(u1=dt(q1), u2=dt(q2), u3=dt(q3))
    N, O = model.frame, model.origin
    A, B = N.rotated("A", phi, N.z), N.rotated("B", q3, N.z)
    Bo = O.at("Bo", q1 * N.x + q2 * N.y)
    disk = model.body("disk", frame=B, center=Bo, mass=m, inertia=lw.inertia(B, zz=J))
    model.gravity(-g * N.y)
    ramp = lw.Segment(O.at("start", -4.0 * A.x), O.at("end", 16.0 * A.x), normal=A.y)
    model.contact("ramp", disk.circle(1.0, Bo), ramp)
    c, s = math.cos(-math.pi / 36), math.sin(-math.pi / 36)
    return lw.Exhibit(model, q={"q1": -s, "q2": c, "q3": 0.0}, u={}, sliders={"g": (1.0, 20.0)},
                      fence=(disk.circle(1.0, Bo),), plots=("q1", "q2"))  # fmt: skip
