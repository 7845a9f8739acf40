"""A mode that goes on in other speeds: those that were chosen before are taken again, and nobody sees it."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork.hybrid.mode_dynamics import Recombined

R, G = 0.1, 9.81


def rolling(**more):
    """A ball that rolls on a rough floor; speeds of a free joint are in its own axes, which turn with it."""
    model = lw.Model("ball")
    N, O = model.frame, model.origin
    link = model.free("ball", q=["x", "y", "z", "e0", "e1", "e2", "e3"], u=["vx", "vy", "vz", "w1", "w2", "w3"])
    inertia = 0.4 * 0.5 * R**2
    ball = model.body("ball", link, link.origin, 0.5, lw.inertia(link.frame, xx=inertia, yy=inertia, zz=inertia))
    model.gravity(-G * N.z)
    model.contact("floor", ball.sphere(R), lw.Plane(point=O, normal=N.z), friction=0.8)
    speed = 2.0
    return lw.Simulation(model, q={"x": 0.0, "y": 0.0, "z": R, "e0": 1.0}, u={"vx": speed, "w2": speed / R}, **more)


@pytest.fixture
def asked(monkeypatch):
    """LaidOutModes that went on in other speeds."""
    made = []
    plain = Recombined.rewritten

    def noted(dynamics, *at):
        made.append(plain(dynamics, *at))
        return made[-1]

    monkeypatch.setattr(Recombined, "rewritten", noted)
    return made


def test_few_stages_for_many_turns(asked):
    """Ten turns and more: speeds change a dozen times, between a few stages; it rolls at a constant speed."""
    sim = rolling(method=lw.DormandPrince(rtol=1e-11, atol=1e-13))
    sim.advance(4.0)
    assert len(asked) > 12
    assert len(set(asked)) <= 6
    assert sim.q["x"] == pytest.approx(8.0, abs=1e-8)
    assert abs(sim.q["z"] - R) < 1e-12


def test_as_if_they_were_chosen_anew(asked, monkeypatch):
    """The same motion where nothing is remembered."""
    def run():
        sim = rolling(method=lw.DormandPrince(rtol=1e-11, atol=1e-13))
        sim.advance(2.0)
        return np.array([*sim.q.values(), *sim.u.values()])

    found = run()
    monkeypatch.setattr(Recombined, "_reselected", lambda dynamics, x: None)
    asked.clear()
    assert found == pytest.approx(run(), abs=1e-8)
    assert len(set(asked)) == len(asked) > 5


def test_in_ticks_too(asked):
    """Ticked at 1 kHz, the courses of modes that were ticked before are taken up again."""
    sim = rolling()
    for _ in range(2000):
        sim.tick(1e-3)
    assert len(asked) > 5
    assert len(set(asked)) <= 6
    assert sim.q["x"] == pytest.approx(4.0, abs=1e-6)
