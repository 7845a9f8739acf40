"""Inputs in constraints and belts: held over a step; a jump is an impact, or refused; a law has its own rate."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw

STEPS = lw.Table([0.0, 1.0, 2.0], [0.0, 0.6, -0.3])
RAMPS = lw.Table([0.0, 1.0, 2.0], [0.0, 0.6, -0.3], kind="linear")


def pair(row):
    """Two masses of 1 and 2 kg on a line, and a row of their coordinates, speeds and the input r."""
    model = lw.Model("pair")
    x, y = model.coordinates("x", "y")
    v, w = model.speeds(v=lw.dt(x), w=lw.dt(y))
    (r,) = model.inputs(r=0.0)
    for name, q, mass in (("P", x, 1.0), ("Q", y, 2.0)):
        model.particle(name, model.origin.at(name, q * model.frame.x), mass)
    model.constraint("drive", row(x, y, v, w, r))
    return model


def speeds(x, y, v, w, r):
    return v - w - r


def places(x, y, v, w, r):
    return x - y - r


def test_a_jump_of_an_input_in_a_motion_row_is_an_impact():
    """v − w follows r at once, v + 2 w stays; the impulse is 2/3 Δr, and the energy ½ μ Δ(r²) is booked as work."""
    run = lw.simulate(pair(speeds), 3.0, inputs={"r": STEPS})
    assert [(event.kind, event.name, event.t) for event in run.events] == [("input", "r", 1.0), ("input", "r", 2.0)]
    assert [event.impulses["drive"][0] for event in run.events] == pytest.approx([0.4, -0.6], rel=1e-12)
    assert [event.energy for event in run.events] == pytest.approx([-0.12, 0.09], rel=1e-12)
    for t, r in ((0.5, 0.0), (1.5, 0.6), (2.5, -0.3)):
        assert (run.at(t)["v"], run.at(t)["w"]) == pytest.approx((2.0 * r / 3.0, -r / 3.0), abs=1e-12)
    assert run["v"][run.t == 1.0] == pytest.approx([0.0, 0.4], abs=1e-12)
    assert run.audit.energy_error < 1e-12


@pytest.mark.parametrize("row", [speeds, places])
def test_a_law_of_an_input_in_a_row_has_its_own_rate(row):
    """r = t² in a row of speeds or of coordinates: both follow exactly, and momentum stays."""
    model = pair(row)
    run = lw.simulate(model, 2.0, inputs={"r": model.time**2})
    difference = run["v - w"] if row is speeds else run["x - y"]
    assert difference == pytest.approx(run.t**2, abs=1e-9)
    assert run["v + 2*w"] == pytest.approx(0.0, abs=1e-9)
    assert run.audit.energy_error < 1e-9
    assert run.events == ()


def test_a_linear_table_moves_coordinates_steadily():
    """Its slope is their speed, which jumps at its rows with an impact; in a row of speeds nothing jumps."""
    run = lw.simulate(pair(places), 3.0, inputs={"r": RAMPS})
    assert run["x - y"] == pytest.approx(np.interp(run.t, RAMPS.times, RAMPS.values), abs=1e-12)
    assert [event.t for event in run.events] == [1.0, 2.0]
    assert run.audit.energy_error < 1e-12
    assert lw.simulate(pair(speeds), 3.0, inputs={"r": RAMPS}).events == ()


def test_coordinates_cannot_jump_with_an_input():
    """The input, the time and by how much: what to do instead is said."""
    with pytest.raises(lw.ConstraintError, match=r"r of 'pair' jumps at t = 1, .* off by 0\.6 .* linear"):
        lw.simulate(pair(places), 3.0, inputs={"r": STEPS})


def test_an_input_that_a_rule_sets_is_followed():
    """The jump comes where the rule fires."""
    model = pair(speeds)
    model.rule("go", 1.0 - model.time, inputs={"r": 0.6})
    run = lw.simulate(model, 2.0)
    assert [event.kind for event in run.events] == ["rule", "input"]
    assert (run["v"][-1], run["w"][-1]) == pytest.approx((0.4, -0.2), rel=1e-12)


def test_rows_that_move_with_an_input_are_not_linearized():
    """Speeds would follow its rate."""
    for row in (speeds, places):
        with pytest.raises(lw.ConstraintError, match="the row 'drive' of 'pair' moves with the input 'r'"):
            pair(row).constrained().linearize([0.0, 0.0], [0.0, 0.0])


def belt(speed):
    """A block of 1 kg on a belt, friction ½."""
    model = lw.Model("belt")
    N, O = model.frame, model.origin
    x, y = model.coordinates("x", "y")
    (r,) = model.inputs(r=0.0)
    P = O.at("P", x * N.x + y * N.y)
    model.particle("P", P, 1.0)
    model.gravity(-10.0 * N.y)
    model.contact("belt", P, lw.Line(O, N.x, N.y, belt=r), friction=0.5)
    return lw.simulate(model, 3.0, inputs={"r": speed(model) if callable(speed) else speed})


def test_a_belt_that_jumps_makes_what_sticks_slide():
    """It slides at μ g until it has the speed of the belt, |Δv| / μ g later."""
    run = belt(lw.Table([0.0, 1.0, 2.0], [1.0, 2.0, -1.0]))
    told = [(event.kind, round(event.t, 9)) for event in run.events]
    assert told == [("stick", 0.2), ("input", 1.0), ("slide", 1.0), ("stick", 1.2), ("input", 2.0), ("slide", 2.0),
                    ("stick", 2.6)]  # fmt: skip
    assert run["u_x"][-1] == pytest.approx(-1.0, abs=1e-12)
    assert run.audit.energy_error < 1e-9


def test_a_belt_that_follows_a_law_takes_along_what_sticks():
    """sin t is slower than friction could follow: it sticks all the time."""
    run = belt(lambda model: lw.sin(model.time))
    assert run["u_x"] == pytest.approx(np.sin(run.t), abs=1e-9)
    assert run.events == ()


def test_surfaces_do_not_move_with_an_input():
    """They would jump: said by the name of the contact."""
    model = lw.Model("lift")
    (y,) = model.coordinates("y")
    (r,) = model.inputs(r=0.0)
    P = model.origin.at("P", y * model.frame.y)
    model.particle("P", P, 1.0)
    model.contact("table", P, lw.Line(model.origin.at("T", (r - 1.0) * model.frame.y), model.frame.x, model.frame.y))
    with pytest.raises(lw.ContactError, match="the place of 'table' of 'lift' depends on the input 'r'"):
        lw.simulate(model, 1.0)


@pytest.mark.parametrize("go", [lambda sim: sim.advance(0.5), lambda sim: sim.tick(0.5)], ids=["advance", "tick"])
def test_an_input_that_is_set_is_followed(go):
    """Before the first step, and between steps: the masses follow with an impact, and momentum stays."""
    sim = lw.Simulation(pair(speeds))
    for r in (0.6, -0.3):
        sim.inputs["r"] = r
        events = go(sim) if r > 0.0 else sim.advance(1.0)
        assert [event.kind for event in events] == ["input"]
        assert sim.u == pytest.approx({"v": 2.0 * r / 3.0, "w": -r / 3.0}, abs=1e-12)
