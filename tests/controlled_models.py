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


def five_bar(unit: float = 1.0) -> lw.Model:
    """Two arms that hold one point; a motor in each joint at the base, all others passive."""
    model = lw.Model("five-bar")
    N, ends = model.frame, []
    for side, place, name in ((-1.0, -0.1, "left"), (1.0, 0.1, "right")):
        base = model.origin.at(f"{name}_base", place * unit * N.x)
        inner = model.revolute(f"{name}_arm", at=base, q=[f"q_{name}"], u=[f"u_{name}"])
        elbow = base.at(f"{name}_elbow", 0.3 * unit * inner.frame.x)
        outer = model.revolute(f"{name}_rod", inner, at=elbow, q=[f"p_{name}"], u=[f"w_{name}"])
        ends.append(elbow.at(f"{name}_end", 0.4 * unit * outer.frame.x))
        for link, point, length, mass in ((inner, base, 0.3, 1.0 + 0.1 * side), (outer, elbow, 0.4, 0.7)):
            middle = point.at(f"{link.name}_c", 0.5 * length * unit * link.frame.x)
            model.body(link.name, link, middle, mass, lw.inertia(link.frame, zz=mass * (length * unit) ** 2 / 12.0))
        model.actuate(inner, model.input(f"T_{name}"))
    model.gravity(-9.81 * unit * N.y)
    model.constraint("tip", [(ends[0].position() - ends[1].position()).dot(axis) for axis in (N.x, N.y)])
    return model


def delta(unit: float = 1.0) -> lw.Model:
    """Three arms at 120°, and rods to a platform that does not turn; motors in the arms."""
    model = lw.Model("delta")
    N, g = model.frame, 9.81 * unit
    platform = model.prismatic("px", axis=N.x, q=["x"], u=["vx"])
    for axis, name in ((N.y, "y"), (N.z, "z")):
        platform = model.prismatic(f"p{name}", platform, axis=axis, q=[name], u=[f"v{name}"])
    model.particle("platform", platform.origin, 1.2)
    for i in range(3):
        turn = 2.0 * math.pi * i / 3.0
        out, side = (math.cos(turn) * N.x + math.sin(turn) * N.y), (-math.sin(turn) * N.x + math.cos(turn) * N.y)
        base = model.origin.at(f"base{i}", 0.2 * unit * out)
        arm = model.revolute(f"arm{i}", at=base, axis=side, q=[f"q{i}"], u=[f"u{i}"])
        elbow = base.at(f"elbow{i}", unit * (0.25 * math.cos(turn) * arm.frame.x + 0.25 * math.sin(turn) * arm.frame.y))
        model.particle(f"elbow{i}", elbow, 0.4)
        model.actuate(arm, model.input(f"T{i}"))
        model.distance(f"rod{i}", elbow, platform.origin.at(f"corner{i}", 0.05 * unit * out), 0.5 * unit)
    model.gravity(-g * N.z)
    return model


def stewart(unit: float = 1.0) -> lw.Model:
    """A platform on six legs, each a universal joint, a ram and a ball: 24 speeds, 18 rows, a motor in each ram."""
    model = lw.Model("Stewart platform")
    N, square = model.frame, unit * unit
    platform = model.free("platform", at=model.origin)
    model.body("platform", platform, platform.origin, 4.0,
               lw.inertia(platform.frame, 0.06 * square, 0.06 * square, 0.1 * square))  # fmt: skip
    for i in range(6):
        low, high = (math.radians(60.0 * (i // 2 * 2) + (15.0 if i % 2 else -15.0)),
                     math.radians(60.0 * (i // 2 * 2) + (45.0 if i % 2 else -45.0)))  # fmt: skip
        foot = model.origin.at(f"foot{i}", unit * (0.5 * math.cos(low) * N.x + 0.5 * math.sin(low) * N.y))
        hip = model.universal(f"hip{i}", at=foot)
        ram = model.prismatic(f"ram{i}", hip, at=foot, axis=hip.frame.z)
        model.body(f"rod{i}", ram, ram.origin.at(f"rod{i}_c", -0.2 * unit * ram.frame.z), 0.5,
                   lw.inertia(ram.frame, 0.01 * square, 0.01 * square, 0.001 * square))  # fmt: skip
        model.actuate(ram, model.input(f"F{i}"))
        corner = platform.origin.at(f"corner{i}", unit * (0.25 * math.cos(high) * platform.frame.x
                                                           + 0.25 * math.sin(high) * platform.frame.y))  # fmt: skip
        model.close("ball", f"joint{i}", ram, platform, at=ram.origin, to=corner)
    model.gravity(-9.81 * unit * N.z)
    return model


def hand(unit: float = 1.0) -> tuple[lw.Model, dict[str, float], dict[str, float]]:
    """A ball between three finger tips, where they are, and forces that hold it."""
    model = lw.Model("hand")
    N, q, inputs = model.frame, {}, {}
    ball = model.free("ball")
    model.body("ball", ball, ball.origin, 0.4, lw.inertia(ball.frame, *[4e-4 * unit * unit] * 3))
    model.gravity(-9.81 * unit * N.z)
    for i in range(3):
        tip = None
        for axis, name in ((N.x, "x"), (N.y, "y"), (N.z, "z")):
            tip = model.prismatic(f"finger{i}{name}", tip, axis=axis, q=[f"{name}{i}"], u=[f"v{name}{i}"])
            model.actuate(tip, model.input(f"F{i}{name}"))
        model.particle(f"tip{i}", tip.origin, 0.1)
        model.contact(f"finger{i}", tip.origin, lw.Sphere(ball.origin, 0.05 * unit, ball), friction=0.9)
        c, s = math.cos(2 * math.pi * i / 3), math.sin(2 * math.pi * i / 3)
        q |= {f"x{i}": 0.05 * unit * c, f"y{i}": 0.05 * unit * s}
        inputs |= {f"F{i}x": -5.0 * unit * c, f"F{i}y": -5.0 * unit * s, f"F{i}z": 9.81 * unit * (0.1 + 0.4 / 3)}
    return model, q, inputs
