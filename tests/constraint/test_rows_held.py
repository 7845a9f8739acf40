"""Every row is met along a run, kept or redundant, whatever its units; or the run ends and names it."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork import sin
from latchwork.errors import EvaluationError, IntegrationError


def plane():
    """Two particles of 1 kg and 2 kg in a plane, without gravity."""
    model = lw.Model("plane")
    x, y, v, w = model.coordinates("x", "y", "v", "w")
    model.particle("P", model.origin.at("P", x * model.frame.x + y * model.frame.y), 1.0)
    model.particle("Q", model.origin.at("Q", v * model.frame.x + w * model.frame.y), 2.0)
    return model, x, y, v, w


def test_rows_that_agree_at_first_and_part_later_end_the_run():
    """x = t and x = sin t agree at t = 0 with two derivatives; the run ends before they are 1e-8 apart."""
    model, x, *_ = plane()
    model.constraint("steady", x - model.time)
    model.constraint("swinging", x - sin(model.time))
    with pytest.raises(IntegrationError, match=r"'(steady|swinging)' cannot be held at t = 0\.0.*make them agree"):
        lw.simulate(model, until=1.0, q={"x": 0.0})


def test_a_row_that_vanishes_where_it_is_met_is_refused_when_the_motion_leaves_it():
    """x³ = 0 holds nothing at x = 0; a particle that moves on is not followed in silence."""
    model, x, *_ = plane()
    model.constraint("cube", x**3)
    with pytest.raises(lw.ConstraintError, match=r"singular position and moves as no branch .*cube hold 0"):
        lw.simulate(model, until=1.0, q={"x": 0.0}, u={"u_x": 1.0})


def test_rows_across_the_plane_say_nothing():
    """Three measures of a vector that must vanish; in a plane, one of them is 0 = 0, and is redundant."""
    model, *_ = plane()
    P, Q = model.points["P"], model.points["Q"]
    model.constraint("pin", P.position(Q).measures(model.frame))
    assert model.constrained().redundant == ("pin[2]",)
    run = lw.simulate(model, until=1.0, u={"u_x": 1.0})
    assert run.u[-1] == pytest.approx([1.0, 0.0, 1.0, 0.0], abs=1e-14)


def test_a_row_that_no_motion_changes_must_be_met():
    """Points of two parallel planes never meet: their distance across is a row, and is named."""
    model, *_ = plane()
    height = model.parameter("height", 0.3)
    P, Q = model.points["P"], model.points["Q"].at("R", height * model.frame.z)
    model.constraint("pin", P.position(Q))
    with pytest.raises(lw.ConstraintError, match=r"'pin\[2\]' is off by -0.3"):
        lw.simulate(model, until=1.0)


@pytest.mark.parametrize("unit", [1e6, 1.0, 1e-6])
def test_units_of_a_row_change_nothing(unit):
    """A rod in metres, in micrometres or in megametres stays as long as it is, to rounding."""
    model, x, y, v, w = plane()
    model.constraint("rod", unit * (lw.sqrt((x - v) ** 2 + (y - w) ** 2) - 1.0))
    run = lw.simulate(model, until=5.0, q={"x": 0.9, "v": 0.0}, u={"u_y": 3.0}, method=lw.RK4(0.01))
    assert np.hypot(run["x"] - run["v"], run["y"] - run["w"]) == pytest.approx(1.0, abs=1e-12)


def test_a_configuration_row_is_kept_where_its_rate_is_given_too():
    """Coordinates can be brought back onto Φ = 0, not onto its rate: that one is redundant."""
    model, x, y, v, w = plane()
    rod = (x - v) ** 2 + (y - w) ** 2 - 1.0
    model.constraint("rate", 1e3 * lw.dt(rod))
    model.constraint("rod", rod)
    assert model.constrained().redundant == ("rate",)
    run = lw.simulate(model, until=5.0, q={"x": 1.0}, u={"u_y": 3.0}, method=lw.RK4(0.01))
    assert run[rod] == pytest.approx(0.0, abs=1e-12)


def test_a_row_without_a_value_is_refused():
    """A division by what vanishes at the start is named, with its numbers."""
    model, x, *_ = plane()
    model.constraint("pole", lw.dt(x) / x - 1.0)
    with pytest.raises(EvaluationError, match=r"'pole' of 'plane' has no number at t = 0, x = 0.*B = .*Start else"):
        lw.simulate(model, until=1.0, q={"x": 0.0})


def test_the_end_of_reach_names_the_rows():
    """A pendulum's end carried straight away along N.x is out of reach after 0.5 s."""
    model, x, y, *_ = plane()
    model.constraint("rod", x**2 + y**2 - 1.0)
    model.constraint("carried", x - 0.5 - model.time)
    with pytest.raises(IntegrationError, match=r"at t = 0\.[45].*'rod', 'carried' come close to.*release one"):
        lw.simulate(model, until=1.0, q={"x": 0.5, "y": 0.8}, method=lw.DormandPrince(max_steps=3000))


def test_a_row_that_jumps_ends_the_run():
    """No step leaves a residual of 1 m behind: the coordinate is not carried over the jump in silence."""
    model, x, *_ = plane()
    model.constraint("jump", x - lw.where(model.time < 0.5, 0.0, 1.0))
    with pytest.raises(IntegrationError, match=r"'jump' cannot be held at t = .*off by -1.*take shorter steps"):
        lw.simulate(model, until=1.0)


def test_the_steps_of_a_run_are_bounded_however_often_speeds_are_chosen_anew():
    """A rod that shortens to nothing spins up without bound, and x and y take turns in being dependent."""
    model, x, y, *_ = plane()
    model.constraint("rod", lw.sqrt(x**2 + y**2) - 1.0 + model.time)
    with pytest.raises(IntegrationError, match=r"more steps were needed than allowed.*'rod'"):
        lw.simulate(model, until=2.0, q={"x": 1.0}, u={"u_y": 1.0}, method=lw.DormandPrince(max_steps=2000))


@pytest.mark.parametrize("keep", ["steps", "samples"])
def test_rows_are_met_between_the_steps(keep):
    """Samples at even times come from dense output, and are brought onto Φ = 0 as the steps are; so is an event."""
    model, x, y, *_ = plane()
    rod = x**2 + y**2 - 1.0
    model.constraint("rod", rod)
    run = lw.simulate(model, until=9.0, q={"x": 1.0}, u={"u_y": 1.0}, every=0.01, keep=keep, stop_when={"left": x},
                      method=lw.SciPy("BDF", 1e-6, 1e-8))  # fmt: skip
    assert run.events[0].t == pytest.approx(np.pi / 2.0, abs=1e-5)  # ten times what BDF is off on a circle
    assert len(run.path.t) < 200
    assert run[rod] == pytest.approx(0.0, abs=1e-12)
