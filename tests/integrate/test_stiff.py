"""Stiff methods on our right-hand side: few steps, the same answer, derived Jacobians, events, refusals."""

from __future__ import annotations

import importlib.util
import math
import sys

import numpy as np
import pytest

import latchwork as lw
from latchwork.errors import IntegrationError
from latchwork.integrate import stiff
from latchwork.integrate.jacobian import jacobian, pays
from latchwork.integrate.methods import DormandPrince, integrate
from latchwork.program.function import Function
from latchwork.program.interpret import evaluate
from random_programs import program_of

sundials = pytest.mark.skipif(importlib.util.find_spec("sksundae") is None, reason="scikit-sundae is not installed")
OF_OTHERS = {"Radau": lw.SciPy("Radau"), "BDF": lw.SciPy("BDF"), "LSODA": lw.SciPy("LSODA"),
             "CVODE": pytest.param(lw.Sundials(), marks=sundials)}  # fmt: skip
THEIRS = pytest.mark.parametrize("method", OF_OTHERS.values(), ids=OF_OTHERS)
METHODS = pytest.mark.parametrize("method", [lw.Radau(rtol=1e-8, atol=1e-10), *OF_OTHERS.values()],
                                  ids=["ours", *OF_OTHERS])  # fmt: skip


def van_der_pol() -> Function:
    """``ẋ = v, v̇ = μ (1 − x²) v − x``, stiff for large μ, held."""
    rows = [("mul", 1, 1), ("sub", 4, 5), ("mul", 6, 2), ("mul", 3, 7), ("sub", 8, 1)]
    return Function(program_of("t x v mu", (1.0,), rows, (2, 9)))


def ball() -> Function:
    """``ẏ = v, v̇ = −g`` with g held."""
    return Function(program_of("t y v g", (), [("neg", 3)], (2, 4)))


def floor() -> Function:
    """The height, and its rate."""
    return Function(program_of("t y v g", (), [], (1, 2)))


def growth() -> Function:
    """``ẋ = x²``, which reaches infinity at t = 1 from x = 1."""
    return Function(program_of("t x", (), [("mul", 1, 1)], (2,)))


@METHODS
def test_a_stiff_oscillator_takes_few_steps(method):
    """Van der Pol, μ = 1000: the answer of Dormand-Prince at and between samples, in a fiftieth of its steps."""
    explicit = integrate(van_der_pol(), [2.0, 0.0], 0.0, 20.0, [1000.0], DormandPrince(rtol=1e-8, atol=1e-10))
    run = integrate(van_der_pol(), [2.0, 0.0], 0.0, 20.0, [1000.0], method)
    t = np.linspace(0.0, 20.0, 501)
    assert run.at(t) == pytest.approx(explicit.at(t), abs=3e-7)
    assert 50 * run.stats.steps < explicit.stats.steps
    assert 50 * run.stats.evaluations < explicit.stats.evaluations


@METHODS
def test_samples_and_what_lies_between_agree(method):
    """at(t_i) is x_i, the dense output is continuous, and the run ends at t_end exactly."""
    run = integrate(van_der_pol(), [1.0, 0.3], 0.5, 3.0, [2.0], method)
    assert run.at(run.t).tobytes() == run.x.tobytes()
    assert run.at(np.nextafter(run.t[1:], 0.0)) == pytest.approx(run.x[1:], abs=1e-12)
    assert (run.t[0], run.t[-1]) == (0.5, 3.0)
    assert run.stats.steps == len(run.t) - 1


@pytest.mark.parametrize("x", [(0.3, -2.0), (2.0, 0.0), (-1.1, 40.0)])
def test_the_jacobian_is_that_of_the_equations(x):
    """∂ẋ/∂x = [[0, 1], [−2 μ x v − 1, μ (1 − x²)]]."""
    mu, (x0, v0) = 7.0, x
    found = evaluate(jacobian(van_der_pol().program), [0.0, *x, mu])
    assert found == pytest.approx([0.0, 1.0, -2.0 * mu * x0 * v0 - 1.0, mu * (1.0 - x0**2)], rel=1e-14)


@THEIRS
def test_large_systems_do_with_differences(method, monkeypatch):
    """Without a derived Jacobian the answer is the same."""
    derived = integrate(van_der_pol(), [2.0, 0.0], 0.0, 5.0, [1000.0], method)
    monkeypatch.setattr(stiff, "pays", lambda program: False)
    differences = integrate(van_der_pol(), [2.0, 0.0], 0.0, 5.0, [1000.0], method)
    assert differences.x[-1] == pytest.approx(derived.x[-1], abs=1e-7)
    assert differences.stats.evaluations > derived.stats.evaluations


def test_what_is_small_is_decided_by_counts():
    """Operations times states, up to a limit."""
    assert pays(van_der_pol().program)
    long = program_of("t x", (), [("mul", 1, 1), *[("add", 1, 2 + i) for i in range(20_000)]], (20_002,))
    assert not pays(long)


@METHODS
def test_events_are_found_on_the_way(method):
    """A ball meets the floor at √(2 y / g), and bounces without meeting it at once."""
    run = integrate(ball(), [1.0, 0.0], 0.0, 3.0, [9.81], method, guards=floor())
    assert run.event.t == pytest.approx(math.sqrt(2.0 / 9.81), abs=1e-7)
    assert run.t[-1] == run.event.t
    assert run.x[-1].tobytes() == run.event.x.tobytes()
    assert abs(run.event.x[0]) < 1e-11
    again = integrate(ball(), run.event.x * [1.0, -0.5], run.event.t, 3.0, [9.81], method, guards=floor())
    assert again.event.t - run.event.t == pytest.approx(math.sqrt(2.0 / 9.81), abs=1e-7)


@METHODS
def test_samples_alone_can_be_kept(method):
    """Only the times asked for, and the end."""
    full = integrate(van_der_pol(), [1.0, 0.3], 0.0, 3.0, [2.0], method)
    few = integrate(van_der_pol(), [1.0, 0.3], 0.0, 3.0, [2.0], method, samples=[0.0, 1.0, 2.0])
    assert few.t.tolist() == [0.0, 1.0, 2.0, 3.0]
    assert few.x.tobytes() == full.at(few.t).tobytes()


@METHODS
def test_no_time_is_legal(method):
    """t_end = t0 gives one sample."""
    run = integrate(ball(), [1.0, 2.0], 3.0, 3.0, [9.81], method)
    assert (run.t.tolist(), run.x.tolist()) == ([3.0], [[1.0, 2.0]])


@pytest.mark.parametrize("method", [lw.Radau(rtol=1e-8, atol=1e-10), lw.SciPy("Radau"), lw.SciPy("BDF")],
                         ids=["ours", "Radau", "BDF"])  # fmt: skip
def test_a_run_that_grows_without_bound_says_so(method):
    """x² reaches infinity at t = 1: the error says when, and holds the run until then."""
    with pytest.raises(IntegrationError, match=r"stopped at t = (0.99|1.0)") as caught:
        integrate(growth(), [1.0], 0.0, 3.0, [], method)
    assert caught.value.solution.t[-1] == pytest.approx(1.0, abs=1e-3)


def test_steps_can_be_limited():
    """More steps than allowed is an error."""
    with pytest.raises(IntegrationError, match="more steps were needed than allowed"):
        integrate(van_der_pol(), [2.0, 0.0], 0.0, 20.0, [1000.0], lw.SciPy("Radau", max_steps=5))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lw.SciPy("RK45"), "no stiff method 'RK45'"),
        (lambda: lw.SciPy("Radau", rtol=0.0), "cannot step"),
        (lambda: lw.Sundials(atol=0.0), "cannot step"),
        (lambda: integrate(ball(), [1.0, 0.0], 0.0, 1.0, [9.81], lw.SciPy(atol=(1e-9,))), "1 values of atol"),
    ],
)
def test_settings_that_cannot_step_are_refused(make, message):
    """Names, tolerances and sizes are checked."""
    with pytest.raises(IntegrationError, match=message):
        make()


def test_sundials_says_what_to_install(monkeypatch):
    """Without scikit-sundae the error names the extra."""
    monkeypatch.setitem(sys.modules, "sksundae.cvode", None)
    with pytest.raises(IntegrationError, match=r"pip install latchwork\[sundials\]"):
        integrate(ball(), [1.0, 0.0], 0.0, 1.0, [9.81], lw.Sundials())
