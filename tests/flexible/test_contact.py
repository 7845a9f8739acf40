"""Beams that strike, and a ball that rolls along a beam while it bends."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw


def swung(modes):
    """A beam on a pin falls and strikes a rest with the middle of its length, without loss."""
    model = lw.Model("strikes")
    pin = model.revolute("pin")
    beam = model.beam("b", pin, pin.origin, 1.0, EI=200.0, rho_A=1.0, modes=modes, shapes="pinned-free")
    rest = lw.Line(point=model.origin.at("c", -0.2 * model.frame.y), direction=model.frame.x, normal=model.frame.y)
    model.contact("corner", beam.at(0.5), rest, restitution=1.0)
    model.gravity(-9.81 * model.frame.y)
    return model, beam


def test_impact_at_mid_span():
    """No energy is lost to 1e-9 with any number of modes; more modes: smaller single blows, the same push in all."""
    pushes, first = [], []
    for n in (1, 2):
        model, _ = swung(n)
        run = lw.simulate(model, 0.26, method=lw.DormandPrince(rtol=1e-11))
        blows = [float(np.sum(event.impulses["corner"])) for event in run.events if event.kind == "impact"]
        assert run.audit.energy_error < 1e-9
        pushes.append(sum(blows))
        first.append(blows[0])
    assert first[0] > first[1]
    assert pushes[1] == pytest.approx(pushes[0], rel=0.3)


def with_a_ball(EI, tilt=0.2, radius=0.02):
    """A ball rolls down a tilted cantilever: it is where the beam is at s, and turns by s/r against the section."""
    model = lw.Model("ball on a beam")
    (s,) = model.coordinates("s")
    model.speeds()
    tilted = model.frame.rotated("T", -tilt, model.frame.z)
    beam = model.beam("b", tilted, model.origin, 1.0, EI=EI, rho_A=1.0, modes=3)
    section = beam.frame_at(s, "section")
    ball = section.rotated("ball", -s / radius, section.z)
    center = beam.at(s).at("center", radius * section.y)
    model.body("ball", ball, center, 0.5, lw.inertia(ball, zz=0.4 * 0.5 * radius**2))
    model.gravity(-9.81 * model.frame.y)
    return model, beam


def test_a_ball_rolls_along_a_bending_beam():
    """Energy is kept to 1e-9; on a beam that hardly bends it rolls as on a plane, 5/7 g sin α."""
    model, _ = with_a_ball(EI=300.0)
    run = lw.simulate(model, 0.3, q={"s": 0.1}, method=lw.DormandPrince(rtol=1e-11))
    assert run.audit.energy_error < 1e-9
    stiff, _ = with_a_ball(EI=2e4)
    moved = lw.simulate(stiff, 0.15, q={"s": 0.1})
    assert moved["s"][-1] - 0.1 == pytest.approx(5 / 7 * 9.81 * np.sin(0.2) * 0.15**2 / 2, rel=5e-3)


def test_large_turns_are_told_once():
    """A beam that bends past what small means is told of, with the value; not again in the same run."""
    model = lw.Model("whip")
    beam = model.beam("whip", model.frame, model.origin, 1.0, EI=1.0, rho_A=1.0, modes=2)
    model.force(beam.tip, -1.2 * model.frame.y)
    sim = lw.Simulation(model)
    with pytest.warns(lw.AuditWarning, match=r"sections of 'whip' turn by 0\.\d+ rad in its frame"):
        sim.advance(0.5)
    sim.advance(0.6)
