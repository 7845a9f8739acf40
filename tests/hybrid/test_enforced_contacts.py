"""Contacts that the coordinates themselves enforce: friction of many, on each other, and beside what is held."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt

G, MU = 10.0, 0.5
approx = pytest.approx


def blocks(masses, pushes, speeds=(), mu=MU):
    """Blocks beside each other on a floor, each with one coordinate, pushed along it."""
    model = lw.Model("blocks")
    N, O = model.frame, model.origin
    q = model.coordinates(*[f"x{i}" for i in range(len(masses))])
    model.speeds(**{f"u{i}": dt(x) for i, x in enumerate(q)})
    for i, (x, m, push) in enumerate(zip(q, masses, pushes, strict=True)):
        P = O.at(f"P{i}", x * N.x + float(i) * N.z)
        model.particle(f"block {i}", P, m)
        model.force(P, push * N.x)
        model.contact(f"floor {i}", P, lw.Line(O.at(f"O{i}", float(i) * N.z), N.x, N.y), friction=mu)
    model.gravity(-G * N.y)
    return model, {f"u{i}": u for i, u in enumerate(speeds)}


@pytest.mark.parametrize("count", [1, 5, 9, 20])
def test_many_blocks_each_with_its_own_friction(count):
    """Each sticks where |F| ≤ μ m g, else slides with a = F/m − μ g, however many there are."""
    masses = [1.0 + i for i in range(count)]
    pushes = [(0.9 if i % 2 else 1.5) * MU * m * G for i, m in enumerate(masses)]
    model, _ = blocks(masses, pushes)
    sim = lw.Simulation(model)
    sim.advance(0.5)
    for i in range(count):
        a = 0.0 if i % 2 else 0.5 * MU * G
        assert sim.u[f"u{i}"] == approx(a * 0.5, abs=1e-12)


def stack(push):
    """A light block on a heavy one on a floor; the heavy one is pushed."""
    model = lw.Model("stack")
    N, O = model.frame, model.origin
    x, y = model.coordinates("x", "y")
    model.speeds(u=dt(x), v=dt(y))
    P = O.at("P", x * N.x)
    Q = O.at("Q", y * N.x)
    model.particle("heavy", P, 100.0)
    model.particle("light", Q, 1.0)
    model.force(P, push * N.x)
    model.gravity(-G * N.y)
    model.contact("on the floor", P, lw.Line(O, N.x, N.y), friction=MU)
    model.contact("on the heavy one", Q, lw.Line(P, N.x, N.y), friction=MU)
    return model


def test_blocks_that_stick_to_each_other_rest():
    """Pushed by less than what friction holds, blocks that stick on each other all rest; each force is its own."""
    sim = lw.Simulation(stack(300.0))
    sim.advance(1.0)
    assert np.abs(sim.x[:4]).max() == 0.0
    assert sim.active == ("on the floor: stick", "on the heavy one: stick")


def test_what_is_pinned_elsewhere_changes_no_friction():
    """A bead that is pinned where it touches carries nothing, and a block that slides elsewhere is braked as before."""
    model, _ = blocks([1.0], [0.0])
    N, O = model.frame, model.origin
    x, y = model.coordinates("bx", "by")
    model.speeds(bu=dt(x), bv=dt(y))
    bead = O.at("bead", x * N.x + y * N.y + 5.0 * N.z)
    model.particle("bead", bead, 1.0)
    model.contact("bead on floor", bead, lw.Line(O.at("there", 5.0 * N.z), N.x, N.y), friction=MU)
    sim = lw.Simulation(model, u={"u0": 5.0})
    sim.constrain("pin x", x)
    sim.constrain("pin y", y)
    sim.advance(0.3)
    assert sim.u["u0"] == approx(5.0 - MU * G * 0.3, abs=1e-12)


def test_slip_of_rounding_is_none():
    """A wheel that rolls from the start, but for rounding of ω r, rolls on; nothing happens."""
    model = lw.Model("wheel")
    N, O = model.frame, model.origin
    x, a = model.coordinates("x", "a")
    model.speeds(v=dt(x), w=dt(a))
    B, C = N.rotated("B", a, N.z), O.at("C", x * N.x + 0.1 * N.y)
    body = model.body("wheel", B, C, 1.0, lw.inertia(B, zz=0.005))
    model.gravity(-G * N.y)
    model.contact("road", body.circle(0.1, C), lw.Line(O, N.x, N.y), friction=MU)
    run = lw.simulate(model, until=0.5, u={"v": 0.3, "w": -0.3 / 0.1 * (1.0 + 2e-16)})
    assert len(run.events) == 0


def test_conditions_are_met_in_modes_that_were_met_before():
    """A condition that a later call brings ends it in whichever mode it falls, though the modes are known."""
    model, _ = blocks([1.0], [0.0], mu=0.3)
    (x,) = model.equations().q
    model.force(model.origin.at("S", x * model.frame.x), -50.0 * (x - model.time) * model.frame.x)
    times = []
    for known in (0.0, 3.0):
        sim = lw.Simulation(model)
        sim.advance(known)
        events = sim.advance(6.0, stop_when={"far": 1.0 - 0.01 - x}) if known == 0.0 else None
        if events is None:
            events = sim.advance(6.0, stop_when={"far": 4.0 - x})
        times.append((sim.t, [event.name for event in events if event.kind == "stop"]))
    assert times[0][1] == ["far"]
    assert times[0][0] < 2.0
    assert times[1][1] == ["far"]
    assert times[1][0] < 5.0
