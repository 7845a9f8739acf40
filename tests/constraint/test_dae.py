"""Reference integrators: their order, and what each keeps of the constraints."""

from __future__ import annotations

import math

import numpy as np
import pytest

from constraint_models import carried, four_bar, pendulum, slider_crank
from latchwork.constraint.solvers.bdf import GGL, INDEX_2, INDEX_3, bdf, bdf_controlled
from latchwork.constraint.solvers.dae import half_explicit, projected
from latchwork.errors import IntegrationError

METHODS = [
    (projected, 4), (half_explicit, 3), (lambda *a: bdf(*a, INDEX_3), 2), (lambda *a: bdf(*a, INDEX_2), 2),
    (lambda *a: bdf(*a, GGL), 2),
]  # fmt: skip
NAMES = ["projected", "half-explicit", "index 3", "index 2", "stabilised"]


def start(constrained, q, u=None, t=0.0):
    """A consistent state as a vector."""
    begin = constrained.start(q, u, t)
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


@pytest.mark.parametrize(("method", "order"), METHODS, ids=NAMES)
def test_order(method, order, exact):
    """Halving the step divides the error by 2^order; a second copy of the row changes nothing."""
    for copies in (1, 2):
        constrained = pendulum(copies)
        x = start(constrained, {"x": 1.0, "y": 0.0})
        coarse, fine = (np.abs(method(constrained.terms, x, 0.5, k).q[-1] - exact).max() for k in (24, 48))
        assert math.log2(coarse / fine) == pytest.approx(order, abs=0.35)


@pytest.mark.parametrize(("method", "kept"), [(0, "both"), (1, "speeds"), (2, "places"), (3, "speeds"), (4, "both")])
def test_what_is_kept(method, kept):
    """Index 3 keeps Φ = 0 and index 2 keeps B u + C = 0; stabilised or projected, both hold; the other one drifts."""
    constrained = pendulum(swing=0.1)
    x = start(constrained, {"x": 1.0, "y": 0.0})
    path = METHODS[method][0](constrained.terms, x, 0.5, 20)
    length, growth = 1.0 + 0.1 * np.sin(3.0 * path.t), 0.3 * np.cos(3.0 * path.t)
    places = np.abs((path.q**2).sum(axis=1) - length**2).max()
    speeds = np.abs((path.q * path.u).sum(axis=1) - length * growth).max()
    assert (places < 1e-9) == (kept in ("places", "both"))
    assert (speeds < 1e-9) == (kept in ("speeds", "both"))


@pytest.mark.parametrize("form", [INDEX_3, INDEX_2, GGL], ids=lambda form: form.name)
def test_error_control(form, exact):
    """A tighter tolerance gives a smaller error, in more steps."""
    constrained = pendulum()
    x = start(constrained, {"x": 1.0, "y": 0.0})
    loose, tight = (bdf_controlled(constrained.terms, x, 0.5, tolerance, form) for tolerance in (1e-3, 1e-5))
    assert loose.t[-1] == tight.t[-1] == 0.5
    assert len(loose.t) < len(tight.t)
    assert np.abs(tight.q[-1] - exact).max() < min(2e-3, 0.5 * np.abs(loose.q[-1] - exact).max())


def test_four_bar_agrees_between_methods():
    """Two rows, three speeds: implicit and explicit ways meet as steps shrink."""
    constrained = four_bar((2.0, 1.0, 1.8, 1.3))
    x = start(constrained, {"a": 1.0, "b": 0.2, "c": -1.0}, {"ua": 1.0})
    fine = projected(constrained.terms, x, 0.2, 40).q[-1]
    assert half_explicit(constrained.terms, x, 0.2, 40).q[-1] == pytest.approx(fine, abs=1e-6)
    assert bdf(constrained.terms, x, 0.2, 40).q[-1] == pytest.approx(fine, abs=1e-3)


def test_slider_crank_through_its_singular_position():
    """Aghili's equal slider-crank goes through q1 = π/2 by projection, on the branch it came by: q2 = 2π − 2 q1."""
    constrained = slider_crank()
    x = start(constrained, [1.0, 2 * math.pi - 2.0], [6.0, -12.0])
    path = projected(constrained.terms, x, 0.4, 130)
    assert path.q[-1, 0] > math.pi / 2 + 0.3
    assert path.q[:, 1] == pytest.approx(2 * math.pi - 2 * path.q[:, 0], abs=1e-6)


def test_failure_is_told():
    """Where the constraints cannot be met the error says when and with what step, and holds what was computed."""
    constrained = carried()
    x = start(constrained, {"x": 0.5, "y": 0.8})
    said = r"'carried' cannot be solved as a DAE \(index 3\) beyond t = 0.4: .* a step of 0.2"
    with pytest.raises(IntegrationError, match=said) as caught:
        bdf(constrained.terms, x, 1.0, 5, INDEX_3)
    assert caught.value.solution.t == pytest.approx([0.0, 0.2, 0.4])
