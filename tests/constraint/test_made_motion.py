"""Accelerations and forces under each maker, against closed forms and against models in other coordinates."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from constraint.made import TURN, one_coordinate
from latchwork import dt, sin

mpmath = pytest.importorskip("mpmath")
G = 9.81


def rod(model: lw.Model, name: str, link: lw.Link, length: float, mass: float) -> None:
    """A uniform rod along the x axis of a link."""
    J, center = mass * length**2 / 12, link.origin.at(f"{name} centre", length / 2 * link.frame.x)
    model.body(name, link, center, mass, lw.inertia(link.frame, zz=J))


def of(held: lw.Constrained, values: np.ndarray, name: str) -> float:
    return float(values[held.unconstrained.u_names.index(name)])


def test_four_bar_closed_by_a_revolute_joint():
    """θ̈ of a four-bar: crank, coupler and rocker placed by the intersection of two circles."""
    a, b, c, d = 0.4, 1.1, 0.9, 1.2
    model = lw.Model("four-bar")
    N = model.frame
    crank = model.revolute("crank", axis=N.z)
    coupler = model.revolute("coupler", crank, at=crank.origin.at("A", a * crank.frame.x))
    rocker = model.revolute("rocker", at=model.origin.at("D", d * N.x))
    for name, link, length, mass in (("1", crank, a, 1.0), ("2", coupler, b, 2.0), ("3", rocker, c, 1.5)):
        rod(model, name, link, length, mass)
    ends = coupler.origin.at("B", b * coupler.frame.x), rocker.origin.at("C", c * rocker.frame.x)
    model.close("revolute", "loop", coupler, rocker, *ends)
    model.gravity(-G * N.y)

    def joints(theta):
        A = mpmath.mpc(a * mpmath.cos(theta), a * mpmath.sin(theta))
        way = d - A
        along = (b**2 - c**2 + abs(way) ** 2) / (2 * abs(way))
        B = A + way / abs(way) * mpmath.mpc(along, mpmath.sqrt(b**2 - along**2))
        return A, B

    def inertia(theta):
        rates = [mpmath.mpc(*(mpmath.diff(lambda t, part=part, k=k: part(joints(t)[k]), theta) for part in
                              (mpmath.re, mpmath.im))) for k in (0, 1)]  # fmt: skip
        spans = [(0, rates[0], 1.0), (rates[0], rates[1], 2.0), (0, rates[1], 1.5)]
        return sum(m * (abs((p + q) / 2) ** 2 + abs(q - p) ** 2 / 12) for p, q, m in spans)

    def height(theta):
        A, B = joints(theta)
        return G * (1.0 * A.imag / 2 + 2.0 * (A.imag + B.imag) / 2 + 1.5 * B.imag / 2)

    theta, rate = 0.8, 1.7
    A, B = joints(theta)
    guess = {"q_crank": theta, "q_coupler": float(mpmath.arg(B - A)) - theta, "q_rocker": float(mpmath.arg(B - d))}
    held = model.constrained(independent=["u_crank"], at=guess)
    assert len(held.rows) == 2  # the other three rows hold by themselves in a plane
    found = of(held, held.udot(guess, {"u_crank": rate}), "u_crank")
    assert found == pytest.approx(one_coordinate(mpmath, inertia, height, theta, rate), rel=1e-10)


def test_slider_crank_closed_by_a_prismatic_joint():
    """θ̈ of a slider-crank with x = r cos θ + √(l² − r² sin² θ), its piston held by a prismatic joint."""
    r, length, m = 0.3, 0.8, (1.0, 2.0, 3.0)
    model = lw.Model("slider-crank")
    N = model.frame
    crank = model.revolute("crank", axis=N.z)
    bar = model.revolute("bar", crank, at=crank.origin.at("A", r * crank.frame.x))
    piston = model.revolute("piston", bar, at=bar.origin.at("B", length * bar.frame.x))
    rod(model, "1", crank, r, m[0])
    rod(model, "2", bar, length, m[1])
    model.body("3", piston, piston.origin, m[2], lw.inertia(piston.frame, zz=0.2))
    model.close("prismatic", "guide", N, piston, axis=N.x)
    model.gravity(-G * N.y)

    def lean(t):
        return -mpmath.asin(r * mpmath.sin(t) / length)

    def inertia(t):
        tilt = mpmath.diff(lean, t)
        slide = mpmath.diff(lambda s: r * mpmath.cos(s) + length * mpmath.cos(lean(s)), t)
        middle = (mpmath.diff(lambda s: r * mpmath.cos(s) + length / 2 * mpmath.cos(lean(s)), t), r * mpmath.cos(t) / 2)
        rods = m[0] * r**2 / 3 + m[1] * (middle[0] ** 2 + middle[1] ** 2 + tilt**2 * length**2 / 12)
        return rods + m[2] * slide**2

    theta, rate = 0.7, 2.0
    phi = float(lean(theta))
    q = {"q_crank": theta, "q_bar": phi - theta, "q_piston": -phi}
    held = model.constrained(independent=["u_crank"], at=q)
    found = of(held, held.udot(q, {"u_crank": rate}), "u_crank")
    expected = one_coordinate(mpmath, inertia, lambda t: G * (m[0] + m[1]) * r * mpmath.sin(t) / 2, theta, rate)
    assert found == pytest.approx(expected, rel=1e-10)


def test_shafts_joined_by_a_hooke_joint():
    """tan θ₂ = tan θ₁ / cos β between two shafts whose axes meet at β: θ̈₁ under a torque."""
    beta, J1, J2, torque = 0.5, 0.3, 0.7, 1.3
    model = lw.Model("shafts")
    N = model.frame
    tilted = N.rotated("T", beta, N.z)
    first, second = model.revolute("first", axis=N.x), model.revolute("second", tilted, axis=tilted.x)
    model.body("1", first, model.origin, 1.0, lw.inertia(first.frame, xx=J1))
    model.body("2", second, model.origin, 1.0, lw.inertia(second.frame, xx=J2))
    model.close("universal", "hooke", first, second, axis=(first.frame.y, second.frame.z))
    model.torque(first, torque * N.x)

    def second_angle(t):  # y axis of the first fork: (0, cos, sin) is normal to z of the second, (.., -sin, cos)
        return mpmath.atan(mpmath.tan(t) / mpmath.cos(beta))

    def inertia(t):
        return J1 + J2 * mpmath.diff(second_angle, t) ** 2

    theta, rate = 0.6, 1.1
    q = {"q_first": theta, "q_second": float(second_angle(theta))}
    held = model.constrained(independent=["u_first"], at=q)
    assert held.assemble(q)["q_second"] == pytest.approx(q["q_second"], rel=1e-12)
    found = of(held, held.udot(q, {"u_first": rate}), "u_first")
    assert found == pytest.approx(one_coordinate(mpmath, inertia, lambda t: 0 * t, theta, rate, torque), rel=1e-10)


def wheels() -> tuple[lw.Model, lw.Link, lw.Link]:
    model = lw.Model("wheels")
    a, b = model.revolute("a"), model.revolute("b", at=model.origin.at("B", model.frame.x * 1.0))
    for link, J in ((a, 0.2), (b, 0.5)):
        model.body(link.name, link, link.origin, 1.0, lw.inertia(link.frame, zz=J))
    model.torque(b, 3.0 * model.frame.z)
    return model, a, b


def test_gears():
    """q_a = k q_b: (J_b + k² J_a) q̈_b = T, and λ = J_a k q̈_b is the torque on a."""
    model, a, b = wheels()
    model.gear("teeth", a, b, -2.0)
    held = model.constrained()
    expected = 3.0 / (0.5 + 4.0 * 0.2)
    assert held.udot([0, 0], {"u_b": 1.0}) == pytest.approx([-2.0 * expected, expected])
    assert held.multipliers([0, 0], {})["teeth"] == pytest.approx([0.2 * -2.0 * expected])


def test_planetary_gear():
    """A planet that rolls around a fixed sun turns (R + r)/r times as fast as its arm: one inertia, one torque."""
    R, r, m, J, Ja = 0.6, 0.2, 1.5, 0.04, 0.3
    model = lw.Model("planetary")
    arm = model.revolute("arm")
    planet = model.revolute("planet", arm, at=arm.origin.at("P", (R + r) * arm.frame.x))
    model.body("arm", arm, arm.origin, 1.0, lw.inertia(arm.frame, zz=Ja))
    model.body("planet", planet, planet.origin, m, lw.inertia(planet.frame, zz=J))
    model.mesh("teeth", planet, model.frame, -R / r, arm.frame.z, carrier=arm)
    model.torque(arm, 2.0 * model.frame.z)
    held = model.constrained()
    expected = 2.0 / (Ja + m * (R + r) ** 2 + J * ((R + r) / r) ** 2)
    assert of(held, held.udot([0, 0], {}), "u_arm") == pytest.approx(expected)
    assert of(held, held.udot([0, 0], {}), "u_planet") == pytest.approx(expected * R / r)


def test_screw():
    """A nut on a vertical screw without friction falls with (m + J (2π/p)²) s̈ = −m g."""
    m, J, p = 2.0, 0.01, 0.05
    model = lw.Model("nut")
    nut = model.cylindrical("nut")
    model.body("nut", nut, nut.origin, m, lw.inertia(nut.frame, zz=J))
    model.gravity(-G * model.frame.z)
    model.screw("thread", nut, nut, p)
    s, turn = model.constrained().udot([0, 0], {})
    assert s == pytest.approx(-m * G / (m + J * (TURN / p) ** 2))
    assert turn == pytest.approx(s * TURN / p)
    assert model.constrained().multipliers([0, 0], {})["thread"] == pytest.approx([m * (s + G)])


def test_rack_and_pinion():
    """s = R θ: (m + J/R²) s̈ = T/R, and λ is the force on the rack."""
    m, J, R, T = 3.0, 0.2, 0.25, 1.2
    model = lw.Model("rack")
    rack, pinion = model.prismatic("rack", axis=model.frame.x), model.revolute("pinion")
    model.body("rack", rack, rack.origin, m)
    model.body("pinion", pinion, pinion.origin, 1.0, lw.inertia(pinion.frame, zz=J))
    model.actuate(pinion, T)
    model.rack("teeth", rack, pinion, R)
    s = T / R / (m + J / R**2)
    assert model.constrained().udot([0, 0], {}) == pytest.approx([s, s / R])
    assert model.constrained().multipliers([0, 0], {})["teeth"] == pytest.approx([m * s])


def test_cam():
    """A follower on an eccentric, x = e cos θ: (J + m e² sin² θ) θ̈ + m e² sin θ cos θ θ̇² = m g e sin θ."""
    m, J, e = 1.4, 0.3, 0.2
    model = lw.Model("cam")
    shaft, follower = model.revolute("shaft"), model.prismatic("follower", axis=model.frame.y)
    model.body("shaft", shaft, shaft.origin, 1.0, lw.inertia(shaft.frame, zz=J))
    model.body("follower", follower, follower.origin, m)
    model.gravity(-G * model.frame.y)
    model.cam("face", follower, shaft, e * lw.cos(shaft.q[0]))
    theta, rate = 0.9, 3.0
    s, c = math.sin(theta), math.cos(theta)
    expected = (m * G * e - m * e**2 * c * rate**2) * s / (J + m * e**2 * s**2)
    held = model.constrained(independent=["u_shaft"])
    found = held.udot({"q_shaft": theta, "q_follower": e * math.cos(theta)}, {"u_shaft": rate})
    assert of(held, found, "u_shaft") == pytest.approx(expected)


def particle() -> tuple[lw.Model, lw.Point]:
    """A particle of 1.5 kg in the vertical plane."""
    model = lw.Model("particle")
    x, y = model.coordinates("x", "y")
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("bead", P, 1.5)
    model.gravity(-G * model.frame.y)
    return model, P


@pytest.mark.parametrize("reeling", [0.0, 0.3])
def test_distance_makes_a_pendulum(reeling):
    """L θ̈ = −g sin θ − 2 L̇ θ̇, and the rod pulls with m (g cos θ + L θ̇²); L = 1.2 + reeling t."""
    model, P = particle()
    model.distance("rod", P, model.origin, 1.2 + reeling * model.time)
    L, theta, rate = 1.2 + 0.5 * reeling, 0.7, 1.3
    s, c = math.sin(theta), math.cos(theta)
    q, u = [L * s, -L * c], [reeling * s + L * c * rate, -reeling * c + L * s * rate]
    acceleration = (-G * s - 2 * reeling * rate) / L
    expected = [2 * reeling * c * rate - L * s * rate**2 + L * c * acceleration,
                2 * reeling * s * rate + L * c * rate**2 + L * s * acceleration]  # fmt: skip
    held = model.constrained()
    assert held.udot(q, u, t=0.5) == pytest.approx(expected)
    assert held.multipliers(q, u, t=0.5)["rod"] == pytest.approx([-1.5 * (G * c + L * rate**2)])


K = 0.8


def explicit_wire(model: lw.Model, P: lw.Point) -> lw.Constraint:
    s = model.coordinate("s")
    return model.curve("wire", P, s, s * model.frame.x + K / 2 * s**2 * model.frame.y)


def implicit_wire(model: lw.Model, P: lw.Point) -> lw.Constraint:
    return model.implicit("wire", P, lambda x, y, z: y - K / 2 * x**2)


@pytest.mark.parametrize("wire", [explicit_wire, implicit_wire])
def test_bead_on_a_wire(wire):
    """On y = k x²/2: (1 + k² x²) ẍ + k² x ẋ² + g k x = 0; the wire pushes with m (g + k ẋ²) / √(1 + k² x²)."""
    model, P = particle()
    wire(model, P)
    x, v = 0.6, 1.1
    held = model.constrained(independent=["u_x"])
    q = {"x": x, "y": K * x**2 / 2} | ({"s": x} if wire is explicit_wire else {})
    expected = -(K**2 * x * v**2 + G * K * x) / (1 + K**2 * x**2)
    assert of(held, held.udot(q, {"u_x": v}), "u_x") == pytest.approx(expected)
    size = 1.5 * (G + K * v**2) / math.hypot(1, K * x)
    assert np.linalg.norm(held.multipliers(q, {"u_x": v})["wire"]) == pytest.approx(size)


def test_bead_in_a_turning_slot():
    """A slot that turns at ω: r̈ = ω² r, and its wall pushes with 2 m ω ṙ."""
    omega, r, rate, m = 1.7, 0.8, 0.4, 1.5
    model = lw.Model("slot")
    x, y = model.coordinates("x", "y")
    arm = model.revolute("arm", axis=model.frame.z)
    model.speeds(u_x=dt(x), u_y=dt(y))
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("bead", P, m)
    model.body("arm", arm, arm.origin, 1.0, lw.inertia(arm.frame, zz=0.3))
    model.prescribe("motor", arm, omega * model.time)
    model.slot("slot", P, arm.frame.x, on=arm)
    t = 0.3
    c, s = math.cos(omega * t), math.sin(omega * t)
    q = {"x": r * c, "y": r * s, "q_arm": omega * t}
    u = {"u_x": rate * c - omega * r * s, "u_y": rate * s + omega * r * c, "u_arm": omega}
    held = model.constrained(at=q, t=t)
    found = held.udot(q, u, t=t)
    assert of(held, found, "u_x") * c + of(held, found, "u_y") * s == pytest.approx(0.0, abs=1e-12)  # r̈ − ω² r
    wall = 2 * m * omega * rate
    forces = held.multipliers(q, u, t=t)
    assert abs(forces["slot"][0]) == pytest.approx(wall)
    assert forces["motor"] == pytest.approx([r * wall])


@pytest.mark.parametrize("by_link", [True, False])
def test_prescribed_motion_needs_the_known_torque(by_link):
    """A pendulum moved by θ = A sin ωt needs the torque m L² θ̈ + m g L sin θ.  [Kelly Eqs. 18-21]"""
    A, omega, m, L, t = 0.9, 2.0, 1.2, 0.7, 0.4
    model = lw.Model("driven pendulum")
    arm = model.revolute("arm")
    model.particle("bob", arm.origin.at("P", -L * arm.frame.y), m)
    model.gravity(-G * model.frame.y)
    constraint = model.prescribe("motor", arm if by_link else arm.q[0], A * sin(omega * model.time))
    theta, rate = A * math.sin(omega * t), A * omega * math.cos(omega * t)
    torque = m * L**2 * -(omega**2) * theta + m * G * L * math.sin(theta)
    held = model.constrained()
    assert held.multipliers([theta], [rate], t=t)["motor"] == pytest.approx([torque])
    assert constraint.pulls[0].on is arm.frame
    assert held.independent == ()


def test_prescribed_speed():
    """A speed follows a law: its multiplier is m u̇."""
    model, _ = particle()
    model.speeds()
    model.prescribe("belt", model.symbols["u_x"], sin(model.time))
    assert model.constrained().multipliers([0, 0], {}, t=0.2)["belt"] == pytest.approx([1.5 * math.cos(0.2)])
