"""Four-bars that are parallelograms, or almost: through the flat position they follow their circuit."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork.errors import IntegrationError
from singular_models import four_bar

START = {"q": {"q1": 1.0, "q2": 0.0, "q3": 1.0}, "u": {"u1": -2.0}, "audit": "off"}  # each test judges the energy
DEVIATIONS = [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11]


def shorter_crank(run, a, b, c, d):
    """How far sin(q3 − q2) > 0 of a crank-rocker is off: a² + d² − 2 a d cos q1 = b² + c² − 2 b c cos(q3 − q2)."""
    cosine = (b * b + c * c - a * a - d * d + 2.0 * a * d * np.cos(run["q1"])) / (2.0 * b * c)
    return np.sin(run["q3"] - run["q2"]) - np.sqrt(np.maximum(1.0 - cosine**2, 0.0))


def shorter_rocker(run, a, b, c, d):
    """The same of sin(q1 − q2) where the rocker goes round: c² + d² + 2 c d cos q3 = a² + b² + 2 a b cos(q1 − q2)."""
    cosine = (c * c + d * d - a * a - b * b + 2.0 * c * d * np.cos(run["q3"])) / (2.0 * a * b)
    return np.sin(run["q1"] - run["q2"]) - np.sqrt(np.maximum(1.0 - cosine**2, 0.0))


@pytest.mark.parametrize(("deviation", "law"), [
    *[(-e, shorter_crank) for e in DEVIATIONS[::2]], *[(e, shorter_rocker) for e in DEVIATIONS[1::2]]])  # fmt: skip
def test_an_almost_parallelogram_stays_on_its_circuit(deviation, law):
    """The sine that keeps its sign on a circuit is that of the closed form, twice through the flat position; energy is
    kept to what rounding makes of a gap so narrow."""
    lengths = 1.0 + deviation, 2.0, 1.0, 2.0
    run = lw.simulate(four_bar(*lengths), until=3.0, **START)
    assert max(abs(run["q1"][-1]), abs(run["q3"][-1])) > 5.0
    assert law(run, *lengths) == pytest.approx(0.0, abs=1e-5)
    assert run.audit.energy_error < (1e-6 + 2e-14 / abs(deviation)) * run.audit.energy_start
    assert run.audit.unresolved == 0.0


@pytest.mark.parametrize("bar", ["coupler", "ground"])
@pytest.mark.parametrize("deviation", [1e-4, -1e-6, 1e-8, -1e-10])
def test_another_bar_that_is_a_little_off(bar, deviation):
    """Bars turn against each other after the flat position, tan(q1/2) : tan(q3/2) = −3 or −1/3; the energy is kept."""
    run = lw.simulate(four_bar(**{bar: 2.0 * (1.0 + deviation)}), until=0.8, **START)
    ratio = math.tan(0.5 * run["q1"][-1]) / math.tan(0.5 * run["q3"][-1])
    near = min(abs(ratio + 3.0), abs(ratio + 1.0 / 3.0))
    assert near < 10.0 * math.sqrt(abs(deviation))
    assert run.energy[-1] == pytest.approx(run.energy[0], rel=1e-6 + 2e-14 / abs(deviation))


@pytest.mark.parametrize("deviation", [0.0, 1e-12, -1e-12, 1e-13])
def test_below_what_is_resolved_the_branch_goes_straight_on(deviation):
    """q1 = q3 = 1 − 2 t through both flat positions, and the audit says so."""
    run = lw.simulate(four_bar(1.0 + deviation), until=3.0, **START)
    assert run["q1"] == pytest.approx(1.0 - 2.0 * run.t, abs=1e-6)
    assert run["q3"] == pytest.approx(1.0 - 2.0 * run.t, abs=1e-6)
    assert run.audit.energy_error < 1e-5
    assert (run.audit.unresolved > 0.0) == (deviation != 0.0)
    assert ("taken to cross" in str(run.audit)) == (deviation != 0.0)


def test_fixed_steps_that_are_too_long_are_refused():
    """A step of 2 ms leads over a gap of 1e-4 rad: the run ends there, and does not go on along the other circuit."""
    with pytest.raises(IntegrationError, match=r"stopped at t = 0\.5.*to a circuit that the linkage cannot reach"):
        lw.simulate(four_bar(1.0 + 1e-8), until=1.0, method=lw.RK4(2e-3), **START)


def test_fixed_steps_that_end_in_the_flat_position():
    """1 − 2 t is zero after 250 steps of 2 ms, where rows are dependent to the last bit; the run goes on."""
    run = lw.simulate(four_bar(), until=1.0, method=lw.RK4(2e-3), **START)
    assert run["q1"] == pytest.approx(1.0 - 2.0 * run.t, abs=1e-9)


def test_methods_of_scipy_follow_the_circuit():
    """Each of their steps is looked at as those of Runge and Kutta are."""
    run = lw.simulate(four_bar(1.0 - 1e-7), until=0.8, method=lw.SciPy("LSODA"), **START)
    assert shorter_crank(run, 1.0 - 1e-7, 2.0, 1.0, 2.0) == pytest.approx(0.0, abs=1e-5)
