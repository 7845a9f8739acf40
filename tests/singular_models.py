"""Linkages with singular positions: a parallelogram, or almost, and a slider-crank of equal lengths."""

from __future__ import annotations

import latchwork as lw

MASS, LENGTH, G = 1.2, 0.8, 9.81


def four_bar(crank=1.0, coupler=2.0, rocker=1.0, ground=2.0):
    """Uniform bars of 1, 2 and 1.5 kg in absolute angles, without gravity."""
    model = lw.Model("four-bar")
    N, O = model.frame, model.origin
    A, B, C = (N.rotated(name, model.coordinate(f"q{i}"), N.z) for i, name in enumerate("ABC", 1))
    P, R = O.at("P", crank * A.x), O.at("R", ground * N.x)
    for frame, start, length, mass in ((A, O, crank, 1.0), (B, P, coupler, 2.0), (C, R, rocker, 1.5)):
        center = start.at(f"{frame.name}o", 0.5 * length * frame.x)
        model.body(frame.name, frame, center, mass, lw.inertia(frame, zz=mass * length**2 / 12.0))
    gap = P.at("end", coupler * B.x).position(O) - R.at("tip", rocker * C.x).position(O)
    model.constraint("loop", [gap.dot(N.x), gap.dot(N.y)])
    return model


def slider_crank(copies=1):
    """Two equal links with masses at their ends, the last one held on N.x; a torque T on the crank."""
    model = lw.Model("slider-crank")
    (T,) = model.inputs(T=0.0)
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=lw.dt(q1), u2=lw.dt(q2))
    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.z)
    P = O.at("P", LENGTH * A.x)
    Q = P.at("Q", LENGTH * A.rotated("B", q2, N.z).x)
    model.particle("P", P, MASS), model.particle("Q", Q, MASS)
    model.gravity(-G * N.y)
    model.torque(A, T * N.z)
    for i in range(copies):
        model.constraint(f"slot {i}", (1.0 + i) * Q.position(O).dot(N.y))
    return model
