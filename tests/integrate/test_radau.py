"""Radau IIA, our own: its coefficients, its order, what it does with fast decay, events."""

from __future__ import annotations

import math

import numpy as np
import pytest

from latchwork.integrate import radau
from latchwork.integrate.methods import DormandPrince, Radau, integrate
from latchwork.program.function import Function
from random_programs import program_of

C = np.array([4 - math.sqrt(6), 4 + math.sqrt(6), 10]) / 10
POWERS = np.arange(3)


def collocation() -> np.ndarray:
    """A of the collocation at c: Σ_j a_ij c_j^k = c_i^(k+1) / (k+1)."""
    return np.linalg.solve(np.vander(C, 3, increasing=True).T, ((C[:, None] ** (POWERS + 1)) / (POWERS + 1)).T).T


def test_coefficients_are_those_of_the_collocation():
    """A⁻¹ T = T Λ, T⁻¹, the slope at the end and the polynomial through the stages, to rounding."""
    T, inverse = np.reshape(radau.T, (3, 3)), np.reshape(radau.T_INVERSE, (3, 3))
    Lambda = np.array([[radau.GAMMA, 0, 0], [0, radau.ALPHA, -radau.BETA], [0, radau.BETA, radau.ALPHA]])
    assert pytest.approx(C, rel=1e-15) == radau.C
    assert np.linalg.inv(collocation()) @ T == pytest.approx(T @ Lambda, abs=1e-13)
    assert T @ inverse == pytest.approx(np.eye(3), abs=1e-15)
    polynomial = np.reshape(radau.POLYNOMIAL, (3, 3))
    assert polynomial @ (C[None, :] ** np.arange(1, 4)[:, None]) == pytest.approx(np.eye(3), abs=1e-14)
    assert pytest.approx(polynomial @ np.arange(1, 4), abs=1e-13) == radau.SLOPE


def test_the_error_estimate_is_of_third_order():
    """γ₀ (f + Σ e_i z_i / h), γ₀ = 1/γ: what a formula with the weights of (x, stages) that is exact up to h³ differs
    by."""
    # for x(t) = t^k on [0, 1]: f = 1 (k = 1) or 0, z_i = c_i^k; exact for k = 1, 2, 3, not beyond
    for k in (1, 2, 3):
        assert (k == 1) + np.dot(radau.ERROR, C**k) == pytest.approx(0.0, abs=1e-13)
    assert abs(np.dot(radau.ERROR, C**4)) > 1e-2


def oscillator() -> Function:
    """``ẋ = v, v̇ = −w x`` with w held."""
    return Function(program_of("t x v w", (), [("mul", 1, 3), ("neg", 4)], (2, 5)))


def test_steps_are_of_fifth_order_and_dense_output_of_fourth():
    """From 1e-8 to 1e-10 the error of a swing falls with the power 5 of the number of steps; between samples, 4."""
    runs = [integrate(oscillator(), [1.0, 0.0], 0.0, 6.0, [1.0], Radau(rtol=rtol)) for rtol in (1e-8, 1e-10)]
    t = np.linspace(0.0, 6.0, 2001)
    more = math.log(runs[1].stats.steps / runs[0].stats.steps)
    ends = [abs(run.x[-1, 0] - math.cos(6.0)) for run in runs]
    between = [np.abs(run.at(t)[:, 0] - np.cos(t)).max() for run in runs]
    assert math.log(ends[0] / ends[1]) / more == pytest.approx(5.0, abs=0.3)
    assert math.log(between[0] / between[1]) / more == pytest.approx(4.0, abs=0.3)


def decay() -> Function:
    """``ẋ = −λ (x − cos t) − sin t``, which x = cos t solves [Prothero and Robinson 1974], λ held."""
    rows = [("cos", 0), ("sub", 1, 3), ("mul", 2, 4), ("neg", 5), ("sin", 0), ("sub", 6, 7)]
    return Function(program_of("t x lam", (), rows, (8,)))


@pytest.mark.parametrize("rate", [1e2, 1e5, 1e8])
def test_fast_decay_costs_nothing(rate):
    """As many steps whatever the rate; also where f amplifies rounding of x by it, dense output does not."""
    run = integrate(decay(), [1.0], 0.0, 10.0, [rate], Radau(rtol=1e-8))
    t = np.linspace(0.0, 10.0, 1001)
    assert np.abs(run.at(t)[:, 0] - np.cos(t)).max() < 1e-7
    assert run.stats.steps < 300
    assert run.stats.evaluations < 3000


def test_a_transient_is_followed_then_forgotten():
    """From off the slow motion: e^(−λ t) at first, cos t afterwards, in steps that grow by ten thousand."""
    rate = 1e5
    run = integrate(decay(), [2.0], 0.0, 3.0, [rate], Radau(rtol=1e-8))
    t = np.concatenate([np.geomspace(1e-7, 1e-4, 50), np.linspace(0.01, 3.0, 100)])
    assert np.abs(run.at(t)[:, 0] - np.cos(t) - np.exp(-rate * t)).max() < 1e-6
    steps = np.diff(run.t)
    assert steps.max() > 1e4 * steps[:5].max()


@pytest.mark.parametrize("rate", [1e2, 1e6])
def test_events_are_located_where_they_are(rate):
    """cos t falls through a level: the instant, in stiff equations as in others."""
    level = Function(program_of("t x lam", (-0.3,), [("sub", 1, 3), ("sin", 0), ("neg", 5)], (4, 6)))
    run = integrate(decay(), [1.0], 0.0, 10.0, [rate], Radau(), guards=level)
    assert run.event.t == pytest.approx(math.acos(-0.3), abs=1e-8)
    assert run.event.x[0] == pytest.approx(-0.3, abs=1e-12)
    assert run.dx[-1, 0] == pytest.approx(-math.sin(run.event.t), abs=1e-5)  # no rate times an error


def test_explicit_steps_need_what_stability_asks_for():
    """The same decay by Dormand and Prince: as many steps as λ T / 3.3, and more."""
    run = integrate(decay(), [1.0], 0.0, 10.0, [1e4], DormandPrince(rtol=1e-8))
    assert run.stats.steps > 1e4 * 10.0 / 3.4
