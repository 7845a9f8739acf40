"""Impulses that constraints take up in an impact, in closed form; and force limits, which pass none on."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw

G = 10.0


def geared(restitution=0.0):
    """Two sliders of 1 and 3 kg geared 1 : 2, the first of which falls on a floor 5 m below."""
    model = lw.Model("geared")
    N, O = model.frame, model.origin
    a = model.prismatic("a", axis=N.y, q=["qa"], u=["ua"])
    b = model.prismatic("b", at=O.at("B", 2.0 * N.x), axis=N.y, q=["qb"], u=["ub"])
    model.particle("A", a.origin, 1.0)
    model.particle("B", b.origin, 3.0)
    model.force(a.origin, -G * N.y)
    model.gear("gear", b, a, 2.0)
    model.contact("floor", a.origin, lw.Line(O.at("F", -5.0 * N.y), N.x, N.y), restitution=restitution)
    return model


@pytest.mark.parametrize("restitution", [0.0, 0.5])
def test_gears_take_up_their_part_of_an_impact(restitution):
    """Λ_gear = m_b Δu_b, and what the floor gives is Δp_a + 2 Δp_b: at every bounce, also at those made again."""
    run = lw.simulate(geared(restitution), until=4.0, q=[0.0, 0.0])
    impacts = [event for event in run.events if event.kind == "impact"]
    assert len(impacts) == (1 if restitution == 0.0 else len(impacts))
    speed = np.sqrt(2.0 * (G / 13.0) * 5.0)
    for number, event in enumerate(impacts[:5]):
        change = speed * restitution**number * (1.0 + restitution)
        assert event.impulses["gear"] == pytest.approx([3.0 * 2.0 * change], rel=1e-7)
        assert event.impulses["floor"] == pytest.approx([13.0 * change], rel=1e-7)
        assert event.name == "floor"
        assert "gear" not in str(event)


def test_loops_take_up_impulses_like_those_of_the_equations():
    """M Δu = Jᵀ Λ_floor + Bᵀ Λ_loop, with B and M of the equations at the impact."""
    model = lw.Model("rod")
    x, y = model.coordinates("x", "y")
    N, O = model.frame, model.origin
    P = O.at("P", x * N.x + y * N.y)
    model.particle("bob", P, 2.0)
    model.gravity(-G * N.y)
    model.distance("rod", P, O, 1.0)
    model.contact("floor", P, lw.Line(O.at("F", -0.5 * N.y), N.x, N.y), restitution=0.3)
    run = lw.simulate(model, until=1.0, q=[np.sin(0.5), np.cos(0.5)])
    event = next(event for event in run.events if event.kind == "impact")
    i = int(np.flatnonzero(run.t == event.t)[0])
    jump = 2.0 * (run.u[i + 1] - run.u[i])
    rod = model.constrained(at=run.q[i])
    B = rod.unconstrained.evaluate(rod.B, run.q[i], run.u[i])
    assert B.T @ event.impulses["rod"] + [0.0, event.impulses["floor"][0]] == pytest.approx(jump, abs=1e-7)


def coupled(sim_limit):
    """Two blocks on a line, held together by a magnet, of which the first meets a stop."""
    model = lw.Model("magnet")
    N, O = model.frame, model.origin
    x, y = model.coordinates("x", "y")
    P, Q = O.at("P", x * N.x), O.at("Q", y * N.x)
    model.particle("P", P, 1.0)
    model.particle("Q", Q, 2.0)
    model.contact("stop", P, lw.Line(O.at("S", 1.0 * N.x), N.y, -1.0 * N.x), restitution=0.5)
    sim = lw.Simulation(model, q=[0.0, -0.5], u=[1.0, 1.0])
    sim.constrain("magnet", x - y - 0.5, limit=sim_limit)
    sim.advance(2.0)
    return sim


def test_a_force_limit_passes_on_no_impulse():
    """However strong, it is bounded, and an impact's force is not: one block bounces alone, and the other goes on."""
    sim = coupled(1e6)
    assert [(event.kind, event.name) for event in sim.events] == [
        ("constrain", "magnet"), ("release", "magnet"), ("impact", "stop")]  # fmt: skip
    assert sim.events[-1].impulses["stop"] == pytest.approx([1.5], rel=1e-9)
    assert sim.u == pytest.approx({"u_x": -0.5, "u_y": 1.0}, rel=1e-9)


def test_without_a_limit_the_impulse_is_passed_on():
    """Both blocks bounce as one of 3 kg, and the magnet takes 2 kg of it."""
    sim = coupled(None)
    assert sim.active == ("magnet",)
    assert sim.events[-1].impulses["stop"] == pytest.approx([4.5], rel=1e-9)
    assert np.abs(sim.events[-1].impulses["magnet"]) == pytest.approx([3.0], rel=1e-9)


def test_a_force_limit_stays_where_an_impact_is_not_felt():
    """What holds elsewhere, or across the impulse, goes on holding."""
    model = lw.Model("apart")
    N, O = model.frame, model.origin
    x, y = model.coordinates("x", "y")
    P, Q = O.at("P", x * N.x), O.at("Q", y * N.x)
    model.particle("P", P, 1.0)
    model.particle("Q", Q, 2.0)
    model.contact("stop", P, lw.Line(O.at("S", 1.0 * N.x), N.y, -1.0 * N.x), restitution=0.5)
    sim = lw.Simulation(model, q=[0.0, -0.5], u=[1.0, 0.0])
    sim.constrain("brake", y + 0.5, limit=1.0)
    sim.advance(2.0)
    assert sim.active == ("brake",)
    assert [event.kind for event in sim.events] == ["constrain", "impact"]


def test_what_is_imposed_breaks_what_cannot_pass_on_its_impulse():
    """A catch that stops one of two blocks in an instant lets the magnet between them go."""
    model = lw.Model("catch")
    x, y = model.coordinates("x", "y")
    for name, q, mass in (("P", x, 1.0), ("Q", y, 2.0)):
        model.particle(name, model.origin.at(name, q * model.frame.x), mass)
    sim = lw.Simulation(model, q=[0.0, -0.5], u=[1.0, 1.0])
    sim.constrain("magnet", x - y - 0.5, limit=100.0)
    event = sim.constrain("catch", x)
    assert sim.active == ("catch",)
    assert event.impulses["catch"] == pytest.approx([-1.0], rel=1e-12)
    assert sim.u == pytest.approx({"u_x": 0.0, "u_y": 1.0}, abs=1e-12)
