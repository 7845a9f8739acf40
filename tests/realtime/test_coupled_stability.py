"""Coupled stability: device, coupler and mechanism together, inside and beyond the predicted bound."""

from __future__ import annotations

import math
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from campaign import seeds
from latchwork.realtime.coupler import Coupler


@pytest.fixture
def study(monkeypatch):
    """The benchmark whose cases these are."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    return import_module("coupling")


def test_inside_the_bound_no_energy_is_generated(study):
    """Every case up to 0.99 of its stiffness: the observer reports nothing at all."""
    for case in study.CASES:
        assert [case.generated(factor) for factor in (0.1, 0.6, 0.99)] == [0.0, 0.0, 0.0]


def test_beyond_the_bound_the_observer_reports(study):
    """Every case from 1.01 of its stiffness on, more and more."""
    for case in study.CASES:
        found = [case.generated(factor) for factor in (1.01, 1.2, 1.6)]
        assert 1e-7 < found[0] < found[1] < found[2]


def test_a_coupler_is_allowed_exactly_where_nothing_is_generated(study):
    """On a grid of stiffness and damping, ``scaled`` leaves alone what the observer finds passive, and nothing else."""
    for _, _, allowed, reported in study.mapped(5):
        assert allowed != reported


def test_poles_leave_the_unit_circle_at_the_bound(study):
    """By eigenvalues of the exact sampled system, which know nothing of energy: 1 for the free device and the mass."""
    thrown, hand, damped, held = (case.unstable_from() for case in study.CASES)
    assert (thrown, held) == pytest.approx((1.0, 1.0), abs=3e-3)
    b, B = study.DAMPING, study.DAMPER
    assert hand == pytest.approx(math.pi**2 / 8.0, abs=3e-3)
    assert damped == pytest.approx((math.pi**2 / 8.0 * b - B) / (b - B), abs=3e-3)


@pytest.mark.parametrize("seed", seeds(range(15), range(400)))
def test_no_spring_that_holds_the_device_makes_it_unstable_inside_the_bound(study, seed):
    """Random passive hands, masses and springs, within b > K T/2 + B: all poles inside the unit circle."""
    rng = np.random.default_rng(seed)
    b, B = study.DAMPING, float(rng.uniform(0.0, 1.9))
    coupler = Coupler(float(rng.uniform(0.5, 0.999)) * 2.0 * (b - B) / study.STEP, B)
    mass = study.DEVICE + 10.0 ** rng.uniform(-3, 1)
    spring = mass * (rng.uniform(0.0, 4.0) * math.pi / study.STEP) ** 2
    assert study.poles(mass, b, float(spring), coupler, differenced=True) < 1.0


def test_the_device_moves_continuously_between_samples(study):
    """Its exact step is that of an integrator under a force that is held."""
    side, force = study.Side(0.2, 2.0), 0.7
    found = solve_ivp(lambda t, x: [x[1], (force - 2.0 * x[1]) / 0.2], (0.0, study.STEP), [0.1, -0.3], rtol=1e-12,
                      atol=1e-14)  # fmt: skip
    assert side.after(0.1, -0.3, force) == pytest.approx(found.y[:, -1], rel=1e-10)
    assert study.Side(0.2).after(0.1, -0.3, force) == pytest.approx(study.Side(0.2, 1e-9).after(0.1, -0.3, force))
