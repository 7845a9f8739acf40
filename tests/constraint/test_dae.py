"""Backward differences: their order, and what each form keeps of the constraints."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from constraint_models import carried, four_bar, pendulum
from latchwork.constraint.designs.bdf import GGL, INDEX_2, INDEX_3, bdf
from latchwork.errors import IntegrationError

FORM = pytest.mark.parametrize("form", [INDEX_3, INDEX_2, GGL], ids=lambda form: form.name)


def start(constrained, q, u=None, t=0.0):
    """A consistent state as a vector."""
    begin = constrained.start(q, u, t=t)
    return constrained.arguments(q=begin.q, u=begin.u, t=t)


@pytest.fixture(scope="module")
def exact():
    """The pendulum at t = 0.5 from θ'' = −g cos θ, released level: by Runge-Kutta steps of 0.1 ms."""
    y, h = np.zeros(2), 1e-4

    def f(y):
        return np.array([y[1], -9.8 * math.cos(y[0])])

    for _ in range(5000):
        a = f(y)
        b = f(y + 0.5 * h * a)
        c = f(y + 0.5 * h * b)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + f(y + h * c))
    return np.array([math.cos(y[0]), math.sin(y[0])])


@FORM
def test_order(form, exact):
    """Halving the step divides the error by four; a second copy of the row changes nothing."""
    for copies in (1, 2):
        constrained = pendulum(copies)
        x = start(constrained, {"x": 1.0, "y": 0.0})
        coarse, fine = (np.abs(bdf(constrained.terms, x, 0.5, k, form).q[-1] - exact).max() for k in (24, 48))
        assert math.log2(coarse / fine) == pytest.approx(2, abs=0.35)


@FORM
def test_what_is_kept(form):
    """Index 3 keeps Φ = 0 and index 2 keeps B u + C = 0; stabilised, both hold; the other one drifts."""
    constrained = pendulum(swing=0.1)
    x = start(constrained, {"x": 1.0, "y": 0.0})
    path = bdf(constrained.terms, x, 0.5, 20, form)
    length, growth = 1.0 + 0.1 * np.sin(3.0 * path.t), 0.3 * np.cos(3.0 * path.t)
    places = np.abs((path.q**2).sum(axis=1) - length**2).max()
    speeds = np.abs((path.q * path.u).sum(axis=1) - length * growth).max()
    assert (places < 1e-9) == form.positions
    assert (speeds < 1e-9) == form.velocities


def test_a_four_bar_moves_as_the_embedded_equations_say():
    """Two rows, three speeds: the whole equations and those of one independent speed meet as steps shrink."""
    constrained = four_bar((2.0, 1.0, 1.8, 1.3))
    x = start(constrained, {"a": 1.0, "b": 0.2, "c": -1.0}, {"ua": 1.0})
    fine = lw.simulate(constrained, 0.2, x[1:4], x[4:7]).q[-1]
    assert bdf(constrained.terms, x, 0.2, 40).q[-1] == pytest.approx(fine, abs=1e-3)


def test_failure_is_told():
    """Where the constraints cannot be met the error says when and with what step, and holds what was computed."""
    constrained = carried()
    x = start(constrained, {"x": 0.5, "y": 0.8})
    said = r"'carried' cannot be solved as a DAE \(index 3\) beyond t = 0.4: .* a step of 0.2"
    with pytest.raises(IntegrationError, match=said) as caught:
        bdf(constrained.terms, x, 1.0, 5, INDEX_3)
    assert caught.value.solution.t == pytest.approx([0.0, 0.2, 0.4])
