"""The curve of a beam in contacts: beams that strike anywhere along them, balls that roll along them as they bend."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds

EXACT = lw.DormandPrince(rtol=1e-11)


def swung(modes, restitution=1.0, side=-1, **options):
    """A beam on a pin falls onto a corner below the middle of its length, and strikes it wherever it comes."""
    model = lw.Model("strikes")
    pin = model.revolute("pin")
    beam = model.beam("b", pin, pin.origin, 1.0, EI=200.0, rho_A=1.0, modes=modes, shapes="pinned-free", **options)
    corner = model.origin.at("corner", 0.5 * model.frame.x - 0.2 * model.frame.y)
    model.contact("corner", corner, beam.curve(side), restitution=restitution)
    model.gravity(-9.81 * model.frame.y)
    return model, beam


@pytest.mark.parametrize("n", seeds((1, 2, 3), (4, 6)))
def test_impact_at_mid_span(n):
    """No energy is lost, to 1e-9, with any number of modes; angular momentum about the pin changes by x J_y - y J_x."""
    model, _ = swung(n)
    run = lw.simulate(model, 0.26, method=lw.DormandPrince(rtol=1e-12))
    blows = [event for event in run.events if event.kind == "impact"]
    assert len(blows) > 1
    assert run.audit.energy_error < 1e-9
    H = model.equations().angular_momentum(model.origin).dot(model.frame.z)
    for event in blows:
        J = event.impulses["corner"][0]
        before, after = (run.at(event.t + d)[H] for d in (-1e-9, 1e-9))
        assert after - before == pytest.approx(J * np.hypot(0.5, 0.2), rel=1e-3)  # the corner is at right angles


def pushed(n, restitution):
    """What the corner gives to the beam: the angular impulse about the pin until the two have parted."""
    model, _ = swung(n, restitution)
    run = lw.simulate(model, 0.27, method=lw.DormandPrince(rtol=1e-7))
    eq = model.equations()
    H, c = (run[e] for e in (eq.angular_momentum(model.origin).dot(model.frame.z),
                             eq.center_of_mass().dot(model.frame.x)))  # fmt: skip
    return H[-1] - H[0] + 9.81 * float(np.sum(0.5 * (c[1:] + c[:-1]) * np.diff(run.t)))


def test_impulses_converge_in_the_number_of_modes():
    """One mode at a corner without loss bounces; what strikes with ever less mass neither bounces nor loses anything:
    with and without loss the corner gives the same, 1.86, in the limit."""
    rough = [pushed(n, 0.0) for n in (2, 4)]
    assert rough == pytest.approx([1.86, 1.86], rel=0.03)
    lossless = [pushed(n, 1.0) for n in (1, 4)]
    assert abs(lossless[1] - 1.86) < 0.95 * abs(lossless[0] - 1.86)


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


def with_a_free_ball(EI=300.0, height=0.0, tilt=0.2, radius=0.02, **options):
    """The same, with a ball that is free in the plane and held by friction on the curve of the beam."""
    model = lw.Model("ball on a curve")
    tilted = model.frame.rotated("T", -tilt, model.frame.z)
    beam = model.beam("b", tilted, model.origin, 1.0, **({"EI": EI, "rho_A": 1.0, "modes": 3} | options))
    x, y, turned = model.coordinates("x", "y", "turned")
    model.speeds()
    frame = model.frame.rotated("ball", turned, model.frame.z)
    ball = model.body("ball", frame, model.origin.at("center", x * tilted.x + y * tilted.y), 0.5,
                      lw.inertia(frame, zz=0.4 * 0.5 * radius**2))  # fmt: skip
    model.contact("roll", ball.circle(radius), beam.curve(height=height), friction=0.8)
    model.gravity(-9.81 * model.frame.y)
    return model, beam


def test_a_free_ball_rolls_along_the_curve_of_a_beam():
    """Contact, normal force and friction on the material that is below it now: the path of the ball that is bound to
    roll, and energy to 1e-9."""
    bound, free = with_a_ball(EI=300.0)[0], with_a_free_ball()[0]
    wanted = lw.simulate(bound, 0.1, q={"s": 0.1}, method=EXACT)
    run = lw.simulate(free, 0.1, q={"x": 0.1, "y": 0.02}, method=EXACT)
    assert run.audit.energy_error < 1e-9
    assert not run.events
    for ours, theirs in zip(run[free.points["center"]][-1], wanted[bound.points["center"]][-1], strict=True):
        assert ours == pytest.approx(theirs, abs=2e-8)  # slopes of 2e-3: a section leans by η', its axis by atan η'
    assert run["q_b_y1"][-1] == pytest.approx(wanted["q_b_y1"][-1], rel=1e-6)


def test_a_ball_that_lies_in_the_middle_of_a_beam():
    """w = F L³/192 EI + m g L³/384 EI under a ball that has come to rest; its weight and the beam's are held by the
    clamps; the height of the face only lifts it."""
    model, beam = with_a_free_ball(EI=20.0, tilt=0.0, height=0.03, damping=0.02, shapes="clamped-clamped")
    run = lw.simulate(model, 1.0, q={"x": 0.5, "y": 0.05})
    F, m = 0.5 * 9.81, 9.81
    sag = F / (192 * 20.0) + m / (384 * 20.0)
    found = -run[beam.at(0.5).position().dot(model.frame.y)][-1]
    assert found == pytest.approx(sag, rel=5e-3)  # a force at a point, by three modes, from below
    assert found < sag
    assert run["y"][-1] == pytest.approx(0.05 - found, abs=1e-8)
    held = run.reactions()
    assert held["roll"].force[-1] == pytest.approx([0.0, F, 0.0], abs=1e-5)
    assert held["b"].force[-1] == pytest.approx([0.0, F + m, 0.0], abs=1e-5)
    assert held["b"].torque[-1][2] == pytest.approx(0.5 * (F + m), rel=1e-4)  # it foreshortens


def test_two_beams_and_a_box_on_a_beam():
    """Curves of beams meet points, corners and each other: what falls on one bounces, and energy is kept."""
    for other in ("box", "beam"):
        model = lw.Model("falls")
        N = model.frame
        below = model.beam("below", N, model.origin, 1.0, EI=80.0, rho_A=1.0, modes=1)
        frame = model.planar("part")
        at = frame.origin
        if other == "box":
            part = model.body("box", frame, at, 0.4, lw.inertia(frame.frame, zz=0.002)).box((0.2, 0.1))
        else:
            part = model.beam("above", frame, at, 0.3, EI=80.0, rho_A=1.0, modes=1, shapes="free-free").curve(-1)
        model.contact("meet", part, below.curve(), restitution=1.0)
        model.gravity(-9.81 * N.y)
        x, y, turned = (q.name for q in frame.q)
        run = lw.simulate(model, 0.2, q={x: 0.6, y: 0.12, turned: 0.2}, method=EXACT)
        assert any(event.kind == "impact" for event in run.events)
        assert run.audit.energy_error < 1e-9


def between_faces(height):
    """A particle above a beam both of whose faces may be touched."""
    model = lw.Model("both faces")
    x, y = model.coordinates("x", "y")
    model.speeds(vx=lw.dt(x), vy=lw.dt(y))
    beam = model.beam("b", model.frame, model.origin, 0.5, EI=20.0, rho_A=0.5, modes=2)
    model.particle("P", model.origin.at("p", x * model.frame.x + y * model.frame.y), 0.1)
    model.contact("up", model.points["p"], beam.curve(height=height), restitution=0.5)
    model.contact("down", model.points["p"], beam.curve(side=-1, height=height), restitution=0.5)
    model.gravity(-9.81 * model.frame.y)
    return model


@pytest.mark.parametrize("height", [0.0, 0.05])
def test_both_faces_of_a_beam(height):
    """What is behind a face by more than the beam is thick meets the other first; what begins inside is refused."""
    model = between_faces(height)
    from_above = lw.simulate(model, 0.2, q={"x": 0.2, "y": height + 0.05})
    from_below = lw.simulate(model, 0.1, q={"x": 0.2, "y": -height - 0.1}, u={"vy": 3.0})
    assert (from_above.events[0].name, from_below.events[0].name) == ("up", "down")
    if height:
        with pytest.raises(lw.ModelError, match=r"'up' overlaps at t = 0"):
            lw.Simulation(model, q={"x": 0.2, "y": 0.4 * height})


def test_a_ball_rolls_off_the_end_of_a_beam():
    """From the curve onto its end, which is a corner, and down: never below, energy falls by friction alone."""
    model = lw.Model("off the end")
    beam = model.beam("b", model.frame, model.origin, 0.5, EI=20.0, rho_A=0.5, modes=1, damping=1e-3)
    at = model.planar("ball")
    ball = model.body("ball body", at, at.origin, 0.05, lw.inertia(at.frame, zz=2e-5))
    model.contact("roll", ball.circle(0.03), beam.curve(), friction=0.5)
    model.gravity(-9.81 * model.frame.y)
    run = lw.simulate(model, 0.6, q={"q_ball_px": 0.45, "q_ball_py": 0.03}, u={"u_ball_vx": 0.4})
    assert any(event.name == "roll: high end" for event in run.events)
    assert run["q_ball_py"][-1] < -0.2
    assert run.audit.energy_error < 1e-7


def test_beams_collide_without_a_list_of_pairs():
    """`model.collide` takes the curve of a beam like any other shape."""
    model = lw.Model("falls")
    x, y = model.coordinates("x", "y")
    model.speeds()
    beam = model.beam("b", model.frame, model.origin, 1.0, EI=300.0, rho_A=1.0, modes=2)
    model.particle("P", model.origin.at("p", x * model.frame.x + y * model.frame.y), 0.3)
    model.gravity(-9.81 * model.frame.y)
    model.collide(model.points["p"], beam.curve(), restitution=0.5)
    run = lw.simulate(model, 0.2, q={"x": 0.5, "y": 0.1})
    assert run.events[0].t == pytest.approx(np.sqrt(2 * 0.1 / 9.81), rel=0.05)
    assert run.audit.energy_error < 1e-7


def test_what_has_no_curve():
    """Beams that bend about two axes, segments, wrong sides and heights are refused by name."""
    model = lw.Model("m")
    N, section = model.frame, {"rho_A": 1.0, "modes": 1}
    space = model.beam("space", N, model.origin, 1.0, EI={"y": 1.0, "z": 1.0}, **section)
    with pytest.raises(lw.ModelError, match="curve of beam 'space' lies in a plane, and the beam has modes of y, z"):
        space.curve()
    row = model.beam("row", N, model.origin, 1.0, EI=1.0, rho_A=1.0, segments=2)
    with pytest.raises(lw.ModelError, match="segmented beam 'row' would have corners"):
        row.curve()
    beam = model.beam("plain", N, model.origin, 1.0, EI={"z": 1.0}, **section)
    with pytest.raises(lw.ModelError, match="side of the curve of beam 'plain' is 2"):
        beam.curve(side=2)
    for height in (-0.1, float("nan"), "much"):
        with pytest.raises(lw.ModelError, match="height of the curve of beam 'plain' over its axis is"):
            beam.curve(height=height)


def test_large_turns_are_told_once():
    """A beam that bends past what small means is told of, with the value; not again in the same run."""
    model = lw.Model("whip")
    beam = model.beam("whip", model.frame, model.origin, 1.0, EI=1.0, rho_A=1.0, modes=2)
    model.force(beam.tip, -1.2 * model.frame.y)
    sim = lw.Simulation(model)
    with pytest.warns(lw.AuditWarning, match=r"sections of 'whip' turn by 0\.\d+ rad in its frame"):
        sim.advance(0.5)
    sim.advance(0.6)
