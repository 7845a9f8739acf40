"""Small constrained mechanisms for tests: a rod, a circle, slider-cranks, four-bars."""

from __future__ import annotations

import latchwork as lw
from latchwork import cos, dt, sin, sqrt


def pendulum(copies: int = 1, swing: float = 0.0) -> lw.Constrained:
    """A particle in x, y on a rod, whose length may vary as 1 + swing · sin 3t, and is said ``copies`` times."""
    model = lw.Model("pendulum")
    x, y = model.coordinates("x", "y")
    model.speeds(ux=dt(x), uy=dt(y))
    N, O = model.frame, model.origin
    model.particle("P", O.at("P", x * N.x + y * N.y), 2.0)
    model.gravity(-9.8 * N.y)
    length = 1.0 + swing * sin(3.0 * model.time)
    rods = [lw.Constraint(f"rod {i}", (i + 1.0) * (x * x + y * y - length * length)) for i in range(copies)]
    return model.equations().embed(*rods, at={"x": 1.0, "y": 0.0})


def carried() -> lw.Constrained:
    """A particle on the unit circle, carried along x = 1/2 + t: no degree of freedom, and no place beyond t = 1/2."""
    model = lw.Model("carried")
    x, y = model.coordinates("x", "y")
    model.speeds(ux=dt(x), uy=dt(y))
    N, O = model.frame, model.origin
    model.particle("P", O.at("P", x * N.x + y * N.y), 2.0)
    rows = lw.Constraint("circle", x * x + y * y - 1.0), lw.Constraint("wall", x - 0.5 - model.time)
    return model.equations().embed(*rows, at={"x": 0.5, "y": 0.8})


def circle(rho: float = 0.7, mass: float = 1.3) -> lw.Constrained:
    """Aghili §V-D: a particle on a circle, pushed by inputs F1 and F2."""
    model = lw.Model("circle")
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=dt(q1), u2=dt(q2))
    F1, F2 = model.inputs(F1=0.0, F2=0.0)
    N, O = model.frame, model.origin
    P = O.at("P", q1 * N.x + q2 * N.y)
    model.particle("P", P, mass)
    model.force(P, F1 * N.x + F2 * N.y)
    return model.equations().embed(lw.Constraint("circle", sqrt(q1 * q1 + q2 * q2) - rho), at={"q1": rho, "q2": 0.0})


def slider_crank(copies: int = 1) -> lw.Constrained:
    """Aghili §VIII: two equal links with masses at their ends, C held on the axis; m = 1.2, l = 0.8, g = 9.81."""
    model = lw.Model("slider-crank")
    m, l, g = model.parameters(m=1.2, l=0.8, g=9.81)
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=dt(q1), u2=dt(q2))
    N, O = model.frame, model.origin
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.z)
    P1 = O.at("P1", l * A.x)
    P2 = P1.at("P2", l * B.x)
    model.particle("P1", P1, m)
    model.particle("P2", P2, m)
    model.gravity(-g * N.y)
    height = l * (sin(q1) + sin(q1 + q2))
    held = [lw.Constraint(f"C {i}", (1.0 + i) * height) for i in range(copies)]
    return model.equations().embed(*held, at={"q1": 1.0, "q2": 5.0})


def four_bar(lengths: tuple[float, float, float, float]) -> lw.Constrained:
    """A planar loop of ground, crank, coupler and rocker in absolute angles."""
    model = lw.Model("four-bar")
    a, b, c = model.coordinates("a", "b", "c")
    model.speeds(ua=dt(a), ub=dt(b), uc=dt(c))
    N, O = model.frame, model.origin
    ground, *links = lengths
    points = [O]
    for name, angle, length in zip("ABC", (a, b, c), links, strict=True):
        frame = N.rotated(name, angle, N.z)
        points.append(points[-1].at(f"P{name}", length * frame.x))
        model.particle(name, points[-1], 1.0)
    model.gravity(-9.81 * N.y)
    l1, l2, l3 = links
    loop = [l1 * cos(a) + l2 * cos(b) + l3 * cos(c) - ground, l1 * sin(a) + l2 * sin(b) + l3 * sin(c)]
    return model.equations().embed(lw.Constraint("loop", loop), at={"a": 1.0, "b": 0.2, "c": -1.0})


def surface(expression: str) -> lw.Constrained:
    """A particle in the plane on a curve with a singular point at the origin."""
    model = lw.Model("curve")
    x, y = model.coordinates("x", "y")
    model.speeds(ux=dt(x), uy=dt(y))
    N, O = model.frame, model.origin
    model.particle("P", O.at("P", x * N.x + y * N.y), 1.0)
    curves = {"point": x * x + 2.0 * y * y, "cusp": x * x * x - y * y, "tacnode": (y - x * x) * (y + x * x),
              "cubed": y * y * y, "cross": x * x - 4.0 * y * y}  # fmt: skip
    starts = {"cusp": (1.0, 1.0), "tacnode": (1.0, 1.0), "cross": (2.0, 1.0)}
    at = dict(zip(("x", "y"), starts.get(expression, (0.0, 0.0)), strict=True))
    return model.equations().embed(lw.Constraint("curve", curves[expression]), at=at)
