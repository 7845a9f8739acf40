"""Mechanisms that tests of control move and press."""

from __future__ import annotations

import math

import latchwork as lw


def slider_crank(motors: tuple[str, ...] = ("f1", "f2"), length: float = 1.0, mass: float = 1.0) -> lw.Model:
    """Aghili's slider-crank of equal links, with a motor in each joint that is named; ``length`` and ``mass`` in units
    of the model."""
    model = lw.Model("slider-crank")
    m, l, g = model.parameters(m=mass, l=length, g=9.81 * length)
    N = model.frame
    crank = model.revolute("crank", q=["q1"], u=["u1"])
    B = crank.origin.at("B", l * crank.frame.x)
    rod = model.revolute("rod", crank, at=B, q=["q2"], u=["u2"])
    C = B.at("C", l * rod.frame.x)
    model.particle("B", B, m)
    model.particle("C", C, m)
    model.gravity(-g * N.y)
    for name, link in zip(("f1", "f2"), (crank, rod), strict=True):
        if name in motors:
            model.actuate(link, model.input(name), name=f"motor {name}")
    model.constraint("slot", C.position().dot(N.y))
    return model


def on_branch(theta: float, rate: float = 0.0) -> dict[str, dict[str, float]]:
    """The slider-crank on the branch q2 = 2π − 2 q1."""
    return {"q": {"q1": theta, "q2": 2.0 * math.pi - 2.0 * theta}, "u": {"u1": rate, "u2": -2.0 * rate}}


def arm(friction: float | None = None, unit: float = 1.0, contacts: bool = True) -> lw.Model:
    """Two links over a table and before a wall, with a motor in each joint; ``unit`` is a metre in units of length.
    Without ``contacts`` there is neither."""
    model = lw.Model("arm")
    T1, T2 = model.inputs(T1=0.0, T2=0.0)
    N = model.frame
    upper = model.revolute("upper", q=["q1"], u=["u1"])
    E = upper.origin.at("E", 0.5 * unit * upper.frame.x)
    fore = model.revolute("fore", upper, at=E, q=["q2"], u=["u2"])
    P = E.at("P", 0.5 * unit * fore.frame.x)
    square = unit * unit
    model.body("A", upper, upper.origin.at("Ac", 0.25 * unit * upper.frame.x), 2.0,
               lw.inertia(upper.frame, zz=0.05 * square))  # fmt: skip
    model.body("B", fore, E.at("Bc", 0.25 * unit * fore.frame.x), 1.0, lw.inertia(fore.frame, zz=0.02 * square))
    model.gravity(-9.81 * unit * N.y)
    model.actuate(upper, T1)
    model.actuate(fore, T2)
    if not contacts:
        return model
    model.contact("table", P, lw.Plane(model.origin.at("on_table", -0.3 * unit * N.y), N.y), friction=friction)
    model.contact("wall", P, lw.Plane(model.origin.at("on_wall", 0.8 * unit * N.x), -1.0 * N.x))
    return model
